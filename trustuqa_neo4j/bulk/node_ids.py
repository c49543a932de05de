"""The nodes and facts that a bulk load has read, in arrays: ids by key, values and degrees by id.

Millions of keys in a dictionary would take half a kilobyte each, with one look-up for each; here a node
takes some thirty bytes, all facts share one filter, and all keys of a batch are looked up at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import nan
from mmap import mmap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Truths = NDArray[np.bool_]


FILTER_BYTES = 1 << 25
"""Size of the filter of facts: at ten million facts, one new fact in two hundred seems to be repeated."""

_SHARDS = 16
_MAX_LOAD = 0.75
_GROWTH = 1.25
_CHECK_MASK = 0xFFFF


class NodeIds:
    # Two independent hashes, 80 bits together, identify a key: among a hundred million keys, the
    # odds that two are taken for one are one in two hundred million. The keys themselves (the
    # alternative) would have to be held in memory or looked up in a file.
    def __init__(self) -> None:
        self._shards = [_Shard() for _ in range(_SHARDS)]

    def find(self, keys: KeyHashes) -> Ints:
        # -1: a key without id.
        hashes, checks = keys
        ids = np.full(len(hashes), -1, np.int64)
        for shard, indexes in self._split(hashes):
            ids[indexes] = shard.find(hashes[indexes], checks[indexes])
        return ids

    def add(self, keys: KeyHashes, ids: Ints) -> None:
        # ``keys`` are distinct and have no id.
        hashes, checks = keys
        for shard, indexes in self._split(hashes):
            shard.add(hashes[indexes], checks[indexes], ids[indexes])

    def _split(self, hashes: Ints) -> list[tuple[_Shard, Ints]]:
        shard_numbers = hashes % _SHARDS
        order = np.argsort(shard_numbers, kind="stable")
        bounds = np.searchsorted(shard_numbers[order], np.arange(_SHARDS + 1))
        return [
            (shard, order[first:last])
            for shard, first, last in zip(self._shards, bounds[:-1], bounds[1:], strict=True)
            if first < last
        ]


class KeyHashes(NamedTuple):
    hashes: Ints
    checks: Ints

    def select(self, indexes: Ints) -> KeyHashes:
        return KeyHashes(self.hashes[indexes], self.checks[indexes])


def hash_keys(keys: Sequence[str]) -> KeyHashes:
    # The first hash is never 0, which marks a free slot.
    hashes = np.fromiter(map(hash, keys), np.int64, len(keys))
    hashes[hashes == 0] = 1
    checks = np.fromiter((hash(key + "\0") & _CHECK_MASK for key in keys), np.int64, len(keys))
    return KeyHashes(hashes, checks)


class _Shard:
    # Only one shard at a time is copied to grow.
    def __init__(self) -> None:
        self._used = 0
        self._allocate(1024)

    def _allocate(self, size: int) -> None:
        # Memory maps of their own: malloc would keep half of the memory that is freed.
        self._size = size
        self._hashes = np.frombuffer(mmap(-1, 8 * size), np.int64)
        self._checks = np.frombuffer(mmap(-1, 2 * size), np.uint16)
        self._ids = np.frombuffer(mmap(-1, 4 * size), np.uint32)

    def find(self, hashes: Ints, checks: Ints) -> Ints:
        ids = np.full(len(hashes), -1, np.int64)
        slots = self._first_slots(hashes)
        pending = np.arange(len(hashes))
        while len(pending):
            stored = self._hashes[slots]
            is_same = (stored == hashes[pending]) & (self._checks[slots] == checks[pending])
            ids[pending[is_same]] = self._ids[slots[is_same]]
            is_pending = (stored != 0) & ~is_same
            pending, slots = pending[is_pending], (slots[is_pending] + 1) % self._size
        return ids

    def add(self, hashes: Ints, checks: Ints, ids: Ints) -> None:
        self._used += len(hashes)
        if self._used > self._size * _MAX_LOAD:
            columns = self._hashes, self._checks, self._ids
            slots = np.flatnonzero(self._hashes)
            self._allocate(int(self._used / _MAX_LOAD * _GROWTH))
            self._insert(*(column[slots].astype(np.int64) for column in columns))
        self._insert(hashes, checks, ids)

    def _insert(self, hashes: Ints, checks: Ints, ids: Ints) -> None:
        slots = self._first_slots(hashes)
        pending = np.arange(len(hashes))
        while len(pending):
            is_free = self._hashes[slots] == 0
            candidates, free_slots = pending[is_free], slots[is_free]
            # Of several candidates for a slot the last gets it; the others see another id there.
            self._ids[free_slots] = ids[candidates]
            is_stored = self._ids[free_slots] == ids[candidates]
            self._hashes[free_slots[is_stored]] = hashes[candidates[is_stored]]
            self._checks[free_slots[is_stored]] = checks[candidates[is_stored]]
            is_pending = ~is_free
            is_pending[is_free] = ~is_stored
            pending, slots = pending[is_pending], (slots[is_pending] + 1) % self._size

    def _first_slots(self, hashes: Ints) -> Ints:
        slots: Ints = hashes // _SHARDS % self._size
        return slots


class BloomFilter:
    # Two bits a hash: "new" is certain, "repeated" is only likely.
    def __init__(self, size: int = FILTER_BYTES) -> None:
        assert size & (size - 1) == 0, "a power of two"
        self._bits = np.zeros(size, np.uint8)
        self._mask = 8 * size - 1

    def check_and_add(self, hashes: Ints) -> Truths:
        # Whether each of the distinct 64-bit ``hashes`` seems to be repeated; then add all.
        bits = self._bits
        is_repeated = np.ones(len(hashes), np.bool_)
        positions = [hashes & self._mask, (hashes >> 32) & self._mask]
        for position in positions:
            is_repeated &= (bits[position >> 3] >> (position & 7).astype(np.uint8)) & 1 == 1
        for position in positions:
            new = position[~is_repeated]
            np.bitwise_or.at(bits, new >> 3, np.left_shift(1, new & 7).astype(np.uint8))
        return is_repeated


def hash_facts(relations: Ints, heads: Ints, tails: Ints) -> Ints:
    # 64 bits, from the number of the relation and the ids of the ends.
    mixed = (heads | tails << 32).astype(np.uint64) ^ relations.astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    # The finalizer of splitmix64: each bit of the result depends on each bit of the input.
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(factor)
    hashes: Ints = (mixed ^ mixed >> np.uint64(31)).astype(np.int64)
    return hashes


_PLAIN = 0
_NAMELESS = 1
_VALUES = 2  # from here on: the index of a value, plus two

_MAX_DEGREE = 0xFFFF
"""Degrees are counted up to here, far above the degree of a hub."""


class NodeData:
    def __init__(self) -> None:
        self.empty: int = -1
        self._degrees = array("H")
        self._kinds = array("I")
        self._numbers = array("d")
        self._dates = array("q")  # indexes of the values that are dates: far fewer than numbers
        self._starts = array("q")
        self._ends = array("q")

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self) -> int:
        return self._add(_PLAIN)

    def add_nameless(self) -> int:
        return self._add(_NAMELESS)

    def add_value(self, name: str, number: float | None, start: int | None, end: int | None) -> int:
        if number is None and start is None:
            node = self._add(_PLAIN)
            self.empty = self.empty if name else node
            return node
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

    def count_facts(self, heads: Ints, tails: Ints) -> None:
        # A fact from a node to itself counts once.
        degrees = np.frombuffer(self._degrees, np.uint16)
        ends = np.concatenate([heads, tails[tails != heads]])
        nodes, counts = np.unique(ends, return_counts=True)
        degrees[nodes] = np.minimum(degrees[nodes] + counts, _MAX_DEGREE)

    def have_more_facts(self, degree: int) -> Truths:
        is_above: Truths = np.frombuffer(self._degrees, np.uint16) > degree
        return is_above

    def value_indexes(self, nodes: Ints) -> Ints:
        # Negative for nodes that are not values.
        indexes: Ints = np.frombuffer(self._kinds, np.uint32)[nodes].astype(np.int64) - _VALUES
        return indexes

    def has_name(self, node: int) -> bool:
        return self._kinds[node] != _NAMELESS

    def numbers(self, value_indexes: Ints) -> list[float]:
        values = np.frombuffer(self._numbers, np.float64)[value_indexes]
        numbers: list[float] = values[~np.isnan(values)].tolist()
        return numbers

    def days(self, value_indexes: Ints) -> tuple[list[int], list[int]]:
        if not self._dates:
            return [], []
        dates = np.frombuffer(self._dates, np.int64)
        rows = np.searchsorted(dates, value_indexes)
        rows = rows[dates[np.minimum(rows, len(dates) - 1)] == value_indexes]
        starts, ends = (np.frombuffer(days, np.int64)[rows] for days in (self._starts, self._ends))
        return starts.tolist(), ends.tolist()
