"""The words of a question with what grammar says of them: content, head noun, question word, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ..demonstrations.word_coverage import question_kind
from ..demonstrations.words import read_number_or_date, split_question
from ..language.functions import DISTINCT, TOTAL
from ..lexicon.forms import stem
from ..lexicon.lexicon import BOUND_OPERATORS, EXTREMES, Cue, Lexicon, load_lexicon
from ..lexicon.word_spans import WordSpan
from ..lexicon.words import WORDS
from ..values import Value, read_value
from ..values.units import is_counted_word
from .translation import translate
from .wordings import write_out

_BEFORE_ONE = {(word,) for word in WORDS.grammar.bearing | WORDS.grammar.exact | {"than", "least"}}
_NO_UNITS = (WORDS.grammar.function_words | WORDS.grammar.stop_words | {"though"}) - {
    *WORDS.times.months
}
_MAX_ACRONYM = 5
_MIN_SPLIT_LETTERS = 6  # of a word that a question may write as two
_MAGNITUDES = {(factor,) for factor in WORDS.numbers.factors}
_FACTORS = WORDS.numbers.factors
_BEFORE_BOUNDS = WORDS.grammar.bound_words
_NUMERIC_DATE = re.compile(r"(?<!\d)\d{1,4}([/.-])\d{1,2}\1\d{1,4}(?!\d)")
_NUMBER_SPAN = 4  # words of a date such as *march 5 , 2004*
_NOT_SELECTING = {(word,) for word in WORDS.grammar.manner_words}  # before *far*
_BEFORE_GROUPS = WORDS.nouns.amount_starts
_RANKING = {"highest", "first"}  # meanings of *top*
_GENERIC = frozenset(("highest", "lowest"))
_BETWEEN_NUMBERS = {tuple(phrase.split()) for phrase in WORDS.grammar.number_joins}
_OF = {(word,) for word in WORDS.grammar.genitives}
_ABBREVIATIONS = frozenset(("IT", "US"))
_IDIOMS = {(verb, "after") for verb in WORDS.verbs.before_after}
_THOUSANDS = re.compile(r"(\d+(?:\.\d+)?)k", re.IGNORECASE)
_CLOCK = re.compile(r"(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))? ?([ap])\.?m\.?", re.IGNORECASE)
_JOINS = WORDS.grammar.coordinations
_PARTICIPLE = re.compile(r"\w{2}[^e]ed$")  # not *seed*, *bed* or *shed*
_SELECTING = WORDS.grammar.nounless_question_words | {"which"}
GRAMMAR_WORDS = WORDS.grammar.function_words | WORDS.grammar.stop_words
_VERBS_OF_BEING = WORDS.grammar.auxiliaries | {"s"}  # *what's*
_COLUMN_HEADS = WORDS.columns.number_heads | WORDS.columns.text_heads
_HEAD_ENDS = WORDS.grammar.auxiliaries.union(
    WORDS.grammar.relative_pronouns, WORDS.grammar.clause_prepositions
)


@dataclass(frozen=True, slots=True)
class QuestionNumber(WordSpan):
    """A number or date in the words from ``first`` to before ``last``; ``is_ordinal`` for *third*.

    The days of a month have no year.
    """

    text: str
    value: Value
    first: int
    last: int
    is_ordinal: bool = False

    @property
    def noun(self) -> int:
        """The position of what the number may count: *orders* in *3 orders* and *three different orders*."""
        unit = self.value.unit
        has_noun = self.last > self.first + 1 and unit is not None and is_counted_word(unit)
        return self.last - has_noun

    @property
    def is_month(self) -> bool:
        return self.text.casefold() in WORDS.times.months


_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")


def _share_scale(first: QuestionNumber, second: QuestionNumber) -> QuestionNumber:
    """Give a bare number the scale and unit of the second: *1 to 2 million*, *between 2 and 3 kg*.

    Only where the two then ascend: *500 to 2 thousand* are as written.
    """
    start, end = first.value.number, second.value.number
    amount = _AMOUNT.match(second.text)
    if start is None or end is None or amount is None or not _AMOUNT.fullmatch(first.text):
        return first
    written = float(amount[0].replace(",", ""))
    scaled = start * end / written if written else start
    unit = second.value.unit
    if scaled >= end or (scaled == start and unit is None):
        return first
    # *280 to 283 kelvin*: with the unit as it is written, since ``280 K`` would be thousands.
    rest = second.text[amount.end() :] if scaled == start else f" {unit}" if unit else ""
    text = f"{scaled:.12g}{rest}"
    return replace(first, text=text, value=Value(scaled, unit))


@dataclass(frozen=True)
class PlainQuestion:
    """``measures`` are stems of words that count nothing, since they name a column of numbers.

    ``name_numbers`` are the positions of numbers in the name of a column: *points in 2023-24*.
    ``measure_start`` are those from *by* to before the measure of a rank: *the top three by number of rooms*.
    """

    text: str
    words: tuple[str, ...]
    written: tuple[str, ...]
    lexicon: Lexicon
    starts: tuple[int, ...]
    measures: frozenset[str] = frozenset()
    name_numbers: frozenset[int] = frozenset()
    measure_start: range = range(0)

    @property
    def is_ranked_by_count(self) -> bool:
        """True for a rank *by number of rooms*."""
        start = self.measure_start
        return "number" in self.words[start.start : start.stop]

    def skip(self, place: int, skipped: Set[str]) -> int:
        """The first position from ``place`` on that has another word."""
        while place < len(self.words) and self.words[place] in skipped:
            place += 1
        return place

    def find_groups(self, positions: Set[int]) -> Iterator[Cue]:
        """Yield the words that group by what ``positions`` name: *by stars*, *for each of the cities*."""
        for cue in self.cues:
            if cue.operator == "group" and self.skip(cue.last, _BEFORE_GROUPS) in positions:
                yield cue

    @cached_property
    def sure_groups(self) -> tuple[Cue, ...]:
        """The cues such as *for each* and *per*; *by* has other meanings."""
        groups = (cue for cue in self.cues if cue.operator == "group")
        return tuple(cue for cue in groups if self.words[cue.first : cue.last] != ("by",))

    def find_joined(self, positions: Set[int]) -> int | None:
        """Return the first position after *and* that follows ``positions``, without an article."""
        place = max(positions, default=-1) + 1
        is_joined = bool(positions) and self.words[place : place + 1] == ("and",)
        return self.skip(place + 1, WORDS.grammar.articles) if is_joined else None

    def skip_positions(self, place: int, skipped: Set[int]) -> int:
        """The first content position from ``place`` on that is not one of ``skipped``."""
        later = (p for p in sorted(self.content) if p >= place and p not in skipped)
        return next(later, len(self.words))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @cached_property
    def content(self) -> frozenset[int]:
        """The positions of words that say what the question is about."""
        return frozenset(
            position
            for position, word in enumerate(self.words)
            if word not in GRAMMAR_WORDS or self._is_abbreviation(position)
        )

    def _is_abbreviation(self, position: int) -> bool:
        """*IT* is no *it*, unless all is in capitals."""
        is_capital = self.written[position] in _ABBREVIATIONS
        return is_capital and self.text != self.text.upper()

    @cached_property
    def split_words(self) -> Mapping[str, int]:
        """The stems of two words joined, with the position of the first: *news letter* as *newsletter*."""
        places: dict[str, int] = {}
        for place, pair in enumerate(pairwise(self.words)):
            joined = stem("".join(pair))
            if len(joined) >= _MIN_SPLIT_LETTERS:
                places.setdefault(joined, place)
        return places

    @cached_property
    def acronyms(self) -> Mapping[str, frozenset[int]]:
        """The first letters of words in a row, with the positions: *mpg* of *miles per gallon*.

        Two letters, as *un* of *United Nations number*, may be those of a person, unless a noun for a part of
        the data follows.
        """
        found: dict[str, frozenset[int]] = {}
        names = {p for p in self.names if self.words[p].isalpha()}
        for first in sorted(self.content):
            for last in range(first + 2, min(first + _MAX_ACRONYM, len(self.words)) + 1):
                positions = frozenset(range(first, last))
                is_before_head = not _COLUMN_HEADS.isdisjoint(self.words[last : last + 1])
                is_name = last - first == 2 and positions <= names and is_before_head
                letters = "".join(word[0] for word in self.words[first:last])
                is_word = letters in self.lexicon.vocabulary or not letters.isalpha()
                if last - 1 in self.content and (is_name or (last - first > 2 and not is_word)):
                    found.setdefault(letters, positions)
        return found

    @cached_property
    def names(self) -> frozenset[int]:
        """The positions of capitalised words after the first, and of numbers."""
        if self.text == self.text.upper():
            return frozenset()
        return frozenset(
            position
            for position, written in enumerate(self.written)
            if (position and written[:1].isupper() and self.words[position] not in GRAMMAR_WORDS)
            or written[:1].isdigit()
        )

    @cached_property
    def content_words(self) -> tuple[str, ...]:
        return tuple(self.words[position] for position in sorted(self.content))

    @cached_property
    def fillers(self) -> frozenset[int]:
        return frozenset(p for p, word in enumerate(self.words) if word in self.lexicon.fillers)

    @cached_property
    def present(self) -> frozenset[int]:
        """The positions of *current* and *now*."""
        return frozenset(p for p, word in enumerate(self.words) if word in WORDS.times.present)

    @cached_property
    def decisive(self) -> frozenset[int]:
        """The positions of words that a query must express, and of months; after *how*, words ask."""
        months = (number.positions for number in self.numbers if number.is_month)
        return self._command.union(self._seasons, *months) | frozenset(
            position
            for position, word in enumerate(self.words)
            if (word in self.lexicon.decisive or self._is_universal(position))
            and self.words[position - 1 : position] not in _NOT_SELECTING
            and self.words[position - 1 : position + 1] not in _IDIOMS
        )

    @property
    def is_dated(self) -> bool:
        return any(number.value.start is not None for number in self.numbers)

    @property
    def _seasons(self) -> frozenset[int]:
        """The position of *summer* in *in summer 2018*."""
        years = (number.first for number in self.numbers if number.value.start is not None)
        return frozenset(p - 1 for p in years if {*self.words[p - 1 : p]} & WORDS.times.seasons)

    @cached_property
    def _command(self) -> frozenset[int]:
        """The position of *delete* in *please delete all orders*."""
        first = sorted(self.content)[:1]
        return frozenset(p for p in first if self.words[p] in WORDS.grammar.commands)

    def _is_universal(self, position: int) -> bool:
        """True for *all* in *do all hotels have a pool* and *who read all of the books*."""
        words = self.words
        if words[position] != "all" or not position:
            return False
        before, is_of = words[position - 1], words[position + 1 : position + 3] == ("of", "the")
        return before in WORDS.grammar.do_forms or (
            is_of and position > 1 and position - 1 in self.content
        )

    @property
    def excludes_rows(self) -> bool:
        """True for *other than rice*: who ordered rice too is meant, since other rows are asked for."""
        return any(
            cue.operator == "not" and self.words[cue.last - 1] == "than" for cue in self.cues
        )

    @cached_property
    def kind(self) -> str:
        """The question word; *number of* asks for a number, unless it says by what rows are selected."""
        words = self.words
        starts = [p for p in range(len(words) - 1) if words[p : p + 2] == ("number", "of")]
        if starts and (
            "by" in words[: starts[0]]
            or _SELECTING & {*words[: starts[0]]}
            or self._is_attribute(starts[0])
        ):
            words = (*words[: starts[0]], *words[starts[0] + 2 :])
        return question_kind(words)

    @cached_property
    def cues(self) -> tuple[Cue, ...]:
        cues = [*self.lexicon.find_cues(self.words)]
        starts = {number.first for number in self.numbers}
        bounds = [c for c in cues if c.operator in BOUND_OPERATORS and c.last in starts]
        joined = [c for c in bounds if self.words[c.first] in _JOINS]  # *over 2 and under 3*
        within = [
            c
            for c in cues
            for bound in bounds
            if c.positions < bound.positions
            or (c.positions == bound.positions and c.operator == "difference")
        ]
        return tuple(
            cue
            for cue in cues
            if cue not in joined
            and not (cue in within and cue.operator not in BOUND_OPERATORS)
            and not (cue.operator == "count" and self._is_attribute(cue.first))
            and not (
                cue.operator == "count" and self.measures & {*self.stems[cue.first : cue.last]}
            )
            and self.words[cue.first - 1 : cue.first + 1] not in _IDIOMS
            and cue.first not in self.measure_start
        )

    def _is_attribute(self, position: int) -> bool:
        """True for *number* in *phone number*: nothing is counted."""
        return (
            self.words[position] == "number"
            and position - 1 in self.content
            and self.words[position - 1] not in self.lexicon.operators
        )

    @cached_property
    def marked_spans(self) -> Mapping[tuple[int, int], str]:
        """The first and last positions of names in brackets or quotes, with their texts."""
        parts = split_question(self.text)
        spans: dict[tuple[int, int], str] = {}
        for name in parts.marked_names:
            inside = [
                position
                for position, word in enumerate(parts.words)
                if name.start <= word.start and word.end <= name.end
            ]
            if inside:
                spans[inside[0], inside[-1] + 1] = name.text
        return spans

    @property
    def asks_both_ends(self) -> bool:
        """True for *from when to when*."""
        return bool(self.find_phrase("from", "when")) and self.words.count("when") > 1

    @cached_property
    def further_question(self) -> int | None:
        """The position of the second question word in *which house and in which form is she*."""
        if not self.kind:
            return None
        for position, word in enumerate(self.words):
            if word in WORDS.grammar.question_words:
                start = position
                while start and self.words[start - 1] in WORDS.grammar.prepositions:
                    start -= 1
                if start > 1 and self.words[start - 1] == "and":  # *and what is …* only goes on
                    return position
        return None

    @cached_property
    def head(self) -> frozenset[int]:
        """The positions of the noun after *which*, *what* or *how many*, or after *the* in a request."""
        if self.asked_noun:
            return self.asked_noun
        starts = self._noun_starts()
        return self._first_content(starts[0] if starts else 0)

    def _noun_starts(self) -> list[int]:
        words = self.words
        starts = [p + 1 for p, word in enumerate(words) if word in ("which", "what")]
        starts += [p + 2 for p in range(len(words) - 1) if words[p : p + 2] == ("how", "many")]
        return starts

    @cached_property
    def asked_noun(self) -> frozenset[int]:
        """The positions of the noun right after *which*, *what* or *how many*."""
        return self._asked_span[0]

    @cached_property
    def asked_words(self) -> frozenset[str]:
        return frozenset(self.words[position] for position in self.asked_noun)

    @cached_property
    def asked_stems(self) -> frozenset[str]:
        return frozenset(self.stems[position] for position in self.asked_noun)

    @cached_property
    def asked_verb(self) -> frozenset[int]:
        """The position of the verb right after that noun: *depart* in *how many trains depart from …*."""
        return self._asked_span[1]

    @cached_property
    def participles(self) -> frozenset[int]:
        """The positions of verbs such as *observed*, after the first word."""
        forms = self.lexicon.verbs
        return frozenset(
            p for p, word in enumerate(self.words) if p and (word.endswith("ed") or word in forms)
        )

    @cached_property
    def _asked_span(self) -> tuple[frozenset[int], frozenset[int]]:
        words, starts = self.words, self._noun_starts()
        if not starts or {*words[starts[0] : starts[0] + 1]} & _VERBS_OF_BEING:
            return frozenset(), frozenset()
        start = end = starts[0]
        while end < len(words) and end < start + 5 and words[end] not in _HEAD_ENDS:
            end += 1
        verbs = [p for p in range(start + 1, end) if self._is_verb(p, p == end - 1)]
        if words[end : end + 1] and words[end] in WORDS.grammar.auxiliaries:
            verbs = []  # *which show has …*
        verb = frozenset(verbs[-1:])
        return frozenset(range(start, max(verb, default=end))) & self.content, verb & self.content

    def _is_verb(self, position: int, is_last: bool) -> bool:
        word = self.words[position]
        if word.endswith("ed") or word in self.lexicon.verbs | self.lexicon.light_verbs:
            return True
        # *trains depart from*: a plural is followed by the base form of a verb, which has no ending.
        is_after_plural = self.words[position - 1] != self.stems[position - 1]
        is_plural = word != self.stems[position]
        return self.kind == "how many" and is_last and is_after_plural and not is_plural

    @cached_property
    def row_noun(self) -> frozenset[int]:
        """The positions of the noun that can say what the rows are.

        It is the noun that is asked for; without one, the first noun of a request, and that after an
        adjective such as *lightest*.
        """
        if self.asked_noun:
            return self.asked_noun
        starts = [cue.last for cue in self.cues if self.is_adjective(cue)]
        is_measured = any(cue.first == 0 and cue.operator in EXTREMES for cue in self.cues)
        if self.kind == "" and not (is_measured or "whose" in self.words):
            starts.append(0)
        spans = [span for start in starts if (span := self._noun_span(start))]
        # *the email address of …* is no row.
        nouns = (span for span in spans if self.words[max(span) + 1 :][:1] not in _OF)
        return frozenset[int]().union(*nouns) - self.names - self._command

    def is_adjective(self, cue: Cue) -> bool:
        """True for *lightest*, which says what is measured; *highest* may be followed by that."""
        word = self.words[cue.first]
        operators = self.lexicon.operators.get(word, ())
        return word in self.lexicon.dimensions and not _GENERIC & {*operators}

    def _noun_span(self, start: int) -> frozenset[int]:
        """The first content words from ``start``, up to a verb."""
        span = sorted(self._first_content(start))
        verbs = (place for place in span[1:] if self._is_verb(place, is_last=False))
        end = next(verbs, len(self.words))
        return frozenset(place for place in span if place < end)

    @cached_property
    def asks_several(self) -> bool:
        plural = [p for p in self.head if self.words[p] != self.stems[p]]
        return bool(plural or WORDS.grammar.plural_signs & set(self.words))

    @cached_property
    def is_open(self) -> bool:
        """True for *who*, *whose* and *what* without a noun, which may ask for one or for several."""
        is_plain = not self.asked_noun and self.kind in ("who", "what", "")
        return is_plain or "whose" in self.words

    def _first_content(self, start: int) -> frozenset[int]:
        end = start
        while end < len(self.words) and end not in self.content:
            end += 1
        last = end
        while last < len(self.words) and last in self.content and last < end + 3:
            last += 1
        return frozenset(range(end, last))

    @cached_property
    def numbers(self) -> tuple[QuestionNumber, ...]:
        numbers = list(self._find_numbers())
        for place, (first, second) in enumerate(pairwise(numbers)):
            if self.words[first.last : second.first] in _BETWEEN_NUMBERS:
                numbers[place] = _share_scale(first, second)
        return tuple(numbers)

    def _find_numbers(self) -> Iterator[QuestionNumber]:
        first = 0
        while first < len(self.words):
            number = next(
                (
                    number
                    for last in range(min(first + _NUMBER_SPAN, len(self.words)), first, -1)
                    if (number := self._read_number(first, last)) is not None
                ),
                None,
            )
            if number is not None and number.first not in self.name_numbers:
                yield number
            first = number.last if number is not None else first + 1

    def _read_number(self, first: int, last: int) -> QuestionNumber | None:
        word = self.words[first] if last == first + 1 else ""
        if word == "one" and (
            self.words[first - 1 : first] not in _BEFORE_ONE
            or (last == len(self.words) and self.words[first - 1] in WORDS.grammar.have_forms)
        ):
            return None  # *which one*, *those that have one*
        if "to" in self.words[first + 1 : last - 1]:
            return None  # *1997 to 2001*: two numbers
        if word in WORDS.times.months:
            return self._read_month(first)
        start, end = self.starts[first], self.starts[last - 1] + len(self.written[last - 1])
        text = self.written_between(first, last)
        for date in self._dates:
            if date.span() == (start, end):
                text = date.group()
            elif start < date.end() and date.start() < end:
                return None  # a part of a date is no number
        if self._has_percent(first):
            text = f"{text}%"  # no word follows as a unit
            return None if last > first + 1 else self._read_digits(text, first, last)
        return self._read_words(first, last) or self._read_digits(text, first, last)

    def _has_percent(self, position: int) -> bool:
        """*90 %* and *90%*."""
        end = self.starts[position] + len(self.written[position])
        is_amount = _AMOUNT.fullmatch(self.written[position]) is not None
        return is_amount and self.text[end:].lstrip()[:1] == "%"

    def _read_digits(self, text: str, first: int, last: int) -> QuestionNumber | None:
        """Read *5*, *5 km* and dates; *5 but* and *3000 in* are no amounts."""
        clock = _CLOCK.fullmatch(text)
        if clock is not None:
            text = _write_clock(*clock.groups())
        word = self.words[last - 1]
        # *in class 3 survived*
        is_verb = last > first + 1 and _PARTICIPLE.search(word) and word not in _FACTORS
        # *the top 3 months*
        before = self.words[first - 1] if first else ""
        is_ranked = {*self.lexicon.operators.get(before, ())} >= _RANKING
        is_other = word in _NO_UNITS or is_verb or (is_ranked and word in WORDS.times.date_parts)
        is_unit = clock or self._is_metre(last - 1) or not is_other
        if not any(c.isdigit() for c in text) or not is_unit:
            return None
        thousands = _THOUSANDS.fullmatch(text)
        if thousands is not None:  # *50k*
            text = f"{float(thousands[1]) * 1000:g}"
        value = read_number_or_date(text)
        if value is not None and value.number is not None and value.unit == word in _FACTORS:
            text = f"{value.number * _FACTORS[word]:g}"  # *3 hundred*
            value = read_number_or_date(text)
        return None if value is None else QuestionNumber(text, value, first, last)

    def _is_metre(self, position: int) -> bool:
        """*3500 m*, not *I'm*."""
        return self.written[position] == "m" and self.words[position - 1][-1:].isdigit()

    def _read_words(self, first: int, last: int) -> QuestionNumber | None:
        word = self.words[first] if last == first + 1 else ""
        if word in WORDS.numbers.ordinals or (
            word[:1].isdigit() and word[-2:] in ("st", "nd", "rd", "th")
        ):
            number = WORDS.numbers.ordinals.get(word) or int(
                "".join(c for c in word if c.isdigit()) or 0
            )
            return QuestionNumber(str(number), Value(float(number)), first, last, True)
        decade = WORDS.numbers.decades.get(word)
        if decade is not None and self.words[first - 1 : first] == ("the",):
            return self._read_digits(f"{decade}s", first, last)
        if word in WORDS.numbers.cardinals:
            return QuestionNumber(
                str(WORDS.numbers.cardinals[word]),
                Value(float(WORDS.numbers.cardinals[word])),
                first,
                last,
            )
        return self._read_amount(first, last)

    def _read_amount(self, first: int, last: int) -> QuestionNumber | None:
        """Read *a million*, *half an hour*, *two hours*, and *an hour* in *more than an hour*."""
        *amount, noun = self.words[first:last]
        if len(amount) == 2 and amount[1] in _FACTORS:
            return self._read_product(first, last)
        if amount in (["half", "a"], ["half", "an"]):
            number = 0.5
        elif amount in (["a"], ["an"]):
            number = 1
        elif len(amount) == 1 and amount[0] in WORDS.numbers.cardinals:
            number = WORDS.numbers.cardinals[amount[0]]
        else:
            return None
        text = f"{number} {noun}"
        value = read_value(text)
        if value is None or value.number is None:
            return None
        is_measure = value.unit is not None and not is_counted_word(value.unit)
        # *twice a week* is no amount, but *more than a week* and *a week or longer* are.
        is_bound = bool(_BEFORE_BOUNDS & {*self.words[max(0, first - 1) : first]})
        is_bare = number == 1 and not is_bound and self.words[last : last + 1] != ("or",)
        if (noun,) in _MAGNITUDES or (is_measure and not is_bare):
            return QuestionNumber(text, value, first, last)
        return None

    def _read_product(self, first: int, last: int) -> QuestionNumber | None:
        """Read *a hundred metres* and *two thousand euros*."""
        count, factor, unit = self.words[first:last]
        number = 1 if count in ("a", "an") else WORDS.numbers.cardinals.get(count)
        text = f"{_FACTORS[factor] * (number or 0)} {unit}"
        value = read_value(text)
        if number is None or value is None or value.unit is None:
            return None
        return QuestionNumber(text, value, first, last)

    @cached_property
    def _dates(self) -> tuple[re.Match[str], ...]:
        return tuple(_NUMERIC_DATE.finditer(self.text))

    def _read_month(self, position: int) -> QuestionNumber | None:
        written = self.written[position]
        is_after_preposition = self.words[position - 1] in WORDS.grammar.location_prepositions
        is_capital = written[0].isupper() or is_after_preposition
        if written.casefold() == "may" and (position == 0 or not is_capital):
            return None  # a verb
        days = days_of_month(WORDS.times.months.index(self.words[position]) + 1)
        return QuestionNumber(written, days, position, position + 1)

    def written_between(self, first: int, last: int) -> str:
        return " ".join(self.written[first:last])

    @cached_property
    def _positions_by_cue(self) -> Mapping[str, frozenset[int]]:
        positions: dict[str, frozenset[int]] = {}
        for cue in self.cues:
            positions[cue.operator] = positions.get(cue.operator, frozenset()) | cue.positions
        return positions

    def find_phrase(self, *phrase: str) -> frozenset[int]:
        """Return the positions of the first place that has the words of ``phrase``."""
        size = len(phrase)
        starts = (p for p in range(len(self.words)) if self.words[p : p + size] == phrase)
        return next((frozenset(range(start, start + size)) for start in starts), frozenset())

    @cached_property
    def totals(self) -> frozenset[int]:
        """The positions of *total* and other words for a sum."""
        return self.cue_positions(TOTAL)

    @cached_property
    def different(self) -> frozenset[int]:
        """The positions of *different* and other words that let equal things count once."""
        return self.cue_positions(DISTINCT)

    def has_cue(self, operator: str) -> bool:
        return operator in self._positions_by_cue

    def cue_positions(self, *operators: str) -> frozenset[int]:
        """The positions of words that may mean one of ``operators``."""
        positions = self._positions_by_cue
        return frozenset[int]().union(*(positions.get(o, frozenset()) for o in operators))


def _write_clock(hour: str, minutes: str | None, half: str) -> str:
    """*7pm* is 19:00, as most tables have it."""
    hours = int(hour) % 12 + 12 * (half.casefold() == "p")
    return f"{hours:02}:{minutes or '00'}"


def days_of_month(month: int) -> Value:
    """Return the days of a month of any year."""
    return Value(None, None, month * 100 + 1, month * 100 + 31)


def read_question(text: str) -> PlainQuestion:
    text = write_out(translate(text))
    parts = split_question(text)
    written = tuple(text[word.start : word.end] for word in parts.words)
    words = tuple(word.text for word in parts.words)
    starts = tuple(word.start for word in parts.words)
    return PlainQuestion(text, words, written, load_lexicon(), starts)
