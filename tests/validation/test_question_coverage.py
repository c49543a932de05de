"""Warnings of what a question says and its query never asks for."""

from __future__ import annotations

import pytest
from support.golden_cases import query
from support.library import BOTH

from trustuqa_neo4j.model.facts import RelationDeclared
from trustuqa_neo4j.ontology.ontology import Ontology
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge
from trustuqa_neo4j.planning.operations import Plan
from trustuqa_neo4j.planning.planner import make_plan
from trustuqa_neo4j.validation.context import ValidationContext
from trustuqa_neo4j.validation.query_graph import build_query_graph
from trustuqa_neo4j.validation.question_coverage import check_question_coverage

NOT_USED = "the question mentions {!r}, but the query does not use {}"
TABLE = "get_table(get_information(relation='type', tail_entity='Book'), ['title as t'])"


CLAIMS = SchemaKnowledge(
    Ontology.from_declarations(
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


def warnings(question: str, text: str, schema: SchemaKnowledge = BOTH) -> list[str]:
    plan = make_plan(query(text), {})
    assert isinstance(plan, Plan)
    context = ValidationContext(
        build_query_graph(plan, lambda _: False), schema, schema.find_relation
    )
    problems = list(check_question_coverage(question, query(text), context))
    assert {(p.kind, p.severity) for p in problems} <= {("not asked for", "warning")}
    return [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which titles do books have", []),
        ("title and pages of each book", [NOT_USED.format("pages", "pages")]),
        ("titles of books with more than 300 leaves", ["the question contains 300, but the query does not"]),
        (
            'titles of books by "Jane Austen"',
            ["the question contains the name 'Jane Austen', but the query does not"],
        ),
        ("the title of what [Emma] is", ["the question contains the name 'Emma', but the query does not"]),
        ("the title of what a person is called", [NOT_USED.format("is called", "name")]),
    ],
)  # fmt: skip
def test_mentions_that_the_query_does_not_use(question: str, expected: list[str]) -> None:
    assert warnings(question, TABLE) == expected


def test_number_with_an_operator_is_used() -> None:
    text = "get_information(relation='pages', tail_entity>300, key='title')"
    assert warnings("titles of books of more than 300 pages", text) == []


CLAIM = "get_information(relation='type', tail_entity='Claim')"


@pytest.mark.parametrize(
    ("question", "columns", "expected"),
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
def test_relations_mentioned_in_part(
    question: str, columns: str, expected: list[tuple[str, str]]
) -> None:
    messages = warnings(question, f"get_table({CLAIM}, {columns})", CLAIMS)
    assert messages == [NOT_USED.format(*each) for each in expected]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("group_by(set=output_of_query1, by='n', values='count(d) as days')", []),
        ("group_by(set=output_of_query1, by='n')", [("disaster", "disasterName")]),
        ("group_by(set=output_of_query1, by='d')", [("claim number", "claimNumber")]),
        ("sort(set=output_of_query1, by='n')", []),
        ("count(set=output_of_query1, column='n')", []),
    ],
)
def test_unused_columns(last: str, expected: list[tuple[str, str]]) -> None:
    columns = "['claimNumber as n', 'hasDisaster > disasterName as d']"
    text = f"Query1: get_table({CLAIM}, {columns})\nQuery2: {last}"
    messages = warnings("the disaster of each claim by claim number", text, CLAIMS)
    unused = "the question mentions {!r}, but nothing uses the column with {}"
    assert messages == [unused.format(*each) for each in expected]


def test_path_relation_is_used() -> None:
    text = "get_table(head_entity='Claim', columns='^type > claimOpenDate')"
    assert warnings("open dates of claims", text, CLAIMS) == []
