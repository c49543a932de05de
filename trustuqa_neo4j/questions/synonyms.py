"""Finds the synonyms of a dataset in a question, and replaces them by the words of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..demonstrations.words import QuestionWords, split_question
from ..lexicon.forms import stem
from ..matching.normalize import split_words
from ..model.dataset import Synonym

_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]")


def replace_synonyms(question: str, synonyms: Sequence[Synonym]) -> str:
    """Return ``question`` with each phrase replaced by its meaning."""
    replaced: list[str] = []
    end = 0
    for start, stop, synonym in _locate_synonyms(question, synonyms):
        replaced += [question[end:start], _meaning(synonym)]
        end = stop
    return "".join((*replaced, question[end:]))


def find_synonyms(question: str, synonyms: Sequence[Synonym]) -> tuple[Synonym, ...]:
    """Return the synonyms in ``question``, each once."""
    located = _locate_synonyms(question, synonyms)
    return tuple(dict.fromkeys(synonym for _, _, synonym in located))


def _locate_synonyms(
    question: str, synonyms: Sequence[Synonym]
) -> Iterator[tuple[int, int, Synonym]]:
    """Yield start, end and synonym of each phrase, the longest phrase at a place.

    Names stay: text in quotes or brackets, and capitalised words unless the whole question is capitals or
    starts with them.
    """
    parts = split_question(question)
    by_phrase = {_stems(synonym.phrase.split()): synonym for synonym in synonyms}
    longest = max(map(len, by_phrase), default=0)
    first = 0
    while first < len(parts.words):
        next_word = first + 1
        for last in range(min(first + longest, len(parts.words)), first, -1):
            synonym = by_phrase.get(_stems([word.text for word in parts.words[first:last]]))
            if synonym is not None and not _is_name(parts, first, last, synonym):
                yield parts.words[first].start, parts.words[last - 1].end, synonym
                next_word = last
                break
        first = next_word


def _stems(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(stem, words))


def _meaning(synonym: Synonym) -> str:
    if synonym.kind == "name":
        return synonym.name
    # *directed by* of ``film.directed_by``, without capitals, which would look like a name, and without
    # the unit of ``Length (min)``, which would be read as *minimum*.
    name = _BRACKETS.sub("", synonym.name)
    return " ".join(split_words(name.split(".")[-1])) or synonym.name


def _is_name(parts: QuestionWords, first: int, last: int, synonym: Synonym) -> bool:
    start, end = parts.words[first].start, parts.words[last - 1].end
    if any(name.start < end and start < name.end for name in parts.marked_names):
        return True
    text = parts.text
    if synonym.kind == "name" or first == 0 or text == text.upper():
        return False
    return any(text[word.start].isupper() for word in parts.words[first:last])
