"""Reads a question over one table: links, proposals, ranking, and what of it is not explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
_LONG = 12  # content words of a long question
_AGGREGATES = ("sum", "mean", "frequent", "rare")


@dataclass(frozen=True, slots=True)
class RankedReading:
    """A reading in the order of the ranker, with what it leaves out and the evidence that it is right."""

    reading: TableReading
    unexplained: frozenset[int]
    is_explained: bool
    evidence: Mapping[str, float]


def parse_for_table(
    question: PlainQuestion, table: TableSnapshot, weights: RankerWeights | None = None
) -> ParsedQuestion:
    weights = weights or load_weights("table")
    links = link_table(question, table)
    readings = (
        _describe(question, table, entry, weights, links)
        for entry in rank_for_table(question, table, links, weights)
    )
    return ParsedQuestion(tuple(readings), select_table_links(question, table, links))


def rank_for_table(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, weights: RankerWeights
) -> Iterator[RankedReading]:
    """Yield the best readings, the most probable first."""
    scored = [
        (reading, extract_features(question, table, links, reading), answer_key(reading.members))
        for reading in propose_readings(question, table, links)
    ]
    for entry in rank(scored, weights)[:MAX_RANKED]:
        unexplained, is_explained = _explain(question, table, links, entry.reading)
        evidence = _collect_evidence(question, entry.reading, unexplained, is_explained)
        yield RankedReading(
            entry.reading, unexplained, is_explained, {**entry.evidence, **evidence}
        )


def _collect_evidence(
    question: PlainQuestion, reading: TableReading, unexplained: frozenset[int], is_explained: bool
) -> dict[str, float]:
    size = max(1, len(question.content))
    is_several = len(reading.members) > 1 and not (question.asks_several or question.is_open)
    return {
        "refused": float(not is_explained),
        "share explained": 1 - len(unexplained) / size,
        "words unexplained": min(len(unexplained), 4) / 4,
        "length": min(size, _LONG) / _LONG,
        "several answers to one": float(is_several),
    }


def _explain(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> tuple[frozenset[int], bool]:
    """Return the content words that a reading leaves out, and whether it may do so: the gate."""
    verbs = _verbs_of_extremes(question, reading) - _compared_words(question, links)
    implied = _of_the_table(question, table, links) | verbs
    light = frozenset(p for p, w in enumerate(question.words) if w in question.lexicon.light_verbs)
    implied |= light | question.fillers | _counted_members(question, reading)
    implied |= {p + 1 for p, word in enumerate(question.words) if word == "how"}
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
        and not any(reverses(possession, reading) for possession in links.possessions)
        and (not question.asked_noun or bool(_asked_nouns(question) - unexplained))
    )
    return unexplained, is_explained


def _describe(
    question: PlainQuestion,
    table: TableSnapshot,
    ranked: RankedReading,
    weights: RankerWeights,
    links: TableLinks,
) -> QuestionReading:
    exact = (link.positions for link in links.cells if link.grade == "exact")
    linked_words = ranked.unexplained & frozenset[int]().union(*exact)
    return QuestionReading(
        write_query(ranked.reading.plan, table),
        weights.calibrate(ranked.evidence),
        table.name,
        ranked.reading.members,
        write_words(question, ranked.unexplained),
        ranked.is_explained,
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
