"""Every rule, with kind, message, step and place of its problems; all problems are found at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from golden import cases, given, query

from trustuqa_neo4j.checking import rules
from trustuqa_neo4j.checking.check import check
from trustuqa_neo4j.checking.rules import RULES


@cases("check")
def test_a_query_has_these_problems(case: dict[str, Any]) -> None:
    problems = check(query(given(case)))
    assert [problem.to_dict() for problem in problems] == case["problems"]


def test_each_rule_is_a_file_and_none_is_forgotten() -> None:
    files = {p.stem for p in Path(rules.__file__).parent.glob("*.py")} - {"__init__"}
    assert {rule.__module__.rpartition(".")[2] for rule in RULES} == files
    assert {rule.__name__ for rule in RULES} == files
