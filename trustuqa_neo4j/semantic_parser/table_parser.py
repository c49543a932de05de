"""Reads a question over one table: links, proposals, ranking, and what of it is not explained."""

from __future__ import annotations

from .comparison_features import compares_named_rows, needs_comparison
from .comparison_phrases import EXTREME_WORDS
from .features import extract_features, reverses
from .plans import Existence, GroupedValues, write_query
from .proposals import TableReading, propose_readings
from .question import PlainQuestion
from .question_links import select_table_links
from .ranker import RankerWeights, answer_key, load_weights, rank
from .reading import (
    MAX_RANKED,
    ParsedQuestion,
    QuestionReading,
    explains_enough,
    fits_question_word,
    write_words,
)
from .snapshot import TableSnapshot
from .table_links import TableLinks, link_table

_DO_FORMS = frozenset(("do", "does", "did"))
_AGGREGATES = ("sum", "mean", "frequent", "rare")


def parse_for_table(
    question: PlainQuestion, table: TableSnapshot, weights: RankerWeights | None = None
) -> ParsedQuestion:
    links = link_table(question, table)
    scored = [
        (reading, extract_features(question, table, links, reading), answer_key(reading.members))
        for reading in propose_readings(question, table, links)
    ]
    ranked = rank(scored, weights or load_weights("table"))
    readings = (
        _describe(question, table, entry.reading, entry.probability, links)
        for entry in ranked[:MAX_RANKED]
    )
    return ParsedQuestion(tuple(readings), select_table_links(question, table, links))


def _describe(
    question: PlainQuestion,
    table: TableSnapshot,
    reading: TableReading,
    probability: float,
    links: TableLinks,
) -> QuestionReading:
    verbs = _verbs_of_extremes(question, reading) - _compared_words(question, links)
    implied = _of_the_table(question, table, links) | verbs
    light = frozenset(p for p, w in enumerate(question.words) if w in question.lexicon.light_verbs)
    implied |= light | question.fillers
    unexplained = question.content - reading.positions - implied
    exact = (link.positions for link in links.cells if link.grade == "exact")
    used = (reading.output, *reading.columns)
    columns = [table.columns[column].name for column in used if column is not None]
    linked_words = unexplained & frozenset[int]().union(*exact)
    return QuestionReading(
        write_query(reading.plan, table),
        probability,
        table.name,
        reading.members,
        write_words(question, unexplained),
        explains_enough(question, unexplained)
        and fits_question_word(question, reading.members, columns)
        and not (isinstance(reading.plan, Existence) and unexplained)
        and (isinstance(reading.plan, GroupedValues) or not _asks_for_groups(question, links))
        and not unexplained & (question.names | _aggregate_words(question))
        and question.decisive | _compared_words(question, links) <= reading.positions | implied
        and (not needs_comparison(question, links) or compares_named_rows(reading))
        and not any(reverses(possession, reading) for possession in links.possessions)
        and not unexplained & _verbs(question)
        and (not question.asked_noun or bool(_asked_nouns(question) - unexplained)),
        write_words(question, linked_words),
    )


def _of_the_table(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> frozenset[int]:
    """Positions of words that say what the rows are: the column of their names, and verbs of existence."""
    named = links.columns.get(table.name_column)
    positions = named.positions if named else frozenset[int]()
    cues = (cue.positions for cue in question.cues if cue.operator in ("count", "only"))
    return positions.union(*cues)


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


def _asked_nouns(question: PlainQuestion) -> frozenset[int]:
    """Positions of what is asked for: *company* in *which company published …*."""
    nouns = {p for p in question.asked_noun if not question.words[p].endswith("ed")}
    return frozenset(nouns) or question.asked_noun


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
