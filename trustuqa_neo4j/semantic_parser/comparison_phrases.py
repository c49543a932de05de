"""Phrases that compare or rank: *more than Hana Sato*, *after the Rome store*, *second highest*, *top 3*.

They are found before the links, since a number that ranks is no number of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from ..language.functions import SUMMARIES
from ..lexicon.lexicon import BOUND_OPERATORS, EXTREMES, UPPER_EXTREMES, Cue
from ..lexicon.words import WORDS
from ..values.units import is_counted_word
from .question import PlainQuestion, QuestionNumber, read_question

EXTREME_WORDS = EXTREMES
_RANGES = WORDS.grammar.ranges
_MAX_BOUND_GAP = 2  # words between *more than* and its number
NUMBER_EXTREMES, DATE_EXTREMES = EXTREMES[:2], EXTREMES[2:]
_COMPARED_WORDS = 8  # before *than*: *a better guest rating than*
_EXACTLY = {(word,) for word in WORDS.grammar.exact}
_DIMINISHING = WORDS.grammar.diminishing
_TIME_ORDERS = {"after": "latest", "before": "earliest"}
_NEXT_TO = {
    (word,) for word in WORDS.times.adjacent | WORDS.times.arrivals | {"one"}
}  # the rows beside a row
_BEARING = WORDS.grammar.bearing | {"of", "by", "whose", "in"}
_MAX_TOP = 50
_FREQUENCIES = WORDS.numbers.frequencies
_PERIODS = {(unit,) for unit in WORDS.times.counted_periods}
_ADJACENT = WORDS.times.adjacent | WORDS.times.neighbours
_EVENTS = WORDS.verbs.events
_PHRASAL_EVENTS = {tuple(verb.split()) for verb in WORDS.verbs.phrasal_events}
_MEASURE_STARTS = WORDS.nouns.amount_starts
_RANKED_WORDS = 4  # from the number to *the lowest* in *two projects with the lowest budget*


@dataclass(frozen=True, slots=True)
class ComparisonPhrase:
    """The words from ``first`` to before ``last``, which compare what is before with what is after.

    ``extreme`` is the extreme of the same direction: *older* is *earliest* for dates, *highest* for ages.
    ``word`` is the position of the adjective or verb that says so.
    """

    extreme: str
    word: int
    first: int
    last: int

    @property
    def operator(self) -> str:
        return ">" if self.extreme in UPPER_EXTREMES else "<"

    @property
    def positions(self) -> frozenset[int]:
        return frozenset((self.first, self.word, self.last - 1))


@dataclass(frozen=True, slots=True)
class RankPhrase:
    """A number beside an extreme: the second highest, or with ``is_top`` the two highest."""

    number: QuestionNumber
    cue: Cue
    is_top: bool

    @property
    def place(self) -> int:
        return int(self.number.value.number or 0)

    @property
    def positions(self) -> frozenset[int]:
        """Without what follows the number: *earners* in *top 3 earners* is no unit."""
        return frozenset((self.number.first,)) | self.cue.positions


def find_events(question: PlainQuestion) -> frozenset[int]:
    """Return the positions of verbs such as *released*, after which *first* and *next* mean times."""
    words = question.words
    phrasal = (p for p in range(len(words) - 1) if words[p : p + 2] in _PHRASAL_EVENTS)
    single = (p for p, word in enumerate(words) if word in _EVENTS)
    return frozenset((*single, *(q for p in phrasal for q in (p, p + 1))))


def asks_for_adjacent(question: PlainQuestion, operator: str) -> bool:
    """True for *right after* and *the next*; *after* alone may mean all that follow."""
    cues = (cue for cue in question.cues if cue.operator == operator)
    return any(_ADJACENT & {*question.words[cue.first : cue.last]} for cue in cues)


def find_bounds(
    question: PlainQuestion, number: QuestionNumber
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the operators that words beside a number say, with the positions of these words."""
    cues = [cue for cue in question.cues if cue.operator in BOUND_OPERATORS]
    for cue in cues:
        if any(cue.positions < longer.positions for longer in cues):
            continue  # *after* in *on or after*
        operator = BOUND_OPERATORS[cue.operator]
        # *5 or more*, *11 euros a day or less*, *65 and over*
        is_after = question.words[cue.first] in ("or", "and")
        gap = cue.first - number.last if is_after else number.first - cue.last
        if 0 <= gap <= _MAX_BOUND_GAP:
            yield operator, cue.positions


def find_counts(
    question: PlainQuestion, number: QuestionNumber
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the operators of a number that may count, with their words: *exactly two*, *at least two*."""
    if question.words[number.first - 1 : number.first] in _EXACTLY:
        yield "=", frozenset((number.first - 1,))
    else:
        yield from find_bounds(question, number)


def find_frequencies(question: PlainQuestion) -> Iterator[tuple[str, int, frozenset[int]]]:
    """Yield the operator, the number and the words of *more than once* and *at least twice*."""
    for cue in question.cues:
        number = _FREQUENCIES.get("".join(question.words[cue.last : cue.last + 1]))
        if number and cue.operator in BOUND_OPERATORS:
            yield BOUND_OPERATORS[cue.operator], number, cue.positions | {cue.last}


def is_range(question: PlainQuestion, first: QuestionNumber, last: QuestionNumber) -> bool:
    """True for *between 1660 and 1690* and *from 10 to 20*."""
    preposition = question.words[first.first - 1] if first.first else ""
    return question.words[first.last : last.first] == (_RANGES.get(preposition),)


def find_average_bounds(question: PlainQuestion) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the operator and the words of *above average* and *more than the mean*."""
    bounds = [
        (cue.last, BOUND_OPERATORS[cue.operator], cue.positions)
        for cue in question.cues
        if cue.operator in ("more_than", "less_than")
    ]
    bounds += (
        (phrase.last, phrase.operator, phrase.positions) for phrase in find_comparisons(question)
    )
    for cue in question.cues:
        if cue.operator == "mean":
            for last, operator, positions in bounds:
                if last <= cue.first and question.words[last : cue.first] in ((), ("the",)):
                    yield operator, positions | cue.positions


def find_comparisons(question: PlainQuestion) -> Iterator[ComparisonPhrase]:
    for place, word in enumerate(question.words):
        if word == "than":
            yield from _find_before_than(question, place)
        elif word in _TIME_ORDERS and question.words[place - 1 : place] not in _NEXT_TO:
            yield ComparisonPhrase(_TIME_ORDERS[word], place, place, place + 1)


def _find_before_than(question: PlainQuestion, than: int) -> Iterator[ComparisonPhrase]:
    start = max(0, than - _COMPARED_WORDS)
    diminishing = [p for p in range(start, than) if question.words[p] in _DIMINISHING]
    if diminishing:
        yield ComparisonPhrase("lowest", diminishing[-1], diminishing[-1], than + 1)
        return
    for cue in question.cues:
        is_before = start <= cue.first and cue.last <= than
        if is_before and cue.operator in EXTREME_WORDS and cue.last == cue.first + 1:
            yield ComparisonPhrase(cue.operator, cue.first, cue.first, than + 1)


def find_ranks(question: PlainQuestion) -> Iterator[RankPhrase]:
    cues = [
        cue
        for cue in question.cues
        if cue.operator in EXTREME_WORDS and question.words[cue.first - 1 : cue.first] != ("at",)
    ]  # *at least 4*
    for number in question.numbers:
        value = number.value.number
        if value is None or not value.is_integer():
            continue
        for cue in cues:
            if number.is_ordinal:
                if cue.first == number.last and value > 1:
                    yield RankPhrase(number, cue, is_top=False)
            elif 1 < value <= _MAX_TOP and _is_top(question, number, cue):
                yield RankPhrase(number, cue, is_top=True)


def drop_order(question: PlainQuestion) -> PlainQuestion:
    """Leave out the end of *the three lightest ships, lightest first*: ranked rows are in that order."""
    if question.words[-1:] != ("first",):
        return question
    for order in question.cues:
        if order.operator not in EXTREME_WORDS or order.last != len(question.words) - 1:
            continue
        for rank in find_ranks(question):
            is_same = (order.operator in UPPER_EXTREMES) == (rank.cue.operator in UPPER_EXTREMES)
            if rank.is_top and rank.cue.first < order.first and is_same:
                return read_question(question.text[: question.starts[order.first]].rstrip(" ,;"))
    return question


def find_measure_start(question: PlainQuestion, measures: Set[str]) -> range:
    """Find *by* and the words before what ranks: a stem of ``measures``, or a number of things."""
    words = question.words
    tops = [rank.cue.first for rank in find_ranks(question) if rank.is_top]
    summaries = question.cue_positions(*SUMMARIES)
    for by in range(min(tops, default=len(words)), len(words)):
        if words[by] == "by":
            start = last = question.skip(by + 1, _MEASURE_STARTS)
            while last in summaries:  # *by total fare*
                last += 1
            if question.stems[last : last + 1] and (
                question.stems[last] in measures or "number" in words[by:last]
            ):
                return range(by, start)
    return range(0)


def _is_top(question: PlainQuestion, number: QuestionNumber, cue: Cue) -> bool:
    """*top 3*, *the three youngest*, *the two projects with the lowest budget*."""
    if number.first == cue.last:
        # *the last 3 months* are a time, *the top 3 months* are ranked.
        is_period = question.words[number.first + 1 : number.first + 2] in _PERIODS
        return cue.operator in NUMBER_EXTREMES or not is_period
    unit, words = number.value.unit, question.words
    if unit is not None and not is_counted_word(unit):
        return False
    noun, before = number.first + 1, cue.first - 1
    if cue.first == noun:
        return True
    if number.first in question.asked_noun and cue.first > noun:
        return words[noun] != question.stems[noun]  # *which three owners gave the most*
    if not 0 < cue.first - noun <= _RANKED_WORDS or words[before] != "the":
        return False
    is_plural = words[noun] != question.stems[noun]
    return is_plural and words[before - 1] in _BEARING
