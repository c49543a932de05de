"""Comparison of two runs question by question, with McNemar's exact test.

The test looks only at questions that one run answers rightly and the other does not. If the runs were equally
good, each of the two would be right in half of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from ..errors import DataError, MissingFile, UnreadableFile, format_list
from .report import Part, ReportTable
from .results_file import read_fields
from .summary import ALL

_HINT = "give two files that tuqa eval --out wrote for the same questions"


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """Counts of ``n`` common questions of a group; ``p`` is the probability of so unequal ones by chance."""

    group: str
    n: int
    both: int
    first_only: int
    second_only: int
    neither: int
    p: float


@dataclass(frozen=True)
class RunComparison:
    files: tuple[str, str]
    groups: tuple[PairedCounts, ...]
    first_only: tuple[str, ...]
    second_only: tuple[str, ...]
    unpaired: tuple[int, int]


def mcnemar(first_only: int, second_only: int) -> float:
    """Return the two-sided p of the exact test."""
    n, fewer = first_only + second_only, min(first_only, second_only)
    return min(1.0, float(2 * sum(comb(n, count) for count in range(fewer + 1)) / 2**n))


def compare_runs(first: Path, second: Path) -> RunComparison:
    runs = read_run(first), read_run(second)
    common = [key for key in runs[0] if key in runs[1]]
    if not common:
        problem = "the two runs have no question in common"
        raise DataError(problem, where=f"{first}, {second}", hint=_HINT)
    for key in common:
        if runs[0][key]["labels"] != runs[1][key]["labels"]:
            problem = f"question {key!r} has other labels in {second}: it is of another benchmark"
            raise DataError(problem, where=str(first), hint=_HINT)
    pairs = [
        (runs[0][key].get("group", ALL), _is_right(runs[0][key]), _is_right(runs[1][key]), key)
        for key in common
    ]
    names = [*sorted({group for group, *_ in pairs}), ALL]
    return RunComparison(
        (str(first), str(second)),
        tuple(_count(name, pairs) for name in (names if len(names) > 2 else [ALL])),
        tuple(key for _, left, right, key in pairs if left and not right),
        tuple(key for _, left, right, key in pairs if right and not left),
        (len(runs[0]) - len(common), len(runs[1]) - len(common)),
    )


def _count(group: str, pairs: Iterable[tuple[str, bool, bool, str]]) -> PairedCounts:
    results = [(left, right) for name, left, right, _ in pairs if group in (name, ALL)]
    first_only, second_only = results.count((True, False)), results.count((False, True))
    both, neither = results.count((True, True)), results.count((False, False))
    p = mcnemar(first_only, second_only)
    return PairedCounts(group, len(results), both, first_only, second_only, neither, p)


def read_run(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """Read the lines of an --out file by id; an incomplete last line is left out."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=str(path), hint=_HINT) from error
    except OSError as error:
        raise UnreadableFile(str(error.strerror), where=str(path), hint=_HINT) from error
    lines = {}
    for number, text in enumerate(content.split(b"\n")[:-1], 1):
        fields = read_fields(text, f"{path}:{number}")
        scores = fields.get("scores")
        if not (isinstance(scores, dict) and scores and isinstance(fields.get("labels"), list)):
            where = f"{path}:{number}"
            raise UnreadableFile("no scores and labels in it", where=where, hint=_HINT)
        lines[fields["id"]] = fields
    return lines


def _is_right(fields: Mapping[str, Any]) -> bool:
    return bool(next(iter(fields["scores"].values())) == 1)


def lay_out_comparison(comparison: RunComparison, shown: int = 12) -> Iterator[Part]:
    first, second = comparison.files
    names = ("n", "first %", "second %", "both", "first only", "second only", "neither", "p")
    rows = tuple(
        (
            row.group,
            f"{row.n:,}",
            f"{100 * (row.both + row.first_only) / row.n:.1f}",
            f"{100 * (row.both + row.second_only) / row.n:.1f}",
            *(f"{count:,}" for count in (row.both, row.first_only, row.second_only, row.neither)),
            f"{row.p:.3g}",
        )
        for row in comparison.groups
    )
    yield ReportTable("comparison", ("right", *names), rows)
    yield f"first: {first}; second: {second}; p of McNemar's exact test, two-sided"
    for title, keys in (("first", comparison.first_only), ("second", comparison.second_only)):
        if keys:
            yield f"right only in the {title}: {format_list(list(keys), shown)}"
    if any(comparison.unpaired):
        counts = " and ".join(f"{count:,}" for count in comparison.unpaired)
        yield f"only in one file, not compared: {counts}"
