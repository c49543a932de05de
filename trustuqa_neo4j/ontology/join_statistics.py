"""How many nodes any two relation ends share, counted from the data.

Nodes with the same relations out of and into them and the same classes form one characteristic set
(Neumann and Moerkotte); its size is enough. If two ends share no node, a join of the two is empty.
A bitmap of nodes for each end would grow with the data, and one query would have to read it whole.
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

EndRole: TypeAlias = Literal["start", "end", "class"]

_SEPARATOR = "\x1f"
_LOWER_HALF = 0xFFFFFFFF

MAX_ENDS, MAX_PAIRS = 100_000, 500_000
"""Bounds of the statistics: one node with fifty thousand relations alone has a thousand million pairs."""


class RelationEnd(NamedTuple):
    """The nodes that a relation starts from (``start``) or leads to (``end``), or members of a class."""

    role: EndRole
    name: str


class CharacteristicSet(NamedTuple):
    starts: Sequence[str]
    ends: Sequence[str]
    classes: Sequence[str]
    is_nameless: bool
    nodes: int


@dataclass(frozen=True)
class JoinStatistics:
    """Sizes of relation ends, and the number of nodes that each pair of them shares.

    ``ends`` maps an end to its index in ``sizes`` and in ``nameless``, the number of nodes without a name.
    ``_pairs`` is sorted; a pair has the lower index in its upper half.
    """

    ends: dict[RelationEnd, int]
    sizes: Sequence[int]
    nameless: Sequence[int]
    _pairs: Sequence[int]
    _counts: Sequence[int]

    def count_nodes(self, end: RelationEnd) -> int:
        index = self.ends.get(end)
        return 0 if index is None else self.sizes[index]

    def count_nameless(self, end: RelationEnd) -> int:
        index = self.ends.get(end)
        return 0 if index is None else self.nameless[index]

    def count_shared(self, first: RelationEnd, second: RelationEnd) -> int:
        index, partner = self.ends.get(first), self.ends.get(second)
        if index is None or partner is None:
            return 0
        pair = _pack_pair(min(index, partner), max(index, partner))
        place = bisect_left(self._pairs, pair)
        is_present = place < len(self._pairs) and self._pairs[place] == pair
        return self._counts[place] if is_present else 0

    def joined_ends(self, end: RelationEnd, role: EndRole) -> list[RelationEnd]:
        index = self.ends.get(end)
        if index is None:
            return []
        partners = (self._ends[partner] for partner in self._partners[index])
        return [partner for partner in partners if partner.role == role]

    @cached_property
    def _ends(self) -> list[RelationEnd]:
        return list(self.ends)

    @cached_property
    def _partners(self) -> list[list[int]]:
        """End → the ends that share nodes with it, itself included; all by index."""
        partners: list[list[int]] = [[] for _ in self.ends]
        for pair in self._pairs:
            first, second = _unpack_pair(pair)
            partners[first].append(second)
            if first != second:
                partners[second].append(first)
        return partners

    @cached_property
    def relations_to_subjects(self) -> frozenset[str]:
        roles = [end.role for end in self._ends]
        indexes = set()
        for pair in self._pairs:
            first, second = _unpack_pair(pair)
            if (roles[first], roles[second]) == ("end", "start"):
                indexes.add(first)
            elif (roles[first], roles[second]) == ("start", "end"):
                indexes.add(second)
        return frozenset(self._ends[index].name for index in indexes)

    def to_parameters(self) -> dict[str, object]:
        return {
            "sides": [_SEPARATOR.join(end) for end in self.ends],
            "sizes": list(self.sizes),
            "nameless": list(self.nameless),
            "pairs": _compress("Q", self._pairs),
            "counts": _compress("L", self._counts),
        }

    @classmethod
    def from_parameters(
        cls,
        sides: Iterable[str],
        sizes: Sequence[int],
        nameless: Sequence[int],
        pairs: bytes,
        counts: bytes,
    ) -> JoinStatistics:
        stored = (RelationEnd(*side.split(_SEPARATOR, 1)) for side in sides)  # type: ignore[arg-type]  # a role
        ends = {end: index for index, end in enumerate(stored)}
        return cls(ends, sizes, nameless, _decompress("Q", pairs), _decompress("L", counts))


def count_joins(groups: Iterable[CharacteristicSet]) -> JoinStatistics:
    """Compute the statistics; they are empty if a bound on ends or pairs is exceeded."""
    ends: dict[RelationEnd, int] = {}
    sizes: list[int] = []
    nameless: list[int] = []
    shared: dict[int, int] = {}
    for group in groups:
        names_by_role: tuple[tuple[EndRole, Sequence[str]], ...] = (
            ("start", group.starts), ("end", group.ends), ("class", group.classes),
        )  # fmt: skip
        indexes = []
        for role, names in names_by_role:
            for name in names:
                index = ends.setdefault(RelationEnd(role, name), len(ends))
                if index == len(sizes):
                    sizes.append(0)
                    nameless.append(0)
                sizes[index] += group.nodes
                nameless[index] += group.nodes if group.is_nameless else 0
                indexes.append(index)
        pairs_of_group = len(indexes) * (len(indexes) + 1) // 2
        if max(len(shared), pairs_of_group) > MAX_PAIRS or len(ends) > MAX_ENDS:
            return JoinStatistics({}, (), (), (), ())
        for first, second in combinations_with_replacement(sorted(indexes), 2):
            pair = _pack_pair(first, second)
            shared[pair] = shared.get(pair, 0) + group.nodes
    pairs = sorted(shared)
    return JoinStatistics(ends, sizes, nameless, pairs, [shared[pair] for pair in pairs])


def _pack_pair(first: int, second: int) -> int:
    return first << 32 | second


def _unpack_pair(pair: int) -> tuple[int, int]:
    return pair >> 32, pair & _LOWER_HALF


def _compress(type_code: str, numbers: Sequence[int]) -> bytes:
    values = array(_native_code(type_code), numbers)
    if sys.byteorder == "big":
        values.byteswap()
    return zlib.compress(values.tobytes())


def _decompress(type_code: str, data: bytes) -> Sequence[int]:
    values = array(_native_code(type_code))
    values.frombytes(zlib.decompress(data))
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _native_code(type_code: str) -> str:
    """Return the code that has four bytes for L and eight for Q on this machine."""
    if type_code == "L":
        return "I" if array("I").itemsize == 4 else "L"
    return type_code
