"""The gate of readings over a table: what of the question a reading leaves out, and whether it may do so.

A reading that the gate refuses is not answered. It also ranks lower, so that one that explains the question
comes before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..language.words import AUXILIARIES
from .comparison_features import compares_named_rows, needs_comparison
from .comparison_phrases import EXTREME_WORDS
from .features import ROW_FREQUENCIES
from .plans import Existence, ExtremeRows, GroupedValues, RankedRows, walk_plan
from .proposals import TableReading
from .question import PlainQuestion
from .reading import fits_question_word
from .snapshot import IDENTIFIER_WORDS, TableSnapshot
from .table_links import ColumnLink, TableLinks, asks_for_frequency

_AGGREGATES = ("sum", "mean", "frequent", "rare")
_MIN_NAMED = 0.5  # score of the link to a column
_MAX_LEFT_OUT = 4  # words
_UNNAMED = ("fitting column", "other column")
_COUNTS = frozenset(("output:count", "output:count values"))
_ATTRIBUTE_ENDS = frozenset(("of", "for", "in", "at", "on"))  # after *the license key*
_DO_FORMS = frozenset(("do", "does", "did"))
_QUANTIFIERS = frozenset(("most", "fewest"))
_MODALS = frozenset(("can", "could", "should", "would", "will", "might", "to"))
_AMOUNTS = frozenset(("number", "amount", "of", "the"))


@dataclass(frozen=True, slots=True)
class Explanation:
    """The words of a question that a reading leaves out, and whether it may do so.

    ``unexplained`` are the positions of these words; ``is_possible`` is False if it may not.
    ``evidence`` is what ranking and calibration weigh: kinds of words left out, by what the answer consists
    of, and whether they may be left out.
    """

    unexplained: frozenset[int]
    is_possible: bool
    evidence: Mapping[str, float]


def explain_reading(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> Explanation:
    compared = _compared_words(question, links)
    rows = _of_the_table(question, table, links)
    implied = rows | (_verbs_of_extremes(question, reading) - compared)
    implied |= frozenset(
        p for p, w in enumerate(question.words) if w in question.lexicon.light_verbs
    )
    implied |= question.fillers | _counted_members(question, reading)
    implied |= {p + 1 for p, word in enumerate(question.words) if word == "how"}
    implied |= _verbs_of_amounts(question, links, reading)
    if _COUNTS & {*reading.operators}:
        implied |= question.cue_positions("sum")  # *how many people in total*
    unexplained = question.content - reading.positions - implied
    used = (reading.output, *reading.columns)
    columns = [table.columns[column].name for column in used if column is not None]
    answer = _classify_answer(question, table, links, reading)
    # A table without a telling name has rows of any noun.
    nouns = rows if table.row_nouns else question.asked_noun
    counted = nouns | _named_by(links, reading)
    is_possible = (
        fits_question_word(question, reading.members, columns)
        and not (isinstance(reading.plan, Existence) and unexplained - _verbs(question))
        and (
            isinstance(reading.plan, GroupedValues)
            or not _asks_for_groups(question, table, links, reading)
        )
        and not unexplained & (question.names | _aggregate_words(question))
        and question.decisive | compared <= reading.positions | implied
        and (
            not asks_for_frequency(question, links) or bool(ROW_FREQUENCIES & {*reading.operators})
        )
        and (not needs_comparison(question, links) or compares_named_rows(reading))
        and not unexplained & (_measured_words(question) | _extremes(question))
        and not _measures_another_column(question, table, links, reading)
        and not _asks_for_advice(question)
        and not _asks_for_rows(question, table, links, reading)
        and _says_what_is_asked(question, table, links, reading, unexplained, answer)
        and not (answer == "figure" and question.asked_noun and not question.asked_noun & counted)
        and not (_names_one_row(table, reading) and not question.asked_noun & rows)
    )
    evidence = dict(_weigh_words(question, table, links, reading, unexplained, answer))
    evidence["refused"] = float(not is_possible)
    return Explanation(unexplained, is_possible, evidence)


def _named_by(links: TableLinks, reading: TableReading) -> frozenset[int]:
    """Positions of words that name cells or columns of the reading: *thrillers* in *how many thrillers*."""
    columns = (links.columns[c] for c in reading.columns if c in links.columns)
    cells = (link.positions for link in reading.links)
    return frozenset[int]().union(*cells, *(column.positions for column in columns))


def _says_what_is_asked(
    question: PlainQuestion,
    table: TableSnapshot,
    links: TableLinks,
    reading: TableReading,
    unexplained: frozenset[int],
    answer: str,
) -> bool:
    """True if the words left out cannot say that something else is asked for.

    A noun may be left out beside the name of the column that is asked for, and *property* in *which property
    sold for the most* can only be the rows. A verb says which column is asked for unless a noun does: *which
    club does she run for*, but *who wrote Night Train* is not answered by its director.
    """
    if answer in _UNNAMED:
        return not unexplained
    verbs, asked = _verbs(question), question.asked_noun
    is_of_all = not (reading.columns or reading.links)
    if is_of_all and "output:cells" in reading.operators:
        return not unexplained  # *in which months did it snow* is no list of all months
    if answer == "figure" or is_of_all:
        return unexplained <= verbs
    if answer == "rows":
        return unexplained <= verbs | asked
    named = _output_link(links, reading)
    is_head = named is not None and bool(named.positions & question.head)
    if unexplained & verbs and not is_head:
        return False
    if named is not None and _is_part_of_name(question, table, named, unexplained - verbs):
        return False
    return not question.asked_noun or not asked <= unexplained


def _is_part_of_name(
    question: PlainQuestion, table: TableSnapshot, named: ColumnLink, left_out: frozenset[int]
) -> bool:
    """True if the words that name the column belong to another noun: *license* in *what is the license key*.

    In *which apartments belong to …* a verb follows, and an *order number* is an order.
    """
    words, ends = question.words, AUXILIARIES if question.asked_noun else _ATTRIBUTE_ENDS
    if not question.asked_noun and question.kind not in ("what", ""):
        return False
    names_rows = table.columns[named.column].is_identifier or named.column == table.name_column
    for position in sorted({p + 1 for p in named.positions} & left_out):
        end = position
        while end in left_out:
            end += 1
        is_number = names_rows and question.stems[end - 1] in IDENTIFIER_WORDS
        is_noun = not (is_number or words[position].endswith("ing"))
        if is_noun and (end == len(words) or words[end] in ends):
            return True
    return False


def _names_one_row(table: TableSnapshot, reading: TableReading) -> bool:
    """True if *how many gears has the Falcon* would be answered by the number of Falcons."""
    is_count = "output:count" in reading.operators
    return is_count and any(
        table.columns[link.column].is_unique and link.grade == "exact" for link in reading.links
    )


def _weigh_words(
    question: PlainQuestion,
    table: TableSnapshot,
    links: TableLinks,
    reading: TableReading,
    unexplained: frozenset[int],
    answer: str,
) -> Iterator[tuple[str, float]]:
    """Yield what is left out, for each kind of answer."""
    nouns = unexplained - _verbs(question)
    yield f"answer: {answer}", 1.0
    if nouns < unexplained:
        yield f"verb left out, answer: {answer}", 1.0
    named = _output_link(links, reading)
    if named and nouns & {p - 1 for p in named.positions}:
        yield "noun before that of the answer left out", 1.0  # *halfway time*
    if named and nouns & {p + 1 for p in named.positions}:
        yield "noun after that of the answer left out", 1.0  # *license key*
    if named and not _names_last_word(question, table, named):
        yield "last word of the answer's column not named", 1.0  # *guests* for a guest rating
    if {"select:next", "select:previous"} & {*reading.operators} and nouns < unexplained:
        yield "verb left out beside a neighbour row", 1.0
    if nouns:
        yield f"words left out, answer: {answer}", min(len(nouns), _MAX_LEFT_OUT) / 2


def _names_last_word(question: PlainQuestion, table: TableSnapshot, link: ColumnLink) -> bool:
    column = table.columns[link.column]
    stems = {question.stems[position] for position in link.positions}
    is_of_other_words = not stems & {*column.main_stems}
    return is_of_other_words or column.main_stems[-1] in stems


def _output_link(links: TableLinks, reading: TableReading) -> ColumnLink | None:
    """The words that name the column of the answer."""
    return None if reading.output is None else links.columns.get(reading.output)


def _classify_answer(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> str:
    """Return whether the question names what the answer consists of, or it is the rows themselves."""
    output = reading.output
    if output is None:
        return "figure"
    if links.column_score(output) >= _MIN_NAMED:
        return "named column"
    if output == table.name_column:
        return "rows"
    expected = question.lexicon.answer_types.get(question.kind, frozenset())
    column = table.columns[output]
    return _UNNAMED[not expected & {*column.words, *column.stems}]


def _of_the_table(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> frozenset[int]:
    """Positions of words that say what the rows are: the column of their names, and verbs of existence."""
    named = links.columns.get(table.name_column)
    positions = named.positions if named else frozenset[int]()
    return positions | question.cue_positions("count", "only")


def _counted_members(question: PlainQuestion, reading: TableReading) -> frozenset[int]:
    """*name two films by …*: the number is that of the answers."""
    size = float(len(reading.members))
    numbers = (n for n in question.numbers if n.value.number == size and not n.is_ordinal)
    return frozenset(
        n.first for n in numbers if n.last in question.head | {p + 1 for p in question.head}
    )


def _compared_words(question: PlainQuestion, links: TableLinks) -> frozenset[int]:
    """Positions of numbers that rank or bound; an answer without them is about others."""
    numbers = {n.first for n in question.numbers if n.value.number is not None}
    ranks = {rank.number.first for rank in links.ranks}
    return frozenset(numbers | ranks)


def _verbs(question: PlainQuestion) -> frozenset[int]:
    """Positions of verbs: after *who*, after *did* and its subject, and such as *reserved* and *won*."""
    words = question.words
    starts = [p for p, word in enumerate(words) if word in _DO_FORMS]
    after = frozenset(range(starts[0] + 1, len(words)) if starts else ())
    subject = [p + 1 for p, word in enumerate(words[:-1]) if word == "who"]
    forms = (
        p for p, word in enumerate(words) if word.endswith("ed") or word in question.lexicon.verbs
    )
    return question.content & after.union(subject, forms, question.asked_verb)


def _verbs_of_amounts(
    question: PlainQuestion, links: TableLinks, reading: TableReading
) -> frozenset[int]:
    """*how many medals did France win*, *how much did we sell*: the verb says no more than the column."""
    named = _output_link(links, reading)
    asked = question.asked_noun
    if question.kind == "how much":
        asked = frozenset(p for p, word in enumerate(question.words) if word == "much")
    elif question.kind != "how many":
        return frozenset()
    if named is None or not named.positions & asked:
        return frozenset()
    known = question.lexicon.synonyms
    return frozenset(p for p in _verbs(question) if question.words[p] in known)


def _aggregate_words(question: PlainQuestion) -> frozenset[int]:
    """Positions of words such as *total*, *average* and *often*, without which an answer misleads."""
    return question.cue_positions(*_AGGREGATES)


def _asks_for_groups(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> bool:
    """*per country*, *of each customer*; not *by*, which has other meanings.

    *per year* is in the name of the column ``Cost/yr``; in a table of countries each row is *per country*.
    """
    named = frozenset[int]().union(*(link.positions for link in links.columns.values()))
    units: frozenset[int] = frozenset()
    for column in (reading.output, _unique_name_column(table)):
        link = None if column is None else links.columns.get(column)
        units |= link.positions if link else frozenset()
    named -= units
    rates = (p + 1 for p, word in enumerate(question.words) if word == "per")
    if any(p in question.content - units - reading.positions for p in rates):
        return True
    return any(
        cue.operator == "group"
        and cue.last in named
        and question.words[cue.first : cue.last] != ("by",)
        for cue in question.cues
    )


def _unique_name_column(table: TableSnapshot) -> int | None:
    return table.name_column if table.columns[table.name_column].is_unique else None


def _verbs_of_extremes(question: PlainQuestion, reading: TableReading) -> frozenset[int]:
    """*won the most gold*, *had the fewest crew*: the verb says no more than its object."""
    used = {operator.split()[-1].removeprefix("select:") for operator in reading.operators}
    positions: set[int] = set()
    for cue in question.cues:
        if cue.operator in used & set(EXTREME_WORDS):
            before = cue.first - 1
            if before > 0 and question.words[before] == "the":
                before -= 1
            positions.add(before)
    return frozenset(positions) - question.names


def _extremes(question: PlainQuestion) -> frozenset[int]:
    """Positions of words such as *youngest*, without which an answer is about others."""
    return question.cue_positions(*EXTREME_WORDS)


def _measured_words(question: PlainQuestion) -> frozenset[int]:
    """Positions of what an extreme measures: *employees* in *the largest number of employees*."""
    positions: set[int] = set()
    for cue in question.cues:
        place = cue.last
        while cue.operator in EXTREME_WORDS and question.words[place : place + 1] in {
            (word,) for word in _AMOUNTS
        }:
            place += 1
        if cue.operator in EXTREME_WORDS:
            positions.add(place)
    return frozenset(positions)


def _measures_another_column(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> bool:
    """True if *tallest* would be answered by the salary, or *the most songs* by the rating."""
    for node in walk_plan(reading.plan):
        if not isinstance(node, ExtremeRows | RankedRows):
            continue
        named = links.columns.get(node.column)
        words = {*table.columns[node.column].words}
        explained = links.related.get(node.column, frozenset())
        explained |= named.positions if named else frozenset()
        for cue in question.cues:
            if cue.operator != node.word:
                continue
            dimension = question.lexicon.dimensions.get(question.words[cue.first])
            is_generic = node.word in question.lexicon.operators.get(question.words[cue.first], ())
            measured = dimension.extremes.get(node.word) if dimension else None
            if measured and not (is_generic or named or measured & words):
                return True
            is_quantity = bool(_QUANTIFIERS & {*question.words[cue.first : cue.last]})
            if is_quantity and cue.last in question.content - explained - _verbs(question):
                return True
    return False


def _asks_for_advice(question: PlainQuestion) -> bool:
    """*how could she do better*, *how to cancel*."""
    return question.words[:1] == ("how",) and bool(_MODALS & {*question.words[1:2]})


def _asks_for_rows(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> bool:
    """True if *which stores* would be answered by their dates or numbers."""
    output = reading.output
    rows = links.columns.get(table.name_column)
    if output is None or rows is None or "output:cells" not in reading.operators:
        return False
    column, named = table.columns[output], links.columns.get(output)
    asked = question.asked_noun
    is_named = named is not None and bool(named.positions & asked)
    is_measure = column.kind != "text" and not column.is_identifier and output != table.name_column
    return is_measure and not is_named and bool(asked) and asked <= rows.positions
