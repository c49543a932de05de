"""``Reader``: runs statements of ``cypher/`` by name.

The text of a query becomes a parameter, never a part of a statement. So the statements are few, remain in the
plan cache of the server, and allow no injection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = dict[str, Any]


class Reader(Protocol):
    """Runs statements in one read transaction, and embeds texts with the model of the database."""

    def run(self, name: str, /, **parameters: Any) -> list[Row]: ...

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text; an empty list if the database has no vectors."""
