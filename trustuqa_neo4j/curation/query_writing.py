"""Demonstrations that a model writes, from questions with their answers.

The model is asked each question; its query is stored with the expected answers, and verified as any other.
So right queries are used at once, by the next questions too, and wrong ones are remembered: no question is
paid for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from ..answer import Answer
from ..errors import LimitReached, UnusableReply
from ..llm.budget import Prices
from ..llm.messages import Usage
from ..loading.request import Progress
from ..model.demonstration import USABLE_STATES, Demonstration
from ..questions.batch import OWN, check_at_once
from ..questions.voting import meaning
from .api import Teaching
from .jsonl import LONGEST

REPLY_TOKENS = 200
"""Assumed tokens of a reply, for the estimate."""

MEASURED_PROMPTS = 3  # for the estimate
PAGE = 16  # queries that are stored at once


@dataclass(frozen=True, slots=True)
class WritingPlan:
    """Questions that a model is to write queries for, and an estimate of what this takes.

    ``known`` questions have a query with the right answer, or, if they are ``unlabelled``, one that was
    stored without an expected answer; ``failed`` ones had a query with another answer. None of them is
    asked. ``calls`` and ``tokens`` do not count repairs. ``cost`` is in the currency of the
    prices, or None without prices.
    """

    questions: tuple[Demonstration, ...]
    known: int
    unlabelled: int
    failed: int
    tokens: int
    cost: float | None

    @property
    def calls(self) -> int:
        return len(self.questions)


@dataclass(frozen=True, slots=True)
class WrittenQueries:
    """``verified`` queries are used from now on, ``failed`` ones are remembered.

    ``unwritten`` questions got no query. ``left`` ones were not asked, because of the limit that ``stopped``
    tells.
    """

    verified: int
    failed: int
    unwritten: int
    left: int
    usage: Usage
    stopped: str = ""


def plan_writing(
    teaching: Teaching,
    datasets: str | Sequence[str],
    questions: Sequence[Demonstration],
    measure_prompt: Callable[[Demonstration], int],
    *,
    limit: int | None = None,
    again: bool = False,
    prices: Prices | None = None,
) -> WritingPlan:
    """Select the questions to ask, at most ``limit``; with ``again``, also those that failed before.

    ``measure_prompt`` returns the tokens of the prompt of a question.
    """
    stored = {row.key: row for row in teaching.listed(datasets)}
    known = unlabelled = failed = 0
    selected: dict[str, Demonstration] = {}
    for question in questions:
        row = stored.get(question.key)
        if row is not None and row.state in USABLE_STATES:
            known += 1
            unlabelled += row.state == "runs"
        elif (
            row is not None and row.state == "failed" and not again and _same_answers(row, question)
        ):
            failed += 1
        else:
            selected.setdefault(question.key, question)
    asked = tuple(selected.values())[:limit]
    sample = [measure_prompt(question) for question in asked[:MEASURED_PROMPTS]]
    tokens = round(sum(sample) / len(sample) * len(asked)) if sample else 0
    replies = REPLY_TOKENS * len(asked)
    cost = None if prices is None else prices.cost(tokens, replies)
    return WritingPlan(asked, known, unlabelled, failed, tokens + replies, cost)


def _same_answers(stored: Demonstration, question: Demonstration) -> bool:
    labels = (Answer("answered", tuple(row.answers or ())) for row in (stored, question))
    first, second = map(meaning, labels)
    return first == second


@dataclass(frozen=True)
class QueryWriter:
    """Asks ``workers`` questions at a time with ``ask``, and stores what comes."""

    teaching: Teaching
    datasets: str | Sequence[str]
    ask: Callable[[Demonstration], Answer]
    workers: int

    def write(
        self, plan: WritingPlan, progress: Progress, used: Callable[[], Usage]
    ) -> WrittenQueries:
        """Write the queries of ``plan``; whatever ends it, the queries so far are stored.

        Raises:
            ModelError, DatabaseError, KeyboardInterrupt
        """
        check_at_once(self.workers)
        progress.begin("write", len(plan.questions), "queries")
        verified = failed = asked = 0
        stopped = ""
        for start in range(0, len(plan.questions), PAGE):
            written: list[Demonstration] = []
            try:
                for question, answer in self._ask_page(plan.questions[start : start + PAGE]):
                    asked += 1
                    query = answer.llm_query or ""
                    if query.strip() and len(query) <= LONGEST:
                        written.append(replace(question, query=query))
                    progress.advance(asked)
            except LimitReached as limit:
                stopped = limit.what
            finally:
                right = self._store(written)
                verified, failed = verified + right, failed + len(written) - right
            if stopped:
                break
        left = len(plan.questions) - asked
        unwritten = asked - verified - failed
        return WrittenQueries(verified, failed, unwritten, left, used(), stopped)

    def _ask_page(self, page: Sequence[Demonstration]) -> Iterator[tuple[Demonstration, Answer]]:
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="write")
        try:
            futures = [(question, pool.submit(self._ask_one, question)) for question in page]
            for question, future in futures:
                yield question, future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask_one(self, question: Demonstration) -> Answer:
        try:
            return self.ask(question)
        except (*OWN, UnusableReply):
            return Answer("failed")

    def _store(self, written: Sequence[Demonstration]) -> int:
        return self.teaching.store_written(self.datasets, written, self.workers) if written else 0
