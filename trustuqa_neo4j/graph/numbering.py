"""What a bulk load remembers of what it has read, in arrays: which node a key is, and which facts there were.

Millions of keys as a dictionary would take half a kilobyte each; here a node takes some thirty bytes, and
facts share one filter.
"""

from __future__ import annotations

from array import array

RECENT = 100_000
"""Keys that are also kept as they are: most are asked for again soon."""

FILTER_BYTES = 1 << 25
"""Size of the filter of facts: at ten million of them, one in two hundred seems to be a repetition."""

_SHARDS = 64
_FULL = 0.7
_GROWTH = 1.3
_CHECK = 0xFFFFFFFF


class Numbers:
    """Numbers of nodes by their keys, from 0 on; ``recent`` holds some of them as a dictionary.

    A key is known by two independent hashes, 96 bits together: among a hundred million keys, the odds that
    two are taken for one are one in ten million million. The keys themselves (the alternative) would have
    to be held in memory or looked up in a file.
    """

    def __init__(self) -> None:
        self.recent: dict[str, int] = {}
        self._shards = [_Shard() for _ in range(_SHARDS)]

    def find(self, key: str) -> int | None:
        """The number of ``key``; None where it has none."""
        number = self.recent.get(key)
        if number is not None:
            return number
        told = hash(key) or 1
        number = self._shards[told % _SHARDS].find(told, key)
        if number is not None:
            self._remember(key, number)
        return number

    def __getitem__(self, key: str) -> int:
        number = self.find(key)
        if number is None:
            raise KeyError(key)
        return number

    def recall(self, key: str) -> bool:
        """Whether ``key`` has a number; it is likely to be asked for soon."""
        return self.find(key) is not None

    def add(self, key: str, number: int) -> None:
        """Give ``key``, which has none, a number."""
        told = hash(key) or 1
        self._shards[told % _SHARDS].add(told, key, number)
        self._remember(key, number)

    def _remember(self, key: str, number: int) -> None:
        if len(self.recent) >= RECENT:
            self.recent.clear()
        self.recent[key] = number


class _Shard:
    """A part of the keys, by their hashes: only one at a time grows, and is then held twice."""

    def __init__(self) -> None:
        self._used = 0
        self._room(64)

    def _room(self, size: int) -> None:
        self._size = size
        self._hashes = array("q", bytes(8 * size))
        self._checks = array("I", bytes(4 * size))
        self._numbers = array("I", bytes(4 * size))

    def find(self, told: int, key: str) -> int | None:
        hashes, size = self._hashes, self._size
        place = told // _SHARDS % size
        while seen := hashes[place]:
            if seen == told and self._checks[place] == _check(key):
                return self._numbers[place]
            place = place + 1 if place + 1 < size else 0
        return None

    def add(self, told: int, key: str, number: int) -> None:
        if self._used > self._size * _FULL:
            self._grow()
        self._used += 1
        self._put(told, _check(key), number)

    def _put(self, told: int, check: int, number: int) -> None:
        hashes, size = self._hashes, self._size
        place = told // _SHARDS % size
        while hashes[place]:
            place = place + 1 if place + 1 < size else 0
        hashes[place] = told
        self._checks[place] = check
        self._numbers[place] = number

    def _grow(self) -> None:
        before = zip(self._hashes, self._checks, self._numbers, strict=True)
        self._room(int(self._size * _GROWTH))
        for told, check, number in before:
            if told:
                self._put(told, check, number)


def _check(key: str) -> int:
    return hash(key + "\0") & _CHECK


class Filter:
    """Which hashes have been met: never wrong about a new one, now and then about a repeated one.

    That is: "new" is certain, "met before" is likely (a Bloom filter with two bits a hash).
    """

    def __init__(self, size: int = FILTER_BYTES) -> None:
        assert size & (size - 1) == 0, "a power of two"
        self._bits = bytearray(size)
        self._mask = 8 * size - 1

    def met(self, told: int) -> bool:
        """Whether the 64-bit hash ``told`` seems to have been met before; from now on it has been."""
        bits, mask = self._bits, self._mask
        one, two = told & mask, (told >> 32) & mask
        first, second = 1 << (one & 7), 1 << (two & 7)
        one >>= 3
        two >>= 3
        if bits[one] & first and bits[two] & second:
            return True
        bits[one] |= first
        bits[two] |= second
        return False
