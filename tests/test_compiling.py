"""Searching operation → statement and parameters."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.compiling import Read, compile_search
from trustuqa_neo4j.graph import statements
from trustuqa_neo4j.language.query import Literal
from trustuqa_neo4j.planning import Search

HOSTILE = "x') DETACH DELETE n //"


def search(operation: str) -> Search:
    return Search(1, operation, Literal(HOSTILE, 0), (Literal(HOSTILE, 0),))


@pytest.mark.parametrize("operation", ["search_node", "search_condition"])
@pytest.mark.parametrize("source", ["films.tsv", None])
def test_a_search_is_the_statement_of_its_name(operation: str, source: str | None) -> None:
    read = compile_search(search(operation), ("r", "R"), (4, 2), source)
    expected = {"nodes": [4, 2], "relations": ["r", "R"], "source": source}
    assert read == Read(operation, expected)
    statements.statement(read.statement).check(read.parameters)


def test_text_of_a_query_never_becomes_text_of_a_statement() -> None:
    read = compile_search(search("search_node"), (HOSTILE,), (), None)
    assert HOSTILE not in statements.statement(read.statement).text
    assert read.parameters["relations"] == [HOSTILE]
