"""Every reasoning function over cells, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from support.cells import cells, nodes, texts

from trustuqa_neo4j.language.functions import FUNCTIONS
from trustuqa_neo4j.reasoning.conditions import filter_cells
from trustuqa_neo4j.reasoning.functions import IMPLEMENTATIONS, Operands, is_fulfilled
from trustuqa_neo4j.reasoning.results import (
    Cell,
    Cells,
    EvaluationError,
    Nodes,
    Table,
    make_number,
    make_truth,
)

# What needs the database, or is planned apart.
EXECUTOR_FUNCTIONS = {
    "get_information", "search_node", "search_condition", "previous_row", "next_row", "set_negation",
    "compare", "smaller", "row_number", "get_table", "calculate", "group_by", "argmax", "argmin",
}  # fmt: skip
INFIX_OPERATORS = {"+", "-", "*", "/", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in"}


def test_every_function_has_an_implementation() -> None:
    declared = {function.name for function in FUNCTIONS}
    assert declared >= EXECUTOR_FUNCTIONS
    assert declared - EXECUTOR_FUNCTIONS == IMPLEMENTATIONS.keys() - INFIX_OPERATORS
    assert IMPLEMENTATIONS.keys() >= INFIX_OPERATORS


def operands(*inputs: Sequence[str] | str | tuple[Cell, ...], **options: str) -> Operands:
    """Operands as texts or cells; options as texts."""
    operand_cells = [
        cells(value) if isinstance(value, str)
        else tuple(member if isinstance(member, Cell) else cells(member)[0] for member in value)
        for value in inputs
    ]  # fmt: skip
    return Operands(
        operand_cells, 5, {name: [("=", cells(text))] for name, text in options.items()}
    )


def run(
    function: str, *inputs: Sequence[str] | str | tuple[Cell, ...], **options: str
) -> list[str]:
    return texts(IMPLEMENTATIONS[function](operands(*inputs, **options)))


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        ("set_intersection", [["a", "b"], ["B"]], ["b"]),
        ("set_union", [["a"], ["b", "A"]], ["a", "b"]),
        ("set_difference", [["a", "b"], ["B"]], ["a"]),
        ("count", [["a", "b", "A"]], ["2"]),
        ("count", [["a"], ["b", "a"]], ["2"]),
        ("count", [[]], ["0"]),
        ("count", [["", ""]], ["1"]),
        ("max", [["1", "9 km", "10"]], ["9 km"]),
        ("max", [["3"], ["10"], ["9"]], ["10"]),
        ("min", [["1", "1.0", "2"]], ["1"]),
        ("max", [[]], []),
        ("sum", [["1", "2"], ["2"]], ["5"]),
        ("mean", [["1", "2", "2"], ["3"]], ["2"]),
        ("median", [["1", "100", "2"]], ["2"]),
        ("median", [["4 m", "1 m", "2 m", "90 m"]], ["3 m"]),
        ("median", [["2", "2", "9"]], ["2"]),
        ("percentage", [["a", "c"], ["a", "b", "B", "d", "e"]], ["25%"]),
        ("percentage", [["a"], ["b", "a", "c"]], ["33.3333333333%"]),
        ("percentage", [[], ["b"]], ["0%"]),
        ("percentage", [["a"], []], []),
        ("difference", ["4", "10"], ["6"]),
        ("difference", [["4", "10"]], ["6"]),
        ("difference", [["a", "b"], ["b", "c"]], ["a"]),
        ("distance", ["4", "10"], ["6"]),
        ("distance", [["4", "10"]], ["6"]),
        ("year_difference", ["1999-12-31", "2001-01-01"], ["2"]),
        ("days_difference", ["1999", "2000"], ["365"]),
        ("product", ["2", "3", "4"], ["24"]),
        ("ratio", ["1", "4"], ["0.25"]),
        ("abs", [["-1", "2"]], ["1", "2"]),
        ("year", [["1999-01-01", "in 2004"]], ["1999", "2004"]),
        ("first", [["b", "a"]], ["b"]),
        ("last", [["b", "a"]], ["a"]),
        ("first", [[]], []),
        ("mode", [["a", "b", "A", "c", "C"]], ["a", "c"]),
        ("distinct", [["a", "A"]], ["a"]),
        ("contains", [["a", "b"], "A"], ["yes"]),
        ("contains", ["A", ["a", "b"]], ["yes"]),
        ("contains", [["a", "b"], ["a", "c"]], ["no"]),
        ("contains", [["a"], []], ["no"]),
        ("in", ["a", ["a", "b"]], ["yes"]),
        ("equals", [["a", "b"], ["B", "A"]], ["yes"]),
        ("equals", [["a", "b"], ["a"]], ["no"]),
        ("equals", [["a"], ["a", "b"]], ["no"]),
        ("equals", [[], ["a"]], ["no"]),
        ("equals", [[], []], ["yes"]),
        ("is_empty", [[]], ["yes"]),
        ("is_empty", [[""]], ["no"]),
        ("if", [["x"], "a", "b"], ["a"]),
        ("if", [[], "a", "b"], ["b"]),
        ("if", ["no", "a", "b"], ["b"]),
        ("if", [[], "a"], []),
        ("greater_than", ["5", "4"], ["yes"]),
        ("greater_than", ["4", "4"], ["no"]),
        ("less_than", ["4", "5"], ["yes"]),
        ("+", ["1", "2"], ["3"]),
        ("-", ["1", "2"], ["-1"]),
        ("*", ["2", "3"], ["6"]),
        ("/", ["3", "2"], ["1.5"]),
        ("=", ["1,000", "1000"], ["yes"]),
        ("!=", ["1,000", "1000"], ["no"]),
        ("<", ["4", "5"], ["yes"]),
        ("<=", ["5", "5"], ["yes"]),
        (">", ["5", "5"], ["no"]),
        (">=", ["5", "5"], ["yes"]),
        ("and", [["a", "b"], ["b"]], ["b"]),
        ("or", [["a"], ["b"]], ["a", "b"]),
    ],
)
def test_function_results(
    function: str, inputs: list[list[str] | str], expected: list[str]
) -> None:
    assert run(function, *inputs) == expected


def test_count_without_distinct() -> None:
    for no in ("false", "No", "0"):
        assert run("count", ["a", "a"], distinct=no) == ["2"]
    assert run("count", ["a", "a"], distinct="true") == ["1"]


def test_max_returns_all_rows_of_the_first_spelling() -> None:
    """With all entries of it, so that each stands for its row."""
    first, second, third = (Cell(t, c.value, node=n, row=r) for t, c, n, r in (
        ("1,000", cells("1000")[0], 1, 10), ("1,000", cells("1000")[0], 1, 11),
        ("1000", cells("1000")[0], 2, 12),
    ))  # fmt: skip
    result = IMPLEMENTATIONS["max"](Operands([(first, second, third)], 0))
    assert isinstance(result, Cells)
    assert [cell.row for cell in result.members] == [10, 11]


def messages(inputs: Operands) -> list[str]:
    return [note.message for note in inputs.notes.notes]


def test_skipped_cells_are_noted() -> None:
    for function, remark in (
        ("max", "1 of 3 cells could not be compared and was left out: 'x'"),
        ("min", "1 of 3 cells could not be compared and was left out: 'x'"),
        ("sum", "1 of 3 cells is not a number and was left out: 'x'"),
        ("mean", "1 of 3 cells is not a number and was left out: 'x'"),
        ("sort", "1 of 3 cells is not a number or date and comes last: 'x'"),
        (">", "1 of 3 cells could not be compared and was left out: 'x'"),
    ):
        inputs = operands(["1", "x", "3"], *([["2"]] if function == ">" else []))
        IMPLEMENTATIONS[function](inputs)
        assert messages(inputs) == [remark]
    inputs = operands(["b", "a"])
    IMPLEMENTATIONS["max"](inputs)
    assert messages(inputs) == ["2 of 2 cells are text, ordered by the alphabet: 'a', 'b'"]


TIMES = ["2024-01-05 14:30:05", "2024-01-05 09:15", "2024-01-05T14:30:04", "2024-01-04 11:00 pm"]


@pytest.mark.parametrize(
    ("function", "bound", "selected"),
    [
        (">", "2024-01-05 12:00", [0, 2]),
        (">", "2024-01-05", []),
        (">=", "2024-01-05", [0, 1, 2]),
        ("<=", "2024-01-05 09:15", [1, 3]),
        ("<", "2024-01-05 9:15:00", [3]),
        ("=", "2024-01-05 14:30:04", [2]),
        ("=", "2024-01-05", [0, 1, 2]),
        ("!=", "2024-01-04 23:00", [0, 1, 2]),
    ],
)
def test_times_of_day_are_compared(function: str, bound: str, selected: list[int]) -> None:
    assert filter_cells(cells(*TIMES), function, cells(bound), 0).places == selected


def test_times_of_day_are_ordered() -> None:
    assert run("sort", TIMES) == [TIMES[place] for place in (3, 1, 2, 0)]
    assert run("max", TIMES) == [TIMES[0]]
    assert run("min", TIMES[:3]) == [TIMES[1]]


def test_cells_without_the_time_that_decides_are_noted() -> None:
    days = ["2024-01-05 14:30", "2024-01-05", "2024-01-06"]
    for function, bound in (("sort", []), ("min", []), (">", [["2024-01-05 12:00"]])):
        inputs = operands(days, *bound)
        IMPLEMENTATIONS[function](inputs)
        remark = "1 of 3 cells has no time of day, which decides on its day: '2024-01-05'"
        assert messages(inputs) == [remark]
    inputs = operands(["2024-01-05 14:30", "2024-01-06"])
    IMPLEMENTATIONS["sort"](inputs)
    assert messages(inputs) == []


def test_keep() -> None:
    inputs = operands(["1", "5", "9", "x"])
    inputs = replace(inputs, options={"value": [(">", cells("2")), ("<", cells("8"))]})
    assert texts(IMPLEMENTATIONS["keep"](inputs)) == ["5"]
    assert messages(inputs) == ["1 of 4 cells could not be compared and was left out: 'x'"]
    assert run("keep", ["a", "b"], value="A") == ["a"]
    assert run("keep", ["a", "b"]) == ["a", "b"]


def test_unit_option() -> None:
    assert run("distance", "2001-01-01", "2001-01-15", unit="weeks") == ["2"]
    assert run("year_difference", "2001-01-01", "2001-01-15", unit="days") == ["14"]


@pytest.mark.parametrize("function", ["distance", "ratio", "-", "/", "product"])
def test_operand_with_several_members_is_refused(function: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        run(function, ["1", "2", "3"], "4")
    assert caught.value.kind == "not one value"
    assert caught.value.message == "needs one value, and operand 1 is 3 different values"
    assert caught.value.position == 5
    with pytest.raises(EvaluationError) as caught:
        run(function, "4", [])
    assert caught.value.kind == "nothing given"


def test_distance_in_one_set_needs_two_members() -> None:
    with pytest.raises(EvaluationError) as caught:
        run("distance", ["1", "2", "3"])
    assert caught.value.message == "a distance needs two values, not 3"


@pytest.mark.parametrize(
    ("function", "members", "expected"),
    [
        ("distance", ["W 27–13"], ["14"]),
        ("distance", ["1990–1995", "2001–02", "5–5"], ["5", "1", "0"]),
        ("distance", ["4"], ["4"]),
        ("year_difference", ["May 1990 – June 1992"], ["2"]),
        ("duration", ["1990–1991"], ["1 year"]),
        ("duration", ["3–9 May 1999"], ["6 days"]),
        ("duration", ["2:12:59"], ["2:12:59"]),
    ],
)  # fmt: skip
def test_distance_of_one_value_is_its_extent(
    function: str, members: list[str], expected: list[str]
) -> None:
    assert run(function, members) == expected


@pytest.mark.parametrize("inputs", ["1999", "1999–present", "5 March 1999", "Rome"])
def test_value_without_extent_is_refused(inputs: str) -> None:
    with pytest.raises(EvaluationError):
        run("duration", [inputs])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("1990", "1995", "5 years"),
        ("1999-05-03", "2001-01-01", "2 years"),
        ("1999-05-03", "1999-05-04", "1 day"),
        ("10.5", "8", "2.5"),
    ],
)
def test_duration_has_a_unit(first: str, second: str, expected: str) -> None:
    assert run("duration", first, second) == [expected]


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        ("distance", ["14,505 ft", "13,807 ft"], "698 ft"),
        ("mean", ["32%", "34%"], "33%"),
        ("sum", ["1 mile", "2.5 miles"], "3.5 miles"),
        ("abs", ["-3 kg"], "3 kg"),
        ("mean", ["20 °C"], "20 °C"),
        ("distance", ["1 km", "400 m"], "0.6 km"),
        ("sum", ["$5", "$6"], "11"),
        ("sum", ["5 km", "6"], "11"),
        ("distance", ["17th", "20th"], "3"),
        ("sum", ["1:30", "0:45", "2:00"], "4:15"),
        ("mean", ["1h 35m", "2h 11m"], "6780 s"),
        ("sum", ["59:30", "16:00"], "75:30"),
        ("sum", ["59:30", "1:00:40"], "2:00:10"),
        ("mean", ["1:10.5", "1:10"], "1:10.25"),
        ("mean", ["0:10.5", "0:10"], "10.25"),
        ("distance", ["1:02.3", "1:03.5"], "1.2"),
        ("distance", ["1:00:00", "1:01:03"], "0:01:03"),
        ("sum", ["1:30", "45"], "135"),
    ],
)
def test_result_keeps_the_common_unit(function: str, inputs: list[str], expected: str) -> None:
    assert run(function, inputs) == [expected]


def test_equal_values_are_one_member() -> None:
    assert run("ratio", ["4", "4.0"], "2") == ["2"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("", ["2", "3", "10"]),
        ("ascending", ["2", "3", "10"]),
        ("descending", ["10", "3", "2"]),
    ],
)
def test_sort(order: str, expected: list[str]) -> None:
    assert run("sort", ["3", "10", "2"], order=order) == expected


def test_sort_dates_and_text() -> None:
    assert run("sort", ["2001", "5 March 1999", "2000-01-01"]) == [
        "5 March 1999",
        "2000-01-01",
        "2001",
    ]
    assert run("sort", ["b", "C", "a"]) == ["a", "b", "C"]
    assert run("sort", ["b", "C", "a"], order="descending") == ["C", "b", "a"]
    assert run("sort", ["10", "x", "9"]) == ["9", "10", "x"]
    assert run("sort", ["x", "10", "y"]) == ["10", "x", "y"]
    assert run("sort", []) == []


def test_first_and_last_rows_follow_the_table() -> None:
    rows = tuple(Cell(f"row {n}", node=n, position=n) for n in (4, 2, 9))
    assert texts(IMPLEMENTATIONS["first"](Operands([rows], 0))) == ["row 2"]
    assert texts(IMPLEMENTATIONS["last"](Operands([rows], 0))) == ["row 9"]


def test_and_or_of_truths() -> None:
    yes, no = make_truth(True).members, make_truth(False).members
    assert run("and", yes, yes) == ["yes"]
    assert run("and", yes, no) == ["no"]
    assert run("or", no, yes) == ["yes"]
    assert run("or", no, no) == ["no"]


def test_fulfilled_conditions() -> None:
    assert is_fulfilled(make_truth(True).members)
    assert not is_fulfilled(make_truth(False).members)
    assert not is_fulfilled((make_number(0),))
    assert is_fulfilled((make_number(3),))
    assert is_fulfilled(cells("0"))
    assert is_fulfilled(cells("anything"))
    assert not is_fulfilled(cells("No"))
    assert is_fulfilled(cells("no", "no"))
    assert not is_fulfilled(())


def test_order_of_text_is_refused() -> None:
    with pytest.raises(EvaluationError, match="not comparable"):
        run("greater_than", "a", "5")


def test_members_of_several_datasets_are_joined_by_name() -> None:
    first, second = nodes("Perth", "Fife"), nodes("PERTH", begin=9)
    inputs = Operands([first, second], 0)
    assert texts(IMPLEMENTATIONS["set_intersection"](inputs)) == []
    joined = Operands([first, second], 0, by_name=True)
    assert texts(IMPLEMENTATIONS["set_intersection"](joined)) == ["Perth"]
    assert texts(IMPLEMENTATIONS["set_difference"](joined)) == ["Fife"]
    assert texts(IMPLEMENTATIONS["and"](joined)) == ["Perth"]


def test_sizes_of_results() -> None:
    assert len(Nodes((1, 1, 2))) == 3
    assert Nodes((2, 1, 2)).distinct == (2, 1)
    assert len(Cells(cells("a", "a"))) == 2
    assert len(Table(("a",), ((cells("1")[0],),) * 3)) == 3
