"""Words that a question or a demonstration has alone, and that change the meaning.

A score cannot show them: *who does not live in Paris* differs from its demonstration in little. So an answer
needs more than a score: negations, coordinations, numbers, names and the question word must agree. Without
a calibration, which shows how far wordings may differ, all other words of content must agree too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..language.ast import Literal, walk
from ..language.selectors import MOST
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from .alignment import Alignment, WordWeights
from .pattern_model import PatternModel
from .words import QuestionWords, stem_similarity

_OPEN_KINDS = frozenset(("what", "which", ""))
"""Questions with *which* ask for a person, a place or a time as well."""
_TYPED_KINDS = frozenset(("who", "when", "where"))
_GRAMMAR = WORDS.grammar
_COMPARISONS = WORDS.comparisons.greater | WORDS.comparisons.less | WORDS.comparisons.bounds
_ALWAYS_MEANT = _GRAMMAR.negations.union(
    _GRAMMAR.coordinations, _COMPARISONS - _GRAMMAR.function_words - MOST.keys()
)
_NUMBER_WORDS = (
    frozenset((*WORDS.numbers.cardinals, *WORDS.numbers.ordinals, *WORDS.numbers.frequencies))
    - _GRAMMAR.function_words
)
_stem = lru_cache(maxsize=8192)(stem)


@dataclass(frozen=True, slots=True)
class WordDifference:
    """Words that only the question has, and words that only the demonstration has."""

    question: tuple[str, ...] = ()
    demonstration: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.question or self.demonstration)

    def describe(self) -> str:
        parts = []
        if self.question:
            parts.append(f"not understood: {', '.join(map(repr, self.question))}")
        if self.demonstration:
            parts.append(f"not in the question: {', '.join(map(repr, self.demonstration))}")
        return "; ".join(parts)


def compare_words(
    model: PatternModel,
    alignment: Alignment,
    question: QuestionWords,
    weights: WordWeights,
    is_strict: bool,
) -> WordDifference:
    """Compare the words of a question, outside the filled slots, with those of a demonstration."""
    in_slots = {
        position
        for span in alignment.spans
        if span is not None
        for position in range(span.first, span.last)
    }
    outside = [position for position in range(len(question.words)) if position not in in_slots]
    question_words = [question.words[position].text for position in outside]
    template, template_stems = model.plain_words, model.plain_stems
    asked_kind, shown_kind = question_kind(question_words), _question_kind(template)
    if not _are_compatible(asked_kind, shown_kind):
        return WordDifference(
            (asked_kind,) if asked_kind else (), (shown_kind,) if shown_kind else ()
        )
    question_stems = tuple(map(_stem, question_words))
    extra = [
        question_words[number]
        for number in _words_without_partner(question_stems, template_stems, weights)
        if _is_always_meant(question_words[number])
        or _is_proper_name(question, outside[number])
        or (is_strict and question_words[number] not in _GRAMMAR.function_words)
    ]
    query_stems = _query_stems(model) if is_strict else frozenset()
    missing = [
        template[number]
        for number in _words_without_partner(template_stems, question_stems, weights)
        if _is_always_meant(template[number]) or _is_named(template[number], query_stems)
    ]
    return WordDifference(tuple(dict.fromkeys(extra)), tuple(dict.fromkeys(missing)))


def question_kind(words: Sequence[str]) -> str:
    """The word that says what is asked for, *how* with the next word; a verb for *yes* or *no*."""
    if any(pair == ("number", "of") for pair in pairwise(words)):
        return "how many"
    for position, word in enumerate(words):
        if word == "how" and position + 1 < len(words):
            return f"how {words[position + 1]}"
        if word in _GRAMMAR.question_words - {"whose"}:
            return "who" if word == "whom" else word
    return words[0] if words and words[0] in _GRAMMAR.auxiliaries else ""


_question_kind = lru_cache(maxsize=8192)(question_kind)
"""For the words of patterns, which come again with each question."""


def _are_compatible(kind: str, shown_kind: str) -> bool:
    kinds = {kind, shown_kind}
    is_open = bool(kinds & _OPEN_KINDS) and kinds <= _OPEN_KINDS | _TYPED_KINDS
    return len(kinds) == 1 or is_open or kinds <= _GRAMMAR.auxiliaries


def _words_without_partner(
    stems: Sequence[str], partners: Sequence[str], weights: WordWeights
) -> Iterator[int]:
    """Yield the positions of stems that have no equal or similar stem left among ``partners``."""
    remaining = list(partners)
    unmatched: list[int] = []
    for position, word in enumerate(stems):
        if word in remaining:
            remaining.remove(word)
        else:
            unmatched.append(position)
    for position in unmatched:
        word = stems[position]
        similar = next(
            (partner for partner in remaining if _is_similar(word, partner, weights)), None
        )
        if similar is None:
            yield position
        else:
            remaining.remove(similar)


def _is_similar(word: str, partner: str, weights: WordWeights) -> bool:
    if word in _ALWAYS_MEANT or partner in _ALWAYS_MEANT:
        return False
    return bool(stem_similarity(word, partner) or weights.similarity(word, partner))


def _is_always_meant(word: str) -> bool:
    """True for negations, coordinations, comparisons, numbers and months; *may* is mostly a verb."""
    return (
        word in _ALWAYS_MEANT
        or word in _NUMBER_WORDS
        or any(sign.isdigit() for sign in word)
        or (word in WORDS.times.months and word not in _GRAMMAR.auxiliaries)
    )


def _is_proper_name(question: QuestionWords, position: int) -> bool:
    """True in brackets or quotes, and for a capital that does not begin the question."""
    word = question.words[position]
    if any(name.start <= word.start and word.end <= name.end for name in question.marked_names):
        return True
    text = question.text[word.start : word.end]
    return (
        position > 0
        and text[0].isupper()
        and word.text not in _GRAMMAR.function_words - _GRAMMAR.auxiliaries
    )


def _query_stems(model: PatternModel) -> frozenset[str]:
    """The stems of the literals that stay in the query: its relations, columns and operators."""
    masked = {position for literal in model.masked.literals for position in literal.positions}
    return frozenset(
        stem(word)
        for step in model.parsed.steps
        for value in walk(step.value)
        if isinstance(value, Literal) and value.position not in masked
        for word in value.text.casefold().replace("_", " ").split()
    )


def _is_named(word: str, stems: Set[str]) -> bool:
    return word not in _GRAMMAR.function_words and any(
        stem_similarity(stem(word), s) for s in stems
    )
