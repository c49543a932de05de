"""Many questions, several at a time: answers in the order of the questions, as soon as they are there.

No more questions are taken than are being asked, so they may come from anywhere without an end. What goes
wrong with one question is its answer; what would go wrong with all of them ends it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from ..answer import Answer
from ..errors import StatementFailed, TimedOut, TrustUQAError, UnknownSource, UsageError
from ..language.query import Problem

AT_ONCE = 8
"""Questions asked at a time unless the caller says otherwise."""

OWN = (TimedOut, StatementFailed, UnknownSource)
"""What goes wrong with one question and need not with the next."""


def answers(
    ask: Callable[[str], Answer], questions: Iterable[str], at_once: int
) -> Iterator[Answer]:
    """The answers of ``questions``.

    Raises:
        UsageError, and what ``ask`` raises, but for ``OWN``
    """
    todo = iter(questions)
    waiting: deque[Future[Answer]] = deque()
    pool = ThreadPoolExecutor(_checked(at_once), thread_name_prefix="ask")
    try:
        while True:
            waiting.extend(
                pool.submit(_asked, ask, question)
                for question in islice(todo, 2 * at_once - len(waiting))
            )
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


async def async_answers(
    ask: Callable[[str], Awaitable[Answer]], questions: Iterable[str], at_once: int
) -> AsyncIterator[Answer]:
    """The same, awaited; questions that are being asked are cancelled when nobody takes more."""
    todo = iter(questions)
    free = asyncio.Semaphore(_checked(at_once))

    async def one(question: str) -> Answer:
        async with free:
            try:
                return await ask(question)
            except OWN as error:
                return failed(error, question)

    waiting: deque[asyncio.Task[Answer]] = deque()
    try:
        while True:
            waiting.extend(
                asyncio.ensure_future(one(question))
                for question in islice(todo, 2 * at_once - len(waiting))
            )
            if not waiting:
                return
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def failed(error: TrustUQAError, question: str | None = None) -> Answer:
    """An error as the answer of one question among many."""
    message = str(error).removeprefix(f"{error.kind}: ")
    ms = dict.fromkeys(("parse", "check", "map", "execute", "total"), 0.0)
    return Answer("failed", problems=(Problem(error.kind, message),), ms=ms, question=question)


def _asked(ask: Callable[[str], Answer], question: str) -> Answer:
    try:
        return ask(question)
    except OWN as error:
        return failed(error, question)


def _checked(at_once: int) -> int:
    if at_once < 1:
        raise UsageError(f"at_once={at_once}", hint="at least one question is asked at a time")
    return at_once
