"""Every rule, with kind, message, step and place of its problems; all problems are found at once."""

from __future__ import annotations

import inspect
from typing import Any

from support.golden_cases import case_text, cases, query

from trustuqa_neo4j.language.ast import BinaryOp, ListValue, Literal, Query, Reference, Step, Value
from trustuqa_neo4j.validation import form_rules, schema_rules
from trustuqa_neo4j.validation.validate import FORM_RULES, SCHEMA_RULES, check_form


@cases("check")
def test_problems_of_a_query(case: dict[str, Any]) -> None:
    problems = check_form(query(case_text(case)))
    assert [problem.to_dict() for problem in problems] == case["problems"]


def test_every_rule_is_listed() -> None:
    defined = {
        function
        for module in (form_rules, schema_rules)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and function.__annotations__["return"] == "Iterator[Problem]"
    }
    assert defined == {*FORM_RULES, *SCHEMA_RULES}


def test_query_built_in_python_can_be_nested_too_deep() -> None:
    value: Value = Literal("x", 7)
    for _ in range(60):
        value = ListValue((value,), 0)
    assert check_form(Query((Step(1, value),))) == ()
    for deeper in (ListValue((value,), 0), BinaryOp("+", Literal("y", 0), value, 0)):
        (problem,) = check_form(Query((Step(1, deeper),)))
        assert (problem.kind, problem.step, problem.position) == ("nested too deep", 1, 7)
        assert "deeper than 60" in problem.message


def test_ten_thousand_steps_are_checked() -> None:
    steps = tuple(Step(n, Reference(n - 1, n)) for n in range(1, 10_001))
    (problem,) = check_form(Query(steps))
    assert problem.message == "output_of_query0 names no earlier step; this is the first"
