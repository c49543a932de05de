"""``Gate``: places for queries and questions that run at once; the others wait in the order of their arrival.

More threads than places would only take processor time from each other: one interpreter computes for one of
them at a time. Whoever has run for long waits for the database most of the time, and counts no more: so a
slow question keeps no place from the short ones. A question holds its place from its first read to its
answer, and leaves it while a model writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Event, Lock
from time import monotonic

from .deadline import Deadline, check_cancelled, on_cancel
from .errors import TimedOut
from .wording import CallOption

PLACES = 3
"""As many short ones run at once by default: one computes while the others wait for the database."""

MOST = 8
"""As many run at once at most, with those that have run for long: enough for a database of a few cores."""

LONG = 0.05
"""Seconds after which a place is free for the next, although who has it goes on."""


@dataclass(frozen=True, eq=False, slots=True)
class _Turn:
    """The wait for a place, and the place; ``called`` is set once it is taken, or the wait is cancelled."""

    deadline: Deadline
    called: Event = field(default_factory=Event)


_held: ContextVar[tuple[Gate, _Turn] | None] = ContextVar("held", default=None)
"""The gate of the place that this thread holds, and the place."""


class Gate:
    """``places`` are for those that have run for less than ``LONG``; at most ``most`` run in all."""

    def __init__(self, places: int = PLACES, most: int = MOST) -> None:
        self._places = places
        self._most = most
        self._lock = Lock()
        self._queue: dict[_Turn, None] = {}
        self._began: dict[_Turn, float] = {}

    @property
    def running(self) -> int:
        return len(self._began)

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @contextmanager
    def enter(self, deadline: Deadline) -> Iterator[None]:
        """Wait for a place, and hold it inside ``with``; whoever holds one enters at once.

        A cancelled question holds it no longer, although it may compute for another moment.

        Raises:
            TimedOut, Cancelled
        """
        if self._held_turn() is not None:
            yield
            return
        turn = _Turn(deadline)
        token = _held.set((self, turn))
        try:
            self._take(turn)
            with on_cancel(deadline.cancelled, lambda: self._give_back(turn)):
                yield
        finally:
            _held.reset(token)
            self._give_back(turn)

    @contextmanager
    def leave(self) -> Iterator[None]:
        """Leave the place that is held, if any, inside ``with``, and wait for another one after it.

        Raises:
            TimedOut, Cancelled
        """
        turn = self._held_turn()
        if turn is None:
            yield
            return
        token = _held.set(None)
        self._give_back(turn)
        try:
            yield
        finally:
            _held.reset(token)
            turn.called.clear()
            self._take(turn)

    def _held_turn(self) -> _Turn | None:
        held = _held.get()
        return held[1] if held is not None and held[0] is self else None

    def _take(self, turn: _Turn) -> None:
        deadline = turn.deadline
        left = deadline.left()
        end = monotonic() + left
        with self._lock:
            self._queue[turn] = None
            self._admit()
            position = len(self._queue)
        with on_cancel(deadline.cancelled, turn.called.set):
            # Nobody calls when a place has been held for long, so those that wait look for themselves.
            while not turn.called.wait(min(position * LONG, end - monotonic())):
                with self._lock:
                    self._admit()
                if monotonic() >= end:
                    break
        with self._lock:
            self._queue.pop(turn, None)
            is_in = turn in self._began
        check_cancelled(deadline.cancelled)
        if not is_in:
            raise TimedOut(
                f"no free place among {self._most} for {left:g} seconds",
                hint=f"allow more time ({CallOption.TIMEOUT}), or ask fewer questions at a time",
            )

    def _give_back(self, turn: _Turn) -> None:
        with self._lock:
            self._began.pop(turn, None)
            self._admit()

    def _admit(self) -> None:
        """Call those that come first while there is room; the lock is held."""
        now = monotonic()
        while self._queue and self._has_room(now):
            turn = next(iter(self._queue))
            del self._queue[turn]
            self._began[turn] = now
            turn.called.set()

    def _has_room(self, now: float) -> bool:
        if len(self._began) >= self._most:
            return False
        return sum(now - began < LONG for began in self._began.values()) < self._places
