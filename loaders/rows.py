"""Tables as items: a part with its columns, then row by row a thing and its facts, one for each cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trustuqa_neo4j.errors import UnreadableFile, UsageError
from trustuqa_neo4j.loader import Reading
from trustuqa_neo4j.triples import Fact, Item, Part, row

HINT = "each row has as many cells as the header; --skip-bad N passes over up to N bad rows"

_BREAK = re.compile(r"\s*[\r\n]\s*")


class Table(NamedTuple):
    """A table as it is read.

    ``name`` is the name for its source; ``place`` the file, or member or sheet, that lines are counted in.
    ``header`` are its column names as written, ``rows`` the line and the cells of each row.
    """

    name: str
    place: str
    header: Sequence[str]
    rows: Iterator[tuple[int, Sequence[str]]]


class _Joined(NamedTuple):
    """A source so far: the part that it began with, and how many rows it has."""

    part: Part
    rows: int


def items(tables: Iterable[Table], reading: Reading) -> Iterator[Item]:
    """The items of ``tables``, each read to its end before the next.

    Raises:
        UnreadableFile: two tables have the same name.
        UsageError: two tables that are to be one source have different columns.
        MalformedLine: rows as long or as short as ``reading`` does not tolerate.
    """
    begun: dict[str, _Joined] = {}
    for table in tables:
        part = reading.part(table.name, table.place, "table", columns(table.header))
        before = begun.get(part.source)
        if before is not None:
            _check_joins(before.part, part, reading)
        yield part
        position = first = before.rows if before else 0
        for line, cells in table.rows:
            if len(cells) != len(part.columns):
                _ragged(len(cells), part, line, reading)
                continue
            position += 1
            thing = row(part.source, position)
            yield thing
            key = thing.key
            for column, cell in zip(part.columns, cells, strict=True):
                yield Fact(key, column, cell, line)
        if position == first:
            reading.remark("no data row", table.place)
        begun[part.source] = _Joined(before.part if before else part, position)


def columns(header: Sequence[str]) -> tuple[str, ...]:
    """The relations that a header names, in its order, names that repeat included.

    People type these names, so no line break is left in them, nor a blank around them; what has no name
    is called after its place.
    """
    trimmed = (_BREAK.sub(" ", name).strip() for name in header)
    return tuple(name or f"column {place}" for place, name in enumerate(trimmed, 1))


def _check_joins(first: Part, part: Part, reading: Reading) -> None:
    if reading.source is None:
        raise UnreadableFile(
            f"a second table called {part.source!r}",
            where=f"{first.file} and {part.file}",
            hint="give one of them, or load them as two datasets",
        )
    if first.columns != part.columns:
        raise UsageError(
            f"tables with different columns cannot be one source: {_difference(first, part)}",
            where=f"{first.file} and {part.file}",
            hint="load them without --source, so that each is a source of its own",
        )


def _difference(first: Part, part: Part) -> str:
    if len(first.columns) != len(part.columns):
        return f"{len(first.columns)} and {len(part.columns)} columns"
    pairs = zip(first.columns, part.columns, strict=True)
    place, (one, other) = next((n, p) for n, p in enumerate(pairs, 1) if p[0] != p[1])
    return f"column {place} is {one!r} and {other!r}"


def _ragged(width: int, part: Part, line: int, reading: Reading) -> None:
    cells = "1 cell" if width == 1 else f"{width} cells"
    what = f"{cells} in this row, where the header has {len(part.columns)}"
    reading.malformed(what, f"{part.file}:{line}", HINT)
