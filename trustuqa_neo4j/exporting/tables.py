"""A table as CSV: its header, and a line for each row, as it was.

Where its rows stood is said in a file of its own, and only if that is not what anybody would think: in
one file, below the header, a line each. A column for it would be one more column of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from .manifest import LINES, ExportedSource
from .nodes import End, Names
from .rows import Rows


class NoTable(Exception):  # a signal within this room, never seen outside
    """A source of tables whose facts are not one for each cell: a cell is missing, or says more."""


def sortable(fact: list[Any], columns: frozenset[str]) -> list[Any]:
    """A fact of ``export_facts`` as a row that sorts by position.

    Raises:
        NoTable
    """
    file, line, number, head, relation, tail, start, _, _, _, hyperedge, _ = fact
    if head[2] != "row" or start is not None or hyperedge is not None or relation not in columns:
        raise NoTable
    return [int(head[3]), number, file, line, relation, tail]


def write(
    facts: Iterable[list[Any]], source: ExportedSource, folder: Path, names: Names
) -> ExportedSource:
    """Write the sorted ``facts``; with how many rows they are, and the file of lines if one is needed.

    Raises:
        NoTable
    """
    with Rows(folder / source.file, source.header) as rows:
        places = _places(_rows(facts, source, rows, names))
        first, second = next(places, None), next(places, None)
        lines = None
        if first and (second or first != (1, 0, 2)):
            lines = f"{source.file.removesuffix('.csv')}.lines.csv"
            with Rows(folder / lines, LINES) as kept:
                for position, file, line in chain((first,), (second,) if second else (), places):
                    kept.write((str(position), source.files[file], str(line)))
        return replace(source, rows=rows.written, lines=lines)


def _rows(
    facts: Iterable[list[Any]], source: ExportedSource, rows: Rows, names: Names
) -> Iterator[tuple[int, int, int]]:
    """Write row by row; position, file and line of each."""
    for position, found in groupby(facts, key=lambda fact: int(fact[0])):
        group = list(found)
        places = {(fact[2], fact[3]) for fact in group}
        if position != rows.written + 1 or len(places) > 1:
            raise NoTable
        cells = _cells(group, source.columns)
        texts = [cell.text(source.name) for cell in cells]
        for cell, text in zip(cells, texts, strict=True):
            names.note(cell, text, True)
        rows.write(texts)
        yield (position, *places.pop())


def _cells(facts: Sequence[list[Any]], columns: Sequence[str]) -> list[End]:
    """The cells of a row in the order of its columns.

    Two columns of one name have one fact where they say the same: then the last goes for the rest.
    """
    by_column: dict[str, list[End]] = {}
    for *_, relation, tail in reversed(facts):
        by_column.setdefault(relation, []).append(End(*tail))
    cells = []
    for column in columns:
        left = by_column.get(column)
        if not left:
            raise NoTable
        cells.append(left.pop() if len(left) > 1 else left[0])
    if len({(column, cell.id) for column, cell in zip(columns, cells, strict=True)}) != len(facts):
        raise NoTable
    return cells


def _places(rows: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Those rows that do not stand a line behind the one before."""
    expected = (0, 0)
    for position, file, line in rows:
        if (file, line) != expected:
            yield position, file, line
        expected = (file, line + 1)
