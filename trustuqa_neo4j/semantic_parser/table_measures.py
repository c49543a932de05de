"""The measures of a reading over a table: what it ranks or sums, and what else the question asks for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeGuard

from ..language.functions import TOTAL
from ..lexicon.lexicon import Cue
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..values import read_value
from ..values.units import find_unit
from .comparison_phrases import DATE_EXTREMES, EXTREME_WORDS, NUMBER_EXTREMES
from .plans import FrequentCells, GroupedValues, SumShare
from .reading_words import COUNTS, MIN_NAMED, ReadingWords
from .row_plans import CellRange, ExtremeRows, FilledRows, RankedRows, Rows

_AMOUNTS = WORDS.nouns.amount_starts
_MIN_COMPARED = 3  # words of *how much longer*
_QUANTIFIERS = WORDS.grammar.quantifiers


class TableMeasures(ReadingWords):
    """Compares what a reading measures, ranks or sums with what the question says."""

    def find_other_measures(self) -> Iterator[str]:
        """Yield which measure the question asks for and the reading does not give."""
        if self._measures_another_column():
            yield "no column has what is highest or lowest"
        if self._measures_members():
            yield "the rows are measured, and not what is asked for"
        if self._asks_for_measure():
            yield "the question asks for what is highest or lowest"
        if self._may_ask_for_sum():
            yield "the question may ask for the rows or for their sums"
        if self._asks_for_other_quantity() or self._sums_another_quantity():
            yield "no column has the quantity that is asked for"
        if self._asks_for_other_unit():
            yield "the question asks for another unit"
        if self._merges_extremes():
            yield "what is highest or lowest is left out"
        if self._shares_other_columns():
            yield "the question asks for a share"

    def _merges_extremes(self) -> bool:
        """True if *the highest hut that is closest to a village* would be the lowest of one column."""
        names = collect_positions(self.reading.links)
        said: list[frozenset[int]] = []
        for cue in self.question.cues:
            is_new = all(cue.positions.isdisjoint(positions) for positions in (*said, names))
            if cue.operator in EXTREME_WORDS and is_new and cue.positions <= self.explained:
                said.append(cue.positions | {cue.last})  # *most expensive* is one
        return len(said) > len(self.extremes) > 0

    def _shares_other_columns(self) -> bool:
        """*what percentage of the petitions received were granted* is a share of another column."""
        plan, columns = self.reading.plan, self.links.columns
        if not isinstance(plan, SumShare) or plan.column not in columns:
            return False
        own = columns[plan.column].positions
        return any(
            self.table.columns[column].kind == "number" and not link.positions <= own
            for column, link in columns.items()
            if link.score >= MIN_NAMED
        )

    def _measures_members(self) -> bool:
        """*which director is the oldest* is not answered by who directed the oldest film."""
        question, output = self.question, self.reading.output
        if output is None or output == self.table.name_column or not self.named:
            return False
        predicates = (
            cue
            for cue in question.cues
            if cue.operator in EXTREME_WORDS and question.is_adjective(cue)
            if cue.last == len(question.words) or cue.last not in question.content
        )
        measured = {node.word for node in self.extremes}
        is_asked = bool(self.named.positions & question.asked_noun)
        is_text = self.table.columns[output].kind == "text"
        return is_asked and is_text and any(cue.operator in measured for cue in predicates)

    def _asks_for_measure(self) -> bool:
        """*what is the highest salary in Sales* is not answered by who earns it."""
        question, output = self.question, self.reading.output
        if question.kind != "what" or question.asked_noun or output is None:
            return False
        measured = {node.column for node in self.extremes}
        named = {
            column for column, link in self.links.columns.items() if link.positions & question.head
        }
        return len(named) == 1 and named <= measured and output not in named

    def _asks_for_other_quantity(self) -> bool:
        """*how old is Japan* is not answered by its gold medals, *how long is Alien* not by its year."""
        words, output = self.question.words, self.reading.output
        if words[:1] != ("how",) or len(words) < _MIN_COMPARED or output is None:
            return False
        dimensions = self.question.lexicon.dimensions
        base = next((words[2][:end] for end in (-2, -1) if words[2][:end] in dimensions), "")
        is_more = words[1] == "much" and bool(base)  # *how much longer*, *larger*
        dimension = dimensions.get(base if is_more else words[1])
        is_named = self.named is not None and not self.named.positions <= {1}  # *how much*
        if dimension is None or is_named:
            return False
        column = self.table.columns[output]
        named = {*column.words, *column.stems, *column.measured_words}
        measured = dimension.columns.union(*dimension.extremes.values())
        is_time = column.kind in ("date", "year") and not is_more
        return is_time or (bool(measured) and named.isdisjoint(measured))

    def _sums_another_quantity(self) -> bool:
        """*how many units were sold* is not answered by the sum of ``unit_price``."""
        if "output:sum of rows" not in self.operators or self.reading.output is None:
            return False
        *modifiers, head = self.table.columns[self.reading.output].main_stems
        asked = self.question.asked_stems
        return head not in asked and not asked.isdisjoint(modifiers)

    def _asks_for_other_unit(self) -> bool:
        """*how long is it in km* is not answered in metres."""
        output, words = self.reading.output, self.question.words
        asked = [
            unit
            for p in range(1, len(words))
            if words[p - 1] == "in" and p not in self.reading.positions
            if (unit := find_unit(words[p])) is not None
        ]
        if output is None or not asked:
            return False
        column = self.table.columns[output]
        cells = (cell.value for _, cell in column.members)
        if "output:cells" in self.operators:
            cells = (read_value(str(member)) for member in self.reading.members)
        units = {value.unit for value in cells if value is not None}
        own = [column.stated_unit, *(find_unit(unit) for unit in units if unit)]
        return any(u and u.kind == a.kind and u.factor != a.factor for a in asked for u in own)

    def ignores_unit(self) -> bool:
        """True if *3 km* would select or bound a rating of 3 in a table that has lengths."""
        texts = {number.positions: number.text for number in self.question.numbers}
        ranges = [node for node in self.reading.nodes if isinstance(node, CellRange)]
        for positions, fitting in self.linked.measured_numbers:
            selected = {link.column for link in self.reading.links if link.positions & positions}
            bounded = {r.column for r in ranges for _, text in r.bounds if text == texts[positions]}
            if not selected | (bounded - self.links.columns.keys()) <= fitting:
                return True
        return any(map(self._bounds_all, ranges))

    def _bounds_all(self, bound: CellRange) -> bool:
        """True for *above 7 MW* where all or none of a column are: it may have another unit, such as W."""
        column = self.table.columns[bound.column]
        amounts = self.linked.amounts
        if column.measure is not None or not any(text in amounts for _, text in bound.bounds):
            return False
        rows, filled = bound.evaluate(self.table), FilledRows(bound.column).evaluate(self.table)
        return {*rows} in ({*filled}, set())

    def _may_ask_for_sum(self) -> bool:
        """*who ordered the most items*, of several orders each: one order or all of them may be meant.

        *how many items did Ann order* is not answered by the number of her orders, and *how many buns*
        not where each order has a quantity.
        """
        question, output = self.question, self.reading.output
        counted = question.asked_noun if question.kind == "how many" else frozenset[int]()
        most = [
            cue
            for cue in question.cues
            if cue.operator in NUMBER_EXTREMES
            and _QUANTIFIERS & {*question.words[cue.first : cue.last]}
        ]
        # *the most items*, *spent the most*, *the top 3 by quantity*; not *the most expensive*
        most = [cue for cue in most if not self._is_before_adjective(cue)]
        ranked = {place for cue in most for place in (cue.last, cue.first - 1)}
        ranked |= {question.measure_start.stop} if question.measure_start else set()
        persons = question.lexicon.person_nouns
        things = {p for p in counted & self.conditions if question.stems[p] not in persons}
        if things and COUNTS & self.operators and self.table.has_quantities:
            return True
        counted -= self.conditions | question.cue_positions("count")
        if question.different:
            counted = frozenset()
        if counted & self.linked.measures and COUNTS & self.operators:
            return True
        if (
            not ranked & self.linked.measures
            or output is None
            or self.table.columns[output].is_unique
        ):
            return False
        return any(
            isinstance(node, FrequentCells)
            or (self._has_rival(node) and self._has_repeated(node.rows, output))
            for node in self.reading.nodes
        )

    def _has_rival(self, node: object) -> TypeGuard[ExtremeRows | RankedRows | GroupedValues]:
        """True for an extreme of rows, and for sums per group without *total* or a time by which to group."""
        if isinstance(node, ExtremeRows | RankedRows):
            return True
        if not isinstance(node, GroupedValues) or node.keys[0].part:
            return False
        return node.function == TOTAL and not self.question.totals

    def _has_repeated(self, rows: Rows, output: int) -> bool:
        """True if a cell stands in several of ``rows``: in one year, each nation may have one row."""
        cells = [self.table.columns[output].cells[row] for row in rows.evaluate(self.table)]
        texts = [cell.text for cell in cells if cell]
        return len({*texts}) < len(texts)

    def _is_before_adjective(self, cue: Cue) -> bool:
        """*the most expensive*, not *the most money*."""
        dimensions = self.question.lexicon.dimensions
        words = self.question.words[cue.last : cue.last + 1]
        return any(word in dimensions and bool(dimensions[word].extremes) for word in words)

    @cached_property
    def extremes(self) -> tuple[ExtremeRows | RankedRows, ...]:
        return tuple(
            node for node in self.reading.nodes if isinstance(node, ExtremeRows | RankedRows)
        )

    def measured_words(self) -> frozenset[int]:
        """Return the words for the measure of an extreme: *employees* in *the most employees*.

        In *spent the most*, it is the verb.
        """
        words = self.question.words
        positions: set[int] = set()
        for cue in self.question.cues:
            if cue.operator in EXTREME_WORDS and not self.question.is_adjective(cue):
                place = self.question.skip(cue.last, _AMOUNTS)
                positions.add(place)
                verb = cue.first - 1 - (words[cue.first - 1] == "the")
                if place not in self.question.content and verb in self.linked.verbs:
                    positions.add(verb)
        return frozenset(positions)

    def _measures_another_column(self) -> bool:
        """True if *tallest* would be answered by the salary, or *the most songs* by the rating."""
        if self.extremes and self._is_ranked_by_other():
            return True
        return any(
            self._is_measured_otherwise(node, self.question.words[cue.first : cue.last], cue.last)
            for node in self.extremes
            for cue in self.question.cues
            if cue.operator == node.word
        )

    def _is_ranked_by_other(self) -> bool:
        """True if *the top 3 crimes by number of cases* would be ranked by an age, or *by colour* by it."""
        words, start = self.question.words, self.question.measure_start
        if not (start or self.links.ranks):
            return False
        after_by = {
            self.question.skip(p + 1, _AMOUNTS) for p, word in enumerate(words) if word == "by"
        }
        if self.links.ranks and not self.unexplained.isdisjoint(after_by):
            return True
        places = {start.stop} if start else after_by
        named = self.links.columns.items()
        measures = {column for column, link in named if not link.positions.isdisjoint(places)}
        is_told = bool(start or measures)
        return is_told and not measures & {node.column for node in self.extremes}

    def _is_measured_otherwise(
        self, node: ExtremeRows | RankedRows, phrase: tuple[str, ...], after: int
    ) -> bool:
        """``phrase`` asks for the extreme, and ``after`` is the position after it."""
        lexicon, named = self.question.lexicon, self.links.columns.get(node.column)
        dimension = lexicon.dimensions.get(phrase[0])
        if (
            dimension
            and self.table.columns[node.column].has_times
            and node.word not in DATE_EXTREMES
        ):
            return True  # *the longest appointment* is not the latest of the day
        is_generic = node.word in lexicon.operators.get(phrase[0], ())
        if dimension and not (is_generic or named):
            measured = dimension.extremes.get(node.word, frozenset())
            if measured and not measured & self.table.columns[node.column].measured_words:
                return True
        if not (_QUANTIFIERS & {*phrase} or _AMOUNTS >= {*phrase[1:]} > set()):
            return False
        explained = self.links.related.get(node.column, frozenset()) | self.linked.verbs
        explained |= named.positions if named else frozenset()
        return after in self.question.content - explained
