"""The asynchronous methods of the client: each runs its synchronous method in a thread of a bounded pool.

Cancelling the task sets a ``Cancellation``, which stops the statement on the server and the request to the
model.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import islice
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from .answer import Answer, CheckReport
from .deadline import Cancellation
from .errors import TrustUQAError
from .questions import batch

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Unpack

    from .graph.catalog import DroppedCounts
    from .loading.request import LoadReport
    from .model.dataset import DatasetTuple, Schema
    from .questions.options import AskOptions, CheckOptions, QueryOptions

T = TypeVar("T")

THREADS = 64  # Most of the time a question waits for the model or the server.


class AsyncMethods(ABC):
    """Adds methods with an *a* before their name to a client with the synchronous methods."""

    load: Callable[..., LoadReport]
    datasets: Callable[..., DatasetTuple]
    schema: Callable[..., Schema]
    drop: Callable[..., DroppedCounts]
    rename: Callable[..., None]
    ask: Callable[..., Answer]
    run: Callable[..., Answer]
    check: Callable[..., CheckReport]

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._pool_lock = Lock()

    async def aask(
        self,
        question: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """Ask as ``ask`` does; cancelling the task cancels the question."""
        return await self._in_thread(self.ask, question, dataset, **options)

    async def aask_many(
        self,
        questions: Iterable[str],
        dataset: str | Sequence[str] | None = None,
        *,
        at_once: int = batch.AT_ONCE,
        **options: Unpack[AskOptions],
    ) -> AsyncIterator[Answer]:
        """Ask as ``ask_many`` does; closing the iterator cancels the open questions."""
        remaining = iter(questions)
        free = asyncio.Semaphore(batch.check_at_once(at_once))

        async def ask(question: str) -> Answer:
            async with free:
                try:
                    return await self.aask(question, dataset, **options)
                except TrustUQAError as error:
                    if not batch.is_own(error, question):
                        raise
                    return batch.failed(error, question)

        waiting: deque[asyncio.Task[Answer]] = deque()
        try:
            while True:
                waiting.extend(
                    asyncio.ensure_future(ask(question))
                    for question in islice(remaining, 2 * at_once - len(waiting))
                )
                if not waiting:
                    return
                yield await waiting.popleft()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def arun(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[QueryOptions],
    ) -> Answer:
        """Run as ``run`` does; cancelling the task cancels the query."""
        return await self._in_thread(self.run, query, dataset, **options)

    async def acheck(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        *,
        question: str | None = None,
        **options: Unpack[CheckOptions],
    ) -> CheckReport:
        """Check as ``check`` does; cancelling the task cancels the check."""
        return await self._in_thread(self.check, query, dataset, question=question, **options)

    async def aload(self, *data: Any, **options: Any) -> LoadReport:
        """Load as ``load`` does; a task that is cancelled does not end the load."""
        return await asyncio.to_thread(self.load, *data, **options)

    async def adatasets(self) -> DatasetTuple:
        """List the datasets as ``datasets`` does."""
        return await asyncio.to_thread(self.datasets)

    async def aschema(self, dataset: str, source: str | None = None) -> Schema:
        """Describe a dataset as ``schema`` does."""
        return await asyncio.to_thread(self.schema, dataset, source)

    async def adrop(self, dataset: str, source: str | None = None) -> DroppedCounts:
        """Delete a dataset as ``drop`` does."""
        return await asyncio.to_thread(self.drop, dataset, source)

    async def arename(self, dataset: str, name: str) -> None:
        """Give a dataset another name as ``rename`` does."""
        await asyncio.to_thread(self.rename, dataset, name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close as ``close`` does."""
        await asyncio.to_thread(self.close)

    @abstractmethod
    def close(self) -> None: ...

    async def _in_thread(self, method: Callable[..., T], *arguments: Any, **options: Any) -> T:
        cancelled = options["cancelled"] = Cancellation(options.get("cancelled"))
        call = partial(copy_context().run, method, *arguments, **options)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads(), call)
        except asyncio.CancelledError:
            # Telling the server takes a moment, which the event loop has no time for.
            Thread(target=cancelled.set, name="tuqa-cancel", daemon=True).start()
            raise

    def _threads(self) -> ThreadPoolExecutor:
        with self._pool_lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="tuqa-ask")
            return self._pool

    def _close_threads(self) -> None:
        """Wait for running calls, then end the threads."""
        with self._pool_lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
