"""Negations, bounds, numbers, units and missing values: a reading that misplaces one is not answered."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.snapshot import make_snapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

BOATS = make_snapshot(
    "boats.csv",
    ("boat", "port", "skipper", "grade", "length_m", "launched", "sail", "heater", "cost"),
    [
        ("Alca", "Wick", "?", "1", "800", "1988", "yes", "1", "300"),
        ("Brant", "Wick", "Holm", "unknown", "900", "1994", "no", "0", "500"),
        ("Cormo", "Lerwick", "Lund", "3", "1200", "1997", "yes", "0", "700"),
        ("Diver", "Lerwick", "?", "2.5", "1500", "1999", "no", "1", "900"),
    ],
)
SALES = make_snapshot(
    "sales.csv",
    ("sale", "buyer", "ware", "quantity"),
    [
        ("S1", "Ann", "rope", "2"),
        ("S2", "Ann", "tar", "1"),
        ("S3", "Ann", "nets", "1"),
        ("S4", "Bo", "rope", "9"),
        ("S5", "Bo", "rope", "1"),
        ("S6", "Cid", "tar", "4"),
    ],
)


def find_answer(text: str, table: object = BOATS) -> set[str] | None:
    """Return what is answered, or None."""
    best: QuestionReading = parse_for_table(read_question(text), table).readings[0]  # type: ignore[arg-type]
    return {*map(str, best.members)} if best.is_sure else None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Which boats have no skipper?", {"Alca", "Diver"}),
        ("How many boats are without a skipper?", {"2.0"}),
        ("Which boats have a grade below 2?", {"Alca"}),
        ("Which boat has the highest grade?", {"Cormo"}),
        ("Which boats have a heater?", {"Alca", "Diver"}),
        ("Which boats except Alca have a heater?", {"Diver"}),
        ("Which boats were launched before 1990 or after 1998?", {"Alca", "Diver"}),
        ("Which boats cost no more than 500?", {"Alca", "Brant"}),
        ("What is the length of Cormo in m?", {"1200"}),
    ],
)
def test_what_is_said_is_answered(text: str, answer: set[str]) -> None:
    assert find_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Which boats of Wick have no skipper?", {"Cormo", "Diver"}),  # not those of other ports
        ("Which boats have neither a sail nor a heater?", {"Cormo"}),
        ("Which boats are not in Wick and have no sail?", {"Diver", "Brant"}),
        ("What is the length of Cormo in km?", {"1200"}),
        ("Which boats have exactly two different skippers?", {"Diver"}),
    ],
)
def test_a_word_is_not_used_elsewhere(text: str, wrong: set[str]) -> None:
    assert find_answer(text) != wrong


@pytest.mark.parametrize(
    "text",
    [
        "Which buyer bought the most items?",  # in one sale, or in all
        "How many items did Ann buy?",
        "How many buyers never bought rope?",  # Bo bought something else as well
        "Which buyers bought only rope?",
        "Which buyers bought exactly two different wares?",
        "What is the average number of items per buyer?",
        "How many different wares did each buyer buy?",
        "Which buyers bought all of the wares?",
        "number of tar sales by buyer please",
        "top 2 wares by number of sales",
    ],
)
def test_rows_are_neither_their_sums_nor_their_members(text: str) -> None:
    answer = find_answer(text, SALES)
    assert answer is None or (text == "How many items did Ann buy?" and answer == {"4.0"})


def test_a_column_with_unknown_numbers_has_numbers() -> None:
    assert BOATS.columns[3].kind == "number"
    assert BOATS.columns[2].unknown_texts == ("?",)


def test_names_come_before_codes() -> None:
    rows = [("50-00-0", "Ash", "281"), ("57-14-7", "Birch", "300"), ("60-34-4", "Ash", "282")]
    stuff = make_snapshot("stuff.tsv", ("CAS", "Name", "T_flash"), rows)
    assert stuff.columns[stuff.name_column].name == "Name"


def test_a_range_has_its_unit_as_it_is_written() -> None:
    numbers = read_question("from 280 to 283 kelvin").numbers  # 280 K would be thousands
    assert [number.text for number in numbers] == ["280 kelvin", "283 kelvin"]
