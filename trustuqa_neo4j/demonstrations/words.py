"""Words, marked names and numbers of a question, and the similarity of words and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from ..lexicon.words import WORDS
from ..matching import SMALL_WORDS, normalize_name
from ..values import Value, read_value

# Normalization keeps each word one word, so a run of words normalizes to the texts of its words.
# Brackets or quotes mark a part of a question as a name.

_WORD = re.compile(
    r"['’]s\b(?![-'’])|\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"""\[(?P<a>[^\[\]]+(?:\[[^\[\]]*\][^\[\]]*)*)\] | "(?P<b>[^"]+)" | “(?P<c>[^”]+)” | „(?P<d>[^“”]+)[“”]
    | «(?P<e>[^»]+)» | `(?P<f>[^`]+)` | (?<![^\s(])['‘](?P<g>\S(?:[^'’]|['’](?=\w))*)['’](?!\w)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedName:
    """A name in brackets or quotes: the text inside, and the position including the marks."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QuestionWords:
    text: str
    words: tuple[Word, ...]
    marked_names: tuple[MarkedName, ...]

    def text_between(self, first: int, last: int) -> str:
        return self.text[self.words[first].start : self.words[last - 1].end]


def split_question(question: str) -> QuestionWords:
    words = tuple(
        Word(part, match.start(), match.end())
        for match in _WORD.finditer(question)
        for part in (normalize_name(match[0]),)
    )
    marked_names = tuple(
        MarkedName(text.strip(), match.start(), match.end())
        for match in _MARKED.finditer(question)
        for text in (match[match.lastgroup or 0],)
        if text.strip()
    )
    return QuestionWords(question, words, marked_names)


def mark_names(question: str, names: Iterable[str]) -> str:
    """Put brackets around each of ``names`` in the question, except inside marks."""
    markable = sorted((name for name in names if not set("[]") & set(name)), key=len, reverse=True)
    if not markable:
        return question
    marked_spans = [(part.start, part.end) for part in split_question(question).marked_names]
    name_pattern = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, markable))})(?!\w)", re.IGNORECASE
    )

    def bracket(match: re.Match[str]) -> str:
        is_marked = any(
            first < match.end() and match.start() < last for first, last in marked_spans
        )
        return match[0] if is_marked else f"[{match[0]}]"

    return name_pattern.sub(bracket, question)


_NUMBER_WORDS = (WORDS.numbers.cardinals, WORDS.numbers.ordinals, WORDS.numbers.frequencies)


def read_number_or_date(text: str) -> Value | None:
    """Read a number or date in digits or words; None for other text."""
    word = text.strip().casefold()
    number = next((table[word] for table in _NUMBER_WORDS if word in table), None)
    return Value(float(number)) if number is not None else read_value(text)


def find_initialisms(words: Sequence[str]) -> frozenset[str]:
    """Abbreviations of several words: ``united states of america`` gives ``usa`` and ``us``."""
    all_initials = "".join(word[0] for word in words)
    main_initials = "".join(word[0] for word in words if word not in SMALL_WORDS)
    return frozenset(s for s in (all_initials, *accumulate(main_initials)) if len(s) > 1)


FULL_MATCH, PARTIAL_MATCH = 2.0, 1.0
"""Match scores: all stems are equal; an abbreviation or an inflected form. A part of a name scores less."""
_MIN_NAME_SHARE = 0.25  # A part of a name needs this share of its letters (``einstein``).
_MIN_PART_LETTERS = 3
_MIN_NAME_PREFIX = 4
"""Letters that a word shares with the beginning of a name of one word (``nigerians``)."""
_MIN_STEM_PREFIX = 5
"""Words with a common prefix of this length are forms of one word (``directed``, ``director``)."""
PREFIX_SIMILARITY = 0.7
_SILENT_E = re.compile(r"[^e]e$")  # of *sue*, *sued*; *see* and *seed* are two words
_VERB_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|er|e)$")


@lru_cache(maxsize=65_536)
def stem_similarity(stem: str, other_stem: str) -> float:
    """1.0 for equal stems, ``PREFIX_SIMILARITY`` for forms of one word, else 0.0."""
    if stem == other_stem:
        return 1.0
    if len(stem) < _MIN_STEM_PREFIX or len(other_stem) < _MIN_STEM_PREFIX:
        short, long = sorted((stem, other_stem), key=len)
        is_form = _VERB_ENDING.sub("", short) == _VERB_ENDING.sub("", long) or (
            long == f"{short}d" and _SILENT_E.search(short) is not None
        )
    else:
        is_form = stem[:_MIN_STEM_PREFIX] == other_stem[:_MIN_STEM_PREFIX]
    return PREFIX_SIMILARITY if is_form else 0.0


def name_match_score(words: Sequence[str], name: Sequence[str]) -> float:
    """Score how well stems match the stems of a name as a form or a part of it; 0 if they do not."""
    words, name = tuple(words), tuple(name)
    if words == name:
        return FULL_MATCH
    if len(words) == len(name) == 1:
        prefix_length = max(_MIN_NAME_PREFIX, len(name[0]) - 2)
        return (
            PARTIAL_MATCH
            if words[0][:prefix_length] == name[0][:prefix_length]
            and len(words[0]) >= prefix_length
            else 0.0
        )
    if len(words) == 1 and len(name) > 1 and words[0] in find_initialisms(name):
        return PARTIAL_MATCH
    if not any(
        name[position : position + len(words)] == words
        for position in range(len(name) - len(words) + 1)
    ):
        return 0.0
    letters = sum(map(len, words))
    share = letters / sum(map(len, name))
    return share if share >= _MIN_NAME_SHARE and letters >= _MIN_PART_LETTERS else 0.0
