"""Questions that people marked as wrong: kept for whoever looks after the data, and never used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.shell import Done, shell

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.errors import DataError, UnknownDataset, UsageError

FILMS = "Title,Director,Year\nHarbour Lights,Mira Olsen,1998\nNine Doors,Tomas Weber,2011\n"
DATASET = "judged films"
QUESTION = "Who directed Nine Doors?"


@pytest.fixture
def films(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    path = tmp_path / "films.csv"
    path.write_text(FILMS, encoding="utf-8")
    tuqa.load("table", path, dataset=DATASET, embeddings=False)
    return tuqa


def test_a_wrong_answer_is_kept_and_never_used(films: TrustUQA, tmp_path: Path) -> None:
    demonstrations = films.demonstrations
    answer = films.ask(QUESTION, DATASET)
    rejected = demonstrations.reject(answer, "Doors has another director")
    (stored,) = demonstrations.listed(DATASET, ("wrong",))
    assert stored == rejected
    assert (stored.question, stored.query, stored.answers, stored.why) == (
        QUESTION, answer.llm_query, ("Tomas Weber",), "Doors has another director",
    )  # fmt: skip
    assert stored.understood == answer.understood
    assert demonstrations.listed(DATASET) == []
    assert demonstrations.counts(DATASET).total == 0
    assert demonstrations.verify(DATASET, again=True).failed == 0
    assert films.ask(QUESTION, DATASET).origin == "read"
    # The same question can be taught beside it, and both stay where data are replaced.
    demonstrations.accept(answer)
    films.load(
        "table", tmp_path / "films.csv", dataset=DATASET, mode="replace-all", embeddings=False
    )
    assert [d.state for d in demonstrations.listed(DATASET)] == ["verified"]
    assert demonstrations.listed(DATASET, ("wrong",)) == [stored]
    assert demonstrations.drop(DATASET, ("wrong",), question=QUESTION) == 1
    assert [d.state for d in demonstrations.listed(DATASET)] == ["verified"]


def test_what_cannot_be_rejected(films: TrustUQA) -> None:
    with pytest.raises(UsageError, match="no question"):
        films.demonstrations.reject(films.run("get_information(relation='Director')", DATASET))
    with pytest.raises(UsageError, match="a reason of"):
        films.demonstrations.reject(films.ask(QUESTION, DATASET), "x" * 1_001)
    gone = Answer("answered", ("x",), question="who?", llm_query="q()", datasets=("gone",))
    with pytest.raises((UnknownDataset, DataError)):
        films.demonstrations.reject(gone)
    assert films.demonstrations.listed(DATASET, ("wrong",)) == []


def test_the_list_in_the_shell(films: TrustUQA, server: Settings) -> None:
    words = ("--dataset", DATASET)
    nothing = shell(server, "tuqa", "feedback", "list", *words)
    assert nothing == Done(0, "", f"{DATASET}: nothing is marked as wrong\n")
    films.demonstrations.reject(films.ask(QUESTION, DATASET), "no")
    listed = shell(server, "tuqa", "feedback", "list", *words).out
    assert listed.startswith(f"{QUESTION} (no)\n  understood as: Director of those whose")
    assert "\n  answer: Tomas Weber\n  " in listed
    (record,) = json.loads(shell(server, "tuqa", "feedback", "list", *words, "--json").out)
    assert (record["question"], record["state"], record["why"]) == (QUESTION, "wrong", "no")
    other = shell(server, "tuqa", "feedback", "drop", *words, "--question", "who?")
    assert other == Done(1, f"{DATASET}: 0 questions deleted\n", "")
    dropped = shell(server, "tuqa", "feedback", "drop", *words)
    assert dropped == Done(0, f"{DATASET}: 1 question deleted\n", "")
