"""``Reader``: runs statements of ``cypher/`` by name.

The text of a query becomes a parameter, never a part of a statement. So the statements are few, remain in the
plan cache of the server, and allow no injection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model that the database has vectors of: ``datasets`` are those whose names have its vectors.

    The indexes are ``by dataset``, ``alone`` (they cannot filter) or None. ``number`` is part of the names of
    its statements.
    """

    number: int
    identity: str
    dimension: int
    name_index: str | None = None
    pattern_index: str | None = None
    datasets: Sequence[str] = ()


def name_for_model(statement: str, number: int) -> str:
    """Return the name of the statement that uses the vectors of the model with this number."""
    return f"{statement}@{number}" if number else statement


class Reader(Protocol):
    """Runs statements in one read transaction, and embeds texts with the model of the client."""

    def run(self, name: str, /, **parameters: Any) -> list[Row]: ...

    def find_model(self) -> StoredModel | None:
        """Return the model of this client; None without one, or if the database has no vectors of it."""

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text; an empty list if ``find_model`` finds none."""
        ...


@dataclass(frozen=True)
class InnerReader:
    """Has the model of another reader, whose statements a subclass runs."""

    reader: Reader

    def find_model(self) -> StoredModel | None:
        return self.reader.find_model()

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return self.reader.encode(texts)


@dataclass(frozen=True)
class MemoReader(InnerReader):
    """Runs no statement twice with the same parameters: the queries of one question have steps in common.

    Its rows stay in memory, and belong to several readers, who must not change them.
    """

    replies: dict[tuple[str, str], list[Row]] = field(default_factory=dict)

    def run(self, name: str, /, **parameters: Any) -> list[Row]:
        key = (name, repr(sorted(parameters.items())))
        if key not in self.replies:
            self.replies[key] = self.reader.run(name, **parameters)
        return self.replies[key]

    def add(self, rows: list[Row], name: str, /, **parameters: Any) -> None:
        """Add the rows of a statement that another one has brought."""
        self.replies[name, repr(sorted(parameters.items()))] = rows


_OF_CATALOGUE = frozenset(("describe_dataset", "describe_sources"))


class CatalogueReader(MemoReader):
    """Runs each statement about the catalogue once in a transaction."""

    def run(self, name: str, /, **parameters: Any) -> list[Row]:
        if name in _OF_CATALOGUE:
            return super().run(name, **parameters)
        return self.reader.run(name, **parameters)
