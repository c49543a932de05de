"""Templates of demonstrations: mask the names of a question and its query, and fill in other names.

`fill_query` puts names into the parsed query and prints it; `is_same_query` parses the text again. The result
must be the same query, so no name can inject quotes, calls or instructions into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from ..language.ast import (
    BinaryOp,
    Call,
    ListValue,
    Literal,
    Query,
    Value,
)
from ..language.function_names import find_function
from ..language.parser import parse_query
from ..language.printer import UnprintableName, print_query, quote_name
from ..language.selectors import EXTREMES, MOST
from ..lexicon.forms import stem
from ..matching import normalize_name
from ..model.demonstration import Demonstration, QuestionPattern
from ..validation.query_form import parse
from ..values import is_equal_value
from .words import QuestionWords, name_match_score, read_number_or_date, split_question


def fill_query(query: Query, texts: Mapping[int, str]) -> str | None:
    """Print ``query`` with new texts of literals by their position; None if a text cannot be printed."""

    def print_filled(literal: Literal) -> str:
        return quote_name(texts.get(literal.position, literal.text))

    try:
        return print_query(query, print_filled)
    except UnprintableName:
        return None


def is_same_query(text: str) -> bool:
    """True if the printed query in ``text`` is read as it was printed."""
    parsed = parse(text)  # remembered until the query runs
    try:
        return isinstance(parsed, Query) and print_query(parsed) == text
    except UnprintableName:
        return False


# Masking turns ``who directed [Alien]`` into ``who directed {0}``, and its query into
# ``get_information(…, head_entity={0})``. It masks names, numbers and dates that the question and the query
# have in common. It does not mask relations, selecting words, and literals that only the query has.

_THING_PARAMETERS = frozenset(
    ("head_entity", "tail_entity", "value", "row_number", "node2", "condition", "scope", "universe")
)
"""Parameters that take names of things; others take relations or options."""

_MARKED_GRADE, _EXACT_GRADE, _NORMALIZED_GRADE, _VALUE_GRADE = 6.0, 5.0, 4.0, 3.0
"""Grades of matches between words and a literal; similar words get less."""
_RESERVED_WORDS = frozenset(("yes", "no", "true", "false", "none", *MOST, *EXTREMES))
"""Keywords and answers of the language, which are never names."""


@dataclass(frozen=True, slots=True)
class MaskedLiteral:
    """A name, number or date that is masked in the question and the query.

    The question has it from word ``first`` to before ``last``; ``positions`` are its literals in the query.
    """

    first: int
    last: int
    query_text: str
    positions: frozenset[int]


@dataclass(frozen=True, slots=True)
class MaskedDemonstration:
    """A question and its query with slots, numbered in the order of the question from ``{0}``.

    ``parsed`` is the original query, None if it cannot be parsed; ``words`` are those of the template.
    """

    template: str
    query: str
    literals: tuple[MaskedLiteral, ...] = ()
    parsed: Query | None = field(default=None, compare=False)
    words: tuple[str, ...] = ()


class _GradedSpan(NamedTuple):
    """Words that match a literal. A higher grade is better, then a longer span (a shorter one for values)."""

    grade: float
    first: int
    last: int


@lru_cache(maxsize=8192)
def mask_literals(question: str, query: str) -> MaskedDemonstration:
    """Mask the literals that both have in common; a query that cannot be parsed is not masked."""
    question_words = split_question(question)
    parsed = parse_query(query)
    if not isinstance(parsed, Query):
        words = _mask_words(question_words, ())
        return MaskedDemonstration(" ".join(words), query, words=words)
    spans = _assign_spans(question_words, parsed)
    masked_literals = tuple(
        MaskedLiteral(
            first, last, literals[0].text, frozenset(literal.position for literal in literals)
        )
        for (first, last), literals in sorted(spans.items())
    )
    words = _mask_words(question_words, masked_literals)
    return MaskedDemonstration(
        " ".join(words), _mask_query(parsed, masked_literals, query), masked_literals, parsed, words
    )


def _mask_query(parsed: Query, literals: tuple[MaskedLiteral, ...], query: str) -> str:
    markers = {
        position: f"{{{number}}}"
        for number, literal in enumerate(literals)
        for position in literal.positions
    }
    try:
        return print_query(
            parsed, lambda literal: markers.get(literal.position) or quote_name(literal.text)
        )
    except UnprintableName:
        return query


def _mask_words(question: QuestionWords, literals: tuple[MaskedLiteral, ...]) -> tuple[str, ...]:
    words: list[str] = []
    position = 0
    for number, literal in enumerate(literals):
        words += [word.text for word in question.words[position : literal.first]]
        words.append(f"{{{number}}}")
        position = literal.last
    words += [word.text for word in question.words[position:]]
    return tuple(words)


def _assign_spans(question: QuestionWords, parsed: Query) -> dict[tuple[int, int], list[Literal]]:
    """Assign literals to spans of the question, best match first, without overlaps."""
    by_text: dict[str, list[Literal]] = {}
    for literal in thing_literals(parsed):
        by_text.setdefault(literal.text, []).append(literal)
    options = sorted(
        ((span, text) for text in by_text for span in _spans_of_literal(question, text)),
        key=lambda option: (-option[0].grade, _preferred_length(option[0]), option[0].first),
    )
    assigned: dict[tuple[int, int], list[Literal]] = {}
    assigned_texts: set[str] = set()
    for (_, first, last), text in options:
        is_same_span = (first, last) in assigned
        is_apart = all(last <= begin or end <= first for begin, end in assigned)
        if text not in assigned_texts and (is_same_span or is_apart):
            assigned.setdefault((first, last), []).extend(by_text[text])
            assigned_texts.add(text)
    return assigned


def thing_literals(parsed: Query) -> Iterator[Literal]:
    stack: list[Value] = [step.value for step in reversed(parsed.steps)]
    while stack:
        value = stack.pop()
        if isinstance(value, Literal):
            if value.text.casefold() not in _RESERVED_WORDS:
                yield value
        elif isinstance(value, ListValue):
            stack += reversed(value.members)
        elif isinstance(value, BinaryOp):
            stack += (value.right, value.left)
        elif isinstance(value, Call):
            stack += [
                argument.value
                for argument in reversed(value.arguments)
                if find_parameter(value, argument.name) in ("", *_THING_PARAMETERS)
            ]


def find_parameter(call: Call, name: str | None) -> str:
    """Return the declared name of a parameter; empty without one."""
    function = find_function(call.function)
    parameter = function.parameter(name) if function and name else None
    return parameter.name if parameter else ""


def _preferred_length(span: _GradedSpan) -> int:
    return (span.last - span.first) * (1 if span.grade == _VALUE_GRADE else -1)


def _spans_of_literal(question: QuestionWords, text: str) -> Iterator[_GradedSpan]:
    """Find runs of words that match ``text``: marked, exact, normalized, as a value, or similar."""
    normalized = normalize_name(text)
    literal_stems = tuple(stem(word) for word in normalized.split())
    value = read_number_or_date(text)
    words = question.words
    for name in question.marked_names:
        word_positions = [
            position
            for position, word in enumerate(words)
            if name.start <= word.start and word.end <= name.end
        ]
        if word_positions and normalize_name(name.text) == normalized:
            yield _GradedSpan(_MARKED_GRADE, word_positions[0], word_positions[-1] + 1)
    longest = max(len(literal_stems) + 2, 4 if value else 0)
    for first in range(len(words)):
        for last in range(first + 1, min(first + longest, len(words)) + 1):
            span_text = question.text_between(first, last)
            if span_text == text:
                yield _GradedSpan(_EXACT_GRADE, first, last)
            elif normalize_name(span_text) == normalized:
                yield _GradedSpan(_NORMALIZED_GRADE, first, last)
            elif value is not None:
                span_value = read_number_or_date(span_text)
                if span_value is not None and is_equal_value(span_value, value):
                    yield _GradedSpan(_VALUE_GRADE, first, last)
            elif grade := name_match_score(
                tuple(stem(word.text) for word in words[first:last]), literal_stems
            ):
                yield _GradedSpan(grade, first, last)


def remove_demonstration(
    patterns: Iterable[QuestionPattern], demonstration: Demonstration
) -> list[QuestionPattern]:
    """The patterns as they were without ``demonstration`` (leave-one-out)."""
    masked = mask_literals(demonstration.question, demonstration.query)
    remaining: list[QuestionPattern] = []
    for pattern in patterns:
        if (
            pattern.template != masked.template
            or mask_literals(pattern.question, pattern.query).query != masked.query
        ):
            remaining.append(pattern)
        elif pattern.count > 1:
            remaining.append(replace(pattern, count=pattern.count - 1))
    return remaining
