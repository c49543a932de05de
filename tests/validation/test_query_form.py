"""Texts that are read once: their parts, and what is not remembered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trustuqa_neo4j.language.ast import Query
from trustuqa_neo4j.planning.operations import Plan, RelationStats, TableChoice
from trustuqa_neo4j.planning.planner import make_plan
from trustuqa_neo4j.validation.query_form import (
    MAX_REMEMBERED_LENGTH,
    QueryForm,
    parse,
    plan_query,
    read_form,
)

TEXT = "Query1: \"get_information(relation='wrote', tail_entity='Emma')\""
STATISTICS = {"wrote": RelationStats(("wrote",), 3)}


def form(text: str) -> QueryForm:
    query = parse(text)
    assert isinstance(query, Query)
    return read_form(text, query)


def test_a_form_has_the_names_of_a_query() -> None:
    assert (form(TEXT).relations, form(TEXT).entities) == ({"wrote"}, {"Emma"})
    assert (form(TEXT).problems, form(TEXT).tables) == ((), ())


def test_a_text_is_read_once() -> None:
    assert form(TEXT) is form(TEXT)
    assert plan_query(form(TEXT), STATISTICS, {}) is plan_query(form(TEXT), dict(STATISTICS), {})


def test_a_plan_follows_the_statistics() -> None:
    """A key can be a qualifier of the relation or not: a load may change it."""
    qualified = {"wrote": replace(STATISTICS["wrote"], qualifiers=frozenset(("year",)))}
    text = (
        "Query1: \"get_information(relation='wrote', tail_entity='Emma', key='year', value=1990)\""
    )
    plans = [
        plan_query(form(text), statistics, {}) for statistics in (STATISTICS, qualified, STATISTICS)
    ]
    assert plans[0] == plans[2] == make_plan(form(text).query, STATISTICS)
    assert plans[1] == make_plan(form(text).query, qualified) != plans[0]


def test_tables_are_planned_anew() -> None:
    text = "Query1: \"get_information(table='books', relation='wrote', tail_entity='Emma')\""
    plans = [
        plan_query(form(text), STATISTICS, {"books": TableChoice(source, STATISTICS)})
        for source in ("a.csv", "b.csv")
    ]
    assert all(isinstance(plan, Plan) for plan in plans)
    assert plans[0] != plans[1]


def test_long_texts_are_not_remembered() -> None:
    text = f"{'thought ' * MAX_REMEMBERED_LENGTH}\n{TEXT}"
    assert form(text) is not form(text)
    assert form(text).relations == {"wrote"}


@pytest.mark.parametrize("text", ["", "no query", 'Query1: "get_information("'])
def test_unreadable_texts_have_no_form(text: str) -> None:
    assert isinstance(parse(text), tuple)


def test_a_query_with_problems_has_no_names() -> None:
    wrong = form('Query1: "count(set=output_of_query7)"')
    assert wrong.problems
    assert not wrong.entities
