"""Times with two parts in a query, by the form of the values beside them."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.reasoning.conditions import filter_cells
from trustuqa_neo4j.reasoning.results import Cell
from trustuqa_neo4j.values import read_value

LONG = ["2:10:46", "2:19:59", "2:20:01", "3:05:00"]
SHORT = ["0:02:10", "0:02:30", "0:03:40"]
MIXED = ["59:30", "58:10", "1:07:31"]
TWO_PARTS = ["1:50", "2:30", "2:10"]


def cells(texts: list[str]) -> list[Cell]:
    """As cells of the data: each is a node."""
    return [Cell(text, read_value(text), None, node) for node, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("texts", "operator", "bound", "kept", "remarks"),
    [
        (LONG, "<", "2:20", ["2:10:46", "2:19:59"], 0),
        (LONG, ">", "2:20", ["2:20:01", "3:05:00"], 0),
        (LONG, "<", "2:20:00", ["2:10:46", "2:19:59"], 0),
        (["2:20:00", "2:21:00"], "=", "2:20", ["2:20:00"], 0),
        (["2:20:00", "2:21:00"], "!=", "2:20", ["2:21:00"], 0),
        (SHORT, "<", "2:20", ["0:02:10"], 1),
        (MIXED, "<", "59:00", ["58:10"], 0),
        (MIXED, "<", "1:05", [], 1),
        (MIXED, "<", "1:05:00", ["59:30", "58:10"], 0),
        (TWO_PARTS, "<", "2:20", ["1:50", "2:10"], 0),
        (TWO_PARTS, "<", "2:20:00", ["1:50", "2:30", "2:10"], 1),
        (["0:10:00", "5:00:00"], "<", "12:30", ["0:10:00"], 1),
        (["2:10:46", "none"], "<", "2:20", ["2:10:46"], 0),
        (["none"], "=", "2:20", [], 0),
    ],
)
def test_the_values_say_what_a_time_means(
    texts: list[str], operator: str, bound: str, kept: list[str], remarks: int
) -> None:
    selection = filter_cells(cells(texts), operator, [Cell(bound, read_value(bound))], 0)
    assert [texts[place] for place in selection.places] == kept
    assert len(selection.readings) == remarks


def test_a_cell_as_bound_is_read_as_its_column_is() -> None:
    bound, *others = cells(["59:30", "1:07:31"])
    assert filter_cells(others, ">", [bound], 0).places == [0]


def test_a_remark_says_both_readings() -> None:
    (remark,) = filter_cells(cells(SHORT), "<", [Cell("2:20", read_value("2:20"))], 0).readings
    assert remark == (
        "'2:20' is read as minutes and seconds, beside values such as '0:02:10'; "
        "write '2:20:00' for the other reading"
    )
