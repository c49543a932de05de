"""Searching operation → the name of a statement and its parameters.

Text of a query never becomes text of a statement: a statement is a file of ``cypher/``, and what was
asked goes in as parameters. So the statements are few, always in the server's plan cache, and nothing
can be injected.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .dataset import Scope
from .values import Value

T = TypeVar("T")
Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """A statement to run, by name, with its parameters; the reply is its rows."""

    statement: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Encode:
    """Texts to embed; the reply is a row ``{"vector": list of numbers}`` for each, or none at all."""

    texts: tuple[str, ...]


Request: TypeAlias = Read | Encode

Program: TypeAlias = Generator[Request, list[Row], T]
"""Yields statements to run and texts to embed, is sent the rows, returns a T."""

LIMIT = 1_000_000
"""Facts of a relation that are read at most, where nothing else is given."""


def out_of(scope: Scope, nodes: Sequence[int], relations: Sequence[str]) -> Read:
    """The paper's ``search_node``: facts of ``relations`` out of ``nodes``."""
    return Read("search_node", _from(scope, nodes, relations))


def into(scope: Scope, nodes: Sequence[int], relations: Sequence[str]) -> Read:
    """The paper's ``search_condition``: facts of ``relations`` into ``nodes``."""
    return Read("search_condition", _from(scope, nodes, relations))


def _from(scope: Scope, nodes: Sequence[int], relations: Sequence[str]) -> dict[str, Any]:
    return {"nodes": list(nodes), "relations": list(relations), "source": scope.source}


def all_of(scope: Scope, relations: Sequence[str]) -> Read:
    """All facts of ``relations``, up to ``LIMIT``."""
    return Read("search_relation", {**_of(scope), "relations": list(relations), "limit": LIMIT})


def held_in(scope: Scope, relations: Sequence[str], first: int, last: int) -> Read:
    """Facts of ``relations`` that held at some time from the day ``first`` to the day ``last``."""
    days = {"first": first, "last": last}
    return Read("held_in", {**_of(scope), "relations": list(relations), **days})


def relations_of(scope: Scope, heads: Sequence[int] | None, tails: Sequence[int] | None) -> Read:
    """The relations out of ``heads``, into ``tails``, or from the ones to the others."""
    source = {"source": scope.source}
    if tails is None:
        return Read("relations_out", {"heads": list(heads or ()), **source})
    if heads is None:
        return Read("relations_into", {"tails": list(tails), **source})
    return Read("relations_between", {"heads": list(heads), "tails": list(tails), **source})


def rows_holding(scope: Scope, nodes: Sequence[int]) -> Read:
    """The rows of tables that hold any of ``nodes``."""
    return Read("rows_holding", {"nodes": list(nodes), "source": scope.source})


def values_like(scope: Scope, value: Value) -> Read:
    """Values that are the same number, or whose dates lie within its days."""
    given = {"number": value.number, "first": value.start, "last": value.end}
    return Read("values_like", {"datasets": list(scope.datasets), **given})


def heads_of_source(scope: Scope) -> Read:
    """Everything that is head of a fact."""
    return Read("heads_of_source", _of(scope))


def _of(scope: Scope) -> dict[str, Any]:
    return {"datasets": list(scope.datasets), "source": scope.source}
