"""The fit of the ranker and its figures, on questions of our own."""

from __future__ import annotations

import pytest

from bench.semantic_parser.corpus import TableQuestion, read_own_questions
from bench.semantic_parser.measurement import Attempt, count_failures, format_figures, summarize
from bench.semantic_parser.training import (
    FeatureMatrix,
    JudgedReading,
    fit,
    fit_calibration,
    predict,
)
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights
from trustuqa_neo4j.semantic_parser.reading import QuestionReading

CASES = [case for case in read_own_questions() if case.table.name == "rainfall.csv" and case.labels]


def reading(answer: str, probability: float, *, is_explained: bool = True) -> QuestionReading:
    return QuestionReading("", probability, None, (answer,), (), "" if is_explained else "why")


def test_a_question_that_counts_twice_is_fitted_as_two() -> None:
    repeated, counted = FeatureMatrix(), FeatureMatrix()
    for number, case in enumerate(CASES[:6]):
        repeated.add(case)
        if number < 3:
            repeated.add(case)
        counted.add(case, 2 if number < 3 else 1)
    assert fit(counted, rare=1) == pytest.approx(fit(repeated, rare=1), abs=1e-2)


def test_a_fit_answers_more_of_its_own_questions_than_no_weights() -> None:
    matrix = FeatureMatrix()
    for case in CASES:
        matrix.add(case)
    fitted = predict(matrix, fit(matrix, rare=2))
    assert sum(o.is_right for o in fitted) > sum(o.is_right for o in predict(matrix, {})) + 5


def test_what_a_reading_leaves_out_lowers_its_probability() -> None:
    right = [JudgedReading({"constant": 1.0, "words unexplained": 0.0}, True)] * 9
    wrong = [JudgedReading({"constant": 1.0, "words unexplained": 1.0}, False)] * 9
    calibration = RankerWeights({}, fit_calibration([*right, *wrong, right[0]]))
    assert calibration.calibrate(right[0].evidence) > 0.7
    assert calibration.calibrate(wrong[0].evidence) < 0.3


def test_figures_count_answers_at_the_threshold_and_gate() -> None:
    answerable = TableQuestion("driest month", CASES[0].table, ("July",), "superlative")
    unanswerable = TableQuestion("who sings?", CASES[0].table, (), "unanswerable")
    right, wrong = reading("July", 0.9), reading("May", 0.9)
    attempts = [
        Attempt(answerable, [right], 0),
        Attempt(answerable, [wrong, right], 1),
        Attempt(answerable, [reading("July", 0.1)], 0),
        Attempt(answerable, [reading("July", 0.9, is_explained=False)], 0),
        Attempt(answerable, [], None),
        Attempt(unanswerable, [wrong], None),
        Attempt(unanswerable, [reading("May", 0.1)], None),
    ]
    figures = summarize(attempts)
    assert figures == {
        "right": (3, 5),
        "right among three": (4, 5),
        "answered": (2, 5),
        "right of answered": (1, 2),
        "unanswerable answered": (1, 2),
    }
    assert format_figures(figures).startswith("right 3/5 (60.0 %), right among three 4/5 (80.0 %)")
    assert count_failures(attempts) == {
        ("among best three", "superlative"): 1,
        ("right, unsure", "superlative"): 1,
        ("right, unexplained", "superlative"): 1,
        ("no reading", "superlative"): 1,
        ("unanswerable, answered", "unanswerable"): 1,
    }
