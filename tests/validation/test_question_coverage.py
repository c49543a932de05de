"""Warnings of what a question says and its query never asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.golden_cases import query
from support.library import BOTH

from trustuqa_neo4j.model.facts import RelationDeclared
from trustuqa_neo4j.ontology.ontology import Ontology
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge, TailStatistics
from trustuqa_neo4j.planning.operations import Plan
from trustuqa_neo4j.planning.planner import make_plan
from trustuqa_neo4j.validation.context import ValidationContext
from trustuqa_neo4j.validation.query_graph import build_query_graph
from trustuqa_neo4j.validation.question_coverage import (
    TableNames,
    check_question_coverage,
    list_possible_cells,
)

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


def warnings(
    question: str, text: str, schema: SchemaKnowledge = BOTH, tables: TableNames | None = None
) -> list[str]:
    plan = make_plan(query(text), {})
    assert isinstance(plan, Plan)
    context = ValidationContext(
        build_query_graph(plan, lambda _: False), schema, schema.find_relation
    )
    problems = list(check_question_coverage(question, query(text), context, tables))
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


COLUMNS = ("City", "Salary", "Start date", "Job Title")


@pytest.mark.parametrize(
    ("question", "cells", "expected"),
    [
        ("the salary and start date by city", (), [NOT_USED.format("start date", "Start date")]),
        ("the salary by city", (), []),
        (
            "salaries by city of each vice president of sales",
            ("vice president", "vice president of sales"),
            ["the question contains the name 'vice president of sales', but the query does not"],
        ),
        # A part of the name is used, or its words name a column.
        ("salaries in the city of New York", ("new york",), []),
        ("salaries by job title", ("job title",), [NOT_USED.format("job title", "Job Title")]),
    ],
)
def test_columns_and_cells_of_tables(
    question: str, cells: tuple[str, ...], expected: list[str]
) -> None:
    text = (
        "Query1: get_table(columns=['City', 'Salary'])\n"
        "Query2: keep(set=output_of_query1, column='City', value contains 'York')"
    )
    tables = TableNames(COLUMNS, cells, lambda name: name if name in COLUMNS else None)
    assert warnings(question, text, SchemaKnowledge(), tables) == expected


def test_a_column_of_a_table_that_nothing_uses() -> None:
    text = (
        "Query1: get_table(columns=['Job Title as j', 'Salary as s', 'City'])\n"
        "Query2: group_by(set=output_of_query1, by='City', values='sum(s) as total')"
    )
    tables = TableNames(COLUMNS, (), lambda name: name if name in COLUMNS else None)
    messages = warnings("salary by city and job title", text, SchemaKnowledge(), tables)
    assert messages == [
        "the question mentions 'job title', but nothing uses the column with Job Title"
    ]


def test_possible_cells_begin_and_end_with_words_of_content() -> None:
    assert list_possible_cells("the bank of New York") == [
        "bank of new", "bank of new york", "new york",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("titles of books of more than 1,000 pages", "1000"),
        ("titles of books of 2 million pages", "2000000"),
        ("titles of books from 03/05/2001", "2001-05-03"),
        ("titles of books of 1990-2000", "1990/2000"),
        # Names are compared whole: normalized names end after 200 characters.
        (
            f"titles of books {'or any of these ' * 20} by [Jane Austen] of 40 pages",
            "Jane Austen 40",
        ),
    ],
)
def test_what_is_written_in_another_way_or_cut_is_used(question: str, value: str) -> None:
    padding = " ".join(f"word{number}" for number in range(50))
    text = f"get_table(get_information(relation='pages', tail_entity='{padding} or {value}'), ['title'])"
    assert not [m for m in warnings(question, text) if "contains" in m]


def test_a_part_of_a_quoted_name_is_used() -> None:
    text = "get_table(get_information(relation='title', tail_entity contains '{}'), ['pages'])"
    question = 'pages of "The Adventures of Tom Sawyer"'
    assert warnings(question, text.format("Tom Sawyer")) == []
    message = (
        "the question contains the name 'The Adventures of Tom Sawyer', but the query does not"
    )
    assert warnings(question, text.format("of Tom Jones")) == [message]


def test_a_number_of_other_digits_is_not_used() -> None:
    text = "get_table(get_information(relation='pages', tail_entity>150), ['title', 'pages'])"
    assert warnings("titles of books of more than 15,100 pages", text) == [
        "the question contains 15,100, but the query does not"
    ]


def test_a_computed_column_is_what_the_question_names() -> None:
    text = f"Query1: get_table({CLAIM}, ['claimNumber', 'hasDisaster > disasterName as claimOpenDate'])"
    assert warnings("the open date of claims by claim number", text, CLAIMS) == []


def test_a_relation_that_is_declared_and_has_no_facts_is_not_asked_for() -> None:
    schema = replace(CLAIMS, relations={"claimNumber": TailStatistics(3)})
    text = f"get_table({CLAIM}, ['claimNumber'])"
    assert warnings("claim numbers and their payment amounts", text, schema) == []
