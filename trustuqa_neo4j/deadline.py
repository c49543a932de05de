"""Deadlines and cancellation of questions, for work in several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from .errors import Cancelled, TimedOut
from .wording import CallOption

T = TypeVar("T")

_ITEMS_BETWEEN_CHECKS = 1_000


class Cancellation(Event):
    """An event that calls functions when it is set, so that they interrupt waiting threads.

    It also counts as set if ``outer`` is set.
    """

    def __init__(self, outer: Event | None = None) -> None:
        super().__init__()
        self._outer = outer
        self._callbacks: dict[object, Callable[[], object]] = {}
        self._lock = Lock()

    def is_set(self) -> bool:
        return super().is_set() or (self._outer is not None and self._outer.is_set())

    def set(self) -> None:
        with self._lock:
            super().set()
            callbacks = list(self._callbacks.values())
        for callback in callbacks:
            callback()

    def add(self, callback: Callable[[], object]) -> object:
        """Register ``callback``, or call it now if the event is set; return the key for ``remove``."""
        key = object()
        with self._lock:
            self._callbacks[key] = callback
            if not self.is_set():
                return key
        callback()
        return key

    def remove(self, key: object) -> None:
        with self._lock:
            self._callbacks.pop(key, None)


@contextmanager
def on_cancel(cancelled: Event | None, callback: Callable[[], object]) -> Iterator[None]:
    """Call ``callback`` if ``cancelled`` is set inside ``with``; a plain event calls nothing."""
    if not isinstance(cancelled, Cancellation):
        yield
        return
    key = cancelled.add(callback)
    try:
        yield
    finally:
        cancelled.remove(key)


def check_cancelled(cancelled: Event | None) -> None:
    if cancelled is not None and cancelled.is_set():
        raise Cancelled("the question was cancelled")


@dataclass(frozen=True)
class Deadline:
    """The time of one question in seconds, and the event that cancels it."""

    seconds: float
    cancelled: Event | None = None
    started: float = field(default_factory=monotonic)

    def left(self) -> float:
        """Return the remaining seconds.

        Raises:
            TimedOut, Cancelled
        """
        check_cancelled(self.cancelled)
        left = self.seconds - (monotonic() - self.started)
        if left <= 0:
            raise TimedOut(
                f"the question took longer than {self.seconds:g} seconds",
                hint=f"give it more time ({CallOption.TIMEOUT}), or ask one dataset or source",
            )
        return left

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let ``check_time`` and ``watch`` look at this deadline inside ``with``, in this thread."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


# Implicit, since pure functions that loop over many rows know no reader.
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def check_time() -> None:
    """Refuse to go on once the time of the question is over, or it is cancelled.

    Raises:
        TimedOut, Cancelled
    """
    deadline = _current.get()
    if deadline is not None:
        deadline.left()


def watch(items: Iterable[T]) -> Iterator[T]:
    """Yield ``items`` as long as there is time.

    Raises:
        TimedOut, Cancelled
    """
    iterator = iter(items)
    while True:
        # In batches: a check for each item would take as long as the work on it.
        batch = tuple(islice(iterator, _ITEMS_BETWEEN_CHECKS))
        yield from batch
        if len(batch) < _ITEMS_BETWEEN_CHECKS:
            return
        check_time()
