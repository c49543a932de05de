"""Tables of the database in memory, for the semantic parser; the tables used last are kept.

The key of a snapshot has the time of the last load, so a table that was loaded again is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any

from ..graph.dataset_schema import described
from ..model.dataset import SchemaSource
from ..reads.reader import Reader
from ..semantic_parser.snapshot import SnapshotCell, SnapshotColumn, TableSnapshot, make_cell
from ..values import Value

MAX_CELLS = 300_000  # of one table; larger tables are not read
CAPACITY = 500_000  # cells of all snapshots together

_cached: OrderedDict[tuple[Any, ...], TableSnapshot] = OrderedDict()
_lock = Lock()


def list_tables(reader: Reader, dataset: str, source: str | None) -> list[SchemaSource]:
    """List the tables of a dataset, or the one table ``source``."""
    rows = reader.run("describe_sources", dataset=dataset, source=source)
    return [described(row) for row in rows if row["kind"] == "table"]


def load_snapshot(reader: Reader, dataset: str, table: SchemaSource) -> TableSnapshot | None:
    """Read a table, or return the snapshot in memory; None if it has more than ``MAX_CELLS`` cells."""
    if table.facts > MAX_CELLS:
        return None
    version = reader.run("describe_dataset", dataset=dataset)[0]
    key = (dataset, table.name, version["loaded"], version["nodes"], version["facts"])
    with _lock:
        snapshot = _cached.get(key)
        if snapshot is not None:
            _cached.move_to_end(key)
            return snapshot
    snapshot = _read_snapshot(reader, dataset, table)
    with _lock:
        _cached[key] = snapshot
        while len(_cached) > 1 and sum(map(_count_cells, _cached.values())) > CAPACITY:
            _cached.popitem(last=False)
    return snapshot


def _count_cells(snapshot: TableSnapshot) -> int:
    return snapshot.size * len(snapshot.columns)


def _read_snapshot(reader: Reader, dataset: str, table: SchemaSource) -> TableSnapshot:
    names = list(dict.fromkeys(table.columns))
    rows = reader.run("table_cells", dataset=dataset, source=table.name, columns=names)
    cells = {row["column"]: row["cells"] for row in rows}
    positions = sorted({cell[0] for column in cells.values() for cell in column})
    places = {position: place for place, position in enumerate(positions)}
    columns = [
        SnapshotColumn(name, number, _column_cells(cells.get(name, ()), places))
        for number, name in enumerate(names)
    ]
    return TableSnapshot(table.name, tuple(columns))


def _column_cells(
    cells: Sequence[Sequence[Any]], places: dict[int, int]
) -> tuple[SnapshotCell | None, ...]:
    column: list[SnapshotCell | None] = [None] * len(places)
    for position, text, number, unit, start, end in cells:
        value = None if number is None and start is None else Value(number, unit, start, end)
        column[places[position]] = make_cell(text, value)
    return tuple(column)
