"""Names that the caller says a question means → the things that they are, in the data that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compiling import Program
from ..dataset import Scope
from ..demonstrating.guessing import NEAR
from ..looking import Pool, near_nodes
from ..mapping import fold
from .dialogue import enter

_MANY = 1_000_000
"""Facts that may lead to the thing, which nobody counted: the indexes of names are asked first."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as it was given, and what it is called by; no ``nodes`` where nothing is called nearly so."""

    given: str
    nodes: tuple[int, ...] = ()
    called: str = ""

    def __str__(self) -> str:
        return (
            f"{self.given!r} is {self.called!r}"
            if self.nodes
            else f"nothing is near {self.given!r}"
        )


def find_entities(names: Sequence[str], scope: Scope) -> Program[tuple[Entity, ...]]:
    """What each of ``names`` is: all things called so, else the nearest; ``scope`` is entered with it.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset
    """
    known = yield from enter(scope, names)
    found: list[Entity] = []
    for name in names:
        rungs = known.things[name]
        if rungs:
            found.append(Entity(name, rungs[0].nodes, rungs[0].names[0]))
        else:
            found.append((yield from _nearest(name, scope)))
    return tuple(found)


def _nearest(name: str, scope: Scope) -> Program[Entity]:
    near = yield from near_nodes(name, scope.datasets, Pool((), "any", scope.source, _MANY), True)
    if not near or near[0].score < NEAR:
        return Entity(name)
    # Names that differ by what seldom counts are as near as each other, and come in any order.
    best = sorted((one.name, one.node) for one in near if fold(one.name) == fold(near[0].name))
    return Entity(name, tuple(node for _, node in best if node is not None), best[0][0])
