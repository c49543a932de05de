"""The awaited methods, on a client whose synchronous methods are functions of the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from trustuqa_neo4j.answer import Answer
from trustuqa_neo4j.async_client import THREADS, AsyncMethods
from trustuqa_neo4j.errors import Cancelled, TimedOut, UsageError


class Client(AsyncMethods):
    def __init__(self, ask: Callable[..., Answer]) -> None:
        super().__init__()
        self._ask = ask

    def ask(self, question: str, dataset: Any = None, **options: Any) -> Answer:
        return self._ask(question, **options)

    def close(self) -> None:
        self._close_threads()


def echo(question: str, **options: Any) -> Answer:
    return Answer("answered", values=(question,))


def wait_until_cancelled(question: str, cancelled: Event) -> Answer:
    assert cancelled.wait(120)
    raise Cancelled("the question was cancelled")


def run(client: Client, work: Callable[[], Any]) -> Any:
    try:
        return asyncio.run(work())
    finally:
        client.close()


def test_answers_come_in_the_order_of_the_questions() -> None:
    def ask(question: str, **options: Any) -> Answer:
        if question == "slow":
            raise TimedOut("too slow")
        return echo(question)

    client = Client(ask)

    async def work() -> list[Answer]:
        return [a async for a in client.aask_many(["a", "slow", *"bcdef"], at_once=2)]

    answers = run(client, work)
    assert [a.outcome for a in answers] == ["answered", "failed", *["answered"] * 5]
    assert [a.values[0] for a in answers[2:]] == list("bcdef")


def test_an_empty_question_does_not_end_the_others() -> None:
    def ask(question: str, **options: Any) -> Answer:
        if not question:
            raise UsageError("there is no question")
        return echo(question)

    client = Client(ask)

    async def work() -> list[Answer]:
        return [a async for a in client.aask_many(["a", "", "b"])]

    assert [a.outcome for a in run(client, work)] == ["answered", "failed", "answered"]


def test_none_at_once_is_refused() -> None:
    client = Client(echo)

    async def work() -> None:
        async for _ in client.aask_many(["a"], at_once=0):
            pass

    with pytest.raises(UsageError, match="at least one"):
        run(client, work)


def test_a_cancelled_task_cancels_its_question() -> None:
    started, ended = Event(), Event()

    def ask(question: str, cancelled: Event) -> Answer:
        started.set()
        try:
            return wait_until_cancelled(question, cancelled)
        finally:
            ended.set()

    client = Client(ask)

    async def work() -> None:
        asking = asyncio.ensure_future(client.aask("a"))
        await asyncio.to_thread(started.wait, 120)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(ended.wait, 120)

    run(client, work)


def test_the_event_of_the_caller_cancels_too() -> None:
    event = Event()
    client = Client(
        lambda question, cancelled: Answer("answered" if cancelled.is_set() else "empty")
    )

    async def work() -> list[str]:
        before = await client.aask("a", cancelled=event)
        event.set()
        return [before.outcome, (await client.aask("a", cancelled=event)).outcome]

    assert run(client, work) == ["empty", "answered"]


def test_who_takes_no_more_answers_cancels_what_is_being_asked() -> None:
    ended: list[str] = []
    both = threading.Barrier(2)

    def ask(question: str, cancelled: Event) -> Answer:
        if question == "a":
            return echo(question)
        both.wait(120)
        try:
            return wait_until_cancelled(question, cancelled)
        finally:
            ended.append(question)

    client = Client(ask)

    async def work() -> None:
        answers = client.aask_many(["a", "b"], at_once=2)
        assert (await anext(answers)).values == ("a",)
        await asyncio.to_thread(both.wait, 120)
        await answers.aclose()  # type: ignore[attr-defined]

    run(client, work)
    assert ended == ["b"]


def test_no_more_threads_run_than_the_pool_has() -> None:
    running = most = 0
    lock = threading.Lock()

    def ask(question: str, **options: Any) -> Answer:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        with lock:
            running -= 1
        return echo(question)

    client = Client(ask)

    async def work() -> list[Answer]:
        return await asyncio.gather(*(client.aask(str(n)) for n in range(3 * THREADS)))

    assert len(run(client, work)) == 3 * THREADS
    assert most <= THREADS
