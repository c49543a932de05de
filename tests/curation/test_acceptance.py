"""Answers that a person confirms become demonstrations."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from trustuqa_neo4j import Answer, Demonstration, TrustUQA
from trustuqa_neo4j.answer import Evidence, QueryReading
from trustuqa_neo4j.curation.acceptance import (
    ConfirmedQuestion,
    confirm_question,
    read_last_question,
    write_last_question,
)
from trustuqa_neo4j.errors import DataError, UnknownDataset, UnreadableFile, UsageError

FILMS = """Title,Director,Year
Harbour Lights,Mira Olsen,1998
The Long Field,Mira Olsen,2004
Nine Doors,Tomas Weber,2011
"""
DATASET = "accepted films"
QUESTION = "Who directed Nine Doors?"
COUNT = "How many films did Mira Olsen direct?"
READING = QueryReading("get_information(head_entity='Salt', relation='Director')", 0.4, "t.csv")
ANSWERED = Answer(
    "answered", ("Ann",), question="who?", llm_query="gi(h='a', r='b')", datasets=("a", "b")
)


@pytest.fixture
def films(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    path = tmp_path / "films.csv"
    path.write_text(FILMS, encoding="utf-8")
    tuqa.load("table", path, dataset=DATASET, embeddings=False)
    return tuqa


@pytest.mark.parametrize("question", [QUESTION, COUNT])
def test_an_accepted_answer_is_demonstrated_from_then_on(films: TrustUQA, question: str) -> None:
    answer = films.ask(question, DATASET)
    assert (answer.outcome, answer.origin) == ("answered", "read")
    accepted = films.demonstrations.accept(answer)
    assert (accepted.datasets, accepted.is_new) == ((DATASET,), True)
    assert accepted.demonstration.state == "verified"
    assert accepted.demonstration.query == answer.llm_query
    assert accepted.demonstration.answers == tuple(map(str, answer.values))
    again = films.ask(question, DATASET)
    assert (again.values, again.origin, again.confidence) == (answer.values, "demonstrated", 1.0)


def test_what_is_stored_already_is_not_stored_twice(films: TrustUQA) -> None:
    films.demonstrations.accept(films.ask(QUESTION, DATASET))
    accepted = films.demonstrations.accept(films.ask(QUESTION, DATASET))
    assert (accepted.is_new, accepted.demonstration.state) == (False, "verified")
    assert films.demonstrations.counts(DATASET).total == 1


def test_an_expected_answer_is_added_to_a_demonstration_without_one(films: TrustUQA) -> None:
    query = "get_information(relation='Director', key='Title', value='Nine Doors')"
    stored = Demonstration(QUESTION, query, fields={"type": "person"})
    assert films.demonstrations.add(DATASET, stored).state == "runs"
    accepted = films.demonstrations.accept(films.ask(QUESTION, DATASET))
    assert accepted.is_new
    (listed,) = films.demonstrations.listed(DATASET)
    assert (listed.state, listed.answers, listed.source) == ("verified", ("Tomas Weber",), None)
    assert listed.fields == {"type": "person"}


def test_another_query_is_replaced_only_on_request(films: TrustUQA) -> None:
    wrong = "get_information(relation='Year', key='Title', value='Nine Doors')"
    right = films.ask(QUESTION, DATASET)
    films.demonstrations.add(DATASET, Demonstration(QUESTION, wrong, ("2011",)))
    with pytest.raises(DataError, match="has another query"):
        films.demonstrations.accept(right)
    films.demonstrations.accept(right, overwrite=True)
    assert films.ask(QUESTION, DATASET).values == ("Tomas Weber",)
    assert films.demonstrations.counts(DATASET).total == 1


def test_a_reading_is_accepted(films: TrustUQA) -> None:
    question = "Who directed Casablanca?"
    answer = films.ask(question, DATASET)
    assert answer.outcome == "not_askable"
    with pytest.raises(DataError, match="the question is not askable"):
        films.demonstrations.accept(answer)
    accepted = films.demonstrations.accept(answer, pick=1)
    assert accepted.demonstration.query == answer.readings[0].query
    assert films.ask(question, DATASET).origin == "demonstrated"


def test_an_answer_that_the_query_no_longer_gives_is_refused(films: TrustUQA) -> None:
    answer = replace(films.ask(QUESTION, DATASET), values=("Mira Olsen",))
    with pytest.raises(DataError, match="does not give this answer now"):
        films.demonstrations.accept(answer)
    assert films.demonstrations.counts(DATASET).total == 0


def test_a_part_of_an_answer_is_accepted_whole(films: TrustUQA) -> None:
    query = "get_information(relation='Title')"
    films.demonstrations.add(DATASET, Demonstration("Which films are there?", query))
    answer = films.ask("Which films are there?", DATASET, limit=1)
    assert (len(answer.values), answer.truncated) == (1, 3)
    accepted = films.demonstrations.accept(answer)
    assert len(accepted.demonstration.answers or ()) == 3


def test_a_dataset_that_is_gone_is_an_error(films: TrustUQA) -> None:
    answer = films.ask(QUESTION, DATASET)
    films.drop(DATASET)
    with pytest.raises(UnknownDataset):
        films.demonstrations.accept(answer)


def test_only_answers_to_questions_are_confirmed() -> None:
    with pytest.raises(UsageError, match="the answer has no question"):
        confirm_question(Answer("answered", ("x",)))
    with pytest.raises(DataError, match="the question is empty"):
        confirm_question(Answer("empty", question="who?"))
    offered = Answer("not_askable", question="who?", readings=(READING,), datasets=("a",))
    with pytest.raises(DataError) as raised:
        confirm_question(offered)
    assert "pick=N" in raised.value.hint
    for pick in (0, 2):
        with pytest.raises(UsageError, match=f"there is no reading {pick}"):
            confirm_question(offered, pick)
    assert confirm_question(offered, 1) == ConfirmedQuestion("who?", READING.query, ("a",), "t.csv")


def test_the_datasets_that_prove_an_answer_count() -> None:
    assert confirm_question(ANSWERED).datasets == ("a", "b")
    fact = Evidence("a", "b", "Ann", "b", "t.csv", "t.csv", 2)
    assert confirm_question(replace(ANSWERED, evidence=(fact,))).datasets == ("b",)


def test_the_last_answered_question_is_kept_without_its_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(UsageError, match="no question was answered yet"):
        read_last_question(home)
    write_last_question(home, ANSWERED)
    write_last_question(home, Answer("not_askable", question="and now?"))
    assert read_last_question(home) == confirm_question(ANSWERED)
    (path,) = home.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Ann" not in path.read_text(encoding="utf-8")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(UnreadableFile):
        read_last_question(home)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file", encoding="utf-8")
    write_last_question(home, ANSWERED)
    assert home.read_text(encoding="utf-8") == "a file"
