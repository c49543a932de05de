"""Searching operation → statement and parameters: text of a query is only ever a parameter."""

from __future__ import annotations

import pytest

from trustuqa_neo4j import compiling
from trustuqa_neo4j.compiling import Read
from trustuqa_neo4j.dataset import Scope
from trustuqa_neo4j.graph import statements
from trustuqa_neo4j.values import Value

HOSTILE = "x') DETACH DELETE n //"
ALL = Scope((HOSTILE, "other"))
ONE = Scope((HOSTILE,), "a source")

CASES: dict[str, tuple[Read, str, dict[str, object]]] = {
    "out of nodes": (
        compiling.out_of(ONE, (4, 2), ("r", HOSTILE)), "search_node",
        {"nodes": [4, 2], "relations": ["r", HOSTILE], "source": "a source"},
    ),
    "into nodes": (
        compiling.into(ALL, (4, 2), (HOSTILE,)), "search_condition",
        {"nodes": [4, 2], "relations": [HOSTILE], "source": None},
    ),
    "all of relations": (
        compiling.all_of(ALL, (HOSTILE,)), "search_relation",
        {"datasets": [HOSTILE, "other"], "relations": [HOSTILE], "source": None, "limit": compiling.LIMIT},
    ),
    "held between two days": (
        compiling.held_in(ONE, (HOSTILE,), 19900101, 19901231), "held_in",
        {"datasets": [HOSTILE], "relations": [HOSTILE], "source": "a source",
         "first": 19900101, "last": 19901231},
    ),
    "relations out of nodes": (
        compiling.relations_of(ALL, (1,), None), "relations_out", {"heads": [1], "source": None},
    ),
    "relations into nodes": (
        compiling.relations_of(ONE, None, (2,)), "relations_into", {"tails": [2], "source": "a source"},
    ),
    "relations between nodes": (
        compiling.relations_of(ALL, (1,), (2,)), "relations_between",
        {"heads": [1], "tails": [2], "source": None},
    ),
    "relations between nodes and none": (
        compiling.relations_of(ALL, (1,), ()), "relations_between",
        {"heads": [1], "tails": [], "source": None},
    ),
    "rows that hold cells": (
        compiling.rows_holding(ALL, (1, 2)), "rows_holding", {"nodes": [1, 2], "source": None},
    ),
    "values like one": (
        compiling.values_like(ALL, Value(1.5, "m", 19990101, 19991231)), "values_like",
        {"datasets": [HOSTILE, "other"], "number": 1.5, "first": 19990101, "last": 19991231},
    ),
    "all heads": (
        compiling.heads_of_source(ONE), "heads_of_source",
        {"datasets": [HOSTILE], "source": "a source"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("read", "name", "given"), CASES.values(), ids=CASES)
def test_an_operation_is_a_statement_with_what_was_asked_as_parameters(
    read: Read, name: str, given: dict[str, object]
) -> None:
    assert (read.statement, dict(read.parameters)) == (name, given)
    found = statements.statement(name)
    found.check(read.parameters)
    assert HOSTILE not in found.text


def test_nothing_hands_out_text_of_its_own() -> None:
    """Whatever compiles to a statement is among the cases."""
    makers = {
        name
        for name, made in vars(compiling).items()
        if callable(made) and getattr(made, "__annotations__", {}).get("return") == "Read"
    }
    tried = {
        "out_of", "into", "all_of", "held_in", "relations_of", "rows_holding", "heads_of_source", "_from",
        "values_like",
    }  # fmt: skip
    assert makers - tried == set()
