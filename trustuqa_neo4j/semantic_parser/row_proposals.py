"""Proposes sets of rows for a question: bases from links and comparisons, and selections among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from ..deadline import count_each, count_steps
from ..lexicon.lexicon import BOUND_OPERATORS, Cue
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..values.units import find_unit, is_counted_word
from .cell_links import CellLink, LinkGrade, is_covered
from .comparison_phrases import (
    DATE_EXTREMES,
    EXTREME_WORDS,
    NUMBER_EXTREMES,
    asks_for_adjacent,
    find_average_bounds,
    find_bounds,
    find_events,
)
from .question import PlainQuestion, QuestionNumber
from .row_plans import (
    AllRows,
    AverageRows,
    CellRange,
    ColumnComparison,
    ComparedRows,
    Complement,
    Conjunction,
    Disjunction,
    ExtremeRows,
    FilledRows,
    NeighbourRow,
    PlacedRow,
    PlanFailure,
    RankedRows,
    Rows,
    SameValueRows,
)
from .snapshot import SnapshotColumn, TableSnapshot
from .table_links import RowComparison, TableLinks
from .text_phrases import find_text_phrases

MAX_LINKS, MAX_BASES, MAX_PAIRED = 8, 12, 12
_MAX_ORDERED_COLUMNS, _MAX_COMPARED_COLUMNS, _MAX_SHARED_COLUMNS = 6, 4, 4
_MAX_NEGATED, _MAX_TEXT_COLUMNS, _MAX_TRIPLED = 4, 4, 4
_NOTHING_LEFT = {tuple(phrase.split()) for phrase in WORDS.verbs.nothing_left}
_MAX_TIMES = 2  # columns of times for two years, among many columns of numbers
_TIME_BOUNDS = WORDS.times.bounds
_PERCENT_WORDS = WORDS.columns.percentages
_MIN_FILLED_SCORE = 0.6  # of the link to the column

_BOUNDS = {(f"range:{operator}",) for operator in BOUND_OPERATORS.values()}


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows with the positions of the question that they explain, and the operators that they use."""

    rows: Rows
    positions: frozenset[int] = frozenset()
    operators: tuple[str, ...] = ()
    links: tuple[CellLink, ...] = ()
    columns: frozenset[int] = frozenset()

    @property
    def is_all(self) -> bool:
        return isinstance(self.rows, AllRows)

    def extend(
        self,
        rows: Rows,
        operator: str,
        positions: frozenset[int],
        columns: frozenset[int] = frozenset(),
    ) -> Selection:
        return Selection(
            rows,
            self.positions | positions,
            (*self.operators, operator),
            self.links,
            self.columns | columns,
        )


def select_link(link: CellLink) -> Selection:
    columns = frozenset((link.column,))
    return Selection(link.rows, link.positions, (f"match:{link.grade}",), (link,), columns)


def join_selections(first: Selection, second: Selection, rows: Rows, *operators: str) -> Selection:
    return Selection(
        rows,
        first.positions | second.positions,
        (*operators, *sorted((*first.operators, *second.operators))),
        first.links + second.links,
        first.columns | second.columns,
    )


def _restrict_one_column(first: Selection, second: Selection) -> bool:
    """*more than 5 but fewer than 9*, *with 'a' and starting with C*: two conditions of one column."""
    operators = {first.operators, second.operators}
    is_text = all(name.startswith("text:") for name in (*first.operators, *second.operators))
    return is_text or (len(operators) == 2 and operators <= _BOUNDS)


class RowProposer:
    def __init__(self, question: PlainQuestion, table: TableSnapshot, links: TableLinks) -> None:
        self.question: PlainQuestion = question
        self.table: TableSnapshot = table
        self.links: TableLinks = links
        self.cells: list[CellLink] = self._best_links()
        self.events: frozenset[int] = find_events(question)
        ranges = (
            *self._row_comparisons(),
            *self._comparisons(),
            *self._intervals(),
            *self._averages(),
            *self._column_comparisons(),
        )
        self.ranges: list[Selection] = [s for s in ranges if self._is_comparable(s)]
        self.filled: list[Selection] = list(self._filled())
        self.texts: list[Selection] = list(self._texts())

    def propose(self) -> Iterator[Selection]:
        for base in self._bases():
            yield base
            yield from self._select(base)

    def column_positions(self, column: int) -> frozenset[int]:
        """The words that name a column, or say something of it."""
        link = self.links.columns.get(column)
        related = self.links.related.get(column, frozenset())
        return related | link.positions if link else related

    @cached_property
    def link_pairs(self) -> tuple[tuple[Selection, Selection], ...]:
        """Two different links to one column, in the order of the question, such as the two of *A or B*.

        Numbers link to many columns: those of a column that the question names are never left out.
        """
        named = (link for link in self.links.cells if self.links.column_score(link.column))
        # Without a set: its order differs from run to run.
        cells = sorted(dict.fromkeys((*self.cells, *named)), key=lambda link: link.first)
        by_column: dict[int, list[CellLink]] = {}
        for link in reversed(cells):
            by_column.setdefault(link.column, []).append(link)
        pairs = []
        for first in cells:
            later = by_column[first.column]
            later.pop()  # the link itself
            for second in count_each(reversed(later), 1):
                if second.first >= first.last and first.rows != second.rows:
                    count_steps(10)
                    pairs.append((select_link(first), select_link(second)))
        return tuple(pairs)

    def ordered_columns(self, word: str) -> list[int]:
        """The columns in which ``word`` (*highest*, *latest*) can select, those named first."""
        kinds = ("date", "year") if word in DATE_EXTREMES else ("number", "year")
        columns = (self.table.columns[column] for column in self._by_score(kinds))
        # *the highest order number* ranks identifiers, *the nearest order* does not.
        measures = (c for c in columns if not c.is_identifier or c.stems[-1] in self.question.stems)
        return [column.position for column in islice(measures, _MAX_ORDERED_COLUMNS)]

    def _by_score(self, kinds: tuple[str, ...]) -> list[int]:
        columns = [column for column in self.table.columns if column.kind in kinds]

        def order(column: SnapshotColumn) -> tuple[bool, float]:
            return column.is_identifier, -self.links.column_score(column.position)

        return [column.position for column in sorted(columns, key=order)]

    def _best_links(self) -> list[CellLink]:
        """The strongest links; a link inside a longer link is left out."""
        links = self.links.cells
        uncovered = (
            link
            for link in count_each(links, len(links) // 10)
            if not any(is_covered(link, longer) for longer in links)
        )
        return list(islice(uncovered, MAX_LINKS))

    # Bases

    def _bases(self) -> list[Selection]:
        linked = [select_link(link) for link in self.cells]
        singles = [*linked, *self.ranges, *self.texts, *self.filled, *self._zeros()]
        singles.sort(key=lambda single: -self._explained(single))
        pairs = [
            pair
            for first, second in combinations(singles[:MAX_PAIRED], 2)
            if not first.positions & second.positions and self._can_join(first, second)
            for pair in (join_selections(first, second, Conjunction(first.rows, second.rows)),)
            if pair.rows.evaluate(self.table)
        ]
        pairs += self._triples(pairs, singles)
        either = list(self._either())
        both = [
            join_selections(choice, single, Conjunction(choice.rows, single.rows))
            for choice in either[:3]
            for single in singles[:MAX_LINKS]
            if not choice.positions & single.positions and not choice.columns & single.columns
        ]
        negated = self._negated(
            [*self.filled, *linked[:_MAX_NEGATED], *either[:2], *self.texts], singles
        )
        bases = [*singles, *pairs, *negated, *either, *both]
        ordered = sorted(bases, key=lambda base: -self._explained(base))
        return [Selection(AllRows()), *ordered[:MAX_BASES]]

    def _triples(
        self, pairs: Sequence[Selection], singles: Sequence[Selection]
    ) -> Iterator[Selection]:
        """*Reform members from the North who retired*: the best pairs with one condition more."""
        found: set[frozenset[int]] = set()
        for pair in sorted(pairs, key=lambda pair: -self._explained(pair))[:_MAX_TRIPLED]:
            for single in singles[:MAX_LINKS]:
                positions, columns = (
                    pair.positions | single.positions,
                    pair.columns | single.columns,
                )
                is_apart = not (pair.positions & single.positions or pair.columns & single.columns)
                if is_apart and positions not in found:
                    found.add(positions)
                    triple = join_selections(pair, single, Conjunction(pair.rows, single.rows))
                    if len(columns) > 2 and triple.rows.evaluate(self.table):
                        yield triple

    def _can_join(self, first: Selection, second: Selection) -> bool:
        """Two bounds are of one column, unless the question names both columns or has a unit."""
        if first.columns & second.columns:
            return _restrict_one_column(first, second)
        if not {first.operators, second.operators} <= _BOUNDS:
            return True
        units = (number.value.unit for number in self.question.numbers)
        has_unit = any(unit and not is_counted_word(unit) for unit in units)
        return has_unit or first.columns | second.columns <= self.links.columns.keys()

    def _explained(self, base: Selection) -> float:
        strength = sum(link.strength for link in base.links)
        named = sum(self.links.column_score(column) for column in base.columns)
        return len(base.positions & self.question.content) + strength + named

    def _is_comparable(self, selection: Selection) -> bool:
        count_steps(10 + self.table.size // 4)
        try:
            selection.rows.evaluate(self.table)
        except PlanFailure:
            return False
        return True

    def _row_comparisons(self) -> Iterator[Selection]:
        """*who earns more than Hana Sato*: the rows compared with the row of a name."""
        for comparison in self.links.comparisons:
            phrase, anchor = comparison.phrase, comparison.anchor
            for column in self._compared_columns(comparison):
                rows = ComparedRows(anchor.rows, column, phrase.operator)
                explained = phrase.positions | anchor.positions | self.column_positions(column)
                columns, operators = frozenset((column,)), (f"rows:{phrase.operator}",)
                yield Selection(rows, explained, operators, (), columns)

    def _compared_columns(self, comparison: RowComparison) -> list[int]:
        """Return the columns that the question names, else those that can be compared at all."""
        phrase = comparison.phrase
        word = self.question.words[phrase.word]
        ordered = self.fitting_columns(word, phrase.extreme)
        ordered = [column for column in ordered if column != comparison.anchor.column]
        named = [column for column in ordered if self._is_compared(column)]
        return (named or ordered)[:_MAX_COMPARED_COLUMNS]

    def _is_compared(self, column: int) -> bool:
        """True if the question names a column; *order* names the rows, not only their ``order_date``."""
        nouns = self.column_positions(self.table.name_column)
        return bool(self.column_positions(column) - nouns)

    def fitting_columns(self, word: str, extreme: str) -> list[int]:
        """Return the ordered columns that an adjective measures, else all of them."""
        ordered = self.ordered_columns(extreme)
        dimension = self.question.lexicon.dimensions.get(word)
        measured = dimension.extremes.get(extreme) if dimension else None
        if dimension is None or measured is None:
            return ordered
        fitting = [c for c in ordered if measured & self.table.columns[c].measured_words]
        # *older* means an age or a date: no other number.
        generic = self.question.lexicon.operators.get(word, ())
        is_possible = extreme in generic or len(dimension.extremes) == 1
        return fitting or (ordered if is_possible else [])

    def _comparisons(self) -> Iterator[Selection]:
        rows = self.column_positions(self.table.name_column) | self.links.row_nouns
        for number in self.question.numbers:
            if number.is_month:
                continue  # *before March*: of which year?
            counts_rows = number.noun in rows  # *more than one store*
            comparable = self._comparable_columns(number)
            for operator, positions in find_bounds(self.question, number):
                for column in self._times_of(number, positions) or comparable:
                    if counts_rows and not self._is_named_beside(column, number.noun):
                        continue
                    name = self.table.columns[column].words
                    if number.first in self.column_positions(column) and number.text in name:
                        continue  # *over budget in 2024*, of a ``Budget 2024``
                    explained, columns = number.positions | positions, frozenset((column,))
                    compared = CellRange(column, ((operator, self._write_bound(number, column)),))
                    yield Selection(compared, explained, (f"range:{operator}",), (), columns)

    def _intervals(self) -> Iterator[Selection]:
        """*between 1990 and 2000*, *from 5 to 9*, *3 to 5 hours*."""
        words = self.question.words
        for first, second in combinations(self.question.numbers, 2):
            separator, before = words[first.last : second.first], words[: first.first][-1:]
            is_marked = before in (("between",), ("from",))
            is_interval = separator == ("to",) or (
                is_marked and separator in (("and",), ("through",), ("until",))
            )
            if not is_interval or first.is_month or second.is_month:
                continue
            positions = first.positions | second.positions
            if is_marked:
                positions |= {first.first - 1}
            for column in self._columns_between(first):
                bounds = (self._write_bound(number, column) for number in (first, second))
                rows = CellRange(column, tuple(zip((">=", "<="), bounds, strict=True)))
                yield Selection(rows, positions, ("range:between",), (), frozenset((column,)))

    def _columns_between(self, number: QuestionNumber) -> list[int]:
        """Return the columns of times for years, unless the question names a column of amounts."""
        comparable = self._comparable_columns(number)
        times = self._by_score(("date", "year")) if number.value.start is not None else []
        is_named = any(self.column_positions(c) for c in comparable if c not in times)
        return [
            *dict.fromkeys((*times[:_MAX_TIMES], *(comparable if is_named or not times else ())))
        ]

    def _averages(self) -> Iterator[Selection]:
        """*who earns more than the average*, of a column that the question names, or of the only one."""
        for operator, positions in find_average_bounds(self.question):
            columns = [c for c in self._by_score(("number",)) if self._has_amounts(c)]
            named = [c for c in columns if self.column_positions(c)]
            for column in named[:_MAX_COMPARED_COLUMNS] or columns[: len(columns) == 1]:
                explained = positions | self.column_positions(column)
                rows, used = AverageRows(column, operator), frozenset((column,))
                yield Selection(rows, explained, ("range:average",), (), used)

    def _column_comparisons(self) -> Iterator[Selection]:
        """*returned after the due date*, if each row has a text of its own by which it is found again."""
        key = self.table.key_column
        if key is None:
            return
        for pair in self.links.pairs:
            if pair.first is None:
                continue
            extremes = [w for w in NUMBER_EXTREMES if self.question.has_cue(w)]
            for selector in extremes if pair.is_difference else [pair.operator]:
                rows = ColumnComparison(key, pair.first, pair.second, selector)
                positions = pair.positions | self.question.cue_positions(*extremes)
                columns = frozenset((pair.first, pair.second))
                yield Selection(rows, positions, (f"columns:{selector}",), (), columns)

    def _write_bound(self, number: QuestionNumber, column: int) -> str:
        """Write a number as the column has it.

        *300 pounds* are money in a column of pounds sterling, and *2 km* are 2000 in ``Height (m)``.
        """
        amount, unit, own = number.value.number, number.value.unit, self.table.columns[column]
        if amount is None or unit is None:
            return number.text
        if unit == "%" and own.unit is None:
            return f"{amount / 100:.12g}" if own.has_fractions else f"{amount:.12g}"
        if unit == "lb" and own.unit == "£":
            return f"£{amount:g}"
        measure, stated = find_unit(unit), own.stated_unit
        if own.unit is None and measure and stated and measure.kind == stated.kind:
            return f"{amount * measure.factor / stated.factor:.12g}"
        return number.text

    def _comparable_columns(self, number: QuestionNumber) -> list[int]:
        count_steps(4 * len(self.table.columns))
        kinds: tuple[str, ...] = ("number",)
        if number.value.start is not None:
            times = ("date", "year")
            kinds = times if number.value.number is None else (*times, "number")
        columns = [c for c in self._by_score(kinds) if self._has_amounts(c)]
        measure = find_unit(number.value.unit) if number.value.unit else None
        fitting = self.table.find_measures(measure) if measure else frozenset[int]()
        measured = [c for c in columns if c in fitting]
        if number.value.unit == "%":  # *more than 90 % women*
            shares = (c for c in columns if self._has_percentages(c))
            return [*islice(shares, _MAX_COMPARED_COLUMNS)]
        if ":" in number.text:  # a time of day is no other amount
            timed = (c for c in columns if self._has_times(c))
            return [*islice(timed, _MAX_COMPARED_COLUMNS)]
        if measured:
            return measured[:_MAX_COMPARED_COLUMNS]
        counted = [c for c in columns if self.column_positions(c) & number.positions]
        return (counted or columns)[:_MAX_COMPARED_COLUMNS]  # *3 faults*

    def _is_named_beside(self, column: int, noun: int) -> bool:
        """True if other words than ``noun`` name the column, or the noun is all of its name."""
        is_whole = self.links.column_score(column) == 1
        is_named = is_whole and not self.table.columns[column].is_identifier
        return is_named or bool(self.column_positions(column) - {noun})

    def _times_of(self, number: QuestionNumber, bound: frozenset[int]) -> list[int]:
        """Return the columns of times for *before 1970*, which is no amount where the rows have times."""
        is_time = not _TIME_BOUNDS.isdisjoint(self.question.words[place] for place in bound)
        if not is_time or number.value.start is None:
            return []
        return self._by_score(("date", "year"))[:_MAX_COMPARED_COLUMNS]

    def _has_times(self, column: int) -> bool:
        return any(":" in cell.text for _, cell in self.table.columns[column].members)

    def _has_percentages(self, column: int) -> bool:
        own = self.table.columns[column]
        is_share = own.has_fractions or not _PERCENT_WORDS.isdisjoint(own.words)
        return own.unit == "%" or "%" in own.name or is_share

    def _has_amounts(self, column: int) -> bool:
        """False for identifiers that the question does not name."""
        is_identifier = self.table.columns[column].is_identifier
        return not is_identifier or bool(self.links.column_score(column))

    def _filled(self) -> Iterator[Selection]:
        """The rows that have something in a column that the question names: *books that are borrowed*."""
        for link in self.links.columns.values():
            if (
                link.score >= _MIN_FILLED_SCORE
                and self.table.columns[link.column].has_unknown_cells
            ):
                rows, columns = FilledRows(link.column), frozenset((link.column,))
                yield Selection(rows, link.positions, ("filled",), (), columns)

    def _texts(self) -> Iterator[Selection]:
        """*titles containing love*, *names that start with A*."""
        named = collect_positions(self.links.columns.values())
        for phrase in find_text_phrases(self.question, named):
            for column in self._by_score(("text",))[:_MAX_TEXT_COLUMNS]:
                place = phrase.place
                if place is not None and place not in self.column_positions(column):
                    continue
                rows, columns = CellRange(column, ((phrase.operator, phrase.text),)), {column}
                if rows.evaluate(self.table):
                    operators = (f"text:{phrase.operator}",)
                    yield Selection(rows, phrase.positions, operators, (), frozenset(columns))

    def _zeros(self) -> Iterator[Selection]:
        """*out of stock*, *no faults*: the rows with a 0 in a column of numbers that the question names.

        In a column with empty cells, *no rating* is none of the numbers.
        """
        words = self.question.words
        nothing = {
            q
            for p in range(len(words) - 1)
            if words[p : p + 2] in _NOTHING_LEFT
            for q in (p, p + 1)
        }
        negations = self.question.cue_positions("not")
        for link in self.links.columns.values() if nothing or negations else ():
            column = self.table.columns[link.column]
            before = {min(link.positions) - 1, min(link.positions) - 2}  # *without a …*
            cue = nothing or before & negations
            if not cue or link.score < _MIN_FILLED_SCORE or column.kind != "number":
                continue
            if nothing or not column.has_unknown_cells:
                rows = CellRange(link.column, (("=", "0"),))
                positions, columns = link.positions | cue, frozenset((link.column,))
                if rows.evaluate(self.table):
                    yield Selection(rows, positions, ("zero",), (), columns)

    def _negated(self, bases: list[Selection], partners: list[Selection]) -> Iterator[Selection]:
        positions = self.question.cue_positions("not")
        if not positions:
            return
        for base in bases:
            excluded = Complement(base.rows)
            yield base.extend(excluded, "not", positions)
            for partner in partners[:_MAX_NEGATED]:
                if not partner.positions & base.positions and not partner.columns & base.columns:
                    rows = Conjunction(partner.rows, excluded)
                    joined = join_selections(partner, base, rows)
                    yield joined.extend(rows, "not", positions)

    def _either(self) -> Iterator[Selection]:
        if not {"or", "and", "both", "nor"} & set(self.question.words):
            return
        pairs = [
            join_selections(first, second, Disjunction(first.rows, second.rows), "either")
            for first, second in self.link_pairs
        ]
        for pair in pairs:
            for link in count_each(self.cells, 1):
                if link.column in pair.columns and link.first > max(pair.positions):
                    third = select_link(link)
                    yield join_selections(pair, third, Disjunction(pair.rows, third.rows))
        yield from pairs
        for first, second in self._flag_pairs():
            yield join_selections(first, second, Disjunction(first.rows, second.rows), "either")
        for first, second in (*combinations(self.texts, 2), *self._outer_ranges()):
            if first.columns == second.columns and not first.positions & second.positions:
                yield join_selections(first, second, Disjunction(first.rows, second.rows), "either")

    def _flag_pairs(self) -> Iterator[tuple[Selection, Selection]]:
        """*either insured or fragile*, *neither a pool nor a bar*: of two columns of yes and no."""
        flags = sorted(
            (link for link in self.cells if link.grade == LinkGrade.FLAG),
            key=lambda link: link.first,
        )
        for first, second in combinations(flags, 2):
            between = {*self.question.words[first.last : second.first]}
            if first.column != second.column and between & WORDS.grammar.disjunctions:
                yield select_link(first), select_link(second)

    def _outer_ranges(self) -> Iterator[tuple[Selection, Selection]]:
        """*before 1991 or after 1996*, *under 5 or over 9*."""
        for first, second in combinations(self.ranges, 2):
            ends = sorted((max(first.positions), min(second.positions)))
            if "or" in self.question.words[slice(*ends)] and first.operators != second.operators:
                yield first, second

    # Selections

    def _select(self, base: Selection) -> Iterator[Selection]:
        cues: dict[str, frozenset[int]] = {}
        for cue in self.question.cues:
            if not cue.positions & base.positions and not self._contradicts(cue):
                cues[cue.operator] = cues.get(cue.operator, frozenset()) | cue.positions
        yield from self._extremes(base, cues)
        yield from self._ranks(base)
        yield from self._places(base, cues)
        if not base.is_all:
            yield from self._neighbours(base, cues)
            yield from self._same(base, cues)

    def _contradicts(self, cue: Cue) -> bool:
        """*best* means the highest score, and the lowest rank only in a column of ranks."""
        if cue.last != cue.first + 1 or cue.operator not in EXTREME_WORDS:
            return False
        return not self.fitting_columns(self.question.words[cue.first], cue.operator)

    def _extremes(self, base: Selection, cues: dict[str, frozenset[int]]) -> Iterator[Selection]:
        for word in EXTREME_WORDS:
            if word not in cues:
                continue
            for column in self.ordered_columns(word):
                if column not in base.columns:
                    positions = cues[word] | self.column_positions(column)
                    if self.table.columns[column].kind in ("date", "year"):
                        positions |= self.events
                    rows = ExtremeRows(base.rows, column, word)
                    yield base.extend(rows, f"select:{word}", positions, frozenset((column,)))

    def _ranks(self, base: Selection) -> Iterator[Selection]:
        """*the second highest*, *the top 3*."""
        for rank in self.links.ranks:
            if rank.positions & base.positions or self._contradicts(rank.cue):
                continue
            word, kind = rank.cue.operator, "top" if rank.is_top else "ranked"
            for column in self.ordered_columns(word):
                if column not in base.columns:
                    rows = RankedRows(base.rows, column, word, rank.place, rank.is_top)
                    positions = rank.positions | self.column_positions(column)
                    operator = f"select:{kind} {word}"
                    yield base.extend(rows, operator, positions, frozenset((column,)))

    def _places(self, base: Selection, cues: dict[str, frozenset[int]]) -> Iterator[Selection]:
        if self.table.sources:
            return  # rows of several tables have no order
        for name, place in (("first", 1), ("last", -1)):
            if name in cues:
                yield base.extend(PlacedRow(base.rows, place), f"select:{name}", cues[name])
        ranking = {rank.number for rank in self.links.ranks}
        for number in self.question.numbers if base.is_all else ():
            if number in ranking:
                continue
            place = int(number.value.number or 0)
            if number.is_ordinal and 1 < place <= self.table.size:
                yield base.extend(PlacedRow(base.rows, place), "select:nth", number.positions)

    def _neighbours(self, base: Selection, cues: dict[str, frozenset[int]]) -> Iterator[Selection]:
        for name, by in (("next", 1), ("previous", -1)):
            if name not in cues or len(base.rows.evaluate(self.table)) != 1:
                continue
            if not self.table.sources:
                yield base.extend(NeighbourRow(base.rows, by), f"select:{name}", cues[name])
            yield from self._neighbours_in_time(base, name, cues[name])

    def _neighbours_in_time(
        self, base: Selection, name: str, positions: frozenset[int]
    ) -> Iterator[Selection]:
        """*released right after Alien*: the row with the next date, where the rows have no such order."""
        if not (self.events and asks_for_adjacent(self.question, name)):
            return
        operator, word = (">", "earliest") if name == "next" else ("<", "latest")
        for column in self.ordered_columns(word):
            if column not in base.columns:
                rows = ExtremeRows(ComparedRows(base.rows, column, operator), column, word)
                explained = positions | self.column_positions(column) | self.events
                yield base.extend(rows, f"select:{name} in time", explained, frozenset((column,)))

    def _same(self, base: Selection, cues: dict[str, frozenset[int]]) -> Iterator[Selection]:
        if "same" not in cues or not base.links:
            return
        named = [column for column in self.links.columns if column not in base.columns]
        repeated = [column.position for column in self.table.columns if not column.is_unique]
        columns = dict.fromkeys([*named, *(c for c in repeated if c not in base.columns)])
        for column in list(columns)[:_MAX_SHARED_COLUMNS]:
            positions = cues["same"] | self.column_positions(column)
            rows = SameValueRows(base.rows, column)
            yield base.extend(rows, "select:same", positions, frozenset((column,)))
