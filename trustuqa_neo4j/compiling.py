"""Searching operation → the name of a statement and its parameters.

Text of a query never becomes text of a statement: a statement is a file of ``cypher/``, and what was
asked goes in as parameters. So the statements are few, always in the server's plan cache, and nothing
can be injected.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .planning import Search

T = TypeVar("T")
Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """A statement to run, by name, with its parameters; the reply is its rows."""

    statement: str
    parameters: Mapping[str, Any]


Program: TypeAlias = Generator[Read, list[Row], T]
"""Yields statements, is sent their rows, returns a T."""


def compile_search(
    search: Search, relations: Sequence[str], nodes: Sequence[int], source: str | None
) -> Read:
    """The statement for ``search`` with ``relations`` and ``nodes`` in the places of its names."""
    parameters = {"nodes": list(nodes), "relations": list(relations), "source": source}
    return Read(search.operation, parameters)
