"""RDF files as statements with lines, and the names of nodes and relations in them.

pyoxigraph parses; it was 15 times as fast as rdflib. It gives lines for errors but not for triples. So it
is fed line by line: a statement ends in the line that was fed last.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, NamedTuple, cast
from urllib.parse import quote, unquote

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile, require_extra
from trustuqa_neo4j.loading.file_beginning import FileBeginning
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.loading.rdf_forms import detect_rdf_form, plain_suffix
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.model.facts import Readings
from trustuqa_neo4j.values import Value, ValueKind, ValueOptions, read_value

from ._number_texts import format_number
from ._text import SKIP_BAD_LINES, TextLines, open_lines

if TYPE_CHECKING:
    from pyoxigraph import Quad

_LINE_SUFFIXES = frozenset({".nt", ".nq"})
"""Formats with one statement a line, so that a bad line can be skipped."""

_KG_SUFFIXES = frozenset({".nt", ".ttl"})
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
SUFFIXES = tuple(_FORMATS)
SUFFIX_HINT = f"supported suffixes: {', '.join(SUFFIXES)}, each also with .gz"
MAPPING_SUFFIX = ".r2rml"
"""Suffix of R2RML mappings that are not called ``.ttl``, though they are Turtle."""

_ERROR_PLACE = re.compile(r"^Parser error (?:at|between) line \d+.*?: ")
_LINE_HINT = f"each line is one triple and a dot; {SKIP_BAD_LINES}"
_FILE_HINT = "correct the file there; bad lines can be skipped only in N-Triples and N-Quads"
_XML_SUFFIXES = frozenset(suffix for suffix, form in _FORMATS.items() if form == "RDF_XML")
_ROOT_TAG = re.compile(r"<(/?)((?:[\w.-]+:)?RDF)\b")
_ENTITY = re.compile(r"""<!ENTITY\s+[\w.:-]+\s+["']([^&%<"']*)["']\s*>""")
_ENTITY_LENGTH = 200
_REMOTE_CONTEXT_ERROR = "No LoadDocumentCallback has been set"

NAMED_GRAPH = "graphs are not kept apart: the triples of a named graph are facts like all others"


class RdfStatement(NamedTuple):
    # ``line`` is where the tail ends. ``tail`` is a key, or with ``is_text`` a literal.
    line: int
    head: str
    predicate: str
    tail: str
    is_text: bool = False
    language: str | None = None
    datatype: str = ""


def is_rdf(file: File, options: ReadOptions) -> bool:
    # RDF in a form that ``kg`` does not read is an error.
    suffix = find_rdf_suffix(file, options)
    if suffix is not None and suffix not in _KG_SUFFIXES:
        raise UnreadableFile(
            f"kg does not read {suffix} files",
            where=file.name,
            hint="load it as rdf, or as N-Triples (.nt)",
        )
    return suffix is not None


def has_rdf_suffix(name: str) -> bool:
    return plain_suffix(name) in _FORMATS


def find_rdf_suffix(file: File, options: ReadOptions) -> str | None:
    # The suffix of the form of RDF: that of the name, else by the content. None: it is not RDF.
    suffix = plain_suffix(file.name)
    if suffix == MAPPING_SUFFIX:
        return ".ttl"
    if suffix in _FORMATS:
        return suffix
    return detect_rdf_form(FileBeginning.read(file).decode(options.encoding))


def is_blank(key: str) -> bool:
    # No IRI begins like this.
    return key.startswith("_:")


@dataclass(slots=True)
class BaseIri:
    # The file may change it.
    iri: str | None = None


def read_statements(
    file: File, options: ReadOptions, base: BaseIri | None = None
) -> Iterator[RdfStatement]:
    """Yield the statements of ``file`` in its order, with named graphs, the same on each reading.

    The file may change ``base``. In formats without lines any error is fatal, because the next statement
    cannot be found.
    """
    with require_extra("formats", "RDF needs"):
        from pyoxigraph import BlankNode, DefaultGraph, Literal, Triple
    blanks: dict[str, str] = {}

    def make_key(node: object) -> str:
        # The parser gives random labels to nodes that have none in the file.
        if isinstance(node, BlankNode):
            return blanks.setdefault(node.value, f"_:{len(blanks) + 1}@{file.name}")
        return str(node.value)  # type: ignore[attr-defined]

    for line, quad in _parse_quads(file, options, base or BaseIri()):
        tail = quad.object
        if not isinstance(quad.graph_name, DefaultGraph):
            options.remark(NAMED_GRAPH, f"{file.name}:{line}")
        head, predicate = make_key(quad.subject), quad.predicate.value
        if isinstance(tail, Literal):
            datatype = tail.datatype.value
            text = format_literal(tail.value, datatype)
            yield RdfStatement(line, head, predicate, text, True, tail.language, datatype)
        elif isinstance(tail, Triple):
            options.malformed("a triple about a triple", f"{file.name}:{line}", _LINE_HINT)
        else:
            yield RdfStatement(line, head, predicate, make_key(tail))


def _parse_quads(file: File, options: ReadOptions, base: BaseIri) -> Iterator[tuple[int, Quad]]:
    from pyoxigraph import RdfFormat, parse

    suffix = find_rdf_suffix(file, options)
    if suffix is None:
        raise UnreadableFile(
            "neither its suffix nor its content is that of RDF", where=file.name, hint=SUFFIX_HINT
        )
    bad_line = 0
    with open_lines(file, options) as lines:
        feeder = _LineFeeder(lines, suffix in _XML_SUFFIXES, file.name)
        rdf_format = getattr(RdfFormat, _FORMATS[suffix])
        base_iri = base.iri or (None if suffix in _LINE_SUFFIXES else _make_base(file))
        parser = parse(input=cast("IO[bytes]", feeder), format=rdf_format, base_iri=base_iri)
        while True:
            try:
                quad = next(parser, None)
            except SyntaxError as error:
                line = min(error.lineno or lines.number, lines.number)
                if line != bad_line:
                    _note_syntax_error(error, f"{file.name}:{line}", options, suffix)
                bad_line = line
                continue
            base.iri = parser.base_iri
            if quad is None:
                if feeder.open_root and suffix in _XML_SUFFIXES:
                    raise MalformedLine(
                        f"it ends before </{feeder.open_root}>",
                        where=f"{file.name}:{lines.number}",
                        hint="download it again: the rest of it is missing",
                    )
                return
            if lines.number != bad_line:  # nothing else of a bad line is used
                yield lines.number, quad


def _make_base(file: File) -> str:
    # Relative IRIs such as <#x> belong to their file, wherever it lies.
    return f"file:///{quote(PurePath(file.name).name)}"


def _note_syntax_error(error: SyntaxError, where: str, options: ReadOptions, suffix: str) -> None:
    what = _ERROR_PLACE.sub("", error.msg)
    if what.startswith(_REMOTE_CONTEXT_ERROR):
        raise MalformedLine(
            "its @context is a link, and nothing is downloaded",
            where=where,
            hint="write the context into the file, or convert it to Turtle",
        ) from error
    what = what[:1].lower() + what[1:]
    if suffix not in _LINE_SUFFIXES:
        raise MalformedLine(what, where=where, hint=_FILE_HINT) from error
    options.malformed(what, where, _LINE_HINT)


class _LineFeeder:
    """A binary file for the parser that gives at most one line for each read.

    The lines are decoded, so that no encoding hides what they declare.

    ``open_root`` is the root tag of RDF/XML until it is closed: the parser accepts a file that is cut off.
    """

    def __init__(self, lines: TextLines, is_xml: bool, place: str) -> None:
        self._lines = lines
        self._is_xml = is_xml
        self._place = place
        self._rest = b""
        self.open_root = ""

    def read(self, size: int) -> bytes:
        # More than ``size`` bytes would abort the process of the parser.
        if not self._rest:
            line = next(self._lines, "")
            self._rest = line.encode()
            if self._is_xml and "<!ENTITY" in line:
                self._check_entities(line)
            if "RDF" in line:
                for slash, root in _ROOT_TAG.findall(line):
                    self.open_root = "" if slash else root
        block, self._rest = self._rest[:size], self._rest[size:]
        return block

    def _check_entities(self, line: str) -> None:
        """Allow names for namespaces, as ontologies have them; entities in entities grow without end."""
        entities = _ENTITY.findall(line)
        is_short = all(len(value) <= _ENTITY_LENGTH for value in entities)
        if len(entities) != line.count("<!ENTITY") or not is_short:
            raise MalformedLine(
                "an entity that is not a short text without other entities",
                where=f"{self._place}:{self._lines.number}",
                hint="write its text in place of the entity, or convert the file to Turtle",
            )


# Literals: what their datatypes say beyond their texts.


_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATE_TYPES = frozenset(
    f"{_XSD}{name}"
    for name in (
        "date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth", "gMonthDay", "gMonth",
    )
)  # fmt: skip
_DURATION_TYPES = frozenset(
    f"{_XSD}{name}" for name in ("duration", "dayTimeDuration", "yearMonthDuration")
)
_NUMBER_TYPES = frozenset(
    f"{_XSD}{name}"
    for name in (
        "decimal", "double", "float", "integer", "int", "long", "short", "byte",
        "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger",
        "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte",
    )
)  # fmt: skip
_FLOAT_TYPES = frozenset(f"{_XSD}{name}" for name in ("double", "float"))
_BOOLEAN = f"{_XSD}boolean"
_TRUTHS = {"1": "true", "0": "false"}


def format_literal(text: str, datatype: str) -> str:
    """The text of a literal: as written, but ``1`` as a truth and ``1E5`` as a number say so."""
    if datatype in _FLOAT_TYPES:
        return format_number(text.strip())
    return _TRUTHS.get(text.strip(), text) if datatype == _BOOLEAN else text


class LiteralKinds:
    """The kinds of values of each predicate, by the datatypes of its literals.

    Texts such as ``-0044`` and ``1979+02:00`` are dates only because their datatype says so. A predicate has
    a kind if its literals have values of that kind alone; texts without a datatype beside them say nothing.
    """

    def __init__(self) -> None:
        self._kinds: defaultdict[str, set[ValueKind]] = defaultdict(set)
        self._needed: dict[str, tuple[str, str]] = {}

    def add(self, statement: RdfStatement, file: File) -> None:
        kind = _find_kind(statement.datatype)
        if kind is None:
            return
        self._kinds[statement.predicate].add(kind)
        if statement.predicate not in self._needed:
            text = statement.tail
            if not _has_same_value(read_value(text), read_value(text, _make_options(kind))):
                self._needed[statement.predicate] = text, f"{file.name}:{statement.line}"

    def readings(self, relations: RelationNames, values: ValueOptions) -> Readings:
        """A reading for each relation whose texts alone would be read as something else."""
        readings = []
        for predicate in self._needed:
            name, kinds = relations[predicate], self._kinds[predicate]
            column = values.of_column(name)
            if len(kinds) == 1 and column.kind is None:
                (kind,) = kinds
                own = _make_options(kind)
                readings.append((name, replace(column, kind=kind, dates=own.dates).reading))
        return tuple(readings)

    def remark_mixed(self, relations: RelationNames, options: ReadOptions) -> None:
        # Such texts have no reading that suits all others of the relation.
        for predicate, (text, place) in self._needed.items():
            if len(self._kinds[predicate]) > 1:
                options.remark(
                    f"{relations[predicate]!r} has dates and numbers: texts such as {text} are not "
                    "read as dates; give dates a relation of their own",
                    place,
                )


def _find_kind(datatype: str) -> ValueKind | None:
    # None: a text that may be anything.
    if datatype in _DATE_TYPES:
        return "date"
    if datatype in _DURATION_TYPES or datatype in _NUMBER_TYPES:
        return "number"
    return None


def _make_options(kind: ValueKind) -> ValueOptions:
    # XML Schema writes months as ``2004-11``.
    return ValueOptions(kind=kind, dates="iso" if kind == "date" else None)


def _has_same_value(plain: Value | None, typed: Value | None) -> bool:
    # A plain year is a number too, which does no harm.
    if plain is None or typed is None:
        return plain is typed
    if typed.start is not None:
        return (plain.start, plain.end) == (typed.start, typed.end)
    return (plain.number, plain.unit) == (typed.number, typed.unit)


# Names: labels, or the last part of an IRI.


RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
TYPE, FIRST, REST = f"{RDF}type", f"{RDF}first", f"{RDF}rest"
_NAME_PREDICATES = frozenset({f"{RDFS}label", f"{SKOS}prefLabel"})
LABELS = _NAME_PREDICATES | {f"{SKOS}altLabel"}

_ALIAS_RANK = 9
"""The rank of a text that is never a name, only an alias."""

_NUMBERED_NAME = re.compile(r"[A-Za-z]{0,9}[_:.-]?\d+")
"""A local name that says nothing to a person: ``GO_0008150``, ``Q5``."""


def local_name(iri: str) -> str:
    """Return the part after the last ``#`` or ``/``, else after the last ``:``, percent-decoded."""
    trimmed = iri.rstrip("#/")
    cut = max(trimmed.rfind("#"), trimmed.rfind("/"))
    local = trimmed[cut + 1 if cut >= 0 else trimmed.rfind(":") + 1 :]
    try:
        decoded = unquote(local, errors="strict")
    except UnicodeDecodeError:
        decoded = local
    return decoded if decoded.strip() else iri


def rank_language(language: str | None) -> int:
    # English first, then English of a country, no language, any other language.
    if language is None:
        return 2
    return 0 if language == "en" else 1 if language.startswith("en-") else 3


@dataclass(slots=True)
class _TermLabels:
    best: str | None = None
    rank: int = _ALIAS_RANK
    texts: dict[str, None] = field(default_factory=dict)

    def add(self, text: str, rank: int) -> None:
        # The first label of the lowest rank is the best.
        self.texts[text] = None
        if rank < self.rank:
            self.best, self.rank = text, rank


_SHORT_STEM = re.compile(r"[A-Za-z]{1,2}")
_NUMBERED = re.compile(r"(.*?)[-_:.]?\d+")
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


def is_identifier(name: str, classes: Set[str]) -> bool:
    """Check whether a local name is an id: ``p1``, ``Policy-12`` beside the class Policy, a UUID.

    ``classes`` are normalized local names without spaces. ``Apollo_11`` is a name.
    """
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None:
        return _UUID.fullmatch(name) is not None
    stem = numbered[1]
    return bool(_SHORT_STEM.fullmatch(stem)) or normalize_class_name(stem) in classes


def normalize_class_name(name: str) -> str:
    return normalize_name(name).replace(" ", "")


class Labels:
    def __init__(self) -> None:
        self._labels: defaultdict[str, _TermLabels] = defaultdict(_TermLabels)

    def add(self, statement: RdfStatement) -> None:
        if statement.tail.strip():
            is_name = statement.predicate in _NAME_PREDICATES
            rank = rank_language(statement.language) if is_name else _ALIAS_RANK
            self._labels[statement.head].add(statement.tail, rank)

    def node_name(self, key: str) -> tuple[str | None, tuple[str, ...]]:
        # The best label, else the local name. A blank node may have no name.
        labels = self._labels.get(key)
        name = None if is_blank(key) else local_name(key)
        if labels is None:
            return name, ()
        name = name if labels.best is None else labels.best
        return name, tuple(text for text in labels.texts if text != name)

    def class_name(self, iri: str) -> tuple[str, tuple[str, ...]]:
        # The local name, unless that is only a number.
        name = local_name(iri)
        labels = self._labels.get(iri)
        if labels is None:
            return name, ()
        texts = [*labels.texts]
        if labels.best is not None and _NUMBERED_NAME.fullmatch(name):
            texts, name = [name, *texts], labels.best
        return name, tuple(text for text in texts if text != name)

    def texts(self, iri: str) -> tuple[str, ...]:
        labels = self._labels.get(iri)
        return () if labels is None else tuple(labels.texts)

    def __contains__(self, key: str) -> bool:
        return key in self._labels


def is_label(statement: RdfStatement) -> bool:
    # Such a statement is not a fact.
    return statement.is_text and statement.predicate in LABELS


class RelationNames:
    """Predicate → its local name, or the predicate where several share a name; ``type`` is always RDF's.

    A predicate that is only ``declared`` never changes the name of a predicate ``in_facts``.
    """

    def __init__(self, in_facts: Iterable[str], declared: Iterable[str] = ()) -> None:
        self._used = _names_by_predicate({*in_facts, TYPE}) | {TYPE: local_name(TYPE)}
        reserved = set(self._used.values()) | {local_name(iri) for iri in self._used}
        unused = _names_by_predicate({*declared} - self._used.keys())
        self._declared = {iri: iri if name in reserved else name for iri, name in unused.items()}

    def __getitem__(self, predicate: str) -> str:
        name = self._used.get(predicate)
        if name is None:
            name = self._declared.get(predicate) or local_name(predicate)
        return name

    def name_axiom(self, name: str) -> str:
        """Return the name for a relation of axioms, which is never that of a relation of facts."""
        taken = {*self._used.values(), *self._declared.values()}
        return f"{name} (axiom)" if name in taken else name

    def are_used(self, predicates: Iterable[str]) -> bool:
        # Without any facts the answer is true.
        predicates_of_facts = self._used.keys() - {TYPE, FIRST, REST}
        return not predicates_of_facts or not predicates_of_facts.isdisjoint(predicates)


def _names_by_predicate(predicates: set[str]) -> dict[str, str]:
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for predicate in predicates:
        by_name[local_name(predicate)].add(predicate)
    return {
        predicate: name if len(sharing) == 1 else predicate
        for name, sharing in by_name.items()
        for predicate in sharing
    }
