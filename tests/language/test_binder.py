"""How an argument finds its parameter, whatever form it was written in."""

from __future__ import annotations

from typing import Any

import pytest
from support.golden_cases import plain_value, query

from trustuqa_neo4j.language.ast import Call
from trustuqa_neo4j.language.binder import BoundCall, bind_call

RESULT = {"output_of_query": 1}
OTHER = {"output_of_query": 2}


def call(text: str) -> Call:
    step = query(f"Query9: {text}").steps[0].value
    assert isinstance(step, Call)
    return step


def bound(text: str) -> BoundCall:
    found = bind_call(call(text))
    assert isinstance(found, BoundCall), found
    return found


@pytest.mark.parametrize(
    ("text", "function", "operands", "parameters"),
    [
        ("count(output_of_query1)", "count", [RESULT], []),
        ("average(set='output_of_query1')", "mean", [RESULT], []),
        ("union(set1='a', set_2='b', set3='c')", "set_union", ["a", "b", "c"], []),
        ("union(['a', 'b'])", "set_union", [["a", "b"]], []),
        ("count(output_of_query1, distinct=False)", "count", [RESULT], [("distinct", "=", "False")]),
        ("count(output_of_query1, value<>'W')", "count", [RESULT], [("value", "!=", "W")]),
        ("compare(x=output_of_query1, zebra='5')", "compare", [RESULT, "5"], []),
        (
            "compare(output_of_query1, '>', output_of_query2)", "compare", [RESULT, OTHER],
            [("operator", "=", ">")],
        ),
        ("compare(op='>', val_1=2024, val_2=2020)", "compare", ["2024", "2020"], [("operator", "=", ">")]),
        ("compare(output_of_query1, 5, 'greater')", "compare", [RESULT, "5"], [("operator", "=", "greater")]),
        ("duration(output_of_query1, 5, 'years')", "duration", [RESULT, "5"], [("unit", "=", "years")]),
        ("sort(output_of_query1, 'descending')", "sort", [RESULT], [("order", "=", "descending")]),
        ("sort(output_of_query1, reverse=True)", "sort", [RESULT], [("order", "=", "descending")]),
        ("sort(output_of_query1, ascending=False)", "sort", [RESULT], [("order", "=", "descending")]),
        ("sort(output_of_query1, descending=False)", "sort", [RESULT], [("order", "=", "ascending")]),
        ("sort(output_of_query1, ascending=True)", "sort", [RESULT], [("order", "=", "ascending")]),
        ("sort(output_of_query1, order='DESC')", "sort", [RESULT], [("order", "=", "descending")]),
        ("sort(output_of_query1, 'largest')", "sort", [RESULT], [("order", "=", "descending")]),
        ("sort(output_of_query1, 'earliest')", "sort", [RESULT], [("order", "=", "ascending")]),
        ("negation(output_of_query1, universe='a')", "set_negation", [RESULT], [("universe", "=", "a")]),
        (
            "search_node('r', condition='X')", "search_node", [],
            [("node1", "=", "r"), ("condition", "=", "X")],
        ),
        (
            "search_node(condition='X', 'r')", "search_node", [],
            [("condition", "=", "X"), ("node1", "=", "r")],
        ),
        ("search_node('r', scope=all)", "search_node", [], [("node1", "=", "r")]),
        ("search_node('r', scope='a')", "search_node", [], [("node1", "=", "r"), ("scope", "=", "a")]),
        (
            "search_condition(r, 5, '=>')", "search_condition", [],
            [("node1", "=", "r"), ("node2", "=", "5"), ("op", "=", ">=")],
        ),
        (
            "search_condition(relation='r', value<5, op=operator)", "search_condition", [],
            None,
        ),
        (
            "get_table('Policy', 'a > b', 'c')", "get_table", [],
            [("head_entity", "=", "Policy"), ("columns", "=", "a > b"), ("columns", "=", "c")],
        ),
        (
            "calculate(output_of_query1, 'a - b', 'c')", "calculate", [RESULT],
            [("expression", "=", "a - b"), ("name", "=", "c")],
        ),
        (
            "group_by(output_of_query1, 'a', ['sum(b)'])", "group_by", [RESULT],
            [("by", "=", "a"), ("values", "=", ["sum(b)"])],
        ),
        ("calculate(operation='subtract', a=output_of_query1, b=5)", "difference", [RESULT, "5"], []),
        ("calculator(function='max', operands=[output_of_query1])", "max", [[RESULT]], []),
        ("calculate(x=output_of_query1, operator='+', y=5)", "sum", [RESULT, "5"], []),
        ("calculate(output_of_query1 - 5)", "set_union", [{"infix": [RESULT, "-", "5"]}], []),
        ("calculate(expression='output_of_query1 - 5')", "set_union", [{"infix": [RESULT, "-", "5"]}], []),
        ("if(else='b', then='a', condition=output_of_query1)", "if", [RESULT, "a", "b"], []),
        ("if(output_of_query1, 'a', 'b')", "if", [RESULT, "a", "b"], []),
        ("if(output_of_query1, else='a', 'b')", "if", [RESULT, "a", "b"], []),
        (
            "get_information(relation='a' or 'b' or 'c')", "get_information", [],
            [("relation", "=", ["a", "b", "c"])],
        ),
        (
            "get_information(tail_entity='a', 'b', 'c')", "get_information", [],
            [("tail_entity", "=", ["a", "b", "c"])],
        ),
        (
            "get_information(value>'a' or 'b')", "get_information", [],
            [("value", ">", {"infix": ["a", "or", "b"]})],
        ),
        ("get_information(column='a', > 5)", "get_information", [], [("key", "=", "a"), ("value", ">", "5")]),
    ],
)  # fmt: skip
def test_arguments_find_their_places(
    text: str, function: str, operands: list[Any], parameters: list[Any] | None
) -> None:
    if parameters is None:
        assert not isinstance(bind_call(call(text)), BoundCall)
        return
    found = bound(text)
    assert found.function.name == function
    assert [plain_value(operand) for operand in found.operands] == operands
    given = [(name, a.operator, plain_value(a.value)) for name, a in found.parameters]
    assert given == parameters


@pytest.mark.parametrize(
    ("text", "column", "tests"),
    [
        ("keep(output_of_query1, value > 5)", None, [(">", "5")]),
        ("keep(output_of_query1, > 5)", None, [(">", "5")]),
        ("keep(set='output_of_query1', '>5')", None, [(">", "5")]),
        ("keep(set='output_of_query1', condition=\"> 'a b'\")", None, [(">", "a b")]),
        ("keep(output_of_query1, output_of_query1 > 5)", None, [(">", "5")]),
        ("keep(output_of_query1 > 5)", None, [(">", "5")]),
        ("keep('output_of_query1 > 5')", None, [(">", "5")]),
        ("keep(condition='output_of_query1 > 5', set=output_of_query1)", None, [(">", "5")]),
        ("keep(output_of_query1, tail_entity > 5)", None, [(">", "5")]),
        ("keep(output_of_query1, (x > 5))", None, [(">", "5")]),
        ("keep(output_of_query1, value > 5 and value <= 9)", None, [(">", "5"), ("<=", "9")]),
        ("keep(output_of_query1, value > 5, '< 9')", None, [(">", "5"), ("<", "9")]),
        ("filter(output_of_query1, Silver ≥ 8)", "Silver", [(">=", "8")]),
        ("filter(output_of_query1, Result='Won')", "Result", [("=", "Won")]),
        (
            "filter(set=output_of_query1, condition='Total points >= 8')",
            "Total points",
            [(">=", "8")],
        ),
        ("filter(set=output_of_query1, relation='Silver', value>=8)", "Silver", [(">=", "8")]),
    ],
)
def test_what_keep_keeps(text: str, column: str | None, tests: list[tuple[str, str]]) -> None:
    found = bound(text)
    assert [plain_value(operand) for operand in found.operands] == [RESULT]
    assert [(a.operator, plain_value(a.value)) for a in found.get_arguments("value")] == tests
    given = found.get_argument("column")
    assert (None if given is None else plain_value(given.value)) == column


@pytest.mark.parametrize(
    "text",
    [
        "keep(output_of_query1)",
        "keep(output_of_query1, 'a')", "keep(output_of_query1, output_of_query2 > 5)",
        "keep(output_of_query1, a > 5, b > 5)", "keep(output_of_query1, condition=['> 5'])",
        "keep(output_of_query1 + 5)",
    ],
)  # fmt: skip
def test_what_keep_cannot_be_sure_of_is_refused(text: str) -> None:
    assert not isinstance(bind_call(call(text)), BoundCall)


@pytest.mark.parametrize(
    ("text", "kind", "said", "at"),
    [
        ("frobnicate()", "unknown function", "undefined function frobnicate", "frob"),
        ("get_informaton()", "unknown function", "did you mean get_information?", "get"),
        ("get_information('x')", "unknown parameter", "takes named parameters: head_entity", "'x'"),
        ("get_information(hed='x')", "unknown parameter", "has no parameter hed", "hed"),
        ("max(output_of_query1, > 5)", "unknown operator", "> compares nothing here", "> 5"),
        ("max(set > 5)", "unknown operator", "set takes = only, not >", "set"),
        ("max('a', column > 'b')", "unknown operator", "column takes = only, not >", "column"),
        ("max('a', column='b', key='c')", "repeated parameter", "max takes column once", "key"),
        ("max()", "wrong number", "takes at least 1 operand, not 0: max(set)", "max"),
        ("abs(1, 2)", "wrong number", "takes 1 operand, not 2", "2"),
        ("difference()", "wrong number", "takes 1 to 2 operands, not 0", "difference"),
        ("equals(1, 2, op='>')", "unknown parameter", "equals has no parameter op", "op"),
        (
            "search_condition(a, b, op=f(x))",
            "unknown operator",
            "op is one of =, !=, <, >, <=, >=, contains, starts with, ends with",
            "op",
        ),
        ("search_condition(a, b, op='near')", "unknown operator", "op is one of", "op"),
        ("search_condition(a, b, '>', c, d)", "unknown parameter", "takes named parameters", "d)"),
        (
            "calculate(operation='juggle', 1)",
            "unknown parameter",
            "no parameter operation",
            "operation",
        ),
    ],
)
def test_each_problem_says_what_where_and_what_is_allowed(
    text: str, kind: str, said: str, at: str
) -> None:
    problems = bind_call(call(text))
    assert isinstance(problems, tuple)
    first = problems[0]
    assert first.kind == kind
    assert said in first.message
    assert first.position == len("Query9: ") + text.index(at)


def test_all_problems_of_a_call_are_said() -> None:
    problems = bind_call(call("count(frob=1, > 5, distinct!=2, distinct=1)"))
    assert isinstance(problems, tuple)
    assert [problem.kind for problem in problems] == [
        "unknown parameter", "unknown operator", "repeated parameter", "wrong number",
    ]  # fmt: skip
