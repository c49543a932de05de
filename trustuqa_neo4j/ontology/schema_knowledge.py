"""Declared and observed domains and ranges of one dataset; the rules of validation ask it.

If both ends of a join are declared, the declarations decide, unless the data has a common node. Otherwise
the data decides: a join of ends without a common node is empty. So validation never refuses a query that
has a result because of the data, nor because of declarations that the data keeps to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ..matching import normalize_name, suggest_names
from .entailment import Entailments
from .join_statistics import EndRole, JoinStatistics, RelationEnd, count_joins
from .ontology import ClassUnion, Ontology

TYPE = "type"  # The folded name of the relation that leads to classes.
_MOST = 0.9  # a share of nodes or facts that counts as nearly all
_RARE = 0.01  # a share of the smaller end; of the larger end, a tenth of it
_MIN_NODES_FOR_SHARES = 50
_MAX_UNION = 5  # classes that are listed for one relation
_CACHED_UNIONS = 256  # the compatible classes of a union can be very many


class DeclaredEnds:
    """The classes that are declared for relation ends.

    To list the relations that fit an end, it first collects all compatible classes and finds the relations
    by these. To compare the end with each of thousands of relations would take a quarter of a second.
    """

    def __init__(self, ontology: Ontology, joins: JoinStatistics) -> None:
        self._ontology = ontology
        self._joins = joins
        self._compatible_classes = lru_cache(_CACHED_UNIONS)(self._find_compatible_classes)

    def are_disjoint(self, first: RelationEnd, second: RelationEnd) -> bool | None:
        """Return whether nothing can be at both ends; None unless both are declared."""
        has_values = self.has_values(first), self.has_values(second)
        if True in has_values:
            return None if None in has_values else has_values[0] != has_values[1]
        unions, partners = self.class_unions(first), self.class_unions(second)
        if not unions or not partners:
            return None
        return any(
            self._are_unions_disjoint(union, partner) for union in unions for partner in partners
        )

    def _are_unions_disjoint(self, first: ClassUnion, second: ClassUnion) -> bool:
        return all(
            self._ontology.are_disjoint(name, partner, self._share_members)
            for name in first
            for partner in second
        )

    def _share_members(self, first: str, second: str) -> bool:
        ends = RelationEnd("class", first), RelationEnd("class", second)
        return self._joins.count_shared(*ends) > 0

    def has_values(self, end: RelationEnd) -> bool | None:
        """Return whether values (True) or nodes (False) are at an end; None if nothing is declared."""
        if end.role == "class":
            return False if end.name in self._ontology.classes else None
        declared = self._ontology.relations.get(end.name)
        if declared is None:
            return None
        if end.role == "start":
            return False
        if declared.values is None:
            return False if declared.ranges else None
        return declared.values

    def class_unions(self, end: RelationEnd) -> tuple[ClassUnion, ...]:
        if end.role == "class":
            return ((end.name,),) if end.name in self._ontology.classes else ()
        if end.role == "start":
            return self._ontology.domains(end.name)
        return self._ontology.ranges(end.name)

    def compatible_relations(self, end: RelationEnd, role: EndRole) -> Iterable[str]:
        """Return each relation of which a node can be both at ``end`` and in this role."""
        if self.has_values(end):
            return self._relations_to_values if role == "end" else ()
        unions = self.class_unions(end)
        if not unions:
            return ()
        class_sets = [self._compatible_classes(union) for union in unions]
        by_class = self._relations_by_class[role]
        first = class_sets[0]
        keys = by_class.keys() if first is None else (*(first & by_class.keys()), "")
        candidates = (name for key in keys for name in by_class.get(key, ()))
        return (
            name
            for name in dict.fromkeys(candidates)
            if all(
                self._can_be_in_all(classes, self.class_unions(RelationEnd(role, name)))
                for classes in class_sets
            )
        )

    def _can_be_in_all(self, classes: Set[str] | None, unions: Sequence[ClassUnion]) -> bool:
        """Return whether a member of one of the classes (None: any class) can be in each union."""
        return classes is None or all(
            any(name in classes or name not in self._ontology.classes for name in union)
            for union in unions
        )

    def _find_compatible_classes(self, union: ClassUnion) -> Set[str] | None:
        """Return the declared classes that a member of the union can have; None if any."""
        compatible: set[str] = set()
        for name in union:
            if name not in self._ontology.classes:
                return None
            compatible |= self._ontology.compatible_classes(name)
            joined = self._joins.joined_ends(RelationEnd("class", name), "class")
            compatible |= {end.name for end in joined}
        return compatible

    @cached_property
    def _relations_to_values(self) -> tuple[str, ...]:
        relations = self._ontology.relations
        return tuple(name for name in relations if self.has_values(RelationEnd("end", name)))

    @cached_property
    def _relations_by_class(self) -> dict[EndRole, dict[str, list[str]]]:
        """Role → class in the first declared union → relations between nodes.

        All undeclared classes have the empty name here: they are compatible with every class.
        """
        index: dict[EndRole, dict[str, list[str]]] = {"start": {}, "end": {}}
        for role, by_class in index.items():
            for name in self._ontology.relations:
                end = RelationEnd(role, name)
                unions = self.class_unions(end)
                if unions and not self.has_values(end):
                    for class_name in unions[0]:
                        key = class_name if class_name in self._ontology.classes else ""
                        by_class.setdefault(key, []).append(name)
        return index


@dataclass(frozen=True, slots=True)
class TailStatistics:
    """The number of a relation's facts in graphs; of those that lead to numbers, dates, or either."""

    facts: int = 0
    numbers: int = 0
    dates: int = 0
    values: int = 0


@dataclass
class SchemaKnowledge:
    """Classes and relations of a dataset; ``relations`` are those with facts in graphs."""

    ontology: Ontology = field(default_factory=Ontology)
    joins: JoinStatistics = field(default_factory=lambda: count_joins(()))
    relations: Mapping[str, TailStatistics] = field(default_factory=dict)
    _observed_classes: dict[RelationEnd, tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def classes(self) -> tuple[str, ...]:
        observed = {end.name for end in self.joins.ends if end.role == "class"}
        return tuple(sorted(observed | self.ontology.classes.keys()))

    @cached_property
    def entailments(self) -> Entailments:
        return Entailments(self.ontology)

    @cached_property
    def _relation_names(self) -> dict[str, str]:
        """Folded name or label → relation; a name comes before a label."""
        declared = self.ontology.relations.items()
        by_label = {
            normalize_name(label): name for name, relation in declared for label in relation.labels
        }
        return by_label | {
            normalize_name(name): name for name in (*self.ontology.relations, *self.relations)
        }

    @cached_property
    def _class_names(self) -> dict[str, str]:
        declared = self.ontology.classes.items()
        by_label = {normalize_name(label): name for name, cls in declared for label in cls.labels}
        return by_label | {normalize_name(name): name for name in self.classes}

    @cached_property
    def _declared(self) -> DeclaredEnds:
        return DeclaredEnds(self.ontology, self.joins)

    def find_relation(self, name: str) -> str | None:
        if name in self.relations or name in self.ontology.relations:
            return name
        return self._relation_names.get(normalize_name(name))

    def find_declared_relation(self, name: str) -> str | None:
        relation = self.find_relation(name)
        return relation if relation in self.ontology.relations else None

    def find_class(self, name: str) -> str | None:
        if name in self.ontology.classes or RelationEnd("class", name) in self.joins.ends:
            return name
        return self._class_names.get(normalize_name(name))

    def suggest_classes(self, name: str) -> list[str]:
        return suggest_names(name, self.classes)

    def is_impossible_join(self, first: RelationEnd, second: RelationEnd) -> bool:
        if first == second or self.joins.count_shared(first, second):
            return False
        are_disjoint = self._declared.are_disjoint(first, second)
        if are_disjoint is not None:
            return are_disjoint
        if not (self.joins.count_nodes(first) and self.joins.count_nodes(second)):
            return False
        if self.has_values(first) and self.has_values(second):
            # Two relations can lead to the same values by their kind, even if these never coincide.
            return self._value_kind(first) != self._value_kind(second)
        return set(self.observed_classes(first)).isdisjoint(self.observed_classes(second))

    def is_possible_join(self, first: RelationEnd, second: RelationEnd) -> bool:
        """Return whether a node is at both ends; without data, whether the declarations allow it."""
        if self.joins.count_nodes(first) and self.joins.count_nodes(second):
            return self.joins.count_shared(first, second) > 0
        return self._declared.are_disjoint(first, second) is False

    def count_rare_matches(self, first: RelationEnd, second: RelationEnd) -> int:
        """Count the common nodes if they are few enough to be coincidences of names; else return 0."""
        if first == second or self._declared.are_disjoint(first, second) is not None:
            return 0
        smaller, larger = sorted((self.joins.count_nodes(first), self.joins.count_nodes(second)))
        if smaller < _MIN_NODES_FOR_SHARES:
            return 0
        shared = self.joins.count_shared(first, second)
        return shared if shared <= _RARE * smaller or shared <= _RARE / 10 * larger else 0

    def has_values(self, end: RelationEnd) -> bool:
        """Return whether values are at an end; no relation starts from values."""
        if end.role != "end":
            return False
        declared = self._declared.has_values(end)
        if declared is not None:
            return declared
        return self.joins.count_nodes(end) > 0 and end.name not in self.joins.relations_to_subjects

    def _value_kind(self, end: RelationEnd) -> str:
        """Return ``numbers``, ``dates`` or ``text`` if nearly all tails are; else an empty text."""
        tails = self.relations.get(end.name, TailStatistics())
        for kind, count in (("numbers", tails.numbers), ("dates", tails.dates)):
            if tails.facts and count >= _MOST * tails.facts:
                return kind
        return "text" if tails.values <= (1 - _MOST) * tails.facts else ""

    def is_nameless(self, end: RelationEnd) -> bool:
        """Return whether nearly all nodes at an end have no name, only an id."""
        nodes = self.joins.count_nodes(end)
        return nodes > 0 and self.joins.count_nameless(end) >= _MOST * nodes

    def observed_classes(self, end: RelationEnd) -> tuple[str, ...]:
        """Return the smallest classes that contain nearly all nodes at an end."""
        if end not in self._observed_classes:
            nodes = self.joins.count_nodes(end)
            sizes = {
                cls.name: self.joins.count_nodes(cls)
                for cls in self.joins.joined_ends(end, "class")
                if self.joins.count_shared(end, cls) >= _MOST * nodes
            }
            least = min(sizes.values(), default=0)
            smallest = sorted(name for name, size in sizes.items() if size == least)
            self._observed_classes[end] = tuple(smallest)
        return self._observed_classes[end]

    def classes_at(self, end: RelationEnd) -> tuple[str, ...]:
        """Return the classes of the nodes at an end; none for values, or if unknown."""
        if end.role == "class":
            return (end.name,)
        if self.has_values(end):
            return ()
        unions = self._declared.class_unions(end)
        return unions[0] if unions else self.observed_classes(end) or self._observed_union(end)

    def _observed_union(self, end: RelationEnd) -> tuple[str, ...]:
        """Return a few classes without common nodes that together contain nearly all nodes at an end."""
        if normalize_name(end.name) == TYPE:
            return ()
        nodes = self.joins.count_nodes(end)
        shares = [
            (self.joins.count_shared(end, cls), cls) for cls in self.joins.joined_ends(end, "class")
        ]
        union: list[RelationEnd] = []
        count = 0
        for shared, cls in sorted(shares, key=lambda pair: (-pair[0], pair[1].name)):
            if not any(self.joins.count_shared(cls, member) for member in union):
                union.append(cls)
                count += shared
            if count >= _MOST * nodes or len(union) == _MAX_UNION:
                break
        return tuple(cls.name for cls in union) if count >= _MOST * nodes else ()

    def describe_nodes(self, end: RelationEnd) -> str:
        """Describe the nodes at an end, as in ``a Claim or a Policy``; an empty text if unknown."""
        if self.has_values(end):
            return "a value"
        return " or ".join(
            f"{'an' if name[:1].casefold() in tuple('aeiou') else 'a'} {name}"
            for name in self.classes_at(end)
        )

    def describe_relation(self, relation: str) -> str:
        start = self.describe_nodes(RelationEnd("start", relation))
        end = self.describe_nodes(RelationEnd("end", relation))
        return f"{relation} (from {start}{f' to {end}' if end else ''})" if start else relation

    def relations_from(self, end: RelationEnd) -> list[str]:
        return self._joinable_relations(end, "start")

    def value_relations_from(self, end: RelationEnd) -> list[str]:
        return [
            name
            for name in self.relations_from(end)
            if normalize_name(name) != TYPE and self.has_values(RelationEnd("end", name))
        ]

    def named_relations_from(self, end: RelationEnd) -> list[str]:
        """List the relations from nodes at an end to nodes with names, most facts first."""
        return [
            name
            for name in self.relations_from(end)
            if normalize_name(name) != TYPE and not self.is_nameless(RelationEnd("end", name))
        ]

    def relations_to(self, end: RelationEnd) -> list[str]:
        return self._joinable_relations(end, "end")

    def _joinable_relations(self, end: RelationEnd, role: EndRole) -> list[str]:
        """List the relations whose end in this role makes a possible join with ``end``."""
        joins = self.joins
        names = {joined.name for joined in joins.joined_ends(end, role)}
        declared = self._declared.compatible_relations(end, role)
        if joins.count_nodes(end):
            names |= {name for name in declared if not joins.count_nodes(RelationEnd(role, name))}
        else:
            names.update(declared)
        order = self._relation_order
        return sorted(names & order.keys(), key=order.__getitem__)

    def find_path(self, start: RelationEnd, target: RelationEnd) -> list[str]:
        """Find a shortest path of one or two relations between two ends; empty if there is none."""
        first, last = self.relations_from(start), self.relations_to(target)
        targets = {*last}
        direct = next((name for name in first if name in targets), None)
        if direct is not None:
            return [direct]
        # Expand the shorter list.
        if len(first) <= len(last):
            for name in first:
                following = {*self.relations_from(RelationEnd("end", name))}
                for second in last:
                    if second in following:
                        return [name, second]
            return []
        successor: dict[str, str] = {}
        for second in last:
            for name in self.relations_to(RelationEnd("start", second)):
                successor.setdefault(name, second)
        return next(([name, successor[name]] for name in first if name in successor), [])

    @cached_property
    def _relation_order(self) -> dict[str, int]:
        """Relation → its place in the order of facts, most first."""
        names = {*self.relations, *self.ontology.relations}
        facts = ((-self.relations.get(name, TailStatistics()).facts, name) for name in names)
        return {name: place for place, (_, name) in enumerate(sorted(facts))}


def merge_axioms(schemas: Sequence[SchemaKnowledge]) -> SchemaKnowledge:
    """Merge the axioms of datasets that are asked at once: they apply to the facts of all."""
    with_axioms = [schema for schema in schemas if schema.entailments.has_axioms]
    if len(with_axioms) < 2:
        return with_axioms[0] if with_axioms else schemas[0]
    classes = (declared for schema in schemas for declared in schema.ontology.classes.values())
    relations = (declared for schema in schemas for declared in schema.ontology.relations.values())
    return SchemaKnowledge(Ontology.from_declarations(classes, relations))
