"""What a mapping in R2RML says (W3C Recommendation, 27 September 2012). Plain data, no I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

RR = "http://www.w3.org/ns/r2rml#"

Kind: TypeAlias = Literal["iri", "blank", "literal"]
"""What a term is."""

_PIECE = re.compile(
    r"\\(?P<escaped>[\\{}])|\{(?P<column>(?:[^\\{}]|\\.)*)\}|(?P<text>[^\\{}]+)", re.DOTALL
)


class BadTemplate(ValueError):
    """A template whose braces do not pair."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text and columns in turn: ``texts`` has one more than ``columns``."""

    texts: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Template:
        r"""The template that ``text`` is; ``\{``, ``\}`` and ``\\`` stand for what they show.

        Raises:
            BadTemplate
        """
        texts, columns, end = [""], [], 0
        for piece in _PIECE.finditer(text):
            if piece.start() != end:
                break
            end = piece.end()
            column = piece["column"]
            if column is None:
                texts[-1] += piece["escaped"] or piece["text"]
            elif not column.strip():
                raise BadTemplate("a pair of braces without a column")
            else:
                columns.append(re.sub(r"\\(.)", r"\1", column))
                texts.append("")
        if end != len(text):
            raise BadTemplate(f"a brace or backslash that stands alone, behind {text[:end]!r}")
        if not columns:
            raise BadTemplate("no column in braces")
        return cls(tuple(texts), tuple(columns))


@dataclass(frozen=True, slots=True)
class TermMap:
    """How a term is made of a row: always the same ``constant``, a ``column``, or a ``template``.

    ``repaired`` says what a repair has changed about it.
    """

    kind: Kind
    line: int
    constant: str | None = None
    column: str | None = None
    template: Template | None = None
    language: str | None = None
    datatype: str | None = None
    repaired: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it needs."""
        if self.template is not None:
            return self.template.columns
        return () if self.column is None else (self.column,)


@dataclass(frozen=True, slots=True)
class Reference:
    """The subjects of the triples map ``parent``: of the same row, or of those that ``joins`` finds.

    ``joins`` are pairs of columns, the child's and the parent's.
    """

    parent: str
    line: int
    joins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of each subject: every predicate with every object."""

    predicates: tuple[TermMap, ...]
    objects: tuple[TermMap | Reference, ...]


@dataclass(frozen=True, slots=True)
class LogicalTable:
    """The rows: of the ``table`` of this name, or what ``query`` gives."""

    line: int
    table: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class TriplesMap:
    """One rule of a mapping; ``graphs``: whether it says in which graph its triples are."""

    iri: str
    line: int
    rows: LogicalTable
    subject: TermMap
    classes: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()
    graphs: bool = False

    @property
    def terms(self) -> Iterator[TermMap]:
        """All its term maps, the subject's first."""
        yield self.subject
        for said in self.said:
            yield from said.predicates
            yield from (each for each in said.objects if isinstance(each, TermMap))


@dataclass(frozen=True, slots=True)
class Mapping:
    """A whole mapping: its triples maps by their keys, and the IRI that relative ones are relative to."""

    file: str
    maps: dict[str, TriplesMap]
    base: str = ""


def bare(name: str) -> str:
    """A name of a table or column without the signs that SQL lets stand around it."""
    stripped = name.strip()
    if len(stripped) > 1 and stripped[0] + stripped[-1] in ('""', "``", "[]"):
        closing = stripped[-1]
        return stripped[1:-1].replace(closing * 2, closing)
    return stripped
