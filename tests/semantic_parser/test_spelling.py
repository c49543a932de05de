"""Typing errors in the words of the lexicon are corrected where nothing explains them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.spelling import correct_spelling
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table


@pytest.mark.parametrize(
    ("question", "corrected"),
    [
        ("Which film has the higest budget?", "Which film has the highest budget?"),
        ("wich town, (the oldset) has towers", "which town, (the oldest) has towers"),
        ("the averge price", "the average price"),
        ("films betwen 1990 and 1995", "films between 1990 and 1995"),
        ("the most expensve car", "the most expensive car"),
    ],
)
def test_words_of_the_lexicon_are_corrected(question: str, corrected: str) -> None:
    words = read_question(question).words
    assert correct_spelling(read_question(question), words)[0] == corrected


@pytest.mark.parametrize(
    "question",
    [
        "the highest price",
        "which coast is long",
        "who starred in the films of its director",
        "the films of Averge",
        "the cat and the dgo",
        "higest2",
    ],
)
def test_other_words_stay(question: str) -> None:
    words = read_question(question).words
    assert correct_spelling(read_question(question), words) == (question, ())


def test_words_of_headers_are_corrected() -> None:
    question = read_question("what is the salery in each departmnt")
    headers = ("Department", "Salary", "Name")
    corrected, matches = correct_spelling(question, ("salery", "departmnt"), headers)
    assert corrected == "what is the salary in each department"
    assert [match.used for match in matches] == ["salary", "department"]
    assert correct_spelling(question, ("salery",))[1] == ()


def test_forms_of_headers_are_corrected() -> None:
    question = read_question("who recieved prizes, and which winers presnted them")
    headers = ("received", "presents", "winner")
    unexplained = ("recieved", "winers", "presnted")
    corrected, _ = correct_spelling(question, unexplained, headers)
    assert corrected == "who received prizes, and which winners presented them"


def test_a_misspelt_header_is_no_cell() -> None:
    rows = (("Ann", "Sales", "52000"), ("Bo", "Help", "48000"))
    table = make_snapshot("staff.csv", ("Name", "Department", "Salary"), rows)
    question = read_question("the salery of Ann")
    assert all("Sales" not in r.query for r in parse_for_table(question, table).readings)


def test_explained_words_stay() -> None:
    question = read_question("the higest price")
    assert correct_spelling(question, ("price",)) == ("the higest price", ())


def test_an_answer_names_its_corrections(tuqa: TrustUQA, tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text("town,population\nHebden,9\nIlkley,8\nOtley,7\nSettle,5\n")
    tuqa.load(file, dataset="towns", embeddings=False)
    answer = tuqa.ask("which town has the higest population?", dataset="towns")
    assert answer.values == ("Hebden",)
    assert [(m.given, m.used, m.how) for m in answer.mapped] == [("higest", "highest", "nearest")]
