"""Reads a question that two parts of the data know together: the answer of one is a name in the other.

*Where was the director of Alien born* is *the director of Alien* over films, then *where was Ridley Scott
born* over people. Each of the two must be read surely by itself. The queries become one query over both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from ..language.ast import Literal, Query, Reference, Step, Value, transform
from ..language.parser import parse_query
from ..language.printer import print_query
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from ..matching import split_words
from ..semantic_parser.question import PlainQuestion
from ..semantic_parser.reading import ParsedQuestion, QuestionReading

_MAX_PHRASES = 3  # of a part that are read by themselves
_ARTICLES = WORDS.grammar.articles


@dataclass(frozen=True, slots=True)
class DataPart:
    """Tables with the same columns, or the graphs of a dataset.

    ``columns`` are the names of its columns or relations; ``parse`` reads a text over it.
    """

    dataset: str
    columns: frozenset[str]
    parse: Callable[[str], ParsedQuestion]

    @property
    def stems(self) -> Set[str]:
        return {stem(word) for name in self.columns for word in split_words(name)}


def refuse_words_of_others(
    question: PlainQuestion, part: DataPart, parsed: ParsedQuestion, others: Sequence[DataPart]
) -> ParsedQuestion:
    """Refuse the readings that leave out a word which columns or relations of another part have.

    The noun that is asked for may name the rows, but not if another part has it.
    """
    others = [other for other in others if other is not part]
    if not others:
        return parsed
    own = part.stems
    owners = [(other.dataset, other.stems - own) for other in others]
    linked = {word for link in parsed.links for word in split_words(link.text)}
    fillers, nouns = (
        {question.words[place] for place in places}
        for places in (question.fillers, question.asked_noun)
    )

    def check(reading: QuestionReading) -> QuestionReading:
        words = [w for w in (*reading.unexplained, *sorted(nouns - linked)) if w not in fillers]
        for word in words:
            owner = next((dataset for dataset, stems in owners if stem(word) in stems), None)
            if owner is not None and not reading.refusal:
                message = f"{word!r} is in data of {owner!r} that it does not read"
                return replace(reading, refusal=message)
        return reading

    return replace(parsed, readings=tuple(map(check, parsed.readings)))


def compose_readings(
    question: PlainQuestion, parts: Sequence[DataPart], parsed: Sequence[ParsedQuestion]
) -> Iterator[QuestionReading]:
    """Yield readings of two parts without a common column; ``parsed`` are the readings of each part alone."""
    for part, alone in zip(parts, parsed, strict=True):
        others = [other for other in parts if other.columns.isdisjoint(part.columns)]
        if not others:
            continue
        for first, last in _find_phrases(question, alone.readings):
            start, end = question.starts[first], question.starts[last] + len(question.written[last])
            inner = _read_surely(part, question.text[start:end])
            if inner is None or len(inner.members) != 1 or not isinstance(inner.members[0], str):
                continue
            name = inner.members[0]
            text = f"{question.text[:start]}{name}{question.text[end:]}"
            for other in others:
                outer = _read_surely(other, text)
                if outer is not None and (query := _insert_query(outer.query, name, inner.query)):
                    yield replace(
                        outer,
                        query=query,
                        probability=inner.probability * outer.probability,
                        source=None,
                        datasets=tuple(dict.fromkeys((part.dataset, other.dataset))),
                    )


def _find_phrases(
    question: PlainQuestion, readings: Sequence[QuestionReading]
) -> Iterator[tuple[int, int]]:
    """Yield the first and last word of each phrase that a reading explains, if it leaves out others."""
    phrases: dict[tuple[int, int], None] = {}
    for reading in readings:
        missing = {*reading.unexplained}
        explained = sorted(p for p in question.content if question.words[p] not in missing)
        if not missing or len(explained) < 2:
            continue
        first, last = explained[0], explained[-1]
        if any(question.words[p] in missing for p in range(first, last)):
            continue
        if first and question.words[first - 1] in _ARTICLES:
            first -= 1
        phrases[first, last] = None
    yield from [*phrases][:_MAX_PHRASES]


def _read_surely(part: DataPart, text: str) -> QuestionReading | None:
    best = next(iter(part.parse(text).readings), None)
    is_complete = best is not None and best.is_sure and not (best.unexplained or best.sources)
    return best if is_complete else None


def _insert_query(outer_text: str, name: str, inner_text: str) -> str | None:
    """Return the steps of the inner query, then those of the outer one with its result for ``name``."""
    outer, inner = parse_query(outer_text), parse_query(inner_text)
    assert isinstance(outer, Query)
    assert isinstance(inner, Query)
    shift = inner.steps[-1].number
    is_used = False

    def change(value: Value) -> Value:
        nonlocal is_used
        if isinstance(value, Reference):
            return replace(value, step=value.step + shift)
        if isinstance(value, Literal) and value.text == name:
            is_used = True
            return Reference(shift, value.position)
        return value

    steps = [Step(s.number + shift, transform(s.value, change)) for s in outer.steps]
    return print_query(Query((*inner.steps, *steps), outer.target)) if is_used else None
