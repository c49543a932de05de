"""Links from words of a question to cells of a table: whole texts, values, parts, forms and typing errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from itertools import chain
from math import sqrt

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from ..deadline import count_each, count_steps
from ..lexicon.forms import join_singular
from ..lexicon.lexicon import strip_verb_ending
from ..lexicon.word_spans import WordSpan
from ..lexicon.words import WORDS
from ..values.units import find_unit
from .column_links import ColumnLink
from .comparison_phrases import EXTREME_WORDS, RankPhrase
from .question import GRAMMAR_WORDS, PlainQuestion
from .row_plans import CellMatch, CellRange
from .snapshot import FALSE_TEXTS, TRUE_TEXTS, SnapshotColumn, TableSnapshot

MAX_NAME_WORDS = 10
MAX_PARTIAL_TEXTS = 25  # different cells that a part of a name may stand for
_MIN_TYPO_LETTERS = 5
_MAX_TYPO_WORDS = 5
_TYPO_SIMILARITY = 83
_LETTERS_OF_TWO_EDITS = 10
_MIN_FLAG_SCORE = 0.6  # of the link to a column of yes and no
_MAX_STEM_SPACES = 2  # of a name of which a word is said in another form
_MIN_FORM_LETTERS, _MAX_NOUN_ENDING = 5, 6


class LinkGrade(StrEnum):
    """How words name cells, from the surest to the least sure."""

    EXACT = auto()
    VALUE = auto()
    FLAG = auto()
    PART = auto()
    FORM = auto()
    TYPO = auto()


_STRENGTH = {
    LinkGrade.EXACT: 1.0,
    LinkGrade.VALUE: 0.8,
    LinkGrade.FLAG: 0.8,
    LinkGrade.PART: 0.6,
    LinkGrade.FORM: 0.5,
    LinkGrade.TYPO: 0.4,
}
WHOLE_GRADES = frozenset((LinkGrade.EXACT, LinkGrade.VALUE))  # of all words or the number of a cell
WEAK_GRADES = frozenset((LinkGrade.PART, LinkGrade.FORM, LinkGrade.TYPO))


@dataclass(frozen=True, slots=True)
class CellLink(WordSpan):
    """The words from ``first`` to before ``last`` name cells of a column."""

    first: int
    last: int
    column: int
    rows: CellMatch | CellRange
    grade: LinkGrade

    @property
    def strength(self) -> float:
        return _STRENGTH[self.grade] * sqrt(self.last - self.first)


def is_covered(link: CellLink, longer: CellLink) -> bool:
    """True if a longer name has the words of ``link``."""
    # By the ends and not by sets of positions: a wide table has millions of pairs.
    is_longer = longer.last - longer.first > link.last - link.first
    if not is_longer or link.first < longer.first or link.last > longer.last:
        return False
    if longer.grade not in (LinkGrade.EXACT, LinkGrade.PART):
        return False
    return longer.column == link.column or longer.grade == LinkGrade.EXACT


def selects_one_row(link: CellLink, table: TableSnapshot) -> bool:
    """True for a name or code that only one row has."""
    column = table.columns[link.column]
    is_name = column.is_unique and not column.is_ordered
    return is_name and len(link.rows.evaluate(table)) == 1


def link_cells(
    question: PlainQuestion, table: TableSnapshot, ranks: Sequence[RankPhrase]
) -> list[CellLink]:
    links = [*_exact_links(question, table), *_value_links(question, table)]
    links = [link for link in links if not _is_rank(link, ranks)]
    exact = {
        position for link in links if link.grade == LinkGrade.EXACT for position in link.positions
    }
    links += _partial_links(question, table, exact)
    linked = {position for link in links for position in link.positions}
    links += _typo_links(question, table, linked, exact)
    return [
        link
        for link in links
        if not (table.columns[link.column].counts_rows or _is_rank(link, ranks))
        # *how long* does not name the ``Long-nosed armadillo``.
        and not (
            link.last == link.first + 1 and question.words[link.first - 1 : link.first] == ("how",)
        )
    ]


def _is_rank(link: CellLink, ranks: Sequence[RankPhrase]) -> bool:
    """True for the number of *top 3 airports*, which does not name a cell ``3``."""
    numbers = (rank.number for rank in ranks)
    return any(link.first == n.first and link.positions <= n.positions for n in numbers)


def _exact_links(question: PlainQuestion, table: TableSnapshot) -> Iterator[CellLink]:
    words, size = question.words, len(question.words)
    for length in range(min(MAX_NAME_WORDS, size), 0, -1):
        for first in range(size - length + 1):
            last = first + length
            if (
                length == 1
                and words[first] in GRAMMAR_WORDS
                and not _is_capitalised(question, first)
            ):
                continue
            names = span_names(words, first, last)
            for column in count_each(table.columns, 1):
                texts = tuple(name for name in sorted(names) if name in column.rows_by_text)
                # *a lamp* is in ``map; lamp`` too.
                lists = (column.texts_by_part.get(name, ()) for name in texts)
                said = (column.texts_by_said_name.get(name, ()) for name in sorted(names))
                texts = tuple(dict.fromkeys(chain(texts, *lists, *said)))
                if texts:
                    match = CellMatch(column.position, texts)
                    yield CellLink(first, last, column.position, match, LinkGrade.EXACT)


def span_names(words: Sequence[str], first: int, last: int) -> set[str]:
    """Return the text of a span, as written and with a singular at its end."""
    return {" ".join(words[first:last]), join_singular(words[first:last])}


def _is_capitalised(question: PlainQuestion, position: int) -> bool:
    """*rain in May*: a word of grammar that is written as a name."""
    return position > 0 and question.written[position][:1].isupper()


def _value_links(question: PlainQuestion, table: TableSnapshot) -> Iterator[CellLink]:
    for number in question.numbers:
        unit = find_unit(number.value.unit) if number.value.unit else None
        fitting = table.find_measures(unit) if unit else frozenset[int]()
        for column in count_each(table.columns, 2):
            is_other = bool(fitting) and column.position not in fitting
            # *the first order* is not the order with the number 1.
            is_place = number.is_ordinal and column.is_identifier
            if not column.is_ordered or is_other or is_place:
                continue
            equal = CellRange(column.position, (("=", number.text),))
            if " ".join(question.words[number.first : number.last]) in column.rows_by_text:
                continue  # an exact link
            if equal.evaluate(table):
                yield CellLink(number.first, number.last, column.position, equal, LinkGrade.VALUE)


def link_flags(
    question: PlainQuestion, table: TableSnapshot, columns: dict[int, ColumnLink]
) -> Iterator[CellLink]:
    """*with a balcony*: the rows whose column *balcony* says yes."""
    for link in columns.values():
        column = table.columns[link.column]
        if column.is_flag and link.score >= _MIN_FLAG_SCORE:
            first, last = min(link.positions), max(link.positions) + 1
            is_out = question.words[max(0, first - 2) : first] == ("out", "of")
            texts = FALSE_TEXTS if is_out else TRUE_TEXTS
            yield _link_flag(column, first - 2 if is_out else first, last, texts)
    for column in table.columns:
        if column.is_flag:
            for position in question.content:
                if _is_opposite(question, position, column):
                    yield _link_flag(column, position, position + 1, FALSE_TEXTS)


def _link_flag(column: SnapshotColumn, first: int, last: int, said: frozenset[str]) -> CellLink:
    texts = tuple(sorted(said & column.rows_by_text.keys()))
    return CellLink(first, last, column.position, CellMatch(column.position, texts), LinkGrade.FLAG)


def _is_opposite(question: PlainQuestion, position: int, column: SnapshotColumn) -> bool:
    """*failed* for a column *passed*, *unpaid* for *paid*."""
    word = question.words[position]
    opposites = {f"{prefix}{name}" for prefix in ("un", "in", "non") for name in column.words}
    return word in opposites or not question.lexicon.opposites.get(word, frozenset()).isdisjoint(
        column.words
    )


def _partial_links(
    question: PlainQuestion, table: TableSnapshot, exact: set[int]
) -> Iterator[CellLink]:
    """Runs of content words that are a part of cells, the longest for each column."""
    content = sorted(question.content)
    header = {
        position
        for position in count_each(content, len(table.columns) // 2)
        if _is_header_typo(question.words[position], table)
    }
    for column in table.columns:
        covered: set[int] = set()
        for first in count_each(content, 4):
            if first in covered:
                continue
            last, texts = _longest_part(question, column, first)
            if texts and not frozenset(range(first, last)) <= exact:
                covered.update(range(first, last))
                match = CellMatch(column.position, texts)
                yield CellLink(first, last, column.position, match, LinkGrade.PART)
            elif (
                first not in exact
                and first not in header
                and (forms := _forms(question, first, column))
            ):
                match = CellMatch(column.position, forms)
                yield CellLink(first, first + 1, column.position, match, LinkGrade.FORM)


def _longest_part(
    question: PlainQuestion, column: SnapshotColumn, first: int
) -> tuple[int, tuple[str, ...]]:
    best: tuple[int, tuple[str, ...]] = (first, ())
    word = question.words[first]
    if len(word) < 3 and not word.isdigit():
        return best
    texts: Sequence[str] = column.texts_by_word.get(word, ())
    stem_texts = column.texts_by_word.get(question.stems[first], ())
    # *fires* are all that is called *… Fire*, not the few called *Fires*.
    is_kind = word != question.stems[first] and len(stem_texts) > MAX_PARTIAL_TEXTS
    if not texts:
        word = question.stems[first]
        # *launches* are not the ``Second Launch Pad``.
        in_word = column.texts_by_word.get(word, ())
        texts = [text for text in in_word if text.count(" ") < _MAX_STEM_SPACES]
    phrase = word
    last = first + 1
    while texts and last - first <= MAX_NAME_WORDS:
        if len(texts) <= MAX_PARTIAL_TEXTS and not (is_kind and last == first + 1):
            best = (last, tuple(texts))
        if last == len(question.words):
            break
        phrase += " " + question.words[last]
        texts = [text for text in texts if column.has_phrase(text, phrase)]
        last += 1
    # A run does not end with a word of grammar.
    end, longest_texts = best
    while end > first + 1 and end - 1 not in question.content:
        end -= 1
    return end, longest_texts


def _forms(question: PlainQuestion, position: int, column: SnapshotColumn) -> tuple[str, ...]:
    """Texts that are another form of a word: *nigerian* and *nigeria*, *won* and *W*."""
    word = question.words[position]
    if column.kind != "text":
        return ()
    values = question.lexicon.values.get(word, ())
    texts = tuple(text for text in values if text != word and text in column.rows_by_text)
    # The *smallest* field is not the one called ``Small``.
    is_extreme = position in question.cue_positions(*EXTREME_WORDS)
    if texts or is_extreme or len(word) < _MIN_FORM_LETTERS:
        return texts
    count_steps(len(column.rows_by_text) // 8)
    return tuple(
        text
        for text in column.rows_by_text
        if " " not in text
        and len(text) >= _MIN_FORM_LETTERS - 1
        and text != word
        and _is_form(word, text)
    )[:MAX_PARTIAL_TEXTS]


def _is_form(word: str, text: str) -> bool:
    shared = max(_MIN_FORM_LETTERS - 1, min(len(word), len(text)) - 1)
    if word[:shared] == text[:shared] and abs(len(word) - len(text)) <= 4:
        return True
    # *resigning* and *retired*, where a cell is ``Resignation`` or ``Retirement``
    verb = strip_verb_ending(word)
    is_deed = word != verb and text.startswith(verb) and text.endswith(WORDS.endings.verbal_nouns)
    return is_deed and len(verb) >= _MIN_FORM_LETTERS and len(text) - len(verb) <= _MAX_NOUN_ENDING


def _typo_links(
    question: PlainQuestion, table: TableSnapshot, linked: set[int], exact: set[int]
) -> Iterator[CellLink]:
    """Misspelt names: words that are not all linked, near the whole text of a cell; never numbers."""
    articles = {p - 1 for p in question.content if question.words[p - 1 : p] == ("the",)}
    for first in sorted((question.content | articles) - exact):
        for length in range(_MAX_TYPO_WORDS, 0, -1):
            last = first + length
            span = set(range(first, last))
            if last > len(question.words) or exact & span or span <= linked:
                continue
            text = " ".join(question.words[first:last])
            if sum(map(str.isalpha, text)) < _MIN_TYPO_LETTERS:
                continue
            if length == 1 and (
                question.lexicon.related_words(text) or _is_header_typo(text, table)
            ):
                continue
            for column in table.columns:
                if column.kind != "text":
                    continue
                count_steps(1 + len(column.rows_by_text) // 20)
                near = process.extractOne(
                    text,
                    column.rows_by_text.keys(),
                    scorer=fuzz.ratio,
                    score_cutoff=_TYPO_SIMILARITY,
                )
                if near is not None and near[0] != text and _is_typo(text, near[0]):
                    match = CellMatch(column.position, (near[0],))
                    yield CellLink(first, last, column.position, match, LinkGrade.TYPO)


def _is_header_typo(text: str, table: TableSnapshot) -> bool:
    """*salery* is nearer to a column ``Salary`` than to a cell ``Sales``."""
    words = {word for column in table.columns for word in column.words}
    return len(text) >= _MIN_TYPO_LETTERS and any(
        len(word) >= _MIN_TYPO_LETTERS and word != text and _is_typo(text, word) for word in words
    )


def _is_typo(text: str, name: str) -> bool:
    """True for one edit, or two of a long name: *Australia* is not *Austria*. Digits are as written."""
    edits = 1 + (min(len(text), len(name)) >= _LETTERS_OF_TWO_EDITS)
    return _digits(text) == _digits(name) and OSA.distance(text, name) <= edits


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
