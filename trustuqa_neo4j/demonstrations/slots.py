"""Slots of a template, and the mentions of a question that can fill them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import TypeAlias

from ..matching import normalize_name
from ..model.dataset import Scope
from ..reads.reader import Reader
from ..values import is_equal_value
from .alignment import Span
from .words import QuestionWords, read_number_or_date

# Mentions may overlap: the alignment selects among them. Taking the longest mention (the usual rule) is wrong
# for one of the two readings of *who directed The Directors*.

MAX_NAME_WORDS = 8  # words of a name without marks
_MAX_VALUE_WORDS = 4

# A ``year`` can be a number as well.
MentionKind: TypeAlias = OneOf["name", "number", "year", "date"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question, from ``first`` to before ``last``, that are a name, a number or a date.

    ``datasets`` hold the name; a name in brackets or quotes may be in none.
    """

    first: int
    last: int
    text: str
    kind: MentionKind
    datasets: frozenset[str] = frozenset()


def find_mentions(
    reader: Reader, question: QuestionWords, scope: Scope, columns: Sequence[str] = ()
) -> tuple[Mention, ...]:
    """Find all mentions in one round trip; with ``columns`` of a table, names are its cells."""
    marked = tuple(_marked_mentions(question))
    spans = _unmarked_spans(question, marked)
    span_names = {span: normalize_name(question.text_between(*span)) for span in spans}
    rows = reader.run(
        "find_mentions",
        datasets=list(scope.datasets),
        names=_list_names(span_names, marked),
        source=scope.source,
        columns=list(columns),
    )
    datasets: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["has_fact"]:
            datasets[row["folded"]].add(row["dataset"])
    mentions = [
        Mention(*span, question.text_between(*span), "name", frozenset(datasets[name]))
        for span, name in span_names.items()
        if name in datasets
    ]
    mentions += [
        replace(mention, datasets=frozenset(datasets.get(normalize_name(mention.text), ())))
        for mention in marked
    ]
    return (*mentions, *_value_mentions(question, spans))


def list_possible_names(question: QuestionWords) -> list[str]:
    """List the normalized names that ``find_mentions`` looks up."""
    marked = tuple(_marked_mentions(question))
    spans = _unmarked_spans(question, marked)
    return _list_names(
        {span: normalize_name(question.text_between(*span)) for span in spans}, marked
    )


def _unmarked_spans(question: QuestionWords, marked: Sequence[Mention]) -> list[tuple[int, int]]:
    return [
        (first, last)
        for first, last in iter_word_runs(len(question.words), MAX_NAME_WORDS)
        if not any(mention.first < last and first < mention.last for mention in marked)
    ]


def _list_names(span_names: Mapping[tuple[int, int], str], marked: Sequence[Mention]) -> list[str]:
    return sorted({*span_names.values(), *(normalize_name(mention.text) for mention in marked)})


def iter_word_runs(word_count: int, max_words: int) -> Iterator[tuple[int, int]]:
    for first in range(word_count):
        for last in range(first + 1, min(first + max_words, word_count) + 1):
            yield first, last


def _marked_mentions(question: QuestionWords) -> Iterator[Mention]:
    for name in question.marked_names:
        word_positions = [
            position
            for position, word in enumerate(question.words)
            if name.start <= word.start and word.end <= name.end
        ]
        if word_positions:
            kind = classify_text(name.text)
            yield Mention(word_positions[0], word_positions[-1] + 1, name.text, kind)


def _value_mentions(question: QuestionWords, spans: list[tuple[int, int]]) -> Iterator[Mention]:
    """Yield numbers and dates, each with as few words as possible."""
    for first, last in spans:
        if last - first > _MAX_VALUE_WORDS:
            continue
        text = question.text_between(first, last)
        value = read_number_or_date(text)
        if value is None:
            continue
        parts = [(first + 1, last), (first, last - 1)] if last - first > 1 else []
        shorter_values = [read_number_or_date(question.text_between(*part)) for part in parts]
        if not any(part is not None and is_equal_value(part, value) for part in shorter_values):
            yield Mention(first, last, text, classify_text(text))


def classify_text(text: str) -> MentionKind:
    value = read_number_or_date(text)
    if value is None:
        return "name"
    if value.start is None:
        return "number"
    return "year" if value.number is not None else "date"


def match_slot(kind: MentionKind, mentions: Sequence[Mention]) -> tuple[Span, ...]:
    """A mention of another kind can fill the slot as well, but then the slot does not agree."""
    return tuple(
        Span(mention.first, mention.last, float(mention.kind == kind), mention)
        for mention in mentions
    )
