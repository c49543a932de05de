"""What *how many*, *how long*, *who* and *where* ask for, in tables named after what rows have."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading, fits_question_word
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

MEDALS = make_snapshot(
    "medals.csv",
    ("Team", "Gold", "Silver", "Bronze", "Total"),
    [
        ("Lowland", "9", "4", "7", "20"),
        ("Highland", "3", "11", "5", "19"),
        ("Isles", "1", "2", "6", "9"),
    ],
)
TOURS = make_snapshot(
    "tours.csv",
    ("Tour ID", "Place", "Leader", "Begins", "Days", "Guests", "Full"),
    [
        ("1", "Malta", "Ruth Bley", "2023-05-02", "6", "11", "yes"),
        ("2", "Crete", "Ole Tamm", "2023-06-11", "9", "8", "no"),
        ("3", "Crete", "Ruth Bley", "2023-09-04", "12", "5", "no"),
    ],
)


def parse(text: str, table: TableSnapshot) -> QuestionReading:
    return parse_for_table(read_question(text), table).readings[0]


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("how many medals did Lowland win in total?", {"20"}),
        ("how many medals did Isles win?", {"9"}),
        ("how many gold medals did Highland win?", {"3"}),
        ("which team won the most medals?", {"Lowland"}),
        ("who won the fewest medals?", {"Isles"}),
    ],
)
def test_medals_of_a_team_are_no_rows(text: str, members: set[str]) -> None:
    reading = parse(text, MEDALS)
    # The sum of one cell is a number.
    assert {str(member).removesuffix(".0") for member in reading.members} == members
    assert reading.refusal == ""


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("how long is the tour to Malta?", ("6",)),
        ("how many guests went to Crete?", (13.0,)),
        ("how many tours does Ruth Bley lead?", (2.0,)),
        ("who leads the tour to Malta?", ("Ruth Bley",)),
        ("where does Ole lead a tour?", ("Crete",)),
    ],
)
def test_an_amount_is_one_number_and_no_identifier(
    text: str, members: tuple[str | float, ...]
) -> None:
    assert parse(text, TOURS).members == members


@pytest.mark.parametrize(
    ("text", "members", "fits"),
    [
        ("who is full?", ("yes", "no"), False),
        ("who ordered in May?", ("O-17", "O-20"), False),
        ("who ordered in May?", ("O-17", "Ann"), True),
        ("who won?", ("Schalke 04",), True),
    ],
)
def test_codes_and_truths_are_nobody(text: str, members: tuple[str, ...], fits: bool) -> None:
    assert fits_question_word(read_question(text), members, ()) == fits
