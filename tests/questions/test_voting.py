from __future__ import annotations

import pytest

from trustuqa_neo4j.answer import Answer, Stage
from trustuqa_neo4j.language.ast import Problem, ProblemKind
from trustuqa_neo4j.matching import NameMatch
from trustuqa_neo4j.questions.voting import Vote, find_best_failure, meaning, vote


def said(*values: str | float, outcome: str = "answered") -> Answer:
    return Answer(outcome if values else "empty", values=values)  # type: ignore[arg-type]


REFUSED = Answer("rejected")


@pytest.mark.parametrize(
    ("answers", "asked", "expected"),
    [
        ([said("a")], 1, Vote(0, 1.0)),
        ([said("b"), said("a"), said("a")], 3, Vote(1, 2 / 3)),
        ([said("a", "b"), said("b", "a"), said("a")], 3, Vote(0, 2 / 3)),
        ([said("1,000"), said(1000), said("1000.0")], 3, Vote(0, 1.0)),
        ([said("1 km"), said("1")], 2, Vote(0, 0.5)),
        ([said("2 May 1999"), said("1999-05-02")], 2, Vote(0, 1.0)),
        ([said("Müller"), said("muller")], 2, Vote(0, 1.0)),
        ([said(), said(), said("a")], 3, Vote(0, 2 / 3)),
        ([said(0), said(0), said("a")], 3, Vote(0, 2 / 3)),
        ([said(), said("a")], 2, Vote(1, 0.5)),
        ([REFUSED, said("a")], 2, Vote(1, 0.5, is_decided=False)),
        ([said("a")], 5, Vote(0, 0.2, is_decided=False)),
        ([said("a"), said("a"), REFUSED], 3, Vote(0, 2 / 3)),
        ([REFUSED, Answer("failed")], 2, None),
        ([], 3, None),
    ],
)  # fmt: skip
def test_the_answer_of_most_wins(answers: list[Answer], asked: int, expected: Vote | None) -> None:
    assert vote(answers, asked) == expected


def test_tables_agree_by_their_rows_in_any_order() -> None:
    table = Answer("answered", columns=("a", "b"), rows=(("x", 1), ("y", 2)), values=("x", "y"))
    other = Answer("answered", columns=("c", "d"), rows=(("y", "2"), ("x", "1.0")), values=("y",))
    once = Answer("answered", columns=("a", "b"), rows=(("x", 1),), values=("x",))
    assert vote([table, other, once], 3) == Vote(0, 2 / 3)


def test_votes_weigh_less_with_uncertain_names() -> None:
    guessed = Answer("answered", ("a",), mapped=(NameMatch("x", "y", "nearest", 0.3),))
    assert vote([guessed, guessed, said("b")], 3) == Vote(2, 1 / 3)
    assert vote([guessed, said("a"), said("b")], 3) == Vote(1, 2 / 3)


def failure(*stages: str, problems: int = 1) -> Answer:
    problem = Problem(ProblemKind.UNREADABLE, "no")
    trace = tuple(Stage(stage, "", "", 0.0) for stage in stages)
    return Answer("rejected", problems=(problem,) * problems, trace=trace)


@pytest.mark.parametrize(
    ("answers", "best"),
    [
        ([failure("parse"), failure("parse", "check", "map"), failure("parse", "check")], 1),
        ([failure("parse"), said("a"), failure("parse")], 0),
        ([failure("parse", problems=2), failure("parse")], 1),
        ([said("a"), failure()], 1),
    ],
)
def test_the_best_failure_came_furthest(answers: list[Answer], best: int) -> None:
    assert find_best_failure(answers) == best


def test_readings_count_by_their_probability() -> None:
    answers = [said("a"), said("b"), said("b")]
    support = {meaning(said("a")): 0.9, meaning(said("c")): 5.0}
    assert vote([said("a"), said("b")], 2, support) == Vote(0, 0.5)
    assert vote([said("b"), said("a")], 2, support) == Vote(1, 0.5)
    assert vote(answers, 3, support) == Vote(1, 2 / 3)
    open_vote = vote([said("b"), said("b")], 4, support)
    assert open_vote == Vote(0, 0.5, is_decided=False)
    assert vote([REFUSED], 1, support) is None
