"""A question without a model is one transaction, which the driver may repeat, and sends few statements."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest
from support.demonstrations import directed, starring

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.deadline import Deadline
from trustuqa_neo4j.demonstrations.offline_writer import QueryCandidate
from trustuqa_neo4j.errors import IncompleteDataset, UnknownDataset
from trustuqa_neo4j.model.demonstration import QuestionPattern
from trustuqa_neo4j.questions.context import QuerySession
from trustuqa_neo4j.questions.voting import Tries, try_out
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
    read, transactions = taught.connection.read, []

    def read_twice(work: Callable[[Reader], Any], **options: Any) -> Any:
        def repeated(reader: Reader) -> Any:
            work(reader)
            return work(reader)

        transactions.append(work)
        return read(repeated, **options)

    # Not of the class: another test may have left its own ``read`` on the shared connection.
    monkeypatch.setattr(taught.connection, "read", read_twice)
    answer = taught.ask(QUESTION, "films")
    assert len(transactions) == 1
    assert answer.values == expected.values
    assert [(s.stage, s.found) for s in answer.trace] == [
        (s.stage, s.found) for s in expected.trace
    ]


def try_queries(client: TrustUQA, *queries: tuple[str, float]) -> Tries:
    pattern = QuestionPattern("films", "", "", "")
    candidates = [
        QueryCandidate(
            f"Query1: get_information(head_entity='{film}', relation='directed_by')",
            score, pattern, (), "films", None,
        )
        for film, score in queries
    ]  # fmt: skip
    return try_out(QuerySession(client.connection, None, Deadline(60.0)), candidates)


def test_the_first_query_with_values_is_the_answer(taught: TrustUQA) -> None:
    tries = try_queries(taught, ("Nobody", 0.9), ("Blade Runner", 0.89), ("Alien", 0.88))
    assert tries.place == 1
    assert tries.best == tries.answers[1]
    assert len(tries.answers) == 2


@pytest.mark.parametrize(("score", "place"), [(0.95, 0), (0.85, None)])
def test_nothing_is_an_answer_only_if_the_demonstration_fits_well(
    taught: TrustUQA, score: float, place: int | None
) -> None:
    tries = try_queries(taught, ("Ridley Scott", score))
    assert tries.answers[0].outcome == "empty"
    assert tries.place == place


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


def test_a_dataset_that_is_dropped_meanwhile_gives_whole_answers_or_errors(tuqa: TrustUQA) -> None:
    rows = [{"part": f"part {n}", "colour": "red" if n % 2 else "green"} for n in range(2_000)]
    tuqa.load(rows, dataset="parts", embeddings=False)
    has_asked, is_dropped = Barrier(5), Event()

    def ask_on(question: str) -> set[str]:
        assert tuqa.ask(question, "parts").values == (1_000,)
        has_asked.wait(60)
        kinds: set[str] = set()
        while "unknown dataset" not in kinds and not (is_dropped.is_set() and kinds):
            try:
                assert tuqa.ask(question, "parts").values == (1_000,)
            except (IncompleteDataset, UnknownDataset) as error:
                kinds.add(error.kind)
        return kinds

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask_on, "how many parts are red?") for _ in range(4)]
        has_asked.wait(60)
        tuqa.drop("parts")
        is_dropped.set()
        assert all(future.result(60) for future in asked)
    with pytest.raises(UnknownDataset):
        tuqa.ask("how many parts are red?", "parts")
