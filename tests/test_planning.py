"""Given parameters → searching operation: the paper's Table 1, and what has no row in it yet."""

from __future__ import annotations

from typing import Any

from golden import cases, given, query

from trustuqa_neo4j.checking.check import check
from trustuqa_neo4j.language.query import Literal, Reference
from trustuqa_neo4j.planning import ExecutionQuery, Search, plan


@cases("plan")
def test_a_checked_query_is_planned(case: dict[str, Any]) -> None:
    read = query(given(case))
    assert check(read) == ()
    planned = plan(read)
    if isinstance(planned, ExecutionQuery):
        assert [str(search) for search in planned.searches] == case["searches"]
        assert [search.step for search in planned.searches] == [step.number for step in read.steps]
    else:
        assert [problem.to_dict() for problem in planned] == case["problems"]


def test_a_search_keeps_where_its_names_stand() -> None:
    text = "Query3: get_information(tail_entity=['x', output_of_query1], key='r')"
    planned = plan(query(text))
    assert isinstance(planned, ExecutionQuery)
    terms = (Literal("x", text.index("'x'")), Reference(1, text.index("output")))
    assert planned.searches == (
        Search(3, "search_condition", Literal("r", text.index("'r'")), terms),
    )
