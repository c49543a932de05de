"""Every rule, with kind, message, step and place of its problems; all problems are found at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from golden import cases, given, query

from trustuqa_neo4j.checking import rules
from trustuqa_neo4j.checking.check import check
from trustuqa_neo4j.checking.rules import MEANING, RULES
from trustuqa_neo4j.language.query import Infix, Listing, Literal, LLMQuery, Reference, Step, Value


@cases("check")
def test_a_query_has_these_problems(case: dict[str, Any]) -> None:
    problems = check(query(given(case)))
    assert [problem.to_dict() for problem in problems] == case["problems"]


def test_each_rule_is_a_file_and_none_is_forgotten() -> None:
    files = {p.stem for p in Path(rules.__file__).parent.glob("*.py")} - {"__init__"}
    assert {rule.__module__.rpartition(".")[2] for rule in (*RULES, *MEANING)} == files


def test_a_query_that_came_from_no_text_may_be_nested_too_deep() -> None:
    value: Value = Literal("x", 7)
    for _ in range(60):
        value = Listing((value,), 0)
    assert check(LLMQuery((Step(1, value),))) == ()
    for deeper in (Listing((value,), 0), Infix("+", Literal("y", 0), value, 0)):
        (problem,) = check(LLMQuery((Step(1, deeper),)))
        assert (problem.kind, problem.step, problem.position) == ("nested too deep", 1, 7)
        assert "deeper than 60" in problem.message


def test_ten_thousand_steps_are_checked() -> None:
    steps = tuple(Step(n, Reference(n - 1, n)) for n in range(1, 10_001))
    (problem,) = check(LLMQuery(steps))
    assert problem.message == "output_of_query0 names no earlier step; this is the first"
