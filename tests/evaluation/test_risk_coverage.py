"""Precision at each coverage, and how often answers of one confidence are right."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.evaluation.untaught import (
    CoveragePoint,
    JudgedAnswer,
    measure_part,
    tabulate_coverage,
    tabulate_reliability,
)

ANSWERS = [
    JudgedAnswer(0.95, True),
    JudgedAnswer(0.4, True),
    JudgedAnswer(None, False),
    JudgedAnswer(0.9, False),
    JudgedAnswer(0.6, True),
]


def test_the_most_probable_answers_come_first() -> None:
    points = tabulate_coverage(ANSWERS, (10, 20, 40, 60, 80, 100))
    assert points == (
        CoveragePoint(0, 0, 0, None, None),
        CoveragePoint(0.2, 1, 1, 1, 0.95),
        CoveragePoint(0.4, 2, 1, 0.5, 0.9),
        CoveragePoint(0.6, 3, 2, pytest.approx(2 / 3), 0.6),
        CoveragePoint(0.8, 4, 3, 0.75, 0.4),
        CoveragePoint(1, 5, 3, 0.6, None),  # a question without an answer has no threshold
    )


def test_ten_points_by_default() -> None:
    assert [point.n for point in tabulate_coverage(ANSWERS * 2)] == list(range(1, 11))
    assert {point.precision for point in tabulate_coverage([])} == {None}


def test_a_part_of_the_questions() -> None:
    assert measure_part(ANSWERS[:2], 5, 0.5) == CoveragePoint(0.4, 2, 2, 1, 0.5)
    assert measure_part([], 0, 0.5) == CoveragePoint(0, 0, 0, None, 0.5)


def test_each_answer_is_in_one_bin() -> None:
    bins = tabulate_reliability([*ANSWERS, JudgedAnswer(1.0, True), JudgedAnswer(0.0, False)])
    assert [(row.low, row.high, row.n) for row in bins] == [
        (0, 0.5, 2), (0.5, 0.6, 0), (0.6, 0.7, 1), (0.7, 0.8, 0), (0.8, 0.9, 0), (0.9, 1, 3),
    ]  # fmt: skip
    lowest, highest = bins[0], bins[-1]
    assert (lowest.mean, lowest.precision) == (pytest.approx(0.2), 0.5)
    assert (highest.mean, highest.precision) == (pytest.approx(0.95), pytest.approx(2 / 3))
    assert (bins[1].mean, bins[1].precision) == (None, None)
