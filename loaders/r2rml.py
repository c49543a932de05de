"""Format ``r2rml``: a relational database as the graph that an R2RML mapping makes of it.

The available R2RML engines turn NULL into the text "None", lose types and know no line of a fact; hence our
own. The modules of the extra ``sql`` are imported when a file is read, so that other formats work without
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trustuqa_neo4j.errors import UsageError, require_extra
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared

from . import _inputs
from ._inputs import DATABASE_SUFFIXES, TABLE_DEFINITIONS, FileFilter
from ._owl import Ontologies
from ._r2rml_mapping import REPAIRS, R2rmlMapping, TermMap, is_mapping, parse_mapping
from ._rdf import (
    LABELS,
    MAPPING_SUFFIX,
    BaseIri,
    Labels,
    RdfStatement,
    RelationNames,
    has_rdf_suffix,
    is_blank,
    is_label,
    local_name,
    read_statements,
)
from ._triples import no_fact_error

if TYPE_CHECKING:
    from ._r2rml_triples import MappedTriple, TripleGenerator

_NO_BASE = "mapping:/"
"""Base of a mapping that declares none; its relative IRIs then stay relative."""

_DATA_SUFFIXES = (".csv", ".tsv", *DATABASE_SUFFIXES, *TABLE_DEFINITIONS)
_HINT = "give MAPPING.ttl, the data (an address, a database file, or CSV files) and any ontology"


@dataclass(frozen=True, slots=True)
class _Inputs:
    mapping: R2rmlMapping
    ontologies: dict[File, list[RdfStatement]]
    data: list[File]


def read(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    # The declarations of the ontologies follow the triples.
    inputs = _classify_files(files, options)
    with require_extra("formats", "databases need"):
        from ._databases import open_database
        from ._r2rml_triples import LogicalTables, TripleGenerator
    mapping = inputs.mapping
    for repair in REPAIRS:
        mapping = repair(mapping)
    with open_database(inputs.data, options) as database:
        tables = LogicalTables(database, mapping.file, options)
        triples = TripleGenerator(mapping, tables, options)
        triples.check()
        yield from _MappedItems(mapping, inputs.ontologies, options).make_items(triples)


def expand(folder: Path) -> Sequence[Path]:
    return _inputs.list_files(folder, FileFilter(_is_input, "file of a mapping or of data", _HINT))


def _classify_files(files: Sequence[File], options: ReadOptions) -> _Inputs:
    mappings: list[R2rmlMapping] = []
    ontologies: dict[File, list[RdfStatement]] = {}
    data = []
    for file in files:
        if file.address is not None or not _is_rdf_file(file.name):
            data.append(file)
            continue
        base = BaseIri(_NO_BASE)
        statements = list(read_statements(file, options, base))
        if is_mapping(statements):
            declared_base = base.iri if base.iri and base.iri != _NO_BASE else ""
            mappings.append(parse_mapping(file.name, statements, declared_base))
        else:
            ontologies[file] = statements
    if len(mappings) != 1:
        what = "several mappings" if mappings else "none of the files is an R2RML mapping"
        names = [mapping.file for mapping in mappings] or [file.name for file in files][:5]
        raise UsageError(what, where=", ".join(names), hint=_HINT)
    if not data:
        raise UsageError("a mapping without data", where=mappings[0].file, hint=_HINT)
    return _Inputs(mappings[0], ontologies, data)


def _is_rdf_file(name: str) -> bool:
    return has_rdf_suffix(name) or name.lower().removesuffix(".gz").endswith(MAPPING_SUFFIX)


def _is_input(name: str) -> bool:
    return _is_rdf_file(name) or name.lower().removesuffix(".gz").endswith(_DATA_SUFFIXES)


class _MappedItems:
    def __init__(
        self,
        mapping: R2rmlMapping,
        ontologies: dict[File, list[RdfStatement]],
        options: ReadOptions,
    ) -> None:
        self._mapping = mapping
        self._statements = ontologies
        self._options = options
        self._labels = Labels()
        self._ontologies = Ontologies(options)
        self._nodes: set[str] = set()
        for file, statements in ontologies.items():
            axioms = self._ontologies.axioms(file)
            for statement in statements:
                if is_label(statement):
                    self._labels.add(statement)
                else:
                    axioms.note(statement)
        self._ontologies.finish_survey()
        triples_maps = mapping.triples_maps.values()
        self._classes = {iri for item in triples_maps for iri in item.classes}
        self._classes |= self._ontologies.classes
        self._constants = {
            term_map.constant for item in triples_maps for term_map in item.term_maps
        } - {None}

    def make_items(self, triples: TripleGenerator) -> Iterator[Item]:
        relations = RelationNames(self._collect_predicates(triples), self._ontologies.relations)
        file = self._mapping.file
        yield self._options.part(self._mapping.file, file, "kg")
        has_facts = False
        for triple in triples:
            statement = triple.statement
            if is_label(statement):
                continue
            if not statement.tail.strip():
                where = f"{triple.file}:{statement.line}"
                self._options.remark("empty text, skipped", where)
                continue
            if triple.file != file:
                file = triple.file
                yield self._options.part(self._mapping.file, file, "kg")
            yield from self._make_fact_items(triple, relations)
            has_facts = True
        if not has_facts:
            raise no_fact_error(File(Path(), self._mapping.file))
        yield from self._read_declarations(relations)

    def _collect_predicates(self, triples: TripleGenerator) -> set[str]:
        # Predicates and labels are needed before the first fact.
        silent_triples = triples.without_reports()
        predicates = set()
        for triples_map in self._mapping.triples_maps.values():
            for pair in triples_map.predicate_objects:
                predicates |= {item.constant for item in pair.predicates if item.constant}
            for triple in silent_triples.map_rows(triples_map, _may_be_label):
                if is_label(triple.statement):
                    self._labels.add(triple.statement)
                else:
                    predicates.add(triple.statement.predicate)
        return predicates - LABELS

    def _make_fact_items(self, triple: MappedTriple, relations: RelationNames) -> Iterator[Item]:
        line, head, predicate, tail, is_text, *_ = triple.statement
        if triple.repair:
            self._options.remark(triple.repair, f"{triple.file}:{line}")
        for key in (head,) if is_text else (head, tail):
            if key not in self._nodes:
                self._nodes.add(key)
                yield self._declare_node(key)
        yield Fact(head, relations[predicate], tail, line)

    def _declare_node(self, key: str) -> NodeDeclared:
        # IRIs made of rows are ids without a name; IRIs written in the mapping have a name.
        if key in self._classes:
            return NodeDeclared(key, *self._labels.class_name(key))
        if self._labels.texts(key):
            return NodeDeclared(key, *self._labels.node_name(key))
        has_name = key in self._constants and not is_blank(key)
        return NodeDeclared(key, local_name(key) if has_name else None)

    def _read_declarations(self, relations: RelationNames) -> Iterator[Item]:
        # A class without members of its own has those of its subclasses.
        for iri in sorted(self._ontologies.classes_with_relatives - self._nodes):
            yield self._declare_node(iri)
        for file, statements in self._statements.items():
            for statement in statements:
                if not is_label(statement) and not self._ontologies.is_declaration(file, statement):
                    what = "ontology statements about individuals are skipped"
                    self._options.remark(what, f"{file.name}:{statement.line}")
            yield self._options.part(self._mapping.file, file.name, "kg")
            yield from self._ontologies.declarations(file, relations, self._labels)


def _may_be_label(predicate: TermMap) -> bool:
    return predicate.constant is None or predicate.constant in LABELS


LOADER = Loader(
    name="r2rml",
    summary="a relational database as an R2RML mapping (.ttl, .r2rml) makes a graph of it; .csv too",
    kind="kg",
    read=read,
    expand=expand,
    addresses=True,
    suffixes=(MAPPING_SUFFIX,),
    reads=frozenset(),
    companions=frozenset({"table", "rdf", "sql"}),
)
