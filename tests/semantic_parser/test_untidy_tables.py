"""Tables as people have them: addresses beside names, empty columns, nouns of rows that no column has."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.spelling import is_misspelt
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

WELLS = make_snapshot(
    "export_17.csv",
    ["page", "remark", "lastName", "fullName", "region", "crew", "depth", "output",
     "pumpWellActive", "has_level_curve"],
    [
        ["https://wells.example/1", None, "Ros", "Upper Ros", "North", "Kite", "80", "9000000", "Yes", "Yes"],
        ["https://wells.example/2", None, "Ros", "Lower Ros", "North", "Kite", "120", "8000000", "No", "Yes"],
        ["https://wells.example/3", None, "Tan", "Tan", "South", "Kite", "3", "7500000", "Yes", "No"],
        ["https://wells.example/4", None, "Vik", "Vik", "North", "Lark", "95", "8200000", "No", "No"],
        ["https://wells.example/5", None, "Ulm", "Ulm", "East", "Lark", "60", "7800000", "Yes", "No"],
        ["https://wells.example/6", None, "Elk", "Elk", "South", "Moor", "200", "9900000", "Yes", "No"],
        ["https://wells.example/7", None, "Fox", "Fox", "North", "Kite", "40", "8800000", "No", "Yes"],
    ],
)  # fmt: skip


def read(question: str) -> QuestionReading:
    return parse_for_table(read_question(question), WELLS).readings[0]


def test_neither_addresses_nor_empty_columns_name_rows() -> None:
    """The full name differs more often than the last name."""
    assert WELLS.columns[WELLS.name_column].name == "fullName"


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Which wells are in the South?", {"Tan", "Elk"}),
        ("How many boreholes are in the North?", {4.0}),
        ("How many boreholes have a depth above 90?", {3.0}),
        ("number of boreholes with a depth of at least 95", {3.0}),
        ("Which wells have a level curve?", {"Upper Ros", "Lower Ros", "Fox"}),
        ("top 3 wells by depth", {"Elk", "Lower Ros", "Vik"}),
        ("top 2 wells outside the North by depth", {"Elk", "Ulm"}),
        ("What are the two most common crews?", {"Kite", "Lark"}),
        ("the 2 most common regions", {"North", "South"}),
    ],
)
def test_what_is_read(question: str, members: set[object]) -> None:
    reading = read(question)
    assert ({*reading.members}, reading.refusal) == (members, ""), reading.query


@pytest.mark.parametrize(
    "question",
    [
        "How many boreholes has Elk?",  # the row is one of what it would count
        "How many boreholes did Kite drill?",
        "How many girls are in the North?",  # some of the rows, if they are persons
        "Which wells have an output above 7 MW?",  # 7 of what the column has, or millions of it
        "top 3 regions of crew 5 by age",
    ],
)
def test_what_is_not_sure(question: str) -> None:
    assert not read(question).is_sure


SCHOOLS = make_snapshot(
    "schools.csv",
    ["name", "region", "pupils"],
    [["Elm", "North", "310"], ["Ash", "North", "120"], ["Fir", "South", "400"]],
)


@pytest.mark.parametrize(
    "question",
    [
        "How many classrooms are in the North?",
        "How many goals were scored in the North?",
        "What percentage of classrooms are in the North?",
        "number of libraries in the North",
    ],
)
def test_a_table_that_tells_its_rows_has_no_others(question: str) -> None:
    assert not parse_for_table(read_question(question), SCHOOLS).readings[0].is_sure


def test_an_empty_cell_leaves_the_name_to_its_column() -> None:
    ships = [["Alma", "Ros", "90"], [None, "Tan", "80"], ["Cora", "Ulm", "70"]]
    table = make_snapshot("data.csv", ["ship", "captain", "tons"], ships)
    assert table.columns[table.name_column].name == "ship"


def test_a_noun_of_rows_is_not_a_flag() -> None:
    """Another word of the name of a flag may say yes to it."""
    assert read("How many wells are in the North?").members == (4.0,)
    assert "pumpWellActive" in read("How many wells are active?").query


def test_a_short_word_with_another_letter_is_not_misspelt() -> None:
    assert not is_misspelt("shirt")  # of *short*
    assert is_misspelt("higest")
