"""A question and its query → both with the names they share as blanks.

``who directed [Alien]`` becomes ``who directed {0}`` and the query ``get_information(…, head_entity={0})``:
what is left is what demonstrations that differ by names alone have in common. Names, numbers and dates are
masked, relations and words that select are not. What stands in the query alone stays there as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ..language.functions import find
from ..language.parse import parse
from ..language.query import Call, Infix, Listing, Literal, LLMQuery, Value
from ..language.selectors import EXTREMES, MOST
from ..language.writing import Unwritable, quoted, write
from ..mapping import fold
from ..values import equal
from .likeness import alike
from .words import Wording, meant, read_words, stem

_THINGS = frozenset(
    ("head_entity", "tail_entity", "value", "row_number", "node2", "condition", "scope", "universe")
)
"""Parameters that name things; others name relations, or say how."""

_MARKED, _WRITTEN, _FOLDED, _VALUE = 6.0, 5.0, 4.0, 3.0
"""How sure it is that words say a literal, by how they do; less where they are only like it."""
_SAYS_NOTHING = frozenset(("yes", "no", "true", "false", "none", *MOST, *EXTREMES))
"""Words of the language, and what it answers: no names."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What one blank stands for: as the question says it, and as the query does.

    From the word ``first`` to before ``last``; ``places`` are positions of literals in the query.
    """

    said: str
    first: int
    last: int
    written: str
    places: frozenset[int]


@dataclass(frozen=True, slots=True)
class Masked:
    """A question and a query with blanks, ``{0}`` the first in the question.

    ``read`` is the query as read, None where it cannot be; ``words`` are those of the template. A name that
    is another way of writing the same one fills the same blank.
    """

    template: str
    query: str
    slots: tuple[Slot, ...] = ()
    read: LLMQuery | None = field(default=None, compare=False)
    words: tuple[str, ...] = ()


class _Span(NamedTuple):
    """Words of a question that may say a literal: the better the higher ``grade``, then the longer.

    Of numbers and dates the shorter is better.
    """

    grade: float
    first: int
    last: int


@lru_cache(maxsize=8192)
def mask(question: str, query: str) -> Masked:
    """Blank out what both share; a query that cannot be read shares nothing and stays as it is."""
    wording = read_words(question)
    read = parse(query)
    if not isinstance(read, LLMQuery):
        words = _template(wording, ())
        return Masked(" ".join(words), query, words=words)
    spans = _spans(wording, read)
    slots = tuple(
        Slot(wording.said(first, last), first, last, literals[0].text, _places(literals))
        for (first, last), literals in sorted(spans.items())
    )
    words = _template(wording, slots)
    return Masked(" ".join(words), _blanked(read, slots, query), slots, read, words)


def _places(literals: list[Literal]) -> frozenset[int]:
    return frozenset(literal.position for literal in literals)


def _blanked(read: LLMQuery, slots: tuple[Slot, ...], query: str) -> str:
    blanks = {place: f"{{{n}}}" for n, slot in enumerate(slots) for place in slot.places}
    try:
        return write(read, lambda each: blanks.get(each.position) or quoted(each.text))
    except Unwritable:
        return query


def _template(wording: Wording, slots: tuple[Slot, ...]) -> tuple[str, ...]:
    words: list[str] = []
    at = 0
    for number, slot in enumerate(slots):
        words += [word.text for word in wording.words[at : slot.first]]
        words.append(f"{{{number}}}")
        at = slot.last
    words += [word.text for word in wording.words[at:]]
    return tuple(words)


def _spans(wording: Wording, read: LLMQuery) -> dict[tuple[int, int], list[Literal]]:
    """Words of the question → the literals that they say; what is surest first, none overlapping."""
    by_text: dict[str, list[Literal]] = {}
    for literal in things(read):
        by_text.setdefault(literal.text, []).append(literal)
    options = sorted(
        ((span, text) for text in by_text for span in _saying(wording, text)),
        key=lambda option: (-option[0].grade, _length(option[0]), option[0].first),
    )
    taken: dict[tuple[int, int], list[Literal]] = {}
    done: set[str] = set()
    for (_, first, last), text in options:
        same = (first, last) in taken
        apart = all(last <= begin or end <= first for begin, end in taken)
        if text not in done and (same or apart):
            taken.setdefault((first, last), []).extend(by_text[text])
            done.add(text)
    return taken


def things(read: LLMQuery) -> Iterator[Literal]:
    """The literals of a query that name a thing or a value, in the order written."""
    waiting: list[Value] = [step.value for step in reversed(read.steps)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Literal):
            if value.text.casefold() not in _SAYS_NOTHING:
                yield value
        elif isinstance(value, Listing):
            waiting += reversed(value.members)
        elif isinstance(value, Infix):
            waiting += (value.right, value.left)
        elif isinstance(value, Call):
            waiting += [a.value for a in reversed(value.arguments) if names_thing(value, a.name)]


def names_thing(call: Call, name: str | None) -> bool:
    """Whether what is given for the parameter ``name`` is a thing, and no relation or option."""
    function = find(call.function)
    if name is None or function is None:
        return True
    parameter = function.parameter(name)
    return parameter is None or parameter.name in _THINGS


def _length(span: _Span) -> int:
    return (span.last - span.first) * (1 if span.grade == _VALUE else -1)


def _saying(wording: Wording, text: str) -> Iterator[_Span]:
    """Runs of words that say ``text``: marked, as written, folded, as a value, in the plural, in part."""
    folded = fold(text)
    literal = tuple(stem(word) for word in folded.split())
    value = meant(text)
    words = wording.words
    for marked in wording.marked:
        inside = [n for n, w in enumerate(words) if marked.start <= w.start and w.end <= marked.end]
        if inside and fold(marked.text) == folded:
            yield _Span(_MARKED, inside[0], inside[-1] + 1)
    longest = max(len(literal) + 2, 4 if value else 0)
    for first in range(len(words)):
        for last in range(first + 1, min(first + longest, len(words)) + 1):
            said = wording.said(first, last)
            if said == text:
                yield _Span(_WRITTEN, first, last)
            elif fold(said) == folded:
                yield _Span(_FOLDED, first, last)
            elif value is not None:
                other = meant(said)
                if other is not None and equal(other, value):
                    yield _Span(_VALUE, first, last)
            elif grade := alike(tuple(stem(word.text) for word in words[first:last]), literal):
                yield _Span(grade, first, last)
