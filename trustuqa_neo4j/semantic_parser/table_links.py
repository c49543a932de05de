"""Links from words of a question to a table: its cells, columns and rows, and rows that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..deadline import count_each
from ..language.functions import SUMMARIES
from ..lexicon.lexicon import BOUND_OPERATORS
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from .cell_links import WEAK_GRADES, CellLink, LinkGrade, is_covered, link_cells, link_flags
from .column_comparisons import ColumnPair, find_column_pairs
from .column_links import (
    ColumnLink,
    find_related_words,
    link_agents,
    link_column,
    link_concepts,
    link_measures,
)
from .comparison_phrases import (
    NUMBER_EXTREMES,
    ComparisonPhrase,
    RankPhrase,
    drop_order,
    find_comparisons,
    find_measure_start,
    find_ranks,
)
from .possession import Possession, find_possessions
from .question import PlainQuestion
from .row_plans import CellMatch
from .snapshot import IDENTIFIER_WORDS, SnapshotColumn, TableSnapshot

_MAX_ANCHOR_GAP = 3  # words between *than* and the name of a row
_BEFORE_MEASURED = WORDS.grammar.articles | {"of"}
_MEASURING = (*SUMMARIES, *NUMBER_EXTREMES)
_ROW_SCORE, _WHOLE = 0.7, 1.0  # of the link to the column that names the rows, and of a whole name
_AMOUNT = "amount"
_NAMED = 0.8  # score of a column of which the question says nearly the whole name
_JOINED = 0.75  # score of columns that *and* joins
_JOINS = (WORDS.grammar.coordinations - WORDS.grammar.disjunctions) | {","}
_DETERMINERS = WORDS.grammar.articles | WORDS.grammar.possessives | _JOINS
_ASKING = WORDS.grammar.question_words | WORDS.grammar.prepositions
_NAMES = WORDS.columns.names
_DATE_PARTS = {
    tuple(phrase.split()): function for phrase, function in WORDS.times.date_parts.items()
}
_BEFORE_SUBJECTS = WORDS.grammar.do_forms | WORDS.grammar.have_forms


@dataclass(frozen=True, slots=True)
class RowComparison:
    """``phrase`` compares with the row of ``anchor``."""

    phrase: ComparisonPhrase
    anchor: CellLink


@dataclass(frozen=True, slots=True)
class DatePart:
    """A word for times that hold many dates, such as *month*, with its function; a group has one of them."""

    function: str  # of DATE_PARTS
    positions: frozenset[int]
    is_modifier: bool  # *monthly sales*


@dataclass(frozen=True, slots=True)
class TableLinks:
    """``related`` are the words of the question that say something of a column, such as *pays* of a price.

    ``comparisons`` have a row of the table on their right side, ``ranks`` have an extreme. ``row_nouns`` are
    the positions of words that say what a row is. ``joined`` are columns that only *and* stands between.
    ``date_parts`` are times by which the question may group the rows, ``pairs`` columns that it compares.
    """

    cells: tuple[CellLink, ...]
    columns: dict[int, ColumnLink]
    related: dict[int, frozenset[int]] = field(default_factory=dict)
    comparisons: tuple[RowComparison, ...] = ()
    ranks: tuple[RankPhrase, ...] = ()
    possessions: tuple[Possession, ...] = ()
    row_nouns: frozenset[int] = frozenset()
    joined: frozenset[int] = frozenset()
    date_parts: tuple[DatePart, ...] = ()
    pairs: tuple[ColumnPair, ...] = ()

    def whole_names(self, columns: Iterable[int]) -> frozenset[int]:
        """Return the words that name some of ``columns`` nearly whole, or by several words."""
        links = (self.columns[column] for column in columns if column in self.columns)
        named = (link for link in links if link.score >= _NAMED or len(link.positions) > 1)
        return collect_positions(named)

    def column_score(self, column: int) -> float:
        link = self.columns.get(column)
        return link.score if link else 0.0


def adapt_question(question: PlainQuestion, table: TableSnapshot) -> PlainQuestion:
    """Tell the question what the names of columns say of its words.

    *the amount of orders* is no count where the table has amounts, and *2023-24* is a season where columns
    are called so, and *by* has a measure after it where the question ranks.
    """
    question = drop_order(question)
    numbers = {s for column in table.columns if column.kind == "number" for s in column.stems}
    named = {
        place
        for first, pair in enumerate(pairwise(question.words))
        if all(map(str.isdigit, pair)) and any(pair in pairwise(c.words) for c in table.columns)
        for place in (first, first + 1)
    }
    start = find_measure_start(question, numbers)
    if not (_AMOUNT in numbers or named or start):
        return question  # with what was found in it for other tables
    measures = frozenset((_AMOUNT,)) if _AMOUNT in numbers else question.measures
    return replace(question, measures=measures, name_numbers=frozenset(named), measure_start=start)


def link_table(question: PlainQuestion, table: TableSnapshot) -> TableLinks:
    columns = {
        column.position: link
        for column in count_each(table.columns, 4 * len(question.words))
        if (link := link_column(question, column)) is not None
    }
    _drop_durations(question, table, columns)
    _drop_numbers_of_names(question, table, columns)
    ranks = tuple(find_ranks(question))
    cells = link_cells(question, table, ranks)
    _add_columns(question, table, columns, cells)
    owned = _find_owned_nouns(question, table, columns, cells)
    rows = _link_rows(question, table, columns, owned)
    agents = link_agents(question, table, columns)
    if agents is not None and not (rows and agents.positions & rows.positions):
        columns[agents.column] = agents
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
    nouns = question.row_noun.union(rank.number.noun for rank in ranks)
    _drop_parts_of_flags(question, table, columns, nouns)
    cells = [*cells, *link_flags(question, table, columns)]
    cells = _drop_amounts(cells, question, table, columns)
    cells = _drop_covered(cells, question, columns, rows)
    cells = _drop_other_ends(cells, question, table)
    cells.sort(key=lambda link: (-link.strength, link.first, link.column))
    row_nouns = rows.positions if rows else frozenset[int]()
    # A flag says yes or no of its name alone: *price* is not asked of ``Has ct curve``.
    related = {
        column.position: find_related_words(question, column)
        for column in table.columns
        if column.position in columns or not column.is_flag
    }
    for position in related.keys() - columns.keys() - {table.name_column}:
        related[position] -= row_nouns
    comparisons = tuple(_compare_rows(question, table, cells, columns))
    spans: dict[tuple[int, int], set[int]] = {}
    for cell in cells:
        if cell.grade == LinkGrade.EXACT:
            spans.setdefault((cell.first, cell.last), set()).add(cell.column)
    words = {column: (entry.positions, entry.score) for column, entry in columns.items()}
    possessions = tuple(find_possessions(question, spans, words, related))
    linked = TableLinks(tuple(cells), columns, related, comparisons, ranks, possessions, row_nouns)
    parts = tuple(_find_date_parts(question, table, linked))
    return replace(
        linked,
        joined=_find_joined_columns(question, linked),
        date_parts=parts,
        pairs=find_column_pairs(question, table, columns),
    )


def _add_columns(
    question: PlainQuestion,
    table: TableSnapshot,
    columns: dict[int, ColumnLink],
    cells: Sequence[CellLink],
) -> None:
    """Add links to columns that no word names, by what they measure or what words can mean."""
    for link in link_measures(question, table, columns):
        columns.setdefault(link.column, link)
    linked = collect_positions(cells)
    for link in link_concepts(question, table, columns):
        if link.positions.isdisjoint(linked):
            columns.setdefault(link.column, link)


def _drop_durations(
    question: PlainQuestion, table: TableSnapshot, columns: dict[int, ColumnLink]
) -> None:
    """*what time does it begin* asks for a time of day, if there is one."""
    words = question.words
    asked = frozenset(p for p in range(1, len(words)) if words[p - 1 : p + 1] == ("what", "time"))
    if asked and any(column.has_times for column in table.columns):
        for link in [*columns.values()]:
            if link.positions <= asked and not table.columns[link.column].has_times:
                del columns[link.column]


def _drop_numbers_of_names(
    question: PlainQuestion, table: TableSnapshot, columns: dict[int, ColumnLink]
) -> None:
    """*which route* asks for its ``route_short_name``, not for its ``route_id``."""
    linked = [table.columns[position] for position in columns]
    named = [column for column in linked if column.words[-1:] and column.words[-1] in _NAMES]
    for column in linked:
        *own, last = column.words or ("",)
        is_number = bool(own) and last in IDENTIFIER_WORDS and last not in question.words
        if is_number and any({*own} <= {*other.words} for other in named):
            del columns[column.position]


def _drop_parts_of_flags(
    question: PlainQuestion,
    table: TableSnapshot,
    columns: dict[int, ColumnLink],
    nouns: frozenset[int],
) -> None:
    """*fires* are the rows, not a ``Cal fire incident``; *nominal power* is not ``Has power curve``.

    ``nouns`` are the positions of nouns for the rows.
    """
    flags = [link for link in columns.values() if table.columns[link.column].is_flag]
    for flag in flags:
        better = (link.positions for link in columns.values() if link.score > flag.score)
        stems = {question.stems[position] for position in flag.positions}
        is_other = stems <= table.row_nouns or flag.positions <= nouns
        column = table.columns[flag.column]
        # *price* only means the same as a word of ``Has ct curve``; *camp* is all of ``Camping``.
        is_other |= len(column.main_stems) > 1 and stems.isdisjoint(column.stems)
        if (is_other and flag.score < _WHOLE) or any(flag.positions <= named for named in better):
            del columns[flag.column]


def _compare_rows(
    question: PlainQuestion,
    table: TableSnapshot,
    cells: Sequence[CellLink],
    columns: dict[int, ColumnLink],
) -> Iterator[RowComparison]:
    """*more than Hana Sato*, *after the Rome store*: the right side names one row."""
    rows = columns.get(table.name_column)
    nouns = rows.positions if rows else frozenset[int]()
    # *fewer than 4 orders* is not fewer than the order with the number 4.
    counts = {n.first for n in question.numbers if n.noun in nouns}
    for phrase in find_comparisons(question):
        anchors = [
            link
            for link in cells
            if 0 <= link.first - phrase.last <= _MAX_ANCHOR_GAP
            and link.first not in counts
            and not (question.content - nouns).intersection(range(phrase.last, link.first))
            and _names_rows(table.columns[link.column])
            and _means_one_row(link, table)
            and not any(is_covered(link, longer) for longer in cells)
        ]
        # A name in several columns means the row that it names, not the row that refers to it.
        names = [link for link in anchors if table.columns[link.column].is_unique]
        yield from (RowComparison(phrase, link) for link in names or anchors)


def _means_one_row(link: CellLink, table: TableSnapshot) -> bool:
    grades = (LinkGrade.EXACT, LinkGrade.PART, LinkGrade.TYPO)
    is_match = isinstance(link.rows, CellMatch) and link.grade in grades
    return is_match and len(link.rows.evaluate(table)) == 1


def _names_rows(column: SnapshotColumn) -> bool:
    return column.kind == "text" or column.is_identifier


def _drop_amounts(
    links: list[CellLink],
    question: PlainQuestion,
    table: TableSnapshot,
    columns: Mapping[int, ColumnLink],
) -> list[CellLink]:
    """Leave out amounts that the year of *in 2020* happens to equal, where a column of times has the year."""
    years = {n.positions for n in question.numbers if n.value.start is not None}
    in_times = {
        link.positions for link in links if table.columns[link.column].kind in ("date", "year")
    }
    amounts = {c.position for c in table.columns if c.kind == "number"} - columns.keys()
    dated = years & in_times
    return [link for link in links if link.column not in amounts or link.positions not in dated]


def _drop_covered(
    links: list[CellLink],
    question: PlainQuestion,
    columns: Mapping[int, ColumnLink],
    rows: ColumnLink | None,
) -> list[CellLink]:
    """Leave out what has another meaning: *tools* for the rows, *2024* in the name of a column.

    In a table of tools, *tools* are not ``Power tools``, and the name of a column is not a part of a cell.
    """
    nouns = rows.positions if rows else frozenset[int]()
    years = collect_positions(c for c in columns.values() if len(c.positions) > 1)
    years &= {n.first for n in question.numbers if n.value.start is not None}
    years |= question.name_numbers
    whole = question.cue_positions(*BOUND_OPERATORS)  # *least* is not a misspelt *East*
    whole = whole.union(*(c.positions for c in columns.values() if c.score == _WHOLE))
    return [
        link
        for link in links
        if not (link.grade in (LinkGrade.PART, LinkGrade.FORM) and link.positions <= nouns)
        and not (link.grade in WEAK_GRADES and link.positions <= whole)
        and not link.positions <= years
    ]


def _drop_other_ends(
    links: list[CellLink], question: PlainQuestion, table: TableSnapshot
) -> list[CellLink]:
    """*flights to Oslo* end in Oslo, if both a column ``To`` and a column ``From`` have it."""
    directions = question.lexicon.directions

    def find_end(link: CellLink) -> str | None:
        words = {*table.columns[link.column].words}
        return next((name for name, ends in directions.items() if words & ends), None)

    ends: dict[tuple[int, int], set[str | None]] = {}
    for link in links:
        ends.setdefault((link.first, link.last), set()).add(find_end(link))

    def is_other_end(link: CellLink) -> bool:
        before = [word for word in question.words[: link.first] if word != "the"][-1:]
        asked = before[0] if before and before[0] in directions else None
        is_possible = asked in ends[link.first, link.last]
        return asked is not None and is_possible and find_end(link) not in (None, asked)

    return [link for link in links if not is_other_end(link)]


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
    has_measure = any(column.has_amounts for column in table.columns)
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


def _find_measured_nouns(question: PlainQuestion, amounts: Iterable[ColumnLink]) -> frozenset[int]:
    """Find *rent* in *the total rent*, of a column ``Rent pcm`` in ``rent_roll.csv``.

    A plural is the rows: *the average of the orders*.
    """
    cues = (cue for cue in question.cues if cue.operator in _MEASURING)
    measured = {question.skip(cue.last, _BEFORE_MEASURED) for cue in cues}
    named = collect_positions(amounts) & measured
    return frozenset(p for p in named if question.words[p] == question.stems[p])


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
    named = collect_positions(link for link in columns.values() if link.score == 1)
    amounts = [link for link in columns.values() if table.columns[link.column].has_amounts]
    # *rain* names ``Rainfall (mm)`` by its one word.
    measures = collect_positions(n for n in amounts if len(table.columns[n.column].main_stems) == 1)
    positions = frozenset(
        position
        for position in question.content - owned - _find_measured_nouns(question, amounts)
        if question.stems[position] in table.row_nouns
        or (
            position not in measures
            and (
                table.row_nouns & question.lexicon.related_words(question.words[position])
                or (position not in named and question.stems[position] in nouns)
            )
        )
    )
    return ColumnLink(table.name_column, positions, _ROW_SCORE) if positions else None


def _find_date_parts(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> Iterator[DatePart]:
    """Find *by month*, *each year* and *monthly* over columns of dates, unless a column is called so."""
    if not any(column.kind == "date" for column in table.columns):
        return
    called = collect_positions(
        link
        for link in links.columns.values()
        if not table.columns[link.column].has_days and link.score >= _JOINED
    )
    for first, word in enumerate(question.words):
        for phrase, function in _DATE_PARTS.items():
            positions = frozenset(range(first, first + len(phrase)))
            is_said = question.words[first : first + len(phrase)] == phrase
            if is_said and not positions & called:
                yield DatePart(function, positions, word in WORDS.times.group_adjectives)


def _find_joined_columns(question: PlainQuestion, links: TableLinks) -> frozenset[int]:
    """Find the columns of *the names and fares of*, of which an answer has all; empty for one column."""
    spans = sorted(
        (*_first_run(link.positions - links.row_nouns or link.positions), link.column)
        for link in links.columns.values()
        if link.score >= _JOINED or link.positions & links.row_nouns
    )
    names = [link for link in links.cells if link.grade == LinkGrade.EXACT]
    joined: set[int] = set()
    for (_, last, column), (first, _, second) in pairwise(spans):
        comma = question.text[question.starts[last - 1] : question.starts[first]].strip()[-1:]
        between = (
            (comma, *question.words[last:first]) if comma == "," else question.words[last:first]
        )
        is_name = any(link.first < last <= first < link.last for link in names)
        is_asked = question.further_question in range(last, first)  # *and in which form*
        determiners = _DETERMINERS | _ASKING if is_asked else _DETERMINERS
        if {*between[:1]} & _JOINS and not is_name and {*between[1:]} <= determiners:
            joined |= {column, second}
    return frozenset(joined)


def _first_run(positions: frozenset[int]) -> tuple[int, int]:
    first = last = min(positions)
    while last in positions:
        last += 1
    return first, last


def asks_for_frequency(question: PlainQuestion, links: TableLinks) -> bool:
    """True for *the most orders* and *the fewest number of orders*, if a row is an order."""
    for cue in question.cues:
        if cue.operator in ("frequent", "rare"):
            is_number = question.words[cue.last : cue.last + 2] == ("number", "of")
            if cue.last + 2 * is_number in links.row_nouns:
                return True
    return False
