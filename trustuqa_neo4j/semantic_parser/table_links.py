"""Links from words of a question to the cells and columns of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import sqrt
from typing import Literal

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from ..demonstrations.words import stem_similarity
from ..language.words import CARDINALS, DO_FORMS, stem
from ..values.units import find_unit
from .comparison_phrases import ComparisonPhrase, RankPhrase, find_comparisons, find_ranks
from .lexicon import Lexicon, strip_verb_ending
from .plans import CellMatch, CellRange
from .possession import Possession, find_possessions
from .question import GRAMMAR_WORDS, PlainQuestion
from .snapshot import FALSE_TEXTS, TRUE_TEXTS, SnapshotColumn, TableSnapshot

MAX_NAME_WORDS = 10
MAX_PARTIAL_TEXTS = 25  # different cells that a part of a name may stand for
_MIN_TYPO_LETTERS = 5
_MAX_TYPO_WORDS = 5
_TYPO_SIMILARITY = 83
_LETTERS_OF_TWO_EDITS = 10
_MIN_FLAG_SCORE = 0.7  # of the link to a column of yes and no
_MIN_FORM_LETTERS = 5
_MIN_SPLIT_LETTERS = 6  # of a word that a question may write as two
_MAX_ANCHOR_GAP = 3  # words between *than* and the name of a row

LinkGrade = Literal["exact", "value", "flag", "part", "form", "typo"]
_STRENGTH = {"exact": 1.0, "value": 0.8, "flag": 0.8, "part": 0.6, "form": 0.5, "typo": 0.4}


@dataclass(frozen=True, slots=True)
class CellLink:
    """The words from ``first`` to before ``last`` name cells of a column."""

    first: int
    last: int
    column: int
    rows: CellMatch | CellRange
    grade: LinkGrade

    @property
    def positions(self) -> frozenset[int]:
        return frozenset(range(self.first, self.last))

    @property
    def strength(self) -> float:
        return _STRENGTH[self.grade] * sqrt(self.last - self.first)


@dataclass(frozen=True, slots=True)
class ColumnLink:
    """Words at ``positions`` name a column; ``score`` is at most 1."""

    column: int
    positions: frozenset[int]
    score: float


@dataclass(frozen=True, slots=True)
class RowComparison:
    """``phrase`` compares with the row of ``anchor``."""

    phrase: ComparisonPhrase
    anchor: CellLink


@dataclass(frozen=True, slots=True)
class TableLinks:
    """``related`` are the words of the question that say something of a column, such as *pays* of a price.

    ``comparisons`` have a row of the table on their right side, ``ranks`` have an extreme. ``row_nouns`` are
    the positions of words that say what a row is.
    """

    cells: tuple[CellLink, ...]
    columns: dict[int, ColumnLink]
    related: dict[int, frozenset[int]] = field(default_factory=dict)
    comparisons: tuple[RowComparison, ...] = ()
    ranks: tuple[RankPhrase, ...] = ()
    possessions: tuple[Possession, ...] = ()
    row_nouns: frozenset[int] = frozenset()

    def column_score(self, column: int) -> float:
        link = self.columns.get(column)
        return link.score if link else 0.0


def link_table(question: PlainQuestion, table: TableSnapshot) -> TableLinks:
    columns = {
        column.position: link
        for column in table.columns
        if (link := _link_column(question, column)) is not None
    }
    for link in _link_measures(question, table, columns):
        columns.setdefault(link.column, link)
    ranks = tuple(find_ranks(question))
    cells = _link_cells(question, table, ranks)
    owned = _find_owned_nouns(question, table, columns, cells)
    rows = _link_rows(question, table, columns, owned)
    if rows is not None:
        named = columns.get(rows.column, rows)
        score = max(rows.score, named.score)
        columns[rows.column] = ColumnLink(rows.column, rows.positions | named.positions, score)
        for column in table.columns:
            # *employees* are the rows, not their ``EmployeeID`` or ``Employee since``.
            link = columns.get(column.position)
            is_partial = column.is_identifier or (link is not None and link.score < _WHOLE)
            is_other = column.position != rows.column
            if link and is_partial and is_other and link.positions <= rows.positions:
                del columns[column.position]
    cells = [*cells, *_flag_links(question, table, columns)]
    cells = _drop_amounts(cells, question, table, columns)
    cells = _drop_covered(cells, question, columns, rows)
    cells.sort(key=lambda link: (-link.strength, link.first, link.column))
    row_nouns = rows.positions if rows else frozenset[int]()
    related = {column.position: _related_positions(question, column) for column in table.columns}
    for position in related.keys() - columns.keys() - {table.name_column}:
        related[position] -= row_nouns
    comparisons = tuple(_compare_rows(question, table, cells, columns))
    spans: dict[tuple[int, int], set[int]] = {}
    for cell in cells:
        if cell.grade == "exact":
            spans.setdefault((cell.first, cell.last), set()).add(cell.column)
    words = {column: (entry.positions, entry.score) for column, entry in columns.items()}
    possessions = tuple(find_possessions(question, spans, words, related))
    return TableLinks(tuple(cells), columns, related, comparisons, ranks, possessions, row_nouns)


def _compare_rows(
    question: PlainQuestion,
    table: TableSnapshot,
    cells: Sequence[CellLink],
    columns: dict[int, ColumnLink],
) -> Iterator[RowComparison]:
    """*more than Hana Sato*, *after the Rome store*: the right side names one row."""
    rows = columns.get(table.name_column)
    nouns = rows.positions if rows else frozenset[int]()
    for phrase in find_comparisons(question):
        anchors = [
            link
            for link in cells
            if 0 <= link.first - phrase.last <= _MAX_ANCHOR_GAP
            and not (question.content - nouns).intersection(range(phrase.last, link.first))
            and _names_rows(table.columns[link.column])
            and _means_one_row(link, table)
            and not any(is_covered(link, longer) for longer in cells)
        ]
        # A name in several columns means the row that it names, not the row that refers to it.
        names = [link for link in anchors if table.columns[link.column].is_unique]
        yield from (RowComparison(phrase, link) for link in names or anchors)


def _means_one_row(link: CellLink, table: TableSnapshot) -> bool:
    is_match = isinstance(link.rows, CellMatch) and link.grade in ("exact", "part", "typo")
    return is_match and len(link.rows.evaluate(table)) == 1


def _names_rows(column: SnapshotColumn) -> bool:
    return column.kind == "text" or column.is_identifier


def is_covered(link: CellLink, longer: CellLink) -> bool:
    """True if a longer name has the words of ``link``."""
    if not link.positions < longer.positions or longer.grade not in ("exact", "part"):
        return False
    return longer.column == link.column or longer.grade == "exact"


def _related_positions(question: PlainQuestion, column: SnapshotColumn) -> frozenset[int]:
    """Return the positions of content words that may mean a word of the column's name, or its unit."""
    stems = dict.fromkeys((*column.content_stems, *sorted(column.measured_words - {*column.words})))
    return frozenset(
        position
        for position in question.content
        if any(_word_match(question, position, s) for s in stems)
        or _names_unit(question, position, column)
    )


def _names_unit(question: PlainQuestion, position: int, column: SnapshotColumn) -> bool:
    """*how many minutes of …*, of a column with ``45 min`` or called ``Length (min)``."""
    measure = column.measure
    if measure is None:
        return False
    unit = find_unit(question.words[position]) if len(question.words[position]) > 2 else None
    return unit is not None and unit.kind == measure.kind


def _link_measures(
    question: PlainQuestion, table: TableSnapshot, columns: dict[int, ColumnLink]
) -> Iterator[ColumnLink]:
    """*what does it cost*, of the only column of money, if no column is named so."""
    named = frozenset[int]().union(*(link.positions for link in columns.values()))
    for position in sorted(question.content - named):
        if question.stems[position] == "time":
            continue  # *what time* is no duration
        measured = [
            column.position
            for column in table.columns
            if column.position not in columns and _is_measured(question, position, column)
        ]
        if len(measured) == 1:
            yield ColumnLink(measured[0], frozenset((position,)), _MEASURE_SCORE)


def _is_measured(question: PlainQuestion, position: int, column: SnapshotColumn) -> bool:
    quantities = column.measured_words - {*column.words}
    is_quantity = any(_word_match(question, position, quantity) for quantity in quantities)
    return is_quantity or _names_unit(question, position, column)


def _link_cells(
    question: PlainQuestion, table: TableSnapshot, ranks: Sequence[RankPhrase]
) -> list[CellLink]:
    links = [*_exact_links(question, table), *_value_links(question, table)]
    ranking = {rank.number.positions for rank in ranks}
    links = [link for link in links if link.positions not in ranking]
    exact = {position for link in links if link.grade == "exact" for position in link.positions}
    links += _partial_links(question, table, exact)
    linked = {position for link in links for position in link.positions}
    links += _typo_links(question, table, linked, exact)
    return links


def _drop_amounts(
    links: list[CellLink],
    question: PlainQuestion,
    table: TableSnapshot,
    columns: Mapping[int, ColumnLink],
) -> list[CellLink]:
    """Leave out amounts that the year of *in 2020* happens to equal, where a column of dates has the year."""
    years = {n.positions for n in question.numbers if n.value.start is not None}
    in_dates = {link.positions for link in links if table.columns[link.column].kind == "date"}
    amounts = {c.position for c in table.columns if c.kind == "number"} - columns.keys()
    dated = years & in_dates
    return [link for link in links if link.column not in amounts or link.positions not in dated]


def _drop_covered(
    links: list[CellLink],
    question: PlainQuestion,
    columns: Mapping[int, ColumnLink],
    rows: ColumnLink | None,
) -> list[CellLink]:
    """Leave out what has another meaning: *tools* for the rows, *2024* in the name of a column.

    In a table of tools, *tools* are no ``Power tools``.
    """
    nouns = rows.positions if rows else frozenset[int]()
    years = frozenset[int]().union(*(c.positions for c in columns.values() if len(c.positions) > 1))
    years &= {n.first for n in question.numbers if n.value.start is not None}
    return [
        link
        for link in links
        if not (link.grade in ("part", "form") and link.positions <= nouns)
        and not link.positions <= years
    ]


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
            for column in table.columns:
                texts = tuple(name for name in sorted(names) if name in column.rows_by_text)
                if texts:
                    match = CellMatch(column.position, texts)
                    yield CellLink(first, last, column.position, match, "exact")


def span_names(words: Sequence[str], first: int, last: int) -> set[str]:
    """Return the text of a span, as written and with a singular at its end."""
    return {
        " ".join(words[first:last]),
        " ".join((*words[first : last - 1], stem(words[last - 1]))),
    }


def _is_capitalised(question: PlainQuestion, position: int) -> bool:
    """*rain in May*: a word of grammar that is written as a name."""
    return position > 0 and question.written[position][:1].isupper()


def _value_links(question: PlainQuestion, table: TableSnapshot) -> Iterator[CellLink]:
    for number in question.numbers:
        for column in table.columns:
            if not column.is_ordered:
                continue
            equal = CellRange(column.position, (("=", number.text),))
            if " ".join(question.words[number.first : number.last]) in column.rows_by_text:
                continue  # an exact link
            if equal.evaluate(table):
                yield CellLink(number.first, number.last, column.position, equal, "value")


def _flag_links(
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
    return CellLink(first, last, column.position, CellMatch(column.position, texts), "flag")


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
    for column in table.columns:
        covered: set[int] = set()
        for first in sorted(question.content):
            if first in covered:
                continue
            last, texts = _longest_part(question, column, first)
            if texts and not frozenset(range(first, last)) <= exact:
                covered.update(range(first, last))
                match = CellMatch(column.position, texts)
                yield CellLink(first, last, column.position, match, "part")
            elif first not in exact and (forms := _forms(question, first, column)):
                match = CellMatch(column.position, forms)
                yield CellLink(first, first + 1, column.position, match, "form")


def _longest_part(
    question: PlainQuestion, column: SnapshotColumn, first: int
) -> tuple[int, tuple[str, ...]]:
    best: tuple[int, tuple[str, ...]] = (first, ())
    word = question.words[first]
    if len(word) < 3 and not word.isdigit():
        return best
    texts: Sequence[str] = column.texts_by_word.get(word, ())
    if not texts:
        word = question.stems[first]
        texts = column.texts_by_word.get(word, ())
    phrase = word
    last = first + 1
    while texts and last - first <= MAX_NAME_WORDS:
        if len(texts) <= MAX_PARTIAL_TEXTS:
            best = (last, tuple(texts))
        if last == len(question.words):
            break
        phrase += " " + question.words[last]
        texts = [text for text in texts if f" {phrase} " in f" {text} "]
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
    if texts or len(word) < _MIN_FORM_LETTERS:
        return texts
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
    return word[:shared] == text[:shared] and abs(len(word) - len(text)) <= 4


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
            if length == 1 and question.lexicon.related_words(text):
                continue
            for column in table.columns:
                if column.kind != "text":
                    continue
                near = process.extractOne(
                    text,
                    column.rows_by_text.keys(),
                    scorer=fuzz.ratio,
                    score_cutoff=_TYPO_SIMILARITY,
                )
                if near is not None and near[0] != text and _is_typo(text, near[0]):
                    match = CellMatch(column.position, (near[0],))
                    yield CellLink(first, last, column.position, match, "typo")


def _is_typo(text: str, name: str) -> bool:
    """True for one edit, or two of a long name: *Australia* is not *Austria*. Digits are as written."""
    edits = 1 + (min(len(text), len(name)) >= _LETTERS_OF_TWO_EDITS)
    return _digits(text) == _digits(name) and OSA.distance(text, name) <= edits


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


_MEASURE_SCORE = 0.5  # of a column of whose name the question has no word
_VERB_ENDINGS = ("ed", "ing", "ings")
_MIN_VERB_LETTERS = 4
_FORM_MATCH = 0.8
_STEM_MATCH, _RELATED_MATCH, _ROW_MATCH, _WHOLE = 1.0, 0.6, 0.7, 1.0
_MAX_ABBREVIATION, _MIN_PREFIX, _MIN_CUT = 5, 3, 3  # letters
_VOWELS = frozenset("aeiou")
_BEFORE_SUBJECTS = DO_FORMS | {"has", "have", "had"}


def _measure_positions(table: TableSnapshot, columns: Mapping[int, ColumnLink]) -> frozenset[int]:
    """Positions of words that name a column of numbers by its one word: *rain* for ``Rainfall (mm)``."""
    return frozenset[int]().union(
        *(
            link.positions
            for link in columns.values()
            if table.columns[link.column].kind == "number"
            and not table.columns[link.column].is_identifier
            and len(table.columns[link.column].main_stems) == 1
        )
    )


def _find_owned_nouns(
    question: PlainQuestion,
    table: TableSnapshot,
    columns: Mapping[int, ColumnLink],
    cells: Sequence[CellLink],
) -> frozenset[int]:
    """Find nouns for what a row has, where the table is named after it and each row has a name of its own.

    *medals* in *how many medals did Japan win* and in *which nation won the most medals* are no rows. In
    *gold medals* the noun belongs to a column, and says of what kind it is.
    """
    names = table.columns[table.name_column]
    has_measure = any(c.kind == "number" and not c.is_identifier for c in table.columns)
    if not has_measure or not names.is_unique:
        return frozenset()
    asked, stems, owned = question.asked_noun, question.stems, set[int]()
    if question.kind == "how many" and {stems[position] for position in asked} <= table.row_nouns:
        for link in cells:
            before = [word for word in question.words[: link.first] if word != "the"]
            is_subject = bool(_BEFORE_SUBJECTS & {*before[-1:]})
            if is_subject and link.column == table.name_column and _means_one_row(link, table):
                owned |= asked
    named = columns.get(table.name_column)
    if question.kind == "who" or (named is not None and named.positions & asked):
        measured = (cue.last for cue in question.cues if cue.operator in ("frequent", "rare"))
        owned.update(p for p in measured if p < len(stems) and stems[p] in table.row_nouns)
    return frozenset(owned)


def _link_rows(
    question: PlainQuestion,
    table: TableSnapshot,
    columns: Mapping[int, ColumnLink],
    owned: frozenset[int],
) -> ColumnLink | None:
    """Words of the table's name mean its rows, and so the column of their names.

    So do *entry* and *row*, and *person* where a column of persons names the rows, unless they name another
    column.
    """
    nouns = question.lexicon.row_nouns
    names = table.columns[table.name_column]
    if question.lexicon.answer_types["who"] & {*names.words, *names.stems}:
        nouns |= question.lexicon.person_nouns
    named = frozenset[int]().union(
        *(link.positions for link in columns.values() if link.score == 1)
    )
    measures = _measure_positions(table, columns)
    positions = frozenset(
        position
        for position in question.content - owned
        if question.stems[position] in table.row_nouns
        or (
            position not in measures
            and table.row_nouns & question.lexicon.related_words(question.words[position])
        )
        or (position not in named and question.stems[position] in nouns)
    )
    return ColumnLink(table.name_column, positions, _ROW_MATCH) if positions else None


def asks_for_frequency(question: PlainQuestion, links: TableLinks) -> bool:
    """True for *the most orders* and *the fewest number of orders*, if a row is an order."""
    for cue in question.cues:
        if cue.operator in ("frequent", "rare"):
            is_number = question.words[cue.last : cue.last + 2] == ("number", "of")
            if cue.last + 2 * is_number in links.row_nouns:
                return True
    return False


def _link_column(question: PlainQuestion, column: SnapshotColumn) -> ColumnLink | None:
    """Match each word of the column's name with its best word of the question.

    What is in brackets need not be named.
    """
    stems = column.content_stems or column.stems
    link = _link_stems(question, column, column.main_stems)
    if column.main_stems == stems:
        return link
    whole = _link_stems(question, column, stems)
    if link is None or whole is None:
        return whole
    return replace(link, positions=link.positions | whole.positions)


def _link_stems(
    question: PlainQuestion, column: SnapshotColumn, stems: Sequence[str]
) -> ColumnLink | None:
    if not stems:
        return None
    positions: set[int] = set()
    total = 0.0
    for column_stem in stems:
        pair = _find_split_word(question, column_stem)
        if pair is not None:
            positions.update((pair, pair + 1))
            total += _STEM_MATCH
            continue
        score, position = max(
            ((_word_match(question, place, column_stem), -place) for place in _searched(question)),
            default=(0.0, 0),
        )
        if score:
            positions.add(-position)
            total += score
    if not positions:
        return None
    coverage = total / len(stems)
    best = min(1.0, total)
    return ColumnLink(column.position, frozenset(positions), round(0.5 * best + 0.5 * coverage, 4))


def _find_split_word(question: PlainQuestion, column_stem: str) -> int | None:
    """Find the first of two words that are one word in the name of a column: *news letter*."""
    if len(column_stem) < _MIN_SPLIT_LETTERS:
        return None
    pairs = enumerate(pairwise(question.words))
    return next((place for place, pair in pairs if stem("".join(pair)) == column_stem), None)


def _searched(question: PlainQuestion) -> list[int]:
    return [
        position
        for position, word in enumerate(question.words)
        if position in question.content or word in question.lexicon.synonyms or len(word) > 3
    ]


def _word_match(question: PlainQuestion, position: int, column_stem: str) -> float:
    word, word_stem = question.words[position], question.stems[position]
    if word_stem == column_stem:
        return _STEM_MATCH
    if word in CARDINALS:
        return 0.0
    if _is_same_verb(word, column_stem):
        return _FORM_MATCH  # *bookings* and *booked*
    similarity = stem_similarity(word_stem, column_stem) if len(word_stem) > 3 else 0.0
    related = question.lexicon.related_words(word) | question.lexicon.related_words(word_stem)
    if (
        column_stem in related
        or any(stem(entry) == column_stem for entry in related)
        or any(_is_abbreviation(column_stem, entry, question.lexicon) for entry in (word, *related))
    ):
        similarity = max(similarity, _RELATED_MATCH)
    return similarity


def _is_same_verb(word: str, column_stem: str) -> bool:
    """*hired*, *hiring* and *hires*, with at least one ending of a verb."""
    verb = strip_verb_ending(word)
    has_ending = word.endswith(_VERB_ENDINGS) or column_stem.endswith(_VERB_ENDINGS)
    return has_ending and len(verb) >= _MIN_VERB_LETTERS and verb == strip_verb_ending(column_stem)


def _is_abbreviation(text: str, word: str, lexicon: Lexicon) -> bool:
    """True if ``text`` is some consonants of ``word``, or its first letters: *mgr*, *elec*, *dept*.

    The last letter may come from anywhere after the first ones. A word of the lexicon is no first letters.
    """
    if not 2 <= len(text) <= _MAX_ABBREVIATION or text[0] != word[0] or not text.isalpha():
        return False
    letters = iter(word)
    if not _VOWELS & {*text[1:]}:
        return len(word) > len(text) + 1 and all(letter in letters for letter in text)
    if len(text) < _MIN_PREFIX or len(word) - len(text) < _MIN_CUT or text in lexicon.vocabulary:
        return False
    start = text[:-1] if len(text) > _MIN_PREFIX else text
    return word.startswith(start) and text[-1] in word[len(start) - 1 :]
