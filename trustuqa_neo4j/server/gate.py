"""``Gate``: how many requests use the database at once; the others wait in the order in which they came."""

from __future__ import annotations

from asyncio import Semaphore
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .request_errors import ServerBusy


class Gate:
    def __init__(self, at_once: int, max_waiting: int) -> None:
        self._places = Semaphore(at_once)
        self._max_waiting = max_waiting
        self.waiting = 0
        self.running = 0

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Wait for a place, and hold it.

        Raises:
            ServerBusy: too many wait already.
        """
        if self.waiting >= self._max_waiting:
            raise ServerBusy(f"{self.waiting:,} requests wait already", hint="try again later")
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._places.release()
