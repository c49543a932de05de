"""What sources declare of classes and relations, and what follows from it.

Only what a check needs follows: which class is a kind of which, and whether two classes can have a member
in common. A reasoner for OWL (the alternative) would also infer facts, which are the data's to state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..triples import ClassDeclared, RelationDeclared

Union = tuple[str, ...]
"""Classes, any of which something may be."""

_EVERYTHING = frozenset(("Thing", "Resource"))
"""Classes of OWL and RDF that everything is of, so that they say nothing."""


@dataclass
class Ontology:
    """Classes and relations by name, as declared."""

    classes: Mapping[str, ClassDeclared] = field(default_factory=dict)
    relations: Mapping[str, RelationDeclared] = field(default_factory=dict)
    _above: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    _below: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    _outside: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    _ends: dict[tuple[str, str], tuple[Union, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(
        cls, classes: Iterable[ClassDeclared], relations: Iterable[RelationDeclared]
    ) -> Ontology:
        """Several declarations of one name added up."""
        known: dict[str, ClassDeclared] = {}
        for each in classes:
            known[each.name] = _added(known[each.name], each) if each.name in known else each
        told: dict[str, RelationDeclared] = {}
        for one in relations:
            told[one.name] = _joined(told[one.name], one) if one.name in told else one
        return cls(known, told)

    def above(self, name: str) -> frozenset[str]:
        """The class and all that it is a kind of; classes in a circle are all kinds of each other."""
        if name not in self._above:
            self._above[name] = _reached((name,), self._parents)
        return self._above[name]

    def below(self, name: str) -> frozenset[str]:
        """The class and all its kinds."""
        if name not in self._below:
            self._below[name] = _reached((name,), lambda each: self._children.get(each, ()))
        return self._below[name]

    def _parents(self, name: str) -> Union:
        declared = self.classes.get(name)
        return declared.parents if declared else ()

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, declared in self.classes.items():
            for parent in declared.parents:
                found.setdefault(parent, []).append(name)
        return found

    def fits(self, name: str, wanted: str) -> bool:
        """Whether whatever is ``name`` is ``wanted`` too."""
        return wanted in self.above(name)

    def apart(self, one: str, other: str, met: Callable[[str, str], bool]) -> bool:
        """Whether nothing can be of both classes; ``met`` tells whether something in the data is.

        Classes that nothing is declared of may have anything in common.
        """
        if self.fits(one, other) or self.fits(other, one) or met(one, other):
            return False
        if one not in self.classes or other not in self.classes:
            return False
        return self._disjoint(one, other) or self.below(one).isdisjoint(self.below(other))

    def joinable(self, name: str) -> Set[str]:
        """All classes that something can be of besides ``name``: those that are not ``apart`` from it."""
        found = _reached(self.below(name), self._parents)
        if not self._disjoint_pairs:
            return found
        return {
            each
            for each in found
            if self.fits(name, each) or self.fits(each, name) or not self._disjoint(name, each)
        }

    def _disjoint(self, one: str, other: str) -> bool:
        """Whether either, or what it is a kind of, is declared to share nothing with the other."""
        return not self._excluded(one).isdisjoint(self.above(other))

    def _excluded(self, name: str) -> frozenset[str]:
        """The classes that share nothing with ``name``, or with what it is a kind of, as either says."""
        if name not in self._outside:
            pairs = (self._disjoint_pairs.get(each, ()) for each in self.above(name))
            self._outside[name] = frozenset(each for some in pairs for each in some)
        return self._outside[name]

    @cached_property
    def _disjoint_pairs(self) -> dict[str, set[str]]:
        """Class → those that share nothing with it, both ways."""
        found: dict[str, set[str]] = {}
        for name, declared in self.classes.items():
            for other in declared.disjoint:
                found.setdefault(name, set()).add(other)
                found.setdefault(other, set()).add(name)
        return found

    def domains(self, relation: str) -> tuple[Union, ...]:
        """The unions of classes that what the relation starts from is all in."""
        return self._unions(relation, "domains")

    def ranges(self, relation: str) -> tuple[Union, ...]:
        """The unions of classes that what the relation leads to is all in."""
        return self._unions(relation, "ranges")

    def _unions(self, relation: str, which: Literal["domains", "ranges"]) -> tuple[Union, ...]:
        """Those of the relation, and of those that hold whenever it does."""
        known = self._ends.get((which, relation))
        if known is not None:
            return known
        seen = {relation}
        waiting = [relation]
        found: dict[Union, None] = {}
        while waiting:
            declared = self.relations.get(waiting.pop())
            if declared is not None:
                found |= dict.fromkeys(getattr(declared, which))
                new = [name for name in declared.parents if name not in seen]
                seen |= {*new}
                waiting += new
        unions = tuple(union for union in found if union and _EVERYTHING.isdisjoint(union))
        if relation in self.relations:
            self._ends[which, relation] = unions
        return unions


def _reached(names: Iterable[str], onward: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """The classes and all that is led to from them, step by step."""
    found = {*names}
    waiting = [*found]
    while waiting:
        new = set(onward(waiting.pop())) - found
        found |= new
        waiting += new
    return frozenset(found)


def _added(one: ClassDeclared, other: ClassDeclared) -> ClassDeclared:
    return ClassDeclared(
        one.name,
        _all(one.parents, other.parents),
        _all(one.disjoint, other.disjoint),
        _all(one.labels, other.labels),
        one.comment or other.comment,
    )


def _joined(one: RelationDeclared, other: RelationDeclared) -> RelationDeclared:
    return RelationDeclared(
        one.name,
        tuple(dict.fromkeys((*one.domains, *other.domains))),
        tuple(dict.fromkeys((*one.ranges, *other.ranges))),
        other.values if one.values is None else one.values,
        _all(one.datatypes, other.datatypes),
        _all(one.inverses, other.inverses),
        _all(one.parents, other.parents),
        _all(one.labels, other.labels),
        one.comment or other.comment,
    )


def _all(one: Union, other: Union) -> Union:
    return tuple(dict.fromkeys((*one, *other)))
