"""Proposes typed plans for a question over a table: rows, and the output made of them.

An operator is proposed only where a cue stands in the question: some hundred plans, not thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from ..deadline import count_each
from ..language.functions import DISTINCT, SUMMARIES, TOTAL
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from .cell_links import CellLink, LinkGrade, selects_one_row
from .column_comparisons import ColumnPair
from .comparison_phrases import (
    DATE_EXTREMES,
    EXTREME_WORDS,
    NUMBER_EXTREMES,
    RankPhrase,
    find_counts,
    find_frequencies,
)
from .plans import (
    MONTH,
    MONTH_NAME,
    AggregateDifference,
    CellAggregate,
    CellComparison,
    CellSpread,
    CellTable,
    ColumnDifference,
    CountDifference,
    Existence,
    FrequentCells,
    FrequentOfTwo,
    GroupedValues,
    GroupExtreme,
    GroupKey,
    MemberCellCount,
    MemberCells,
    RankedCounts,
    RankedGroups,
    RowCount,
    RowShare,
    SumShare,
    TablePlan,
    walk_plan,
)
from .possession import Possession
from .question import PlainQuestion
from .reading import AMOUNT_KINDS, normalize_member
from .row_plans import (
    AllRows,
    CellCounts,
    CellMatch,
    ColumnCells,
    Complement,
    Conjunction,
    Denoted,
    Disjunction,
    ExtremeRows,
    FrequentRows,
    PlacedRow,
    PlanFailure,
    RepeatedRows,
    Rows,
    ValueCount,
)
from .row_proposals import (
    RowProposer,
    Selection,
    join_selections,
    select_link,
)
from .snapshot import TableSnapshot
from .table_links import TableLinks

MAX_SELECTIONS, MAX_PLANS = 60, 260
_ANY_WORDS = WORDS.grammar.any
_EVERY_OF = WORDS.grammar.universals | WORDS.grammar.articles | WORDS.grammar.genitives
_MAX_OUTPUTS, _MAX_COUNTED, _MAX_NUMBERS, _MAX_DATED = 12, 5, 4, 2
_MONTHS = {MONTH: (MONTH, MONTH_NAME)}
_QUANTIFIERS = WORDS.grammar.quantifiers
_LONGER_TIMES = WORDS.times.longer_periods
_TOTALS = WORDS.nouns.totals
_EXTREMES_OF_GROUPS = {"highest": ("frequent",), "lowest": ("rare",)}


@dataclass(frozen=True)
class TableReading:
    """A plan with what of the question it explains, and its answer."""

    plan: TablePlan
    positions: frozenset[int]
    operators: tuple[str, ...]
    links: tuple[CellLink, ...]
    columns: frozenset[int]
    output: int | None
    members: tuple[Denoted, ...] = ()

    @cached_property
    def nodes(self) -> tuple[object, ...]:
        """The nodes of the plan, the outer ones first."""
        return tuple(walk_plan(self.plan))


def propose_readings(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> list[TableReading]:
    """Return readings with an answer, each plan once."""
    readings: dict[TablePlan, TableReading] = {}
    proposed = islice(_Proposer(question, table, links).propose(), MAX_PLANS)
    for reading in count_each(proposed, 50 + table.size // 4):
        if reading.plan in readings or any(_reverses(p, reading) for p in links.possessions):
            continue
        try:
            members = reading.plan.evaluate(table)
        except PlanFailure:
            continue
        if members and not _repeats_question(reading, members):
            readings[reading.plan] = replace(reading, members=members)
    return list(readings.values())


def _reverses(possession: Possession, reading: TableReading) -> bool:
    """True if Mei Lin's manager is asked for, and the reading asks whose manager she is."""
    matched = {link.column for link in reading.links if link.positions & possession.positions}
    is_output = reading.output == possession.column
    if possession.is_condition:
        return is_output and bool(matched) and possession.column not in matched
    return not is_output and possession.column in matched


def _repeats_question(reading: TableReading, members: tuple[Denoted, ...]) -> bool:
    """True if the answer is the cell that the question names: *Who directed Alien?* is not *Alien*."""
    if "output:cells" not in reading.operators:
        return False
    named = {
        text
        for link in reading.links
        if isinstance(link.rows, CellMatch)
        for text in (link.rows.texts if link.grade != LinkGrade.PART else ())
    }
    return {*map(normalize_member, members)} <= named


@dataclass(frozen=True, slots=True)
class _Grouping:
    """Keys of groups with the words for them; ``starts`` are those of the first of two keys."""

    keys: tuple[GroupKey, ...]
    positions: frozenset[int]
    is_modifier: bool = False
    starts: frozenset[int] = frozenset()


class _Proposer:
    def __init__(self, question: PlainQuestion, table: TableSnapshot, links: TableLinks) -> None:
        self.question, self.table, self.links = question, table, links
        self.rows = RowProposer(question, table, links)
        self.selections = list(islice(self.rows.propose(), MAX_SELECTIONS))
        self.outputs = self._output_columns()
        self.joined = links.joined
        linked = (link.positions for link in links.columns.values())
        is_linked = any(positions & question.head for positions in linked)
        # *Which flats …?* where no column is called flat: the noun says what the rows are.
        is_attribute = "what" in question.words and not question.asks_several
        noun = frozenset[int]() if is_linked or is_attribute else question.row_noun
        links_of_cells = (link.positions for link in links.cells)
        times = {p for p, word in enumerate(question.stems) if word in _LONGER_TIMES}
        noun = noun.difference(question.names, times, *links_of_cells)
        stems = {question.stems[position] for position in noun} if len(noun) == 1 else set()
        self.row_noun = frozenset(p for p, word in enumerate(question.stems) if word in stems)
        self.conjunctives = frozenset(
            p for p, word in enumerate(question.words) if word in WORDS.grammar.conjunctives
        )
        self.counted_values = list(self._counted_values())
        self.groupings = list(self._groupings())
        self.numbers = [
            c for c in self.rows.ordered_columns("highest") if self._kind(c) == "number"
        ]

    def propose(self) -> Iterator[TableReading]:
        yield from self._exceptions()
        yield from self._differences()
        yield from self._comparisons()
        yield from self._choices()
        if self.question.kind in WORDS.grammar.auxiliaries:
            yield from self._truths()
        for selection in self.selections:
            yield from self._cells(selection)
            yield from self._members(selection)
            yield from self._counts(selection)
            yield from self._shares(selection)
            yield from self._aggregates(selection)
            yield from self._frequent(selection)
            yield from self._ranked_members(selection)
            yield from self._groups(selection)
            yield from self._repeated(selection)

    def _kind(self, column: int) -> str:
        return self.table.columns[column].kind

    def _output_columns(self) -> list[int]:
        head, name = self.question.head, self.table.name_column

        def order(column: int) -> tuple[bool, float, bool, int]:
            is_head = bool(self.rows.column_positions(column) & head)
            return not is_head, -self.links.column_score(column), column != name, column

        return sorted((c.position for c in self.table.columns), key=order)[:_MAX_OUTPUTS]

    def _reading(
        self, selection: Selection, plan: TablePlan, output: str, column: int | None, cue: str = ""
    ) -> TableReading:
        positions = selection.positions | (self.question.cue_positions(cue) if cue else frozenset())
        columns = selection.columns if column is None else selection.columns | {column}
        positions = positions.union(*map(self.rows.column_positions, columns))
        names_rows = output == "cells" and column == self.table.name_column
        counts_rows = output == "count" or output.startswith("group count")
        # *which constellation is Vesta in* asks what the row of Vesta has, not which row it is.
        is_one = any(selects_one_row(link, self.table) for link in selection.links)
        if not is_one and (
            names_rows or (counts_rows and self.table.name_column not in selection.columns)
        ):
            positions |= self.row_noun
        operators = (*selection.operators, f"output:{output}")
        return TableReading(plan, positions, operators, selection.links, selection.columns, column)

    def _cells(self, selection: Selection) -> Iterator[TableReading]:
        if selection.is_all and not self.links.columns:
            return
        for column in self.outputs:
            yield self._reading(selection, ColumnCells(selection.rows, column), "cells", column)
        if len(self.joined) > 1 and not self.joined & selection.columns:
            columns = tuple(sorted(self.joined, key=self._first_position))
            explained = replace(selection, columns=selection.columns | self.joined)
            yield self._reading(explained, CellTable(selection.rows, columns), "cells", columns[0])

    def _first_position(self, column: int) -> int:
        return min(self.links.columns[column].positions)

    def _counts(self, selection: Selection) -> Iterator[TableReading]:
        if not self.question.has_cue("count"):
            return
        yield self._reading(selection, RowCount(selection.rows), "count", None, "count")
        for column in self.outputs[:_MAX_COUNTED]:
            if (
                self.table.columns[column].is_unique
                and None not in self.table.columns[column].cells
            ):
                continue  # as many as rows
            plan = ValueCount(selection.rows, column)
            yield self._reading(selection, plan, "count values", column, "count")

    def _members(self, selection: Selection) -> Iterator[TableReading]:
        """*customers who never ordered rice*, *who ordered only tea*, *who ordered both tea and rice*."""
        for cells, cue, columns in self._member_sets(selection):
            explained = replace(selection, positions=selection.positions | cue)
            for column in columns:
                if self.table.columns[column].is_unique:
                    continue  # each member has one row
                plan = replace(cells, column=column)
                yield self._reading(explained, plan, "cells", column)
                if self.question.has_cue("count") and self._kind(column) == "text":
                    yield self._reading(
                        explained, MemberCellCount(plan), "count values", column, "count"
                    )

    def _member_sets(
        self, selection: Selection
    ) -> Iterator[tuple[MemberCells, frozenset[int], list[int]]]:
        """Yield sets without their column, with the words that they explain and the columns they can have."""
        rows, question = selection.rows, self.question
        only = question.cue_positions("only")
        if isinstance(rows, Complement):
            # *airlines with flights that do not leave at 9* may have other flights.
            nouns = self.rows.column_positions(self.table.name_column) - question.participles
            last = max(question.cue_positions("not"), default=0)
            is_of_rows = any(p < last for p in nouns - question.head)
            if not (is_of_rows or question.excludes_rows):
                cells = MemberCells(AllRows(), rows.excluded, 0, is_shared=False)
                yield cells, frozenset(), self._others(selection)
        elif only and not selection.is_all:
            cells = MemberCells(rows, Complement(rows), 0, is_shared=False)
            yield cells, only, self._others(selection)
        elif isinstance(rows, Disjunction) and (conjunction := self._find_conjunction(selection)):
            cells = MemberCells(rows.first, rows.second, 0, is_shared=True)
            yield cells, conjunction, self._others(selection)

    def _find_conjunction(self, selection: Selection) -> frozenset[int]:
        """Return the positions of *both*, or of the *and* in *bought a desk and a lamp*."""
        first, last = min(selection.positions), max(selection.positions)
        both = frozenset(p for p in self.conjunctives if p < first)
        joined = range(first, last) if len(selection.links) == 2 else range(0)
        return both or frozenset(p for p in joined if self.question.words[p] == "and")

    def _exceptions(self) -> Iterator[TableReading]:
        """*tours that were booked by Ann but not by Bo*: members of one and not of the other."""
        negations = self.question.cue_positions("not")
        for first, second in self.rows.link_pairs if negations else ():
            between = range(max(first.positions), min(second.positions))
            if not negations.intersection(between):
                continue
            pair = join_selections(first, second, first.rows, "not")
            explained = replace(pair, positions=pair.positions | negations)
            for column in self._others(explained):
                cells = MemberCells(first.rows, second.rows, column, is_shared=False)
                yield self._reading(explained, cells, "cells", column)

    def _others(self, selection: Selection) -> list[int]:
        return [c for c in self.outputs[:_MAX_COUNTED] if c not in selection.columns]

    def _shares(self, selection: Selection) -> Iterator[TableReading]:
        """*what percentage of the hotels in Rome have a pool*: of the rows in Rome."""
        rows, noun = selection.rows, self.shared_noun
        if selection.is_all or noun is None:
            return
        every = self._find_whole(selection, noun)
        named = collect_positions(self.links.columns.values())
        if noun in named and noun not in self._row_nouns():
            for column in self.numbers[:_MAX_NUMBERS]:  # *of the revenue*
                if noun in self.rows.column_positions(column):
                    plan = SumShare(rows, every, column)
                    reading = self._reading(selection, plan, "share", column, "share")
                    yield replace(reading, positions=reading.positions | self.question.totals)
            return
        reading = self._reading(selection, RowShare(rows, every), "share", None, "share")
        yield replace(reading, positions=reading.positions | {noun})

    @cached_property
    def shared_noun(self) -> int | None:
        """The position of the noun of which a share is asked; None for *the highest percentage*."""
        # *percentage* may be one word of ``Gross margin percentage``.
        whole = self.links.whole_names(self.links.columns)
        cues = (cue for cue in self.question.cues if cue.operator == "share")
        start = max((cue.last for cue in cues if not cue.positions & whole), default=None)
        if start is None:
            return None
        noun = self.question.skip_positions(start, self.question.totals)
        return noun if noun < len(self.question.words) else None

    def _find_whole(self, selection: Selection, noun: int) -> Rows:
        """Return the rows of which a share is asked: all, or those named between the noun and a verb."""
        if isinstance(selection.rows, Conjunction):
            verbs = [p for p in range(noun, len(self.question.words)) if self._is_auxiliary(p)]
            parts = [link for link in selection.links if verbs and link.last <= verbs[0]]
            if len(parts) == 1:
                return parts[0].rows
        return AllRows()

    def _is_auxiliary(self, position: int) -> bool:
        return self.question.words[position] in WORDS.grammar.auxiliaries

    def _aggregates(self, selection: Selection) -> Iterator[TableReading]:
        for function in SUMMARIES:
            if self.question.has_cue(function):
                for column in self.numbers[:_MAX_NUMBERS]:
                    plan = CellAggregate(selection.rows, column, function)
                    yield self._reading(selection, plan, function, column, function)
        yield from self._amounts(selection)

    def _amounts(self, selection: Selection) -> Iterator[TableReading]:
        """*how many goals did the Lions score*: the sum over the rows of all Lions."""
        question, columns = self.question, self.links.columns
        if question.kind not in AMOUNT_KINDS or question.totals or selection.is_all:
            return
        for column in self.numbers[:_MAX_NUMBERS]:
            is_asked = column in columns and bool(columns[column].positions & question.head)
            if is_asked and self._has_several_rows(selection):
                plan = CellAggregate(selection.rows, column, TOTAL)
                yield self._reading(selection, plan, "sum of rows", column, "count")

    def _has_several_rows(self, selection: Selection) -> bool:
        try:
            return len(selection.rows.evaluate(self.table)) > 1
        except PlanFailure:
            return False

    def _frequent(self, selection: Selection) -> Iterator[TableReading]:
        for cue, word in (("frequent", "most"), ("rare", "least")):
            positions = self.question.cue_positions(cue) & self.question.content
            is_used = positions <= selection.positions  # one *fewest* is one extreme
            if self.question.has_cue(cue) and not (positions and is_used):
                for column in self._others(selection):
                    plan = FrequentCells(selection.rows, column, word)
                    yield self._reading(selection, plan, cue, column, cue)
                    yield from self._frequent_values(selection, plan, cue)

    def _frequent_values(
        self, selection: Selection, plan: FrequentCells, cue: str
    ) -> Iterator[TableReading]:
        """*the most different products*: of the rows with equal products, one counts."""
        different = self.question.different
        for column, link in self.links.columns.items():
            start = min(link.positions)
            if start - 1 in different and column not in (plan.column, self.table.name_column):
                counted = selection.extend(
                    selection.rows, DISTINCT, different | link.positions, frozenset((column,))
                )
                yield self._reading(counted, replace(plan, of=column), cue, plan.column, cue)

    def _ranked_members(self, selection: Selection) -> Iterator[TableReading]:
        """*the two customers with the most orders*, *the two most common colours*."""
        nouns, start = self._row_nouns(), self.question.measure_start
        for rank in self.links.ranks if not selection.operators or selection.links else ():
            word, measured = rank.cue.operator, rank.cue.last
            common = self._words_of_frequency(rank)
            is_counted = measured in nouns or self.question.is_ranked_by_count
            if not rank.is_top or word not in NUMBER_EXTREMES or not (is_counted or common):
                continue
            explained = rank.positions | (common or nouns) | {*start}
            for column in self._others(selection):
                link = self.links.columns.get(column)
                named = link.positions if link else frozenset[int]()
                # *the two brands with the most orders* are not the two most frequent orders.
                is_other = not named if common else measured in named
                if not self.table.columns[column].is_unique and not is_other:
                    rows = FrequentRows(CellCounts(selection.rows, column), word, rank.place)
                    ranked = selection.extend(rows, f"select:top {word}", explained)
                    plan = RankedCounts(rows) if start or common else ColumnCells(rows, column)
                    yield self._reading(ranked, plan, "cells", column)

    def _words_of_frequency(self, rank: RankPhrase) -> frozenset[int]:
        """The words of *most common*, *least often*, if they rank."""
        return collect_positions(
            cue
            for cue in self.question.cues
            if cue.operator in ("frequent", "rare")
            and cue.first == rank.cue.first
            and cue.last > rank.cue.last
        )

    def _repeated(self, selection: Selection) -> Iterator[TableReading]:
        """*Who runs more than one store?*, *who booked two different tours*, *who booked every tour*."""
        if selection.operators and not selection.links:
            return
        yield from self._repeated_values(selection)
        for operator, number, explained in self._row_counts():
            for column in self._others(selection):
                if self.table.columns[column].is_unique:
                    continue
                rows = RepeatedRows(CellCounts(selection.rows, column), operator, number)
                repeated = selection.extend(rows, f"repeated:{operator}", explained)
                yield self._reading(repeated, ColumnCells(rows, column), "cells", column)
                if self.question.has_cue("count"):
                    plan = ValueCount(rows, column)
                    yield self._reading(repeated, plan, "count values", column, "count")

    def _row_counts(self) -> Iterator[tuple[str, int, frozenset[int]]]:
        """Yield how many rows a member has: *more than two stores*, *at least twice*."""
        nouns = self._row_nouns()
        for number in self.question.numbers:
            value = number.value.number
            if value is not None and value.is_integer() and number.noun in nouns:
                for operator, positions in find_counts(self.question, number):
                    yield operator, int(value), positions | number.positions | nouns
        yield from find_frequencies(self.question)

    def _repeated_values(self, selection: Selection) -> Iterator[TableReading]:
        """Rows of members with a given number of different cells of a column, or with all of them."""
        for counted, operator, number, explained in self.counted_values:
            for column in self._others(selection):
                if column == counted or self.table.columns[column].is_unique:
                    continue
                rows = RepeatedRows(CellCounts(selection.rows, column, counted), operator, number)
                repeated = selection.extend(
                    rows, f"repeated:{operator}", explained, frozenset((counted,))
                )
                yield self._reading(repeated, ColumnCells(rows, column), "cells", column)

    def _counted_values(self) -> Iterator[tuple[int, str, int | None, frozenset[int]]]:
        """Yield columns of which values are counted, with the number and the words for it."""
        question, words = self.question, self.question.words
        different = question.different
        for column, link in self.links.columns.items():
            start = min(link.positions)
            if column == self.table.name_column or self.table.columns[column].kind != "text":
                continue
            is_of_all = WORDS.grammar.universals & {*words[max(0, start - 3) : start]}
            if is_of_all and not link.positions & question.head:
                every = frozenset(
                    p for p in range(max(0, start - 3), start) if words[p] in _EVERY_OF
                )
                yield column, ">=", None, every | link.positions
            for number in question.numbers if start - 1 in different else ():
                value = number.value.number
                if number.last == start - 1 and value is not None and value.is_integer():
                    near = number.positions | link.positions | {start - 1}
                    for operator, positions in find_counts(question, number):
                        yield column, operator, int(value), near | positions

    def _row_nouns(self) -> frozenset[int]:
        return self.row_noun | self.rows.column_positions(self.table.name_column)

    def _groups(self, selection: Selection) -> Iterator[TableReading]:
        """*total amount per country*, *the country with the highest average salary*."""
        for function in SUMMARIES:
            for column in self.numbers[:_MAX_NUMBERS]:
                if not (self.question.has_cue(function) or self._asks_for_sum(function, column)):
                    continue
                for grouping in self.groupings:
                    if all(key.column != column for key in grouping.keys):
                        plan = GroupedValues(selection.rows, grouping.keys, column, function)
                        yield from self._group_readings(selection, plan, grouping)

        names = self.table.name_column
        for grouping in self.groupings:
            is_of_part = any(key.part for key in grouping.keys)
            is_other = all(key.column != names for key in grouping.keys)
            if is_other and (is_of_part or self._counts_groups(grouping)):
                counts = GroupedValues(selection.rows, grouping.keys, names, "count")
                yield from self._group_readings(selection, counts, grouping)

    def _counts_groups(self, grouping: _Grouping) -> bool:
        """*how many orders per customer*, and *orders per customer* where a row is an order."""
        if self.question.has_cue("count"):
            return True
        groups = self.question.find_groups(grouping.starts or grouping.positions)
        start = min((cue.first for cue in groups), default=0)
        return self.question.kind == "" and any(p < start for p in self._row_nouns())

    def _groupings(self) -> Iterator[_Grouping]:
        """Columns and parts of dates by which rows can be grouped, and two of them where *and* joins them."""
        columns = (c for c in self.outputs[:_MAX_COUNTED] if not self.table.columns[c].is_unique)
        single = [
            _Grouping((GroupKey(column),), self.rows.column_positions(column)) for column in columns
        ]
        dated = sorted(
            (column.position for column in self.table.columns if column.kind == "date"),
            key=lambda column: -self.links.column_score(column),
        )
        single += [
            _Grouping((GroupKey(column, function),), part.positions, part.is_modifier)
            for part in self.links.date_parts
            for column in dated[:_MAX_DATED]
            for function in _MONTHS.get(part.function, (part.function,))
        ]
        yield from single
        for first in single:
            start = self.question.find_joined(first.positions)
            for second in single if start is not None else ():
                if start in second.positions and first.keys[0].column != second.keys[0].column:
                    yield _Grouping(
                        first.keys + second.keys,
                        first.positions | second.positions | {max(first.positions) + 1},
                        starts=first.positions,
                    )

    def _asks_for_sum(self, function: str, column: int) -> bool:
        """*how many seats did each traveller book*: a column of numbers is asked for.

        *monthly sales* are sums, as is the revenue of a month; *the most damage* may be one.
        """
        link = self.links.columns.get(column)
        if function != TOTAL or link is None:
            return False
        is_asked = bool(link.positions & self.question.head) and self.question.kind == "how many"
        is_total = not _TOTALS.isdisjoint(self.table.columns[column].main_stems)
        is_most = any(
            cue.operator in NUMBER_EXTREMES
            and _QUANTIFIERS & {*self.question.words[cue.first : cue.last]}
            and cue.last in self.rows.column_positions(column)
            for cue in self.question.cues
        )
        return is_asked or is_most or (is_total and bool(self.links.date_parts))

    def _group_readings(
        self, selection: Selection, plan: GroupedValues, grouping: _Grouping
    ) -> Iterator[TableReading]:
        name, output = f"group {plan.function}", plan.keys[0].column
        columns = {plan.column, *(key.column for key in plan.keys)}
        joined = replace(selection, columns=selection.columns | columns)
        positions = grouping.positions
        starts = grouping.starts or positions
        cues = [cue.positions for cue in self.question.find_groups(starts)]
        if grouping.is_modifier:
            cues.append(positions)
        for cue in cues:
            function = plan.function if self.question.has_cue(plan.function) else "count"
            reading = self._reading(joined, plan, name, output, function)
            yield replace(reading, positions=reading.positions | cue | positions)
        # The most rows of a group are its most frequent cell, unless it is a part of a date.
        is_of_part = bool(plan.keys[0].part)
        if not positions or len(plan.keys) > 1 or (plan.function == "count" and not is_of_part):
            return
        for word, also in _EXTREMES_OF_GROUPS.items():
            extremes = self.question.cue_positions(word, *also if is_of_part else ())
            if extremes - selection.positions:  # one *highest* is one extreme
                extreme = GroupExtreme(plan, word)
                reading = self._reading(joined, extreme, f"{name} {word}", output, plan.function)
                yield replace(reading, positions=reading.positions | extremes | positions)
        for rank in self.links.ranks:
            word, start = rank.cue.operator, frozenset(self.question.measure_start)
            if word in NUMBER_EXTREMES and rank.positions - selection.positions:
                ranked = RankedGroups(plan, word, rank.place, rank.is_top)
                reading = self._reading(joined, ranked, f"{name} {word}", output, plan.function)
                explained = reading.positions | rank.positions | start | positions
                yield replace(reading, positions=explained)

    # Two things compared

    def _differences(self) -> Iterator[TableReading]:
        if not self.question.has_cue("difference"):
            return
        columns = (
            self.numbers[:_MAX_NUMBERS] + [c for c in self.outputs if self._kind(c) == "year"][:2]
        )
        yield from self._column_differences()
        for pair, first, second in self._pairs():
            for column in columns:
                if column not in pair.columns:
                    plan = CellComparison(first.rows, second.rows, column)
                    yield self._reading(pair, plan, "difference", column, "difference")
            counts = CountDifference(first.rows, second.rows)
            yield self._reading(pair, counts, "count difference", None, "difference")
            for function, column in self._summaries():
                parts = (CellAggregate(s.rows, column, function) for s in (first, second))
                reading = self._reading(
                    pair, AggregateDifference(*parts), "difference", column, "difference"
                )
                cue = self.question.cue_positions(function)
                yield replace(reading, positions=reading.positions | cue)
        if self.question.has_cue("highest") and self.question.has_cue("lowest"):
            for selection in self.selections:
                for column in columns if not selection.operators or selection.links else ():
                    spread = CellSpread(selection.rows, column)
                    reading = self._reading(selection, spread, "spread", column, "difference")
                    extremes = self.question.cue_positions(*NUMBER_EXTREMES)
                    yield replace(reading, positions=reading.positions | extremes)

    def _column_differences(self) -> Iterator[TableReading]:
        """*the difference between budget and actual of May*: of the cells of one row."""
        for pair in self.links.pairs:
            function = self._find_difference(pair)
            if not pair.is_difference or pair.first is None or function is None:
                continue
            for selection in self.selections:
                first = ColumnCells(selection.rows, pair.first)
                second = ColumnCells(selection.rows, pair.second)
                plan = ColumnDifference(first, second, function)
                explained = replace(
                    selection,
                    positions=selection.positions | pair.positions,
                    columns=selection.columns | {pair.first, pair.second},
                )
                yield self._reading(explained, plan, "difference", pair.first, "difference")

    def _find_difference(self, pair: ColumnPair) -> str | None:
        """Return the function for the columns; of dates, the question must say the unit."""
        if self._kind(pair.second) != "date":
            return "difference"
        units = WORDS.functions.differences  # *how many days*
        return next((units[word] for word in self.question.words if word in units), None)

    def _summaries(self) -> Iterator[tuple[str, int]]:
        """Yield each function of columns that the question names, with the columns of numbers."""
        for function in SUMMARIES:
            if self.question.has_cue(function):
                yield from ((function, column) for column in self.numbers[:_MAX_NUMBERS])

    def _comparisons(self) -> Iterator[TableReading]:
        """*average price of A compared with B*: a figure of each, or the one that has the greater."""
        compared = self.question.cue_positions("compare")
        for pair, _, _ in self._pairs():
            keys = (GroupKey(pair.links[0].column),)
            counted = [("count", self.table.name_column)] if self.question.has_cue("count") else []
            for function, column in (*self._summaries(), *counted):
                if column in pair.columns:
                    continue
                plan = GroupedValues(pair.rows, keys, column, function)
                cues, name = self.question.cue_positions(function), f"group {function}"
                joined = replace(
                    pair, positions=pair.positions | cues, columns=pair.columns | {column}
                )
                if compared:
                    yield self._reading(joined, plan, name, keys[0].column, "compare")
                for word in NUMBER_EXTREMES if self._are_alternatives(pair) else ():
                    if self.question.has_cue(word):
                        extreme = GroupExtreme(plan, word)
                        output = f"{name} {word}"
                        yield self._reading(joined, extreme, output, keys[0].column, word)

    def _are_alternatives(self, pair: Selection) -> bool:
        """True for two names with *or* between them."""
        first, second = pair.links
        return "or" in self.question.words[first.last : second.first]

    def _pairs(self) -> Iterator[tuple[Selection, Selection, Selection]]:
        """Both together, and each alone."""
        for first, second in count_each(self.rows.link_pairs, 5):
            rows = Disjunction(first.rows, second.rows)
            yield join_selections(first, second, rows, "pair"), first, second

    def _choices(self) -> Iterator[TableReading]:
        # *Who has more goals, A or B?*
        for pair, first, second in self._pairs():
            if self._are_alternatives(pair):
                yield from self._extreme_of_two(pair)
                yield from self._place_of_two(pair)
                yield from self._frequency_of_two(pair, first, second)

    def _extreme_of_two(self, pair: Selection) -> Iterator[TableReading]:
        column_of_pair = pair.links[0].column
        for word in EXTREME_WORDS:
            for column in self.rows.ordered_columns(word) if self.question.has_cue(word) else ():
                if column != column_of_pair:
                    rows = ExtremeRows(pair.rows, column, word)
                    positions = self.question.cue_positions(word) | self.rows.column_positions(
                        column
                    )
                    selection = pair.extend(rows, f"of two {word}", positions, frozenset((column,)))
                    plan = ColumnCells(rows, column_of_pair)
                    yield self._reading(selection, plan, "choice", column_of_pair)

    def _place_of_two(self, pair: Selection) -> Iterator[TableReading]:
        column = pair.links[0].column
        for cue, place in (("first", 1), ("last", -1), ("previous", 1), ("next", -1)):
            if self.question.has_cue(cue):
                rows = PlacedRow(pair.rows, place)
                selection = pair.extend(rows, f"of two {cue}", self.question.cue_positions(cue))
                yield self._reading(selection, ColumnCells(rows, column), "choice", column)

    def _frequency_of_two(
        self, pair: Selection, first: Selection, second: Selection
    ) -> Iterator[TableReading]:
        if not isinstance(first.rows, CellMatch) or not isinstance(second.rows, CellMatch):
            return
        for cue, word in (("highest", "most"), ("frequent", "most"), ("lowest", "least")):
            if self.question.has_cue(cue):
                plan = FrequentOfTwo(first.rows, second.rows, word)
                yield self._reading(pair, plan, "frequent of two", None, cue)

    def _truths(self) -> Iterator[TableReading]:
        # *Did A have more goals than B?*, and whether a row exists
        comparisons = (("highest", ">"), ("more_than", ">"), ("latest", ">"), ("lowest", "<"),
                       ("less_than", "<"), ("earliest", "<"))  # fmt: skip
        for pair, first, second in self._pairs():
            for word, operator in comparisons:
                kind = word if word in DATE_EXTREMES else "highest"
                for column in (
                    self.rows.ordered_columns(kind) if self.question.has_cue(word) else ()
                ):
                    plan = CellComparison(first.rows, second.rows, column, operator)
                    yield self._reading(pair, plan, "compare", column, word)
        links = [select_link(link) for link in self.rows.cells[:6]]
        asks_any = not _ANY_WORDS.isdisjoint(self.question.words)
        for single in (*links, *self.rows.ranges[:8]) if asks_any else ():
            yield self._reading(single, Existence(single.rows), "exists", None)
        for link in links:
            for partner in (*self.rows.ranges[:8], *self.rows.filled, *links):
                if not link.positions & partner.positions and not link.columns & partner.columns:
                    rows = Conjunction(link.rows, partner.rows)
                    both = join_selections(link, partner, rows)
                    yield self._reading(both, Existence(rows), "exists", None)
