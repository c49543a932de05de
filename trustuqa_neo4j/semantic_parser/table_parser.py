"""Reads a question over one table: links, proposals, ranking, and what of it is not explained."""

from __future__ import annotations

from collections.abc import Iterator

from ..deadline import Workload, count_each
from .cell_links import LinkGrade
from .features import extract_features
from .plans import write_query
from .proposals import TableReading, propose_readings
from .question import PlainQuestion
from .question_links import select_table_links
from .ranker import RankerWeights, answer_key, load_weights, rank
from .reading import (
    MAX_RANKED,
    ParsedQuestion,
    QuestionReading,
    write_words,
)
from .reading_words import LinkedQuestion
from .snapshot import TableSnapshot
from .table_account import TableAccount
from .table_links import TableLinks, adapt_question, link_table
from .word_account import Explanation, WeighedReading

MAX_STEPS = 1_500_000  # a few seconds; a question of 10 words over 500 columns takes a fifth
_LONG = 12  # content words of a long question


def parse_for_table(
    question: PlainQuestion, table: TableSnapshot, weights: RankerWeights | None = None
) -> ParsedQuestion:
    """Read a question over one table.

    Raises:
        QuestionTooLong: it has too many words and conditions for the number of columns.
        TimedOut, Cancelled
    """
    weights = weights or load_weights("table")
    question = adapt_question(question, table)
    size = f"{len(question.words):,} words over {len(table.columns):,} columns"
    with Workload(size, MAX_STEPS).applied():
        links = link_table(question, table)
        readings = tuple(
            _describe(question, table, entry, weights, links)
            for entry in rank_for_table(question, table, links, weights)
        )
    return ParsedQuestion(readings, select_table_links(question, table, links))


def rank_for_table(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, weights: RankerWeights
) -> Iterator[WeighedReading[TableReading]]:
    """Yield the best readings with the evidence that they are right, the most probable first."""
    scored = [
        (weighed, weighed.features, answer_key(weighed.reading.members))
        for weighed in weigh_readings(question, table, links)
    ]
    for entry in rank(scored, weights)[:MAX_RANKED]:
        reading, explanation, _ = entry.reading
        evidence = _collect_evidence(question, reading, explanation)
        yield WeighedReading(reading, explanation, {**entry.evidence, **evidence})


def weigh_readings(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> Iterator[WeighedReading[TableReading]]:
    """Yield every reading with what the ranker weighs: its features, and what it leaves out."""
    linked = LinkedQuestion(question, table, links)
    readings = propose_readings(question, table, links)
    for reading in count_each(readings, 500 + len(links.cells) + 5 * len(question.words)):
        explanation = TableAccount(linked, reading).explain()
        features = extract_features(question, table, links, reading)
        yield WeighedReading(reading, explanation, {**features, **explanation.evidence})


def _collect_evidence(
    question: PlainQuestion, reading: TableReading, explanation: Explanation
) -> dict[str, float]:
    unexplained = explanation.unexplained
    size = max(1, len(question.content))
    is_several = len(reading.members) > 1 and not (question.asks_several or question.is_open)
    return {
        **explanation.evidence,
        "share explained": 1 - len(unexplained) / size,
        "words unexplained": min(len(unexplained), 4) / 4,
        "length": min(size, _LONG) / _LONG,
        "several answers to one": float(is_several),
    }


def _describe(
    question: PlainQuestion,
    table: TableSnapshot,
    ranked: WeighedReading[TableReading],
    weights: RankerWeights,
    links: TableLinks,
) -> QuestionReading:
    exact = (link.positions for link in links.cells if link.grade == LinkGrade.EXACT)
    unexplained = ranked.explanation.unexplained
    linked_words = unexplained & frozenset[int]().union(*exact)
    return QuestionReading(
        write_query(ranked.reading.plan, table),
        weights.calibrate(ranked.features),
        table.source,
        ranked.reading.members,
        write_words(question, unexplained),
        ranked.explanation.refusal,
        write_words(question, linked_words),
        sources=table.sources,
    )
