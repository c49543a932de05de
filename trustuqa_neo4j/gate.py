"""``Gate``: places for queries and questions that run at once; the others wait in the order of their arrival.

More threads than places would only take processor time from each other. A question holds its place from its
first read to its answer, and leaves it while a model writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock

from .deadline import Deadline, check_cancelled, on_cancel
from .errors import TimedOut
from .wording import CallOption

PLACES = 8
"""As many run at once by default: enough to wait for a distant server, and few enough for one interpreter."""


_held: ContextVar[tuple[Gate, Deadline] | None] = ContextVar("held", default=None)
"""The gate of the place that this thread holds, and the deadline of its question."""


class Gate:
    def __init__(self, places: int = PLACES) -> None:
        self._places = self._free = places
        self._lock = Lock()
        self._queue: dict[Event, None] = {}

    @property
    def running(self) -> int:
        return self._places - self._free

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @contextmanager
    def enter(self, deadline: Deadline) -> Iterator[None]:
        """Wait for a place, and hold it inside ``with``; whoever holds one enters at once.

        Raises:
            TimedOut, Cancelled
        """
        if self._is_held():
            yield
            return
        self._take(deadline)
        token = _held.set((self, deadline))
        try:
            yield
        finally:
            _held.reset(token)
            self._give_back()

    @contextmanager
    def leave(self) -> Iterator[None]:
        """Leave the place that is held, if any, inside ``with``, and wait for another one after it.

        Raises:
            TimedOut, Cancelled
        """
        place = _held.get()
        if place is None or not self._is_held():
            yield
            return
        token = _held.set(None)
        self._give_back()
        try:
            yield
        finally:
            # ``enter`` gives back a place in any case, so one is taken in any case.
            self._take_back(place[1])
            _held.reset(token)

    def _is_held(self) -> bool:
        place = _held.get()
        return place is not None and place[0] is self

    def _take(self, deadline: Deadline) -> None:
        left = deadline.left()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = Event()
            self._queue[turn] = None
        with on_cancel(deadline.cancelled, turn.set):
            turn.wait(left)
        with self._lock:
            is_passed_on = turn not in self._queue
            self._queue.pop(turn, None)
        if is_passed_on and not _is_cancelled(deadline):
            return
        if is_passed_on:
            self._give_back()
        check_cancelled(deadline.cancelled)
        raise TimedOut(
            f"no free place among {self._places} for {left:g} seconds",
            hint=f"allow more time ({CallOption.TIMEOUT}), or ask fewer questions at a time",
        )

    def _take_back(self, deadline: Deadline) -> None:
        try:
            self._take(deadline)
        except BaseException:
            # The question ends: its place counts as taken until ``enter`` gives it back.
            with self._lock:
                self._free -= 1
            raise

    def _give_back(self) -> None:
        with self._lock:
            self._free += 1
            # Less than one is free while questions end whose time is over.
            if self._free > 0 and self._queue:
                self._free -= 1
                turn = next(iter(self._queue))
                del self._queue[turn]
                turn.set()


def _is_cancelled(deadline: Deadline) -> bool:
    return deadline.cancelled is not None and deadline.cancelled.is_set()
