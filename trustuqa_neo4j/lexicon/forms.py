"""Forms of English words: the stem of a noun, and what the name of an amount is."""

from __future__ import annotations

from collections.abc import Sequence

from .words import WORDS

_SIBILANTS = ("sses", "shes", "ches", "xes")


def stem(word: str) -> str:
    """``word`` without a plural ending: ``films`` is ``film``, ``countries`` is ``country``."""
    if word in WORDS.nouns.plurals:
        return WORDS.nouns.plurals[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(_SIBILANTS):
        return word[:-2]
    return word[:-1] if len(word) > 3 and has_plural_ending(word) else word


def join_singular(words: Sequence[str]) -> str:
    """Join words, the last one without a plural ending."""
    return " ".join((*words[:-1], stem(words[-1])))


def has_plural_ending(word: str) -> bool:
    """True if the final s is not part of the stem of ``word``."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def is_amount_name(words: Sequence[str]) -> bool:
    """True if the words of a name say that it is an amount: ``base salary``, but not ``year of sale``."""
    stems = {stem(word) for word in words}
    return not stems.isdisjoint(WORDS.nouns.amounts) and stems.isdisjoint(WORDS.nouns.periods)
