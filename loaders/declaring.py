"""What the axioms of one file declare of classes and relations.

``_DECLARING`` is the whole of it: predicate → what is done with an axiom that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from trustuqa_neo4j.triples import ClassDeclared, Declared, RelationDeclared

from .axioms import (
    ANYTHING,
    COMMENTS,
    DOMAIN,
    OWL,
    RANGE,
    RDFS,
    SUB_CLASS,
    SUB_PROPERTY,
    Axioms,
    Unions,
    datatypes_clash,
)
from .naming_rdf import TYPE, Labels, Relations, rank
from .statements_rdf import Statement, is_blank

CONTRADICTION = "ranges that contradict each other are left out"


@dataclass(slots=True)
class _Class:
    """A class, others by their IRIs."""

    parents: dict[str, None] = field(default_factory=dict)
    disjoint: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Relation:
    """A relation, others by their IRIs; ``kinds`` has one set for each range of values."""

    domains: dict[tuple[str, ...], None] = field(default_factory=dict)
    ranges: dict[tuple[str, ...], Statement] = field(default_factory=dict)
    kinds: list[set[str]] = field(default_factory=list)
    to_nodes: Statement | None = None
    to_values: Statement | None = None
    inverses: dict[str, None] = field(default_factory=dict)
    parents: dict[str, None] = field(default_factory=dict)


class Declaring:
    """What the axioms of one file declare, once they are settled."""

    def __init__(self, axioms: Axioms) -> None:
        self._axioms = axioms
        self.classes: dict[str, _Class] = {}
        self.relations: dict[str, _Relation] = {}
        self.headers: set[str] = set()
        self._comments: dict[str, tuple[int, str]] = {}
        for axiom in axioms:
            declare = _DECLARING.get(axiom.predicate)
            if declare is not None:
                declare(self, axiom)
        for relation in self.relations.values():
            self._without_contradiction(relation)

    def comment(self, statement: Statement) -> None:
        """Keep what a note says of a term, in the best language."""
        if statement.predicate in COMMENTS and statement.is_text:
            found = rank(statement.language)
            if found < self._comments.get(statement.head, (99, ""))[0]:
                self._comments[statement.head] = (found, " ".join(statement.tail.split()))

    def items(self, relations: Relations, labels: Labels) -> Iterator[Declared]:
        """The declarations, by the names that ``relations`` and ``labels`` give."""

        def named(iris: Iterator[str] | dict[str, None] | tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(labels.term(iri)[0] for iri in iris))

        for iri, found in self.classes.items():
            name, others = labels.term(iri)
            parents = tuple(parent for parent in named(found.parents) if parent != name)
            comment = self._comments.get(iri, (0, ""))[1]
            yield ClassDeclared(name, parents, named(found.disjoint), others, comment)
        for iri, relation in self.relations.items():
            name = relations[iri]
            nodes, values = relation.to_nodes is not None, relation.to_values is not None
            yield RelationDeclared(
                name,
                domains=tuple(named(union) for union in relation.domains),
                ranges=tuple(named(union) for union in relation.ranges),
                values=None if nodes == values else values,
                datatypes=tuple(sorted({kind for kinds in relation.kinds for kind in kinds})),
                inverses=tuple(dict.fromkeys(relations[one] for one in relation.inverses)),
                parents=tuple(dict.fromkeys(relations[one] for one in relation.parents)),
                labels=tuple(text for text in labels.texts(iri) if text != name),
                comment=self._comments.get(iri, (0, ""))[1],
            )

    def typed(self, axiom: Statement) -> None:
        """A term that is said to be one."""
        head, kind = axiom.head, axiom.tail
        if kind in (f"{OWL}Class", f"{RDFS}Class"):
            self._class(head)
        elif kind == f"{OWL}Ontology":
            self.headers.add(head)
        elif kind == f"{OWL}AllDisjointClasses":
            self._all_disjoint(head)
        elif kind.endswith("Property") and not is_blank(head):
            relation = self._relation(head)
            if kind == f"{OWL}ObjectProperty":
                relation.to_nodes = axiom
            elif kind == f"{OWL}DatatypeProperty":
                relation.to_values = axiom
            elif kind == f"{OWL}SymmetricProperty":
                relation.inverses[head] = None

    def below(self, axiom: Statement) -> None:
        """A subclass and its parent."""
        self._below(axiom, axiom.head, axiom.tail)

    def equivalent(self, axiom: Statement) -> None:
        """Classes of which each is below the other."""
        if self._axioms.datatypes(axiom.head) is not None:
            return
        self._below(axiom, axiom.head, axiom.tail)
        if not is_blank(axiom.tail) or len(self._axioms.one_of(axiom, axiom.tail)) > 1:
            self._below(axiom, axiom.tail, axiom.head)

    def union(self, axiom: Statement) -> None:
        """A named class that is the union of others; the expression itself has no name."""
        if not is_blank(axiom.head) and self._axioms.datatypes(axiom.head) is None:
            for member in self._axioms.members(axiom, axiom.tail):
                self._below(axiom, member, axiom.head)

    def intersection(self, axiom: Statement) -> None:
        """A named class that is the intersection of others."""
        if not is_blank(axiom.head) and self._axioms.datatypes(axiom.head) is None:
            for member in self._axioms.members(axiom, axiom.tail):
                self._below(axiom, axiom.head, member)

    def disjoint_union(self, axiom: Statement) -> None:
        """A class that others share out among them."""
        self.union(axiom)
        self._disjoint(self._axioms.members(axiom, axiom.tail))

    def disjoint(self, axiom: Statement) -> None:
        """Two classes that have nothing in common."""
        self._disjoint([axiom.head, axiom.tail])

    def starts(self, axiom: Statement) -> None:
        """A relation's domain."""
        if not is_blank(axiom.head):
            relation = self._relation(axiom.head)
            relation.domains |= dict.fromkeys(self._known(self._axioms.unions(axiom, axiom.tail)))

    def leads(self, axiom: Statement) -> None:
        """A relation's range: of values, or of things."""
        if is_blank(axiom.head):
            return
        relation = self._relation(axiom.head)
        kinds = self._axioms.datatypes(axiom.tail)
        if kinds is not None:
            relation.to_values = axiom
            relation.kinds.append(kinds)
        elif axiom.tail != f"{RDFS}Resource":  # values are resources too
            relation.to_nodes = axiom
            for union in self._known(self._axioms.unions(axiom, axiom.tail)):
                relation.ranges[union] = axiom

    def inverse(self, axiom: Statement) -> None:
        """Two relations of which each leads the other's way back."""
        if self._both_named(axiom):
            self._relation(axiom.head).inverses[axiom.tail] = None
            self._relation(axiom.tail).inverses[axiom.head] = None

    def below_relation(self, axiom: Statement) -> None:
        """A relation that implies another."""
        if self._both_named(axiom) and axiom.head != axiom.tail:
            self._relation(axiom.head).parents[axiom.tail] = None
            self._relation(axiom.tail)

    def equivalent_relation(self, axiom: Statement) -> None:
        """Relations of which each implies the other."""
        self.below_relation(axiom)
        self.below_relation(axiom._replace(head=axiom.tail, tail=axiom.head))

    def _below(self, axiom: Statement, low: str, high: str) -> None:
        self._class(low)
        unions = self._known(self._axioms.unions(axiom, high))
        for below in self._axioms.one_of(axiom, low):
            if len(below) != 1 or len(below[0]) != 1:
                continue  # of what has no name nothing can be declared
            found = self._class(below[0][0])
            for union in unions:
                if len(union) > 1:
                    self._axioms.remark("a union as a parent is left out", axiom)
                elif found is not None and union != below[0]:
                    found.parents[union[0]] = None

    def _all_disjoint(self, node: str) -> None:
        for axiom in self._axioms.of(node):
            if axiom.predicate == f"{OWL}members":
                self._disjoint(self._axioms.members(axiom, axiom.tail))

    def _disjoint(self, iris: list[str]) -> None:
        named = [iri for iri in iris if not is_blank(iri) and iri not in ANYTHING]
        for one, other in combinations(dict.fromkeys(named), 2):
            for here, there in ((one, other), (other, one)):
                found = self._class(here)
                if found is not None:
                    found.disjoint[there] = None

    def _known(self, unions: Unions) -> Unions:
        for union in unions:
            for iri in union:
                self._class(iri)
        return unions

    def _class(self, iri: str) -> _Class | None:
        if is_blank(iri) or iri in ANYTHING or self._axioms.datatypes(iri) is not None:
            return None
        return self.classes.setdefault(iri, _Class())

    def _relation(self, iri: str) -> _Relation:
        return self.relations.setdefault(iri, _Relation())

    def _both_named(self, axiom: Statement) -> bool:
        named = not is_blank(axiom.head) and not is_blank(axiom.tail)
        if not named:
            self._axioms.remark("a relation without a name is left out", axiom)
        return named

    def _without_contradiction(self, relation: _Relation) -> None:
        """Ranges that nothing is in would make every fact of the relation wrong."""
        if relation.to_nodes is not None and relation.to_values is not None:
            self._axioms.remark(CONTRADICTION, relation.to_values)
            relation.ranges.clear()
            relation.kinds.clear()
        if datatypes_clash(relation.kinds) and relation.to_values is not None:
            self._axioms.remark(CONTRADICTION, relation.to_values)
            relation.kinds.clear()
        for one, other in combinations(tuple(relation.ranges), 2):
            if all(self._apart(here, there) for here in one for there in other):
                self._axioms.remark(CONTRADICTION, relation.ranges[other])
                relation.ranges.clear()
                break

    def _apart(self, one: str, other: str) -> bool:
        found = self.classes.get(one)
        return found is not None and other in found.disjoint


_DECLARING: dict[str, Callable[[Declaring, Statement], None]] = {
    TYPE: Declaring.typed,
    SUB_CLASS: Declaring.below,
    f"{OWL}equivalentClass": Declaring.equivalent,
    f"{OWL}unionOf": Declaring.union,
    f"{OWL}intersectionOf": Declaring.intersection,
    f"{OWL}disjointUnionOf": Declaring.disjoint_union,
    f"{OWL}disjointWith": Declaring.disjoint,
    f"{OWL}complementOf": Declaring.disjoint,
    DOMAIN: Declaring.starts,
    RANGE: Declaring.leads,
    f"{OWL}inverseOf": Declaring.inverse,
    SUB_PROPERTY: Declaring.below_relation,
    f"{OWL}equivalentProperty": Declaring.equivalent_relation,
}
