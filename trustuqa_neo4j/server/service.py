"""``Service``: the methods of one client, for many requests at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ..answer import Answer, CheckReport, Stage
from ..client import TrustUQA
from ..model.demonstration import Demonstration
from ..trace import Listener
from .admission import Admission
from .options import ServerOptions
from .records import Records, SharedAnswers

T = TypeVar("T")


class ClientGone(Exception):
    """The client closed its connection before the response."""


class Service:
    """Asks, runs and checks for requests; ``answers`` are those that agents and the page can open again."""

    def __init__(self, tuqa: TrustUQA, options: ServerOptions, records: Records) -> None:
        self.tuqa = tuqa
        self.options = options
        self.records = records
        self.admission = Admission(
            tuqa.connection.gate, max(1, options.max_waiting // options.workers)
        )
        self.answers = SharedAnswers(records)

    async def ask(
        self, question: str, dataset: str | list[str] | None = None, **options: Any
    ) -> Answer:
        with self.admission.enter():
            return await self.tuqa.aask(question, dataset, **self._limit(options))

    async def run(
        self, query: str, dataset: str | list[str] | None = None, **options: Any
    ) -> Answer:
        with self.admission.enter():
            return await self.tuqa.arun(query, dataset, **self._limit(options))

    async def check(
        self, query: str, dataset: str | list[str] | None = None, **options: Any
    ) -> CheckReport:
        with self.admission.enter():
            return await self.tuqa.acheck(query, dataset, **self._limit(options))

    async def call(self, method: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call a method that has no asynchronous form, in a thread."""
        with self.admission.enter():
            return await run_in_threadpool(partial(method, *arguments, **options))

    async def teach(self, dataset: str, demonstration: Demonstration) -> Demonstration:
        """Store a demonstration, whose query runs first and must have an answer.

        Raises:
            UsageError: it has none; DataError: the question has another query that answers.
        """
        stored = await self.call(self.tuqa.demonstrations.teach, dataset, demonstration)
        self.records.take("examples", dataset)
        return stored

    def _limit(self, options: dict[str, Any]) -> dict[str, Any]:
        longest = self.options.timeout
        return {**options, "timeout": min(options.get("timeout") or longest, longest)}


class Work(Protocol):
    """A question or a query that has not begun."""

    def __call__(self, *, listen: Listener | None = None) -> Coroutine[Any, Any, Answer]: ...


async def follow_stages(work: Work) -> AsyncIterator[Stage | Answer]:
    """Yield the stages of a question as they end, then its answer; closing the iterator cancels it."""
    loop = asyncio.get_running_loop()
    stages: asyncio.Queue[Stage | None] = asyncio.Queue()

    # Stages end in a thread of the client.
    def listen(stage: Stage) -> None:
        loop.call_soon_threadsafe(stages.put_nowait, stage)

    task = asyncio.create_task(work(listen=listen))
    task.add_done_callback(lambda _: stages.put_nowait(None))
    try:
        while (stage := await stages.get()) is not None:
            yield stage
        yield await task
    finally:
        task.cancel()


async def run_while_connected(request: Request, work: Awaitable[T]) -> T:
    """Wait for ``work``; cancel it if the client closes the connection. The body must have been read.

    Raises:
        ClientGone
    """
    task = asyncio.ensure_future(work)

    async def cancel_when_closed() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        task.cancel()

    watch = asyncio.create_task(cancel_when_closed())
    try:
        await asyncio.wait((task,))
        if task.cancelled():
            raise ClientGone
        return task.result()
    finally:
        task.cancel()
        watch.cancel()
        with suppress(asyncio.CancelledError, anyio.EndOfStream):
            await watch
