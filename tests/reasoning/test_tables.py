"""Table functions on tables made here: expressions, groups, rows kept, order."""

from __future__ import annotations

import pytest
from reasoning_cells import cells

from trustuqa_neo4j.language.expressions import (
    Aggregate,
    Expression,
    read_aggregate,
    read_expression,
)
from trustuqa_neo4j.language.formulas import Figure, columns_in
from trustuqa_neo4j.language.query import Problem
from trustuqa_neo4j.reasoning import figures, tables
from trustuqa_neo4j.reasoning.results import Cell, Refused, Table
from trustuqa_neo4j.reasoning.results import number as figure


def cell(text: str) -> Cell:
    return cells(text)[0]


PAID = Table(
    ("who", "paid", "opened", "closed"),
    (
        (cell("Ann"), cell("100"), cell("2020-01-01"), cell("2020-03-01")),
        (cell("Bob"), cell("30.5"), cell("2021-02-27"), cell("2021-03-01")),
        (cell("Ann"), cell("100"), cell("2020-01-01"), cell("2020-03-01")),
        (cell("Cyd"), cell("unknown"), cell("2020-05-01"), cell("2020-04-30")),
    ),
)


def expression(text: str) -> Expression:
    read = read_expression(text)
    assert not isinstance(read, Problem)
    return read


def last(table: Table) -> list[object]:
    return [row[-1].computed for row in table.rows]


def shown(table: Table) -> list[list[str]]:
    return [[each.text for each in row] for row in table.rows]


def test_days_between_two_columns() -> None:
    found = tables.calculated(PAID, expression("days_between(opened, closed)"), "days", 0)
    assert found.columns == (*PAID.columns, "days")
    assert last(found) == [60, 2, 60, -1]


def test_arithmetic_in_each_row() -> None:
    some = Table(PAID.columns, PAID.rows[:3])
    assert last(tables.calculated(some, expression("-paid * 2 + 200 / 4"), "x", 0)) == [
        -150,
        -11,
        -150,
    ]
    assert last(tables.calculated(some, expression("7"), "x", 0)) == [7, 7, 7]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("days_between(opened, '2020-01-31')", [30, -393, 30]),
        ("days_between(2020-01-01, opened)", [0, 423, 0]),
        ("year(closed) - '2000'", [20, 21, 20]),
        ("round(paid / 3, 2)", [33.33, 10.17, 33.33]),
        ("round(paid / 20)", [5, 2, 5]),
        ("abs(50 - paid)", [50, 19.5, 50]),
    ],
)
def test_constants_and_functions(text: str, found: list[float]) -> None:
    some = Table(PAID.columns, PAID.rows[:3])
    assert last(tables.calculated(some, expression(text), "x", 0)) == found


def test_a_column_goes_before_the_date_that_its_name_is() -> None:
    some = Table(("2020-01-01",), ((cell("5"),),))
    assert last(tables.calculated(some, expression("2020-01-01 + 1"), "x", 0)) == [6]


@pytest.mark.parametrize(
    ("number", "digits", "said"),
    [("2.5", 0, 3), ("-2.5", 0, -3), ("0.125", 2, 0.13), ("1e15", 15, 1e15), ("7", 3, 7)],
)
def test_halves_are_rounded_away_from_nought(number: str, digits: int, said: float) -> None:
    assert figures.rounded(figure(float(number)), digits, 0).computed == said


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("paid * 2", "not comparable"),
        ("paid / 0", "division by zero"),
        ("wage", "unknown column"),
        ("days_between(who, closed)", "not comparable"),
        ("days_between(opened, 'some day')", "unknown column"),
        ("round(who)", "not comparable"),
    ],
)
def test_what_cannot_be_calculated(text: str, kind: str) -> None:
    with pytest.raises(Refused) as caught:
        tables.calculated(PAID, expression(text), "x", 5)
    assert (caught.value.kind, caught.value.position) == (kind, 5)


def test_the_columns_of_an_expression() -> None:
    found = columns_in(expression("a + days_between(b, c - 1) * 2 - year(d)"))
    assert list(found) == ["a", "b", "c", "d"]


def test_groups_stand_in_the_order_they_first_stand_in() -> None:
    aggregates = [Aggregate("count", None, "n"), Aggregate("count_distinct", "paid", "d")]
    found = tables.grouped(PAID, ["WHO"], aggregates, 0)
    assert found.columns == ("who", "n", "d")
    assert shown(found) == [["Ann", "2", "1"], ["Bob", "1", "1"], ["Cyd", "1", "1"]]


def test_a_figure_of_a_group() -> None:
    aggregates = [
        Aggregate(function, "paid", function) for function in ("sum", "mean", "min", "max", "count")
    ]
    some = Table(PAID.columns, PAID.rows[:3])
    assert shown(tables.grouped(some, (), aggregates, 0)) == [
        ["230.5", "76.8333333333", "30.5", "100", "3"]
    ]
    with pytest.raises(Refused, match="not comparable"):
        tables.grouped(PAID, ["who"], [Aggregate("sum", "paid", "x")], 0)
    with pytest.raises(Refused, match="unknown column"):
        tables.grouped(PAID, ["wage"], (), 0)


def test_a_group_of_nothing() -> None:
    empty = Table(("a",), ())
    assert tables.grouped(empty, (), [Aggregate("count", None, "n")], 0).rows == ()


def test_rows_are_kept_by_a_column() -> None:
    found = tables.kept(PAID, "paid", [(">", [cell("50")]), ("<", [cell("1,000")])], 0)
    assert shown(found) == [
        list(map(str, row)) for row in shown(Table((), PAID.rows[:1] + PAID.rows[2:3]))
    ]
    one = Table(("a",), ((cell("1"),), (cell("2"),)))
    assert shown(tables.kept(one, None, [("!=", [cell("1")])], 0)) == [["2"]]
    with pytest.raises(Refused, match="unknown column"):
        tables.kept(PAID, None, [("=", [cell("1")])], 0)


def test_order_puts_what_has_no_value_last() -> None:
    for descending, expected in (
        (False, ["Bob", "Ann", "Ann", "Cyd"]),
        (True, ["Ann", "Ann", "Bob", "Cyd"]),
    ):
        found = tables.ordered(PAID, "paid", descending, 0)
        assert [row[0].text for row in found.rows] == expected
    assert [row[0].text for row in tables.ordered(PAID, None, True, 0).rows] == [
        "Cyd",
        "Bob",
        "Ann",
        "Ann",
    ]


def test_equal_rows_once() -> None:
    assert len(tables.distinct(PAID)) == 3
    same = Table(("a",), ((Cell("x", node=1),), (Cell("x", node=2),)))
    assert len(tables.distinct(same)) == 2


def figure_of(text: str) -> Figure:
    read = read_aggregate(text)
    assert not isinstance(read, Problem)
    return read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sum(paid * 2 + 1)", [402, 62]),
        ("mean(days_between(opened, closed))", [60, 2]),
        ("count_distinct(year(opened))", [1, 1]),
        ("max(paid - 1)", [99, 29.5]),
        ("sum(paid) / count()", [100, 30.5]),
        ("sum(paid) - min(paid) * count(paid)", [0, 0]),
        ("round(sum(paid) / 3, 1)", [66.7, 10.2]),
    ],
)
def test_figures_of_groups(text: str, found: list[float]) -> None:
    some = Table(PAID.columns, PAID.rows[:3])
    assert last(tables.grouped(some, ["who"], [figure_of(text)], 0)) == found


def test_a_column_goes_before_the_expression_that_its_name_is() -> None:
    some = Table(("a - b", "a", "b"), ((cell("7"), cell("3"), cell("1")),))
    assert last(tables.grouped(some, (), [figure_of("sum(a - b)")], 0)) == [7]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sum(paid + wage)", "unknown column"),
        ("sum(loss (gross))", "unknown column"),
        ("sum(paid) / sum(paid - paid)", "division by zero"),
        ("sum(who) / count()", "not comparable"),
    ],
)
def test_figures_that_cannot_be_computed(text: str, kind: str) -> None:
    some = Table(PAID.columns, PAID.rows[:3])
    with pytest.raises(Refused) as caught:
        tables.grouped(some, ["who"], [figure_of(text)], 5)
    assert (caught.value.kind, caught.value.position) == (kind, 5)
