"""``rdf``: RDF in all written formats, ontologies included.

``kg`` reads the axioms of an ontology as facts. Here axioms declare classes and relations, and queries are
checked against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, RelationDeclared, SourceStart

from . import _inputs
from ._inputs import FileFilter
from ._owl import AXIOM_NAMES, DISJOINT_WITH, INVERSE_OF, KIND_OF, Ontologies
from ._rdf import (
    SUFFIX_HINT,
    SUFFIXES,
    TYPE,
    Labels,
    LiteralKinds,
    RdfStatement,
    RelationNames,
    has_rdf_suffix,
    is_identifier,
    is_label,
    local_name,
    normalize_class_name,
    read_statements,
)
from ._text import without_reports
from ._triples import no_fact_error

_RDF_FILES = FileFilter(has_rdf_suffix, "file of RDF", SUFFIX_HINT)


class RdfGraphs:
    """RDF files that are loaded together: a label in one file names its node in all files. IRIs are keys.

    A label may follow the facts of its node, or be in another file, but the loader needs it before the
    first fact. So each file is read twice; only labels, keys and axioms are held in memory. A load that
    renames nodes later (the alternative) could not be resumed.
    """

    def __init__(
        self, files: Sequence[File], options: ReadOptions, with_ontologies: bool = False
    ) -> None:
        # With ``with_ontologies`` axioms are declarations.
        self._options = options
        self._file_count = len(files)
        self._labels = Labels()
        self._files_with_labels: set[File] = set()
        self._class_names: set[str] = set()
        self._declared_nodes: set[str] = set()
        self._ontologies = Ontologies(options) if with_ontologies else None
        self._literals = LiteralKinds()
        predicates: set[str] = set()
        for file in files:
            predicates |= self._survey(file)
        declared: set[str] = set()
        if self._ontologies is not None:
            self._ontologies.finish_survey()
            declared = self._ontologies.relations
        self._relations = RelationNames(predicates, declared)
        self._literals.remark_mixed(self._relations, options)

    def _survey(self, file: File) -> set[str]:
        axioms = None if self._ontologies is None else self._ontologies.axioms(file)
        predicates: set[str] = set()
        for statement in read_statements(file, without_reports(self._options)):
            if is_label(statement):
                self._labels.add(statement)
                self._files_with_labels.add(file)
            elif axioms is None or not axioms.note(statement):
                predicates.add(statement.predicate)
                self._literals.add(statement, file)
                if statement.predicate == TYPE:
                    self._class_names.add(normalize_class_name(local_name(statement.tail)))
        return predicates

    def start(self, file: File) -> SourceStart:
        """The start of ``file``, with the readings of relations whose datatypes decide their values."""
        start = self._options.part(file.name, file.name, "kg")
        readings = self._literals.readings(self._relations, self._options.values)
        return start._replace(readings=readings)

    def items(self, file: File) -> Iterator[Item]:
        # Each node comes before its first fact, and declarations come last.
        is_empty = True
        for statement in read_statements(file, self._options):
            if is_label(statement) or self._is_declaration(file, statement):
                continue
            line, head, predicate, tail, is_text, *_ = statement
            if not tail.strip():
                self._options.remark("empty text, skipped", f"{file.name}:{line}")
                continue
            if head not in self._declared_nodes:
                yield self._declare_node(head)
            if not is_text and tail not in self._declared_nodes:
                yield self._declare_node(tail)
            is_empty = False
            yield Fact(head, self._relations[predicate], tail, line)
        if self._ontologies is not None:
            # A class without members of its own has those of its subclasses.
            for iri in sorted(self._ontologies.classes_with_relatives - self._declared_nodes):
                yield self._declare_node(iri)
            for declaration in self._ontologies.declarations(file, self._relations, self._labels):
                is_empty = False
                yield declaration
            yield from self._axiom_facts(file, self._ontologies)
        # A file of labels alone is useful to the other files.
        if is_empty and not (self._file_count > 1 and file in self._files_with_labels):
            raise no_fact_error(file)

    def _axiom_facts(self, file: File, ontologies: Ontologies) -> Iterator[Item]:
        """Yield the declarations as facts, in relations that no fact of the data has."""
        facts = [*ontologies.facts(file)]
        if not facts:
            return
        names = {name: self._relations.name_axiom(name) for name in AXIOM_NAMES}
        yield RelationDeclared(names[KIND_OF], is_transitive=True)
        for name in (INVERSE_OF, DISJOINT_WITH):
            yield RelationDeclared(names[name], inverses=(names[name],))
        terms = ontologies.classes | ontologies.relations
        for head, relation, tail, line, *_ in facts:
            for term in sorted(terms & {head, tail} - self._declared_nodes):
                yield self._declare_node(term)
            yield Fact(head, names.get(relation, relation), tail, line)

    def _is_declaration(self, file: File, statement: RdfStatement) -> bool:
        return self._ontologies is not None and self._ontologies.is_declaration(file, statement)

    def _declare_node(self, key: str) -> NodeDeclared:
        self._declared_nodes.add(key)
        if self._ontologies is not None and key in self._ontologies.classes:
            return NodeDeclared(key, *self._labels.class_name(key))
        name, aliases = self._labels.node_name(key)
        if name is not None and key not in self._labels and is_identifier(name, self._class_names):
            return NodeDeclared(key, None, (name,))
        return NodeDeclared(key, name, aliases)


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    graphs = RdfGraphs(files, options, with_ontologies=True)
    for file in files:
        yield graphs.start(file)
        yield from graphs.items(file)


def expand_folder(folder: Path) -> Sequence[Path]:
    return _inputs.list_files(folder, _RDF_FILES)


LOADER = Loader(
    name="rdf",
    summary="RDF and ontologies: N-Triples, N-Quads, Turtle, TriG, RDF/XML (.owl), JSON-LD; .gz too",
    kind="kg",
    read=read_items,
    expand=expand_folder,
    aliases=("turtle", "ttl", "n-triples", "nt", "n-quads", "nq", "trig", "owl", "jsonld"),
    suffixes=SUFFIXES,
    reads=frozenset({"r2rml"}),
)
