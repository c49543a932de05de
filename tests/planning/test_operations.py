"""The text of a plan: it parses to the same plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning.test_planner import CATALOG
from support.golden_cases import case_text, cases, query

from trustuqa_neo4j.language.printer import quote_name
from trustuqa_neo4j.planning.operations import Plan
from trustuqa_neo4j.planning.planner import make_plan

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), min_size=1, max_size=9)
RELATIONS = st.sampled_from(["r", "k", "held", "won", "timed", "unheard of"])
KEYS = st.sampled_from(["k", "time", "start time", "date", "field of study", "year"])
OPERATORS = st.sampled_from(["=", "!=", "<", ">="])


def without_positions(value: Any) -> Any:
    """Plain data of a plan, without the positions in the text."""
    if isinstance(value, tuple):
        return tuple(map(without_positions, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    names = [field.name for field in fields(value) if field.name not in ("position", "marked")]
    return (type(value), *((name, without_positions(getattr(value, name))) for name in names))


def assert_text_is_the_same_plan(plan: Plan) -> None:
    text = "\n".join(f"Query{step.number}: {step.operation}" for step in plan.steps)
    printed = make_plan(query(text), CATALOG)
    assert isinstance(printed, Plan), (text, printed)
    assert without_positions(replace(printed, target=plan.target)) == without_positions(plan), text


@cases("plan")
def test_text_of_a_plan_parses_to_the_same_plan(case: dict[str, Any]) -> None:
    plan = make_plan(query(case_text(case)), CATALOG)
    if isinstance(plan, Plan):
        assert_text_is_the_same_plan(plan)


@st.composite
def searches(draw: st.DrawFn) -> str:
    def arguments() -> Iterator[str]:
        for parameter, values in (
            ("head_entity", NAMES), ("relation", RELATIONS), ("tail_entity", NAMES),
            ("key", KEYS), ("value", NAMES),
        ):  # fmt: skip
            if draw(st.booleans()):
                operator = draw(OPERATORS) if parameter in ("tail_entity", "value") else "="
                members = draw(st.lists(values, min_size=1, max_size=2))
                names = ", ".join(map(quote_name, members))
                yield f"{parameter}{operator}" + (f"[{names}]" if len(members) > 1 else names)

    return f"get_information({', '.join(arguments())})"


@given(st.lists(searches(), min_size=1, max_size=2), st.sampled_from(["keep", "and", "-", "count"]))
def test_text_of_any_search_parses_to_the_same_plan(calls: list[str], function: str) -> None:
    lines = [f"Query{number}: {call}" for number, call in enumerate(calls, 1)]
    last = {
        "keep": "keep(output_of_query1, value>'5')",
        "count": "count(output_of_query1, distinct=false)",
    }.get(function, f"output_of_query1 {function} 5")
    plan = make_plan(query("\n".join([*lines, f"Query9: {last}"])), CATALOG)
    if isinstance(plan, Plan):
        assert_text_is_the_same_plan(plan)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("gi(h='H', r='r')", "get_information(head_entity='H', relation='r')"),
        ("gi(k='k', v='V')", "get_information(key='k', value='V')"),
        ("sn(n1='r', c='H')", "get_information(head_entity='H', relation='r')"),
        ('sc(n1="r", n2="T", op="=")', "get_information(relation='r', tail_entity='T')"),
        ("sn(n1='start time', c=['H', 'held', 'T'])",
         "get_information(head_entity='H', relation='held', tail_entity='T', key='start time')"),
        ("sn('end time', ['H', 'held'])",
         "get_information(head_entity='H', relation='held', key='end time')"),
        ("search_node('field of study', condition=['H', 'won', 'T'])",
         "get_information(head_entity='H', relation='won', tail_entity='T', key='field of study')"),
        ("search_condition('held', 'T', time='start time', key_value>='1950')",
         "get_information(relation='held', tail_entity='T', key='start time', value>='1950')"),
        ("search_node('held', condition=search_condition('start time', '1950', op='>'))",
         "get_information(relation='held', key='start time', value>'1950')"),
        ("sc(n1='held', n2='T', c=sc(n1='time', n2='1950'))",
         "get_information(relation='held', tail_entity='T', key='time', value='1950')"),
        ("sn(n1='held', c=sc(n1='time', n2='1950', s='H'))",
         "get_information(head_entity='H', relation='held', key='time', value='1950')"),
        ("set_interaction(set1=gi(r='r'), set2=gi(r='k'))",
         "set_intersection(get_information(relation='r'), get_information(relation='k'))"),
        ("get_information(head_entity='H', relation='time', tail_entity=1950)",
         "get_information(head_entity='H', key='time', value=1950)"),
    ],
)  # fmt: skip
def test_forms_of_the_paper(text: str, same: str) -> None:
    plan, expected = make_plan(query(text), CATALOG), make_plan(query(same), CATALOG)
    assert isinstance(plan, Plan)
    assert without_positions(plan) == without_positions(expected)


def test_search_without_relation_by_time() -> None:
    plan = make_plan(query("get_information(head_entity='H', key='time', value=1950)"), CATALOG)
    assert str(plan) == "search_node(condition='H', time='time', key_value='1950')"
