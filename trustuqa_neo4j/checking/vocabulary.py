"""What a dataset's relations and classes are, declared and found in the data, as the rules ask for it.

Where something is declared of both sides of a join, that decides, unless the data shows that they meet;
otherwise the data decides: sides that share no node make the join empty for certain. So no query that has
a result is ever refused by what was found, and none by what was declared of data that keeps to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..mapping import fold, suggestions
from .meetings import Meetings, Side, meetings
from .ontology import Ontology, Union

TYPE = "type"
"""The folded name of the relation that leads to classes."""

MOSTLY = 0.9
"""The share of a side's nodes without a name from which on it is one of ids."""


SELDOM = 0.01
"""The share of the smaller of two sides up to which they hardly meet; of the larger, a tenth of that."""

FEW = 50
"""Nodes of a side below which nothing is said of shares."""


@dataclass(frozen=True, slots=True)
class Figures:
    """A relation's facts in graphs, and how many of them lead to numbers, to dates, to either."""

    facts: int = 0
    numbers: int = 0
    dates: int = 0
    values: int = 0


@dataclass
class Vocabulary:
    """The vocabulary of one dataset; ``relations`` are those that its graphs have facts of."""

    ontology: Ontology = field(default_factory=Ontology)
    met: Meetings = field(default_factory=lambda: meetings(()))
    relations: Mapping[str, Figures] = field(default_factory=dict)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """All classes, declared or found, by name."""
        found = {side.name for side in self.met.places if side.end == "class"}
        return tuple(sorted(found | self.ontology.classes.keys()))

    @cached_property
    def _relation_names(self) -> dict[str, str]:
        """Folded name or label → relation; a name goes before a label."""
        named = {name: declared.labels for name, declared in self.ontology.relations.items()}
        by_label = {fold(label): name for name, labels in named.items() for label in labels}
        return by_label | {fold(name): name for name in (*named, *self.relations)}

    @cached_property
    def _class_names(self) -> dict[str, str]:
        declared = self.ontology.classes.items()
        by_label = {fold(label): name for name, said in declared for label in said.labels}
        return by_label | {fold(name): name for name in self.classes}

    def relation_named(self, given: str) -> str | None:
        """The relation that ``given`` is a name or label of, declared or in the data."""
        if given in self.relations or given in self.ontology.relations:
            return given
        return self._relation_names.get(fold(given))

    def declared_relation(self, given: str) -> str | None:
        """The declared relation that ``given`` is a name or label of."""
        known = self.relation_named(given)
        return known if known in self.ontology.relations else None

    def class_named(self, given: str) -> str | None:
        """The class that ``given`` is a name or label of."""
        if given in self.ontology.classes or Side("class", given) in self.met.places:
            return given
        return self._class_names.get(fold(given))

    def clash(self, one: Side, other: Side) -> bool:
        """Whether nothing can be of both sides."""
        if one == other or self.met.shared(one, other):
            return False
        declared = self._declared(one, other)
        if declared is not None:
            return declared
        if not (self.met.size(one) and self.met.size(other)):
            return False
        if self.leads_to_values(one) and self.leads_to_values(other):
            # Two relations may lead to the same values and happen not to: not so a name and a date.
            return self._kind_of_value(one) != self._kind_of_value(other)
        alike = set(self.found_classes(one)) & set(self.found_classes(other))
        return not alike

    def seldom(self, one: Side, other: Side) -> int:
        """How many nodes two sides share where that is next to none: things may merely share a name."""
        if one == other or self._declared(one, other) is not None:
            return 0
        sizes = sorted((self.met.size(one), self.met.size(other)))
        if sizes[0] < FEW:
            return 0
        shared = self.met.shared(one, other)
        return shared if shared <= SELDOM * sizes[0] or shared <= SELDOM / 10 * sizes[1] else 0

    def _declared(self, one: Side, other: Side) -> bool | None:
        """What is declared of both; None where it is not of either."""
        values = self._declared_values(one), self._declared_values(other)
        if True in values:
            return None if None in values else values[0] != values[1]
        unions, others = self._unions(one), self._unions(other)
        if not unions or not others:
            return None
        return any(self._apart(union, beside) for union in unions for beside in others)

    def _apart(self, union: Union, other: Union) -> bool:
        return all(self.ontology.apart(one, two, self._share) for one in union for two in other)

    def _share(self, one: str, other: str) -> bool:
        return self.met.shared(Side("class", one), Side("class", other)) > 0

    def _declared_values(self, side: Side) -> bool | None:
        """Whether a side is of values (True) or of nodes (False), as far as that is declared."""
        if side.end == "class":
            return False if side.name in self.ontology.classes else None
        declared = self.ontology.relations.get(side.name)
        if declared is None:
            return None
        if side.end == "start":
            return False
        if declared.values is None:
            return False if declared.ranges else None
        return declared.values

    def _unions(self, side: Side) -> tuple[Union, ...]:
        if side.end == "class":
            return ((side.name,),) if side.name in self.ontology.classes else ()
        of = self.ontology.domains if side.end == "start" else self.ontology.ranges
        return of(side.name)

    def fit(self, one: Side, other: Side) -> bool:
        """Whether something is known to be, or declared so that it can be, of both sides."""
        if self.met.size(one) and self.met.size(other):
            return self.met.shared(one, other) > 0
        return self._declared(one, other) is False

    def leads_to_values(self, side: Side) -> bool:
        """Whether a side is of values, which nothing starts from."""
        if side.end != "end":
            return False
        declared = self._declared_values(side)
        if declared is not None:
            return declared
        return self.met.size(side) > 0 and side.name not in self._onward

    @cached_property
    def _onward(self) -> frozenset[str]:
        """The relations that lead to something that some relation starts from."""
        by_place = list(self.met.places)
        found = set()
        for pair in self.met.pairs():
            one, other = by_place[pair >> 32], by_place[pair & 0xFFFFFFFF]
            for here, there in ((one, other), (other, one)):
                if here.end == "end" and there.end == "start":
                    found.add(here.name)
        return frozenset(found)

    def _kind_of_value(self, side: Side) -> str:
        """``numbers``, ``dates`` or ``text`` where nearly all that the relation leads to is; else empty."""
        figures = self.relations.get(side.name, Figures())
        for kind, count in (("numbers", figures.numbers), ("dates", figures.dates)):
            if figures.facts and count >= MOSTLY * figures.facts:
                return kind
        return "text" if figures.values <= (1 - MOSTLY) * figures.facts else ""

    def is_ids(self, side: Side) -> bool:
        """Whether the nodes of a side have no names: ids answer nobody's question."""
        size = self.met.size(side)
        return size > 0 and self.met.ids(side) >= MOSTLY * size

    def found_classes(self, side: Side) -> tuple[str, ...]:
        """The narrowest classes that nearly all nodes of a side are of."""
        size = self.met.size(side)
        if not size:
            return ()
        found = [
            (self.met.size(each), each.name)
            for each in self.met.places
            if each.end == "class" and self.met.shared(side, each) >= MOSTLY * size
        ]
        least = min((count for count, _ in found), default=0)
        return tuple(sorted(name for count, name in found if count == least))

    def kind(self, side: Side) -> str:
        """What the nodes of a side are, in words (``a Claim or a Policy``); empty where nobody knows."""
        if side.end == "class":
            return _a((side.name,))
        if self.leads_to_values(side):
            return "a value"
        unions = self._unions(side)
        return _a(unions[0] if unions else self.found_classes(side))

    def starting(self, side: Side, values: bool = False) -> list[str]:
        """The relations that start from nodes of a side, most facts first; or only those to ``values``."""
        return [
            name
            for name in self._by_size
            if self.fit(side, Side("start", name))
            and (not values or (fold(name) != TYPE and self.leads_to_values(Side("end", name))))
        ]

    def leading(self, side: Side) -> list[str]:
        """The relations that lead to nodes of a side, most facts first."""
        return [name for name in self._by_size if self.fit(side, Side("end", name))]

    def way(self, here: Side, there: Side) -> list[str]:
        """The fewest relations, at most two, that lead from one side to another."""
        first = self.starting(here)
        for name in first:
            if self.fit(Side("end", name), there):
                return [name]
        last = self.leading(there)
        for name in first:
            for further in last:
                if self.fit(Side("end", name), Side("start", further)):
                    return [name, further]
        return []

    @cached_property
    def _by_size(self) -> tuple[str, ...]:
        names = dict.fromkeys((*self.relations, *self.ontology.relations))
        return tuple(
            sorted(names, key=lambda name: (-self.relations.get(name, Figures()).facts, name))
        )

    def near_classes(self, given: str) -> list[str]:
        """The classes that ``given`` may be a slip of."""
        return suggestions(given, self.classes)

    def told(self, relation: str) -> str:
        """A relation with what it starts from and leads to, where classes say it."""
        start, end = self.kind(Side("start", relation)), self.kind(Side("end", relation))
        return f"{relation} (from {start}{f' to {end}' if end else ''})" if start else relation


def _a(classes: Iterable[str]) -> str:
    return " or ".join(
        f"{'an' if name[:1].casefold() in tuple('aeiou') else 'a'} {name}" for name in classes
    )
