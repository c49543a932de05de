"""R2RML mappings (W3C Recommendation, 27 September 2012): model, parser and repairs.

Main types: ``R2rmlMapping``, ``TriplesMap``, ``TermMap``. The parser reports all faults of a mapping before
any row is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NoReturn, TypeAlias

from trustuqa_neo4j.errors import UnreadableFile

from ._rdf import TYPE, RdfStatement, is_blank, local_name

RR = "http://www.w3.org/ns/r2rml#"

TermType: TypeAlias = Literal["iri", "blank", "literal"]

# The model: plain data.

_TEMPLATE_PART = re.compile(
    r"\\(?P<escaped>[\\{}])|\{(?P<column>(?:[^\\{}]|\\.)*)\}|(?P<text>[^\\{}]+)", re.DOTALL
)


class TemplateError(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Template:
    # There is one text more than columns.
    texts: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        # ``\{``, ``\}`` and ``\\`` are escapes.
        texts, columns, end = [""], [], 0
        for part in _TEMPLATE_PART.finditer(text):
            if part.start() != end:
                break
            end = part.end()
            column = part["column"]
            if column is None:
                texts[-1] += part["escaped"] or part["text"]
            elif not column.strip():
                raise TemplateError("braces without a column")
            else:
                columns.append(re.sub(r"\\(.)", r"\1", column))
                texts.append("")
        if end != len(text):
            raise TemplateError(f"an unpaired brace or backslash after {text[:end]!r}")
        if not columns:
            raise TemplateError("no column in braces")
        return cls(tuple(texts), tuple(columns))


@dataclass(frozen=True, slots=True)
class TermMap:
    """A constant, a column or a template that makes a term of a row. ``repair`` describes a change."""

    term_type: TermType
    line: int
    constant: str | None = None
    column: str | None = None
    template: Template | None = None
    language: str | None = None
    repair: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        if self.template is not None:
            return self.template.columns
        return () if self.column is None else (self.column,)


@dataclass(frozen=True, slots=True)
class ReferencingObjectMap:
    # ``joins`` are pairs of a child's and a parent's column. Without joins both rows are the same.
    parent: str
    line: int
    joins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PredicateObjectMap:
    predicates: tuple[TermMap, ...]
    objects: tuple[TermMap | ReferencingObjectMap, ...]


@dataclass(frozen=True, slots=True)
class LogicalTable:
    line: int
    table: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class TriplesMap:
    iri: str
    line: int
    logical_table: LogicalTable
    subject: TermMap
    classes: tuple[str, ...] = ()
    predicate_objects: tuple[PredicateObjectMap, ...] = ()
    has_graphs: bool = False

    @property
    def term_maps(self) -> Iterator[TermMap]:
        yield self.subject
        for pair in self.predicate_objects:
            yield from pair.predicates
            yield from (item for item in pair.objects if isinstance(item, TermMap))

    @property
    def references(self) -> Iterator[ReferencingObjectMap]:
        for pair in self.predicate_objects:
            yield from (item for item in pair.objects if isinstance(item, ReferencingObjectMap))


@dataclass(frozen=True, slots=True)
class R2rmlMapping:
    """``triples_maps`` are by IRI; ``base`` completes relative IRIs."""

    file: str
    triples_maps: dict[str, TriplesMap]
    base: str = ""


def unquote_identifier(name: str) -> str:
    stripped = name.strip()
    if len(stripped) > 1 and stripped[0] + stripped[-1] in ('""', "``", "[]"):
        closing = stripped[-1]
        return stripped[1:-1].replace(closing * 2, closing)
    return stripped


# The parser: RDF → mapping.

_TERM_TYPES: dict[str, TermType] = {
    f"{RR}IRI": "iri",
    f"{RR}BlankNode": "blank",
    f"{RR}Literal": "literal",
}
_MAP_PROPERTIES = {f"{RR}logicalTable", f"{RR}subjectMap", f"{RR}subject"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_HINT = "see the recommendation, https://www.w3.org/TR/r2rml/"


def is_mapping(statements: Sequence[RdfStatement]) -> bool:
    return any(
        statement.predicate in _MAP_PROPERTIES or _declares_triples_map(statement)
        for statement in statements
    )


def parse_mapping(file: str, statements: Sequence[RdfStatement], base: str) -> R2rmlMapping:
    return _MappingParser(file, statements).parse(base)


def _declares_triples_map(statement: RdfStatement) -> bool:
    return statement.predicate == TYPE and statement.tail == f"{RR}TriplesMap"


class _MappingParser:
    def __init__(self, file: str, statements: Sequence[RdfStatement]) -> None:
        self._file = file
        self._properties: defaultdict[str, defaultdict[str, list[RdfStatement]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for statement in statements:
            self._properties[statement.head][statement.predicate].append(statement)

    def parse(self, base: str) -> R2rmlMapping:
        triples_maps = {
            node: self._parse_triples_map(node)
            for node, properties in tuple(self._properties.items())
            if properties.keys() & _MAP_PROPERTIES
            or any(map(_declares_triples_map, properties.get(TYPE, ())))
        }
        for triples_map in triples_maps.values():
            for reference in triples_map.references:
                if reference.parent not in triples_maps:
                    what = f"the parent {_describe_node(reference.parent)} is not a triples map"
                    self._fail(what, reference.line)
        return R2rmlMapping(self._file, triples_maps, base)

    def _parse_triples_map(self, node: str) -> TriplesMap:
        line = min(item.line for items in self._properties[node].values() for item in items)
        what = f"the triples map {_describe_node(node)}"
        logical_table = self._get_single(node, "logicalTable", f"{what} has no logical table", line)
        subjects = self._parse_term_maps(node, "subject", "subjectMap")
        if len(subjects) != 1:
            self._fail(f"{what} has {len(subjects) or 'no'} subjects", line)
        if subjects[0].term_type == "literal":
            self._fail(f"{what} has literals as subjects", subjects[0].line)
        subject_map = next((item.tail for item in self._get(node, "subjectMap")), "")
        classes = self._get(subject_map, "class")
        for item in classes:
            if item.is_text or is_blank(item.tail):
                self._fail("the class is not an IRI", item.line)
        pairs = self._get(node, "predicateObjectMap")
        # Of all parts, since this also checks them.
        has_graph = [
            self._has_graph(part) for part in (subject_map, *(pair.tail for pair in pairs))
        ]
        return TriplesMap(
            node,
            line,
            self._parse_logical_table(logical_table),
            subjects[0],
            tuple(item.tail for item in classes),
            tuple(map(self._parse_predicate_object_map, pairs)),
            any(has_graph),
        )

    def _parse_logical_table(self, statement: RdfStatement) -> LogicalTable:
        node = statement.tail
        tables, queries = self._get(node, "tableName"), self._get(node, "sqlQuery")
        if len(tables) + len(queries) != 1 or not (tables + queries)[0].is_text:
            self._fail("a logical table needs one rr:tableName or one rr:sqlQuery", statement.line)
        if tables:
            return LogicalTable(tables[0].line, table=tables[0].tail)
        return LogicalTable(queries[0].line, query=queries[0].tail)

    def _parse_predicate_object_map(self, statement: RdfStatement) -> PredicateObjectMap:
        node = statement.tail
        predicates = self._parse_term_maps(node, "predicate", "predicateMap")
        for predicate in predicates:
            if predicate.term_type != "iri":
                self._fail("the predicate is not an IRI", predicate.line)
        objects: list[TermMap | ReferencingObjectMap] = [
            *map(_make_constant_map, self._get(node, "object"))
        ]
        for item in self._get(node, "objectMap"):
            parents = self._get(item.tail, "parentTriplesMap")
            objects.append(
                self._parse_reference(item, parents)
                if parents
                else self._parse_term_map(item, "object")
            )
        if not predicates or not objects:
            missing = "object" if predicates else "predicate"
            self._fail(f"a predicate-object map without {missing}", statement.line)
        return PredicateObjectMap(tuple(predicates), tuple(objects))

    def _parse_reference(
        self, statement: RdfStatement, parents: Sequence[RdfStatement]
    ) -> ReferencingObjectMap:
        joins = []
        for item in self._get(statement.tail, "joinCondition"):
            child = self._get_single(item.tail, "child", "a join without rr:child", item.line)
            parent = self._get_single(item.tail, "parent", "a join without rr:parent", item.line)
            joins.append((child.tail, parent.tail))
        if len(parents) > 1:
            self._fail("an object map with several rr:parentTriplesMap", statement.line)
        return ReferencingObjectMap(parents[0].tail, parents[0].line, tuple(joins))

    def _parse_term_maps(self, node: str, shortcut: str, name: str) -> list[TermMap]:
        # Constants have the shortcut property, other term maps the property ``name``.
        return [
            *map(_make_constant_map, self._get(node, shortcut)),
            *(self._parse_term_map(item, shortcut) for item in self._get(node, name)),
        ]

    def _parse_term_map(self, statement: RdfStatement, role: str) -> TermMap:
        node = statement.tail
        sources = [
            item for name in ("constant", "column", "template") for item in self._get(node, name)
        ]
        if len(sources) != 1:
            what = f"{role} map needs one rr:constant, rr:column or rr:template"
            self._fail(what, statement.line)
        (source,) = sources
        if source.predicate == f"{RR}constant":
            return _make_constant_map(source)
        languages, datatypes = self._get(node, "language"), self._get(node, "datatype")
        for item in languages:
            if not _LANGUAGE.fullmatch(item.tail):
                self._fail(f"{item.tail!r} is not a language tag", item.line)
        is_column = source.predicate == f"{RR}column"
        is_literal = role == "object" and (is_column or bool(languages or datatypes))
        term_type: TermType = "literal" if is_literal else "iri"
        for item in self._get(node, "termType"):
            if item.tail not in _TERM_TYPES or (role != "object" and item.tail == f"{RR}Literal"):
                self._fail(f"{role} map with the term type {_describe_node(item.tail)}", item.line)
            term_type = _TERM_TYPES[item.tail]
        return TermMap(
            term_type,
            source.line,
            column=source.tail if is_column else None,
            template=None if is_column else self._parse_template(source),
            language=languages[0].tail if languages else None,
        )

    def _parse_template(self, statement: RdfStatement) -> Template:
        try:
            return Template.parse(statement.tail)
        except TemplateError as error:
            self._fail(f"{error} in the template {statement.tail!r}", statement.line)

    def _has_graph(self, node: str) -> bool:
        # The default graph does not count.
        graphs = self._parse_term_maps(node, "graph", "graphMap")
        for graph in graphs:
            if graph.term_type != "iri":
                self._fail("the graph is not an IRI", graph.line)
        return any(graph.constant != f"{RR}defaultGraph" for graph in graphs)

    def _get(self, node: str, name: str) -> list[RdfStatement]:
        return self._properties[node][RR + name] if node in self._properties else []

    def _get_single(self, node: str, name: str, if_missing: str, line: int) -> RdfStatement:
        items = self._get(node, name)
        if len(items) != 1:
            what = f"several rr:{name}, but only one is allowed" if items else if_missing
            self._fail(what, line)
        return items[0]

    def _fail(self, what: str, line: int) -> NoReturn:
        raise UnreadableFile(what, where=f"{self._file}:{line}", hint=_HINT)


def _make_constant_map(statement: RdfStatement) -> TermMap:
    kind: TermType = (
        "literal" if statement.is_text else "blank" if is_blank(statement.tail) else "iri"
    )
    return TermMap(kind, statement.line, constant=statement.tail, language=statement.language)


def _describe_node(node: str) -> str:
    return "without a name" if is_blank(node) else repr(local_name(node))


# Repairs of mappings; ``docs/formats/r2rml.md`` lists them. A repair adds no meaning: it unifies what can
# only have been meant to be the same.

_SEPARATORS = re.compile(r"[-_.~]|%20")


def unify_template_spelling(mapping: R2rmlMapping) -> R2rmlMapping:
    # Some mappings spell a template differently only in separators or case. The right spelling is
    # the one of subjects with a class or, if no such template has a class, of subjects. Where
    # several spellings qualify, nothing is changed.
    variants: defaultdict[object, dict[Template, None]] = defaultdict(dict)
    for triples_map in mapping.triples_maps.values():
        for term_map in triples_map.term_maps:
            template = term_map.template
            if template is not None and term_map.term_type != "literal":
                variants[_normalize_template(template)][template] = None
    triples_maps = mapping.triples_maps.values()
    subjects = {triples_map.subject.template for triples_map in triples_maps}
    with_class = {item.subject.template for item in triples_maps if item.classes}
    spellings: dict[Template, Template] = {}
    for templates in variants.values():
        candidates = [template for template in templates if template in with_class] or [
            template for template in templates if template in subjects
        ]
        if len({template.texts for template in candidates}) == 1:
            right = candidates[0]
            spellings |= {item: right for item in templates if item.texts != right.texts}
    return _replace_templates(mapping, spellings)


REPAIRS: tuple[Callable[[R2rmlMapping], R2rmlMapping], ...] = (unify_template_spelling,)
"""All repairs, in their order."""


def _normalize_template(template: Template) -> object:
    texts = tuple(_SEPARATORS.sub("", text).casefold() for text in template.texts)
    return texts, tuple(unquote_identifier(column).casefold() for column in template.columns)


def _replace_templates(mapping: R2rmlMapping, spellings: dict[Template, Template]) -> R2rmlMapping:
    def repair_term(term_map: TermMap) -> TermMap:
        template = term_map.template
        if template is None or template not in spellings or term_map.term_type == "literal":
            return term_map
        right = spellings[template]
        what = f"{_shorten_template(template)} is read as {_shorten_template(right)}"
        # The columns keep their spelling: another table may write them in another way.
        return replace(
            term_map,
            template=replace(template, texts=right.texts),
            repair=f"{what}, which differs only in spelling",
        )

    def repair_pair(pair: PredicateObjectMap) -> PredicateObjectMap:
        return PredicateObjectMap(
            tuple(map(repair_term, pair.predicates)),
            tuple(
                repair_term(item) if isinstance(item, TermMap) else item for item in pair.objects
            ),
        )

    triples_maps = {
        iri: replace(
            triples_map,
            subject=repair_term(triples_map.subject),
            predicate_objects=tuple(map(repair_pair, triples_map.predicate_objects)),
        )
        for iri, triples_map in mapping.triples_maps.items()
    }
    return replace(mapping, triples_maps=triples_maps)


def _shorten_template(template: Template) -> str:
    # Without what comes before the last slash of its first text.
    start = template.texts[0].rpartition("/")[2]
    pairs = zip(template.columns, template.texts[1:], strict=True)
    return start + "".join(f"{{{column}}}{text}" for column, text in pairs)
