"""What a bulk load remembers of each node it has numbered, in arrays: its value, how many facts it has."""

from __future__ import annotations

from array import array
from math import nan
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .numbering import Ints

_PLAIN = 0
_NAMELESS = 1
_VALUES = 2  # from here on: the place of a value, plus two

_MOST = 0xFFFF
"""Facts of a node that are counted; of one that has more, nobody asks how many more."""


class Nodes:
    """What of each node is needed again, by its number: its value, and how many facts it has."""

    def __init__(self) -> None:
        self.empty = -1
        self._degrees = array("H")
        self._kinds = array("I")
        self._numbers = array("d")
        self._dates = array("q")  # of values, those that are dates: far fewer than numbers
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
        if start is not None and end is not None:
            self._dates.append(len(self._numbers))
            self._starts.append(start)
            self._ends.append(end)
        self._numbers.append(nan if number is None else number)
        return self._add(len(self._numbers) - 1 + _VALUES)

    def _add(self, kind: int) -> int:
        self._kinds.append(kind)
        self._degrees.append(0)
        return len(self._kinds) - 1

    def join(self, heads: Ints, tails: Ints) -> tuple[Ints, Ints]:
        """Count facts between nodes; how many facts their heads and tails have by now.

        A fact from a node to itself counts once.
        """
        degrees = np.frombuffer(self._degrees, np.uint16)
        ends = np.concatenate([heads, tails[tails != heads]])
        nodes, more = np.unique(ends, return_counts=True)
        degrees[nodes] = np.minimum(degrees[nodes] + more, _MOST)
        return degrees[heads].astype(np.int64), degrees[tails].astype(np.int64)

    def hubs(self, degree: int) -> list[int]:
        """Nodes with more than ``degree`` facts."""
        found: list[int] = np.flatnonzero(np.frombuffer(self._degrees, np.uint16) > degree).tolist()
        return found

    def places(self, nodes: Ints) -> Ints:
        """For each of ``nodes`` its place among the values; negative where it is none."""
        found: Ints = np.frombuffer(self._kinds, np.uint32)[nodes].astype(np.int64) - _VALUES
        return found

    def named(self, node: int) -> bool:
        """Whether a node has a name."""
        return self._kinds[node] != _NAMELESS

    def numbers(self, places: Ints) -> list[float]:
        """The numbers of values."""
        found = np.frombuffer(self._numbers, np.float64)[places]
        numbers: list[float] = found[~np.isnan(found)].tolist()
        return numbers

    def days(self, places: Ints) -> tuple[list[int], list[int]]:
        """The first and the last days of values."""
        if not self._dates:
            return [], []
        dates = np.frombuffer(self._dates, np.int64)
        found = np.searchsorted(dates, places)
        found = found[dates[np.minimum(found, len(dates) - 1)] == places]
        starts, ends = (np.frombuffer(days, np.int64)[found] for days in (self._starts, self._ends))
        return starts.tolist(), ends.tolist()
