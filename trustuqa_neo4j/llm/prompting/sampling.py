"""One row of a table, so that a model sees how its columns are filled: the same row on every run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...compiling import Program, Read, Row
from ...triples import row_key

FIRST = 20
"""Rows among which the first that is there is taken: a load may have been told to pass over bad lines."""


@dataclass(frozen=True, slots=True)
class SampleRow:
    """The cells of one row by its columns, in their order."""

    dataset: str
    source: str
    cells: tuple[tuple[str, str], ...]


def sample_rows(dataset: str, sources: Iterable[str]) -> Program[tuple[SampleRow, ...]]:
    """The first row of each source of ``dataset`` that is a table and has rows, in one round trip."""
    wanted = [
        [source, [row_key(source, position) for position in range(1, FIRST + 1)]]
        for source in dict.fromkeys(sources)
    ]
    if not wanted:
        return ()
    found = yield Read("sample_rows", {"dataset": dataset, "sources": wanted})
    return tuple(SampleRow(dataset, row["source"], _cells(row)) for row in found if row["cells"])


def _cells(row: Row) -> tuple[tuple[str, str], ...]:
    """Cells in the order of their columns; those of columns that share a name by what they hold."""
    places = {name: min(given or [len(row["columns"])]) for name, given in row["columns"]}
    cells = [(column, cell) for column, cell in row["cells"]]
    return tuple(sorted(cells, key=lambda cell: (places.get(cell[0], len(places)), *cell)))
