"""Numbers out of cells."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reasoning_cells import cells

from trustuqa_neo4j.reasoning import figures
from trustuqa_neo4j.reasoning.results import Cell, Refused, number
from trustuqa_neo4j.values import OPEN, Value

LARGE = "1" + "0" * 98


def one(text: str) -> Cell:
    return cells(text)[0]


def refused(kind: str, message: str) -> pytest.RaisesContext[Refused]:  # type: ignore[name-defined]
    return pytest.raises(Refused, match=rf"(?s)^\('{kind}', .*{message}")


def test_the_sum_is_of_all_entries() -> None:
    found, skipped = figures.added(cells("1,000", "1000", "(1,500)", "text", ""), 0)
    assert (found.text, found.computed, skipped) == ("500", 500, 2)
    assert figures.added(cells("0.1", "0.2"), 0)[0].computed == 0.3


def test_a_sum_is_in_the_unit_of_the_first_that_has_one() -> None:
    assert figures.added(cells("400 m", "0.4 km"), 0)[0].computed == 800
    assert figures.added(cells("1 km", "500 m", "2"), 0)[0].computed == 3.5
    assert figures.added(cells("12 goals", "3 games"), 0)[0].computed == 15


def test_units_that_have_nothing_in_common() -> None:
    with refused("mixed units", "sum of .* and "):
        figures.added(cells("1 km", "2 kg"), 0)
    with refused("mixed units", "mean of .* and "):
        figures.mean(cells("$1", "€2"), 0)


def test_where_there_is_no_number_there_is_no_sum() -> None:
    with refused("not comparable", "sum needs numbers, and 'text' is none"):
        figures.added(cells("", "text"), 0)
    with refused("not comparable", "mean needs numbers, and nothing was given"):
        figures.mean((), 0)


def test_mean() -> None:
    found, skipped = figures.mean(cells("1", "2", "2", "x"), 0)
    assert (found.computed, skipped) == (pytest.approx(5 / 3), 1)


def test_too_large_a_number() -> None:
    huge = Cell("huge", Value(1.7e308))
    for compute in (figures.added, figures.mean):
        with refused("overflow", "larger than any number"):
            compute((huge, huge), 0)
    with refused("overflow", "larger"):
        figures.product(cells(*[LARGE] * 4), 0)
    with refused("overflow", "larger"):
        figures.ratio(huge, one("0.01"), 0)
    with refused("overflow", "larger"):
        figures.minus(huge, Cell("huge", Value(-1.7e308)), 0)


def test_product_and_ratio() -> None:
    assert figures.product(cells("2", "3", "0.5"), 0).computed == 3
    assert figures.ratio(one("1"), one("4"), 0).computed == 0.25
    assert figures.ratio(one("1"), one("3"), 0).text == "0.333333333333"
    assert figures.ratio(one("1"), one("3,000,000,000,000"), 0).computed == pytest.approx(1 / 3e12)
    with refused("division by zero", "'1' / '0.0' has no result"):
        figures.ratio(one("1"), one("0.0"), 0)
    with refused("not comparable", "division needs numbers, and 'x' is none"):
        figures.ratio(one("x"), one("4"), 0)
    with refused("not comparable", "product needs numbers, and 'x' is none"):
        figures.product(cells("1", "x"), 0)


def test_absolute() -> None:
    assert figures.absolute(one("−5"), 0).computed == 5
    with refused("not comparable", "abs needs numbers"):
        figures.absolute(one("x"), 0)


@pytest.mark.parametrize(
    ("first", "second", "unit", "apart"),
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
def test_distance(first: str, second: str, unit: str | None, apart: float) -> None:
    assert figures.distance(one(first), one(second), unit, 0).computed == apart
    assert figures.distance(one(second), one(first), unit, 0).computed is not None
    if "k" not in first:
        assert figures.distance(one(second), one(first), unit, 0).computed == apart


def test_what_has_no_distance() -> None:
    with refused("not comparable", "'x' is no number and no date"):
        figures.distance(one("x"), one("5"), None, 0)
    with refused("not comparable", "'x' is no number and no date"):
        figures.distance(one("5"), one("x"), None, 0)
    with refused("not comparable", "are not both numbers or both dates"):
        figures.distance(one("5"), one("1999-03-05"), None, 0)
    with refused("mixed units", "km and kg|kg and km"):
        figures.distance(one("5 km"), one("5 kg"), None, 0)
    with refused("unknown unit", "dates are days, weeks, months or years apart, not 'hours'"):
        figures.distance(one("1999-03-05"), one("1999-03-06"), "hours", 0)


def test_minus_has_a_sign() -> None:
    assert figures.minus(one("4"), one("10"), 0).computed == -6
    assert figures.minus(one("1999"), one("2004"), 0).computed == -5
    assert figures.minus(one("1999-03-05"), one("1999-03-06"), 0).computed == -1


def test_days_between() -> None:
    assert figures.days_between(one("1999-03-05"), one("1999-03-15"), 0).computed == 10
    assert figures.days_between(one("1999-03-15"), one("1999-03-05"), 0).computed == -10
    for pair in (("x", "1999-03-05"), ("1999-03-05", "x"), ("5.5", "1999-03-05")):
        with refused("not comparable", "is no date"):
            figures.days_between(one(pair[0]), one(pair[1]), 0)


@given(st.dates(), st.dates())
def test_days_apart_are_those_of_the_calendar(first: date, second: date) -> None:
    days = [d.year * 10000 + d.month * 100 + d.day for d in (first, second)]
    begin, end = (Cell("", Value(None, None, day, day)) for day in days)
    assert figures.days_between(begin, end, 0).computed == (second - first).days


def test_year() -> None:
    assert figures.year(one("5 March 1999"), 0).computed == 1999
    assert figures.year(one("2007–08"), 0).computed == 2007
    assert figures.year(one("summer of 1999, 1999"), 0).computed == 1999
    with refused("not comparable", "names no year"):
        figures.year(one("12345 and 99"), 0)
    with refused("not comparable", "names several years"):
        figures.year(one("from 1999 until 2004"), 0)
    open_end = Cell("still", Value(None, None, OPEN, OPEN))
    with refused("not comparable", "names no year"):
        figures.year(open_end, 0)


@pytest.mark.parametrize(
    ("computed", "text", "shown"),
    [
        (3.0, "3", 3),
        (0.1 + 0.2, "0.3", 0.3),
        (-2.5, "-2.5", -2.5),
        (1e-12, "1e-12", 1e-12),
        (123456789.123, "123456789.123", 123456789.123),
        (1e20, "1e+20", 1e20),
    ],
)
def test_a_computed_number(computed: float, text: str, shown: float) -> None:
    found = number(computed)
    assert (found.text, found.computed) == (text, shown)
    assert type(found.computed) is type(shown)
