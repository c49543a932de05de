"""Programs that look up names near a given one, where nothing stands for the very name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Literal

from .compiling import Encode, Program
from .mapping import Near, score_near


@dataclass(frozen=True, slots=True)
class Pool:
    """Where a name is looked for: what facts of the relations lead to, or out of; or any named node.

    ``size`` is about how many names there are: it decides how they are looked through.
    """

    relations: tuple[str, ...]
    side: Literal["tail", "head", "any"]
    source: str | None
    size: int


def near_relations(given: str, names: Sequence[str], embedded: bool) -> Program[list[Near]]:
    """All of ``names``, those of relations, columns or classes, nearest to ``given`` first."""
    rows = (yield Encode((given, *names))) if embedded and names else []
    cosines = [_dot(rows[0]["vector"], row["vector"]) for row in rows[1:]] if rows else None
    return score_near(given, [(None, name) for name in names], cosines)


def near_nodes(
    given: str, scope_datasets: Sequence[str], pool: Pool, embedded: bool
) -> Program[list[Near]]:
    """Nodes of the pool, nearest to ``given`` first."""
    rows = (yield Encode((given,))) if embedded and scope_datasets and pool.size else []
    return score_near(given, []) if rows else []


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two unit vectors."""
    cosine: float = sum(map(mul, one, other))
    return cosine
