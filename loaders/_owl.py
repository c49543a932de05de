"""Ontologies in OWL and RDFS: from axioms to declarations of classes and relations.

``Axioms`` collects the axioms of one file, ``OntologyDeclarations`` makes declarations of them, and
``Ontologies`` does this for several files. A class expression becomes an intersection of unions of classes.
An axiom that has no such form, for example a restriction, is left out with a remark: an incomplete ontology
never makes a correct query wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TypeAlias

from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.model.facts import ClassDeclared, Declaration, Fact, RelationDeclared

from ._rdf import (
    FIRST,
    RDF,
    RDFS,
    REST,
    SKOS,
    TYPE,
    Labels,
    RdfStatement,
    RelationNames,
    is_blank,
    local_name,
    rank_language,
)

OWL = "http://www.w3.org/2002/07/owl#"
_XSD = "http://www.w3.org/2001/XMLSchema#"

_NIL = f"{RDF}nil"
_NO_LIST: tuple[str | None, str | None] = (None, None)
SUB_CLASS, SUB_PROPERTY = f"{RDFS}subClassOf", f"{RDFS}subPropertyOf"
DOMAIN, RANGE = f"{RDFS}domain", f"{RDFS}range"
_RDFS_AXIOMS = frozenset({SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE})
_INDIVIDUAL_PREDICATES = frozenset({f"{OWL}sameAs", f"{OWL}differentFrom"})
_RDF_DECLARING_TYPES = frozenset({f"{RDFS}Class", f"{RDFS}Datatype", f"{RDF}Property"})
UNIVERSAL_CLASSES = frozenset({f"{OWL}Thing", f"{RDFS}Resource"})
COMMENTS = frozenset({f"{RDFS}comment", f"{SKOS}definition"})
_ANNOTATIONS = COMMENTS | {f"{RDFS}isDefinedBy", f"{RDFS}seeAlso"}

_NUMBER = re.compile(
    "decimal|double|float|(?:non)?(?:positive|negative)?integer|(?:unsigned)?(?:long|int|short|byte)",
    re.IGNORECASE,
)
_DATE = re.compile("date(?:Time(?:Stamp)?)?|gYear(?:Month)?")
_TEXT_TYPES = frozenset({f"{RDF}langString", f"{RDF}PlainLiteral", f"{RDF}XMLLiteral"})

_MAX_DEPTH = 50
_MAX_UNIONS = 1000
"""Unions that an expression may expand to; unions of intersections of unions grow fast."""

Unions: TypeAlias = tuple[tuple[str, ...], ...]
"""Unions of classes; an instance is in each of the unions."""


def is_declaring_type(iri: str) -> bool:
    # A declaring type makes its node a class or relation, not an individual.
    return iri in _RDF_DECLARING_TYPES or (iri.startswith(OWL) and iri not in UNIVERSAL_CLASSES)


def value_type(iri: str) -> str | None:
    # ``date``, ``number``, ``text``, or empty for any literal; None: not a datatype.
    if iri.startswith(_XSD):
        name = iri[len(_XSD) :]
        return "number" if _NUMBER.fullmatch(name) else "date" if _DATE.fullmatch(name) else "text"
    if iri == f"{RDFS}Literal":
        return ""
    if iri in (f"{OWL}real", f"{OWL}rational"):
        return "number"
    return "text" if iri in _TEXT_TYPES else None


class Axioms:
    # Axioms come in any order and are connected by blank nodes, so all are collected first: add all
    # with ``note``, call ``find_parts``, then query.
    def __init__(self, file: File, options: ReadOptions) -> None:
        self._file = file
        self._options = options
        self._by_head: defaultdict[str, list[RdfStatement]] = defaultdict(list)
        self._lists: dict[str, tuple[str | None, str | None]] = {}
        self._parts: set[str] = set()

    def note(self, statement: RdfStatement) -> bool:
        # Also stores a list node that may belong to an axiom.
        _, head, predicate, tail, is_text, *_ = statement
        if _is_axiom(predicate, tail):
            self._by_head[head].append(statement)
            return True
        if predicate == FIRST:
            self._lists[head] = (tail, self._lists.get(head, _NO_LIST)[1])
        elif predicate == REST and not is_text:
            self._lists[head] = (self._lists.get(head, _NO_LIST)[0], tail)
        return False

    def find_parts(self) -> None:
        waiting = [head for head in self._by_head if is_blank(head)]
        for axioms in self._by_head.values():
            waiting += [a.tail for a in axioms if is_blank(a.tail) and not a.is_text]
        while waiting:
            node = waiting.pop()
            if node not in self._parts:
                self._parts.add(node)
                list_node = self._lists.get(node, ())
                waiting += [part for part in list_node if part is not None and is_blank(part)]

    def contains(self, statement: RdfStatement) -> bool:
        return _is_axiom(statement.predicate, statement.tail) or statement.head in self._parts

    def __iter__(self) -> Iterator[RdfStatement]:
        return (axiom for axioms in self._by_head.values() for axiom in axioms)

    def about(self, head: str) -> tuple[RdfStatement, ...]:
        return tuple(self._by_head.get(head, ()))

    def list_members(self, axiom: RdfStatement, node: str) -> list[str]:
        members: list[str] = []
        visited: set[str] = set()
        while node != _NIL:
            first, rest = self._lists.get(node, _NO_LIST)
            if first is None or rest is None or node in visited:
                self.remark("a list without an end is read as far as possible", axiom)
                break
            visited.add(node)
            members.append(first)
            node = rest
        return members

    def unions(self, axiom: RdfStatement, node: str, depth: int = 0) -> Unions:
        # Empty: it cannot be expressed. Remarks name ``axiom``, which contains the expression.
        if not is_blank(node):
            return () if node in UNIVERSAL_CLASSES else ((node,),)
        parts = {part.predicate: part for part in self.about(node)}
        union, intersection = parts.get(f"{OWL}unionOf"), parts.get(f"{OWL}intersectionOf")
        if depth > _MAX_DEPTH or (union is None and intersection is None):
            self.remark(_left_out_remark(parts), axiom)
            return ()
        members = self.list_members(axiom, (union or intersection or axiom).tail)
        expanded = [self.unions(axiom, member, depth + 1) for member in members]
        if union is None:
            return tuple(dict.fromkeys(classes for unions in expanded for classes in unions))
        return self._unite(axiom, expanded)

    def _unite(self, axiom: RdfStatement, members: list[Unions]) -> Unions:
        # For each choice of one union from each member, the union of the choice.
        count = 1
        for unions in members:
            count *= len(unions)
        if count > _MAX_UNIONS:
            self.remark("an expression of too many unions is left out", axiom)
            return ()
        united = (
            tuple(dict.fromkeys(iri for union in choice for iri in union))
            for choice in product(*members)
        )
        return tuple(dict.fromkeys(union for union in united if union))

    def alternatives(self, axiom: RdfStatement, node: str) -> list[Unions]:
        for part in self.about(node) if is_blank(node) else ():
            if part.predicate == f"{OWL}unionOf":
                return [
                    self.unions(axiom, member) for member in self.list_members(axiom, part.tail)
                ]
        return [self.unions(axiom, node)]

    def value_types(self, node: str, depth: int = 0) -> set[str] | None:
        # None: it is not a range of values.
        if not is_blank(node):
            known_type = value_type(node)
            if known_type is not None:
                return {known_type} - {""}
            return self._defined_value_types(node, depth) if self._is_datatype(node) else None
        return self._defined_value_types(node, depth)

    def _defined_value_types(self, node: str, depth: int) -> set[str] | None:
        if depth > _MAX_DEPTH:
            return None
        for part in self.about(node):
            name = part.predicate.removeprefix(OWL)
            if name in ("onDatatype", "onDataRange", "equivalentClass"):
                return self.value_types(part.tail, depth + 1)
            if name in ("unionOf", "intersectionOf"):
                members = self.list_members(part, part.tail)
                by_member = [self.value_types(member, depth + 1) for member in members]
                united: set[str] = set()
                for types in by_member:
                    if types is None:
                        return None
                    united |= types
                return united if by_member else None
        return set() if self._is_datatype(node) else None

    def _is_datatype(self, node: str) -> bool:
        return any(part.tail == f"{RDFS}Datatype" for part in self.about(node))

    def remark(self, what: str, axiom: RdfStatement) -> None:
        self._options.remark(what, f"{self._file.name}:{axiom.line}")


def are_disjoint_types(ranges: Iterable[set[str]]) -> bool:
    # An empty range is any literal.
    limited = [types for types in ranges if types]
    return bool(limited) and not set.intersection(*limited)


def _is_axiom(predicate: str, tail: str) -> bool:
    if predicate == TYPE:
        return is_declaring_type(tail)
    if predicate in _RDFS_AXIOMS:
        return True
    return predicate.startswith(OWL) and predicate not in _INDIVIDUAL_PREDICATES


def _left_out_remark(predicates: Iterable[str]) -> str:
    names = {iri.removeprefix(OWL) for iri in predicates}
    if "onProperty" in names:
        return "a restriction is not a named class and is left out"
    return "a class expression other than a union or an intersection is left out"


# Declarations from the axioms of one file.


CONTRADICTION = "ranges that contradict each other are left out"


@dataclass(slots=True)
class _ClassAxioms:
    # Each term with the line of its axiom.
    line: int
    parents: dict[str, int] = field(default_factory=dict)
    disjoint: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _RelationAxioms:
    line: int
    domains: dict[tuple[str, ...], int] = field(default_factory=dict)
    ranges: dict[tuple[str, ...], RdfStatement] = field(default_factory=dict)
    value_types: list[set[str]] = field(default_factory=list)
    to_nodes: RdfStatement | None = None
    to_values: RdfStatement | None = None
    inverses: dict[str, int] = field(default_factory=dict)
    parents: dict[str, int] = field(default_factory=dict)
    is_transitive: bool = False


KIND_OF, DOMAIN_OF, RANGE_OF, INVERSE_OF, DISJOINT_WITH = AXIOM_NAMES = (
    "kind of",
    "domain",
    "range",
    "inverse of",
    "disjoint with",
)
"""The relations by which declarations are asked for."""

DEFINITION = "definition"
"""The relation of comments; unlike the others, it keeps its name if facts of the data have it."""

CLASS, PROPERTY = "class", "property"
"""The types of declared classes and relations."""


class OntologyDeclarations:
    def __init__(self, axioms: Axioms) -> None:
        self._axioms = axioms
        self.classes: dict[str, _ClassAxioms] = {}
        self.relations: dict[str, _RelationAxioms] = {}
        self.ontology_iris: set[str] = set()
        self._comments: dict[str, tuple[int, str, int]] = {}
        self._line = 0
        for axiom in axioms:
            self._line = axiom.line
            handle = _AXIOM_HANDLERS.get(axiom.predicate)
            if handle is not None:
                handle(self, axiom)
        for relation in self.relations.values():
            self._remove_contradictions(relation)

    def add_comment(self, statement: RdfStatement) -> None:
        if statement.predicate in COMMENTS and statement.is_text:
            rank = rank_language(statement.language)
            if rank < self._comments.get(statement.head, (99, "", 0))[0]:
                text = " ".join(statement.tail.split())
                self._comments[statement.head] = (rank, text, statement.line)

    def declarations(self, relations: RelationNames, labels: Labels) -> Iterator[Declaration]:
        def class_names(iris: Iterable[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(labels.class_name(iri)[0] for iri in iris))

        def relation_names(iris: Iterable[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(relations[iri] for iri in iris))

        for iri, class_axioms in self.classes.items():
            name, other_names = labels.class_name(iri)
            parents = tuple(
                parent for parent in class_names(class_axioms.parents) if parent != name
            )
            disjoint = class_names(class_axioms.disjoint)
            yield ClassDeclared(name, parents, disjoint, other_names, self._comment(iri))
        for iri, relation in self.relations.items():
            name = relations[iri]
            to_nodes, to_values = relation.to_nodes is not None, relation.to_values is not None
            yield RelationDeclared(
                name,
                domains=tuple(class_names(union) for union in relation.domains),
                ranges=tuple(class_names(union) for union in relation.ranges),
                values=None if to_nodes == to_values else to_values,
                datatypes=tuple(sorted(set().union(*relation.value_types))),
                inverses=relation_names(relation.inverses),
                parents=relation_names(relation.parents),
                labels=tuple(text for text in labels.texts(iri) if text != name),
                comment=self._comment(iri),
                is_transitive=relation.is_transitive,
            )

    def _comment(self, iri: str) -> str:
        return self._comments.get(iri, (0, "", 0))[1]

    def facts(self) -> Iterator[Fact]:
        """Yield what is declared as facts, so that it can be asked for; ends are IRIs or texts.

        Of a union of classes each is named.
        """
        for iri, class_axioms in self.classes.items():
            yield Fact(iri, local_name(TYPE), CLASS, class_axioms.line)
            yield from _write_facts(iri, KIND_OF, class_axioms.parents)
            yield from _write_facts(iri, DISJOINT_WITH, class_axioms.disjoint)
        for iri, relation in self.relations.items():
            yield Fact(iri, local_name(TYPE), PROPERTY, relation.line)
            yield from _write_facts(iri, KIND_OF, relation.parents)
            yield from _write_facts(iri, INVERSE_OF, relation.inverses)
            for union, line in relation.domains.items():
                yield from _write_facts(iri, DOMAIN_OF, dict.fromkeys(union, line))
            for union, axiom in relation.ranges.items():
                yield from _write_facts(iri, RANGE_OF, dict.fromkeys(union, axiom.line))
            if relation.to_values is not None:
                kinds = sorted(set().union(*relation.value_types))
                yield from _write_facts(
                    iri, RANGE_OF, dict.fromkeys(kinds, relation.to_values.line)
                )
        for iri, (_, text, line) in self._comments.items():
            yield Fact(iri, DEFINITION, text, line)

    def add_type(self, axiom: RdfStatement) -> None:
        head, kind = axiom.head, axiom.tail
        if kind in (f"{OWL}Class", f"{RDFS}Class"):
            self._class(head)
        elif kind == f"{OWL}Ontology":
            self.ontology_iris.add(head)
        elif kind == f"{OWL}AllDisjointClasses":
            for part in self._axioms.about(head):
                if part.predicate == f"{OWL}members":
                    self._make_disjoint(self._axioms.list_members(part, part.tail))
        elif kind.endswith("Property") and not is_blank(head):
            self._add_property_type(axiom)

    def _add_property_type(self, axiom: RdfStatement) -> None:
        relation = self._relation(axiom.head)
        match axiom.tail.removeprefix(OWL):
            case "ObjectProperty":
                relation.to_nodes = axiom
            case "DatatypeProperty":
                relation.to_values = axiom
            case "SymmetricProperty":
                relation.inverses[axiom.head] = axiom.line
            case "TransitiveProperty":
                relation.is_transitive = True

    def add_subclass(self, axiom: RdfStatement) -> None:
        self._add_parent(axiom, axiom.head, axiom.tail)

    def add_equivalent_class(self, axiom: RdfStatement) -> None:
        if self._axioms.value_types(axiom.head) is not None:
            return
        self._add_parent(axiom, axiom.head, axiom.tail)
        if not is_blank(axiom.tail) or len(self._axioms.alternatives(axiom, axiom.tail)) > 1:
            self._add_parent(axiom, axiom.tail, axiom.head)

    def add_union(self, axiom: RdfStatement) -> None:
        # Only a named class: an expression itself has no name.
        if self._is_named_class(axiom.head):
            for member in self._axioms.list_members(axiom, axiom.tail):
                self._add_parent(axiom, member, axiom.head)

    def add_intersection(self, axiom: RdfStatement) -> None:
        if self._is_named_class(axiom.head):
            for member in self._axioms.list_members(axiom, axiom.tail):
                self._add_parent(axiom, axiom.head, member)

    def _is_named_class(self, node: str) -> bool:
        return not is_blank(node) and self._axioms.value_types(node) is None

    def add_disjoint_union(self, axiom: RdfStatement) -> None:
        self.add_union(axiom)
        self._make_disjoint(self._axioms.list_members(axiom, axiom.tail))

    def add_disjoint(self, axiom: RdfStatement) -> None:
        self._make_disjoint([axiom.head, axiom.tail])

    def add_domain(self, axiom: RdfStatement) -> None:
        if not is_blank(axiom.head):
            unions = self._add_classes(self._axioms.unions(axiom, axiom.tail))
            self._relation(axiom.head).domains |= dict.fromkeys(unions, axiom.line)

    def add_range(self, axiom: RdfStatement) -> None:
        if is_blank(axiom.head):
            return
        relation = self._relation(axiom.head)
        types = self._axioms.value_types(axiom.tail)
        if types is not None:
            relation.to_values = axiom
            relation.value_types.append(types)
        elif axiom.tail != f"{RDFS}Resource":  # values are resources too
            relation.to_nodes = axiom
            for union in self._add_classes(self._axioms.unions(axiom, axiom.tail)):
                relation.ranges[union] = axiom

    def add_inverse(self, axiom: RdfStatement) -> None:
        if self._are_both_named(axiom):
            self._relation(axiom.head).inverses[axiom.tail] = axiom.line
            self._relation(axiom.tail).inverses[axiom.head] = axiom.line

    def add_subproperty(self, axiom: RdfStatement) -> None:
        if self._are_both_named(axiom) and axiom.head != axiom.tail:
            self._relation(axiom.head).parents[axiom.tail] = axiom.line
            self._relation(axiom.tail)

    def add_equivalent_property(self, axiom: RdfStatement) -> None:
        self.add_subproperty(axiom)
        self.add_subproperty(axiom._replace(head=axiom.tail, tail=axiom.head))

    def _add_parent(self, axiom: RdfStatement, child: str, parent: str) -> None:
        self._class(child)
        parent_unions = self._add_classes(self._axioms.unions(axiom, parent))
        for child_unions in self._axioms.alternatives(axiom, child):
            if len(child_unions) != 1 or len(child_unions[0]) != 1:
                continue  # a class without a name cannot be declared
            class_axioms = self._class(child_unions[0][0])
            for union in parent_unions:
                first, *rest = union
                if rest:
                    self._axioms.remark("a union as a parent is left out", axiom)
                elif class_axioms is not None and union != child_unions[0]:
                    class_axioms.parents[first] = axiom.line

    def _make_disjoint(self, iris: list[str]) -> None:
        named = [iri for iri in iris if not is_blank(iri) and iri not in UNIVERSAL_CLASSES]
        for left, right in combinations(dict.fromkeys(named), 2):
            for iri, opposite in ((left, right), (right, left)):
                class_axioms = self._class(iri)
                if class_axioms is not None:
                    class_axioms.disjoint[opposite] = self._line

    def _add_classes(self, unions: Unions) -> Unions:
        for union in unions:
            for iri in union:
                self._class(iri)
        return unions

    def _class(self, iri: str) -> _ClassAxioms | None:
        # None: not a named class.
        if iri in UNIVERSAL_CLASSES or not self._is_named_class(iri):
            return None
        return self.classes.setdefault(iri, _ClassAxioms(self._line))

    def _relation(self, iri: str) -> _RelationAxioms:
        return self.relations.setdefault(iri, _RelationAxioms(self._line))

    def _are_both_named(self, axiom: RdfStatement) -> bool:
        are_named = not is_blank(axiom.head) and not is_blank(axiom.tail)
        if not are_named:
            self._axioms.remark("a relation without a name is left out", axiom)
        return are_named

    def _remove_contradictions(self, relation: _RelationAxioms) -> None:
        # A range that contains nothing would make every fact of the relation wrong.
        if relation.to_nodes is not None and relation.to_values is not None:
            self._axioms.remark(CONTRADICTION, relation.to_values)
            relation.ranges.clear()
            relation.value_types.clear()
        if are_disjoint_types(relation.value_types) and relation.to_values is not None:
            self._axioms.remark(CONTRADICTION, relation.to_values)
            relation.value_types.clear()
        for left, right in combinations(tuple(relation.ranges), 2):
            if all(self._are_disjoint(first, second) for first in left for second in right):
                self._axioms.remark(CONTRADICTION, relation.ranges[right])
                relation.ranges.clear()
                break

    def _are_disjoint(self, left: str, right: str) -> bool:
        class_axioms = self.classes.get(left)
        return class_axioms is not None and right in class_axioms.disjoint


def _write_facts(head: str, relation: str, tails: Mapping[str, int]) -> Iterator[Fact]:
    return (Fact(head, relation, tail, line) for tail, line in tails.items())


_AXIOM_HANDLERS: dict[str, Callable[[OntologyDeclarations, RdfStatement], None]] = {
    TYPE: OntologyDeclarations.add_type,
    SUB_CLASS: OntologyDeclarations.add_subclass,
    f"{OWL}equivalentClass": OntologyDeclarations.add_equivalent_class,
    f"{OWL}unionOf": OntologyDeclarations.add_union,
    f"{OWL}intersectionOf": OntologyDeclarations.add_intersection,
    f"{OWL}disjointUnionOf": OntologyDeclarations.add_disjoint_union,
    f"{OWL}disjointWith": OntologyDeclarations.add_disjoint,
    f"{OWL}complementOf": OntologyDeclarations.add_disjoint,
    DOMAIN: OntologyDeclarations.add_domain,
    RANGE: OntologyDeclarations.add_range,
    f"{OWL}inverseOf": OntologyDeclarations.add_inverse,
    SUB_PROPERTY: OntologyDeclarations.add_subproperty,
    f"{OWL}equivalentProperty": OntologyDeclarations.add_equivalent_property,
}


class Ontologies:
    """The ontologies of files that are loaded together share their terms.

    Statements about classes and relations are declarations; statements about anything else are facts.
    Ontologies are small and held in memory, facts are not.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._axioms: dict[File, Axioms] = {}
        self._declarations: dict[File, OntologyDeclarations] = {}
        self.classes: set[str] = set()
        self.relations: set[str] = set()
        self.classes_with_relatives: set[str] = set()
        self._ontology_iris: set[str] = set()

    def axioms(self, file: File) -> Axioms:
        return self._axioms.setdefault(file, Axioms(file, self._options))

    def finish_survey(self) -> None:
        for file, axioms in self._axioms.items():
            axioms.find_parts()
            declarations = self._declarations[file] = OntologyDeclarations(axioms)
            self.classes |= declarations.classes.keys()
            for iri, class_axioms in declarations.classes.items():
                if class_axioms.parents:
                    self.classes_with_relatives |= {iri, *class_axioms.parents}
            self.relations |= declarations.relations.keys()
            self._ontology_iris |= declarations.ontology_iris

    def is_declaration(self, file: File, statement: RdfStatement) -> bool:
        # Stores the comment of a note on a term.
        head = statement.head
        if self._axioms[file].contains(statement) or head in self._ontology_iris:
            return True
        # Notes on a class for people are not facts.
        is_note_on_class = head in self.classes and statement.predicate in _ANNOTATIONS
        if head in self.relations or is_note_on_class:
            self._declarations[file].add_comment(statement)
            return True
        return False

    def facts(self, file: File) -> Iterator[Fact]:
        return self._declarations[file].facts()

    def declarations(
        self, file: File, relations: RelationNames, labels: Labels
    ) -> Iterator[Declaration]:
        declarations = self._declarations[file]
        yield from declarations.declarations(relations, labels)
        if declarations.relations and not relations.are_used(declarations.relations):
            self._options.remark("no fact uses a relation that this file declares", file.name)
