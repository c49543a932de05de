"""A part of a large table in memory: rows with cells that a question names or that are extreme, and a sample.

The parts suffice to link words, to propose plans and to rank them. The query of the best plan then runs over
the whole table, as any query does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby, islice

from ..model.dataset import SchemaSource
from ..model.facts import make_row_key
from ..reads.reader import Reader
from ..semantic_parser.cell_links import MAX_NAME_WORDS, span_names
from ..semantic_parser.question import PlainQuestion
from ..semantic_parser.snapshot import TableSnapshot
from .dataset_contents import DatasetContents
from .graph_neighbourhoods import DatabaseGraph
from .table_snapshots import make_table_snapshot

SAMPLE = 200  # rows, spread over the table
_ROWS_OF_CELL, _ROWS_OF_SEVERAL = 10, 300  # rows with one or several cells that the question names
_SCANNED = 20_000  # rows of a cell
_NODES_OF_NUMBER = 20
_MIN_LETTERS = 4  # of a run of words


def read_partial_snapshot(
    reader: Reader, contents: DatasetContents, table: SchemaSource, question: PlainQuestion
) -> TableSnapshot:
    # With the extremes of each column, a bound that cells fulfil has a row here too.
    extremes = reader.run("extreme_values", dataset=contents.dataset, source=table.name)
    named = dict.fromkeys(_find_named_cells(reader, contents, question))
    others = chain(
        _find_similar_cells(reader, contents, question), *(row["nodes"] for row in extremes)
    )
    rows = reader.run(
        "positions_of_cells",
        dataset=contents.dataset,
        named=list(named),
        others=[node for node in dict.fromkeys(others) if node not in named],
        source=table.name,
        scanned=_SCANNED,
        each=_ROWS_OF_CELL,
        limit=_ROWS_OF_SEVERAL,
    )
    positions = dict.fromkeys(chain(rows[0]["positions"], _sample_positions(table)))
    keys = [make_row_key(table.name, position) for position in positions]
    cells = reader.run("cells_of_rows", dataset=contents.dataset, source=table.name, keys=keys)
    return make_table_snapshot(table, cells, is_sample=True)


def _sample_positions(table: SchemaSource) -> range:
    """Positions of rows at equal distances; empty cells make a table longer than is seen here."""
    size = max(1, table.facts // len(table.columns))
    return range(1, size + 1, max(1, size // SAMPLE))


def _find_named_cells(
    reader: Reader, contents: DatasetContents, question: PlainQuestion
) -> Iterator[int]:
    """Yield nodes with a name or value that the question has."""
    names = DatabaseGraph(reader, contents)
    texts = list(dict.fromkeys(_name_spans(question)))
    yield from (match.node for match in names.find_names(texts))
    for number in question.numbers:
        value = number.value
        values = reader.run(
            "find_values",
            datasets=[contents.dataset],
            number=value.number,
            first=value.start,
            last=value.end,
        )
        nodes = chain.from_iterable(row["nodes"] for row in values)
        yield from islice(nodes, _NODES_OF_NUMBER)


def _find_similar_cells(
    reader: Reader, contents: DatasetContents, question: PlainQuestion
) -> Iterator[int]:
    names = DatabaseGraph(reader, contents)
    for text in _content_runs(question):
        yield from (match.node for match in names.find_similar_names(text))


def _name_spans(question: PlainQuestion) -> Iterator[str]:
    words = question.words
    for first in range(len(words)):
        for last in range(first + 1, min(first + MAX_NAME_WORDS, len(words)) + 1):
            if not question.content.isdisjoint(range(first, last)):
                yield from span_names(words, first, last)


def _content_runs(question: PlainQuestion) -> Iterator[str]:
    """Yield runs of content words that may be a name, without numbers."""
    numbers = frozenset[int]().union(*(number.positions for number in question.numbers))
    positions = range(len(question.words))
    for is_content, run in groupby(positions, lambda p: p in question.content and p not in numbers):
        text = " ".join(question.words[position] for position in run)
        if is_content and len(text) >= _MIN_LETTERS:
            yield text
