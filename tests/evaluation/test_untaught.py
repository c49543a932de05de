"""Figures of questions that the semantic parser alone answers."""

from __future__ import annotations

from dataclasses import replace

from trustuqa_neo4j.evaluation.results_file import ReadingResult, ResultLine
from trustuqa_neo4j.evaluation.splits import choose_side
from trustuqa_neo4j.evaluation.untaught import (
    JudgedAnswer,
    RefusalCount,
    judge_best,
    measure_recorded,
    measure_untaught,
)


def line(outcome: str, *readings: tuple[float, int], kind: str | None = None) -> ResultLine:
    results = tuple(
        ReadingResult("", confidence, "answered", (), {"main": score})
        for confidence, score in readings
    )
    problems = ({"kind": kind},) if kind else ()
    score = readings[0][1] if outcome == "answered" else 0
    return ResultLine(
        "", "a", "", "", None, (), outcome, (), {"main": score}, {"total": 5.0}, problems,
        confidence=readings[0][0] if outcome == "answered" else None, readings=results,
    )  # fmt: skip


LINES = [
    line("answered", (0.9, 1), (0.1, 0)),
    line("answered", (0.8, 0), (0.1, 1), (0.05, 0)),
    line("not_askable", (0.7, 1), kind="not understood"),
    line("not_askable", (0.6, 0), (0.2, 0), (0.1, 1), kind="not understood"),
    line("not_askable", (0.3, 0), kind="not probable"),
    line("not_askable", kind="no reading"),
]


def test_right_readings_are_counted_by_rank() -> None:
    figures = measure_untaught(LINES)
    assert (figures.n, figures.right_within) == (6, (2, 3, 4))


def test_refused_questions_count_in_the_coverage_and_not_at_the_default() -> None:
    figures = measure_untaught(LINES)
    assert (figures.coverage[-1].n, figures.coverage[-1].right) == (6, 2)
    assert (figures.default.n, figures.default.right, figures.default.threshold) == (2, 1, 0.6)
    assert sum(row.n for row in figures.reliability) == 5
    assert [row.n for row in figures.reliability_given] == [0, 0, 0, 0, 1, 1]


def test_the_most_probable_reading_is_judged() -> None:
    """Readings that explain the question are offered first, also if another one is more probable."""
    entry = line("answered", (0.6, 1), (0.7, 0))
    assert judge_best(entry) == JudgedAnswer(0.7, False)
    figures = measure_untaught([entry])
    assert (figures.default.right, figures.coverage[-1].right, figures.right_within[0]) == (1, 0, 1)


def test_the_time_of_a_question() -> None:
    slow = replace(LINES[0], ms={"execute": 1.0, "total": 90.0})
    figures = measure_untaught([*LINES, slow])
    assert (figures.p50, figures.p95) == (5, 90)
    assert (measure_untaught([]).p50, measure_untaught([]).default.n) == (None, 0)


def test_refusals_are_counted_by_reason() -> None:
    assert measure_untaught(LINES).refusals == (
        RefusalCount("not_askable: not understood", 2, 1),
        RefusalCount("not_askable: not probable", 1, 0),
        RefusalCount("not_askable: no reading", 1, 0),
    )


def test_a_reading_that_failed_has_no_probability() -> None:
    failed = ReadingResult("", None, "failed", (), {"main": 0})
    entry = ResultLine("", "a", "", "", None, (), "failed", (), {"main": 0}, {}, readings=(failed,))
    assert judge_best(entry) == JudgedAnswer(None, False)


def test_recorded_queries_are_grouped() -> None:
    recorded = measure_recorded([line("answered", (1, 1)), line("rejected")], {"none": 3})
    (group,) = recorded.groups
    assert (group.n, group.right, group.refused) == (2, 1, 1)
    assert recorded.left_out == {"none": 3}
    assert measure_untaught(LINES, recorded).recorded == recorded


def test_a_side_has_its_share_of_questions() -> None:
    sides = [choose_side(f"who was number {number}?") for number in range(1000)]
    shares = {side: sides.count(side) / 1000 for side in ("fit", "development", "test")}
    assert 0.45 < shares["fit"] < 0.55
    assert 0.15 < shares["development"] < 0.25
    assert 0.25 < shares["test"] < 0.35
