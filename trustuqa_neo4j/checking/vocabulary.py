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
from .meetings import End, Meetings, Side, meetings
from .ontology import Ontology
from .sides import Sides

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
    _narrowest: dict[Side, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

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

    @cached_property
    def _sides(self) -> Sides:
        return Sides(self.ontology, self.met)

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
        declared = self._sides.apart(one, other)
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
        if one == other or self._sides.apart(one, other) is not None:
            return 0
        sizes = sorted((self.met.size(one), self.met.size(other)))
        if sizes[0] < FEW:
            return 0
        shared = self.met.shared(one, other)
        return shared if shared <= SELDOM * sizes[0] or shared <= SELDOM / 10 * sizes[1] else 0

    def fit(self, one: Side, other: Side) -> bool:
        """Whether something is known to be, or declared so that it can be, of both sides."""
        if self.met.size(one) and self.met.size(other):
            return self.met.shared(one, other) > 0
        return self._sides.apart(one, other) is False

    def leads_to_values(self, side: Side) -> bool:
        """Whether a side is of values, which nothing starts from."""
        if side.end != "end":
            return False
        declared = self._sides.values(side)
        if declared is not None:
            return declared
        return self.met.size(side) > 0 and side.name not in self.met.onward

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
        if side not in self._narrowest:
            size = self.met.size(side)
            found = [
                (self.met.size(each), each.name)
                for each in self.met.beside(side, "class")
                if self.met.shared(side, each) >= MOSTLY * size
            ]
            least = min((count for count, _ in found), default=0)
            self._narrowest[side] = tuple(sorted(name for count, name in found if count == least))
        return self._narrowest[side]

    def classes_at(self, side: Side) -> tuple[str, ...]:
        """The classes that nodes of a side are of, any of them; none for values, or where nobody knows."""
        if side.end == "class":
            return (side.name,)
        if self.leads_to_values(side):
            return ()
        unions = self._sides.unions(side)
        return unions[0] if unions else self.found_classes(side)

    def kind(self, side: Side) -> str:
        """What the nodes of a side are, in words (``a Claim or a Policy``); empty where nobody knows."""
        return "a value" if self.leads_to_values(side) else _a(self.classes_at(side))

    def starting(self, side: Side, values: bool = False) -> list[str]:
        """The relations that start from nodes of a side, most facts first; or only those to ``values``."""
        found = self._fitting(side, "start")
        if not values:
            return found
        return [
            name for name in found if fold(name) != TYPE and self.leads_to_values(Side("end", name))
        ]

    def leading(self, side: Side) -> list[str]:
        """The relations that lead to nodes of a side, most facts first."""
        return self._fitting(side, "end")

    def _fitting(self, side: Side, end: End) -> list[str]:
        """The relations whose ``end`` fits a side, as ``fit`` tells it of each."""
        met = self.met
        found = {name for _, name in met.beside(side, end)}
        declared = self._sides.relations(side, end)
        if met.size(side):
            found.update(name for name in declared if not met.size(Side(end, name)))
        else:
            found.update(declared)
        order = self._order
        return sorted(found & order.keys(), key=order.__getitem__)

    def way(self, here: Side, there: Side) -> list[str]:
        """The fewest relations, at most two, that lead from one side to another."""
        first, last = self.starting(here), self.leading(there)
        direct = {*last}
        for name in first:
            if name in direct:
                return [name]
        if len(first) <= len(last):
            for name in first:
                onward = {*self.starting(Side("end", name))}
                for further in last:
                    if further in onward:
                        return [name, further]
            return []
        before: dict[str, str] = {}
        for further in last:
            for name in self.leading(Side("start", further)):
                before.setdefault(name, further)
        return next(([name, before[name]] for name in first if name in before), [])

    @cached_property
    def _order(self) -> dict[str, int]:
        """Relation → its place among all, those with most facts first."""
        names = {*self.relations, *self.ontology.relations}
        facts = ((-self.relations.get(name, Figures()).facts, name) for name in names)
        return {name: place for place, (_, name) in enumerate(sorted(facts))}

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
