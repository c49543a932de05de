"""Deadlines, cancellation and bounded work of questions, for work in several threads.

A deadline depends on the machine, and a loop may not look at it. So the reader of questions also counts its
work before it does it, and refuses a question that would take too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from .context_value import hold_value
from .errors import Cancelled, QuestionTooLong, TimedOut
from .wording import CallOption

T = TypeVar("T")

TIMEOUT = 60.0
"""Seconds for a question or a query by default."""

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
                f"the question took longer than {round(self.seconds, 2):g} seconds",
                hint=f"give it more time ({CallOption.TIMEOUT}), or ask one dataset or source",
            )
        return left

    def applied(self) -> AbstractContextManager[None]:
        """Let ``check_time`` and ``watch`` look at this deadline inside ``with``, in this thread."""
        return hold_value(_current, self)


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


@dataclass
class Workload:
    """The work on a question in steps of about a microsecond, and how much of it there may be.

    ``subject`` says in a message what is too much, such as *40 words over 500 columns*. ``whole`` is the
    work of which this one is a part: a question that is read several times.
    """

    subject: str
    limit: int
    steps: int = 0
    whole: Workload | None = None
    _checked: int = 0

    def add(self, steps: int) -> None:
        """Count steps that are about to be made.

        Raises:
            QuestionTooLong: they are too many.
            TimedOut, Cancelled
        """
        self.steps += steps
        if self.whole is not None:
            self.whole.add(steps)
        if self.steps > self.limit:
            raise QuestionTooLong(
                f"the question has too many words and conditions to be read ({self.subject})",
                where=f"more than {self.limit:,} combinations",
                hint="ask in fewer words, with fewer numbers and names, or split it into several questions",
            )
        if self.steps - self._checked >= _STEPS_BETWEEN_CHECKS:
            self._checked = self.steps
            check_time()

    def applied(self) -> AbstractContextManager[None]:
        """Let ``count_steps`` count here inside ``with``, in this thread, and in the work around it."""
        self.whole = _workload.get()
        return hold_value(_workload, self)


_STEPS_BETWEEN_CHECKS = 20_000
_workload: ContextVar[Workload | None] = ContextVar("workload", default=None)


def count_steps(steps: int) -> None:
    """Count steps of the current workload before they are made.

    Raises:
        QuestionTooLong, TimedOut, Cancelled
    """
    workload = _workload.get()
    if workload is not None:
        workload.add(steps)


def count_each(items: Iterable[T], steps: int) -> Iterator[T]:
    """Yield ``items``, and count ``steps`` for the work on each.

    Raises:
        QuestionTooLong, TimedOut, Cancelled
    """
    for item in items:
        count_steps(steps)
        yield item
