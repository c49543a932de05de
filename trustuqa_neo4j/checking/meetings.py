"""Which ends of a graph's relations meet in a node: what the data itself says of domains and ranges.

Nodes that have the same relations out of them and into them, and the same classes, are alike (the
characteristic sets of Neumann and Moerkotte); of each kind there is only to know how many they are. From
that follows for any two ends how many nodes they share: none, and a join of the two is empty for certain.
A bitmap of nodes for each end (the alternative) says the same, grows with the data, and has to be read
whole for one query.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Literal, NamedTuple, TypeAlias

End: TypeAlias = Literal["start", "end", "class"]

_BETWEEN = "\x1f"
_PLACE = 0xFFFFFFFF

SIDES, PAIRS = 100_000, 500_000
"""Sides, and pairs of them that meet, of which a vocabulary tells: one node with fifty thousand relations
alone would make a thousand million pairs."""


class Side(NamedTuple):
    """The nodes that a relation starts from (``start``), leads to (``end``), or that are of a class."""

    end: End
    name: str


class Alike(NamedTuple):
    """How many nodes have just these relations out of and into them, and these classes."""

    starts: Sequence[str]
    ends: Sequence[str]
    classes: Sequence[str]
    nameless: bool
    nodes: int


@dataclass(frozen=True)
class Meetings:
    """How many nodes any two sides share; ``nameless`` are those that are only ids.

    ``_pairs`` are places of two sides, the lesser in the upper half, in order.
    """

    places: dict[Side, int]
    sizes: Sequence[int]
    nameless: Sequence[int]
    _pairs: Sequence[int]
    _counts: Sequence[int]

    def size(self, side: Side) -> int:
        """How many nodes ``side`` has."""
        place = self.places.get(side)
        return 0 if place is None else self.sizes[place]

    def ids(self, side: Side) -> int:
        """How many nodes of ``side`` have no name."""
        place = self.places.get(side)
        return 0 if place is None else self.nameless[place]

    def shared(self, one: Side, other: Side) -> int:
        """How many nodes are of both sides."""
        place, beside = self.places.get(one), self.places.get(other)
        if place is None or beside is None:
            return 0
        pair = _pair(min(place, beside), max(place, beside))
        at = bisect_left(self._pairs, pair)
        there = at < len(self._pairs) and self._pairs[at] == pair
        return self._counts[at] if there else 0

    def beside(self, side: Side, end: End) -> list[Side]:
        """The sides of this ``end`` that share nodes with ``side``."""
        place = self.places.get(side)
        if place is None:
            return []
        return [found for each in self._beside[place] if (found := self._sides[each]).end == end]

    @cached_property
    def _sides(self) -> list[Side]:
        return list(self.places)

    @cached_property
    def _beside(self) -> list[list[int]]:
        """The places of the sides that share nodes with that at each place, itself included."""
        found: list[list[int]] = [[] for _ in self.places]
        for pair in self._pairs:
            one, other = pair >> 32, pair & _PLACE
            found[one].append(other)
            if one != other:
                found[other].append(one)
        return found

    @cached_property
    def onward(self) -> frozenset[str]:
        """The relations that lead to something that some relation starts from."""
        starts, ends = ([side.end == end for side in self._sides] for end in ("start", "end"))
        found = set()
        for pair in self._pairs:
            one, other = pair >> 32, pair & _PLACE
            if ends[one] and starts[other]:
                found.add(one)
            elif starts[one] and ends[other]:
                found.add(other)
        return frozenset(self._sides[place].name for place in found)

    def to_parameters(self) -> dict[str, object]:
        """As the database keeps them."""
        return {
            "sides": [_BETWEEN.join(side) for side in self.places],
            "sizes": list(self.sizes),
            "nameless": list(self.nameless),
            "pairs": _packed("Q", self._pairs),
            "counts": _packed("L", self._counts),
        }

    @classmethod
    def of_parameters(
        cls,
        sides: Iterable[str],
        sizes: Sequence[int],
        nameless: Sequence[int],
        pairs: bytes,
        counts: bytes,
    ) -> Meetings:
        """What ``to_parameters`` gave."""
        read = (Side(*side.split(_BETWEEN, 1)) for side in sides)  # type: ignore[arg-type]  # as written
        places = {side: place for place, side in enumerate(read)}
        return cls(places, sizes, nameless, _unpacked("Q", pairs), _unpacked("L", counts))


def meetings(groups: Iterable[Alike]) -> Meetings:
    """What follows from how many nodes are alike; nothing where more sides or pairs meet than are told of."""
    places: dict[Side, int] = {}
    sizes: list[int] = []
    ids: list[int] = []
    shared: dict[int, int] = {}
    for group in groups:
        here = []
        for end, names in zip(("start", "end", "class"), group[:3], strict=True):
            for name in names:
                place = places.setdefault(Side(end, name), len(places))  # type: ignore[arg-type]  # of the three
                if place == len(sizes):
                    sizes.append(0)
                    ids.append(0)
                sizes[place] += group.nodes
                ids[place] += group.nodes if group.nameless else 0
                here.append(place)
        if max(len(shared), len(here) * (len(here) + 1) // 2) > PAIRS or len(places) > SIDES:
            return Meetings({}, (), (), (), ())
        for one, other in combinations_with_replacement(sorted(here), 2):
            pair = _pair(one, other)
            shared[pair] = shared.get(pair, 0) + group.nodes
    pairs = sorted(shared)
    return Meetings(places, sizes, ids, pairs, [shared[pair] for pair in pairs])


def _pair(one: int, other: int) -> int:
    return one << 32 | other


def _packed(kind: str, numbers: Sequence[int]) -> bytes:
    found = array(_kind(kind), numbers)
    if sys.byteorder == "big":
        found.byteswap()
    return zlib.compress(found.tobytes())


def _unpacked(kind: str, packed: bytes) -> Sequence[int]:
    found = array(_kind(kind))
    found.frombytes(zlib.decompress(packed))
    if sys.byteorder == "big":
        found.byteswap()
    return found


def _kind(kind: str) -> str:
    """The code of four or eight bytes on this machine."""
    if kind == "L":
        return "I" if array("I").itemsize == 4 else "L"
    return kind
