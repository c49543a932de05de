"""Ctrl-C, held back while something is written.

Interrupted in the middle, the driver gives up its connection and may raise an error of its own instead, and
Python loses an interruption that comes while an object is being deleted. So it is noted, and let through
where it does no harm. The alternative, to let it through outside of transactions only, still lost one in
thirty: sessions are deleted whenever Python collects its garbage.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interruptions:
    """Ctrl-C, noted; ``handle`` is what was to be done about it."""

    def __init__(self, handle: Callable[[int, FrameType | None], Any]) -> None:
        self._handle = handle
        self._noted = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """Note Ctrl-C; a second one is let through at once."""
        if self._noted:
            self._handle(number, frame)
        self._noted = True

    def let_through(self) -> None:
        """Interrupt here, if Ctrl-C was noted.

        Raises:
            KeyboardInterrupt
        """
        if self._noted:
            self._noted = False
            self._handle(signal.SIGINT, None)


@contextmanager
def unbroken() -> Iterator[Interruptions]:
    """Let Ctrl-C through only where the code inside says so, and at its end.

    Threads other than the main one are never interrupted, and who ignores Ctrl-C goes on ignoring it.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield Interruptions(lambda _number, _frame: None)
        return
    interruptions = Interruptions(before)
    signal.signal(signal.SIGINT, interruptions.note)
    try:
        yield interruptions
    finally:
        signal.signal(signal.SIGINT, before)
    interruptions.let_through()
