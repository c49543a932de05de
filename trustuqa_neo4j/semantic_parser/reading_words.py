"""The words of a question beside one reading over a table: what the reading names, implies and leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..language.functions import SUMMARIES
from ..lexicon.lexicon import Cue
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..values.units import Unit, find_unit
from .cell_links import WHOLE_GRADES, LinkGrade
from .column_links import ColumnLink, answers_question_word
from .comparison_phrases import EXTREME_WORDS
from .proposals import TableReading
from .question import PlainQuestion, QuestionNumber
from .row_plans import CellMatch, CellRange, FilledRows
from .snapshot import TableSnapshot
from .table_links import TableLinks
from .word_account import WordAccount

MIN_NAMED = 0.5  # score of the link to a column
UNNAMED = ("fitting column", "other column")
COUNTS = frozenset(("output:count", "output:count values"))
NAMING_GRADES = WHOLE_GRADES | {LinkGrade.FORM}
_COUNTING = COUNTS | {"output:share", "output:count difference"}
_TOPS = frozenset(("select:top highest", "select:top lowest"))
_OWNERS = {(have, "the") for have in WORDS.grammar.have_forms}
_BEFORE_NOUNS = WORDS.grammar.noun_starts
_PREDICATES = WORDS.grammar.be_forms | WORDS.grammar.have_forms
_TIME_NOUNS = WORDS.times.nouns
_PARTITIVES = {(noun, "of") for noun in WORDS.nouns.parts}
_TABLES = WORDS.nouns.registers
_BEFORE_TABLES = WORDS.grammar.own_determiners
_IN = WORDS.grammar.location_prepositions
_HEADS_BY_KIND = {"number": WORDS.columns.number_heads, "text": WORDS.columns.text_heads}


@dataclass(frozen=True)
class LinkedQuestion:
    """A question over a table: its words, by their positions, that are the same for each reading."""

    question: PlainQuestion
    table: TableSnapshot
    links: TableLinks

    @cached_property
    def implied(self) -> frozenset[int]:
        """Words of grammar, of the rows and of the table."""
        question, words = self.question, self.question.words
        light = {p for p, word in enumerate(words) if word in question.lexicon.light_verbs}
        after_how = {p + 1 for p, word in enumerate(words) if word == "how"}
        partitives = {p for p, pair in enumerate(pairwise(words)) if pair in _PARTITIVES}
        words_for_table = self._words_for_table()
        return self.rows.union(question.fillers, light, after_how, partitives, words_for_table)

    def _words_for_table(self) -> frozenset[int]:
        """*in the register*, *on our books*, if the table has no column of that name."""
        words, named = self.question.words, self.links.columns.values()
        taken = collect_positions(named)
        return (
            frozenset(
                p
                for p in range(2, len(words))
                if words[p] in _TABLES and words[p - 1] in _BEFORE_TABLES and words[p - 2] in _IN
            )
            - taken
        )

    @cached_property
    def rows(self) -> frozenset[int]:
        """Words that say what the rows are: the column of their names, and verbs of existence."""
        words = self.question.words
        onlys = self.question.cue_positions("only")
        the_only = {p for p in onlys if words[p] == "the" or words[p - 1] == "the"}
        return self.row_names | self.question.cue_positions("count") | the_only

    @cached_property
    def row_names(self) -> frozenset[int]:
        named = self.links.columns.get(self.table.name_column)
        return named.positions if named else frozenset()

    @cached_property
    def compared(self) -> frozenset[int]:
        """Numbers that rank or bound; an answer without them is about others."""
        numbers = {n.first for n in self.question.numbers if n.value.number is not None}
        return frozenset(numbers | {rank.number.first for rank in self.links.ranks})

    @cached_property
    def named(self) -> frozenset[int]:
        """Words that name a column or a whole cell, or say yes."""
        grades = WHOLE_GRADES | {LinkGrade.FLAG}
        cells = (link for link in self.links.cells if link.grade in grades)
        return collect_positions((*self.links.columns.values(), *cells))

    @cached_property
    def negations(self) -> tuple[int, ...]:
        """The positions after words that negate."""
        return tuple(cue.last for cue in self.question.cues if self._is_negation(cue))

    def _is_negation(self, cue: Cue) -> bool:
        """False for *no* in *no more than 5* and *reg no*."""
        longer = (
            *(long.positions for long in self.question.cues if cue.positions < long.positions),
            *(link.positions for link in self.links.columns.values() if len(link.positions) > 1),
        )
        return cue.operator == "not" and not any(cue.positions <= phrase for phrase in longer)

    @cached_property
    def measures(self) -> frozenset[int]:
        """The positions of words that can mean a column of numbers."""
        return frozenset[int]().union(
            *(
                self.links.related.get(column.position, frozenset())
                for column in self.table.columns
                if column.has_amounts
            )
        )

    @cached_property
    def asks_for_totals(self) -> bool:
        """True for *the number of sales by buyer*, not *by buyer Ann* and *painted by artist*."""
        question, columns = self.question, self.links.columns
        if not question.cue_positions("count", *SUMMARIES):
            return False
        named = collect_positions(columns.values())
        linked = collect_positions(self.links.cells)
        return any(
            question.words[cue.first : cue.last] == ("by",)
            and cue.last in named - self.links.row_nouns
            and cue.last + 1 not in linked
            for cue in question.cues
        )

    @cached_property
    def measured_numbers(self) -> list[tuple[frozenset[int], frozenset[int]]]:
        """The positions of each number with a unit, and the columns with such amounts, or called so."""
        measured = [(n.positions, self.table.find_measures(unit)) for n, unit in self._amounts]
        return [(positions, columns) for positions, columns in measured if columns]

    @cached_property
    def amounts(self) -> frozenset[str]:
        """The texts of numbers with a unit."""
        return frozenset(number.text for number, _ in self._amounts)

    @cached_property
    def _amounts(self) -> list[tuple[QuestionNumber, Unit]]:
        numbers = ((n, find_unit(n.value.unit or "")) for n in self.question.numbers)
        return [(number, unit) for number, unit in numbers if unit is not None]

    @cached_property
    def shares(self) -> tuple[frozenset[int], ...]:
        """The words that ask for a share: *percentage of*, not *more than 5 percent*."""
        numbers = collect_positions(self.question.numbers)
        cues = (cue.positions for cue in self.question.cues if cue.operator == "share")
        return tuple(positions for positions in cues if positions.isdisjoint(numbers))

    @cached_property
    def has_nameless_events(self) -> bool:
        """True for *how many rides were paid in cash*, where rows have times and no column names each.

        *how many gears does it have* asks for a part of what a row is.
        """
        words, noun = self.question.words, self.question.asked_noun
        is_person = self.question.lexicon.has_person(self.question.stems[place] for place in noun)
        after = words[max(noun, default=0) + 1 :]
        is_subject = not (self.do_forms or self.names_owner) and "there" not in after
        if not is_subject or _PREDICATES.isdisjoint(after):
            return False
        if not any(column.kind == "date" or column.has_times for column in self.table.columns):
            return False
        names = (
            column
            for column in self.table.columns
            if column.kind == "text" and not (column.is_identifier or column.has_codes)
        )
        return not (is_person or any(column.is_unique for column in names))

    @cached_property
    def names_owner(self) -> bool:
        """True for *how many goals have the Lions*, which counts what they have."""
        return bool(_OWNERS & {*pairwise(self.question.words)})

    @cached_property
    def do_forms(self) -> tuple[int, ...]:
        """The positions of *do*, *does* and *did*."""
        words = self.question.words
        return tuple(p for p, word in enumerate(words) if word in WORDS.grammar.do_forms)

    @cached_property
    def verbs(self) -> frozenset[int]:
        """Verbs: after *who*, after *did* and its subject, and such as *reserved* and *won*."""
        question, words = self.question, self.question.words
        starts = self.do_forms
        after = frozenset(range(starts[0] + 1, len(words)) if starts else ())
        after -= {p + 1 for p, word in enumerate(words) if word in _BEFORE_NOUNS}
        subject = [p + 1 for p, word in enumerate(words[:-1]) if word == "who"]
        irregular = question.lexicon.verbs
        forms = (p for p, word in enumerate(words) if word.endswith("ed") or word in irregular)
        return question.content & after.union(subject, forms, question.asked_verb)

    @cached_property
    def known_verbs(self) -> frozenset[int]:
        """Verbs with synonyms in the lexicon, such as *won* and *sell*."""
        words, synonyms = self.question.words, self.question.lexicon.synonyms
        return frozenset(p for p in self.verbs if words[p] in synonyms)


@dataclass(frozen=True)
class ReadingWords(WordAccount):
    """Accounts for the words of a question in one reading of a table."""

    linked: LinkedQuestion
    reading: TableReading

    @property
    def question(self) -> PlainQuestion:
        return self.linked.question

    @property
    def table(self) -> TableSnapshot:
        return self.linked.table

    @property
    def links(self) -> TableLinks:
        return self.linked.links

    @cached_property
    def explained(self) -> frozenset[int]:
        return self.reading.positions | self.implied

    @cached_property
    def implied(self) -> frozenset[int]:
        """Words that say no more than what the reading or the table says."""
        implied = self.linked.implied.union(
            self._verbs_of_extremes() - self.linked.compared,
            self._counted_members(),
            self._verbs_of_amounts(),
            self._words_of_total(),
            self._nouns_of_times(),
            self._generic_heads(),
        )
        if COUNTS & self.operators:
            implied |= self.question.totals  # *how many people in total*
        return implied

    def _generic_heads(self) -> frozenset[int]:
        """*period* in *the notice period* and *number* in *the phone number* say no more than the column."""
        words, used = self.question.words, {*self.reading.columns, self.reading.output}
        heads: set[int] = set()
        for column, link in self.links.columns.items():
            if column in used and not self._is_unit(link):
                named = self.table.columns[column]
                kind = "text" if named.is_flag else named.kind  # *the survival rate* is a share
                generic = _HEADS_BY_KIND.get(kind, _TIME_NOUNS)
                after = (p + 1 for p in link.positions if p + 1 < len(words))
                heads.update(p for p in after if words[p] in generic)
        return frozenset(heads)

    def _nouns_of_times(self) -> frozenset[int]:
        """*what time does … begin*, *on which day was …*: the column has times."""
        question, output = self.question, self.reading.output
        if output is None or self.answer not in ("named column", "fitting column"):
            return frozenset()
        column = self.table.columns[output]
        if column.kind not in ("date", "year") and not column.has_times:
            return frozenset()
        return frozenset(p for p in question.asked_noun if question.words[p] in _TIME_NOUNS)

    @cached_property
    def operators(self) -> frozenset[str]:
        return frozenset(self.reading.operators)

    def _counted_members(self) -> frozenset[int]:
        """*name two films by …*, *the average price of the two microscopes*: as many as there are."""
        question = self.question
        size, head = float(len(self.reading.members)), question.head
        sizes = dict.fromkeys(head | {p + 1 for p in head}, size)
        sizes |= {
            link.first: float(len(link.rows.evaluate(self.table))) for link in self.reading.links
        }
        numbers = (n for n in question.numbers if n.last in sizes and not n.is_ordinal)
        return frozenset(n.first for n in numbers if n.value.number == sizes[n.last])

    def _verbs_of_amounts(self) -> frozenset[int]:
        """*how many medals did France win*, *how much did we sell*: the verb says what the column says."""
        question, asked = self.question, self.question.asked_noun
        if question.kind == "how much":
            asked = frozenset(p for p, word in enumerate(question.words) if word == "much")
        elif question.kind != "how many":
            return frozenset()
        if self.named is None or not self.named.positions & asked:
            return frozenset()
        return self.linked.known_verbs

    def _words_of_total(self) -> frozenset[int]:
        """*how many medals did France win in total*, of a table of medals with a column ``Total``."""
        question, asked, named = self.question, self.question.asked_noun, self.named
        nouns = {question.stems[position] for position in asked}
        if named is None or not asked or not nouns <= self.table.row_stems:
            return frozenset()
        if not named.positions <= question.totals:
            return frozenset()
        return question.totals.union(asked, self.linked.known_verbs)

    def _verbs_of_extremes(self) -> frozenset[int]:
        """*won the most gold*, *had the fewest crew*: the verb says no more than its object.

        In *spent the most*, the verb says what is measured.
        """
        question = self.question
        used = {operator.split()[-1].removeprefix("select:") for operator in self.operators}
        positions: set[int] = set()
        for cue in question.cues:
            if cue.operator in used & set(EXTREME_WORDS) and cue.last in question.content:
                before = cue.first - 1
                if before > 0 and question.words[before] == "the":
                    before -= 1
                positions.add(before)
        return frozenset(positions) - question.names

    @cached_property
    def conditions(self) -> frozenset[int]:
        """The positions of words that select rows."""
        return self.find_conditions(self.reading.nodes)

    def find_conditions(self, nodes: Iterable[object]) -> frozenset[int]:
        nodes = tuple(nodes)
        links = (link for link in self.reading.links if link.rows in nodes)
        columns = {
            node.column for node in nodes if isinstance(node, CellMatch | CellRange | FilledRows)
        }
        named = (self.links.columns[c].positions for c in columns if c in self.links.columns)
        return collect_positions(links).union(*named)

    @cached_property
    def supposed_rows(self) -> frozenset[int]:
        """Nouns that no data explain and that may be the rows of a table whose name does not tell them.

        Such as *flats* in *how many 3 BHK flats are there* and in *the top 3 flats*. *how many goals did she
        score*, *were scored* and *has the team* count what somebody did or has, and *how many gears has the
        Falcon* counts its parts.
        """
        question = self.question
        if self.table.has_telling_name or self.unexplained & self.linked.verbs:
            return frozenset()
        nouns = frozenset[int]()
        counts = bool(_COUNTING & self.operators) and self.reading.members != (1.0,)
        if counts and not (self.linked.do_forms or self.linked.names_owner):
            starts = frozenset(cue.last for cue in question.cues if cue.operator == "count")
            nouns = question.asked_noun | starts | {link.last for link in self.reading.links}
        elif self.answer == "rows" and _TOPS & self.operators:
            nouns = frozenset(max(rank.positions) + 1 for rank in self.links.ranks)
            nouns |= frozenset(rank.number.noun for rank in self.links.ranks)
        cells = (link.positions for link in self.links.cells if link.grade in NAMING_GRADES)
        nouns &= question.content - self.linked.named.union(self.linked.rows, *cells)
        return frozenset(position for position in nouns if self._may_be_rows(position))

    def _may_be_rows(self, position: int) -> bool:
        """False for a singular, and for persons and *girls*, who may be some of the rows."""
        lexicon = self.question.lexicon
        word, noun = self.question.words[position], self.question.stems[position]
        return word != noun and word not in lexicon.values and not lexicon.has_person((noun,))

    @cached_property
    def named(self) -> ColumnLink | None:
        """The words that name the column of the answer."""
        output = self.reading.output
        named = None if output is None else self.links.columns.get(output)
        if named is None or self._is_unit(named) or self._is_in_name(named):
            return None
        return named

    def _is_in_name(self, named: ColumnLink) -> bool:
        """True for *park* in the phone number of *Park Palace*, which does not ask for ``parking``."""
        return any(named.positions < link.positions for link in self.reading.links)

    def _is_unit(self, named: ColumnLink) -> bool:
        """True for *in metres*, which does not say of what."""
        words = self.question.words
        return all(p and words[p - 1] in _IN and find_unit(words[p]) for p in named.positions)

    @cached_property
    def answer(self) -> str:
        """The kind of answer: a figure, the rows, or a column that the question names or does not name."""
        output = self.reading.output
        if output is None:
            return "figure"
        if self.named is not None and self.named.score >= MIN_NAMED:
            return "named column"
        if output == self.table.name_column:
            return "rows"
        column = self.table.columns[output]
        return UNNAMED[not answers_question_word(self.question, self.table, column)]
