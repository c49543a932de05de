"""How surely words of a question mean words of a relation."""

from __future__ import annotations

from functools import lru_cache

from ..deadline import count_each
from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import Lexicon, skips_generation, strip_generation
from .question import GRAMMAR_WORDS, PlainQuestion

FORM, SYNONYM, INVERSE_SYNONYM, CONCEPT = 0.95, 0.8, 0.6, 0.78
_MIN_INITIALS = 3
_STEPS_PER_WORD = 5


def match_words(question: PlainQuestion, names: tuple[str, ...]) -> tuple[dict[int, float], float]:
    """Return the strength of each position that matches, and the share of ``names`` that are matched."""
    matches: dict[int, float] = {}
    matched = 0.0
    positions = [
        position
        for position, word in enumerate(question.words)
        if position in question.content or word in question.lexicon.synonyms
    ]
    for name in count_each(names, _STEPS_PER_WORD * len(positions)):
        best = 0.0
        for position in positions:
            word, phrase = (
                question.words[position],
                " ".join(question.words[position : position + 2]),
            )
            strength = max(
                word_similarity(question.lexicon, word, name),
                word_similarity(question.lexicon, phrase, name),
            )
            if strength:
                matches[position] = max(matches.get(position, 0.0), strength)
                best = max(best, strength)
        matched += best
    return matches, matched / max(1, len(names))


def is_related(lexicon: Lexicon, word: str, types: frozenset[str]) -> bool:
    """True if a synonym of ``word`` is one of ``types``: *directed* leads to a director."""
    return bool(lexicon.synonyms.get(word, frozenset()) & types)


def select_content_words(words: list[str]) -> tuple[str, ...]:
    content = tuple(word for word in words if word not in GRAMMAR_WORDS and len(word) > 1)
    return content or tuple(words)


@lru_cache(maxsize=1 << 16)
def word_similarity(lexicon: Lexicon, word: str, name: str) -> float:
    """Return how surely a word of a question means a word of a relation, from 0 to 1."""
    if not skips_generation(name):
        word = strip_generation(word)
    verb = name.partition(" ")[0]
    similarity = stem_similarity(stem(word), stem(verb))
    if similarity == 1.0:
        return similarity
    if lexicon.are_forms(word, verb):
        return FORM
    # Words of dimensions as written: *how long* asks for years, not for a year.
    if name in lexicon.related_words(word) or stem(name) in _synonym_stems(lexicon, word):
        return max(similarity, SYNONYM)
    if lexicon.share_concept(word, name):
        return max(similarity, CONCEPT)
    if stem(word) in _synonym_stems(lexicon, name):
        return max(similarity, INVERSE_SYNONYM)
    return similarity


def _synonym_stems(lexicon: Lexicon, word: str) -> set[str]:
    return {stem(synonym) for synonym in lexicon.synonyms.get(word, ())}


def find_initials(question: PlainQuestion, names: list[str]) -> frozenset[int]:
    """Return the positions of the initials of a relation: *CTO* for *chief technology officer*."""
    initials = "".join(name[0] for name in names)
    if len(initials) < _MIN_INITIALS:
        return frozenset()
    return frozenset(
        p for p, word in enumerate(question.words) if word in (initials, initials + "s")
    )
