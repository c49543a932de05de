"""The account of words for a reading of a table, and what else the question says that it does not.

A refused reading is not answered. It also ranks lower, so that one that explains the question comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice, pairwise

from ..language.functions import SUMMARIES
from ..lexicon.lexicon import BOUND_OPERATORS
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..values.units import is_counted_word
from .cell_links import WHOLE_GRADES, LinkGrade, selects_one_row
from .column_links import ColumnLink
from .comparison_phrases import DATE_EXTREMES, EXTREME_WORDS, find_events, is_range
from .features import ROW_FREQUENCIES
from .plans import (
    MONTH,
    MONTH_NAME,
    AggregateDifference,
    CellAggregate,
    CellComparison,
    CellTable,
    ColumnDifference,
    CountDifference,
    FrequentCells,
    GroupedValues,
    MemberCells,
    RankedGroups,
    RowCount,
    walk_plan,
)
from .reading import AMOUNT_KINDS, NUMBER_KINDS, fits_question_word
from .reading_words import MIN_NAMED, NAMING_GRADES, UNNAMED
from .row_plans import (
    AllRows,
    CellRange,
    ColumnCells,
    ColumnComparison,
    ComparedRows,
    Complement,
    Conjunction,
    Disjunction,
    ExtremeRows,
    FilledRows,
    FrequentRows,
    NeighbourRow,
    RankedRows,
    RepeatedRows,
    ValueCount,
)
from .snapshot import IDENTIFIER_WORDS
from .table_links import asks_for_frequency
from .table_rows import TableRows

_AGGREGATES = (*SUMMARIES, "frequent", "rare")
_COMPARING = ("rows:", "columns:", "output:compare", "output:difference", "output:count difference")
_MAX_LEFT_OUT = 4  # words
_CHOICES = ("output:choice", "select:of two")
_ENDS = frozenset(("select:first", "select:last"))
_ROW_ORDERS = frozenset(("select:first", "select:last", "select:next", "select:previous"))
_TIME_CUES = frozenset((*DATE_EXTREMES, *(name.removeprefix("select:") for name in _ROW_ORDERS)))
_NEIGHBOURS = frozenset(("select:next", "select:previous"))
_NEIGHBOUR_CUES = frozenset(name.removeprefix("select:") for name in _NEIGHBOURS)
_ATTRIBUTE_ENDS = WORDS.grammar.attribute_prepositions  # after *the license key*
_PERIODS = WORDS.times.longer_periods | WORDS.times.days
_OF_EACH = WORDS.grammar.distributives
_MODALS = WORDS.grammar.modals
_STILL = WORDS.times.still
_EQUAL_GRADES = WHOLE_GRADES | {LinkGrade.PART}
_PARTIAL_GRADES = frozenset((LinkGrade.PART, LinkGrade.FORM, LinkGrade.TYPO))
_MIN_SUPERLATIVE = 5  # letters of *tallest*, more than those of *guest*
_LONGER_TIMES = WORDS.times.longer_periods  # stems


def _find_excluded(node: object) -> object:
    if isinstance(node, Complement):
        return node.excluded
    if isinstance(node, MemberCells) and not node.is_shared:
        return node.other
    return None


class TableAccount(TableRows):
    """Weighs the words that the reading leaves out, and finds why it is refused."""

    def weigh_words(self) -> Iterator[tuple[str, float]]:
        """Yield what is left out, for each kind of answer."""
        answer = self.answer
        nouns = self.unexplained - self.linked.verbs
        yield f"answer: {answer}", 1.0
        if nouns < self.unexplained:
            yield f"verb left out, answer: {answer}", 1.0
        if nouns:
            yield f"words left out, answer: {answer}", min(len(nouns), _MAX_LEFT_OUT) / 2
        if self.supposed_rows:
            yield "rows of a noun that is not known", 1.0

    # Why a reading is refused

    def find_refusals(self) -> Iterator[str]:
        """Yield why the reading cannot be what the question means."""
        yield from super().find_refusals()
        yield from self._find_other_questions()
        yield from self.find_other_measures()
        yield from self._find_misread_conditions()
        yield from self._find_left_out_words()

    def _find_other_questions(self) -> Iterator[str]:
        """Yield what the question asks for and the reading does not give."""
        question, reading = self.question, self.reading
        if question.words[:1] == ("how",) and _MODALS & {*question.words[1:2]}:
            yield "the question asks for advice"
        is_grouped = isinstance(reading.plan, GroupedValues | RankedGroups)
        if self._asks_for_rate() if is_grouped else self._asks_for_groups():
            yield "the question asks for groups or rates"
        if asks_for_frequency(question, self.links) and not ROW_FREQUENCIES & self.operators:
            yield "the question asks how often"
        checks = (
            (self._compares_otherwise, "the question compares with a row"),
            (self._compares_no_columns, "the question compares two columns"),
            (self._asks_for_rows, "the question asks for the rows"),
            (self._gives_one_column, "several columns are asked for"),
            (self._groups_by_one, "several columns are asked for"),
            (self._lists_groups, "the question asks for groups or rates"),
            (self._reads_share_as_column, "the question asks for a share"),
            (self._compares_nothing, "the question compares two things"),
            (self._groups_otherwise, "the question asks for groups by times such as months"),
        )
        yield from (reason for is_so, reason in checks if is_so())
        yield from self.find_other_rows()

    def _groups_by_one(self) -> bool:
        """True if *by year and type* would be answered by years."""
        parts = self.links.date_parts
        keys = [
            n.keys[0] for n in self.reading.nodes if isinstance(n, GroupedValues) and not n.keys[1:]
        ]
        links = self.links.columns.values()
        for key in keys:
            own = [part.positions for part in parts] if key.part else []
            own += [link.positions for link in links if link.column == key.column]
            others = [part.positions for part in parts if part.positions not in own]
            others += [link.positions for link in links if link.column != key.column]
            starts = {self.question.find_joined(positions) for positions in own}
            if any(not starts.isdisjoint(positions) for positions in others):
                return True
        return False

    def _lists_groups(self) -> bool:
        """*incidents per district* asks for more than the districts; *rent per year* can be a column."""
        if self.named is None or "output:cells" not in self.operators:
            return False
        words, start = self.question.words, min(self.named.positions)
        groups = self.question.find_groups(self.named.positions)
        return any(words[cue.first : cue.last] == ("per",) and cue.first < start for cue in groups)

    def _reads_share_as_column(self) -> bool:
        """*what percentage of orders* is not answered by a ``Gross margin percentage``."""
        if "output:share" in self.operators:
            return False
        named = self.links.whole_names(self._used_columns())
        return any(positions.isdisjoint(named) for positions in self.linked.shares)

    def _used_columns(self) -> set[int]:
        output = self.reading.output
        return {*self.reading.columns, *(() if output is None else (output,))}

    def _compares_nothing(self) -> bool:
        """*compare A and B* is not answered by what both have."""
        comparing = GroupedValues | AggregateDifference | CellComparison | CountDifference
        is_compared = any(isinstance(node, comparing) for node in self.reading.nodes)
        names = collect_positions(self.reading.links)
        # *who won Spain vs Italy* names a cell.
        return not (is_compared or self.question.cue_positions("compare") <= names)

    def _gives_one_column(self) -> bool:
        """True if *the names and fares of* would be answered by names, or *by class and sex* by classes."""
        joined, reading = self.links.joined, self.reading
        grouped = {node.column for node in reading.nodes if isinstance(node, GroupedValues)}
        filled = {node.column for node in reading.nodes if isinstance(node, FilledRows)}
        used = (reading.columns | {reading.output}) - filled
        return bool(joined & (grouped | {reading.output})) and not joined <= used

    def _groups_otherwise(self) -> bool:
        """*which month has the most orders* is not answered by a day, nor *by month* by one sum."""
        question, nodes = self.question, self.reading.nodes
        keys = [key for node in nodes if isinstance(node, GroupedValues) for key in node.keys]
        parts = {MONTH if key.part == MONTH_NAME else key.part for key in keys}
        asked = question.asked_noun | question.head
        for part in self.links.date_parts:
            is_group = part.is_modifier or any(question.find_groups(part.positions))
            is_asked = bool(part.positions & asked)
            is_extreme = is_asked and (bool(keys) or self._ranks_or_counts())
            if part.function not in parts and (is_group or is_extreme):
                return True
        # No function has the *week* of a date.
        longer = {question.stems[p] for p in asked - self.linked.named} & _LONGER_TIMES
        columns = [node.column for node in nodes if isinstance(node, FrequentCells)]
        columns += [key.column for key in keys if not key.part]
        is_of_days = any(self.table.columns[c].kind == "date" for c in columns)
        is_of_rows = self.answer == "rows" and self._ranks_or_counts()
        return bool(longer) and (is_of_days or is_of_rows)

    def _ranks_or_counts(self) -> bool:
        return any(
            isinstance(node, FrequentCells | ExtremeRows | RankedRows)
            for node in self.reading.nodes
        )

    def _find_misread_conditions(self) -> Iterator[str]:
        checks = (
            (self._negates_rows, "what is excluded in some rows is in others"),
            (self._merges_things, "what is excluded in some rows is in others"),
            (self._joins_members, "a member may have either or both"),
            (self.ignores_unit, "a number with a unit is read as another quantity"),
            (self._ignores_bound, "a bound is read as an equal value"),
            (self._ignores_range, "a bound is read as an equal value"),
            (self._names_column_by_cell, "the name of a column is read as a part of a cell"),
            (self._counts_another_column, "a number that counts is read as a value"),
            (self._adds_up_places, "numbers that only count the rows are added up"),
            (self._adds_up_namesakes, "several rows have this name"),
            (self._counts_from_today, "the question asks for a time from today on"),
            (self._reads_state_as_event, "what is so now is read as a time"),
            (self._repeats_condition, "the answer repeats a condition"),
            (self._orders_events_by_row, "the rows are not in the order of their times"),
        )
        yield from (reason for is_so, reason in checks if is_so())

    def _orders_events_by_row(self) -> bool:
        """*which film came out first* is no question for the first row, unless the rows are by date."""
        times = [column for column in self.table.columns if column.kind in ("date", "year")]
        is_ordered = _ENDS & self.operators or (
            _ROW_ORDERS & self.operators and find_events(self.question)
        )
        return bool(is_ordered and times) and not any(column.is_ascending for column in times)

    def _negates_rows(self) -> bool:
        """True if a member of the answer is also in rows that a negation excludes.

        *which customers did not order rice* is not answered by who ordered rice and tea; *something other
        than rice* asks for rows.
        """
        output = self.reading.output
        members = [n for n in self.reading.nodes if isinstance(n, ColumnCells | ValueCount)]
        if output is None or not members or self.question.excludes_rows:
            return False
        shown = {*ColumnCells(members[0].rows, output).evaluate(self.table)}
        negated = (node.excluded for node in self.reading.nodes if isinstance(node, Complement))
        return any(
            not shown.isdisjoint(ColumnCells(rows, output).evaluate(self.table)) for rows in negated
        )

    def _joins_members(self) -> bool:
        """True for *customers who bought a desk and a lamp*, if some bought both and some one of them."""
        output, both = (
            self.reading.output,
            self.question.cue_positions("and") - self.question.content,
        )
        if output is None or not both or self.table.columns[output].is_unique:
            return False
        for node in self.reading.nodes:
            if isinstance(node, Disjunction) and len(self.reading.links) == 2:
                members = MemberCells(node.first, node.second, output, is_shared=True)
                return not both.isdisjoint(self._between_links()) and bool(
                    members.evaluate(self.table)
                )
        return False

    def _between_links(self) -> range:
        first, second = sorted(self.reading.links, key=lambda link: link.first)
        return range(first.last, second.first)

    def _merges_things(self) -> bool:
        """True if *cars without a price* leaves out a car, since another car of its name has a price."""
        if not self.table.has_named_things:
            return False
        for node in self.reading.nodes:
            if isinstance(node, MemberCells) and isinstance(node.other, FilledRows):
                unpriced = ColumnCells(Complement(node.other), node.column).evaluate(self.table)
                if not {*unpriced} <= {*node.evaluate(self.table)}:
                    return True
        return False

    def _ignores_bound(self) -> bool:
        """*over $450* is no price of $450; *after 2010* may be the row after that of 2010."""
        is_neighbour = bool(_NEIGHBOURS & self.operators)
        equal = {
            link.first
            for link in self.reading.links
            if link.grade in _EQUAL_GRADES
            and (not is_neighbour or self.table.columns[link.column].kind == "number")
        }
        numbers = {n.first for n in self.question.numbers}
        return any(
            cue.operator in BOUND_OPERATORS and cue.last in equal & numbers
            for cue in self.question.cues
        )

    def _ignores_range(self) -> bool:
        """*between 1980 and 1989* is not one of these two years."""
        equal = {link.first for link in self.reading.links if link.grade in _EQUAL_GRADES}
        return any(
            {first.first, second.first} <= equal and is_range(self.question, first, second)
            for first, second in pairwise(self.question.numbers)
        )

    def _names_column_by_cell(self) -> bool:
        """*states* that names a column is not a part of a cell ``State College`` too."""
        return any(
            link.positions <= named.positions and link.grade in _PARTIAL_GRADES
            for link in self.reading.links
            for named in self.links.columns.values()
            if named.score >= MIN_NAMED and named.column != link.column
        )

    def _counts_another_column(self) -> bool:
        """True if *two different tours* would select the rows with two seats."""
        counting = RankedRows | RankedGroups | RepeatedRows | FrequentRows
        if any(isinstance(node, counting) for node in self.reading.nodes):
            return False
        columns = self.links.columns
        linked = {link.first: link.column for link in self.reading.links}
        names = collect_positions(link for link in self.reading.links if link.last - link.first > 1)
        ranges = {node.column for node in self.reading.nodes if isinstance(node, CellRange)}
        for number in self.question.numbers:
            unit = number.value.unit
            is_measure = unit is not None and not is_counted_word(unit)
            if number.value.number is None or number.is_ordinal or is_measure:
                continue
            place = number.noun
            while place in self.question.different:
                place += 1
            counted = {
                column
                for column, link in columns.items()
                if place in link.positions and link.score >= MIN_NAMED
            }
            used = {linked[number.first]} if number.first in linked else ranges
            named = {c for c in used & columns.keys() if number.first - 1 in columns[c].positions}
            if named or number.positions & names:
                continue  # *class 3*, *Apollo 16*
            if counted and number.first in self.reading.positions and not counted & used:
                return True
        return False

    def _counts_from_today(self) -> bool:
        """*launched last month* asks for no last row, and *next year* for no next one."""
        question = self.question
        return any(
            cue.last - 1 in self.reading.positions and question.stems[cue.last] in _PERIODS
            for cue in question.cues
            if cue.operator in _TIME_CUES and cue.last < len(question.words)
            if not (self.named and cue.last in self.named.positions)
        )

    def _reads_state_as_event(self) -> bool:
        """*how many cases are still open* is not answered by those with a date of opening."""
        question, columns = self.question, self.links.columns
        states = {p + 1 for p, word in enumerate(question.words) if word in _STILL}
        return any(
            self.table.columns[column].kind in ("date", "year")
            and column in columns
            and bool(columns[column].positions & states & self.explained)
            for column in self._used_columns()
        )

    def _repeats_condition(self) -> bool:
        """*what was released in 2022* asks for the rows; the verb names the column of the condition."""
        output, reading = self.reading.output, self.reading
        if output is None or "output:cells" not in self.operators:
            return False
        if self._is_verb and self.table.columns[output].is_identifier:
            return True  # *what did Ann order* asks for no order number
        if self._is_verb and any(self._have_same_words(output, n.column) for n in self.extremes):
            return True  # *what was calibrated most recently* asks for the row
        if output not in reading.columns:
            return False
        column, is_asked = self.table.columns[output], self._names_output()
        is_equal = any(link.column == output for link in reading.links)
        if column.is_flag or (is_equal and column.kind == "number"):
            return True
        if is_equal and len(reading.members) == 1 and {*reading.columns} == {output}:
            # *what was done on the Pashley*, *what caused the Tubbs Fire* are not answered by a whole name.
            is_itself = not _NEIGHBOURS & self.operators
            return not is_asked or (is_itself and bool(self.unexplained & self.linked.verbs))
        return self._is_verb and not is_asked and output != self.table.name_column

    def _have_same_words(self, first: int, second: int) -> bool:
        links = [self.links.columns.get(column) for column in (first, second)]
        return len({link.positions for link in links if link}) == 1 and None not in links

    def _names_output(self) -> bool:
        return self.named is not None and bool(self.named.positions & self.question.asked_noun)

    @cached_property
    def _is_verb(self) -> bool:
        """True if verbs alone name the column of the answer."""
        return self.named is not None and self.named.positions <= self.linked.verbs

    def fits_question_word(self) -> bool:
        question, reading = self.question, self.reading
        columns = [self.table.columns[column].name for column in self._used_columns()]
        fits = fits_question_word(question, reading.members, columns) and self._fits_amount()
        return fits and not self._names_subject()

    def _names_subject(self) -> bool:
        """*where did the voyage go* is not answered by the voyage."""
        subject = self.question.skip(2, WORDS.grammar.articles)
        is_subject = self.named is not None and subject in self.named.positions
        is_asked = self.question.kind == "where" and self.linked.do_forms[:1] == (1,)
        return is_asked and is_subject and not self._is_verb

    def _fits_amount(self) -> bool:
        """False for the number of a trip as its price, and for several amounts where one is asked for."""
        question, reading = self.question, self.reading
        if question.kind not in NUMBER_KINDS or "output:cells" not in self.operators:
            return True
        if reading.output is not None and self.table.columns[reading.output].is_identifier:
            return False
        asks_for_one = question.kind in AMOUNT_KINDS and not _OF_EACH & {*question.words}
        return not asks_for_one or len({*reading.members}) == 1

    def _find_left_out_words(self) -> Iterator[str]:
        question, unexplained = self.question, self.unexplained
        if self._negates_other_word():
            yield "something else is negated"
        if self._ignores_neighbour():
            yield "a neighbour is left out"
        if self._counts_all_rows():
            yield "the words left out can choose from what is counted"
        # *youngest*, and *employees* in *the most employees*: an answer without them is about others.
        extremes = question.cue_positions(*EXTREME_WORDS) | self._unknown_superlatives()
        if unexplained & (self.measured_words() | extremes):
            yield "what is highest or lowest is left out"
        if self._leaves_out_modifier():
            yield "a word before the name of the column is left out"
        if self._does_something_else():
            yield "what somebody did is left out"
        if self._leaves_out_choice():
            yield "the words left out can choose among the rows"
        if not self._says_what_is_asked() or self._leaves_out_cell():
            yield "the words left out can ask for something else"

    def _leaves_out_choice(self) -> bool:
        """True if words left out may say which of several rows is meant: *the turbo on the BMW*."""
        is_several = self.answer != "figure" and len({*self.reading.members}) > 1
        rows = self.supposed_rows | self.question.row_noun | self.question.asked_noun
        others = self.unexplained - self.linked.verbs - rows
        return is_several and bool(self.reading.links) and bool(others)

    def _leaves_out_cell(self) -> bool:
        """True if *how many resigned* would not be answered by the rows with ``Resignation``."""
        return any(
            link.grade in NAMING_GRADES and link.positions <= self.unexplained
            for link in self.links.cells
        )

    @property
    def answers_several(self) -> bool:
        return isinstance(self.reading.plan, CellTable)

    @property
    def naming(self) -> frozenset[int]:
        return self.question.names | self.question.cue_positions(*_AGGREGATES)

    @property
    def selecting(self) -> frozenset[int]:
        """Words that decide, negations and numbers.

        A word right before a number that the reading uses belongs to that number: *exactly 500 m*.
        """
        before_numbers = {number.first - 1 for number in self.question.numbers}
        with_number = {p for p in before_numbers if p + 1 in self.reading.positions}
        decisive = self.question.decisive - with_number - self._find_connectives()
        return decisive | self.linked.compared | self.question.cue_positions("not")

    def _ignores_neighbour(self) -> bool:
        """True if *what comes before Oslo* would be answered by what is said of Oslo."""
        names = {link.first for link in self.reading.links}
        return not _NEIGHBOURS & self.operators and any(
            cue.last in names and cue.positions.isdisjoint(self.explained)
            for cue in self.question.cues
            if cue.operator in _NEIGHBOUR_CUES
        )

    def _counts_all_rows(self) -> bool:
        """*how many times did they lose* is not answered by the number of all rows."""
        plan, question = self.reading.plan, self.question
        if not isinstance(plan, RowCount) or not isinstance(plan.rows, AllRows):
            return False
        left_out = self.unexplained - question.fillers - question.asked_noun
        return any(question.words[p] not in question.lexicon.light_verbs for p in left_out)

    def _adds_up_places(self) -> bool:
        """*how many stages are there in total* is not answered by the sum of their numbers."""
        added = {
            node.column
            for node in self.reading.nodes
            if isinstance(node, CellAggregate | GroupedValues) and node.function != "count"
        }
        for column in added:
            values = [cell.value for _, cell in self.table.columns[column].members]
            numbers = [value.number for value in values if value is not None]
            if len(numbers) > 1 and numbers == [*range(1, len(numbers) + 1)]:
                return True
        return False

    def _adds_up_namesakes(self) -> bool:
        """*how much has Ann Lee paid* is not the sum of two people of this name."""
        names = self.table.columns[self.table.name_column]
        is_sum = any(isinstance(node, CellAggregate) for node in self.reading.nodes)
        links = [link for link in self.reading.links if link.column == names.position]
        if not is_sum or not self.table.names_most_rows(names) or len(links) != 1:
            return False
        (link,) = links
        return link.grade == LinkGrade.EXACT and len({*link.rows.evaluate(self.table)}) > 1

    def _find_connectives(self) -> frozenset[int]:
        """Return the positions of *but*, *both* and *either* whose two conditions the reading joins so."""
        words, conditions = self.question.words, self.conditions
        joined = [
            node for node in self.reading.nodes if isinstance(node, Conjunction | Disjunction)
        ]
        excepts = any(isinstance(node, MemberCells) for node in self.reading.nodes)
        positions: set[int] = set()
        for position, word in enumerate(words):
            before = any(p < position for p in conditions)
            after = any(p > position for p in conditions)
            is_all = after and (any(isinstance(node, Conjunction) for node in joined) or excepts)
            is_any = after and any(isinstance(node, Disjunction) for node in joined)
            if word in WORDS.grammar.contrasts:
                is_joined = is_all and before
            elif word in WORDS.grammar.alternatives:
                is_joined = is_any
            else:
                is_joined = word in WORDS.grammar.conjunctives and is_all and not before
            if is_joined:
                positions.add(position)
        return frozenset(positions)

    def _leaves_out_modifier(self) -> bool:
        """*the net salary* may be another than the salary."""
        before = {p - 1 for p in self.named.positions} if self.named else frozenset[int]()
        return bool((self.unexplained - self.linked.verbs) & before)

    def _does_something_else(self) -> bool:
        """*which tours did Ann cancel* is not answered by what she booked.

        What the row itself does may be said by any verb: *which river does Abbey Bridge cross*.
        """
        deeds = self.unexplained & self.linked.verbs
        starts = self.linked.do_forms
        return any(
            link.last in deeds and link.column != self.table.name_column
            for link in self.reading.links
            if starts and starts[0] < link.first
        )

    def _unknown_superlatives(self) -> frozenset[int]:
        """Return the positions of *the clearest* and *the saltiest*."""
        words = self.question.words
        return frozenset(
            p
            for p in self.question.content
            if words[p].endswith("est") and len(words[p]) > _MIN_SUPERLATIVE
        )

    def _negates_other_word(self) -> bool:
        """True if a negation stands before something else than what the reading excludes.

        *oak trees that are not felled* are no trees other than oaks, and *ships of Rotterdam that have no
        rating* no ships of other harbours. After *neither*, each of the two is excluded.
        """
        named = self.conditions | self.linked.named
        named -= self.linked.rows | (self.linked.verbs - self.conditions)
        starts = self.linked.negations
        for start, end in pairwise((*starts, len(self.question.words))):
            phrase = {*islice((p for p in range(start, end) if p in named), 1)}
            while phrase and max(phrase) + 1 in self.question.content:
                phrase.add(max(phrase) + 1)
            # *swimming is not allowed*: without a noun after it, that before it is negated.
            cues = self.question.cue_positions("not")
            before = self.question.content - self.linked.verbs - cues - {*range(start, end)}
            phrase = phrase or {max((p for p in before if p < start), default=start)}
            if not phrase & self._excluded:
                return True
        # *a sail but no heater* excludes no sails.
        return bool(starts) and any(
            self._excluded & {*range(starts[0], len(self.question.words))}
            and max(early) < starts[0]
            for early in self._complements
        )

    @cached_property
    def _complements(self) -> list[frozenset[int]]:
        """The positions of words for each set of rows that is left out."""
        outer = [_find_excluded(node) for node in self.reading.nodes]
        found = [self.find_conditions(walk_plan(node)) for node in outer if node is not None]
        return [positions for positions in found if positions]

    @cached_property
    def _excluded(self) -> frozenset[int]:
        """The positions of words for what the reading excludes."""
        zeros = [
            node
            for node in self.reading.nodes
            if isinstance(node, CellRange) and node.bounds == (("=", "0"),)
        ]
        return self.find_conditions(zeros).union(*self._complements)

    def _says_what_is_asked(self) -> bool:
        """True if the words left out cannot say that something else is asked for.

        A noun may be left out beside the name of the column that is asked for, and *property* in *which
        property sold for the most* can only be the rows. A verb says which column is asked for unless a noun
        does: *which club does she run for*, but *who wrote Night Train* is not answered by its director.
        """
        unexplained, verbs, asked = self.unexplained, self.linked.verbs, self.question.asked_noun
        if self.answer in UNNAMED:
            return not unexplained
        is_of_all = not (self.reading.columns or self.reading.links) or self._lists_whole_column()
        if is_of_all and "output:cells" in self.operators:
            return not unexplained  # *in which months did it snow* is no list of all months
        # *how many parcels are insured* is not their number; *are kept in Wick* says no more than *in Wick*.
        is_last = self.answer == "figure" and max(self.question.content, default=-1) in unexplained
        if (is_of_all or is_last) and self._is_predicate(unexplained & verbs):
            return False
        if "output:share" in self.operators:
            return not unexplained  # *what share of the seats was sold*: the verb says which part
        is_grouped = isinstance(self.reading.plan, GroupedValues | RankedGroups)
        if is_grouped and unexplained - verbs - self.supposed_rows - self.question.row_noun - asked:
            return False  # *the lighthouses in service in each country*
        if self.answer == "figure" or is_of_all:
            return unexplained <= verbs | self.supposed_rows
        if self.answer == "rows":
            is_choice = any(name.startswith(_CHOICES) for name in self.operators)
            is_other = self._names_one_row() and not is_choice
            nouns = self.question.row_noun | self.supposed_rows
            return unexplained <= (verbs if is_other else verbs | nouns)
        named = self.named
        is_head = named is not None and bool(named.positions & self.question.head)
        if unexplained & verbs and (not is_head or self._asks_where_of_person()):
            return False
        if named is not None and self._is_part_of_name(named, unexplained - verbs):
            return False
        return not asked or not asked <= unexplained

    def _asks_where_of_person(self) -> bool:
        """*where was the director born* is not answered by the director."""
        output = self.reading.output
        is_person = output is not None and self.table.columns[output].has_agents
        return is_person and self.question.kind == "where"

    def _is_predicate(self, verbs: frozenset[int]) -> bool:
        """True if a verb, or an adjective that can be one, stands after *is*: *are still open*."""
        content = self.question.content
        before = {p: max((place for place in content if place < p), default=-1) for p in verbs}
        words = {word for p, place in before.items() for word in self.question.words[place + 1 : p]}
        return not words.isdisjoint(WORDS.grammar.be_forms)

    def _names_one_row(self) -> bool:
        """*which nurse looks after bed B2* asks what the row of B2 has, not which row it is."""
        return any(selects_one_row(link, self.table) for link in self.reading.links)

    def _lists_whole_column(self) -> bool:
        """*who is speaking about …*: the rows are all that have a speaker."""
        return "filled" in self.operators and {*self.reading.columns} == {self.reading.output}

    def _is_part_of_name(self, named: ColumnLink, left_out: frozenset[int]) -> bool:
        """True if the words that name the column belong to another noun: *license* in *the license key*.

        In *which apartments belong to …* a verb follows, and an *order number* is an order.
        """
        question, table = self.question, self.table
        if not question.asked_noun and question.kind not in ("what", ""):
            return False
        words, ends = (
            question.words,
            WORDS.grammar.auxiliaries if question.asked_noun else _ATTRIBUTE_ENDS,
        )
        names_rows = table.columns[named.column].is_identifier or named.column == table.name_column
        after = {p + 2 if words[p + 1 : p + 2] == ("s",) else p + 1 for p in named.positions}
        for position in sorted(after & left_out):
            end = position
            while end in left_out:
                end += 1
            is_number = names_rows and question.stems[end - 1] in IDENTIFIER_WORDS
            is_noun = not (is_number or words[position].endswith("ing"))
            if is_noun and (end == len(words) or words[end] in ends):
                return True
        return False

    def _asks_for_rate(self) -> bool:
        """*the average number of seats per traveller* is one number, of the totals of all.

        *how many different tours did each book* asks for other counts than those of the rows.
        """
        amount = self.question.find_phrase("average", "number", "of")
        counts_rows = "output:group count" in self.operators
        is_distinct = counts_rows and bool(self.question.different)
        return is_distinct or (bool(amount) and "per" in self.question.words)

    def _asks_for_groups(self) -> bool:
        """*per country*, *of each customer*; not *by*, which has other meanings.

        *per year* is in the name of the column ``Cost/yr``; in a table of countries a row is *per country*.
        """
        question, columns = self.question, self.links.columns
        units: frozenset[int] = frozenset()
        used = (*self.reading.columns, *(node.column for node in self.extremes))
        for column in (self.reading.output, self._unique_name_column(), *used):
            link = None if column is None else columns.get(column)
            units |= link.positions if link else frozenset()
        rates = (p + 1 for p, word in enumerate(question.words) if word == "per")
        if any(p in question.content - units - self.reading.positions for p in rates):
            return True
        summarized = min(question.cue_positions(*SUMMARIES), default=-1)
        if question.measure_start and summarized > question.measure_start.start:
            return True  # *the top 3 classes by total fare*
        named = collect_positions(columns.values()) - units
        is_grouped = any(cue.last in named for cue in question.sure_groups)
        return self.linked.asks_for_totals or is_grouped

    def _unique_name_column(self) -> int | None:
        column = self.table.name_column
        return column if self.table.columns[column].is_unique else None

    def _asks_for_rows(self) -> bool:
        """True if *which stores* would be answered by their dates or numbers."""
        output, asked = self.reading.output, self.question.asked_noun
        rows = self.links.columns.get(self.table.name_column)
        if output is None or rows is None or "output:cells" not in self.operators:
            return False
        column = self.table.columns[output]
        named = self.named.positions if self.named is not None else frozenset[int]()
        is_named = bool(named & asked) and not named <= rows.positions
        is_measure = column.kind != "text" and not column.is_identifier
        is_measure = is_measure and output != self.table.name_column
        return is_measure and not is_named and bool(asked) and asked <= rows.positions

    def _compares_no_columns(self) -> bool:
        """*more deaths than births* is not answered by the most deaths.

        *More losses than wins and draws* are not more than the wins.
        """
        comparing = ColumnDifference | ComparedRows | NeighbourRow
        nodes, joined = self.reading.nodes, self.links.joined
        pairs = [{n.first, n.second} for n in nodes if isinstance(n, ColumnComparison)]
        if pairs:
            named = self.links.columns.values()
            is_joined = any(joined & pair and not joined <= pair for pair in pairs)
            return is_joined or any(link.positions <= self.unexplained for link in named)
        return bool(self.links.pairs) and not any(isinstance(node, comparing) for node in nodes)

    def _compares_otherwise(self) -> bool:
        """True if *than* a row, or *later than*, is not answered by a comparison.

        *After* a row may mean the next row.
        """
        words, operators = self.question.words, self.reading.operators
        than = {p for p, word in enumerate(words) if word == "than"} - self.reading.positions
        used = self.question.cue_positions(*EXTREME_WORDS) & self.reading.positions
        is_extreme = bool(self.extremes) and any(p - 1 in used for p in than)
        return not any(operator.startswith(_COMPARING) for operator in operators) and (
            is_extreme
            or any(words[entry.phrase.last - 1] == "than" for entry in self.links.comparisons)
        )
