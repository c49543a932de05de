"""Words that nothing is called, where a blank needs a name: the nearest that can stand there."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiling import Program
from ..dataset import Scope
from ..looking import Pool, near_nodes
from .blanks import Blank, Role

NEAR = 0.7
"""A name is guessed from this nearness on: only the words speak for it, no model that read the question."""
_MANY = 1_000_000
"""Facts of relations of which nothing is known: the indexes of names are asked first."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Words that were read as a name, and how near it is."""

    said: str
    name: str
    score: float


def guess(said: str, blank: Blank, scope: Scope, embedded: bool) -> Program[Guess | None]:
    """The nearest name in the first role of the blank; None where nothing is near enough."""
    role = blank.roles[0] if blank.roles else Role((), "any")
    pool = Pool(role.relations, role.side, scope.source, _MANY)
    near = yield from near_nodes(said, scope.datasets, pool, embedded)
    if not near or near[0].score < NEAR:
        return None
    return Guess(said, near[0].name, near[0].score)
