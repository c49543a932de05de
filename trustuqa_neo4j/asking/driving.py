"""Runs a dialogue: gives each request to the world, and sends its reply back.

The clock of a question stands here: each request gets what is left of its time, and is not made when
nothing is left or the question was cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any, Protocol, TypeVar, cast

from ..answer import Answer, Sent, Stage
from ..compiling import Program, Read
from ..dataset import Scope
from ..errors import Cancelled, TimedOut
from ..llm.messages import Completion
from ..recording import Recorder
from .dialogue import Complete, Dialogue, Look, Run

T = TypeVar("T")

Listener = Callable[[Stage], None]
"""Called with each stage as it ends."""


@dataclass(frozen=True)
class Clock:
    """The time of one question: seconds that it may take, and whether it was cancelled meanwhile."""

    seconds: float
    cancelled: Event | None = None
    begun: float = field(default_factory=monotonic)

    def left(self) -> float:
        """Seconds that are left.

        Raises:
            TimedOut, Cancelled
        """
        if self.cancelled is not None and self.cancelled.is_set():
            raise Cancelled("the question was cancelled")
        left = self.seconds - (monotonic() - self.begun)
        if left <= 0:
            raise TimedOut(
                f"the question took longer than {self.seconds:g} seconds",
                hint="give it more time (--timeout), or ask of one dataset or source",
            )
        return left


class World(Protocol):
    """What a synchronous dialogue asks; ``seconds`` is what each may take."""

    def look(self, program: Callable[[], Program[T]], seconds: float) -> T:
        """What the program returns, run in one read transaction."""

    def run(self, query: str, scope: Scope, seconds: float) -> Answer:
        """The answer of a query."""

    def complete(self, request: Complete, seconds: float) -> Completion:
        """What the model replies."""


class AsyncWorld(Protocol):
    """As ``World``, awaited."""

    def look(self, program: Callable[[], Program[T]], seconds: float) -> Awaitable[T]:
        """What the program returns, run in one read transaction."""

    def run(self, query: str, scope: Scope, seconds: float) -> Awaitable[Answer]:
        """The answer of a query."""

    def complete(self, request: Complete, seconds: float) -> Awaitable[Completion]:
        """What the model replies."""


def drive(dialogue: Dialogue[T], world: World, clock: Clock, listen: Listener | None = None) -> T:
    """Run ``dialogue`` to its end.

    Raises:
        TimedOut, Cancelled, and what the world raises
    """
    with closing(_asked(dialogue, listen)) as asked:
        reply: Any = None
        try:
            while True:
                request = asked.send(reply)
                if isinstance(request, Look):
                    reply = world.look(request.program, clock.left())
                elif isinstance(request, Run):
                    reply = [world.run(*query, clock.left()) for query in request.queries]
                else:
                    reply = world.complete(request, clock.left())
        except StopIteration as end:
            return cast(T, end.value)


async def adrive(
    dialogue: Dialogue[T], world: AsyncWorld, clock: Clock, listen: Listener | None = None
) -> T:
    """As ``drive``; the queries of one request are run at the same time."""
    with closing(_asked(dialogue, listen)) as asked:
        reply: Any = None
        try:
            while True:
                request = asked.send(reply)
                if isinstance(request, Look):
                    reply = await world.look(request.program, clock.left())
                elif isinstance(request, Run):
                    running = (world.run(*query, clock.left()) for query in request.queries)
                    reply = list(await asyncio.gather(*running))
                else:
                    reply = await world.complete(request, clock.left())
        except StopIteration as end:
            return cast(T, end.value)


def _asked(
    dialogue: Dialogue[T], listen: Listener | None
) -> Generator[Look | Run | Complete, Any, T]:
    """What ``dialogue`` asks of the world: stages are told on the way, and programs made to be traced."""
    reply: Any = None
    with closing(dialogue):
        try:
            while True:
                request = dialogue.send(reply)
                reply = None
                if isinstance(request, Look):
                    reply = yield Look(lambda program=request.program: traced(program()))  # type: ignore[misc]
                elif not isinstance(request, Stage):
                    reply = yield request
                elif listen is not None:
                    listen(request)
        except StopIteration as end:
            return cast(T, end.value)


def traced(program: Program[T]) -> Program[tuple[T, tuple[Sent, ...]]]:
    """``program``, which also returns the statements that it sent."""
    recorder = Recorder(monotonic())
    reply: Any = None
    try:
        while True:
            request = program.send(reply)
            reply = (
                (yield from recorder.read(request))
                if isinstance(request, Read)
                else (yield request)
            )
    except StopIteration as end:
        return cast(T, end.value), tuple(recorder.sent)
