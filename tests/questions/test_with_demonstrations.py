"""Questions answered by demonstrations: their own questions, other names, and other meanings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.demonstrations import starring

from bench.confidence import Result, ask_questions, load_datasets, read_questions
from trustuqa_neo4j import Demonstration, TrustUQA
from trustuqa_neo4j.answer import Answer
from trustuqa_neo4j.graph.demonstrations import write_calibration
from trustuqa_neo4j.questions.voting import meaning

ORDERS = "order id,customer,ordered\nO-1,Ann,2024-01-01\nO-2,Ann,2024-01-02\nO-3,Bob,2024-01-02\n"


@pytest.fixture(scope="module")
def taught(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    """The datasets of the reliability benchmark, with their demonstrations."""
    before = {dataset.name for dataset in client.datasets()}
    load_datasets(client, tmp_path_factory.mktemp("confidence"))
    yield client
    for dataset in client.datasets():
        if dataset.name not in before:
            client.drop(dataset.name)


@pytest.fixture
def orders(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS, encoding="utf-8")
    tuqa.load("table", path, dataset="orders")
    return tuqa


DATASETS = sorted({question.dataset for question in read_questions()})


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_demonstration_gives_its_own_answer(taught: TrustUQA, dataset: str) -> None:
    for demonstration in taught.demonstrations.listed(dataset, ["verified"]):
        assert demonstration.answers is not None
        own = meaning(Answer("answered", demonstration.answers))
        # The second writing is another text, so it is aligned.
        for text in (demonstration.question, demonstration.question.rstrip("?")):
            answer = taught.ask(text, dataset, llm="demonstrations")
            assert meaning(answer) == own, text
            assert (answer.confidence or 0) >= 0.8, text


@pytest.fixture(scope="module")
def results(taught: TrustUQA) -> list[Result]:
    return ask_questions(taught, read_questions())


def test_no_question_of_another_meaning_is_answered(results: list[Result]) -> None:
    wrong = [
        (result.question.text, result.answer.values)
        for result in results
        if result.question.answers is None and result.is_answered
    ]
    assert wrong == []


def test_what_is_answered_with_confidence_is_right(results: list[Result]) -> None:
    answers = [result for result in results if result.is_answered]
    right = [result for result in answers if result.is_right]
    assert len(right) >= 0.95 * len(answers)
    by_kind = Counter(result.question.kind for result in right)
    asked = Counter(result.question.kind for result in results)
    assert by_kind["names"] >= 0.9 * asked["names"]


def test_the_message_names_the_word_that_was_not_understood(results: list[Result]) -> None:
    messages = {r.question.text: [p.message for p in r.answer.problems] for r in results}
    (message,) = messages["Which clients do not live in Paris?"]
    assert message == (
        "not understood: 'not'; none of the demonstrations of confidence-shop is like the question; "
        '`llm="openai:NAME"` asks a model'
    )
    assert "'how many'" in messages["How many clients live in Paris?"][0]


def test_the_words_of_a_column_keep_it(orders: TrustUQA) -> None:
    query = "count(get_information(relation='order id', key='customer', value='Ann'))"
    demonstration = Demonstration("How many orders came from Ann?", query, ("2",))
    assert orders.demonstrations.add("orders", demonstration).state == "verified"
    assert orders.ask("How many orders came from Bob?", "orders").values == (1,)


def test_demonstrations_of_another_question_are_counted(orders: TrustUQA) -> None:
    query = "get_information(relation='ordered', key='order id', value='O-1')"
    orders.demonstrations.add("orders", Demonstration("When was O-1 ordered?", query))
    (problem,) = orders.ask("xyzzy", "orders", reader=False).problems
    assert problem.message.startswith("none of the demonstrations of orders is like the question")


def test_a_question_of_the_benchmark_has_one_expectation() -> None:
    texts: Counter[tuple[str, str]] = Counter((q.dataset, q.text) for q in read_questions())
    assert max(texts.values()) == 1
    assert len(texts) >= 150
    assert all((q.answers is None) == (q.kind == "changed") for q in read_questions())


def test_the_surer_of_a_demonstration_and_a_reading_answers(films: TrustUQA) -> None:
    films.demonstrations.add("films", starring("Alien", "Tom Skerritt", "Sigourney Weaver"))
    # As after a calibration on demonstrations whose wordings differ much.
    figures = {"threshold": 0.3, "share": 0.5, "precision": 0.9, "patterns": 1}
    write_calibration(films.connection, "films", figures)
    question = "which stars are seen in Alien"
    followed = films.ask(question, "films", reader=False)
    read = films.ask(question, "films")
    assert (followed.origin, read.origin) == ("demonstrated", "read")
    assert followed.values == read.values
    assert 0.3 <= (followed.confidence or 0) < 0.8 <= (read.confidence or 0)
    assert films.ask("which actors are in Alien", "films").origin == "demonstrated"
