"""``Admission``: how many requests the server accepts; the gate of the client decides which of them run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..gate import Gate
from .problems import ServerBusy


class Admission:
    """Counts requests in the event loop. ``waiting`` are those without a place, also while a model writes."""

    def __init__(self, gate: Gate, max_waiting: int) -> None:
        self._gate = gate
        self._max_waiting = max_waiting
        self._requests = 0

    @property
    def running(self) -> int:
        return min(self._gate.running, self._requests)

    @property
    def waiting(self) -> int:
        return self._requests - self.running

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Count a request inside ``with``.

        Raises:
            ServerBusy: too many wait already.
        """
        if self.waiting >= self._max_waiting:
            raise ServerBusy(f"{self.waiting:,} requests wait already", hint="try again later")
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
