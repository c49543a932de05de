"""A pattern looked at with a vocabulary: what of it cannot be, once, for all rules to tell.

Every variable is asked to be of the sides that its own step names and of those it lies within. Two of
them that share nothing are a clash, told by the one rule whose pair of ends it is, unless a relation is
merely written the wrong way round: then all that follows from that is one problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from .meetings import Side
from .pattern import Asked, Pattern
from .vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Met:
    """What is asked of a variable, with the side that it is of."""

    asked: Asked
    side: Side


@dataclass(frozen=True, slots=True)
class Clash:
    """A variable is asked to be of two sides that share (next to) nothing; ``later`` by its own step."""

    variable: int
    earlier: Met
    later: Met

    @property
    def ends(self) -> tuple[str, str]:
        """The ends of both, in the order of the alphabet."""
        one, other = sorted((self.earlier.side.end, self.later.side.end))
        return one, other


@dataclass
class Inquiry:
    """What the rules are given.

    ``read`` tells which relation of the vocabulary a name in the query is, if it is one of a graph's.
    ``keys`` are the names in the query that are ids or other names of nodes.
    """

    pattern: Pattern
    vocabulary: Vocabulary
    read: Callable[[str], str | None]
    keys: Set[str] = frozenset()

    def side(self, asked: Asked) -> Side | None:
        """The side that is asked for, if the vocabulary knows of it."""
        name = self.read(asked.name) if asked.end != "class" else self._class(asked.name)
        return None if name is None else Side(asked.end, name)

    def _class(self, given: str) -> str | None:
        """The class that ``given`` names, or is read as."""
        known = self.vocabulary.class_named(given)
        return known or next(iter(self.vocabulary.near_classes(given)), None)

    @cached_property
    def _own(self) -> dict[int, list[Met]]:
        """Variable → what its own step asks of it."""
        found: dict[int, list[Met]] = {}
        for asked in self.pattern.asked:
            side = self.side(asked)
            if side is not None:
                found.setdefault(asked.variable, []).append(Met(asked, side))
        return found

    def met(self, variable: int) -> list[Met]:
        """All that is asked of a variable, by its own step first."""
        own = self._own
        return [met for each in self.pattern.above(variable) for met in own.get(each, ())]

    @cached_property
    def _pairs(self) -> list[Clash]:
        """All that is asked of each variable, two by two, each pair where it comes about first."""
        found: list[Clash] = []
        seen: set[tuple[Asked, Asked]] = set()
        for variable in range(len(self.pattern.variables)):
            every = self.met(variable)
            for at, later in enumerate(every):
                for earlier in every[at + 1 :]:
                    pair = (earlier.asked, later.asked)
                    if pair not in seen:
                        found.append(Clash(variable, earlier, later))
                    seen.add(pair)
        return found

    @cached_property
    def _all_clashes(self) -> list[Clash]:
        clash = self.vocabulary.clash
        return [pair for pair in self._pairs if clash(pair.earlier.side, pair.later.side)]

    @property
    def hardly(self) -> list[tuple[Clash, int]]:
        """Pairs that share next to nothing, with how many nodes."""
        pairs = ((p, self.vocabulary.seldom(p.earlier.side, p.later.side)) for p in self._pairs)
        return [(pair, shared) for pair, shared in pairs if shared]

    @cached_property
    def turned(self) -> tuple[int, ...]:
        """Facts that hold only the other way round, in the order in which clashes show it."""
        found: dict[int, None] = {}
        for clash in self._all_clashes:
            for met in (clash.later, clash.earlier):
                fact = met.asked.fact
                if met.side.end != "class" and fact not in found and self._holds_turned(fact):
                    found[fact] = None
                    break
        return tuple(found)

    def _holds_turned(self, fact: int) -> bool:
        """Whether a fact would fit all that its two ends are asked for if these were exchanged."""
        fitting = False
        for asked in self.pattern.ends_of(fact):
            other = Side("start" if asked.end == "end" else "end", self.read(asked.name) or "")
            for met in self._beside(asked):
                if self.vocabulary.clash(other, met.side):
                    return False
                fitting = fitting or self.vocabulary.fit(other, met.side)
        return fitting

    def _beside(self, asked: Asked) -> Iterator[Met]:
        """What else is asked of the variable, and of those that lie within it."""
        for variable in range(len(self.pattern.variables)):
            above = set(self.pattern.above(variable))
            if asked.variable in above:
                for each in above if variable == asked.variable else {variable}:
                    yield from (m for m in self._own.get(each, ()) if m.asked != asked)

    @cached_property
    def clashes(self) -> list[Clash]:
        """Those that no relation written the wrong way round explains."""
        turned = self.turned
        return [
            clash
            for clash in self._all_clashes
            if clash.later.asked.fact not in turned and clash.earlier.asked.fact not in turned
        ]

    def called(self, variable: int) -> str:
        """A variable in words."""
        return self.pattern.variables[variable].called
