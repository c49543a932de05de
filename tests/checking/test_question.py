"""Warnings of what a question says and its query never asks for."""

from __future__ import annotations

import pytest
from golden import query
from library import BOTH

from trustuqa_neo4j.checking.inquiry import Inquiry
from trustuqa_neo4j.checking.pattern import pattern_of
from trustuqa_neo4j.checking.question import unsaid
from trustuqa_neo4j.planning import ExecutionQuery, plan

SPEAKS = "the question speaks of {!r}, and the query never asks for {}"
TABLE = "get_table(get_information(relation='type', tail_entity='Book'), ['title as t'])"


def warnings(question: str, text: str) -> list[str]:
    planned = plan(query(text), {})
    assert isinstance(planned, ExecutionQuery)
    inquiry = Inquiry(pattern_of(planned, lambda _: False), BOTH, BOTH.relation_named)
    found = list(unsaid(question, query(text), inquiry))
    assert {(p.kind, p.severity) for p in found} <= {("not asked for", "warning")}
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which titles do books have", []),
        ("title and pages of each book", [SPEAKS.format("pages", "pages")]),
        ("titles of books with more than 300 leaves", ["the question says 300, and the query never does"]),
        ('titles of books by "Jane Austen"', ["the question names 'Jane Austen', and the query never does"]),
        ("the title of what [Emma] is", ["the question names 'Emma', and the query never does"]),
        ("the title of what a person is called", [SPEAKS.format("is called", "name")]),
    ],
)  # fmt: skip
def test_what_a_question_says(question: str, said: list[str]) -> None:
    assert warnings(question, TABLE) == said


def test_a_number_that_the_query_says_in_its_own_way() -> None:
    text = "get_information(relation='pages', tail_entity>300, key='title')"
    assert warnings("titles of books of more than 300 pages", text) == []
