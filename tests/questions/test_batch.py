from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from trustuqa_neo4j.answer import Answer
from trustuqa_neo4j.errors import TimedOut, Unreachable, UsageError
from trustuqa_neo4j.model.dataset_limit import limit_datasets, read_dataset_limit
from trustuqa_neo4j.questions.batch import answers


def echo(question: str) -> Answer:
    return Answer("answered", values=(question,))


def test_answers_come_in_the_order_of_the_questions() -> None:
    first = threading.Event()

    def ask(question: str) -> Answer:
        if question == "0":  # ends last
            assert first.wait(120)
        if question == "5":
            first.set()
        return echo(question)

    questions = [str(n) for n in range(20)]
    assert [a.values[0] for a in answers(ask, questions, 6)] == questions


def test_the_limit_of_datasets_holds_for_each_question() -> None:
    def ask(question: str) -> Answer:
        return echo(",".join(read_dataset_limit() or ()))

    with limit_datasets(frozenset({"films"})):
        asked = [*answers(ask, "abcde", 2)]
    assert {answer.values[0] for answer in asked} == {"films"}
    assert read_dataset_limit() is None


def test_no_more_are_asked_at_once_than_wished() -> None:
    running = most = 0
    lock, all_in = threading.Lock(), threading.Barrier(3)

    def ask(question: str) -> Answer:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        all_in.wait(120)
        with lock:
            running -= 1
        return echo(question)

    assert len(list(answers(ask, map(str, range(9)), 3))) == 9
    assert most == 3


def test_questions_are_taken_as_they_are_needed() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield str(taken)

    asked = answers(echo, endless(), 2)
    assert [next(asked).values[0] for _ in range(3)] == ["1", "2", "3"]
    asked.close()  # type: ignore[attr-defined]
    assert taken <= 10


def test_what_is_wrong_with_one_is_its_answer_and_with_all_ends_it() -> None:
    def ask(question: str) -> Answer:
        if question == "slow":
            raise TimedOut("too slow")
        if question == "gone":
            raise Unreachable("no server")
        return echo(question)

    found = list(answers(ask, ["a", "slow", "b"], 2))
    assert [a.outcome for a in found] == ["answered", "failed", "answered"]
    assert (found[1].question, found[1].problems[0].kind) == ("slow", "timed out")
    with pytest.raises(Unreachable):
        list(answers(ask, ["a", "gone"], 2))


def test_an_empty_question_is_its_own_error_and_a_wrong_option_is_that_of_all() -> None:
    def ask(question: str) -> Answer:
        if not question.strip() or question == "wrong option":
            raise UsageError("there is no question")
        return echo(question)

    assert [a.outcome for a in answers(ask, ["a", " ", "b"], 2)] == [
        "answered",
        "failed",
        "answered",
    ]
    with pytest.raises(UsageError):
        list(answers(ask, ["a", "wrong option"], 2))


def test_none_at_once_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        list(answers(echo, ["a"], 0))
