"""A question without a model is one transaction, which the driver may repeat, and sends few statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.demonstrations import directed, starring

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.deadline import Deadline
from trustuqa_neo4j.demonstrations.offline_writer import QueryCandidate
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.model.demonstration import QuestionPattern
from trustuqa_neo4j.questions.context import QuerySession
from trustuqa_neo4j.questions.voting import try_out
from trustuqa_neo4j.reads.reader import Reader

QUESTION = "who directed Blade Runner"


@pytest.fixture
def taught(films: TrustUQA) -> TrustUQA:
    films.demonstrations.add("films", directed("Alien", "Ridley Scott"))
    films.demonstrations.add("films", starring("Alien", "Tom Skerritt", "Sigourney Weaver"))
    return films


def count_statements(answer: Answer) -> dict[str, list[str]]:
    return {
        stage.stage: [sent.statement for sent in stage.sent] for stage in answer.trace if stage.sent
    }


def test_few_statements(taught: TrustUQA) -> None:
    sent = count_statements(taught.ask(QUESTION, "films"))
    assert sent["retrieve"] == ["start_question", "near_patterns"]


def test_repeated_transaction(taught: TrustUQA, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = taught.ask(QUESTION, "films")
    read, transactions = Connection.read, []

    def read_twice(self: Connection, work: Callable[[Reader], Any], *arguments: Any) -> Any:
        def repeated(reader: Reader) -> Any:
            work(reader)
            return work(reader)

        transactions.append(work)
        return read(self, repeated, *arguments)

    monkeypatch.setattr(Connection, "read", read_twice)
    answer = taught.ask(QUESTION, "films")
    assert len(transactions) == 1
    assert answer.values == expected.values
    assert [(s.stage, s.found) for s in answer.trace] == [
        (s.stage, s.found) for s in expected.trace
    ]


def test_the_winner_is_proven_and_the_others_are_not(taught: TrustUQA) -> None:
    pattern = QuestionPattern("films", "", "", "")
    alien, runner = (
        f"Query1: get_information(head_entity='{film}', relation='directed_by')"
        for film in ("Amélie", "Blade Runner")
    )
    candidates = [
        QueryCandidate(query, score, pattern, (), "films", None)
        for query, score in ((alien, 0.9), (runner, 0.89), (runner, 0.88))
    ]
    session = QuerySession(taught.connection, None, Deadline(60.0))
    tries = try_out(session, candidates)
    assert tries.decision.place == 1
    assert tries.best == tries.answers[1]
    assert [bool(answer.evidence) for answer in tries.answers] == [True, True, False]
    assert [bool(answer.values) for answer in tries.answers] == [True, True, True]


@pytest.mark.parametrize(
    ("film", "statements"),
    [
        ("Blade Runner", ["resolve_names", "get_evidence"]),
        # Several nodes have the name, and only one of them is spelt like this.
        ("Alien", ["resolve_names", "facts_from_heads", "get_evidence"]),
    ],
)
def test_facts_of_the_first_step_come_with_the_names(
    films: TrustUQA, film: str, statements: list[str]
) -> None:
    query = f"get_information(head_entity='{film}', relation='directed_by')"
    films.run(query, "films")  # the vocabulary is read once
    answer = films.run(query, "films")
    assert answer.values == ("Ridley Scott",)
    assert [sent.statement for stage in answer.trace for sent in stage.sent] == statements
