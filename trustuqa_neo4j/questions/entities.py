"""Entities that the caller names for a question → nodes in the scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..matching import normalize_name
from ..model.dataset import Scope
from ..reads.nearest import Pool, near_nodes
from ..reads.reader import Reader
from .context import enter_scope

# Assumed number of facts of any relation, so that the name indexes are searched first.
_MANY = 1_000_000
_MIN_SIMILARITY = 0.7  # strict, since no model read the question


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as ``text``, with its name in the data; without ``nodes`` if no name is similar."""

    text: str
    nodes: tuple[int, ...] = ()
    called: str = ""

    def __str__(self) -> str:
        return (
            f"{self.text!r} is {self.called!r}" if self.nodes else f"nothing is near {self.text!r}"
        )


def find_entities(reader: Reader, texts: Sequence[str], scope: Scope) -> tuple[Entity, ...]:
    names = enter_scope(reader, scope, texts)
    entities: list[Entity] = []
    for text in texts:
        tiers = names.entities[text]
        if tiers:
            entities.append(Entity(text, tiers[0].nodes, tiers[0].names[0]))
        else:
            entities.append(_nearest(reader, text, scope))
    return tuple(entities)


def _nearest(reader: Reader, name: str, scope: Scope) -> Entity:
    near = near_nodes(reader, name, scope.datasets, Pool((), "any", scope.source, _MANY), True)
    if not near or near[0].score < _MIN_SIMILARITY:
        return Entity(name)
    # Names that differ by what seldom counts are as near as each other, and come in any order.
    best = sorted(
        (candidate.name, candidate.node)
        for candidate in near
        if normalize_name(candidate.name) == normalize_name(near[0].name)
    )
    return Entity(name, tuple(node for _, node in best if node is not None), best[0][0])
