"""Reads a question over one table: links, proposals, ranking, and what of it is not explained."""

from __future__ import annotations

from dataclasses import dataclass

from .features import extract_features
from .plans import write_query
from .proposals import TableReading, propose_readings
from .question import PlainQuestion
from .ranker import RankerWeights, answer_key, load_weights, rank
from .row_proposals import EXTREME_WORDS
from .snapshot import TableSnapshot
from .table_links import TableLinks, link_table

MIN_EXPLAINED = 0.7  # share of the content words


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A query for a question; ``probability`` is how often such a reading is right.

    ``unexplained`` are content words that the query does not use; ``is_explained`` is False if they are too
    many, or a name, a number or the noun that is asked for.
    """

    query: str
    probability: float
    source: str | None
    members: tuple[str | float, ...]
    unexplained: tuple[str, ...]
    is_explained: bool


def parse_for_table(
    question: PlainQuestion, table: TableSnapshot, weights: RankerWeights | None = None
) -> list[QuestionReading]:
    """Return the readings with different answers, best first."""
    links = link_table(question, table)
    scored = [
        (reading, extract_features(question, table, links, reading), answer_key(reading.members))
        for reading in propose_readings(question, table, links)
    ]
    ranked = rank(scored, weights or load_weights("table"))
    return [
        _describe(question, table, entry.reading, entry.probability, links) for entry in ranked[:10]
    ]


def _describe(
    question: PlainQuestion,
    table: TableSnapshot,
    reading: TableReading,
    probability: float,
    links: TableLinks,
) -> QuestionReading:
    implied = _of_the_table(question, table, links) | _verbs_of_extremes(question, reading)
    unexplained = question.content - reading.positions - implied
    share = 1 - len(unexplained) / max(1, len(question.content))
    return QuestionReading(
        write_query(reading.plan, table),
        probability,
        table.name,
        reading.members,
        tuple(question.words[position] for position in sorted(unexplained)),
        share >= MIN_EXPLAINED
        and not unexplained & question.names
        and (not question.asked_noun or bool(question.asked_noun - unexplained)),
    )


def _of_the_table(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> frozenset[int]:
    """Positions of words that say what the rows are: the column of their names, and verbs of existence."""
    named = links.columns.get(table.name_column)
    positions = named.positions if named else frozenset[int]()
    cues = (cue.positions for cue in question.cues if cue.operator in ("count", "only"))
    return positions.union(*cues)


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
