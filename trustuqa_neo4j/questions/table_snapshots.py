"""Tables of the database in memory, for the semantic parser; the tables used last are kept.

A table that was loaded again has another version, and is read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from ..model.dataset import SchemaSource
from ..reads.reader import Reader, Row
from ..semantic_parser.snapshot import SnapshotCell, TableSnapshot, make_cell, make_column
from ..values import Value
from .dataset_contents import DatasetContents
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
