"""Searches for similar names among the relations or the nodes of a pool.

All names of relations, and of nodes in a small pool, are scored. For a large pool the vector index and the
full-text index suggest nodes, and the pool filters them. The caller sets the threshold, and does not search
for numbers, dates and rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from typing import Any, Literal, TypeAlias

from ..ablation import SystemPart, is_left_out
from ..matching import ScoredName, build_name_query, score_names
from .reader import Reader, StoredModel, name_for_model

EXACT = 3_000  # Pools of up to this many nodes are scored whole.
SCANNED = 200_000  # Pools of up to this many facts are read, since they may have few nodes.

FIRST, MOST = 200, 3_200
ENOUGH = 20

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")

_BY_VECTOR = {"by dataset": "nearest_names_by_vector", "alone": "nearest_names_by_vector_pre_2026"}

NameCosines: TypeAlias = "dict[tuple[int, str], float | None]"


@dataclass(frozen=True, slots=True)
class Pool:
    """The nodes to search: ends of the facts of ``relations``, or without relations any named node.

    With a source, only its facts count. ``size`` is at most how many they can be, the number of
    those facts for instance. With ``nodes``, only these count.
    """

    relations: tuple[str, ...]
    side: Literal["tail", "head", "any"]
    source: str | None
    size: int
    nodes: frozenset[int] | None = None


def near_relations(
    reader: Reader, text: str, names: Sequence[str], embedded: bool
) -> list[ScoredName]:
    """Sort ``names`` of relations, columns or classes by similarity to ``text``.

    ``isMarriedTo`` is compared as three words.
    """
    if is_left_out(SystemPart.MAPPING):
        return []
    words, *spoken = map(_split_capitals, (text, *names))
    vectors = reader.encode((words, *spoken)) if embedded and names else []
    cosines = [sum(map(mul, vectors[0], vector)) for vector in vectors[1:]] if vectors else None
    scored = score_names(words, list(enumerate(spoken)), cosines, is_schema=True)
    return [
        ScoredName(names[near.node], None, near.score, near.spelling)
        for near in scored
        if near.node is not None
    ]


@lru_cache(maxsize=4_096)
def _split_capitals(name: str) -> str:
    return _CAPITAL.sub(" ", name)


def near_nodes(
    reader: Reader, text: str, scope_datasets: Sequence[str], pool: Pool, embedded: bool
) -> list[ScoredName]:
    """Sort the nodes of the pool by similarity to ``text``; the most similar name of a node counts."""
    if is_left_out(SystemPart.MAPPING):
        return []
    vectors = reader.encode((text,)) if embedded else []
    model = reader.find_model() if vectors else None
    look = _NameSearch(
        reader, text, list(scope_datasets), pool, model, vectors[0] if vectors else None
    )
    names = look.whole() if pool.size <= SCANNED else None
    if names is None:
        names = look.through_indexes()
        if len(names) < ENOUGH and pool.size > SCANNED:
            names = look.whole() or names
    best: dict[int | None, ScoredName] = {}
    for near in score_names(text, list(names), list(names.values())):
        best.setdefault(near.node, near)
    return list(best.values())


@dataclass(frozen=True, slots=True)
class _NameSearch:
    reader: Reader
    text: str
    datasets: list[str]
    pool: Pool
    model: StoredModel | None
    vector: list[float] | None

    @property
    def relations(self) -> list[str]:
        return [] if self.pool.side == "any" else list(self.pool.relations)

    @property
    def unbound(self) -> bool:
        return self.pool.side == "any" and self.pool.source is None

    def whole(self) -> NameCosines | None:
        parameters: dict[str, Any] = {"datasets": self.datasets, "limit": EXACT + 1}
        if self.pool.nodes is not None:
            nodes = sorted(self.pool.nodes)
        elif self.unbound:
            nodes = self.reader.run("candidate_pool_of_datasets", **parameters)[0]["nodes"]
        else:
            parameters |= {"relations": self.relations, "source": self.pool.source}
            rows = self.reader.run("candidate_pool_of_facts", side=self.pool.side, **parameters)
            nodes = rows[0]["nodes"]
        if len(nodes) > EXACT:
            return None
        return self._compare("names_of_nodes", nodes=nodes, vector=self.vector)

    def through_indexes(self) -> NameCosines:
        """Filter the names that the indexes suggest; ask for more if few are in the pool."""
        text = build_name_query(self.text, self.datasets)
        by_vector, embedded = "", []
        if self.model is not None:
            by_vector = _BY_VECTOR.get(self.model.name_index or "", "")
            embedded = [name for name in self.datasets if name in self.model.datasets]
        inside_names: NameCosines = {}
        looked_at: set[int] = set()
        limit = FIRST
        while True:
            brought: NameCosines = {}
            parameters: dict[str, Any] = {"limit": limit, "vector": self.vector}
            if by_vector and embedded:
                brought |= self._compare(by_vector, datasets=embedded, **parameters)
            if text:
                parameters |= {"datasets": self.datasets, "text": text}
                brought |= self._compare("nearest_names_by_text", **parameters)
            new = {node for node, _ in brought} - looked_at
            looked_at |= new
            inside = self._inside(sorted(new))
            inside_names |= {name: cosine for name, cosine in brought.items() if name[0] in inside}
            if len(inside_names) >= ENOUGH or not new or limit >= MOST:
                return inside_names
            limit *= 4

    def _compare(self, statement: str, **parameters: Any) -> NameCosines:
        """Read names with their similarity to the vector; those without one of the model have None."""
        number = self.model.number if self.model else 0
        rows = self.reader.run(name_for_model(statement, number), **parameters)
        # Neo4j returns the cosine as a similarity from 0 to 1.
        return {
            (node, name): None if similarity is None else 2 * similarity - 1
            for node, name, similarity in rows[0]["names"]
        }

    def _inside(self, nodes: list[int]) -> set[int]:
        if self.pool.nodes is not None:
            return set(nodes) & self.pool.nodes
        if not nodes or self.unbound:
            return set(nodes)
        parameters: dict[str, Any] = {"datasets": self.datasets, "nodes": nodes}
        parameters |= {"relations": self.relations, "source": self.pool.source}
        inside: set[int] = set()
        if self.pool.side != "head":
            inside.update(self.reader.run("nodes_with_incoming", **parameters)[0]["nodes"])
        if self.pool.side != "tail":
            inside.update(self.reader.run("nodes_with_outgoing", **parameters)[0]["nodes"])
        return inside
