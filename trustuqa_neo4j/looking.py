"""Programs that look up the names nearest to a given one, where nothing stands for the very name.

Names of relations are few and are all scored. Nodes of a pool are too while they are few; of many, those
that the vector index and the full-text index bring are, kept to the pool. Neither index knows what facts
there are, so the more they are asked for the fewer of the pool they bring. The trace and the threshold are
the caller's; so is not to ask for numbers, dates and rows, which are never near anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any, Literal, TypeAlias

from .compiling import Encode, Program, Read, Row
from .mapping import Near, like, score_near

EXACT = 3_000
"""Pools of up to this many nodes are scored whole."""
SCANNED = 200_000
"""Pools of up to about this many facts are looked at first, whether they are so small: many facts may lead to
few nodes."""

FIRST, MOST = 200, 3_200
"""Names that an index is asked for at first, and at last where fewer than ``ENOUGH`` are of the pool."""
ENOUGH = 20

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")

_BY_VECTOR = {"by dataset": "near_by_vector", "alone": "near_by_vector_alone"}
"""How a vector index is asked, by its kind."""

Found: TypeAlias = "dict[tuple[int, str], float | None]"
"""The cosine, if there are vectors, of each name of a node."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Where a name is looked for: what facts of the relations lead to, or out of, or any named node.

    With a source, only its facts count. ``size`` is at most how many they can be, the number of
    those facts for instance.
    """

    relations: tuple[str, ...]
    side: Literal["tail", "head", "any"]
    source: str | None
    size: int


def near_relations(given: str, names: Sequence[str], embedded: bool) -> Program[list[Near]]:
    """All of ``names``, those of relations, columns or classes, nearest to ``given`` first.

    ``isMarriedTo`` is compared as three words.
    """
    wanted, *spoken = (_CAPITAL.sub(" ", name) for name in (given, *names))
    rows = (yield Encode((wanted, *spoken))) if embedded and names else []
    vectors = [row["vector"] for row in rows]
    cosines = [sum(map(mul, vectors[0], vector)) for vector in vectors[1:]] if vectors else None
    scored = score_near(wanted, list(enumerate(spoken)), cosines)
    return [Near(names[near.node], None, near.score) for near in scored if near.node is not None]


def near_nodes(
    given: str, scope_datasets: Sequence[str], pool: Pool, embedded: bool
) -> Program[list[Near]]:
    """Nodes of the pool, nearest to ``given`` first; each once, by the nearest of its names."""
    rows = (yield Encode((given,))) if embedded else []
    vector = rows[0]["vector"] if rows else None
    look = _Look(given, list(scope_datasets), pool, vector)
    found = (yield from look.whole()) if pool.size <= SCANNED else None
    if found is None:
        found = yield from look.through_indexes()
        if len(found) < ENOUGH and pool.size > SCANNED:
            found = (yield from look.whole()) or found
    best: dict[int | None, Near] = {}
    for near in score_near(given, list(found), list(found.values())):
        best.setdefault(near.node, near)
    return list(best.values())


@dataclass(frozen=True, slots=True)
class _Look:
    """One look for one name, with its vector if there is one."""

    given: str
    datasets: list[str]
    pool: Pool
    vector: list[float] | None

    @property
    def relations(self) -> list[str]:
        """Any node is one at the end of any fact."""
        return [] if self.pool.side == "any" else list(self.pool.relations)

    @property
    def unbound(self) -> bool:
        """Whether no fact has to be there."""
        return self.pool.side == "any" and self.pool.source is None

    def whole(self) -> Program[Found | None]:
        """All names of the pool; None where they are more than ``EXACT``."""
        given: dict[str, Any] = {"datasets": self.datasets, "limit": EXACT + 1}
        if self.unbound:
            read = Read("pool_of_datasets", given)
        else:
            given |= {"relations": self.relations, "source": self.pool.source}
            read = Read("pool_of_facts", given | {"side": self.pool.side})
        nodes = (yield read)[0]["nodes"]
        if len(nodes) > EXACT:
            return None
        return _names((yield Read("near_of_nodes", {"nodes": nodes, "vector": self.vector})))

    def through_indexes(self) -> Program[Found]:
        """Names of the pool among those that the indexes bring; more are asked for where few are."""
        text = like(self.given, self.datasets)
        by_vector = ""
        if self.vector is not None:
            kind = (yield Read("embedder", {}))[0]["index"]
            by_vector = _BY_VECTOR.get(kind, "")
        kept: Found = {}
        seen: set[int] = set()
        limit = FIRST
        while True:
            brought: Found = {}
            given = {"datasets": self.datasets, "limit": limit, "vector": self.vector}
            if by_vector:
                brought |= _names((yield Read(by_vector, given)))
            if text:
                brought |= _names((yield Read("near_by_text", given | {"text": text})))
            new = {node for node, _ in brought} - seen
            seen |= new
            inside = yield from self._inside(sorted(new))
            kept |= {name: cosine for name, cosine in brought.items() if name[0] in inside}
            if len(kept) >= ENOUGH or not new or limit >= MOST:
                return kept
            limit *= 4

    def _inside(self, nodes: list[int]) -> Program[set[int]]:
        """Those of the nodes that are of the pool."""
        if not nodes or self.unbound:
            return set(nodes)
        given = {"nodes": nodes, "relations": self.relations, "source": self.pool.source}
        inside: set[int] = set()
        if self.pool.side != "head":
            inside.update((yield Read("tails_among", given))[0]["nodes"])
        if self.pool.side != "tail":
            inside.update((yield Read("heads_among", given))[0]["nodes"])
        return inside


def _names(rows: list[Row]) -> Found:
    """Names with the cosine in place of the similarity that Neo4j tells (0 to 1)."""
    return {
        (node, name): None if similarity is None else 2 * similarity - 1
        for node, name, similarity in rows[0]["names"]
    }
