"""Queries that the language cannot express are counted by reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.data_packs import jsonl

from bench.expressiveness import OPERATORS, QueryCounts, find_problem, read_recorded, translate_sql

COUNT = "Query1: get_information(relation='Gold')\nQuery2: count(set='output_of_query1')"


def test_queries_are_counted_by_reason(tmp_path: Path) -> None:
    texts = (COUNT, COUNT.replace("count(", "flip("), COUNT.replace("set=", "shade="), "none", None)
    records = [{"question": f"{n}?", "llm_output": text} for n, text in enumerate(texts)]
    jsonl(tmp_path / "llm_queries.jsonl", *records)
    counts = QueryCounts("own")
    for text in read_recorded(tmp_path):
        counts.add(text)
    assert (counts.queries, counts.missing) == (4, 1)
    assert counts.reasons == {"unknown function": 1, "unknown parameter": 1, "unreadable": 1}
    assert counts.functions == {"flip": 1}
    assert counts.row[2:5] == ("4", "3", "75.0")


@pytest.mark.parametrize("aggregate", ["", "sum"])
@pytest.mark.parametrize("operators", [(), ("=",), OPERATORS])
def test_sql_becomes_a_query(aggregate: str, operators: tuple[str, ...]) -> None:
    query = translate_sql(aggregate, operators)
    assert find_problem(query) is None
    assert ("set_intersection" in query) == (len(operators) > 1)
    assert ("sum(" in query) == bool(aggregate)
