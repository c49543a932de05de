"""Edits of queries that follow-ups make."""

from __future__ import annotations

from trustuqa_neo4j.language.ast import Literal, Query, walk_literals
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import print_query
from trustuqa_neo4j.language.query_edits import replace_bound


def test_a_condition_on_several_names_is_replaced_whole() -> None:
    query = parse_query(
        "Query1: get_information(relation='nation', tail_entity=['Japan', 'JAPAN'])"
    )
    assert isinstance(query, Query)
    literals = [literal for step in query.steps for literal, _, _ in walk_literals(step.value)]
    for text in ("Japan", "JAPAN"):
        old = next(literal for literal in literals if literal.text == text)
        changed = replace_bound(query, old, Literal("Italy", 0), "!=")
        assert "tail_entity!='Italy')" in print_query(changed)
