"""Terms made of rows: templates filled, values written as the natural mapping of R2RML has them.

Numbers are written out: the recommendation's ``8.025E1`` is ``80.25`` here, which people read and search.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from .r2rml_mapping import Kind, TermMap

_RESERVED = re.compile(r"[^\w.~\-\u00a0-\U000efffd]|[\ue000-\uf8ff]")
"""What a template's value may not bring into an IRI as it is."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NOT_IN_IRIS = re.compile(r"[\x00-\x20<>\"{}|\\^`]")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")


class NoTerm(ValueError):
    """A value of which no term can be made."""


class Term(NamedTuple):
    """``text``: an IRI, the label of a blank node, or a literal in ``language``."""

    kind: Kind
    text: str
    language: str | None = None


Maker: TypeAlias = Callable[[Sequence[Any]], Term | None]
"""Row → the term made of it, or None where a value that it needs is NULL."""


class Column(NamedTuple):
    """Where in a row the values are, and of which type they are if that is known."""

    place: int
    type: TypeEngine[Any] | None = None


def maker(term: TermMap, columns: Mapping[str, Column], base: str) -> Maker:
    """How to make the term of a row; ``columns`` has all that ``term`` names.

    What is made raises ``NoTerm``.
    """
    kind, language = term.kind, term.language
    if term.constant is not None:
        always = Term(kind, term.constant, language)
        return lambda _row: always
    if term.template is not None:
        fill = _filler(term, columns)
    else:
        place, type_ = columns[term.column or ""]

        def fill(row: Sequence[Any]) -> str | None:
            return lexical(row[place], type_)

    def make(row: Sequence[Any]) -> Term | None:
        text = fill(row)
        if text is None:
            return None
        return Term(kind, whole(text, base) if kind == "iri" else text, language)

    return make


def _filler(term: TermMap, columns: Mapping[str, Column]) -> Callable[[Sequence[Any]], str | None]:
    assert term.template is not None
    first, *texts = term.template.texts
    pairs = [
        (*columns[name], text) for name, text in zip(term.template.columns, texts, strict=True)
    ]
    safe = term.kind == "iri"

    def fill(row: Sequence[Any]) -> str | None:
        pieces = [first]
        for place, type_, text in pairs:
            value = lexical(row[place], type_)
            if value is None:
                return None
            pieces += (encoded(value) if safe else value, text)
        return "".join(pieces)

    return fill


def encoded(value: str) -> str:
    """``value`` with all signs that mean something in an IRI percent-encoded."""
    return _RESERVED.sub(lambda found: quote(found[0], safe=""), value)


def whole(iri: str, base: str) -> str:
    """``iri``, after ``base`` where it is relative.

    Raises:
        NoTerm: that is no IRI.
    """
    found = iri if _SCHEME.match(iri) else base + iri
    wrong = _NOT_IN_IRIS.search(found)
    if wrong:
        raise NoTerm(f"{iri[:100]!r} is no IRI: it has {wrong[0]!r} in it")
    return found


def lexical(value: Any, type_: TypeEngine[Any] | None = None) -> str | None:
    """``value`` as text; None stays None."""
    if value is None or isinstance(value, str):
        return value if value is None or not _is_time(type_) else _TIME.sub(r"\1T\2", value)
    if isinstance(value, bool) or (isinstance(value, int) and isinstance(type_, sa.Boolean)):
        return "true" if value else "false"
    if isinstance(value, float):
        return _of_float(value, type_)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex().upper()
    return str(value)


def _is_time(type_: TypeEngine[Any] | None) -> bool:
    return isinstance(type_, sa.DateTime)


def _of_float(value: float, type_: TypeEngine[Any] | None) -> str:
    """A float without the digits that only come of its being binary, and without an exponent."""
    shown = format(value, ".15g")
    if not shown.lstrip("-")[:1].isdigit():
        return {"nan": "NaN", "inf": "INF", "-inf": "-INF"}[shown]
    number = Decimal(shown)
    scale = None if isinstance(type_, sa.Float) else getattr(type_, "scale", None)
    if scale is not None:  # a decimal that the database keeps as a float
        fixed = number.quantize(Decimal(1).scaleb(-scale))
        number = fixed if fixed == number else number
    return format(number, "f")
