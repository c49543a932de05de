"""``Service``: the methods of one client, for many requests at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from anyio import CapacityLimiter
from starlette.requests import Request

from ..answer import Answer, CheckReport, Stage
from ..client import TrustUQA
from ..gate import MOST
from ..graph.catalog import DEMONSTRATION_STATES as STORED_STATES
from ..mcp.answers import KeptAnswers
from ..model.demonstration import Demonstration, DemonstrationState
from ..time_limit import run_in_own_thread, wait_for_answer, wait_within
from ..trace import Listener
from .admission import Admission
from .metrics import Metrics
from .options import ServerOptions

T = TypeVar("T")

_HEALTH_TIMEOUT = 5.0
"""Seconds; programs that watch the server wait hardly longer."""

_HINT = "GET /healthz tells whether the database answers"


class ClientGone(Exception):
    """The client closed its connection before the response."""


class Service:
    """Asks, runs and checks for requests.

    ``answers`` are those that agents and the page can open again; ``taught`` counts the demonstrations that
    this server stored, by dataset.
    """

    def __init__(self, tuqa: TrustUQA, options: ServerOptions) -> None:
        self.tuqa = tuqa
        self.options = options
        self.admission: Admission = Admission(tuqa.connection.gate, options.max_waiting)
        self.metrics: Metrics = Metrics(self.admission)
        self.answers: KeptAnswers = KeptAnswers()
        self.taught: Counter[str] = Counter()
        self._health_threads = CapacityLimiter(4)
        # So many queries run in the gate at once. Those beyond wait here, where a wait needs no thread.
        self._turns = asyncio.Semaphore(MOST)

    @property
    def can_word(self) -> bool:
        """True if there is a model, which may see values."""
        return not self.options.private and self.tuqa.asked_by() != "demonstrations"

    async def ask(
        self, question: str, dataset: str | list[str] | None = None, **options: Any
    ) -> Answer:
        return await self._answer(self.tuqa.aask, question, dataset, **options)

    async def run(
        self, query: str, dataset: str | list[str] | None = None, **options: Any
    ) -> Answer:
        return await self._answer(partial(self._in_turn, self.tuqa.arun), query, dataset, **options)

    async def check(
        self, query: str, dataset: str | list[str] | None = None, **options: Any
    ) -> CheckReport:
        return await self._answer(
            partial(self._in_turn, self.tuqa.acheck), query, dataset, **options
        )

    async def _answer(
        self, method: Callable[..., Awaitable[T]], *arguments: Any, **options: Any
    ) -> T:
        with self.admission.enter():
            options = self._limit(options)
            work = method(*arguments, **options)
            result = await wait_for_answer(options["timeout"], work, hint=_HINT)
        if isinstance(result, Answer):
            self.metrics.count_answer(result.outcome)
        return result

    async def _in_turn(
        self, method: Callable[..., Awaitable[T]], *arguments: Any, **options: Any
    ) -> T:
        """Wait for a turn, and for a method that calls no model: a model would keep the turn for long."""
        async with self._turns:
            return await method(*arguments, **options)

    async def call(self, method: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call a method that has no asynchronous form, in a thread."""
        with self.admission.enter():
            work = run_in_own_thread(method, *arguments, **options)
            return await wait_for_answer(self.options.timeout, work, hint=_HINT)

    async def ping(self) -> str:
        """The version of the database.

        Raises:
            DatabaseError: it does not answer.
        """
        # In threads of its own: those of others may all wait for the database.
        work = run_in_own_thread(self.tuqa.ping, limiter=self._health_threads)
        return await wait_within(_HEALTH_TIMEOUT, work, hint=_HINT)

    async def teach(self, dataset: str, demonstration: Demonstration) -> Demonstration:
        """Store a demonstration, whose query runs first and must have an answer.

        Raises:
            UsageError: it has none; DataError: the question has another query that answers.
        """
        stored = await self.call(self.tuqa.demonstrations.teach, dataset, demonstration)
        self.taught[dataset] += 1
        return stored

    async def reject(self, dataset: str, demonstration: Demonstration) -> Demonstration:
        """Keep a query that does not answer its question."""
        return await self.call(self.tuqa.demonstrations.store_wrong, dataset, demonstration)

    async def save(self, dataset: str, demonstration: Demonstration) -> Demonstration:
        """Save a question, so that people find it."""
        return await self.call(self.tuqa.demonstrations.save, dataset, demonstration)

    async def list_kept(self, dataset: str, state: DemonstrationState) -> list[Demonstration]:
        """List the questions that are kept apart from the demonstrations in a state."""
        return await self.call(self.tuqa.demonstrations.listed, dataset, (state,))

    async def unteach(
        self, dataset: str, question: str, states: Sequence[DemonstrationState] = STORED_STATES
    ) -> int:
        """Delete the demonstrations with this question; return their number."""
        drop = self.tuqa.demonstrations.drop
        count = await self.call(drop, dataset, states, question=question)
        self.taught[dataset] += 1
        return count

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
    # The work runs in this task: one that watches is enough, and a second one takes time of each request.
    task = asyncio.current_task()
    assert task is not None
    is_gone = False

    async def cancel_when_closed() -> None:
        nonlocal is_gone
        while (await request.receive())["type"] != "http.disconnect":
            pass
        is_gone = True
        task.cancel()

    watch = asyncio.create_task(cancel_when_closed())
    try:
        result = await work
        if not is_gone:
            return result
        # The work ended just then: the cancellation comes at the next wait.
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        if not is_gone:
            raise
    finally:
        watch.cancel()
    task.uncancel()
    raise ClientGone
