"""Many questions, several at a time: answers in the order of the questions.

New questions are read only when others end, so the input may be endless. The error of one question becomes
its answer; an error of all questions ends the batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

from ..answer import Answer
from ..errors import StatementFailed, TimedOut, TrustUQAError, UnknownSource, UsageError
from ..language.ast import Problem
from ..trace import TIMED_STAGES

T = TypeVar("T")

AT_ONCE = 8  # questions at a time by default

# errors of one question, which need not affect the next
OWN = (TimedOut, StatementFailed, UnknownSource)


def is_own(error: Exception, question: object) -> bool:
    """True for an error of one question: of its run, or that there is no text in it."""
    is_empty = isinstance(question, str) and not question.strip()
    return isinstance(error, OWN) or (is_empty and isinstance(error, UsageError))


def answers(ask: Callable[[T], Answer], questions: Iterable[T], at_once: int) -> Iterator[Answer]:
    # Raises what ``ask`` raises, except errors of one question.
    todo = iter(questions)
    waiting: deque[Future[Answer]] = deque()
    pool = ThreadPoolExecutor(check_at_once(at_once), thread_name_prefix="ask")
    try:
        while True:
            waiting.extend(
                pool.submit(copy_context().run, _ask, ask, question)
                for question in islice(todo, 2 * at_once - len(waiting))
            )
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def failed(error: TrustUQAError, question: str | None = None) -> Answer:
    ms: dict[str, float] = dict.fromkeys((*TIMED_STAGES, "total"), 0.0)
    return Answer(
        "failed", problems=(Problem(error.kind, error.summary),), ms=ms, question=question
    )


def _ask(ask: Callable[[T], Answer], question: T) -> Answer:
    try:
        return ask(question)
    except TrustUQAError as error:
        if not is_own(error, question):
            raise
        return failed(error, str(question))


def check_at_once(at_once: int) -> int:
    if at_once < 1:
        raise UsageError(f"at_once={at_once}", hint="at least one question is asked at a time")
    return at_once
