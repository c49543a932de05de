"""Numbers out of cells."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cells import cells

from trustuqa_neo4j.reasoning import arithmetic
from trustuqa_neo4j.reasoning.functions import NUMBER_AGGREGATES
from trustuqa_neo4j.reasoning.results import Cell, EvaluationError, make_number
from trustuqa_neo4j.values import Value

LARGE = "1" + "0" * 98


def cell(text: str) -> Cell:
    return cells(text)[0]


def raises(kind: str, message: str) -> pytest.RaisesContext[EvaluationError]:  # type: ignore[name-defined]
    return pytest.raises(EvaluationError, match=rf"(?s)^\('{kind}', .*{message}")


def test_sum_counts_equal_values() -> None:
    total, skipped = NUMBER_AGGREGATES["sum"](cells("1,000", "1000", "(1,500)", "text", ""), 0)
    assert (total.text, total.computed, [c.text for c in skipped]) == ("500", 500, ["text", ""])
    assert NUMBER_AGGREGATES["sum"](cells("0.1", "0.2"), 0)[0].computed == 0.3


def test_sum_has_the_most_frequent_unit_in_any_order() -> None:
    for texts in (("400 m", "0.4 km", "200 m"), ("0.4 km", "200 m", "400 m")):
        assert NUMBER_AGGREGATES["sum"](cells(*texts), 0)[0].computed == 1000
    for texts in (("400 m", "0.4 km"), ("0.4 km", "400 m")):
        assert NUMBER_AGGREGATES["sum"](cells(*texts), 0)[0].computed == 0.8
    assert NUMBER_AGGREGATES["sum"](cells("1 km", "500 m", "2"), 0)[0].computed == 3.5
    assert NUMBER_AGGREGATES["sum"](cells("12 goals", "3 games"), 0)[0].computed == 15


def test_incompatible_units_are_refused() -> None:
    with raises("mixed units", "sum of .* and "):
        NUMBER_AGGREGATES["sum"](cells("1 km", "2 kg"), 0)
    with raises("mixed units", "mean of .* and "):
        NUMBER_AGGREGATES["mean"](cells("$1", "€2"), 0)


def test_sum_without_numbers_is_refused() -> None:
    with raises("not comparable", "sum needs numbers, and 'text' is none"):
        NUMBER_AGGREGATES["sum"](cells("", "text"), 0)
    with raises("not comparable", "mean needs numbers, and nothing was given"):
        NUMBER_AGGREGATES["mean"]((), 0)


def test_mean() -> None:
    mean, skipped = NUMBER_AGGREGATES["mean"](cells("1", "2", "2", "x"), 0)
    assert (mean.computed, [c.text for c in skipped]) == (pytest.approx(5 / 3), ["x"])


def test_overflow_is_refused() -> None:
    huge = Cell("huge", Value(1.7e308))
    for compute in NUMBER_AGGREGATES.values():
        with raises("overflow", "larger than any number"):
            compute((huge, huge), 0)
    with raises("overflow", "larger"):
        arithmetic.multiply_numbers(cells(*[LARGE] * 4), 0)
    with raises("overflow", "larger"):
        arithmetic.divide_numbers(huge, cell("0.01"), 0)
    with raises("overflow", "larger"):
        arithmetic.subtract_numbers(huge, Cell("huge", Value(-1.7e308)), 0)


def test_product_and_ratio() -> None:
    assert arithmetic.multiply_numbers(cells("2", "3", "0.5"), 0).computed == 3
    assert arithmetic.divide_numbers(cell("1"), cell("4"), 0).computed == 0.25
    assert arithmetic.divide_numbers(cell("1"), cell("3"), 0).text == "0.333333333333"
    assert arithmetic.divide_numbers(
        cell("1"), cell("3,000,000,000,000"), 0
    ).computed == pytest.approx(1 / 3e12)
    with raises("division by zero", "'1' / '0.0' has no result"):
        arithmetic.divide_numbers(cell("1"), cell("0.0"), 0)
    with raises("not comparable", "division needs numbers, and 'x' is none"):
        arithmetic.divide_numbers(cell("x"), cell("4"), 0)
    with raises("not comparable", "product needs numbers, and 'x' is none"):
        arithmetic.multiply_numbers(cells("1", "x"), 0)


def test_absolute() -> None:
    assert arithmetic.make_absolute(cell("−5"), 0).computed == 5
    with raises("not comparable", "abs needs numbers"):
        arithmetic.make_absolute(cell("x"), 0)


@pytest.mark.parametrize(
    ("first", "second", "unit", "expected"),
    [
        ("4", "10", None, 6),
        ("1990", "1999", None, 9),
        ("1990", "1999", "years", 9),
        ("1990", "1999", "Year", 9),
        ("1990", "1991", "days", 365),
        ("45", "50", "years", 5),
        ("1999-03-05", "1999-03-01", None, 4),
        ("1999-12-31", "2000-01-01", "years", 1),
        ("1999-12-31", "2000-02-01", "months", 2),
        ("2001-01-01", "2001-01-15", "weeks", 2),
        ("1 km", "400 m", None, 0.6),
        ("1 km", "400 m", "m", 600),
        ("1 km", "400 m", "metres", 600),
        ("1 km", "400 m", "goals", 0.6),
        ("1 km", "400", None, 399),
        ("12 goals", "4", "goals", 8),
    ],
)
def test_distance(first: str, second: str, unit: str | None, expected: float) -> None:
    assert arithmetic.measure_distance(cell(first), cell(second), unit, 0).computed == expected
    assert arithmetic.measure_distance(cell(second), cell(first), unit, 0).computed is not None
    if "k" not in first:
        assert arithmetic.measure_distance(cell(second), cell(first), unit, 0).computed == expected


def test_distance_of_incomparable_cells_is_refused() -> None:
    with raises("not comparable", "'x' is not a number or a date"):
        arithmetic.measure_distance(cell("x"), cell("5"), None, 0)
    with raises("not comparable", "'x' is not a number or a date"):
        arithmetic.measure_distance(cell("5"), cell("x"), None, 0)
    with raises("not comparable", "are not both numbers or both dates"):
        arithmetic.measure_distance(cell("5"), cell("1999-03-05"), None, 0)
    with raises("mixed units", "km and kg|kg and km"):
        arithmetic.measure_distance(cell("5 km"), cell("5 kg"), None, 0)
    with raises("unknown unit", "dates are days, weeks, months or years apart, not 'hours'"):
        arithmetic.measure_distance(cell("1999-03-05"), cell("1999-03-06"), "hours", 0)


def test_difference_has_a_sign() -> None:
    assert arithmetic.subtract_numbers(cell("4"), cell("10"), 0).computed == -6
    assert arithmetic.subtract_numbers(cell("1999"), cell("2004"), 0).computed == -5
    assert arithmetic.subtract_numbers(cell("1999-03-05"), cell("1999-03-06"), 0).computed == -1


def test_days_between() -> None:
    assert arithmetic.count_days_between(cell("1999-03-05"), cell("1999-03-15"), 0).computed == 10
    assert arithmetic.count_days_between(cell("1999-03-15"), cell("1999-03-05"), 0).computed == -10
    for pair in (("x", "1999-03-05"), ("1999-03-05", "x"), ("5.5", "1999-03-05")):
        with raises("not comparable", "is not a date"):
            arithmetic.count_days_between(cell(pair[0]), cell(pair[1]), 0)


@given(st.dates(), st.dates())
def test_days_between_agrees_with_the_calendar(first: date, second: date) -> None:
    days = [d.year * 10000 + d.month * 100 + d.day for d in (first, second)]
    begin, end = (Cell("", Value(None, None, day, day)) for day in days)
    assert arithmetic.count_days_between(begin, end, 0).computed == (second - first).days


@pytest.mark.parametrize(
    ("first", "second", "days", "months"),
    [
        ("1990", "1995", 5 * 365.2425, 60),
        ("1995", "1990", 5 * 365.2425, 60),
        ("1999-12-31", "2001", 2 * 365.2425, 24),
        ("1999", "May 1999", 120, 0),
        ("May 1999", "March 2000", 305, 10),
        ("1999-05-31", "March 2000", 275, 10),
        ("1999-05-03", "2000-05-03", 366, 12),
        ("1999-05-03", "1999-05-03", 0, 0),
    ],
)
def test_days_and_months(first: str, second: str, days: int, months: int) -> None:
    dates = [value for date in (first, second) if (value := cell(date).value)]
    assert arithmetic.count_days_and_months(*dates) == (days, months)


def test_days_that_are_left_are_part_of_a_month() -> None:
    begin, *ends = (cell(f"2000-{day}").value for day in ("01-05", "03-04", "03-05", "03-06"))
    assert begin is not None
    months = [arithmetic.count_days_and_months(begin, end)[1] for end in ends if end is not None]
    assert 1 < months[0] < months[1] == 2 < months[2] < 3


@pytest.mark.parametrize(
    ("computed", "text", "expected"),
    [
        (3.0, "3", 3),
        (0.1 + 0.2, "0.3", 0.3),
        (-2.5, "-2.5", -2.5),
        (1e-12, "1e-12", 1e-12),
        (123456789.123, "123456789.123", 123456789.123),
        (1e20, "1e+20", 1e20),
    ],
)
def test_text_of_computed_numbers(computed: float, text: str, expected: float) -> None:
    cell = make_number(computed)
    assert (cell.text, cell.computed) == (text, expected)
    assert type(cell.computed) is type(expected)
