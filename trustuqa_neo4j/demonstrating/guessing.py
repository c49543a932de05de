"""Words that nothing is called, where a blank needs a name: the nearest that can stand there."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiling import Program
from ..dataset import Scope
from ..looking import Pool, near_nodes
from .blanks import Blank, Role

NEAR = 0.7
"""A name is guessed from this nearness on: only the words speak for it, no model that read the question."""
_TOLD, _MOST = 0.25, 3
"""Names that are told where none is near enough: from which nearness on, and how many."""
_MANY = 1_000_000
"""Facts of relations of which nothing is known: the indexes of names are asked first."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Words that were read as a name, and how near it is."""

    said: str
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that no name is near enough to, and the names that are nearest."""

    said: str
    nearest: tuple[str, ...] = ()

    @property
    def capital(self) -> bool:
        """Whether they are written as a name: each word begins with a capital, or is a number."""
        words = self.said.split()
        return words[0][0].isupper() and all(w[0].isupper() or w[0].isdigit() for w in words)


def guess(said: str, blank: Blank, scope: Scope, embedded: bool) -> Program[Guess | Unknown]:
    """The nearest name in the first role of the blank."""
    role = blank.roles[0] if blank.roles else Role((), "any")
    pool = Pool(role.relations, role.side, scope.source, _MANY)
    near = yield from near_nodes(said, scope.datasets, pool, embedded)
    if not near or near[0].score < NEAR:
        told = dict.fromkeys(one.name for one in near if one.score >= _TOLD)
        return Unknown(said, tuple(told)[:_MOST])
    return Guess(said, near[0].name, near[0].score)
