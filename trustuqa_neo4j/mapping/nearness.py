"""How near names are to a given one: by letters and, where there are vectors, by meaning.

The score is the mean of two cosines, that of the sets of trigrams and that of the vectors, or the first
alone; it is raised for a name that holds all words of the given one (``Italy``: ``Italy (ITA)``) or has its
letters for initials (``CMU``). A slip of one or two letters comes before all of that. Numbers must be there:
``Apollo 11`` is not nearly ``Apollo 12``, nor ``Apollo``. Reciprocal ranks were tried in place of the mean
and BM25 in place of the trigrams' cosine; ``docs/mapping.md`` has the figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import sqrt

from rapidfuzz.distance import OSA

from .folding import fold

RELATION = 0.5
"""A relation, column or class is taken for a name from this score on, where there are vectors."""
RELATION_BY_LETTERS = 0.45
"""As ``RELATION``, where there are none."""
VALUE = 0.45
"""A node is taken for a name from this score on, where there are vectors."""
VALUE_BY_LETTERS = 0.4
"""As ``VALUE``, where there are none."""
COLUMN = 0.2
"""As ``RELATION``, of one table: with few columns to choose from, the nearest is oftener the one meant."""
CELL = 0.1
"""As ``VALUE``, in one column of one table."""

_SLIP = 0.9  # names a slip away lie above, all others below
_HOLDS = 0.15
_PART = -0.05
_INITIALS = 0.35
_OTHER_NUMBERS = 0.4
_MOST_INITIALS = 6
_SMALL_WORDS = frozenset(("a", "and", "at", "de", "for", "in", "la", "of", "the"))
_NUMBERS = re.compile(r"\d+")


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
    """All of ``pool``, best first; what is equally near stays in its order.

    ``cosines`` are those of the vectors of the given name and of each in the pool.
    """
    wanted = _Letters(fold(given))
    known = cosines if cosines is not None else [None] * len(pool)
    found = [
        Near(name, node, wanted.score(fold(name), cosine))
        for (node, name), cosine in zip(pool, known, strict=True)
    ]
    return sorted(found, key=lambda near: -near.score)


def suggestions(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that ``given`` may be a slip of, nearest first."""
    by_folded = {fold(name): name for name in known}
    near = get_close_matches(fold(given), by_folded, n=most, cutoff=0.5)
    return [by_folded[folded] for folded in near]


class _Letters:
    """What is compared of the given name, taken apart once."""

    def __init__(self, folded: str) -> None:
        self.folded = folded
        self.trigrams = _trigrams(folded)
        self.words = frozenset(folded.split())
        self.numbers = _numbers(folded)
        self.slips = 0 if len(folded) < 4 else 1 if len(folded) < 8 else 2
        together = folded.replace(" ", "")
        self.initials = together if 1 < len(together) <= _MOST_INITIALS else ""

    def score(self, other: str, cosine: float | None) -> float:
        """How near the folded name ``other`` is, from 0 to 1."""
        if other == self.folded:
            return 1.0
        score = _cosine(self.trigrams, _trigrams(other))
        if cosine is not None:
            score = (score + min(1.0, max(0.0, cosine))) / 2
        numbers = _numbers(other)
        if not self.numbers <= numbers:
            return _OTHER_NUMBERS * score
        edits = OSA.distance(self.folded, other, score_cutoff=self.slips)
        if edits <= self.slips and numbers == self.numbers:
            return _SLIP + (1 - _SLIP) / 2 * (score + 2 - edits) / 2
        words = other.split()
        if self.words and self.words <= set(words):
            score += _HOLDS
        elif self.words > set(words):
            score += _PART
        if self.initials and self.initials in _initials(words):
            score += _INITIALS
        return min(max(score, 0.0), _SLIP)


def _trigrams(folded: str) -> frozenset[str]:
    padded = f"  {folded} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2)) if folded else frozenset()


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0


def _numbers(folded: str) -> frozenset[str]:
    # As text: Python refuses to read thousands of digits as a number.
    return frozenset(number.lstrip("0") for number in _NUMBERS.findall(folded))


def _initials(words: Sequence[str]) -> tuple[str, ...]:
    """With all words, without small ones, and without the first if it is small; of one word none."""
    if len(words) < 2:
        return ()
    whole = "".join(word[0] for word in words)
    large = "".join(word[0] for word in words if word not in _SMALL_WORDS)
    return whole, large, whole[words[0] in _SMALL_WORDS :]
