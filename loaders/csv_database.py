"""CSV files, with or without table definitions, as a database: SQLite in a temporary file.

A table's row has the line of its file for its ``rowid``, so that a fact can say where it stands. What is no
integer is kept as the text that the file has, since SQLite would make floats of decimals; so that numbers
still compare as numbers, such columns have a collation of ours.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from trustuqa_neo4j.errors import UnreadableDatabase
from trustuqa_neo4j.loader import File, Reading

from .csv_headers import Sheet, read, sheets
from .ddl import defined
from .engines import of_sqlite
from .relational import Column, Table

_COLLATION = "TUQA_NUMBER"
_MOST = 1 << 63
_HINT = (
    "see that it fits its table's header and definition; --skip-bad N passes over up to N bad rows"
)


class Opened(NamedTuple):
    """An open database, its tables, and the file that the rows of each table are in."""

    engine: sa.Engine
    tables: tuple[Table, ...]
    files: dict[str, File]


@contextmanager
def opened(
    files: Sequence[File], definitions: Sequence[File], reading: Reading
) -> Iterator[Opened]:
    """A database of the tables in ``files``, as ``definitions`` define them.

    Raises:
        MissingFile, UnreadableFile, MalformedLine, UnreadableDatabase
    """
    found = sheets(files, defined(definitions, reading) if definitions else (), reading)
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        path = Path(folder) / "tables.sqlite"
        try:
            _write(path, found, reading)
        except sqlite3.Error as error:
            raise UnreadableDatabase(
                f"its tables cannot be kept ({error})",
                where=files[0].name,
                hint="a table may have 2,000 columns; TMPDIR has to name a folder with enough space",
            ) from error
        engine = of_sqlite(path, _prepare)
        try:
            places = {sheet.table.name: sheet.file for sheet in found if sheet.file is not None}
            yield Opened(engine, tuple(sheet.table for sheet in found), places)
        finally:
            engine.dispose()


def _write(path: Path, found: Sequence[Sheet], reading: Reading) -> None:
    with closing(sqlite3.connect(path)) as connection:
        _prepare(connection)
        connection.execute("PRAGMA journal_mode = OFF")  # nobody needs it after a fault
        connection.execute("PRAGMA synchronous = OFF")
        for sheet in found:
            _create(sheet.table, connection)
            if sheet.file is not None:
                _fill(sheet, sheet.file, connection, reading)
        connection.commit()


def _create(table: Table, connection: sqlite3.Connection) -> None:
    columns = ", ".join(f"{quoted(each.name)} {_kept(each)}" for each in table.columns)
    connection.execute(f"CREATE TABLE {quoted(table.name)} ({columns})")
    if table.key and table.has(table.key):
        index, names = quoted(f"key of {table.name}"), ", ".join(map(quoted, table.key))
        connection.execute(f"CREATE UNIQUE INDEX {index} ON {quoted(table.name)} ({names})")


def _fill(sheet: Sheet, file: File, connection: sqlite3.Connection, reading: Reading) -> None:
    table = sheet.table
    names = ", ".join((row_id(table), *map(quoted, sheet.header)))
    places = ", ".join("?" * (len(sheet.header) + 1))
    insert = f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({places})"  # noqa: S608 # quoted
    null = {"", *reading.values.null}
    whole = [_is_whole(table.column(name)) for name in sheet.header]
    with read(file, reading) as found:
        for line, cells in found.rows:
            try:
                connection.execute(insert, (line, *_values(cells, sheet.header, whole, null)))
            except ValueError as error:
                reading.malformed(str(error), f"{file.name}:{line}", _HINT)
            except sqlite3.IntegrityError:
                what = (
                    f"a row before it has the same {', '.join(table.key)}, which tells rows apart"
                )
                reading.malformed(what, f"{file.name}:{line}", _HINT)


def _values(
    cells: Sequence[str], header: Sequence[str], whole: Sequence[bool], null: set[str]
) -> list[str | int | None]:
    """The values of a row.

    Raises:
        ValueError: it is none of its table.
    """
    if len(cells) != len(header):
        counted = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
        raise ValueError(f"{counted} in this row, where the header has {len(header)}")
    return [
        None if cell in null else _whole(cell, name) if is_whole else cell
        for cell, name, is_whole in zip(cells, header, whole, strict=True)
    ]


def _whole(cell: str, name: str) -> int:
    """The integer that ``cell`` is; programs that know no missing integers write ``7.0``."""
    try:
        number = Decimal(cell.strip())
        found = int(number)
    except (InvalidOperation, ValueError, OverflowError):
        number, found = Decimal(1), 0
    if found != number or not -_MOST <= found < _MOST:
        raise ValueError(f"{cell[:50]!r} is no whole number of 64 bits, as {name} is defined")
    return found


def _is_whole(column: Column | None) -> bool:
    return column is not None and isinstance(column.type, sa.Integer)


def _kept(column: Column) -> str:
    """How SQLite is to keep a column. INTEGER would make a single key the row's id."""
    if _is_whole(column):
        return "INT"
    return f"TEXT COLLATE {_COLLATION}" if isinstance(column.type, sa.Numeric) else "TEXT"


def quoted(name: str) -> str:
    """``name`` as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def row_id(table: Table) -> str:
    """What SQLite calls the id of a row, which here is its line."""
    free = (name for name in ("rowid", "oid", "_rowid_") if table.column(name) is None)
    return next(free, "_rowid_")


def _prepare(connection: sqlite3.Connection) -> None:
    connection.create_collation(_COLLATION, _compared)


def _compared(one: str, other: str) -> int:
    """Numbers by what they are, and before all else."""
    if one == other:
        return 0
    first, second = _sortable(one), _sortable(other)
    return (first > second) - (first < second)


def _sortable(text: str) -> tuple[bool, Decimal, str]:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return True, Decimal(0), text
    return (False, number, "") if number.is_finite() else (True, Decimal(0), text)
