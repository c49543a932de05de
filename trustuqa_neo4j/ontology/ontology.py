"""Declared classes and relations, and what validation derives from them.

It derives subclasses, and whether two classes can have a common member. ``entailment.py`` says which facts
follow from others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeVar

from ..model.facts import ClassDeclared, RelationDeclared

T = TypeVar("T")

ClassUnion = tuple[str, ...]  # Classes of which a node must be a member of at least one.

_UNIVERSAL_CLASSES = frozenset(("Thing", "Resource"))
"""Classes of OWL and RDF with every node as member: they say nothing."""


@dataclass
class Ontology:
    classes: Mapping[str, ClassDeclared] = field(default_factory=dict)
    relations: Mapping[str, RelationDeclared] = field(default_factory=dict)
    _superclasses: dict[str, frozenset[str]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _subclasses: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    _excluded: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    _ends: dict[tuple[str, str], tuple[ClassUnion, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def from_declarations(
        cls, classes: Iterable[ClassDeclared], relations: Iterable[RelationDeclared]
    ) -> Ontology:
        merged_classes: dict[str, ClassDeclared] = {}
        for declared in classes:
            earlier = merged_classes.get(declared.name)
            merged_classes[declared.name] = (
                _merge_classes(earlier, declared) if earlier else declared
            )
        merged_relations: dict[str, RelationDeclared] = {}
        for relation in relations:
            before = merged_relations.get(relation.name)
            merged_relations[relation.name] = (
                _merge_relations(before, relation) if before else relation
            )
        return cls(merged_classes, merged_relations)

    def superclasses(self, name: str) -> frozenset[str]:
        """Return the class and all its superclasses; classes in a circle are superclasses of each other."""
        if name not in self._superclasses:
            self._superclasses[name] = _closure((name,), self._parents)
        return self._superclasses[name]

    def subclasses(self, name: str) -> frozenset[str]:
        if name not in self._subclasses:
            self._subclasses[name] = _closure(
                (name,), lambda parent: self._children.get(parent, ())
            )
        return self._subclasses[name]

    def _parents(self, name: str) -> tuple[str, ...]:
        declared = self.classes.get(name)
        return declared.parents if declared else ()

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for name, declared in self.classes.items():
            for parent in declared.parents:
                children.setdefault(parent, []).append(name)
        return children

    def is_subclass(self, name: str, parent: str) -> bool:
        return parent in self.superclasses(name)

    def are_disjoint(
        self, first: str, second: str, share_members: Callable[[str, str], bool]
    ) -> bool:
        """Return whether no node can be a member of both classes.

        ``share_members`` says whether the data has a common member. Undeclared classes can have any.
        """
        if self.is_subclass(first, second) or self.is_subclass(second, first):
            return False
        if share_members(first, second):
            return False
        if first not in self.classes or second not in self.classes:
            return False
        if self._are_declared_disjoint(first, second):
            return True
        return self.subclasses(first).isdisjoint(self.subclasses(second))

    def compatible_classes(self, name: str) -> Set[str]:
        candidates = _closure(self.subclasses(name), self._parents)
        if not self._disjoint_pairs:
            return candidates
        return {
            candidate
            for candidate in candidates
            if self.is_subclass(name, candidate)
            or self.is_subclass(candidate, name)
            or not self._are_declared_disjoint(name, candidate)
        }

    def _are_declared_disjoint(self, first: str, second: str) -> bool:
        if first not in self._excluded:
            pairs = (self._disjoint_pairs.get(name, ()) for name in self.superclasses(first))
            self._excluded[first] = frozenset(name for names in pairs for name in names)
        return not self._excluded[first].isdisjoint(self.superclasses(second))

    @cached_property
    def _disjoint_pairs(self) -> dict[str, set[str]]:
        pairs: dict[str, set[str]] = {}
        for name, declared in self.classes.items():
            for disjoint in declared.disjoint:
                pairs.setdefault(name, set()).add(disjoint)
                pairs.setdefault(disjoint, set()).add(name)
        return pairs

    def domains(self, relation: str) -> tuple[ClassUnion, ...]:
        return self._class_unions(relation, "domains")

    def ranges(self, relation: str) -> tuple[ClassUnion, ...]:
        return self._class_unions(relation, "ranges")

    def _class_unions(
        self, relation: str, which: Literal["domains", "ranges"]
    ) -> tuple[ClassUnion, ...]:
        """Collect the unions of the relation and of its superrelations."""
        cached = self._ends.get((which, relation))
        if cached is not None:
            return cached
        names = {relation}
        pending = [relation]
        collected: dict[ClassUnion, None] = {}
        while pending:
            declared = self.relations.get(pending.pop())
            if declared is not None:
                collected |= dict.fromkeys(getattr(declared, which))
                new = [name for name in declared.parents if name not in names]
                names |= {*new}
                pending += new
        unions = tuple(
            union for union in collected if union and _UNIVERSAL_CLASSES.isdisjoint(union)
        )
        if relation in self.relations:
            self._ends[which, relation] = unions
        return unions


def _closure(names: Iterable[str], neighbours: Callable[[str], Iterable[str]]) -> frozenset[str]:
    reached = {*names}
    pending = [*reached]
    while pending:
        new = set(neighbours(pending.pop())) - reached
        reached |= new
        pending += new
    return frozenset(reached)


def _merge_classes(first: ClassDeclared, second: ClassDeclared) -> ClassDeclared:
    return ClassDeclared(
        first.name,
        _concat(first.parents, second.parents),
        _concat(first.disjoint, second.disjoint),
        _concat(first.labels, second.labels),
        first.comment or second.comment,
    )


def _merge_relations(first: RelationDeclared, second: RelationDeclared) -> RelationDeclared:
    return RelationDeclared(
        first.name,
        _concat(first.domains, second.domains),
        _concat(first.ranges, second.ranges),
        second.values if first.values is None else first.values,
        _concat(first.datatypes, second.datatypes),
        _concat(first.inverses, second.inverses),
        _concat(first.parents, second.parents),
        _concat(first.labels, second.labels),
        first.comment or second.comment,
        first.is_transitive or second.is_transitive,
    )


def _concat(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))
