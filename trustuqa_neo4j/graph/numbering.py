"""What a bulk load remembers of what it has read, in arrays: which node a key is, and which facts there were.

Millions of keys as a dictionary would take half a kilobyte each and be asked for one by one; here a node
takes some thirty bytes, facts share one filter, and all keys of a batch are asked for at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from mmap import mmap
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Truths = NDArray[np.bool_]

FILTER_BYTES = 1 << 25
"""Size of the filter of facts: at ten million of them, one in two hundred seems to be a repetition."""

_SHARDS = 16
_FULL = 0.75
_GROWTH = 1.2
_CHECK = 0xFFFF


class Numbers:
    """Numbers of nodes by their keys.

    A key is known by two independent hashes, 80 bits together: among a hundred million keys, the odds that
    two are taken for one are one in two hundred million. The keys themselves (the alternative) would have
    to be held in memory or looked up in a file.
    """

    def __init__(self) -> None:
        self._shards = [_Shard() for _ in range(_SHARDS)]

    def find(self, keys: Sequence[str]) -> Ints:
        """The number of each key; -1 where it has none."""
        hashes, checks = _hashes(keys)
        found = np.full(len(keys), -1, np.int64)
        for shard, which in self._parted(hashes):
            found[which] = shard.find(hashes[which], checks[which])
        return found

    def add(self, keys: Sequence[str], numbers: Ints) -> None:
        """Give keys, which are all different and have none, their numbers."""
        hashes, checks = _hashes(keys)
        for shard, which in self._parted(hashes):
            shard.add(hashes[which], checks[which], numbers[which])

    def _parted(self, hashes: Ints) -> list[tuple[_Shard, Ints]]:
        """Which of the hashes each shard has."""
        of = hashes % _SHARDS
        order = np.argsort(of, kind="stable")
        bounds = np.searchsorted(of[order], np.arange(_SHARDS + 1))
        return [
            (shard, order[first:last])
            for shard, first, last in zip(self._shards, bounds[:-1], bounds[1:], strict=True)
            if first < last
        ]


def _hashes(keys: Sequence[str]) -> tuple[Ints, Ints]:
    """Two hashes of each key; the first is never 0, which stands for none."""
    hashes = np.fromiter(map(hash, keys), np.int64, len(keys))
    hashes[hashes == 0] = 1
    checks = np.fromiter((hash(key + "\0") & _CHECK for key in keys), np.int64, len(keys))
    return hashes, checks


class _Shard:
    """A part of the keys, by their hashes: only one at a time grows, and is then held twice."""

    def __init__(self) -> None:
        self._used = 0
        self._room(1024)

    def _room(self, size: int) -> None:
        # Pages of their own: of what malloc is given back it would keep half for nothing.
        self._size = size
        self._hashes = np.frombuffer(mmap(-1, 8 * size), np.int64)
        self._checks = np.frombuffer(mmap(-1, 2 * size), np.uint16)
        self._numbers = np.frombuffer(mmap(-1, 4 * size), np.uint32)

    def find(self, hashes: Ints, checks: Ints) -> Ints:
        found = np.full(len(hashes), -1, np.int64)
        places = self._first(hashes)
        left = np.arange(len(hashes))
        while len(left):
            seen = self._hashes[places]
            same = (seen == hashes[left]) & (self._checks[places] == checks[left])
            found[left[same]] = self._numbers[places[same]]
            more = (seen != 0) & ~same
            left, places = left[more], (places[more] + 1) % self._size
        return found

    def add(self, hashes: Ints, checks: Ints, numbers: Ints) -> None:
        self._used += len(hashes)
        if self._used > self._size * _FULL:
            before = self._hashes, self._checks, self._numbers
            kept = np.flatnonzero(self._hashes)
            self._room(int(self._used / _FULL * _GROWTH))
            self._put(*(array[kept].astype(np.int64) for array in before))
        self._put(hashes, checks, numbers)

    def _put(self, hashes: Ints, checks: Ints, numbers: Ints) -> None:
        places = self._first(hashes)
        left = np.arange(len(hashes))
        while len(left):
            free = self._hashes[places] == 0
            tried, taken = left[free], places[free]
            # Of those that want one place the last gets it; the others see that it is not theirs.
            self._numbers[taken] = numbers[tried]
            got = self._numbers[taken] == numbers[tried]
            self._hashes[taken[got]] = hashes[tried[got]]
            self._checks[taken[got]] = checks[tried[got]]
            more = ~free
            more[free] = ~got
            left, places = left[more], (places[more] + 1) % self._size

    def _first(self, hashes: Ints) -> Ints:
        first: Ints = hashes // _SHARDS % self._size
        return first


class Filter:
    """Which hashes have been met: never wrong about a new one, now and then about a repeated one.

    That is: "new" is certain, "met before" is likely (a Bloom filter with two bits a hash).
    """

    def __init__(self, size: int = FILTER_BYTES) -> None:
        assert size & (size - 1) == 0, "a power of two"
        self._bits = np.zeros(size, np.uint8)
        self._mask = 8 * size - 1

    def met(self, hashes: Ints) -> Truths:
        """Which of the 64-bit ``hashes``, all different, seem to have been met before; now they all have."""
        bits = self._bits
        met = np.ones(len(hashes), np.bool_)
        places = [hashes & self._mask, (hashes >> 32) & self._mask]
        for place in places:
            met &= (bits[place >> 3] >> (place & 7).astype(np.uint8)) & 1 == 1
        for place in places:
            new = place[~met]
            np.bitwise_or.at(bits, new >> 3, np.left_shift(1, new & 7).astype(np.uint8))
        return met


def hashes_of(group: Ints, heads: Ints, tails: Ints) -> Ints:
    """A 64-bit hash of each fact, by the numbers of its group and of its ends."""
    mixed = (heads | tails << 32).astype(np.uint64) ^ group.astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    # The finish of splitmix64: each bit of the outcome depends on each bit that goes in.
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(factor)
    finished: Ints = (mixed ^ mixed >> np.uint64(31)).astype(np.int64)
    return finished
