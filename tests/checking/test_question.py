"""Warnings of what a question says and its query never asks for."""

from __future__ import annotations

import pytest
from golden import query
from library import BOTH

from trustuqa_neo4j.checking.building import pattern_of
from trustuqa_neo4j.checking.inquiry import Inquiry
from trustuqa_neo4j.checking.ontology import Ontology
from trustuqa_neo4j.checking.question import unsaid
from trustuqa_neo4j.checking.vocabulary import Vocabulary
from trustuqa_neo4j.planning import ExecutionQuery, plan
from trustuqa_neo4j.triples import RelationDeclared

SPEAKS = "the question speaks of {!r}, and the query never asks for {}"
TABLE = "get_table(get_information(relation='type', tail_entity='Book'), ['title as t'])"


CLAIMS = Vocabulary(
    Ontology.of(
        (),
        [
            *(RelationDeclared(name, values=False) for name in ("hasLossPayment", "hasDisaster")),
            *(
                RelationDeclared(name, values=True)
                for name in ("claimNumber", "claimOpenDate", "paymentAmount", "disasterName")
            ),
        ],
    )
)


def warnings(question: str, text: str, vocabulary: Vocabulary = BOTH) -> list[str]:
    planned = plan(query(text), {})
    assert isinstance(planned, ExecutionQuery)
    inquiry = Inquiry(pattern_of(planned, lambda _: False), vocabulary, vocabulary.relation_named)
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


CLAIM = "get_information(relation='type', tail_entity='Claim')"


@pytest.mark.parametrize(
    ("question", "columns", "said"),
    [
        (
            "claims by claim number and open date",
            "['claimNumber']",
            [("open date", "claimOpenDate")],
        ),
        ("claims by claim number and open date", "['claimNumber', 'claimOpenDate']", []),
        ("claim numbers and disasters", "['claimNumber']", [("disasters", "disasterName")]),
        # Something of that name is walked through or asked for: perhaps it is meant.
        ("claim numbers and disasters", "['claimNumber', 'hasDisaster']", []),
        ("claims and their payments", "['claimNumber']", [("payments", "paymentAmount")]),
        ("the payments of claims", "['hasLossPayment > paymentAmount']", []),
    ],
)
def test_what_is_said_in_part(question: str, columns: str, said: list[tuple[str, str]]) -> None:
    found = warnings(question, f"get_table({CLAIM}, {columns})", CLAIMS)
    assert found == [SPEAKS.format(*each) for each in said]


@pytest.mark.parametrize(
    ("last", "left"),
    [
        ("group_by(set=output_of_query1, by='n', values='count(d) as days')", []),
        ("group_by(set=output_of_query1, by='n')", [("disaster", "disasterName")]),
        ("group_by(set=output_of_query1, by='d')", [("claim number", "claimNumber")]),
        ("sort(set=output_of_query1, by='n')", []),
        ("count(set=output_of_query1, column='n')", []),
    ],
)
def test_columns_that_nothing_is_made_of(last: str, left: list[tuple[str, str]]) -> None:
    columns = "['claimNumber as n', 'hasDisaster > disasterName as d']"
    text = f"Query1: get_table({CLAIM}, {columns})\nQuery2: {last}"
    found = warnings("the disaster of each claim by claim number", text, CLAIMS)
    made = "the question speaks of {!r}, and nothing is made of the column with {}"
    assert found == [made.format(*each) for each in left]


def test_what_the_query_names_first_is_named() -> None:
    text = "get_table(head_entity='Claim', columns='^type > claimOpenDate')"
    assert warnings("open dates of claims", text, CLAIMS) == []
