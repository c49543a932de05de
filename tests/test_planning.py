"""Given parameters → operations: the paper's Table 1 and what its text implies, without a database."""

from __future__ import annotations

from typing import Any

from golden import cases, given, query

from trustuqa_neo4j.checking.check import check
from trustuqa_neo4j.planning import (
    Apply,
    ExecutionQuery,
    Known,
    Name,
    Option,
    PlannedStep,
    Result,
    Search,
    names,
    plan,
    uses,
    within,
)
from trustuqa_neo4j.planning import Test as Condition

KNOWN = {
    "r": Known(("r",), 9), "k": Known(("k",), 9),
    "born in": Known(("born in",), 9), "date": Known(("date",), 9), "end": Known(("end",), 9),
    "won": Known(("won",), 9, qualifiers=frozenset({"field of study", "time"})),
    "held": Known(("held",), 9, held=9),
    "won?": Known(("won?",), 9), "lost?": Known(("lost",), 9), "a, b": Known(("a, b",), 9),
    "timed": Known(("timed",), 9, held=9, qualifiers=frozenset({"year"})),
}  # fmt: skip
"""What the catalogue of the cases knows; ``won`` has qualifiers, ``held`` and ``timed`` times."""


@cases("plan")
def test_a_checked_query_is_planned(case: dict[str, Any]) -> None:
    read = query(given(case))
    planned = plan(read, KNOWN)
    if isinstance(planned, ExecutionQuery):
        assert check(read) == ()
        assert [str(step.operation) for step in planned.steps] == case["steps"]
        assert [step.number for step in planned.steps] == [step.number for step in read.steps]
    else:
        told = [[problem.kind, problem.step, problem.position] for problem in planned]
        assert told == case["problems"]


def planned(text: str) -> ExecutionQuery:
    found = plan(query(text), KNOWN)
    assert isinstance(found, ExecutionQuery), found
    return found


def test_a_search_keeps_where_its_names_stand() -> None:
    text = (
        "Query1: get_information(relation='r')\n"
        "Query3: get_information(tail_entity>['x', output_of_query1], key='k')"
    )
    terms = (Name("x", text.index("'x'")), Result(1, text.index("output")))
    tests = (Condition(">", terms, text.index("tail_entity")),)
    position = text.index("get_information(tail")
    relations = (Name("k", text.index("'k'")),)
    assert planned(text).steps[1] == PlannedStep(
        3, Search("heads", position, relations, None, tests)
    )


def test_a_function_keeps_its_options() -> None:
    text = "count(set=['a'], column='k', value>=3)"
    (step,) = planned(text).steps
    assert isinstance(step.operation, Apply)
    assert step.operation.options == (
        Option("column", "=", Name("k", text.index("'k'"))),
        Option("value", ">=", Name("3", text.index("3"))),
    )


def test_the_clash_of_two_values_names_both() -> None:
    (problem,) = plan(query("get_information(tail_entity='a', value='b')"), KNOWN)  # type: ignore[misc]
    assert problem.message == (
        "tail_entity and value clash: two values need two relations, given as relation and key"
    )


def test_what_no_row_of_the_table_says_is_told_with_all_rows() -> None:
    (problem,) = plan(query("get_information(relation='r', key='k')"), KNOWN)  # type: ignore[misc]
    assert problem.message.startswith(
        "get_information with relation, key means nothing; these do: "
    )
    assert problem.message.endswith(
        "h · t · r · k · h, r · h, k · r, t · k, v · h, t · h, r, t · "
        "h, k, v · r, t, k · r, k, v · r, t, k, v · h, r, k · h, r, t, k · h, r, k, v · h, r, t, k, v"
    )


def test_steps_used_are_found_however_deep() -> None:
    text = """
    Query1: get_information(relation='r')
    Query2: get_information(relation='k')
    Query3: set_union(get_information(head_entity=[output_of_query2, 'x'], relation='r'),
                      keep(['y'], value>output_of_query1))
    """
    found = planned(text)
    assert [uses(step.operation) for step in found.steps] == [(), (), (1, 2)]
    first = next(iter(within(found.steps[2].operation)))
    assert first is found.steps[2].operation


def test_names_are_those_of_relations_and_those_of_things() -> None:
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
    relations, things = names(query(text))
    assert relations == {"club", "year", "r", "k", "n", "alone", "col"}
    assert things == {"A", "B", "7", "c", "alone", "x", "y"}


def test_the_target_goes_through() -> None:
    found = planned("## Target type: {club, year}\nQuery1: get_information(relation='r')")
    assert found.target == ("club", "year")
