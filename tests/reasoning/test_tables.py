"""Table functions on tables made here: expressions, groups, rows kept, order."""

from __future__ import annotations

import pytest
from support.cells import cells

from trustuqa_neo4j.language.ast import Problem
from trustuqa_neo4j.language.columns import (
    Aggregate,
    Expression,
    GroupValue,
    find_columns,
    read_aggregate,
    read_expression,
)
from trustuqa_neo4j.reasoning import arithmetic, tables
from trustuqa_neo4j.reasoning.notes import NoteCollector
from trustuqa_neo4j.reasoning.results import Cell, EvaluationError, Table, make_number


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
    tree = read_expression(text)
    assert not isinstance(tree, Problem)
    return tree


def last_column(table: Table) -> list[object]:
    return [row[-1].computed for row in table.rows]


def table_texts(table: Table) -> list[list[str]]:
    return [[item.text for item in row] for row in table.rows]


def test_days_between_two_columns() -> None:
    table = tables.add_computed_column(PAID, expression("days_between(opened, closed)"), "days", 0)
    assert table.columns == (*PAID.columns, "days")
    assert last_column(table) == [60, 2, 60, -1]


def test_computed_column() -> None:
    first_rows = Table(PAID.columns, PAID.rows[:3])
    assert last_column(
        tables.add_computed_column(first_rows, expression("-paid * 2 + 200 / 4"), "x", 0)
    ) == [
        -150,
        -11,
        -150,
    ]
    assert last_column(tables.add_computed_column(first_rows, expression("7"), "x", 0)) == [7, 7, 7]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("days_between(opened, '2020-01-31')", [30, -393, 30]),
        ("days_between(2020-01-01, opened)", [0, 423, 0]),
        ("year(closed) - '2000'", [20, 21, 20]),
        ("round(paid / 3, 2)", [33.33, 10.17, 33.33]),
        ("round(paid / 20)", [5, 2, 5]),
        ("abs(50 - paid)", [50, 19.5, 50]),
    ],
)
def test_constants_and_functions(text: str, expected: list[float]) -> None:
    first_rows = Table(PAID.columns, PAID.rows[:3])
    assert last_column(tables.add_computed_column(first_rows, expression(text), "x", 0)) == expected


def test_column_name_comes_before_a_date() -> None:
    first_rows = Table(("2020-01-01",), ((cell("5"),),))
    assert last_column(
        tables.add_computed_column(first_rows, expression("2020-01-01 + 1"), "x", 0)
    ) == [6]


@pytest.mark.parametrize(
    ("number", "digits", "expected"),
    [("2.5", 0, 3), ("-2.5", 0, -3), ("0.125", 2, 0.13), ("1e15", 15, 1e15), ("7", 3, 7)],
)
def test_halves_are_rounded_away_from_zero(number: str, digits: int, expected: float) -> None:
    assert arithmetic.round_number(make_number(float(number)), digits, 0).computed == expected


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
def test_uncomputable_expressions_are_refused(text: str, kind: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        tables.add_computed_column(PAID, expression(text), "x", 5)
    assert (caught.value.kind, caught.value.position) == (kind, 5)


def test_columns_of_an_expression() -> None:
    columns = find_columns(expression("a + days_between(b, c - 1) * 2 - year(d)"))
    assert list(columns) == ["a", "b", "c", "d"]


def test_groups_are_in_order_of_occurrence() -> None:
    aggregates = [Aggregate("count", None, "n"), Aggregate("count_distinct", "paid", "d")]
    table = tables.group_rows(PAID, ["WHO"], aggregates, 0)
    assert table.columns == ("who", "n", "d")
    assert table_texts(table) == [["Ann", "2", "1"], ["Bob", "1", "1"], ["Cyd", "1", "1"]]


def test_aggregates() -> None:
    aggregates = [
        Aggregate(function, "paid", function) for function in ("sum", "mean", "min", "max", "count")
    ]
    first_rows = Table(PAID.columns, PAID.rows[:3])
    assert table_texts(tables.group_rows(first_rows, (), aggregates, 0)) == [
        ["230.5", "76.8333333333", "30.5", "100", "3"]
    ]
    notes = NoteCollector()
    sums = tables.group_rows(PAID, ["who"], [Aggregate("sum", "paid", "x")], 0, notes=notes)
    assert [row[1].text for row in sums.rows if row[1].is_missing] == [""]
    assert [note.count for note in notes.notes] == [1]
    with pytest.raises(EvaluationError, match="not comparable"):
        tables.group_rows(PAID, ["paid"], [Aggregate("sum", "who", "x")], 0)
    with pytest.raises(EvaluationError, match="unknown column"):
        tables.group_rows(PAID, ["wage"], (), 0)


def test_sums_and_means_of_groups_keep_the_unit() -> None:
    rows = (
        ("Ann", "3 kg", "0:45", "$5"),
        ("Bob", "4 kg", "1:30", "$7"),
        ("Ann", "2.5 kg", "2:00", "$8"),
    )
    parcels = Table(("who", "weight", "time", "fee"), tuple(tuple(map(cell, row)) for row in rows))
    aggregates = [
        Aggregate("sum", "weight", "w"),
        Aggregate("mean", "time", "t"),
        Aggregate("sum", "fee", "f"),
    ]
    table = tables.group_rows(parcels, ["who"], aggregates, 0)
    assert table_texts(table) == [["Ann", "5.5 kg", "1:22.5", "13"], ["Bob", "4 kg", "1:30", "7"]]
    heaviest = tables.filter_rows(table, "w", [(">", cells("5"))], 0)
    assert table_texts(heaviest)[0][0] == "Ann"


def test_groups_of_an_empty_table() -> None:
    empty = Table(("a",), ())
    assert tables.group_rows(empty, (), [Aggregate("count", None, "n")], 0).rows == ()


def test_filter_rows() -> None:
    table = tables.filter_rows(PAID, "paid", [(">", [cell("50")]), ("<", [cell("1,000")])], 0)
    assert table_texts(table) == [
        list(map(str, row)) for row in table_texts(Table((), PAID.rows[:1] + PAID.rows[2:3]))
    ]
    single = Table(("a",), ((cell("1"),), (cell("2"),)))
    assert table_texts(tables.filter_rows(single, None, [("!=", [cell("1")])], 0)) == [["2"]]
    with pytest.raises(EvaluationError, match="unknown column"):
        tables.filter_rows(PAID, None, [("=", [cell("1")])], 0)


def test_sort_puts_missing_values_last() -> None:
    for descending, expected in (
        (False, ["Bob", "Ann", "Ann", "Cyd"]),
        (True, ["Ann", "Ann", "Bob", "Cyd"]),
    ):
        table = tables.sort_rows(PAID, "paid", descending, 0)
        assert [row[0].text for row in table.rows] == expected
    assert [row[0].text for row in tables.sort_rows(PAID, None, True, 0).rows] == [
        "Cyd",
        "Bob",
        "Ann",
        "Ann",
    ]


def test_distinct_rows() -> None:
    assert len(tables.distinct_rows(PAID)) == 3
    same = Table(("a",), ((Cell("x", node=1),), (Cell("x", node=2),)))
    assert len(tables.distinct_rows(same)) == 2


def aggregate(text: str) -> GroupValue:
    aggregate = read_aggregate(text)
    assert not isinstance(aggregate, Problem)
    return aggregate


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_expressions_of_aggregates(text: str, expected: list[float]) -> None:
    first_rows = Table(PAID.columns, PAID.rows[:3])
    assert last_column(tables.group_rows(first_rows, ["who"], [aggregate(text)], 0)) == expected


def test_column_name_comes_before_an_expression() -> None:
    first_rows = Table(("a - b", "a", "b"), ((cell("7"), cell("3"), cell("1")),))
    assert last_column(tables.group_rows(first_rows, (), [aggregate("sum(a - b)")], 0)) == [7]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sum(paid + wage)", "unknown column"),
        ("sum(loss (gross))", "unknown column"),
        ("sum(paid) / sum(paid - paid)", "division by zero"),
        ("sum(who) / count()", "not comparable"),
    ],
)
def test_uncomputable_aggregates_are_refused(text: str, kind: str) -> None:
    first_rows = Table(PAID.columns, PAID.rows[:3])
    with pytest.raises(EvaluationError) as caught:
        tables.group_rows(first_rows, ["who"], [aggregate(text)], 5)
    assert (caught.value.kind, caught.value.position) == (kind, 5)
