"""How near names are to a given one: by letters and, where there are vectors, by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import sqrt

from rapidfuzz.distance import OSA

from .folding import fold

RELATION = 0.5
"""A relation, column or class is taken for a name from this score on, where there are vectors."""
RELATION_BY_LETTERS = 0.5
"""As ``RELATION``, where there are none."""
VALUE = 0.0
"""A node is taken for a name from this score on, where there are vectors."""
VALUE_BY_LETTERS = 0.0
"""As ``VALUE``, where there are none."""


@dataclass(frozen=True, slots=True)
class Near:
    """A name near a given one, with its node's id where it is a node's; how near, from 0 to 1."""

    name: str
    node: int | None
    score: float


def score_near(
    given: str,
    pool: Sequence[tuple[int | None, str]],
    cosines: Sequence[float | None] | None = None,
) -> list[Near]:
    """All of ``pool``, best first.

    ``cosines`` are those of the vectors of the given name and of each in the pool.
    """
    folded = fold(given)
    wanted = _trigrams(folded)
    found = []
    for place, (node, name) in enumerate(pool):
        other = fold(name)
        score = _cosine(wanted, _trigrams(other))
        cosine = cosines[place] if cosines is not None else None
        if cosine is not None:
            score = (score + max(0.0, cosine)) / 2
        if OSA.distance(folded, other, score_cutoff=2) <= 2:
            score = 0.9 + score / 10
        found.append(Near(name, node, score))
    return sorted(found, key=lambda near: -near.score)


def suggestions(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that ``given`` may be a slip of, nearest first."""
    by_folded = {fold(name): name for name in known}
    near = get_close_matches(fold(given), by_folded, n=most, cutoff=0.5)
    return [by_folded[folded] for folded in near]


def _trigrams(folded: str) -> frozenset[str]:
    padded = f"  {folded} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2)) if folded else frozenset()


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0
