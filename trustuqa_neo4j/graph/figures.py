"""What the catalogue tells of relations, added up while facts are read.

The same figures as ``write_facts`` adds up in the database, batch by batch and in the same order. Having
the server count them after an import (the alternative) would read every fact once more.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isnan, nan
from typing import Any

from ..values import OPEN

SAMPLES = 5
"""Samples kept of a relation, as ``write_facts`` does."""

_PLAIN = 0
_NAMELESS = 1
_VALUES = 2  # from here on: the place of a value, plus two
_NONE = -(1 << 62)  # no day


class Nodes:
    """What of each node is needed again, by its number: its value, and how many facts it has."""

    def __init__(self) -> None:
        self.degrees = array("I")
        self.empty = -1
        self._kinds = array("I")
        self._numbers = array("d")
        self._starts = array("q")
        self._ends = array("q")

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self) -> int:
        """A node that is no value."""
        return self._add(_PLAIN)

    def add_nameless(self) -> int:
        """A node without a name."""
        return self._add(_NAMELESS)

    def add_value(self, name: str, number: float | None, start: int | None, end: int | None) -> int:
        """A node that may be a number or a date, or both."""
        if number is None and start is None:
            made = self._add(_PLAIN)
            self.empty = self.empty if name else made
            return made
        self._numbers.append(nan if number is None else number)
        self._starts.append(_NONE if start is None else start)
        self._ends.append(_NONE if end is None else end)
        return self._add(len(self._numbers) - 1 + _VALUES)

    def _add(self, kind: int) -> int:
        self._kinds.append(kind)
        self.degrees.append(0)
        return len(self._kinds) - 1

    def values(self, nodes: Iterable[int]) -> list[int]:
        """The places of the values among ``nodes``."""
        kinds = self._kinds
        return [kind - _VALUES for node in nodes if (kind := kinds[node]) >= _VALUES]

    def named(self, node: int) -> bool:
        """Whether a node has a name."""
        return self._kinds[node] != _NAMELESS

    def numbers(self, places: Iterable[int]) -> list[float]:
        """The numbers of values."""
        return [number for place in places if not isnan(number := self._numbers[place])]

    def starts(self, places: Iterable[int]) -> list[int]:
        """The first days of values."""
        return [day for place in places if (day := self._starts[place]) != _NONE]

    def ends(self, places: Iterable[int]) -> list[int]:
        """The last days of values."""
        return [day for place in places if (day := self._ends[place]) != _NONE]


@dataclass
class Figures:
    """What is known of a relation in a source; ``samples`` are nodes."""

    facts: int = 0
    numbers: int = 0
    dates: int = 0
    values: int = 0
    held: int = 0
    lowest: float | None = None
    highest: float | None = None
    earliest: int | None = None
    latest: int | None = None
    first: int | None = None
    last: int | None = None
    qualifiers: list[str] | None = None
    samples: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The properties that the catalogue keeps, but for the samples."""
        kept = dict(vars(self))
        del kept["samples"]
        return kept

    def note(self, nodes: Nodes, tails: Sequence[int], held: Sequence[tuple[int, int]]) -> None:
        """Facts of one batch, by what they lead to and when they held."""
        self.facts += len(tails)
        if places := nodes.values(tails):
            self._note_values(nodes, places)
        if held:
            self.held += len(held)
            self.first = _least(self.first, [start for start, _ in held])
            self.last = _most(self.last, [end if end < OPEN else start for start, end in held])
        if len(self.samples) < SAMPLES:
            self._sample(nodes, tails)

    def note_qualifiers(self, names: Iterable[str]) -> None:
        """Qualifiers that facts of the relation have."""
        known = self.qualifiers or []
        new = [name for name in sorted(names) if name not in known]
        self.qualifiers = [*known, *new] or None

    def _note_values(self, nodes: Nodes, places: Sequence[int]) -> None:
        numbers, starts = nodes.numbers(places), nodes.starts(places)
        self.values += len(places)
        self.numbers += len(numbers)
        self.dates += len(starts)
        self.lowest, self.highest = _least(self.lowest, numbers), _most(self.highest, numbers)
        self.earliest = _least(self.earliest, starts)
        self.latest = _most(self.latest, nodes.ends(places))

    def _sample(self, nodes: Nodes, tails: Sequence[int]) -> None:
        """The first different ones of a batch; the empty one takes a place among them and is left out."""
        named = (node for node in dict.fromkeys(tails) if nodes.named(node))
        new = [n for n in islice(named, SAMPLES) if n != nodes.empty and n not in self.samples]
        self.samples = [*self.samples, *new][:SAMPLES]


def _least(known: Any, met: Sequence[Any]) -> Any:
    return min(met if known is None else [known, *met], default=None)


def _most(known: Any, met: Sequence[Any]) -> Any:
    return max(met if known is None else [known, *met], default=None)
