"""Given parameters → operations: the paper's Table 1 and what its text implies, without a database."""

from __future__ import annotations

from typing import Any

import pytest
from support.golden_cases import case_text, cases, query

from trustuqa_neo4j.planning.operations import (
    Apply,
    Condition,
    Constant,
    Option,
    Plan,
    PlanStep,
    RelationStats,
    Search,
    StepResult,
    TableChoice,
    used_steps,
    walk_operations,
)
from trustuqa_neo4j.planning.planner import (
    FirstStep,
    find_first_step,
    find_tables,
    make_plan,
    names_to_resolve,
)
from trustuqa_neo4j.validation.validate import check_form

CATALOG = {
    "r": RelationStats(("r",), 9), "k": RelationStats(("k",), 9),
    "born in": RelationStats(("born in",), 9), "date": RelationStats(("date",), 9),
    "end": RelationStats(("end",), 9),
    "won": RelationStats(("won",), 9, qualifiers=frozenset({"field of study", "time"})),
    "held": RelationStats(("held",), 9, timed=9),
    "won?": RelationStats(("won?",), 9), "lost?": RelationStats(("lost",), 9),
    "a, b": RelationStats(("a, b",), 9),
    "lasted": RelationStats(("lasted",), 9, timed=9, qualifiers=frozenset({"duration"})),
    "timed": RelationStats(("timed",), 9, timed=9, qualifiers=frozenset({"year"})),
}  # fmt: skip
"""The relations of the cases: ``won`` has qualifiers, ``held`` and ``timed`` have times."""


@cases("plan")
def test_plan_of_a_query(case: dict[str, Any]) -> None:
    parsed = query(case_text(case))
    result = make_plan(parsed, CATALOG)
    if isinstance(result, Plan):
        assert check_form(parsed) == ()
        assert [str(step.operation) for step in result.steps] == case["steps"]
        assert [step.number for step in result.steps] == [step.number for step in parsed.steps]
    else:
        actual = [[problem.kind, problem.step, problem.position] for problem in result]
        assert actual == case["problems"]


def make(text: str) -> Plan:
    plan = make_plan(query(text), CATALOG)
    assert isinstance(plan, Plan), plan
    return plan


def test_search_keeps_positions() -> None:
    text = (
        "Query1: get_information(relation='r')\n"
        "Query3: get_information(tail_entity>['x', output_of_query1], key='k')"
    )
    terms = (Constant("x", text.index("'x'")), StepResult(1, text.index("output")))
    conditions = (Condition(">", terms, text.index("tail_entity")),)
    position = text.index("get_information(tail")
    relations = (Constant("k", text.index("'k'")),)
    assert make(text).steps[1] == PlanStep(
        3, Search("heads", position, relations, None, conditions)
    )


def test_function_keeps_options() -> None:
    text = "count(set=['a'], column='k', value>=3)"
    (step,) = make(text).steps
    assert isinstance(step.operation, Apply)
    assert step.operation.options == (
        Option("column", "=", Constant("k", text.index("'k'"))),
        Option("value", ">=", Constant("3", text.index("3"))),
    )


def test_two_values_need_two_relations() -> None:
    (problem,) = make_plan(query("get_information(tail_entity='a', value='b')"), CATALOG)  # type: ignore[misc]
    assert problem.message == (
        "tail_entity and value clash: two values need two relations, given as relation and key"
    )


def test_unknown_combination_lists_all_combinations() -> None:
    (problem,) = make_plan(query("get_information(relation='r', key='k')"), CATALOG)  # type: ignore[misc]
    assert problem.message.startswith(
        "get_information cannot be called with relation, key; possible combinations of "
    )
    assert problem.message.endswith(
        "h · t · r · k · h, r · h, k · r, t · k, v · h, t · h, r, t · "
        "h, k, v · r, t, k · r, k, v · r, t, k, v · h, r, k · h, r, t, k · h, r, k, v · h, r, t, k, v"
    )


def test_used_steps_at_any_depth() -> None:
    text = """
    Query1: get_information(relation='r')
    Query2: get_information(relation='k')
    Query3: set_union(get_information(head_entity=[output_of_query2, 'x'], relation='r'),
                      keep(['y'], value>output_of_query1))
    """
    plan = make(text)
    assert [used_steps(step.operation) for step in plan.steps] == [(), (), (1, 2)]
    first = next(iter(walk_operations(plan.steps[2].operation)))
    assert first is plan.steps[2].operation


def test_searches_read_the_table_that_their_call_names() -> None:
    parsed = query(
        "Query1: get_information(relation='r', tail_entity='x', key='k', table='b.csv')\n"
        "Query2: get_table(head_entity=get_information(relation='r', table='a'), columns='k', table='b')\n"
        "Query3: get_information(head_entity='output_of_query2', relation='k')"
    )
    tables = {
        "b.csv": TableChoice("b.csv", CATALOG),
        "b": TableChoice("b.csv", CATALOG),
        "a": TableChoice("a.csv", CATALOG),
    }
    plan = make_plan(parsed, CATALOG, tables)
    assert isinstance(plan, Plan)
    assert [str(step.operation) for step in plan.steps] == [
        "search_node('k', condition=search_condition('r', 'x', table='b.csv'), table='b.csv')",
        "get_table(search_node(relation='r', table='a.csv'), ['k as k'], table='b.csv')",
        "search_node('k', condition=output_of_query2)",
    ]
    named, are_all = find_tables(parsed)
    assert ([(step, name.text) for step, name in named], are_all) == (
        [(1, "b.csv"), (2, "b"), (2, "a")],
        False,
    )
    assert names_to_resolve(parsed) == ({"r", "k"}, {"x", "k"})


def test_names_to_resolve() -> None:
    text = "\n".join(
        (
            "## Target type: {club, year}",
            "Query1: get_information(head_entity=['A', 'B'], relation='r', key='k', value>'7')",
            "Query2: search_node(node1='n', condition='c')",
            "Query3: search_node('alone')",
            "Query4: count(set=output_of_query1, column='col')",
            "Query5: set_union('x', [output_of_query1, 'y'])",
        )
    )
    relations, things = names_to_resolve(query(text))
    assert relations == {"club", "year", "r", "k", "n", "alone", "col"}
    assert things == {"A", "B", "7", "c", "alone", "x", "y"}


def test_plan_keeps_the_target() -> None:
    plan = make("## Target type: {club, year}\nQuery1: get_information(relation='r')")
    assert plan.target == ("club", "year")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("get_information(head_entity='a', relation='r')", FirstStep("a", "r", from_head=True)),
        ("get_information(relation='r', tail_entity='a')", FirstStep("a", "r", from_head=False)),
        ("get_information(relation='r', tail_entity>'5')", None),
        ("get_information(relation='r')", None),
        ("get_information(head_entity='a', relation='r', key='k')", None),
        ("get_information(head_entity=['a', 'b'], relation='r')", None),
        ("get_information(head_entity='a', tail_entity='b')", None),
        ("count(get_information(head_entity='a', relation='r'))", None),
    ],
)
def test_a_simple_first_step(text: str, expected: FirstStep | None) -> None:
    assert find_first_step(query(f"Query1: {text}\nQuery2: count(output_of_query1)")) == expected
