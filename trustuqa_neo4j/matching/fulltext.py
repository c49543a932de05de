"""Full-text queries in Lucene's syntax for names and questions.

Each word of a name may differ in some letters (``~``); two words may be one and one may be two. Text from
outside becomes words of lower-case letters and digits, or quoted phrases: nothing in it acts as an operator.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from .normalize import MAX_NORMALIZED_LENGTH, normalize_name

_MAX_WORDS = 8  # The longest words are searched: a fuzzy word expands to up to fifty.
_MAX_QUESTION_WORDS = 60
_MAX_QUESTION_LENGTH = 1_000
_SPLIT = range(5, 17)  # Lengths of words that may be two words.

_WORD = re.compile(r"[^\W_]+")


def build_name_query(name: str, datasets: Sequence[str]) -> str:
    """The query for names similar to ``name``; empty for a name without letters and digits."""
    name = name[:MAX_NORMALIZED_LENGTH].encode("utf-8", "replace").decode()  # no lone surrogates
    words = _choose_longest(_WORD.findall(name.lower()))
    if not words:
        return ""
    parts = dict.fromkeys(
        [
            _quote(name),
            *(_make_fuzzy(word) for word in words),
            *(_make_fuzzy(word) for word in normalize_name(name).split()[:_MAX_WORDS]),
            *(_make_fuzzy(first + second) for first, second in pairwise(words)),
            *(part for word in words for part in _split_word(word)),
        ]
    )
    return f"+name:({' '.join(parts)}) {_filter_datasets(datasets)}"


def build_question_query(question: str, datasets: Sequence[str]) -> str:
    """The query for question patterns with words of ``question``; empty for a question without words.

    Longer words may differ in one letter. Words of scripts without spaces are also searched unchanged: the
    index splits them into single characters.
    """
    text = question[:_MAX_QUESTION_LENGTH].encode("utf-8", "replace").decode().lower()
    words = [*dict.fromkeys(_WORD.findall(text))][:_MAX_QUESTION_WORDS]
    if not words:
        return ""
    parts = [word if len(word) < 5 else f"{word}~1" for word in words]
    parts += [word for word in words if len(word) > 4 and unicodedata.category(word[0]) == "Lo"]
    return f"+words:({' '.join(parts)}) {_filter_datasets(datasets)}"


def build_words_query(words: Sequence[str], dataset: str) -> str:
    """The query for names of ``dataset`` with some of the normalized ``words``, spelt like this."""
    return f"+name:({' '.join(map(_quote, words))}) {_filter_datasets((dataset,))}"


def _filter_datasets(datasets: Sequence[str]) -> str:
    """Without weight: the dataset says nothing about the similarity of a text."""
    return f"+dataset:({' '.join(map(_quote, datasets))})^0"


_FILTER = re.compile(r"\+dataset:\((.*)\)\^0$", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def rename_datasets(query: str, rename: Callable[[str], str]) -> str:
    """Replace the names of datasets in a query that was built here; other queries stay as they are."""
    match = _FILTER.search(query)
    if match is None:
        return query
    names = [re.sub(r"\\(.)", r"\1", name) for name in _QUOTED.findall(match[1])]
    return query[: match.start()] + _filter_datasets([rename(name) for name in names])


def _choose_longest(words: list[str]) -> list[str]:
    chosen = sorted(range(len(words)), key=lambda place: -len(words[place]))[:_MAX_WORDS]
    return [words[place] for place in sorted(chosen)]


def _make_fuzzy(word: str) -> str:
    """Allow as many changed letters as leave the word recognisable."""
    return word if len(word) < 3 else f"{word}~1" if len(word) < 6 else f"{word}~2"


def _split_word(word: str) -> Iterator[str]:
    """The word as two words, or as single characters if its script has no spaces.

    A letter may be in the place of the space.
    """
    if unicodedata.category(word[0]) == "Lo":
        yield from word[:_MAX_WORDS]
    elif len(word) in _SPLIT:
        for cut in range(2, len(word) - 1):
            yield f"(+{word[:cut]} +({word[cut:]} {word[cut + 1 :]}))"


def _quote(text: str) -> str:
    r"""A phrase; only ``\`` and ``"`` have a meaning in it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
