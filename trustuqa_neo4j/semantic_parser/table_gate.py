"""The gate of readings over a table: what of the question a reading leaves out, and whether it may do so."""

from __future__ import annotations

from .comparison_features import compares_named_rows, needs_comparison
from .comparison_phrases import EXTREME_WORDS
from .plans import Existence, GroupedValues
from .proposals import TableReading
from .question import PlainQuestion
from .reading import explains_enough, fits_question_word
from .snapshot import TableSnapshot
from .table_links import TableLinks

_AGGREGATES = ("sum", "mean", "frequent", "rare")
_DO_FORMS = frozenset(("do", "does", "did"))
_AMOUNTS = frozenset(("number", "amount", "of", "the"))


def explain_reading(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> tuple[frozenset[int], bool]:
    """Return the content words that a reading leaves out, and whether it may do so."""
    verbs = _verbs_of_extremes(question, reading) - _compared_words(question, links)
    implied = _of_the_table(question, table, links) | verbs
    light = frozenset(p for p, w in enumerate(question.words) if w in question.lexicon.light_verbs)
    implied |= light | question.fillers | _counted_members(question, reading)
    implied |= {p + 1 for p, word in enumerate(question.words) if word == "how"}
    implied |= _verbs_of_amounts(question, links, reading)
    unexplained = question.content - reading.positions - implied
    used = (reading.output, *reading.columns)
    columns = [table.columns[column].name for column in used if column is not None]
    is_explained = (
        explains_enough(question, unexplained)
        and fits_question_word(question, reading.members, columns)
        and not (isinstance(reading.plan, Existence) and unexplained)
        and (isinstance(reading.plan, GroupedValues) or not _asks_for_groups(question, links))
        and not unexplained & (question.names | _aggregate_words(question) | _verbs(question))
        and question.decisive | _compared_words(question, links) <= reading.positions | implied
        and (not needs_comparison(question, links) or compares_named_rows(reading))
        and not unexplained & _measured_words(question)
        and not _asks_for_rows(question, table, links, reading)
        and (not question.asked_noun or bool(_asked_nouns(question) - unexplained))
    )
    return unexplained, is_explained


def _of_the_table(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> frozenset[int]:
    """Positions of words that say what the rows are: the column of their names, and verbs of existence."""
    named = links.columns.get(table.name_column)
    positions = named.positions if named else frozenset[int]()
    cues = (cue.positions for cue in question.cues if cue.operator in ("count", "only"))
    return positions.union(*cues)


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
    """Positions of verbs: after *who*, after *did* and its subject, and words such as *reserved*."""
    words = question.words
    starts = [p for p, word in enumerate(words) if word in _DO_FORMS]
    after = frozenset(range(starts[0] + 1, len(words)) if starts else ())
    subject = [p + 1 for p, word in enumerate(words[:-1]) if word == "who"]
    participles = (p for p, word in enumerate(words) if word.endswith("ed"))
    return question.content & after.union(subject, participles)


def _verbs_of_amounts(
    question: PlainQuestion, links: TableLinks, reading: TableReading
) -> frozenset[int]:
    """*how many medals did France win*: the verb says no more than that France has medals."""
    named = links.columns.get(-1 if reading.output is None else reading.output)
    is_amount = question.kind in ("how many", "how much") and named is not None
    if not is_amount or named is None or not named.positions & question.asked_noun:
        return frozenset()
    known = question.lexicon.synonyms
    return frozenset(p for p in _verbs(question) if question.words[p] in known)


def _asked_nouns(question: PlainQuestion) -> frozenset[int]:
    """Positions of what is asked for: *company* in *which company published …*."""
    verbs = (p for p in question.asked_noun if question.words[p].endswith("ed"))
    end = min(verbs, default=len(question.words))
    return frozenset(p for p in question.asked_noun if p < end) or question.asked_noun


def _aggregate_words(question: PlainQuestion) -> frozenset[int]:
    """Positions of words such as *total*, *average* and *often*, without which an answer misleads."""
    cues = (cue.positions for cue in question.cues if cue.operator in _AGGREGATES)
    return frozenset[int]().union(*cues)


def _asks_for_groups(question: PlainQuestion, links: TableLinks) -> bool:
    """*per country*, *of each customer*; not *by*, which has other meanings."""
    named = frozenset[int]().union(*(link.positions for link in links.columns.values()))
    return any(
        cue.operator == "group"
        and cue.last in named
        and question.words[cue.first : cue.last] != ("by",)
        for cue in question.cues
    )


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
