"""Refuses readings over a table that count or list other rows than the question asks for."""

from __future__ import annotations

from collections.abc import Iterator

from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from .cell_links import LinkGrade
from .plans import RowCount
from .row_plans import ValueCount
from .table_measures import TableMeasures

_THINGS = WORDS.nouns.things


class TableRows(TableMeasures):
    """Compares the rows or members that a reading counts or lists with those that the question asks for."""

    def find_other_rows(self) -> Iterator[str]:
        """Yield what the question asks for and the reading does not count or list."""
        if self._asks_for_persons() or self._asks_for_things() or self._asks_for_kind():
            yield "the rows are not what is asked for"
        if self._lists_an_attribute():
            yield "the question asks for the rows"
        if self._counts_others() or self._counts_nameless_rows() or self._counts_names():
            yield "something else is counted"

    def _counts_others(self) -> bool:
        """*how many gears has the Falcon* is not answered by the number of Falcons."""
        asked, reading = self.question.asked_noun, self.reading
        # A table without a telling name has rows of any noun, and so has one of nameless events.
        is_known = bool(self.table.row_nouns) and not self.linked.has_nameless_events
        nouns = self.linked.rows if is_known else asked
        nouns |= self._named_by_reading() | self.supposed_rows
        if self.answer == "figure" and asked and not asked & nouns:
            return True
        if "output:count" in self.operators and self._counts_people():
            return True
        verbs = self.linked.verbs - reading.positions
        if reading.output == self.table.agents and self._counts_persons() and verbs:
            return True  # *how many people saw Alien* are not its directors
        single = [
            link
            for link in reading.links
            if self.table.columns[link.column].is_unique and link.grade == LinkGrade.EXACT
        ]
        if not single or "output:count" not in self.operators:
            return False
        has_subject = any(p < single[0].first for p in self.linked.do_forms)
        return has_subject or not asked & self.linked.row_names

    def _counts_people(self) -> bool:
        """True for *how many people* where the rows are neither persons nor events of them."""
        asked = self.question.asked_stems
        persons = self.question.lexicon.person_nouns
        are_persons = self.question.lexicon.has_person(self.table.row_stems)
        names = self.table.columns[self.table.name_column]
        are_things = names.is_unique and not (names.has_agents or names.is_identifier)
        return bool(asked) and asked <= persons and are_things and not are_persons

    def _counts_persons(self) -> bool:
        """True for the number of persons in the only column of persons, which no word names."""
        stems = self.question.asked_stems
        nouns = self.question.lexicon.person_nouns
        return "output:count values" in self.operators and bool(stems) and stems <= nouns

    def _counts_nameless_rows(self) -> bool:
        """True if rows without a name are counted as things of that name: *how many ages has the Miocene*."""
        plan, names = self.reading.plan, self.table.columns[self.table.name_column]
        asked = self.question.asked_stems
        if not isinstance(plan, RowCount) or not asked & {*names.main_stems}:
            return False
        return any(names.cells[row] is None for row in plan.rows.evaluate(self.table))

    def _counts_names(self) -> bool:
        """True if two cars of one name would count as one."""
        plan, names = self.reading.plan, self.table.name_column
        is_of_names = isinstance(plan, ValueCount) and plan.column == names
        return (
            is_of_names
            and self.table.has_named_things
            and not self.question.different
            and bool(self.question.asked_noun & self.links.row_nouns)
        )

    def _asks_for_persons(self) -> bool:
        """*which trainer has the most gold* is not answered by a nation, nor *which nurse* by a patient."""
        names = self.table.columns[self.table.name_column]
        if self.answer != "rows" or {*names.words} & WORDS.columns.names:
            return False
        known = self.linked.row_names | self.linked.verbs | self.conditions | self.question.names
        stems = {self.question.stems[position] for position in self.question.asked_noun - known}
        return self.question.lexicon.has_person(stems)

    def _asks_for_things(self) -> bool:
        """*which things did Ann order* is not answered by the numbers of her orders."""
        names = self.table.columns[self.table.name_column]
        asked = self.question.asked_words
        is_of_codes = names.is_identifier or names.has_codes
        is_of_rows = self.reading.output == names.position and "output:cells" in self.operators
        is_open = not asked and self.question.kind == "what" and self.named is None
        return is_of_rows and is_of_codes and (is_open or (bool(asked) and asked <= _THINGS))

    def _asks_for_kind(self) -> bool:
        """True if the noun of the rows is a column of its own: *which routes*, of trips in routes.csv."""
        if self.reading.output != self.table.name_column:
            return False
        asked = self.question.asked_stems
        return bool(asked) and any(
            asked <= {*column.main_stems} <= self.table.row_stems
            for column in self.table.columns
            if column.position != self.table.name_column
        )

    def _lists_an_attribute(self) -> bool:
        """*list the goalkeepers of the Spain squad* asks for rows, and not for their squads."""
        noun, output = self.question.row_noun, self.reading.output
        if self.named is None or output == self.table.name_column or not noun:
            return False
        is_kind = any(
            link.positions & noun and link.column != self.table.name_column
            for link in self.reading.links
        )
        is_after = max(noun) < min(self.named.positions)
        return is_kind and is_after and "output:cells" in self.operators

    def _named_by_reading(self) -> frozenset[int]:
        """Words that name cells or columns of the reading: *thrillers* in *how many thrillers*."""
        named = self.links.columns
        columns = (named[c] for c in self.reading.columns if c in named)
        return collect_positions((*self.reading.links, *columns))
