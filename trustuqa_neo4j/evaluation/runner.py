"""Runs the cases of a benchmark, several at a time, and scores the answers.

Only the calling thread writes results and progress; the others wait for the database. They get no more
cases than they can start soon, so an interruption ends quickly. Failed cases run again to get their trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ablation import SystemPart, leave_out
from ..answer import Answer
from ..client import TrustUQA
from ..errors import MissingFile, UnknownDataset, UsageError
from ..loading.request import Progress
from ..model.dataset import Dataset
from ..model.demonstration import USABLE_STATES, Demonstration
from ..questions.batch import OWN, failed
from ..questions.options import AskOptions
from .benchmark import Benchmark, Case, CaseSet, Score, ScoredAnswer
from .releases import list_data
from .results_file import ReadingResult, ResultLine, make_line
from .summary import is_right

if TYPE_CHECKING:
    from .zero_shot import ZeroShot

Write = Callable[[ResultLine], None]


@dataclass(frozen=True)
class RunOptions:
    # With ``how``, questions are asked with these options; without it, recorded queries run.
    # ``timeout`` is the seconds for each case. With ``readings``, so many of the best readings of each
    # question run besides, also if the question is refused. With ``topics``, the entities of a case are
    # named. ``left_out`` are parts of the system that an experiment leaves out. ``zero_shot`` answers
    # with SQL or SPARQL instead.
    dataset: str
    workers: int = 2
    timeout: float = 60.0
    how: AskOptions | None = None
    readings: int = 0
    topics: bool = False
    left_out: frozenset[SystemPart] = frozenset()
    zero_shot: ZeroShot | None = None


def find_pack(benchmark: Benchmark, folder: Path) -> Path:
    pack = folder / benchmark.pack
    if not pack.is_dir():
        hint = "--packs or TUQA_PACKS names the folder that holds the packs"
        raise MissingFile(f"no pack {benchmark.pack}", where=str(folder), hint=hint)
    return pack


def load_dataset(
    tuqa: TrustUQA,
    benchmark: Benchmark,
    pack: Path,
    dataset: str,
    *,
    embeddings: bool = True,
    progress: Progress | None = None,
) -> Dataset:
    # The dataset is loaded from the pack unless it is complete.
    if not _complete_datasets(tuqa, dataset):
        if not benchmark.format:
            raise UnknownDataset(
                f"no dataset {dataset!r} is loaded",
                hint="--dataset names the one that the questions are about; tuqa datasets lists them",
            )
        data = list_data(pack, benchmark.data)
        tuqa.load(
            benchmark.format, *data, dataset=dataset, embeddings=embeddings, progress=progress
        )
    (loaded,) = _complete_datasets(tuqa, dataset)
    return loaded


def store_demonstrations(
    tuqa: TrustUQA,
    dataset: str,
    demonstrations: Sequence[Demonstration],
    progress: Progress | None = None,
) -> None:
    # A dataset whose demonstrations were run stays as it is.
    counts = tuqa.demonstrations.counts(dataset)
    if counts.candidate or not counts.of((*USABLE_STATES, "failed")):
        tuqa.demonstrations.store(dataset, demonstrations, progress=progress)
        tuqa.demonstrations.verify(dataset, progress=progress)


def run_cases(
    tuqa: TrustUQA,
    prepared: CaseSet,
    cases: Sequence[Case],
    run: RunOptions,
    write: Write,
    progress: Progress | None = None,
) -> None:
    # Calls ``write`` with each result, in any order. After an error or Ctrl-C, finished results are
    # written.
    progress = progress or Progress()
    progress.begin("replay", len(cases), "queries")
    pending: set[Future[ResultLine]] = set()
    remaining = iter(cases)
    done = 0

    def write_results(futures: set[Future[ResultLine]]) -> None:
        nonlocal done
        for future in futures:
            write(future.result())
            done += 1
        progress.advance(done)

    pool = ThreadPoolExecutor(run.workers, thread_name_prefix="replay")
    try:
        while True:
            batch = islice(remaining, 2 * run.workers - len(pending))
            pending |= {
                pool.submit(_run_and_score, tuqa, prepared.score, case, run) for case in batch
            }
            if not pending:
                return
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            write_results(finished)
    finally:
        pool.shutdown(cancel_futures=True)
        for future in pending:
            if future.done() and not future.cancelled() and future.exception() is None:
                write(future.result())


def run_case(tuqa: TrustUQA, case: Case, run: RunOptions) -> Answer:
    # An error of one query becomes an answer with the outcome ``failed``.
    with leave_out(run.left_out):
        return _run_case(tuqa, case, run)


def _run_case(tuqa: TrustUQA, case: Case, run: RunOptions) -> Answer:
    if run.zero_shot is not None:
        return run.zero_shot.answer(case, run.timeout)
    try:
        if run.how is not None:
            options: AskOptions = {**run.how, "source": case.source, "timeout": run.timeout}
            if run.topics:
                options["entities"] = case.entities
            return tuqa.ask(case.question, case.datasets or run.dataset or None, **options)
        dataset = case.datasets or run.dataset
        return tuqa.run(case.query, dataset, source=case.source, timeout=run.timeout)
    except OWN as error:
        return failed(error, case.question)


def run_readings(tuqa: TrustUQA, case: Case, run: RunOptions, answer: Answer) -> list[Answer]:
    # The answers of the best readings; ``answer`` need not be the first, which may leave words out.
    if run.how is None or (answer.origin != "read" and not answer.readings):
        return []
    answers: list[Answer] = []
    for pick in range(1, run.readings + 1):
        picked: AskOptions = {**run.how, "pick": pick}
        try:
            answers.append(run_case(tuqa, case, replace(run, how=picked)))
        except UsageError:  # there are no more readings
            break
    return answers


def _complete_datasets(tuqa: TrustUQA, name: str) -> list[Dataset]:
    return [dataset for dataset in tuqa.datasets() if dataset.name == name and dataset.complete]


def _run_and_score(tuqa: TrustUQA, score: Score, case: Case, run: RunOptions) -> ResultLine:
    answer = run_case(tuqa, case, run)
    scores = score(
        case,
        ScoredAnswer(answer.outcome, answer.values, answer.rows, answer.datasets, answer.source),
    )
    readings = None
    if run.readings:
        picked = run_readings(tuqa, case, run, answer)
        readings = tuple(_score_reading(score, case, reading) for reading in picked)
    return make_line(case, answer, scores, _problems_sent_back(tuqa, case, run, answer), readings)


def _score_reading(score: Score, case: Case, answer: Answer) -> ReadingResult:
    scores = score(case, ScoredAnswer(answer.outcome, answer.values, answer.rows))
    values = tuple(answer.values)
    return ReadingResult(answer.llm_query or "", answer.confidence, answer.outcome, values, scores)


def _problems_sent_back(
    tuqa: TrustUQA, case: Case, run: RunOptions, answer: Answer
) -> tuple[tuple[str, ...], ...]:
    # The trace has only the texts of the problems, so the query that was sent back is validated
    # again.
    kinds: list[tuple[str, ...]] = []
    for stage in answer.trace:
        if stage.stage == "repair":
            result = run_case(tuqa, replace(case, query=stage.given), replace(run, how=None))
            kinds.append(tuple(problem.kind for problem in result.problems) or (result.outcome,))
    return tuple(kinds)


_MAX_LENGTH = 200
_OMITTED_STAGES = ("parse", "check")
"""A result line already has the query and its problems, which these stages show."""


@dataclass(frozen=True, slots=True)
class FailedCase:
    # ``trace`` is a short text for each stage from name resolution on.
    line: ResultLine
    trace: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self.line), "trace": list(self.trace)}


def list_failures(
    tuqa: TrustUQA,
    lines: Sequence[ResultLine],
    cases: Mapping[str, Case],
    run: RunOptions,
    limit: int,
) -> list[FailedCase]:
    failed = [line for line in lines if not is_right(line)][:limit]
    return [FailedCase(line, _trace(tuqa, cases[line.id], run)) for line in failed]


def _trace(tuqa: TrustUQA, case: Case, run: RunOptions) -> tuple[str, ...]:
    return tuple(
        _shorten(f"{stage.stage}: {stage.given} → {stage.found}")
        for stage in run_case(tuqa, case, run).trace
        if stage.stage not in _OMITTED_STAGES
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"
