"""The statements of N-Triples and Turtle files, with the lines their tails end in.

pyoxigraph parses; it was 15 times as fast as rdflib. It says where errors are and not where triples are,
so it is fed line by line: what it gives then ends in the line it was given last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from trustuqa_neo4j.errors import MalformedLine, NotBuilt, importing
from trustuqa_neo4j.loader import File, Reading

from .text import Lines, lines

if TYPE_CHECKING:
    from pyoxigraph import Quad

_TURTLE = ".ttl"
_FORMATS = {".nt": "N_TRIPLES", _TURTLE: "TURTLE"}
_LATER = frozenset({".rdf", ".owl", ".xml", ".jsonld", ".nq", ".trig", ".n3"})
_PLACE = re.compile(r"^Parser error (?:at|between) line \d+.*?: ")
_HINT = "each line is one triple and a dot; --skip-bad N passes over up to N bad lines"
_TURTLE_HINT = "correct it there; only in N-Triples, line by line, can bad ones be passed over"


class Statement(NamedTuple):
    """``line``: the one its tail ends in. ``tail``: a key, or where ``is_text`` a literal in ``language``."""

    line: int
    head: str
    predicate: str
    tail: str
    is_text: bool = False
    language: str | None = None


def is_rdf(file: File) -> bool:
    """Whether its name says that it is RDF.

    Raises:
        NotBuilt: RDF in a form that is not read yet.
    """
    suffix = _suffix(file)
    if suffix in _LATER:
        raise NotBuilt(
            f"{suffix} files are not read in this version",
            where=file.name,
            hint="write it as N-Triples (.nt) or Turtle (.ttl)",
        )
    return suffix in _FORMATS


def is_blank(key: str) -> bool:
    """Whether ``key`` is that of a blank node; no IRI begins like this."""
    return key.startswith("_:")


def statements(file: File, reading: Reading) -> Iterator[Statement]:
    """The statements of ``file``, in its order, the same each time.

    Raises:
        MissingFile, UnreadableFile
        MalformedLine: also for any error in Turtle, since where the next statement begins is a guess.
        MissingExtra: pyoxigraph is not installed.
    """
    with importing("rdf", "RDF needs"):
        from pyoxigraph import BlankNode, Literal, Triple
    blanks: dict[str, str] = {}

    def key(node: object) -> str:
        # The parser's labels of nodes that have none in the file are random.
        if isinstance(node, BlankNode):
            return blanks.setdefault(node.value, f"_:{len(blanks) + 1}@{file.name}")
        return str(node.value)  # type: ignore[attr-defined]

    for line, quad in _quads(file, reading):
        tail = quad.object
        head, predicate = key(quad.subject), quad.predicate.value
        if isinstance(tail, Literal):
            yield Statement(line, head, predicate, tail.value, True, tail.language)
        elif isinstance(tail, Triple):
            reading.malformed("a triple about a triple", f"{file.name}:{line}", _HINT)
        else:
            yield Statement(line, head, predicate, key(tail))


def _quads(file: File, reading: Reading) -> Iterator[tuple[int, Quad]]:
    from pyoxigraph import RdfFormat, parse

    suffix = _suffix(file)
    bad = 0
    with lines(file, reading) as found:
        fed = cast("IO[bytes]", _Fed(found))  # all of a file that the parser uses
        parser = parse(input=fed, format=getattr(RdfFormat, _FORMATS[suffix]))
        while True:
            try:
                quad = next(parser, None)
            except SyntaxError as error:
                line = min(error.lineno or found.number, found.number)
                if line != bad:
                    _malformed(error, f"{file.name}:{line}", reading, suffix)
                bad = line
                continue
            if quad is None:
                return
            if found.number != bad:  # of a bad line nothing more is believed
                yield found.number, quad


def _malformed(error: SyntaxError, where: str, reading: Reading, suffix: str) -> None:
    what = _PLACE.sub("", error.msg)
    what = what[:1].lower() + what[1:]
    if suffix == _TURTLE:
        raise MalformedLine(what, where=where, hint=_TURTLE_HINT) from error
    reading.malformed(what, where, _HINT)


class _Fed:
    """A file of bytes that is read a line at a time, or less, whatever is asked for."""

    def __init__(self, found: Lines) -> None:
        self._lines = found
        self._rest = b""

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; more would stop the parser's process."""
        if not self._rest:
            self._rest = next(self._lines, "").encode()
        given, self._rest = self._rest[:size], self._rest[size:]
        return given


def _suffix(file: File) -> str:
    return PurePath(file.name.lower().removesuffix(".gz")).suffix
