"""Words of a question that belong together, and the positions of all words of several such spans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class WordSpan:
    """The words from ``first`` to before ``last``."""

    __slots__ = ()
    first: int
    last: int

    @property
    def positions(self) -> frozenset[int]:
        return frozenset(range(self.first, self.last))


class _HasPositions(Protocol):
    @property
    def positions(self) -> frozenset[int]: ...


def collect_positions(spans: Iterable[_HasPositions]) -> frozenset[int]:
    """Return the positions of the words of spans."""
    return frozenset[int]().union(*(span.positions for span in spans))
