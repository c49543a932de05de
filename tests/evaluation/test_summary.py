"""Figures by group and by invented function."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j.evaluation.benchmark import Case
from trustuqa_neo4j.evaluation.lines import Line
from trustuqa_neo4j.evaluation.made_with import commit
from trustuqa_neo4j.evaluation.summary import by_function, by_group, figures


def line(
    name: str, outcome: str = "answered", score: float = 1.0, ms: float = 1.0, group: str = "a",
    kind: str | None = None,
) -> Line:  # fmt: skip
    problems = ({"kind": kind},) if kind else ()
    times = {"parse": 100.0, "map": ms / 4, "execute": ms * 3 / 4}
    scores = {"main": score, "half": score / 2}
    return Line(name, group, "", "", None, (), outcome, (), scores, times, problems)


LINES = [
    line("1", ms=4),
    line("2", score=0.5, ms=2),
    line("3", "empty", 0, ms=8),
    line("4", "rejected", 0, ms=1000, kind="undefined function"),
    line("5", "rejected", 0, kind="undefined function"),
    line("6", "failed", 0, kind="unreadable"),
    line("7", "not_askable", 0, group="b"),
]


def test_each_line_is_counted_once() -> None:
    found = figures("a", LINES)
    assert (found.n, found.right, found.wrong, found.empty, found.refused) == (7, 1, 1, 1, 4)
    assert found.scores == {"main": pytest.approx(1.5 / 7), "half": pytest.approx(0.75 / 7)}
    assert list(found.kinds.items()) == [
        ("rejected: undefined function", 2),
        ("failed: unreadable", 1),
        ("not_askable", 1),
    ]


def test_times_are_those_of_mapping_and_execution_of_what_ran() -> None:
    found = figures("a", LINES)
    assert (found.p50, found.p95) == (4, 8)
    none = figures("a", LINES[3:])
    assert (none.p50, none.p95) == (None, None)


def test_an_empty_answer_can_be_right() -> None:
    found = figures("a", [line("1", "empty", 1)])
    assert (found.right, found.empty) == (1, 0)


def test_groups_and_all_of_them() -> None:
    assert [(row.group, row.n) for row in by_group(LINES)] == [("a", 6), ("b", 1), ("all", 7)]
    assert [(row.group, row.n) for row in by_group(LINES[:3])] == [("a", 3)]


def test_nothing_was_run() -> None:
    assert [(row.group, row.n, row.scores) for row in by_group([])] == [("all", 0, {})]


def test_a_query_counts_for_each_of_its_functions() -> None:
    cases = [
        Case("1", "", "", (), "a", invented=("sort", "if")),
        Case("2", "", "", (), "a", invented=("if",)),
        Case("3", "", "", (), "a"),
        Case("9", "", "", (), "a", invented=("sort",)),
    ]
    found = by_function(LINES, cases)
    assert [(row.group, row.n, row.right, row.wrong) for row in found] == [
        ("if", 2, 1, 1),
        ("sort", 1, 1, 0),
    ]


def test_a_commit_is_told_only_of_a_checkout(tmp_path: Path) -> None:
    assert commit(tmp_path) is None
    (tmp_path / ".git").mkdir()
    assert commit(tmp_path) is None
