"""Every reasoning function over cells, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from reasoning_cells import cells, nodes, texts

from trustuqa_neo4j.language.functions import FUNCTIONS
from trustuqa_neo4j.reasoning.functions import REASONING, Operands, holds
from trustuqa_neo4j.reasoning.results import Cell, Cells, Nodes, Refused, Table, number, truth

# What needs the database, or is planned apart.
OF_THE_EXECUTOR = {
    "get_information", "search_node", "search_condition", "previous_row", "next_row", "set_negation",
    "compare", "smaller", "row_number", "get_table", "calculate", "group_by", "argmax", "argmin",
}  # fmt: skip
INFIX = {"+", "-", "*", "/", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in"}


def test_every_function_is_built() -> None:
    declared = {function.name for function in FUNCTIONS}
    assert declared >= OF_THE_EXECUTOR
    assert declared - OF_THE_EXECUTOR == REASONING.keys() - INFIX
    assert REASONING.keys() >= INFIX


def operands(*given: Sequence[str] | str | tuple[Cell, ...], **options: str) -> Operands:
    """Operands as texts or cells; options as texts."""
    read = [
        cells(each) if isinstance(each, str)
        else tuple(one if isinstance(one, Cell) else cells(one)[0] for one in each)
        for each in given
    ]  # fmt: skip
    return Operands(read, 5, {name: [("=", cells(text))] for name, text in options.items()})


def run(function: str, *given: Sequence[str] | str | tuple[Cell, ...], **options: str) -> list[str]:
    return texts(REASONING[function](operands(*given, **options)))


@pytest.mark.parametrize(
    ("function", "given", "found"),
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
def test_a_function(function: str, given: list[list[str] | str], found: list[str]) -> None:
    assert run(function, *given) == found


def test_count_of_all_entries() -> None:
    for no in ("false", "No", "0"):
        assert run("count", ["a", "a"], distinct=no) == ["2"]
    assert run("count", ["a", "a"], distinct="true") == ["1"]


def test_the_first_of_equal_extremes_is_as_written() -> None:
    """With all entries of it, so that each stands for its row."""
    first, second, other = (Cell(t, c.value, node=n, row=r) for t, c, n, r in (
        ("1,000", cells("1000")[0], 1, 10), ("1,000", cells("1000")[0], 1, 11),
        ("1000", cells("1000")[0], 2, 12),
    ))  # fmt: skip
    found = REASONING["max"](Operands([(first, second, other)], 0))
    assert isinstance(found, Cells)
    assert [cell.row for cell in found.members] == [10, 11]


def test_what_is_skipped_is_remarked() -> None:
    for function, told in (
        ("max", "max 1 of 3 could not be compared"),
        ("min", "min 1 of 3 could not be compared"),
        ("sum", "1 of 3 are no numbers"),
        ("mean", "1 of 3 are no numbers"),
    ):
        given = operands(["1", "x", "3"])
        REASONING[function](given)
        assert given.remarks == [told]
    given = operands(["b", "a"])
    REASONING["max"](given)
    assert given.remarks == ["max of text: by the alphabet"]


def test_keep() -> None:
    given = operands(["1", "5", "9", "x"])
    given = replace(given, options={"value": [(">", cells("2")), ("<", cells("8"))]})
    assert texts(REASONING["keep"](given)) == ["5"]
    assert given.remarks == ["1 could not be compared"]
    assert run("keep", ["a", "b"], value="A") == ["a"]
    assert run("keep", ["a", "b"]) == ["a", "b"]


def test_a_unit_may_be_asked_for() -> None:
    assert run("distance", "2001-01-01", "2001-01-15", unit="weeks") == ["2"]
    assert run("year_difference", "2001-01-01", "2001-01-15", unit="days") == ["14"]


@pytest.mark.parametrize("function", ["distance", "ratio", "-", "/", "product"])
def test_what_needs_one_value(function: str) -> None:
    with pytest.raises(Refused) as caught:
        run(function, ["1", "2", "3"], "4")
    assert caught.value.kind == "not one value"
    assert caught.value.message == "needs one value, and operand 1 is 3 different values"
    assert caught.value.position == 5
    with pytest.raises(Refused) as caught:
        run(function, "4", [])
    assert caught.value.kind == "nothing given"


def test_a_distance_within_one_set_needs_two_members() -> None:
    with pytest.raises(Refused) as caught:
        run("distance", ["1", "2", "3"])
    assert caught.value.message == "a distance needs two values, and it was given 3"


@pytest.mark.parametrize(
    ("function", "given", "found"),
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
def test_of_one_value_it_is_its_own_extent(
    function: str, given: list[str], found: list[str]
) -> None:
    assert run(function, given) == found


@pytest.mark.parametrize("given", ["1999", "1999–present", "5 March 1999", "Rome"])
def test_what_has_no_extent(given: str) -> None:
    with pytest.raises(Refused):
        run("duration", [given])


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("1990", "1995", "5 years"),
        ("1999-05-03", "2001-01-01", "2 years"),
        ("1999-05-03", "1999-05-04", "1 day"),
        ("10.5", "8", "2.5"),
    ],
)
def test_a_duration_is_told_with_its_unit(first: str, second: str, found: str) -> None:
    assert run("duration", first, second) == [found]


@pytest.mark.parametrize(
    ("function", "given", "found"),
    [
        ("distance", ["14,505 ft", "13,807 ft"], "698 ft"),
        ("mean", ["32%", "34%"], "33%"),
        ("sum", ["1 mile", "2.5 miles"], "3.5 miles"),
        ("abs", ["-3 kg"], "3 kg"),
        ("mean", ["20 °C"], "20 °C"),
        ("distance", ["1 km", "400 m"], "0.6"),
        ("sum", ["$5", "$6"], "11"),
        ("sum", ["5 km", "6"], "11"),
        ("distance", ["17th", "20th"], "3"),
    ],
)
def test_a_figure_keeps_the_unit_that_all_are_written_in(
    function: str, given: list[str], found: str
) -> None:
    assert run(function, given) == [found]


def test_one_value_may_stand_there_twice() -> None:
    assert run("ratio", ["4", "4.0"], "2") == ["2"]


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("", ["2", "3", "10"]),
        ("ascending", ["2", "3", "10"]),
        ("descending", ["10", "3", "2"]),
        ("desc", ["10", "3", "2"]),
        ("largest", ["10", "3", "2"]),
    ],
)
def test_sort(order: str, found: list[str]) -> None:
    assert run("sort", ["3", "10", "2"], order=order) == found


def test_sort_of_dates_and_of_text() -> None:
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


def test_first_and_last_of_rows_are_those_of_the_table() -> None:
    rows = tuple(Cell(f"row {n}", node=n, position=n) for n in (4, 2, 9))
    assert texts(REASONING["first"](Operands([rows], 0))) == ["row 2"]
    assert texts(REASONING["last"](Operands([rows], 0))) == ["row 9"]


def test_truths_go_together() -> None:
    yes, no = truth(True).members, truth(False).members
    assert run("and", yes, yes) == ["yes"]
    assert run("and", yes, no) == ["no"]
    assert run("or", no, yes) == ["yes"]
    assert run("or", no, no) == ["no"]


def test_what_holds() -> None:
    assert holds(truth(True).members)
    assert not holds(truth(False).members)
    assert not holds((number(0),))
    assert holds((number(3),))
    assert holds(cells("0"))
    assert holds(cells("anything"))
    assert not holds(cells("No"))
    assert holds(cells("no", "no"))
    assert not holds(())


def test_order_of_what_has_none() -> None:
    with pytest.raises(Refused, match="not comparable"):
        run("greater_than", "a", "5")


def test_members_of_several_datasets_are_joined_by_name() -> None:
    one, two = nodes("Perth", "Fife"), nodes("PERTH", begin=9)
    given = Operands([one, two], 0)
    assert texts(REASONING["set_intersection"](given)) == []
    joined = Operands([one, two], 0, by_name=True)
    assert texts(REASONING["set_intersection"](joined)) == ["Perth"]
    assert texts(REASONING["set_difference"](joined)) == ["Fife"]
    assert texts(REASONING["and"](joined)) == ["Perth"]


def test_sizes_of_results() -> None:
    assert len(Nodes((1, 1, 2))) == 3
    assert Nodes((2, 1, 2)).distinct == (2, 1)
    assert len(Cells(cells("a", "a"))) == 2
    assert len(Table(("a",), ((cells("1")[0],),) * 3)) == 3
