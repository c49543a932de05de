"""The similarity of names: by letters and, with vectors, by meaning.

The score is the mean of two cosines, of the trigrams and of the vectors. It is higher for a name with all
words (``Italy``: ``Italy (ITA)``) or the initials (``CMU``) of the other, and highest for a typo. Numbers
must be the same. ``docs/name-resolution.md`` has the measurements against other scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from math import sqrt

from rapidfuzz.distance import OSA

from .normalize import normalize_name

# The least score of a match for relations, columns and classes, with vectors and by letters alone.
RELATION_THRESHOLD = 0.5
RELATION_THRESHOLD_BY_LETTERS = 0.45
COLUMN_THRESHOLD = 0.27  # In one table: among few columns the nearest is more often correct.
TARGET_THRESHOLD = 0.2  # A target type that asks for a number is a phrase, not a name.
TARGET_THRESHOLD_OF_NAMES = 0.29  # Any other target type.
VALUE_THRESHOLD = 0.5  # Of nodes, for the score and for the spelling: meaning is not enough.
CELL_THRESHOLD = 0.1  # In a column of one table that is not a closed list of names.
CLOSED_LIST_REPEATS = 1.5  # A closed list has each of its values in this many rows on average.
MIN_CLOSED_LIST = 3  # Values of a closed list, at least.
MAX_NAME_WORDS = 3  # Words of a name in a column that names each row once, on average at most.
SURE = 0.8  # From this score on, a name is a misspelling. Below, the confidence falls.

_TYPO_SCORE = 0.9  # typos score higher, all other names lower
_BONUS_CONTAINS = 0.15
_BONUS_PART = -0.05
_BONUS_INITIALS = 0.35
_FACTOR_OTHER_NUMBERS = 0.4
_MAX_INITIALS = 6
SMALL_WORDS = frozenset(("a", "and", "at", "de", "for", "in", "la", "of", "the"))
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class ScoredName:
    """A name, the id of its node if it has one, and its similarity from 0 to 1.

    ``spelling`` is the similarity without vectors. All words of the name, or initials, are enough of it.
    """

    name: str
    node: int | None
    score: float
    spelling: float = 1.0


def score_names(
    name: str,
    pool: Sequence[tuple[int | None, str]],
    cosines: Sequence[float | None] | None = None,
    *,
    is_schema: bool = False,
) -> list[ScoredName]:
    """The names of ``pool`` by their similarity to ``name``, best first.

    ``cosines`` are the similarities of the vectors of ``name`` and of each name in the pool. Names of a
    schema are the same for many questions, so their spelling is remembered.
    """
    scorer = _Scorer(normalize_name(name))
    known_cosines = [None] * len(pool) if cosines is None else cosines
    read_spelling = _remember_spelling if is_schema else _read_spelling
    scored = [
        ScoredName(candidate, node, *scorer.score(read_spelling(candidate), cosine))
        for (node, candidate), cosine in zip(pool, known_cosines, strict=True)
    ]
    return sorted(scored, key=lambda near: -near.score)


def suggest_names(
    name: str, candidates: Iterable[str], most: int = 3, cutoff: float = 0.5
) -> list[str]:
    by_normalized = {normalize_name(candidate): candidate for candidate in candidates}
    near = get_close_matches(normalize_name(name), by_normalized, most, cutoff)
    return [by_normalized[normalized] for normalized in near]


def ask_for_nearest(name: str, candidates: Iterable[str]) -> str:
    """``did you mean 'votes'? `` for a misspelt name, nothing if none is near."""
    near = suggest_names(name, candidates, most=1)
    return f"did you mean {near[0]!r}? " if near else ""


def sort_by_similarity(name: str, candidates: Iterable[str]) -> list[str]:
    """Sort by similarity to ``name``; equal scores keep their order."""
    pool = [(None, candidate) for candidate in candidates]
    return [scored.name for scored in score_names(name, pool)]


def is_near_value(near: ScoredName, has_vectors: bool, is_open_column: bool = False) -> bool:
    if is_open_column:
        return near.score >= CELL_THRESHOLD
    is_near = near.score >= VALUE_THRESHOLD or not has_vectors
    return is_near and near.spelling >= VALUE_THRESHOLD


@dataclass(frozen=True, slots=True)
class _Spelling:
    name: str  # normalized
    trigrams: frozenset[str]
    numbers: frozenset[str]
    words: tuple[str, ...]


def _read_spelling(name: str) -> _Spelling:
    normalized = normalize_name(name)
    return _Spelling(
        normalized,
        _get_trigrams(normalized),
        _get_numbers(normalized),
        tuple(normalized.split()),
    )


_remember_spelling = lru_cache(maxsize=2_048)(_read_spelling)


class _Scorer:
    def __init__(self, name: str) -> None:
        self.name = name
        self.trigrams = _get_trigrams(name)
        self.words = frozenset(name.split())
        self.numbers = _get_numbers(name)
        self.max_typos = 0 if len(name) < 4 else 1 if len(name) < 8 else 2
        letters = name.replace(" ", "")
        self.initials = letters if 1 < len(letters) <= _MAX_INITIALS else ""

    def score(self, other: _Spelling, cosine: float | None) -> tuple[float, float]:
        """The similarity, and the similarity by spelling alone."""
        if other.name == self.name:
            return 1.0, 1.0
        letters = _cosine(self.trigrams, other.trigrams)
        score = letters if cosine is None else (letters + min(1.0, max(0.0, cosine))) / 2
        if not self.numbers <= other.numbers:
            return _FACTOR_OTHER_NUMBERS * score, _FACTOR_OTHER_NUMBERS * letters
        edits = OSA.distance(self.name, other.name, score_cutoff=self.max_typos)
        if edits <= self.max_typos and other.numbers == self.numbers:
            score = _TYPO_SCORE + (1 - _TYPO_SCORE) / 2 * (score + 2 - edits) / 2
            return score, score
        words = set(other.words)
        bonus = 0.0
        if self.words and self.words <= words:
            bonus += _BONUS_CONTAINS
            letters = max(letters, VALUE_THRESHOLD - _BONUS_CONTAINS)
        elif self.words > words:
            bonus += _BONUS_PART
        if self.initials and self.initials in _get_initials(other.words):
            bonus += _BONUS_INITIALS
            letters = max(letters, VALUE_THRESHOLD - _BONUS_INITIALS)
        return _limit(score + bonus), _limit(letters + bonus)


def _limit(score: float) -> float:
    return min(max(score, 0.0), _TYPO_SCORE)


def _get_trigrams(name: str) -> frozenset[str]:
    padded = f"  {name} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2)) if name else frozenset()


def _cosine(first: frozenset[str], second: frozenset[str]) -> float:
    shared = len(first & second)
    return shared / sqrt(len(first) * len(second)) if shared else 0.0


def _get_numbers(name: str) -> frozenset[str]:
    # As text: Python refuses to convert thousands of digits to a number.
    return frozenset(number.lstrip("0") for number in _NUMBERS.findall(name))


def _get_initials(words: Sequence[str]) -> tuple[str, ...]:
    """The initials of all words, of the large ones, and without a small first word; none for one word."""
    if len(words) < 2:
        return ()
    whole = "".join(word[0] for word in words)
    large = "".join(word[0] for word in words if word not in SMALL_WORDS)
    return whole, large, whole[words[0] in SMALL_WORDS :]
