"""Features of readings that compare or rank rows, and whether a column is what an adjective measures."""

from __future__ import annotations

from collections.abc import Iterator

from .proposals import TableReading
from .question import PlainQuestion
from .row_plans import CellMatch, ComparedRows, ExtremeRows, RankedRows
from .snapshot import TableSnapshot
from .table_links import TableLinks

_COMPARING = ("rows:", "output:compare", "output:difference", "output:count difference")


def comparison_features(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> Iterator[tuple[str, float]]:
    """Rows compared with a named row, ranks, and whether columns are those that an adjective measures."""
    nodes = reading.nodes
    if needs_comparison(question, links) and not compares_named_rows(reading):
        yield "compared row unused", 1.0
    if links.ranks and not any(isinstance(node, RankedRows) for node in nodes):
        yield "rank unused", 1.0
    for node in nodes:
        if isinstance(node, ComparedRows):
            yield from _compared_row_features(table, links, reading, node)
        if isinstance(node, ComparedRows | ExtremeRows | RankedRows):
            fits = _fits_adjective(question, table, node, reading.positions)
            if fits is not None:
                yield (
                    "column fits the adjective" if fits else "column does not fit the adjective",
                    1.0,
                )


def _compared_row_features(
    table: TableSnapshot, links: TableLinks, reading: TableReading, node: ComparedRows
) -> Iterator[tuple[str, float]]:
    score = links.column_score(node.column)
    yield "compared column named", score
    if score == 0:
        yield "compared column not named", 1.0
    if isinstance(node.other, CellMatch):
        is_named = table.columns[node.other.column].is_unique
        yield "compared row named by its own name", float(is_named)
        if reading.output == node.other.column:
            yield "output column is that of the compared row", 1.0


def needs_comparison(question: PlainQuestion, links: TableLinks) -> bool:
    """True for *than* a row; *after* a row may mean the next row."""
    return any(question.words[entry.phrase.last - 1] == "than" for entry in links.comparisons)


def compares_named_rows(reading: TableReading) -> bool:
    return any(operator.startswith(_COMPARING) for operator in reading.operators)


def _fits_adjective(
    question: PlainQuestion,
    table: TableSnapshot,
    node: ComparedRows | ExtremeRows | RankedRows,
    positions: frozenset[int],
) -> bool | None:
    """True for the age or the birthday that *oldest* measures; None if no column of the table fits."""
    extremes: tuple[str, ...] = ()
    if isinstance(node, ComparedRows):
        extremes = ("highest", "latest") if node.operator == ">" else ("lowest", "earliest")
    else:
        extremes = (node.word,)
    fitting: set[int] = set()
    for position in positions:
        dimension = question.lexicon.dimensions.get(question.words[position])
        if dimension is None or not dimension.extremes:
            continue
        for extreme, words in dimension.extremes.items():
            columns = {
                c.position for c in table.columns if c.is_ordered and words & c.measured_words
            }
            fitting |= columns if extreme in extremes else {-1 for _ in columns}
    return node.column in fitting if fitting else None
