"""Typing errors in the words of the lexicon and of headers: *higest* for *highest*, *salery* for *salary*.

Names are matched with the data, which tolerates typing errors by itself. The other words of a question are
corrected here, if nothing explains them. Only one correct word may be near, with the same first letter:
*cost* is not *coast* with certainty, so the answer names each correction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from rapidfuzz.distance import OSA, Hamming

from ..deadline import count_steps
from ..lexicon.forms import stem
from ..lexicon.lexicon import load_graph_lexicon, load_lexicon, strip_verb_ending
from ..lexicon.words import WORDS
from ..matching import NameMatch, split_words
from .question import GRAMMAR_WORDS, PlainQuestion

_MIN_LETTERS = 5  # of the correct word: shorter words have too many neighbours
_LETTERS_PER_EDIT = 8  # from so many letters on, two edits
_STEPS_PER_HEADER_WORD = 5
_MIN_EXCHANGED = 6  # letters of a word that is corrected by the exchange of one


def correct_spelling(
    question: PlainQuestion, unexplained: Collection[str], headers: Collection[str] = ()
) -> tuple[str, tuple[NameMatch, ...]]:
    """Return the question with its ``unexplained`` words corrected, and each correction.

    ``headers`` are the names of columns and relations.
    """
    words = {word for header in headers for word in split_words(header)}
    count_steps(_STEPS_PER_HEADER_WORD * len(words))
    concepts = load_graph_lexicon().concept_words
    related = {synonym for word in words for synonym in concepts(word)}
    forms = {form for word in words | related for form in (word, *_inflect(word))}
    vocabulary = _lexicon_words() | set(filter(_is_long, forms))
    corrections: dict[int, NameMatch] = {}
    for position, word in enumerate(question.words):
        if word in unexplained and position not in question.names:
            correct = _find_correction(word, vocabulary) if word not in words else None
            if correct is not None:
                similarity = OSA.normalized_similarity(word, correct)
                written = question.written[position]
                corrections[position] = NameMatch(written, correct, "nearest", similarity)
    text, end = [], 0
    for position, match in corrections.items():
        start = question.starts[position]
        text += [question.text[end:start], match.used]
        end = start + len(match.given)
    return "".join((*text, question.text[end:])), tuple(corrections.values())


def _inflect(word: str) -> Iterator[str]:
    """Yield the forms that a verb would have, or a noun: *presented*, *winners*."""
    yield f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    root = word.removesuffix("e")
    yield f"{root}ed"
    yield f"{root}ing"


def is_misspelt(word: str) -> bool:
    """True if ``word`` is a word of the lexicon with a typing error."""
    return _find_correction(word, _lexicon_words()) is not None


def _find_correction(word: str, vocabulary: Collection[str]) -> str | None:
    if not word.isalpha() or word in _known_words():
        return None
    count_steps(len(vocabulary) // 8)
    near = [
        (OSA.distance(word, candidate), candidate)
        for candidate in vocabulary
        if candidate[0] == word[0] and abs(len(candidate) - len(word)) <= 2
    ]
    near.sort()
    nearest = [candidate for distance, candidate in near if distance == near[0][0]]
    if not near or len(set(map(_strip_form, nearest))) > 1:
        return None
    distance, candidate = near[0]
    is_short = len(word) == len(candidate) < _MIN_EXCHANGED
    if is_short and Hamming.distance(word, candidate) == 1:
        return None  # *shirt* is not *short*
    return candidate if distance <= 1 + (len(candidate) >= _LETTERS_PER_EDIT) else None


def _strip_form(word: str) -> str:
    return strip_verb_ending(stem(word))


@cache
def _known_words() -> frozenset[str]:
    """Words without an error: *starred* is not *started*, nor *three* *there*, whatever the data have."""
    vocabularies = (load_lexicon().vocabulary, load_graph_lexicon().vocabulary)
    numbers = (*vars(WORDS.numbers).values(), WORDS.times.date_parts)
    return GRAMMAR_WORDS.union(_lexicon_words(), *vocabularies, *numbers)


@cache
def _lexicon_words() -> frozenset[str]:
    lexicon = load_graph_lexicon()
    words = {word for phrase in lexicon.operators for word in phrase.split()}
    words.update(lexicon.dimensions, WORDS.grammar.correctable, WORDS.times.months)
    return frozenset(filter(_is_long, words))


def _is_long(word: str) -> bool:
    return len(word) >= _MIN_LETTERS and word.isalpha()
