"""Details of a run: use of the model, times, numbers of answers, classes of errors, right runs by question.

The papers show these as figures: the frequency of numbers of answers, the time of each step, the classes of
errors, and the share of right runs of each question (Overall Execution Accuracy).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from ..llm.messages import Usage
from .results_file import ResultLine
from .summary import is_right

_BOUNDS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 10**9))
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
    """``answers`` are rows of bounds, questions with so many values, and questions with so many labels.

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
    for low, high in _BOUNDS:
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
