"""Tables of the database in memory, for the semantic parser; the tables used last are kept.

A table that was loaded again has another version, and is read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from ..lexicon.word_spans import collect_positions
from ..model.dataset import SchemaSource
from ..model.facts import make_row_key
from ..reads.reader import Reader, Row
from ..semantic_parser.cell_links import MAX_NAME_WORDS, span_names
from ..semantic_parser.question import PlainQuestion
from ..semantic_parser.snapshot import SnapshotCell, TableSnapshot, make_cell, make_column
from ..values import Value
from .dataset_contents import DatasetContents
from .graph_neighbourhoods import DatabaseGraph
from .joined_tables import join_snapshots

CAPACITY = 500_000  # cells of all snapshots together


def load_snapshot(reader: Reader, contents: DatasetContents, table: SchemaSource) -> TableSnapshot:
    """Read a table, or return the snapshot in memory."""
    return _load_snapshot(reader, contents.dataset, table, contents.version)


@cached(
    LRUCache(CAPACITY, lambda joined: _count_cells(joined) if joined else 1),
    key=lambda reader, contents, tables: (  # noqa: ARG005
        contents.dataset, *(table.name for table in tables), contents.version
    ),
    lock=Lock(),
)  # fmt: skip
def load_joined_snapshot(
    reader: Reader, contents: DatasetContents, tables: Sequence[SchemaSource]
) -> TableSnapshot | None:
    """Read tables with the same columns as one; None if no column has a cell in each row."""
    snapshots = [load_snapshot(reader, contents, table) for table in tables]
    return join_snapshots(contents.dataset, snapshots)


def _count_cells(snapshot: TableSnapshot) -> int:
    return snapshot.size * len(snapshot.columns)


@cached(
    LRUCache(CAPACITY, _count_cells),
    key=lambda reader, dataset, table, version: (dataset, table.name, version),  # noqa: ARG005
    lock=Lock(),
)
def _load_snapshot(
    reader: Reader,
    dataset: str,
    table: SchemaSource,
    version: tuple[Any, ...],  # noqa: ARG001 # of the key
) -> TableSnapshot:
    names = list(dict.fromkeys(table.columns))
    rows = reader.run("table_cells", dataset=dataset, source=table.name, columns=names)
    return make_table_snapshot(table, rows)


def make_table_snapshot(
    table: SchemaSource, rows: Sequence[Row], *, is_sample: bool = False
) -> TableSnapshot:
    """Make a snapshot of rows that have a column and its cells: position of the row, text and value."""
    cells = {row["column"]: row["cells"] for row in rows}
    positions = sorted({cell[0] for column in cells.values() for cell in column})
    places = {position: place for place, position in enumerate(positions)}
    columns = [
        make_column(name, number, len(places), _column_cells(cells.get(name, ()), places))
        for number, name in enumerate(dict.fromkeys(table.columns))
    ]
    return TableSnapshot(table.name, tuple(columns), is_sample)


def _column_cells(
    cells: Sequence[Sequence[Any]], places: dict[int, int]
) -> Iterator[tuple[int, SnapshotCell]]:
    for position, text, number, unit, start, end in cells:
        value = None if number is None and start is None else Value(number, unit, start, end)
        if text.strip():  # an empty cell has the empty text
            yield places[position], make_cell(text, value)


# A part of a large table in memory: rows with cells that a question names or that are extreme, and a
# sample.
#
# The parts suffice to link words, to propose plans and to rank them. The query of the best plan then runs
# over the whole table, as any query does.


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
    numbers = collect_positions(question.numbers)
    positions = range(len(question.words))
    for is_content, run in groupby(positions, lambda p: p in question.content and p not in numbers):
        text = " ".join(question.words[position] for position in run)
        if is_content and len(text) >= _MIN_LETTERS:
            yield text
