"""What a query asks of the data, rule by rule, with an ontology and without one."""

from __future__ import annotations

from typing import Any

import pytest
from support.golden_cases import case_text, cases, query
from support.library import BOTH, FOUND

from trustuqa_neo4j.language.ast import Problem
from trustuqa_neo4j.language.selectors import EXTREMES, MOST
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge
from trustuqa_neo4j.planning.operations import Plan
from trustuqa_neo4j.planning.planner import make_plan
from trustuqa_neo4j.validation.context import ValidationContext
from trustuqa_neo4j.validation.query_graph import build_query_graph
from trustuqa_neo4j.validation.validate import check_schema

SCHEMAS = {"declared": BOTH, "found": FOUND}


def check(text: str, schema: SchemaKnowledge) -> tuple[Problem, ...]:
    plan = make_plan(query(text), {})
    assert isinstance(plan, Plan), plan
    graph = build_query_graph(plan, lambda word: word in EXTREMES or word in MOST)
    return check_schema(ValidationContext(graph, schema, schema.find_relation))


@cases("examine")
@pytest.mark.parametrize("which", SCHEMAS)
def test_problems_of_a_query(case: dict[str, Any], which: str) -> None:
    text = case_text(case)
    problems = check(text, SCHEMAS[which])
    actual = [[p.severity, p.kind, p.step, _at(text, p), p.message] for p in problems]
    assert actual == case[which]


def _at(query_text: str, problem: Problem) -> str | None:
    """The beginning of what the position points at."""
    return None if problem.position is None else query_text[problem.position :][:20]
