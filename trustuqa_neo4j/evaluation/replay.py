"""Runs recorded queries as an LLM would have had them run, several at a time, and scores the answers.

Only the thread that calls writes and tells progress; the others do nothing but wait for the database. No
more queries are given to them than they can take at once, so an interruption ends after those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ..answer import Answer
from ..asking.many import OWN, failed
from ..asking.options import Options
from ..client import TrustUQA
from ..dataset import Dataset
from ..demonstrating.demonstration import Demonstration
from ..errors import MissingFile
from ..loading import Progress
from . import packs
from .benchmark import Benchmark, Case, Given, Prepared, Score
from .lines import Line, line

Write = Callable[[Line], None]


@dataclass(frozen=True)
class Run:
    """How queries are run: on which dataset, how many at a time, how many seconds each may take.

    ``how``: the questions are asked so, and no recorded query is run.
    """

    dataset: str
    workers: int = 2
    timeout: float = 60.0
    how: Options | None = None


def folder_of(benchmark: Benchmark, folder: Path) -> Path:
    """The folder of a benchmark's pack.

    Raises:
        MissingFile
    """
    found = folder / benchmark.pack
    if not found.is_dir():
        hint = "--packs or TUQA_PACKS names the folder that holds the packs"
        raise MissingFile(f"no pack {benchmark.pack}", where=str(folder), hint=hint)
    return found


def ready(
    tuqa: TrustUQA,
    benchmark: Benchmark,
    pack: Path,
    dataset: str,
    *,
    embeddings: bool = True,
    progress: Progress | None = None,
) -> Dataset:
    """The dataset to ask; loaded from the pack unless it is there and complete.

    Raises:
        UsageError, DataError, DatabaseError
    """
    if not _complete(tuqa, dataset):
        data = [packs.one(pack, name) for name in benchmark.data] or [pack]
        tuqa.load(
            benchmark.format, *data, dataset=dataset, embeddings=embeddings, progress=progress
        )
    (found,) = _complete(tuqa, dataset)
    return found


def teach(
    tuqa: TrustUQA,
    dataset: str,
    demonstrations: Sequence[Demonstration],
    progress: Progress | None = None,
) -> None:
    """Have ``dataset`` know what was demonstrated, unless it has demonstrations that were all run.

    Raises:
        UsageError, DataError, DatabaseError
    """
    counts = tuqa.demonstrations.counts(dataset)
    if counts.candidate or not counts.of(("verified", "failed")):
        tuqa.demonstrations.store(dataset, demonstrations, progress=progress)
        tuqa.demonstrations.verify(dataset, progress=progress)


def replay(
    tuqa: TrustUQA,
    prepared: Prepared,
    cases: Sequence[Case],
    run: Run,
    write: Write,
    progress: Progress | None = None,
) -> None:
    """Run ``cases`` and give each line to ``write`` as it comes, in no order.

    Raises:
        DataError, DatabaseError: the dataset cannot be asked; lines of what was running are written.
        KeyboardInterrupt: likewise.
    """
    progress = progress or Progress()
    progress.begin("replay", len(cases), "queries")
    waiting: set[Future[Line]] = set()
    todo = iter(cases)
    done = 0

    def take(futures: set[Future[Line]]) -> None:
        nonlocal done
        for future in futures:
            write(future.result())
            done += 1
        progress.advance(done)

    pool = ThreadPoolExecutor(run.workers, thread_name_prefix="replay")
    try:
        while True:
            new = islice(todo, 2 * run.workers - len(waiting))
            waiting |= {pool.submit(_line, tuqa, prepared.score, case, run) for case in new}
            if not waiting:
                return
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            take(ended)
    finally:
        pool.shutdown(cancel_futures=True)
        for future in waiting:
            if future.done() and not future.cancelled() and future.exception() is None:
                write(future.result())


def answered(tuqa: TrustUQA, case: Case, run: Run) -> Answer:
    """The answer to one case; what befalls a single query is an answer that failed."""
    try:
        if run.how is not None:
            how: Options = {**run.how, "source": case.source, "timeout": run.timeout}
            return tuqa.ask(case.question, run.dataset, **how)
        return tuqa.run(case.query, run.dataset, source=case.source, timeout=run.timeout)
    except OWN as error:
        return failed(error, case.question)


def _complete(tuqa: TrustUQA, dataset: str) -> list[Dataset]:
    return [each for each in tuqa.datasets() if each.name == dataset and each.complete]


def _line(tuqa: TrustUQA, score: Score, case: Case, run: Run) -> Line:
    answer = answered(tuqa, case, run)
    scores = score(case, Given(answer.outcome, answer.values, answer.rows))
    return line(case, answer, scores, _sent_back(tuqa, case, run, answer))


def _sent_back(tuqa: TrustUQA, case: Case, run: Run, answer: Answer) -> tuple[tuple[str, ...], ...]:
    """Of each query that went back to the model, the kinds of its problems.

    The trace has the query, and of its problems only the text; what is wrong with it is asked once more.
    """
    found: list[tuple[str, ...]] = []
    for stage in answer.trace:
        if stage.stage == "repair":
            again = answered(tuqa, replace(case, query=stage.given), replace(run, how=None))
            found.append(tuple(problem.kind for problem in again.problems) or (again.outcome,))
    return tuple(found)
