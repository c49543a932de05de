"""Finding existing names for a name in a query: the same, an equal one up to case, an alias, or a near one.

No I/O: the names that exist are passed in.
"""

from .candidates import MatchTier, NameCandidate, NameMatch, compute_certainty, match_tiers
from .fulltext import build_name_query, build_question_query, build_words_query
from .normalize import MAX_NORMALIZED_LENGTH, normalize_name, number_repeats, split_words
from .similarity import (
    SMALL_WORDS,
    ScoredName,
    ask_for_nearest,
    is_near_value,
    score_names,
    sort_by_similarity,
    suggest_names,
)

__all__ = [
    "MAX_NORMALIZED_LENGTH",
    "SMALL_WORDS",
    "MatchTier",
    "NameCandidate",
    "NameMatch",
    "ScoredName",
    "ask_for_nearest",
    "build_name_query",
    "build_question_query",
    "build_words_query",
    "compute_certainty",
    "is_near_value",
    "match_tiers",
    "normalize_name",
    "number_repeats",
    "score_names",
    "sort_by_similarity",
    "split_words",
    "suggest_names",
]
