"""Judgments of values: where they are asked for, and what becomes of them."""

from __future__ import annotations

import pytest
from support.cells import cells

from trustuqa_neo4j.language.ast import ProblemKind
from trustuqa_neo4j.reasoning.conditions import filter_cells, find_extremes, select_cells
from trustuqa_neo4j.reasoning.judgments import (
    JudgedOperand,
    JudgmentMissing,
    JudgmentRequest,
    Judgments,
    judge_function,
    judge_order,
    use_judgments,
)
from trustuqa_neo4j.reasoning.results import Cell, EvaluationError

HEIGHTS = cells("tall", "short", "tall", "medium")
VALUES = ("medium", "short", "tall")
TALLER = JudgmentRequest(
    "select", 'Which of the values are greater than "short"?', (JudgedOperand("", VALUES),)
)
HIGHEST = JudgmentRequest(
    "extreme", "Which of the values is the highest?", (JudgedOperand("", VALUES),)
)


def test_without_judgments_values_are_refused() -> None:
    with pytest.raises(EvaluationError):
        filter_cells(HEIGHTS, ">", cells("short"), 0)
    with use_judgments(Judgments({TALLER: None})), pytest.raises(EvaluationError) as caught:
        filter_cells(HEIGHTS, ">", cells("short"), 0)
    assert caught.value.kind is ProblemKind.NOT_COMPARABLE


def test_a_missing_judgment_ends_the_run() -> None:
    judgments = Judgments()
    with use_judgments(judgments), pytest.raises(JudgmentMissing) as caught:
        filter_cells(HEIGHTS, ">", cells("short"), 0)
    assert caught.value.request == TALLER
    with use_judgments(judgments), pytest.raises(JudgmentMissing) as caught:
        select_cells(HEIGHTS, "=", cells("highest"), 0)
    assert caught.value.request == HIGHEST
    assert not judgments.used


def test_judged_values_are_selected_in_all_their_places() -> None:
    judgments = Judgments({TALLER: ("medium", "tall"), HIGHEST: ("tall",)})
    with use_judgments(judgments):
        assert filter_cells(HEIGHTS, ">", cells("short"), 0).places == [0, 2, 3]
        assert select_cells(HEIGHTS, "=", cells("highest"), 0).places == [0, 2]
    assert judgments.used == {TALLER, HIGHEST}


def test_what_can_be_compared_is_not_judged() -> None:
    with use_judgments(Judgments()):
        assert filter_cells(cells("1", "9", "tall"), ">", cells("5"), 0).places == [1]
        assert find_extremes(cells("1", "9", "tall"), True).places == [1]
        assert find_extremes(cells("tall", "tall"), True).places == [0, 1]


def test_too_many_or_too_long_values_are_not_judged() -> None:
    many = cells(*(f"size {'x' * n}" for n in range(201)))
    with use_judgments(Judgments()):
        for values in (many, cells("x" * 501, "y")):
            with pytest.raises(EvaluationError):
                filter_cells(values, ">", cells("short"), 0)


def test_rows_are_not_judged() -> None:
    rows = (Cell("row 3", position=3), Cell("row 4", position=4))
    with use_judgments(Judgments()):
        assert judge_function("best", [("", HEIGHTS), ("", rows)]) is None
        assert judge_order(rows, ">", cells("short")) is None
        assert judge_order(HEIGHTS, ">", rows) is None


def test_a_function_has_operands_with_labels() -> None:
    assert judge_function("best", [("", HEIGHTS)]) is None
    with use_judgments(Judgments()), pytest.raises(JudgmentMissing) as caught:
        judge_function("best", [("", HEIGHTS), ("by =", cells("size"))])
    assert caught.value.request == JudgmentRequest(
        "compute",
        "Compute the function best.",
        (JudgedOperand("", VALUES), JudgedOperand("by =", ("size",))),
    )
