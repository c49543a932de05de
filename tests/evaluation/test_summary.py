"""Figures by group and by invented function."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j.evaluation.benchmark import Case
from trustuqa_neo4j.evaluation.results_file import ResultLine
from trustuqa_neo4j.evaluation.summary import (
    count_outcomes,
    count_problem_kinds,
    count_retries,
    find_commit,
    outcomes_by_group,
    score_group,
    scores_by_function,
    scores_by_group,
)


def line(
    name: str, outcome: str = "answered", score: float = 1.0, ms: float = 1.0, group: str = "a",
    kind: str | None = None,
) -> ResultLine:  # fmt: skip
    problems = ({"kind": kind},) if kind else ()
    times = {"parse": 100.0, "map": ms / 4, "execute": ms * 3 / 4}
    scores = {"main": score, "half": score / 2}
    return ResultLine(name, group, "", "", None, (), outcome, (), scores, times, problems)


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
    found = score_group("a", LINES)
    assert (found.n, found.right, found.wrong, found.empty, found.refused) == (7, 1, 1, 1, 4)
    assert found.scores == {"main": pytest.approx(1.5 / 7), "half": pytest.approx(0.75 / 7)}
    assert list(found.kinds.items()) == [
        ("rejected: undefined function", 2),
        ("failed: unreadable", 1),
        ("not_askable", 1),
    ]


def test_times_are_those_of_mapping_and_execution_of_what_ran() -> None:
    found = score_group("a", LINES)
    assert (found.p50, found.p95) == (4, 8)
    none = score_group("a", LINES[3:])
    assert (none.p50, none.p95) == (None, None)


def test_an_empty_answer_can_be_right() -> None:
    found = score_group("a", [line("1", "empty", 1)])
    assert (found.right, found.empty) == (1, 0)


def test_groups_and_all_of_them() -> None:
    assert [(row.group, row.n) for row in scores_by_group(LINES)] == [
        ("a", 6),
        ("b", 1),
        ("all", 7),
    ]
    assert [(row.group, row.n) for row in scores_by_group(LINES[:3])] == [("a", 3)]


def test_nothing_was_run() -> None:
    assert [(row.group, row.n, row.scores) for row in scores_by_group([])] == [("all", 0, {})]


def test_a_query_counts_for_each_of_its_functions() -> None:
    cases = [
        Case("1", "", "", (), "a", invented=("sort", "if")),
        Case("2", "", "", (), "a", invented=("if",)),
        Case("3", "", "", (), "a"),
        Case("9", "", "", (), "a", invented=("sort",)),
    ]
    found = scores_by_function(LINES, cases)
    assert [(row.group, row.n, row.right, row.wrong) for row in found] == [
        ("if", 2, 1, 1),
        ("sort", 1, 1, 0),
    ]


def test_a_commit_is_told_only_of_a_checkout(tmp_path: Path) -> None:
    assert find_commit(tmp_path) is None
    (tmp_path / ".git").mkdir()
    assert find_commit(tmp_path) is None


# How questions ended: every one in one column, and which problems their queries had.


def outcome_line(
    outcome: str, exact: int = 0, partial: int = 0, *sent_back: tuple[str, ...], group: str = "a",
    kinds: tuple[str, ...] = (),
) -> ResultLine:  # fmt: skip
    problems = tuple({"kind": kind} for kind in kinds)
    scores = {"exact": exact, "partial": partial}
    return ResultLine(
        "", group, "", "", None, (), outcome, (), scores, {}, problems, sent_back=sent_back
    )


@pytest.mark.parametrize(
    ("given", "end"),
    [
        (outcome_line("answered", 1), "first"),
        (outcome_line("empty", 1), "first"),
        (outcome_line("answered", 1, 0, ("domain",)), "repaired"),
        (outcome_line("answered", 0, 1), "partial"),
        (outcome_line("answered", 0, 1, ("domain",)), "partial"),
        (outcome_line("answered"), "wrong"),
        (outcome_line("empty"), "wrong"),
        (outcome_line("rejected"), "unknown"),
        (outcome_line("not_askable"), "unknown"),
        (outcome_line("abstained"), "unknown"),
        (outcome_line("failed"), "error"),
    ],
)
def test_where_each_ends(given: ResultLine, end: str) -> None:
    found = count_outcomes("a", [given])
    names = ("first", "repaired", "partial", "wrong", "unknown", "error")
    assert [name for name in names if getattr(found, name)] == [end]
    assert found.right == found.first + found.repaired


def test_groups_and_all() -> None:
    lines = [
        outcome_line("answered", 1),
        outcome_line("rejected"),
        outcome_line("failed", group="b"),
    ]
    assert [(row.group, row.n, row.right) for row in outcomes_by_group(lines)] == [
        ("a", 2, 1), ("b", 1, 0), ("all", 3, 1),
    ]  # fmt: skip


def test_problems_are_counted_once_a_query() -> None:
    lines = [
        outcome_line("answered", 1, 0, ("domain", "domain", "range"), ("domain",)),
        outcome_line("rejected", 0, 0, ("range",), kinds=("range", "unknown relation")),
        outcome_line("answered", 1, kinds=("unknown name",)),
    ]
    assert count_problem_kinds(lines) == {"range": 3, "domain": 2, "unknown relation": 1}
    assert list(count_problem_kinds(lines)) == ["range", "domain", "unknown relation"]


def test_right_answers_are_counted_by_retries() -> None:
    first, second = outcome_line("answered", 1), outcome_line("answered", 1, 0, ("domain",))
    wrong = outcome_line("answered", 0, 0, ("domain",), ("range",))
    assert count_retries([first, first, second, wrong]) == {"after 0": 2, "after 1": 1}
    assert count_retries([first, first]) == {}
