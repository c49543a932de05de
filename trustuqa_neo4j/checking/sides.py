"""What is declared of the two ends of relations and of classes, and by that which of them fit together.

Asked of two sides, classes are compared. Asked of one, which relations fit it, all that can have a member in
common with its classes are found at once, and the relations by these: to compare each of thousands of
relations (the alternative) takes a quarter of a second, and a message asks that several times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import cached_property, lru_cache

from .meetings import End, Meetings, Side
from .ontology import Ontology, Union

_HELD = 256
"""Unions of which it is held what they can have in common with others: in large ontologies much."""


class Sides:
    """The sides of one dataset, as far as they are declared; ``met`` tells what the data shows."""

    def __init__(self, ontology: Ontology, met: Meetings) -> None:
        self._ontology = ontology
        self._met = met
        self._joinable = lru_cache(_HELD)(self._join)

    def apart(self, one: Side, other: Side) -> bool | None:
        """Whether nothing can be of both; None where not both are declared."""
        values = self.values(one), self.values(other)
        if True in values:
            return None if None in values else values[0] != values[1]
        unions, others = self.unions(one), self.unions(other)
        if not unions or not others:
            return None
        return any(self._unions_apart(union, beside) for union in unions for beside in others)

    def _unions_apart(self, union: Union, other: Union) -> bool:
        return all(self._ontology.apart(one, two, self._share) for one in union for two in other)

    def _share(self, one: str, other: str) -> bool:
        return self._met.shared(Side("class", one), Side("class", other)) > 0

    def values(self, side: Side) -> bool | None:
        """Whether a side is of values (True) or of nodes (False), as far as that is declared."""
        if side.end == "class":
            return False if side.name in self._ontology.classes else None
        declared = self._ontology.relations.get(side.name)
        if declared is None:
            return None
        if side.end == "start":
            return False
        if declared.values is None:
            return False if declared.ranges else None
        return declared.values

    def unions(self, side: Side) -> tuple[Union, ...]:
        """The unions of classes that what is of a side is all in."""
        if side.end == "class":
            return ((side.name,),) if side.name in self._ontology.classes else ()
        of = self._ontology.domains if side.end == "start" else self._ontology.ranges
        return of(side.name)

    def relations(self, side: Side, end: End) -> Iterable[str]:
        """The relations of which something can be both of ``side`` and at ``end``; each once."""
        if self.values(side):
            return self._to_values if end == "end" else ()
        unions = self.unions(side)
        if not unions:
            return ()
        joinable = [self._joinable(union) for union in unions]
        by_class = self._by_class[end]
        if joinable[0] is None:
            first: Iterable[str] = (name for names in by_class.values() for name in names)
        else:
            known = joinable[0] & by_class.keys()
            first = (name for each in (*known, "") for name in by_class.get(each, ()))
        return (
            name
            for name in dict.fromkeys(first)
            if all(self._join_all(each, self.unions(Side(end, name))) for each in joinable)
        )

    def _join_all(self, joinable: Set[str] | None, unions: Sequence[Union]) -> bool:
        """Whether something can be in each of the unions; None stands for any class."""
        return joinable is None or all(
            any(each in joinable or each not in self._ontology.classes for each in union)
            for union in unions
        )

    def _join(self, union: Union) -> Set[str] | None:
        """The declared classes that a member of ``union`` may also be of; None where that is any."""
        found: set[str] = set()
        for name in union:
            if name not in self._ontology.classes:
                return None
            found |= self._ontology.joinable(name)
            found |= {each.name for each in self._met.beside(Side("class", name), "class")}
        return found

    @cached_property
    def _to_values(self) -> tuple[str, ...]:
        return tuple(name for name in self._ontology.relations if self.values(Side("end", name)))

    @cached_property
    def _by_class(self) -> dict[End, dict[str, list[str]]]:
        """End → class in the first union of what is declared of it → relations that are not of values.

        Classes that are not declared are all one, the empty name: they may have anything in common.
        """
        found: dict[End, dict[str, list[str]]] = {"start": {}, "end": {}}
        for end, known in found.items():
            for name in self._ontology.relations:
                unions = self.unions(Side(end, name))
                if unions and not self.values(Side(end, name)):
                    for each in unions[0]:
                        of = each if each in self._ontology.classes else ""
                        known.setdefault(of, []).append(name)
        return found
