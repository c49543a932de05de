"""Verdicts on answers: what counts as right, wrong, refused and offered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.answer_verdicts import (
    Judgement,
    LabelledQuestion,
    count_pairs,
    count_verdicts,
    judge,
    render_table,
    write_failures,
)
from trustuqa_neo4j.answer import Answer, QueryReading

READING = QueryReading("Query1: count(set=['a'])", 0.4)


def question(*answers: Any, name: str = "q-1", **fields: Any) -> LabelledQuestion:
    return LabelledQuestion(name, "which?", "groups", answers, **fields)


def answered(*values: Any, **fields: Any) -> Answer:
    return Answer("answered", values, **fields)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        (question("Ann", "Bob"), answered("bob", " ANN ")),
        (question(3), answered("3")),
        (question(1234.5), answered("1,234.5")),
        (question(0.33), answered(1 / 3)),
        (question(500), answered("500 m")),
        (question(45), answered("45%")),
        (question("yes"), answered("true")),
        (question("Ann", also=(("Ann Lee",),)), answered("ann lee")),
        (question("Oslo: 3"), answered("Oslo", columns=("town", "n"), rows=(("Oslo", 3),))),
        (question(["Oslo", 3]), answered("Oslo", columns=("n", "town"), rows=((3, "Oslo"),))),
        (question("Oslo"), answered("Oslo", 3, columns=("town", "n"), rows=(("Oslo", 3),))),
        (question("b", "a", is_ordered=True), answered("b", "a")),
    ],
)
def test_a_right_answer_is_right(expected: LabelledQuestion, answer: Answer) -> None:
    assert judge(expected, answer) == "right"


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        (question("Ann", "Bob"), answered("Ann")),
        (question("Ann"), answered("Ann", "Bob")),
        (question(3), answered(4)),
        (question(3), answered(3.02)),
        (question(2900), answered("2.9 km")),
        (question("500"), answered("500 of them")),
        (question("yes"), answered("no")),
        (question("Ann"), Answer("empty")),
        (question("Oslo: 3"), answered("Oslo", columns=("town", "n"), rows=(("Oslo", 4),))),
        (question("b", "a", is_ordered=True), answered("a", "b")),
        (question(is_answerable=False), answered("Ann")),
        (question(is_answerable=False), answered(0)),
    ],
)
def test_another_answer_is_wrong(expected: LabelledQuestion, answer: Answer) -> None:
    assert judge(expected, answer) == "wrong"


@pytest.mark.parametrize("outcome", ["not_askable", "rejected", "abstained", "failed"])
def test_what_has_no_answer_is_refused_or_offered(outcome: Any) -> None:
    assert judge(question("Ann"), Answer(outcome)) == "refused"
    assert judge(question("Ann"), Answer(outcome, readings=(READING,))) == "offered"


def test_no_result_is_no_answer_to_an_unanswerable_question() -> None:
    assert judge(question(is_answerable=False), Answer("empty")) == "refused"


def judged(expected: LabelledQuestion, answer: Answer, **fields: Any) -> Judgement:
    return Judgement(expected, judge(expected, answer), answer, **fields)


def test_unanswerable_questions_are_counted_apart() -> None:
    offered = Answer("not_askable", readings=(READING,))
    judgements = [
        judged(question("Ann"), answered("Ann")),
        judged(question("Ann"), answered("Bob")),
        judged(question("Ann"), Answer("failed")),
        judged(question("Ann"), offered, is_offered_right=True),
        judged(question(is_answerable=False), answered("Ann")),
        judged(question(is_answerable=False), offered),
    ]
    counts = count_verdicts(judgements)
    assert (counts.size, counts.right, counts.wrong, counts.refused, counts.offered) == (
        4, 1, 1, 1, 1,
    )  # fmt: skip
    assert (counts.precision, counts.among_three) == (50, 2)
    assert (counts.unanswerable_answered, counts.unanswerable) == (1, 2)
    assert "| groups | 4 | 1 | 1 | 1 | 1 | 50.0 % | 2 | 1 of 2 |" in render_table(judgements)


def test_a_pair_with_two_answers_has_changed() -> None:
    def pair(name: str, first: Answer, second: Answer) -> list[Judgement]:
        one = question("Ann", name=f"{name}-1", pair=f"{name}-2")
        other = question("Ann", name=f"{name}-2", pair=f"{name}-1")
        return [judged(one, first), judged(other, second)]

    counts = count_pairs(
        [
            *pair("same", answered("Ann", "Bob"), answered("bob", "ann")),
            *pair("changed", answered("Ann"), answered("Bob")),
            *pair("half", answered("Ann"), Answer("failed")),
            judged(question("Ann", name="alone", pair="not there"), answered("Ann")),
        ]
    )
    assert (counts.size, counts.changed, counts.half) == (3, 1, 1)


def test_failures_are_listed_wrong_ones_first(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    judgements = [
        judged(question("Ann", name="refused"), Answer("failed")),
        judged(question("Ann", name="right"), answered("Ann")),
        judged(question("Ann", name="wrong"), answered("Bob")),
        judged(question(name="rightly refused", is_answerable=False), Answer("failed")),
    ]
    write_failures(judgements, path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["wrong", "refused"]
    assert lines[0]["values"] == ["Bob"]
