"""The statements of RDF files, with the lines their tails end in.

pyoxigraph parses; it was 15 times as fast as rdflib. It says where errors are and not where triples are,
so it is fed line by line: what it gives then ends in the line it was given last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile, importing
from trustuqa_neo4j.loader import File, Reading

from .text import Lines, lines

if TYPE_CHECKING:
    from pyoxigraph import Quad

_BY_LINE = frozenset({".nt", ".nq"})
"""Forms with one statement a line: a bad one says nothing of the next."""

_OF_KG = frozenset({".nt", ".ttl"})
_FORMATS = {
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".ttl": "TURTLE",
    ".trig": "TRIG",
    ".rdf": "RDF_XML",
    ".owl": "RDF_XML",
    ".xml": "RDF_XML",
    ".jsonld": "JSON_LD",
}
MAPPING = ".r2rml"
"""How mappings are called that are not called ``.ttl``, though they are Turtle."""

FORMS = tuple(_FORMATS)
"""How the names of files end that are read as RDF."""

_PLACE = re.compile(r"^Parser error (?:at|between) line \d+.*?: ")
_HINT = "each line is one triple and a dot; --skip-bad N passes over up to N bad lines"
_WHOLE_HINT = "correct it there; only in N-Triples, line by line, can bad ones be passed over"
_XML = frozenset(suffix for suffix, form in _FORMATS.items() if form == "RDF_XML")
_ROOT = re.compile(r"<(/?)((?:[\w.-]+:)?RDF)\b")
_NO_CONTEXT = "No LoadDocumentCallback has been set"


NAMED_GRAPH = "graphs are not told apart: what a named graph holds is a fact like all others"


class Statement(NamedTuple):
    """``line``: the one its tail ends in. ``tail``: a key, or where ``is_text`` a literal in ``language``."""

    line: int
    head: str
    predicate: str
    tail: str
    is_text: bool = False
    language: str | None = None


def is_rdf(file: File) -> bool:
    """Whether ``kg`` reads it as RDF, by its name.

    Raises:
        UnreadableFile: RDF in a form that only ``rdf`` reads, or none.
    """
    suffix = _suffix_of(file.name)
    if suffix not in _OF_KG and suffix in (*FORMS, ".n3"):
        hint = "write it as Turtle (.ttl)" if suffix == ".n3" else "load it as rdf"
        raise UnreadableFile(
            f"kg does not read {suffix} files",
            where=file.name,
            hint=f"{hint}, or as N-Triples (.nt)",
        )
    return suffix in _OF_KG


def is_form(name: str) -> bool:
    """Whether a file of this name is RDF in a form that is read."""
    return _suffix_of(name) in _FORMATS


def is_blank(key: str) -> bool:
    """Whether ``key`` is that of a blank node; no IRI begins like this."""
    return key.startswith("_:")


@dataclass(slots=True)
class Base:
    """What makes relative IRIs whole: what is given, until the file says something else."""

    iri: str | None = None


def statements(file: File, reading: Reading, base: Base | None = None) -> Iterator[Statement]:
    """The statements of ``file``, in its order, the same each time.

    ``base`` is changed by what the file says. What a named graph holds is read like all else.

    Raises:
        MissingFile, UnreadableFile
        MalformedLine: also for any error in forms without lines, since where the next statement begins
            is a guess.
        MissingExtra: pyoxigraph is not installed.
    """
    with importing("rdf", "RDF needs"):
        from pyoxigraph import BlankNode, DefaultGraph, Literal, Triple
    blanks: dict[str, str] = {}

    def key(node: object) -> str:
        # The parser's labels of nodes that have none in the file are random.
        if isinstance(node, BlankNode):
            return blanks.setdefault(node.value, f"_:{len(blanks) + 1}@{file.name}")
        return str(node.value)  # type: ignore[attr-defined]

    for line, quad in _quads(file, reading, base or Base()):
        tail = quad.object
        if not isinstance(quad.graph_name, DefaultGraph):
            reading.remark(NAMED_GRAPH, f"{file.name}:{line}")
        head, predicate = key(quad.subject), quad.predicate.value
        if isinstance(tail, Literal):
            yield Statement(line, head, predicate, tail.value, True, tail.language)
        elif isinstance(tail, Triple):
            reading.malformed("a triple about a triple", f"{file.name}:{line}", _HINT)
        else:
            yield Statement(line, head, predicate, key(tail))


def _quads(file: File, reading: Reading, base: Base) -> Iterator[tuple[int, Quad]]:
    from pyoxigraph import RdfFormat, parse

    suffix = _suffix(file)
    bad = 0
    with lines(file, reading) as found:
        fed = _Fed(found)
        form = getattr(RdfFormat, _FORMATS[suffix])
        parser = parse(input=cast("IO[bytes]", fed), format=form, base_iri=base.iri)
        while True:
            try:
                quad = next(parser, None)
            except SyntaxError as error:
                line = min(error.lineno or found.number, found.number)
                if line != bad:
                    _malformed(error, f"{file.name}:{line}", reading, suffix)
                bad = line
                continue
            base.iri = parser.base_iri
            if quad is None:
                if fed.open_root and suffix in _XML:
                    raise MalformedLine(
                        f"it ends before </{fed.open_root}>",
                        where=f"{file.name}:{found.number}",
                        hint="fetch it again: the rest of it is missing",
                    )
                return
            if found.number != bad:  # of a bad line nothing more is believed
                yield found.number, quad


def _malformed(error: SyntaxError, where: str, reading: Reading, suffix: str) -> None:
    what = _PLACE.sub("", error.msg)
    if what.startswith(_NO_CONTEXT):
        raise MalformedLine(
            "its @context lies elsewhere, and nothing is fetched",
            where=where,
            hint="write the context into the file, or convert it to Turtle",
        ) from error
    what = what[:1].lower() + what[1:]
    if suffix not in _BY_LINE:
        raise MalformedLine(what, where=where, hint=_WHOLE_HINT) from error
    reading.malformed(what, where, _HINT)


class _Fed:
    """A file of bytes that is read a line at a time, or less, whatever is asked for.

    ``open_root`` is the root of RDF/XML as long as it is open: the parser takes what is cut for whole.
    """

    def __init__(self, found: Lines) -> None:
        self._lines = found
        self._rest = b""
        self.open_root = ""

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; more would stop the parser's process."""
        if not self._rest:
            line = next(self._lines, "")
            self._rest = line.encode()
            if "RDF" in line:
                for closing, root in _ROOT.findall(line):
                    self.open_root = "" if closing else root
        given, self._rest = self._rest[:size], self._rest[size:]
        return given


def _suffix(file: File) -> str:
    suffix = _suffix_of(file.name)
    return ".ttl" if suffix == MAPPING else suffix


def _suffix_of(name: str) -> str:
    return PurePath(name.lower().removesuffix(".gz")).suffix
