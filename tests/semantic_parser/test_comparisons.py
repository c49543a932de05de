"""Rows compared with a named row, ranks, top rows, possession, and words that the data do not have."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.comparison_phrases import find_comparisons, find_ranks
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_links import link_table
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

CREW = make_snapshot(
    "crew.csv",
    ("Name", "Manager", "Base", "Salary", "Joined", "Age"),
    (
        ("Ida Holm", "Bo Ek", "Oslo", "71000", "2016-04-04", "41"),
        ("Per Lund", "Ida Holm", "Oslo", "52000", "2019-09-16", "33"),
        ("Eva Berg", "Ida Holm", "Bergen", "64000", "2018-02-12", "52"),
        ("Bo Ek", None, "Bergen", "98000", "2012-01-09", "47"),
        ("Liv Moe", "Bo Ek", "Tromsø", "45000", "2022-06-01", "28"),
    ),
)
SHOPS = make_snapshot(
    "branches.csv",
    ("Shop ID", "City", "Opened", "Floor area", "Owner"),
    (
        ("S1", "Rome", "14/05/2009", "850", "Carla Rossi"),
        ("S2", "Milan", "03/09/2011", "1200", "Luca Ferri"),
        ("S3", "Turin", "22/03/2014", "640", "Carla Rossi"),
        ("S4", "Paris", "27/11/2008", "1500", "Anne Leroy"),
    ),
)


TRAINS = make_snapshot(
    "trains.csv",
    ("Train", "From", "To", "Price", "Amount"),
    (
        ("T1", "Oslo", "Bergen", "40", "3"),
        ("T2", "Bergen", "Oslo", "35", "5"),
        ("T3", "Oslo", "Hamar", "12", "7"),
        ("T4", "Hamar", "Oslo", "14", "9"),
    ),
)


def parse(table: TableSnapshot, text: str) -> tuple[QuestionReading, ...]:
    return parse_for_table(read_question(text), table).readings


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # Per Lund's and Eva Berg's manager is Ida Holm; neither answer is about them.
        ("Who earns more than Ida Holm?", {"Bo Ek"}),
        ("who earns less than Per Lund", {"Liv Moe"}),
        ("Who is older than Ida Holm?", {"Eva Berg", "Bo Ek"}),
        ("which people joined after Eva Berg?", {"Per Lund", "Liv Moe"}),
        ("How many people earn more than Per Lund?", {"3.0"}),
        ("who in Bergen is younger than Eva Berg?", {"Bo Ek"}),
        ("who has the second highest salary?", {"Ida Holm"}),
        ("Who are the two youngest people?", {"Liv Moe", "Per Lund"}),
        ("who is Ida Holm's manager?", {"Bo Ek"}),
        ("whose manager is Ida Holm?", {"Per Lund", "Eva Berg"}),
        ("who reports to Ida Holm?", {"Per Lund", "Eva Berg"}),
        # The mean of the salaries is 66000, of the ages 40.2.
        ("Who earns more than the average?", {"Ida Holm", "Bo Ek"}),
        ("How many people are younger than average?", {"2.0"}),
        ("who earns over 60k?", {"Ida Holm", "Eva Berg", "Bo Ek"}),
        # Rows are in another order than the years.
        ("Who joined first?", {"Bo Ek"}),
        ("who joined right after Eva Berg?", {"Per Lund"}),
        ("Who joined just before Ida Holm?", {"Bo Ek"}),
    ],
)
def test_people_are_compared_and_ranked(text: str, answer: set[str]) -> None:
    readings = parse(CREW, text)
    assert {str(member) for member in readings[0].members} == answer, readings[0].query
    assert readings[0].is_explained


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # Oslo is in both columns.
        ("trains to Oslo", {"T2", "T4"}),
        ("which trains go from Oslo to Hamar?", {"T3"}),
        ("cheapest train to Oslo", {"T4"}),
        # The amounts are added up; the trains are not counted.
        ("total amount of trains to Oslo", {"14.0"}),
        ("number of trains to Oslo", {"2.0"}),
    ],
)
def test_prepositions_and_amounts_name_columns(text: str, answer: set[str]) -> None:
    readings = parse(TRAINS, text)
    assert {str(member) for member in readings[0].members} == answer, readings[0].query
    assert readings[0].is_explained


def test_the_order_of_rows_is_no_order_of_events() -> None:
    for reading in parse(CREW, "which person was hired first?"):
        assert "row_number" not in reading.query or reading.refusal


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("which shops opened after the Rome shop?", {"Milan", "Turin"}),
        ("Which shops are bigger than the Rome shop?", {"Milan", "Paris"}),
        ("top 2 shops by floor area", {"Milan", "Paris"}),
        ("What is the third oldest shop?", {"Milan"}),
        ("who owns more than one shop?", {"Carla Rossi"}),
    ],
)
def test_rows_are_compared_and_ranked_by_the_asked_column(text: str, answer: set[str]) -> None:
    readings = [reading for reading in parse(SHOPS, text) if reading.is_explained]
    assert set(readings[0].members) == answer, readings[0].query


def test_no_manager_is_compared_in_place_of_the_row() -> None:
    for reading in parse(CREW, "Who earns more than Ida Holm?"):
        is_comparison = "relation='Salary', tail_entity>output" in reading.query
        assert is_comparison or not reading.is_explained, reading.query


def test_possession_is_not_reversed() -> None:
    for reading in parse(CREW, "who is Ida Holm's manager?"):
        assert not ({"Per Lund", "Eva Berg"} & {*reading.members} and reading.is_explained)
    for reading in parse(CREW, "whose manager is Ida Holm?"):
        assert not (reading.members == ("Bo Ek",) and reading.is_explained)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("who fired Per Lund?", "fired"),
        ("Who trained Liv Moe in Oslo?", "trained"),
        ("which people did Per Lund inspect?", "inspect"),
        ("Did Per Lund resign?", "resign"),
        ("who earns more than Karl Dahl?", "dahl"),
    ],
)
def test_a_word_that_the_data_do_not_have_is_named(text: str, word: str) -> None:
    readings = parse(CREW, text)
    assert not any(reading.is_explained for reading in readings)
    assert word in readings[0].unexplained


def test_a_manager_is_the_subject_of_manages() -> None:
    # Bo Ek manages Ida Holm.
    for reading in parse(CREW, "who does Ida Holm manage?"):
        assert not (reading.members == ("Bo Ek",) and reading.is_explained)


@pytest.mark.parametrize(
    "text", ["which shops did Rome open?", "which shop has the largest number of employees?"]
)
def test_no_other_column_answers(text: str) -> None:
    assert not any(reading.is_explained for reading in parse(SHOPS, text)[:1])


@pytest.mark.parametrize(
    ("text", "extremes"),
    [
        ("earns more than Ann", {"highest"}),
        ("has a less expensive flat than Ann", {"lowest"}),
        ("is older than Ann", {"highest", "earliest"}),
        ("joined after Ann", {"latest"}),
        ("comes right after Ann", set()),
    ],
)
def test_comparisons_have_a_direction(text: str, extremes: set[str]) -> None:
    assert {phrase.extreme for phrase in find_comparisons(read_question(text))} == extremes


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("second highest salary", {(2, False)}),
        ("top 3 earners", {(3, True)}),
        ("the three youngest people", {(3, True)}),
        ("the two boats with the lowest price", {(2, True)}),
        ("boats with at least 4 crew", set()),
        ("the highest of 5 star hotels", set()),
    ],
)
def test_numbers_beside_extremes_are_ranks(text: str, ranks: set[tuple[int, bool]]) -> None:
    found = find_ranks(read_question(text))
    assert {(rank.place, rank.is_top) for rank in found} == ranks


def test_a_number_that_ranks_is_no_value() -> None:
    stars = make_snapshot("inns.csv", ("Inn", "Stars"), (("A", "2"), ("B", "3"), ("C", "4")))
    links = link_table(read_question("which inn has the second most stars?"), stars)
    assert [link for link in links.cells if link.grade == "value"] == []


@pytest.mark.parametrize(
    ("header", "rows", "name"),
    [
        (("Day", "Item", "Price"), [("Mon", "Tea", "2"), ("Mon", "Bun", "3"), ("Tue", "Tea", "2"),
                                    ("Tue", "Pie", "4"), ("Mon", "Jam", "5")], "Item"),
        (("No", "Full name", "Town"), [("1", "Ann Ray", "Rome"), ("2", "Ann Ray", "Oslo"),
                                       ("3", "Bo Ek", "Oslo")], "Full name"),
        (("No", "Town"), [("1", "Oslo"), ("2", "Oslo")], "No"),
    ],
)  # fmt: skip
def test_rows_without_unique_texts_are_named(
    header: tuple[str, ...], rows: list[tuple[str, ...]], name: str
) -> None:
    table = make_snapshot("entries.csv", header, rows)
    assert table.columns[table.name_column].name == name
