"""The words of the language by subject: ``WORDS.grammar.auxiliaries``. Each is read when first needed."""

# Annotations of fields are types here and not texts, since ``load_words`` reads them.

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .chapters import load_words


@dataclass(frozen=True)
class GrammarWords:
    """Words that build a sentence, as ``normalize_name`` writes them: *don't* is ``dont``."""

    auxiliaries: frozenset[str]
    """Forms of *be*, *do* and *have*, and modal verbs."""

    do_forms: frozenset[str]
    """Forms of *do* before a subject."""

    negations: frozenset[str]
    """Words that negate or exclude."""

    comparisons: frozenset[str]
    """Words of phrases that compare, such as *at most*."""

    coordinations: frozenset[str]
    """Words that join or offer two."""

    question_words: frozenset[str]
    """Words with which questions begin."""

    optional: frozenset[str]
    """Other words that a question can have or lack without another meaning."""

    stop_words: frozenset[str]
    """Words that say how a question is built, not what it is about."""

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words that a question can have or lack; question words are compared apart."""
        return self.optional | self.auxiliaries | self.question_words


@dataclass(frozen=True)
class NumberWords:
    """Numbers in words."""

    cardinals: Mapping[str, int]
    """*two* and the like."""

    ordinals: Mapping[str, int]
    """*second* and the like."""

    frequencies: Mapping[str, int]
    """*twice* and the like."""


@dataclass(frozen=True)
class TimeWords:
    """Words for times."""

    months: tuple[str, ...]
    """Names of the months, in their order."""


@dataclass(frozen=True)
class NounWords:
    """Nouns by what they name."""

    amounts: frozenset[str]
    """Nouns of amounts: a number such as 1950 in a column of this name is not a year."""

    periods: frozenset[str]
    """Nouns of times: with one of them, a name of an amount names a time."""


class LanguageWords:
    """The words of the language, by subject."""

    @cached_property
    def grammar(self) -> GrammarWords:
        return load_words(GrammarWords, "grammar")

    @cached_property
    def numbers(self) -> NumberWords:
        return load_words(NumberWords, "numbers")

    @cached_property
    def times(self) -> TimeWords:
        return load_words(TimeWords, "times")

    @cached_property
    def nouns(self) -> NounWords:
        return load_words(NounWords, "nouns")


WORDS = LanguageWords()
