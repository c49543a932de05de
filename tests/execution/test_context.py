"""Text of a query is only ever a parameter of a statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from trustuqa_neo4j.errors import IncompleteDataset
from trustuqa_neo4j.execution.context import LIMIT, ExecutionContext, NodeCells
from trustuqa_neo4j.execution.name_resolution import ResolvedNames
from trustuqa_neo4j.graph import statements
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.reads.reader import StoredModel
from trustuqa_neo4j.trace import TraceBuilder

HOSTILE = "x') DETACH DELETE n //"
ALL = Scope((HOSTILE, "other"))
ONE = Scope((HOSTILE,), "a source")
NOTHING = {"heads": [], "tails": [], "facts": [], "qualified": [], "relations": []}


@dataclass
class Requests:
    """A reader of a database that holds nothing, with the statements that it was given."""

    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def run(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        self.sent.append((name, parameters))
        return [NOTHING]

    def find_model(self) -> StoredModel | None:
        return None

    def encode(self, texts: object) -> list[list[float]]:
        return []


CASES: dict[str, tuple[Scope, Callable[[ExecutionContext], object], dict[str, object]]] = {
    "facts from heads": (
        ONE, lambda c: c.facts_from([4, 2], ["r", HOSTILE]),
        {"datasets": [HOSTILE], "nodes": [4, 2], "relations": ["r", HOSTILE], "source": "a source"},
    ),
    "facts to tails": (
        ALL, lambda c: c.facts_to([4, 2], [HOSTILE]),
        {"datasets": [HOSTILE, "other"], "nodes": [4, 2], "relations": [HOSTILE], "source": None},
    ),
    "all facts of relations": (
        ALL, lambda c: c.all_facts([HOSTILE]),
        {"datasets": [HOSTILE, "other"], "relations": [HOSTILE], "source": None, "limit": LIMIT},
    ),
    "facts valid between two days": (
        ONE, lambda c: c.facts_valid_between([HOSTILE], 19900101, 19901231),
        {"datasets": [HOSTILE], "relations": [HOSTILE], "source": "a source",
         "first": 19900101, "last": 19901231},
    ),
    "relations from nodes": (
        ALL, lambda c: c.relations_of([1], None),
        {"datasets": [HOSTILE, "other"], "heads": [1], "source": None, "with_facts": True},
    ),
    "relations to nodes": (
        ONE, lambda c: c.relations_of(None, [2]),
        {"datasets": [HOSTILE], "tails": [2], "source": "a source", "with_facts": True},
    ),
    "relations between nodes": (
        ALL, lambda c: c.relations_of([1], [2]),
        {"datasets": [HOSTILE, "other"], "heads": [1], "tails": [2], "source": None},
    ),
    "relations between nodes and none": (
        ALL, lambda c: c.relations_of([1], []),
        {"datasets": [HOSTILE, "other"], "heads": [1], "tails": [], "source": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("scope", "read", "parameters"), CASES.values(), ids=CASES)
def test_a_read_is_a_statement_with_what_was_asked_as_parameters(
    scope: Scope, read: Callable[[ExecutionContext], object], parameters: dict[str, object]
) -> None:
    requests = Requests()
    read(ExecutionContext(scope, ResolvedNames(), requests, TraceBuilder()))
    ((name, sent),) = requests.sent
    assert sent == parameters
    statement = statements.get_statement(name)
    statement.check(sent)
    assert HOSTILE not in statement.text


def test_a_node_that_a_load_deleted_meanwhile_is_a_clear_error() -> None:
    with pytest.raises(IncompleteDataset, match="the data changed while the query ran"):
        NodeCells()[5]
