"""Columns of a table: which one names the rows, and what their units measure."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.comparison_phrases import drop_order
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

TRAILS = make_snapshot(
    "trails.csv",
    ("Code", "Trail", "Highest point (m)", "Walk", "Entry", "Opens", "News letter", "Permits 2023"),
    [
        ("T-1", "Moss Ridge", "2140", "150 min", "£4.00", "08:00", "yes", "120"),
        ("T-2", "Fern Loop", "310", "45 min", "£2.50", "09:30", "no", "80"),
        ("T-3", "Eagle Stair", "2890", "240 min", "£9.00", "07:00", "yes", "45"),
        ("T-4", "Old Canal", "60", "75 min", "£2.50", "09:30", "no", "210"),
    ],
)


def parse(text: str) -> tuple[QuestionReading, ...]:
    return parse_for_table(read_question(text), TRAILS).readings


def test_names_come_before_codes() -> None:
    assert TRAILS.columns[TRAILS.name_column].name == "Trail"


@pytest.mark.parametrize(
    ("column", "kind", "words"),
    [
        ("Highest point (m)", "length", {"distance", "length"}),
        ("Walk", "time", {"duration", "length"}),
        ("Entry", "money £", {"amount", "cost", "price"}),
        ("Opens", None, set()),
        ("Trail", None, set()),
    ],
)
def test_what_a_column_measures(column: str, kind: str | None, words: set[str]) -> None:
    (entry,) = (entry for entry in TRAILS.columns if entry.name == column)
    assert (entry.measure.kind if entry.measure else None) == kind
    assert entry.measured_words - {*entry.words} == words


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("trails higher than 2 km", {"Moss Ridge", "Eagle Stair"}),
        ("trails that take two hours or longer", {"Moss Ridge", "Eagle Stair"}),
        ("what is the cheapest trail?", {"Fern Loop", "Old Canal"}),
        ("what does Moss Ridge cost?", {"£4.00"}),
        ("what time does Eagle Stair open?", {"07:00"}),
        ("which trails open after 9am?", {"Fern Loop", "Old Canal"}),
        ("how many minutes is Fern Loop?", {"45 min"}),
        ("is Fern Loop in the newsletter?", {"no"}),
    ],
)
def test_the_answer_is_among_the_best_three(text: str, answer: set[str]) -> None:
    assert answer in [{*map(str, reading.members)} for reading in parse(text)[:3]]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("which trails cost over £4.00?", "tail_entity='£4.00'"),
        ("how many permits did Fern Loop have in 2022?", "relation='Permits 2023'"),
        ("which ranger looks after Fern Loop?", "relation='Trail'"),
    ],
)
def test_what_a_question_does_not_mean(text: str, query: str) -> None:
    readings = [reading for reading in parse(text) if query in reading.query]
    assert readings
    assert all(reading.refusal for reading in readings)


TRIPS = make_snapshot(
    "trips.csv",
    ("Trip", "Cargo", "Crosses", "Cond.", "Date sold"),
    [
        ("T-1", "tiles", "River Oster", "fair", "2024-01-03"),
        ("T-2", "glass", "Tane Canal", "poor", "2024-01-05"),
        ("T-3", "timber", "River Oster", "good", "2024-02-01"),
    ],
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("what was transported on T-2", {"glass"}),
        ("what does T-2 bridge?", {"Tane Canal"}),
        ("the state of T-3", {"good"}),
    ],
)
def test_words_that_name_relations_of_graphs_name_columns(text: str, answer: set[str]) -> None:
    best = parse_for_table(read_question(text), TRIPS).readings[0]
    assert {*best.members} == answer, best.query


def test_a_date_says_nothing_of_what_was_done() -> None:
    readings = parse_for_table(read_question("when was T-2 built"), TRIPS).readings
    assert not any(reading.is_sure for reading in readings)


FUELS = make_snapshot(
    "sheet1.csv",
    ("Fuel", "Family", "T_flash", "UN", "Grade"),
    [
        ("Naphtha", "light", "251", "1268", "N2"),
        ("Kerosene", "middle", "311", "1223", "K1"),
        ("Gas oil", "middle", "328", "1202", "D3"),
        ("Petrol", "light", "230", "1203", "P5"),
        ("", "heavy", "350", "3082", "B7"),
        ("Bunker oil", "heavy", "", "3082", "B9"),
    ],
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Which fuel has the lowest flash point?", {"Petrol"}),
        ("Which United Nations number has Kerosene?", {"1223"}),
        ("What is the grade code of Gas oil?", {"D3"}),
        ("the two fuels with the lowest T_flash, lowest first", {"Petrol", "Naphtha"}),
        ("How many fuels are heavy?", {"1.0"}),
    ],
)
def test_short_headers_are_named_in_full(text: str, answer: set[str]) -> None:
    best = parse_for_table(read_question(text), FUELS).readings[0]
    assert best.refusal == ""
    assert {*map(str, best.members)} == answer


@pytest.mark.parametrize(
    ("routes", "answer"),
    [(("7", "12", "N3", "31"), {"12"}), (("7", "7", "N3", "12"), set())],
)
def test_rows_are_named_by_the_column_of_their_noun(
    routes: tuple[str, ...], answer: set[str]
) -> None:
    """A route of several trips is no row: then nothing is answered, and not the driver."""
    drivers = ("Ann Lee", "Bo Ek", "Cy Day", "Di Fox")
    rows = list(zip(routes, drivers, ("31", "44", "9", "27"), strict=True))
    table = make_snapshot("bus_routes.csv", ("route", "driver", "passengers"), rows)
    best = parse_for_table(read_question("Which route has the most passengers?"), table).readings[0]
    assert {*map(str, best.members if best.is_sure else ())} == answer


def test_two_letters_of_a_person_name_no_column() -> None:
    rows = [("Ann Lee", "Oslo", "Bo Ek"), ("Cy Day", "Rome", "Di Fox"), ("Ed Orr", "Oslo", "Bo Ek")]
    staff = make_snapshot("staff.csv", ("Name", "City", "PM"), rows)
    readings = parse_for_table(read_question("Who works for Paul Miller?"), staff).readings
    assert not any(reading.is_sure for reading in readings)


def test_an_order_against_the_rank_stays() -> None:
    question = read_question("the two fuels with the lowest T_flash, highest first")
    assert drop_order(question) is question


SEASONS = make_snapshot(
    "rowing.csv",
    ("Club", "2021-22 Pts", "2022-23 Pts", "2022-23 L"),
    [
        ("Alder", "22", "40", "3"), ("Birch", "60", "23", "9"), ("Cedar", "41", "61", "2"),
        ("Dogwood", "30", "35", "22"),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Alder points 2022-23", {"40"}),
        ("How many points did Birch get in 2021-22?", {"60"}),
        ("Which club had the most points in 2022-23?", {"Cedar"}),
        ("Which clubs had more than 38 points in 2022-23?", {"Alder", "Cedar"}),
    ],
)
def test_numbers_of_a_column_are_no_cells(text: str, answer: set[str]) -> None:
    """*23* of *2022-23* is a number of points, and is not meant."""
    best = parse_for_table(read_question(text), SEASONS).readings[0]
    assert best.refusal == ""
    assert {*map(str, best.members)} == answer


@pytest.mark.parametrize(
    "text", ["top 2 clubs by 2022-23 points", "the two clubs with the most points in 2022-23"]
)
def test_a_rank_by_a_measure_is_no_group(text: str) -> None:
    best = parse_for_table(read_question(text), SEASONS).readings[0]
    assert {*map(str, best.members)} == {"Alder", "Cedar"}


def test_a_word_for_a_column_is_no_part_of_its_cells() -> None:
    rows = [("Ode", "a poem"), ("Saga", "a tale, by definition"), ("Verse", "")]
    terms = make_snapshot("terms.csv", ("Term", "Definition"), rows)
    best = parse_for_table(read_question("Which term comes without a definition?"), terms).readings[
        0
    ]
    assert {*map(str, best.members)} == {"Verse"}


def test_a_word_of_the_question_is_no_answer() -> None:
    """*json* is the extension that is asked by, also where a format has that name."""
    rows = [("JSON", "json"), ("JSON lines", "jsonl"), ("Vega", "json")]
    formats = make_snapshot("formats.csv", ("Format", "File extension"), rows)
    readings = parse_for_table(
        read_question("Which formats have the extension json?"), formats
    ).readings
    assert {*map(str, readings[0].members)} == {"JSON", "Vega"}
    assert not any({*map(str, reading.members)} == {"json"} for reading in readings)


MEMBERS = make_snapshot(
    "members.csv",
    ("Member", "Party", "Region", "Reason for leaving"),
    [
        ("Ann Lee", "Reform", "North", "Resignation"), ("Bo Ek", "Reform", "North", "Retirement"),
        ("Cy Day", "Reform", "South", "Resignation"), ("Di Fox", "Union", "North", "Retirement"),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("How many members resigned?", {"2.0"}),
        ("Which members of Reform retired?", {"Bo Ek"}),
        ("How many Reform members from the North left by resigning?", None),  # three conditions
    ],
)
def test_what_somebody_did_is_a_cell(text: str, answer: set[str] | None) -> None:
    """A word that a cell has is not left out, and the noun of a verb is its form."""
    best = parse_for_table(read_question(text), MEMBERS).readings[0]
    if answer is None:
        assert not best.is_sure or {*map(str, best.members)} == {"1.0"}
    else:
        assert best.refusal == ""
        assert {*map(str, best.members)} == answer


def test_three_conditions_hold_together() -> None:
    best = parse_for_table(
        read_question("How many Reform members from the North resigned?"), MEMBERS
    )
    assert {*map(str, best.readings[0].members)} == {"1.0"}
    assert best.readings[0].refusal == ""
