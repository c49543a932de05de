"""A question as its words, and the numbers, dates and marked names among them.

A word is what stays one when folded, so that any run of words folds to their texts. Brackets and quotes
around a part of a question say that it is a name, in whatever language and case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..mapping import fold
from ..values import Value, read_value

_WORD = re.compile(
    r"['’]s\b(?![-'’])|\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"""\[(?P<a>[^\[\]]+(?:\[[^\[\]]*\][^\[\]]*)*)\] | "(?P<b>[^"]+)" | “(?P<c>[^”]+)” | „(?P<d>[^“”]+)[“”]
    | «(?P<e>[^»]+)» | `(?P<f>[^`]+)` | (?<![^\s(])['‘](?P<g>\S(?:[^'’]|['’](?=\w))*)['’](?!\w)""",
    re.VERBOSE,
)

CARDINALS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
         "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
         "twenty")
    )
} | {word: 10 * tens for tens, word in enumerate(
        ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"), 3
    )}  # fmt: skip
"""Words for whole numbers."""

ORDINALS = {
    word: number
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
         "eleventh", "twelfth"), 1
    )
} | {"once": 1, "twice": 2}  # fmt: skip
"""Words for places in an order, and for how often."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, folded; where it stands in its question."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marked:
    """A part in brackets or quotes: its text without them, and where it stands with them."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Wording:
    """A question, its words in order, and its marked parts."""

    text: str
    words: tuple[Word, ...]
    marked: tuple[Marked, ...]

    def said(self, first: int, last: int) -> str:
        """The text from the word ``first`` to the word before ``last``, as it stands there."""
        return self.text[self.words[first].start : self.words[last - 1].end]


def read_words(question: str) -> Wording:
    """Take ``question`` apart."""
    words = tuple(
        Word(part, found.start(), found.end())
        for found in _WORD.finditer(question)
        for part in (fold(found[0]),)
    )
    marked = tuple(
        Marked(text.strip(), found.start(), found.end())
        for found in _MARKED.finditer(question)
        for text in (found[found.lastgroup or 0],)
        if text.strip()
    )
    return Wording(question, words, marked)


def mark(question: str, names: Iterable[str]) -> str:
    """``question`` with brackets around those of ``names`` that stand in it and have no marks yet."""
    wanted = sorted((name for name in names if not set("[]") & set(name)), key=len, reverse=True)
    if not wanted:
        return question
    taken = [(part.start, part.end) for part in read_words(question).marked]
    spoken = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)", re.IGNORECASE)

    def marked(found: re.Match[str]) -> str:
        inside = any(first < found.end() and found.start() < last for first, last in taken)
        return found[0] if inside else f"[{found[0]}]"

    return spoken.sub(marked, question)


def meant(text: str) -> Value | None:
    """The number or date that ``text`` says, in digits or words; None for any other text."""
    word = text.strip().casefold()
    number = CARDINALS.get(word, ORDINALS.get(word))
    return Value(float(number)) if number is not None else read_value(text)


def stem(word: str) -> str:
    """``word`` without what a plural adds: ``films`` is ``film``, ``countries`` is ``country``."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_SMALL = frozenset(("a", "and", "at", "de", "for", "in", "la", "of", "the"))


def initials(words: Sequence[str]) -> frozenset[str]:
    """What several words may be shortened to: ``united states of america`` is ``usa`` and ``us``."""
    whole = "".join(word[0] for word in words)
    large = "".join(word[0] for word in words if word not in _SMALL)
    return frozenset(s for s in (whole, *accumulate(large)) if len(s) > 1)
