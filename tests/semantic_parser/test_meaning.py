"""Small changes of a question that change its meaning: scale, ends, units, negation, missing values."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

CRATES = make_snapshot(
    "crates.csv",
    ("Crate", "Price (euros)", "height_m", "Rating", "Packed"),
    (
        ("K1", "1500", "800", "0", "2011"),
        ("K2", "3000", "2500", None, "2013"),
        ("K3", "4500", "1", "4", "2015"),
        ("K4", "2", "3000", "1", "2017"),
    ),
)
VISITS = make_snapshot(
    "visits.csv",
    ("Visit", "Guest", "Dish"),
    (
        ("1", "Ona", "soup"),
        ("2", "Ona", "bread"),
        ("3", "Pip", "bread"),
        ("4", "Rud", "soup"),
    ),
)


def read_best(table: TableSnapshot, text: str) -> QuestionReading | None:
    readings = parse_for_table(read_question(text), table).readings
    return next(iter(readings), None)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Which crates have a price between 1 and 4 thousand euros?", {"K1", "K2"}),
        ("Which crates have a price from 1 to 4 thousand euros?", {"K1", "K2"}),
        ("Which crates have a price of up to 3000 euros?", {"K1", "K2", "K4"}),
        ("Which crates have a height of at least 2.5 km?", {"K2", "K4"}),
        ("Which crates were packed from 2013 on?", {"K2", "K3", "K4"}),
        ("Which crates were packed up to and including 2013?", {"K1", "K2"}),
        ("How many crates have no rating?", {1.0}),
    ],
)
def test_ends_scales_and_units(text: str, members: set[object]) -> None:
    best = read_best(CRATES, text)
    assert best is not None
    assert {*best.members} == members


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("between 1 and 3 million", [1e6, 3e6]),
        ("2.5 to 3 kg", [2.5, 3.0]),
        ("between 500 and 2 thousand", [500.0, 2000.0]),
        ("from 3 to 5 or 9", [3.0, 5.0, 9.0]),
        ("3 apples and 2 thousand pears", [3.0, 2000.0]),
    ],
)
def test_a_bare_number_shares_the_scale_of_the_next(text: str, numbers: list[float]) -> None:
    assert [number.value.number for number in read_question(text).numbers] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "Which guests had exactly two dishes?",
        "How many dishes did each guest have on average?",
    ],
)
def test_what_no_reading_expresses_is_not_answered(text: str) -> None:
    best = read_best(VISITS, text)
    assert best is None or not best.is_sure


def test_something_other_is_said_of_rows() -> None:
    best = read_best(VISITS, "Which guests had something other than soup?")
    assert best is not None
    assert {*best.members} == {"Ona", "Pip"}
