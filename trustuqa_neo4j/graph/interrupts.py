"""Ctrl-C deferred while something is written.

If Ctrl-C interrupts a transaction, the driver gives up its connection and may raise an error of its own.
Python also loses an interrupt that arrives while an object is deleted. So it is recorded, and raised where
it does no harm. To defer it inside transactions only (the alternative) still lost one in thirty: Python
deletes sessions whenever it collects garbage.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class InterruptGuard:
    # ``handler`` is the signal handler that it replaces.
    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self._handler = handler
        self._is_pending = False

    def record(self, number: int, frame: FrameType | None) -> None:
        # A second Ctrl-C interrupts at once.
        if self._is_pending:
            self._handler(number, frame)
        self._is_pending = True

    def raise_pending(self) -> None:
        if self._is_pending:
            self._is_pending = False
            self._handler(signal.SIGINT, None)


@contextmanager
def defer_interrupts() -> Iterator[InterruptGuard]:
    """Let Ctrl-C interrupt only at ``raise_pending`` and at the end of the block.

    Threads other than the main one are never interrupted; a process that ignores Ctrl-C keeps ignoring it.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield InterruptGuard(lambda _number, _frame: None)
        return
    guard = InterruptGuard(handler)
    signal.signal(signal.SIGINT, guard.record)
    try:
        yield guard
    finally:
        signal.signal(signal.SIGINT, handler)
    guard.raise_pending()
