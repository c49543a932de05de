"""Summary of a run: scores by group, kinds of failures, invented functions, and the settings of the run."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..answer import SUCCESS_OUTCOMES
from ..llm.messages import Usage
from ..model.dataset import Dataset
from .benchmark import Case
from .metrics import percentile
from .results_file import ReadingResult, ResultLine

ALL = "all"


@dataclass(frozen=True, slots=True)
class GroupScores:
    """Scores of a group of ``n`` queries; each is ``right``, ``wrong``, ``empty`` or ``refused``.

    ``wrong`` queries have an answer that is not right, ``empty`` ones no result. ``refused`` are all
    others; ``kinds`` counts them by outcome and kind of problem. ``scores`` are means. ``p50`` and ``p95``
    are milliseconds of name resolution and execution, for queries that ran.
    """

    group: str
    n: int
    right: int
    wrong: int
    empty: int
    refused: int
    scores: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Outcomes of the ``n`` questions of a group, as the papers on repair report them.

    ``right`` is the sum of ``first`` (right without repair) and ``repaired``. ``partial`` answers differ
    only in columns; ``unknown`` questions have no answer to trust.
    """

    group: str
    n: int
    right: int
    first: int
    repaired: int
    partial: int
    wrong: int
    unknown: int
    error: int

    @property
    def achieved(self) -> float | None:
        """The share of repaired questions among those that were not right at once: achievable improvement."""
        possible = self.n - self.first
        return self.repaired / possible if possible else None


@dataclass(frozen=True)
class Summary:
    # The last group is all. If answers are tables, ``ends`` has the outcomes and ``fired`` the
    # kinds of problems. ``computed`` are the scores of answers that the model computed, if it may do so.
    # ``retries`` counts right answers by how often a query was sent back, if any was.
    benchmark: str
    metrics: tuple[str, ...]
    groups: tuple[GroupScores, ...]
    functions: tuple[GroupScores, ...]
    left_out: Mapping[str, int]
    settings: Mapping[str, Any]
    ends: tuple[OutcomeCounts, ...] = ()
    fired: Mapping[str, int] = field(default_factory=dict)
    computed: GroupScores | None = None
    retries: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def is_right(line: ResultLine | ReadingResult) -> bool:
    # True if the first metric is 1.
    return next(iter(line.scores.values())) == 1


def scores_by_group(lines: Sequence[ResultLine]) -> tuple[GroupScores, ...]:
    # In order of the names, then by tags, then of all lines.
    names = sorted({line.group for line in lines})
    tags = dict.fromkeys(tag for line in lines for tag in sorted(line.tags))
    groups = [
        score_group(name, [line for line in lines if name in (line.group, *line.tags)])
        for name in (*names, *tags)
    ]
    return tuple(groups) if len(groups) == 1 else (*groups, score_group(ALL, lines))


def scores_by_function(
    lines: Iterable[ResultLine], cases: Iterable[Case]
) -> tuple[GroupScores, ...]:
    # The most frequent function comes first.
    by_id = {line.id: line for line in lines}
    using: dict[str, list[ResultLine]] = {}
    for case in cases:
        for name in case.invented:
            if case.id in by_id:
                using.setdefault(name, []).append(by_id[case.id])
    ordered = sorted(using.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(score_group(name, function_lines) for name, function_lines in ordered)


def score_group(group: str, lines: Sequence[ResultLine]) -> GroupScores:
    counts = Counter(_classify(line) for line in lines)
    kinds = Counter(describe_failure(line) for line in lines if _classify(line) == "refused")
    times = [
        line.ms.get("map", 0) + line.ms.get("execute", 0)
        for line in lines
        if line.outcome in SUCCESS_OUTCOMES
    ]
    metrics = list(lines[0].scores) if lines else []
    return GroupScores(
        group,
        len(lines),
        counts["right"],
        counts["wrong"],
        counts["empty"],
        counts["refused"],
        {name: sum(line.scores[name] for line in lines) / len(lines) for name in metrics},
        _most_frequent_first(kinds),
        percentile(times, 0.50),
        percentile(times, 0.95),
    )


def _classify(line: ResultLine) -> str:
    if is_right(line):
        return "right"
    return {"answered": "wrong", "empty": "empty"}.get(line.outcome, "refused")


def describe_failure(line: ResultLine) -> str:
    # Outcome and kind of the first problem.
    kind = line.problems[0].get("kind") if line.problems else None
    return f"{line.outcome}: {kind}" if kind else line.outcome


UNKNOWN = ("rejected", "not_askable", "abstained")
"""Outcomes without an answer, because none can be trusted."""


def outcomes_by_group(lines: Sequence[ResultLine]) -> tuple[OutcomeCounts, ...]:
    # In order of the names, then of all lines.
    names = sorted({line.group for line in lines})
    return tuple(
        count_outcomes(name, [line for line in lines if name in (line.group, ALL)])
        for name in (*names, ALL)
    )


def count_outcomes(group: str, lines: Sequence[ResultLine]) -> OutcomeCounts:
    counts = Counter(_classify_outcome(line) for line in lines)
    return OutcomeCounts(
        group,
        len(lines),
        counts["first"] + counts["repaired"],
        counts["first"],
        counts["repaired"],
        counts["partial"],
        counts["wrong"],
        counts["unknown"],
        counts["error"],
    )


def count_problem_kinds(lines: Sequence[ResultLine]) -> Mapping[str, int]:
    # Counts queries with a problem of each kind, sent back or final; the most frequent first.
    counts: Counter[str] = Counter()
    for line in lines:
        for kinds in line.sent_back:
            counts.update(set(kinds))
        if line.outcome in UNKNOWN:
            counts.update({problem["kind"] for problem in line.problems if "kind" in problem})
    return _most_frequent_first(counts)


def count_retries(lines: Sequence[ResultLine]) -> Mapping[str, int]:
    # Right answers by the number of queries that were sent back; empty if none was.
    counts = Counter(len(line.sent_back) for line in lines if is_right(line))
    sent_back = any(line.sent_back for line in lines)
    return {f"after {n}": counts[n] for n in sorted(counts)} if sent_back else {}


def _most_frequent_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _classify_outcome(line: ResultLine) -> str:
    if is_right(line):
        return "repaired" if line.sent_back else "first"
    if line.scores.get("partial") == 1:
        return "partial"
    if line.outcome in UNKNOWN:
        return "unknown"
    return "error" if line.outcome == "failed" else "wrong"


_ROOT = Path(__file__).parents[2]


def describe_run(server: str, dataset: Dataset, **options: Any) -> dict[str, Any]:
    embedded = f"{dataset.embedded:,} by {dataset.embedding_model}" if dataset.embedded else "none"
    settings = {
        "version": version("trustuqa-neo4j"),
        "commit": find_commit(_ROOT),
        "python": platform.python_version(),
        "server": server,
        "dataset": dataset.name,
        "facts": dataset.facts,
        "embedded names": embedded,
        **options,
    }
    return {name: value for name, value in settings.items() if value is not None}


def find_commit(folder: Path) -> str | None:
    # ``-dirty`` if files differ; None if ``folder`` is not a checkout.
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return None
    options = ("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    process = subprocess.run(  # noqa: S603 # fixed words
        [git, "-C", str(folder), *options], capture_output=True, text=True, check=False
    )
    return process.stdout.strip() or None


# Details of a run: use of the model, times, numbers of answers, classes of errors, right runs by
# question.
#
# The papers show these as figures: the frequency of numbers of answers, the time of each step, the
# classes of errors, and the share of right runs of each question (Overall Execution Accuracy).


_ANSWER_COUNTS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 10**9))
_KINDS_OF_ERRORS: Mapping[str, str] = {
    "unknown function": "function",
    "unknown name": "mapping",
    "unknown relation": "mapping",
    "unknown class": "mapping",
    "unknown column": "mapping",
    "unknown source": "data",
}
"""Kind of the first problem → class of the error."""


@dataclass(frozen=True)
class Details:
    """``answers`` are rows of bounds with their numbers of questions: by values, and by labels.

    ``errors`` counts questions that are not right by class: *function* (the language has no such function, or
    the model computed the answer), *mapping* (a name was read as another or not found), *data* (nothing was
    found by exact names), *query* (all others). ``runs`` is the share of right runs of each question, if
    questions were asked several times.
    """

    usage: Usage
    stages: Mapping[str, float]
    answers: tuple[tuple[str, int, int], ...]
    errors: Mapping[str, int]
    runs: Mapping[str, float]


def measure_details(lines: Sequence[ResultLine]) -> Details:
    names = dict.fromkeys(name for line in lines for name in line.ms)
    times = {name: sum(line.ms.get(name, 0.0) for line in lines) / len(lines) for name in names}
    errors = Counter(classify_error(line) for line in lines if not is_right(line))
    return Details(
        sum(map(_read_usage, lines), Usage()),
        {name: round(ms, 3) for name, ms in times.items()},
        tuple(_count_answers(lines)),
        dict(errors.most_common()),
        measure_runs(lines),
    )


def classify_error(line: ResultLine) -> str:
    kind = str(line.problems[0].get("kind", "")) if line.problems else ""
    if not line.grounded:
        return "function"
    if kind in _KINDS_OF_ERRORS:
        return _KINDS_OF_ERRORS[kind]
    if line.similarity is not None and line.similarity < 1:
        return "mapping"
    return "data" if line.outcome == "empty" else "query"


def measure_runs(lines: Sequence[ResultLine]) -> Mapping[str, float]:
    """Return the share of right runs of each question; empty if no question was repeated."""
    results: defaultdict[str, list[bool]] = defaultdict(list)
    for line in lines:
        question, mark, run = line.id.rpartition("#")
        results[question if mark and run.isdecimal() else line.id].append(is_right(line))
    if all(len(runs) == 1 for runs in results.values()):
        return {}
    return {question: sum(runs) / len(runs) for question, runs in results.items()}


def _count_answers(lines: Sequence[ResultLine]) -> Iterator[tuple[str, int, int]]:
    for low, high in _ANSWER_COUNTS:
        values = sum(low <= len(line.values) <= high for line in lines)
        labels = sum(low <= len(line.labels) <= high for line in lines)
        if values or labels:
            name = (
                f"{low}" if low == high else f"{low}–{high}" if high < 10**9 else f"over {low - 1}"
            )
            yield name, values, labels


def _read_usage(line: ResultLine) -> Usage:
    # Lines of earlier versions have none.
    return Usage(**{f.name: line.usage[f.name] for f in fields(Usage) if f.name in line.usage})
