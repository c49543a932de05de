"""Parts of texts that a question asks for: *titles containing love*, *names that start with A*.

A phrase has an operator of the query language, the text, and the positions of the question that say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ..language.lexer import TEXT_OPERATORS
from ..lexicon.words import WORDS
from .question import PlainQuestion

_MAX_WORDS = 6
_INTRODUCTIONS = WORDS.nouns.texts
_ARTICLES = WORDS.grammar.indefinite_articles
_ENDS = WORDS.grammar.text_ends
_BEARING = WORDS.grammar.bearing | WORDS.grammar.containing
_POSSESSIVES = WORDS.grammar.possessives | {"the"}


_NAMES = {(word,) for word in WORDS.nouns.names}  # of rows, whatever the column


@dataclass(frozen=True, slots=True)
class TextPhrase:
    """``place`` is the position of a column that the text is *in*, if the question names it."""

    operator: str
    text: str
    positions: frozenset[int]
    place: int | None = None


def find_text_phrases(question: PlainQuestion, named: Set[int]) -> Iterator[TextPhrase]:
    """Yield the phrases of a question; ``named`` are the positions of names of columns."""
    words = question.words
    for cue in question.cues:
        if cue.operator in TEXT_OPERATORS:
            start = _skip_introduction(words, cue.last)
            ends = _text_ends(words, start)
            for end in ends:
                yield _make_phrase(question, cue.operator, cue.first, start, end, named)
            if ends and words[ends[0] : ends[0] + 1] in (("and",), ("or",)):  # *'a' or 'd'*
                further = _skip_introduction(words, ends[0] + 1)
                for end in _text_ends(words, further):
                    yield _make_phrase(question, cue.operator, further, further, end, named)
    for end in range(len(words)):
        begin = next((p for p in range(end - 1, -1, -1) if words[p] in _BEARING), end)
        start = _skip_introduction(words, begin + 1)
        if words[start : start + 1] == ("no",):  # a negation, and no part of the text
            begin = start = start + 1
        if 0 < end - start <= _MAX_WORDS and _find_place(words, end, named):
            yield _make_phrase(question, "contains", begin, start, end, named)


def _make_phrase(
    question: PlainQuestion, operator: str, begin: int, start: int, end: int, named: Set[int]
) -> TextPhrase:
    """Make the phrase from ``begin``, whose text is between ``start`` and ``end``."""
    place = _find_place(question.words, end, named)
    positions = frozenset(range(begin, end if place is None else place + 1))
    column = place if place in named else None
    return TextPhrase(operator, question.written_between(start, end), positions, column)


def _skip_introduction(words: Sequence[str], start: int) -> int:
    """Skip *the word*, *the letter*, and *a* before a single letter."""
    while start < len(words) - 1 and words[start] in _INTRODUCTIONS:
        start += 1
    is_article = start < len(words) - 1 and words[start] in _ARTICLES
    return start + 1 if is_article and len(words[start + 1]) == 1 else start


def _text_ends(words: Sequence[str], start: int) -> tuple[int, ...]:
    """Return where a text can end: at the first word that may go on with the question, and at its end."""
    size = len(words)
    if start >= size:
        return ()
    first = next((p for p in range(start + 1, size) if words[p] in _ENDS), size)
    return tuple(dict.fromkeys(min(end, start + _MAX_WORDS) for end in (first, size)))


def _find_place(words: Sequence[str], start: int, named: Set[int]) -> int | None:
    """Return the position of the last word of *in the title* at ``start``; None for other words."""
    if tuple(words[start : start + 1]) != ("in",):
        return None
    position = start + 1
    if position < len(words) and words[position] in _POSSESSIVES:
        position += 1
    is_place = position in named or tuple(words[position : position + 1]) in _NAMES
    return position if is_place else None
