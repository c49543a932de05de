"""Nouns for rows, columns of persons, and columns of yes and no, in a table whose headers are short."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

KENNEL = make_snapshot(
    "kennel.csv",
    ("Kennel no", "Name", "Kind", "Mass (kg)", "Handler", "Arrived", "Road closure", "Chip done", "Fee (£)"),
    [
        ("K-1", "Bramble", "terrier", "8.5", "Ines Brandt", "2024-03-02", "yes", "yes", "250"),
        ("K-2", "Otter", "terrier", "9.1", "R. Okafor", "2024-03-14", "no", "no", "120"),
        ("K-3", "Juno", "hound", "31", "Ines Brandt", "2024-04-01", "no", "yes", "80"),
        ("K-4", "Pepper", "collie", "17.4", "Sol Adeyemi", "2024-05-20", "yes", "no", "310"),
    ],
)  # fmt: skip


def parse(text: str) -> tuple[QuestionReading, ...]:
    return parse_for_table(read_question(text), KENNEL).readings


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("cows born before 2018", "cows"),
        ("lightest cow", "cow"),
        ("who is the oldest lady?", "lady"),
        ("show me every ewe that was sold", "ewe"),
        ("which dogs arrived in March?", "dogs"),
        ("email address of Ines Brandt", ""),
        ("highest fee", ""),
        ("whose dog is Juno?", ""),
    ],
)
def test_the_noun_that_can_name_the_rows(text: str, noun: str) -> None:
    question = read_question(text)
    assert " ".join(question.words[p] for p in sorted(question.row_noun)) == noun


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("lightest dog", {"Bramble"}),
        ("dogs over 9 kg", {"Otter", "Juno", "Pepper"}),
        ("who looks after Juno?", {"Ines Brandt"}),
        ("how many different people are there?", {"3.0"}),
        ("kennel number of Pepper", {"K-4"}),
        ("which dogs have no chip?", {"Otter", "Pepper"}),
        ("is the road closed for Otter?", {"no"}),
        ("dogs with a fee over 200 quid", {"Bramble", "Pepper"}),
        ("dogs with a fee of more than a hundred quid", {"Bramble", "Otter", "Pepper"}),
        ("average fee of the two terriers", {"185.0"}),
        ("dogs that arrived between 1 and 14 March", {"Bramble", "Otter"}),
        ("dogs that arrived on or after 1 April 2024", {"Juno", "Pepper"}),
        ("dogs with a fee of 250 and over", {"Bramble", "Pepper"}),
        ("avg fee of the terriers", {"185.0"}),
    ],
)
def test_the_answer_is_among_the_best_three(text: str, answer: set[str]) -> None:
    assert answer in [{*map(str, reading.members)} for reading in parse(text)[:3]]


@pytest.mark.parametrize(
    "text",
    ["which breeder sold Juno?", "serial number of Juno", "what colour is the lead of Bramble?"],
)
def test_what_a_row_does_not_have_is_not_answered(text: str) -> None:
    assert not any(reading.is_explained for reading in parse(text)[:1])


def test_columns_of_persons() -> None:
    assert [column.name for column in KENNEL.columns if column.has_agents] == ["Handler"]
    assert KENNEL.agents == 4


CLUB = make_snapshot(
    "club_members.csv",
    ("member_no", "name", "squad", "town", "joined", "Remarks"),
    [
        ("1041", "Ann Lee", "Masters", "Wick", "2001", "keeps the keys"),
        ("1063", "Bo Marsh", "Masters", "Tain", "2011", ""),
        ("1077", "Cy Holm", "Masters", "Oban", "2004", "coach"),
        ("1102", "Di Lund", "Juniors", "Wick", "2021", ""),
        ("1118", "Ed Nye", "Juniors", "Tain", "2022", "asthma"),
        ("1139", "Fay Orr", "Juniors", "Oban", "2019", ""),
        ("1171", "Bo Marsh", "Juniors", "Wick", "2020", ""),
    ],
)


def test_a_name_of_two_rows_still_names_the_rows() -> None:
    assert CLUB.columns[CLUB.name_column].name == "name"
    best = parse_for_table(read_question("Which people are in the Masters?"), CLUB).readings[0]
    assert {*best.members} == {"Ann Lee", "Bo Marsh", "Cy Holm"}


def test_remarks_of_some_rows_are_not_their_names() -> None:
    sheep = make_snapshot(
        "lambing.csv",
        ("Ewe tag", "Ram", "Lambed on", "Remarks"),
        [("0412", "Bruno", "2023-03-03", ""), ("0415", "Aske", "2023-03-05", "weak lamb")]
        + [(f"05{n}", "Aske", f"2023-03-{n}", f"pen {n}" if n < 13 else "") for n in range(10, 16)],
    )
    assert sheep.columns[sheep.name_column].name == "Ewe tag"
    best = parse_for_table(read_question("Which ewe was the last to lamb?"), sheep).readings[0]
    assert best.members == ("0515",)


def test_things_are_not_the_numbers_of_orders() -> None:
    orders = make_snapshot(
        "orders.csv",
        ("Order", "Ordered", "Customer", "Ware"),
        [
            ("WS-1", "2024-01-03", "Ann Lee", "rope"),
            ("WS-2", "2024-01-05", "Bo Marsh", "tar"),
            ("WS-3", "2024-02-01", "Ann Lee", "nets"),
        ],
    )
    best = parse_for_table(read_question("Which things has Ann Lee ordered?"), orders).readings[0]
    assert not (best.is_sure and "WS-1" in best.members)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("what is the total rent?", {"2025.0"}),
        ("the average of the rent", {"675.0"}),
        ("what's the highest rent?", {"720"}),
        ("which flat has the lowest rent?", {"Flat C"}),
    ],
)
def test_a_measure_that_names_the_file_is_not_the_rows(text: str, answer: set[str]) -> None:
    rents = make_snapshot(
        "rent_roll_2024.csv",
        ("Flat", "Tenant", "Rent pcm", "Deposit held", "Bedrooms"),
        [
            ("Flat A", "Denise Holm", "695", "800", "1"),
            ("Flat B", "Piotr Lang", "720", "830", "1"),
            ("Flat C", "Gwen Berg", "610", "710", "2"),
        ],
    )
    best = parse_for_table(read_question(text), rents).readings[0]
    assert not best.refusal
    assert {str(member) for member in best.members} == answer
