"""CSV files, with or without table definitions, as a SQLite database in a temporary file.

The rowid of a row is its line in the CSV file, for evidence. Every value but an integer is stored as text,
because SQLite turns decimals into floats; a collation compares such texts as numbers. DuckDB reads CSV
faster, but it gives no lines, rounds 7.5 to 8 for an integer and writes 1.5 as 1.50.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import cast

import sqlalchemy as sa
from sqlalchemy.types import NullType, TypeEngine

from trustuqa_neo4j.errors import UnreadableDatabase, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.matching.similarity import suggest_names
from trustuqa_neo4j.wording import CallOption

from . import _delimited, _inputs, _table_items
from ._ddl import read_definitions
from ._relational import (
    SqlColumn,
    SqlTable,
    add_implied_keys,
    create_sqlite_engine,
    find_by_name,
)
from ._text import count_noun, without_reports

# Tables from headers and definitions, before any row is read.


@dataclass(frozen=True, slots=True)
class CsvTable:
    """``header`` has the column of each cell in ``file``. A table without CSV file has no ``file``."""

    table: SqlTable
    file: File | None = None
    header: tuple[str, ...] = ()


def _plan_tables(
    files: Sequence[File], definitions: Sequence[SqlTable], options: ReadOptions
) -> list[CsvTable]:
    files_by_table = _group_by_table(files)
    plans = []
    for name, file in files_by_table.items():
        definition = find_by_name(definitions, name)
        if definition is not None:
            plans.append(_plan_defined_table(definition, file, options))
            continue
        if definitions:
            _remark_missing_definition(name, file, definitions, files_by_table, options)
        plans.append(_plan_undefined_table(name, file, definitions, options))
    planned = {plan.table.name for plan in plans}
    for definition in definitions:
        if definition.name not in planned:
            options.remark("table definition without a CSV file", definition.name)
            plans.append(CsvTable(definition))
    plans.sort(key=lambda plan: plan.table.name.casefold())
    tables = add_implied_keys([plan.table for plan in plans])
    return [replace(plan, table=table) for plan, table in zip(plans, tables, strict=True)]


def _group_by_table(files: Sequence[File]) -> dict[str, File]:
    files_by_table: dict[str, File] = {}
    for file in files:
        name = _derive_table_name(file)
        earlier = _find_name(files_by_table, name)
        if earlier is not None:
            raise UnreadableFile(
                f"a second file of the table {name!r}",
                where=f"{files_by_table[earlier].name} and {file.name}",
                hint="give one of them",
            )
        files_by_table[name] = file
    return files_by_table


def _derive_table_name(file: File) -> str:
    name = file.name.replace("\\", "/").rpartition("/")[2].removesuffix(".gz")
    return name.rpartition(".")[0] or name


def _find_name(names: Iterable[str], name: str) -> str | None:
    folded = name.casefold()
    return next((spelling for spelling in names if spelling.casefold() == folded), None)


def _remark_missing_definition(
    name: str,
    file: File,
    definitions: Sequence[SqlTable],
    files_by_table: Iterable[str],
    options: ReadOptions,
) -> None:
    with_file = {table.casefold() for table in files_by_table}
    without_file = [t.name for t in definitions if t.name.casefold() not in with_file]
    nearest = suggest_names(name, without_file, 1, 0.6)
    hint = f" (did you mean {nearest[0]}? then rename the file)" if nearest else ""
    options.remark(f"no definition of this table{hint}: all its values are text", file.name)


def _plan_defined_table(definition: SqlTable, file: File, options: ReadOptions) -> CsvTable:
    header = _read_header(file, definition.key, options)
    undefined = [name for name in header if definition.find_column(name) is None]
    if undefined:
        what = "columns that are not in the table definition: their values are text"
        options.remark(what, f"{file.name} ({', '.join(undefined)})")
    missing = [
        column.name for column in definition.columns if _find_name(header, column.name) is None
    ]
    if missing:
        what = "columns of the table definition that are not in the file"
        options.remark(what, f"{file.name} ({', '.join(missing)})")
    columns = (*definition.columns, *(SqlColumn(name, NullType()) for name in undefined))
    spellings = tuple(
        column.name if (column := definition.find_column(name)) else name for name in header
    )
    return CsvTable(replace(definition, columns=columns), file, spellings)


def _plan_undefined_table(
    name: str, file: File, definitions: Sequence[SqlTable], options: ReadOptions
) -> CsvTable:
    # Columns that a foreign key references get the types of the referencing columns.
    reference = next(
        (
            (table, foreign_key)
            for table in definitions
            for foreign_key in table.foreign_keys
            if foreign_key.table.casefold() == name.casefold()
        ),
        None,
    )
    key: tuple[str, ...] = ()
    types: dict[str, TypeEngine[object]] = {}
    if reference is not None:
        table, foreign_key = reference
        key = foreign_key.referenced
        for referenced, referencing in zip(key, foreign_key.columns, strict=True):
            if column := table.find_column(referencing):
                types[referenced.casefold()] = column.type
    header = _read_header(file, key, options)
    columns = (SqlColumn(title, types.get(title.casefold(), NullType())) for title in header)
    return CsvTable(SqlTable(name, tuple(columns)), file, header)


def _read_header(file: File, key: Sequence[str], options: ReadOptions) -> tuple[str, ...]:
    # If one key column is missing, the first of two equal names is read as that column: in such
    # files the key comes first, and its name was overwritten by the name of a later column.
    with _open_csv(file, without_reports(options)) as content:
        names = _table_items.column_names(content.header)
    header: list[str] = []
    missing = [name for name in key if _find_name(names, name) is None]
    for index, name in enumerate(names):
        is_first = _find_name(header, name) is None
        if is_first and _find_name(names[index + 1 :], name) and len(missing) == 1:
            what = f"{name!r} is twice in the header: the first is read as {missing[0]!r}"
            options.remark(f"{what}, the missing key", file.name)
            name = missing.pop()
        header.append(name)
    return _table_items.unique_names(header, options, file.name, str.casefold)


@contextmanager
def _open_csv(file: File, options: ReadOptions) -> Generator[_table_items.InputTable, None, None]:
    content = _inputs.file_content(file, options)
    if (kind := _inputs.detect_kind(content, options)) != "text":
        raise UnreadableFile(
            f"{kind}, not CSV", where=file.name, hint="load it with the format table"
        )
    tables = cast(
        Generator[_table_items.InputTable, None, None],
        _delimited.read_delimited_table(content, options),
    )
    with closing(tables):
        yield next(tables)


# The SQLite database.

_COLLATION = "TUQA_NUMBER"
_INTEGER_LIMIT = 1 << 63
_HINT = (
    "check the row against the header and the table definition; "
    f"{CallOption.SKIP_BAD.with_value('N')} skips up to N bad rows"
)


@contextmanager
def open_csv_database(
    files: Sequence[File], definitions: Sequence[File], options: ReadOptions
) -> Iterator[tuple[sa.Engine, tuple[SqlTable, ...], Mapping[str, File]]]:
    plans = _plan_tables(files, read_definitions(definitions, options), options)
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        path = Path(folder) / "tables.sqlite"
        try:
            _write_database(path, plans, options)
        except sqlite3.Error as error:
            raise UnreadableDatabase(
                f"its tables cannot be stored ({error})",
                where=files[0].name,
                hint="a table may have 2,000 columns; TMPDIR must name a folder with enough space",
            ) from error
        engine = create_sqlite_engine(path, _add_collation)
        try:
            files_by_table = {plan.table.name: plan.file for plan in plans if plan.file is not None}
            yield engine, tuple(plan.table for plan in plans), files_by_table
        finally:
            engine.dispose()


def choose_row_id_name(table: SqlTable) -> str:
    # SQLite's row id is the line. A column of the same name would hide it.
    free = (name for name in ("rowid", "oid", "_rowid_") if table.find_column(name) is None)
    return next(free, "_rowid_")


def _write_database(path: Path, plans: Sequence[CsvTable], options: ReadOptions) -> None:
    with closing(sqlite3.connect(path)) as connection:
        _add_collation(connection)
        # After a crash nobody needs the file.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        for plan in plans:
            _create_table(plan.table, connection)
            if plan.file is not None:
                _insert_rows(plan, plan.file, connection, options)
        connection.commit()


def _create_table(table: SqlTable, connection: sqlite3.Connection) -> None:
    columns = ", ".join(
        f"{_quote_identifier(column.name)} {_choose_sqlite_type(column)}"
        for column in table.columns
    )
    name = _quote_identifier(table.name)
    connection.execute(f"CREATE TABLE {name} ({columns})")
    if table.key and table.has_columns(table.key):
        index = _quote_identifier(f"key of {table.name}")
        key = ", ".join(map(_quote_identifier, table.key))
        connection.execute(f"CREATE UNIQUE INDEX {index} ON {name} ({key})")


def _insert_rows(
    plan: CsvTable, file: File, connection: sqlite3.Connection, options: ReadOptions
) -> None:
    table = plan.table
    names = ", ".join((choose_row_id_name(table), *map(_quote_identifier, plan.header)))
    marks = ", ".join("?" * (len(plan.header) + 1))
    insert = f"INSERT INTO {_quote_identifier(table.name)} ({names}) VALUES ({marks})"  # noqa: S608 # quoted
    null = {"", *options.values.null}
    integers = [_is_integer_column(table.find_column(name)) for name in plan.header]
    with _open_csv(file, options) as content:
        for line, cells in content.rows:
            try:
                values = _parse_row(cells, plan.header, integers, null)
                connection.execute(insert, (line, *values))
            except ValueError as error:
                options.malformed(str(error), f"{file.name}:{line}", _HINT)
            except sqlite3.IntegrityError:
                what = f"an earlier row has the same key ({', '.join(table.key)})"
                options.malformed(what, f"{file.name}:{line}", _HINT)


def _parse_row(
    cells: Sequence[str], header: Sequence[str], integers: Sequence[bool], null: set[str]
) -> list[str | int | None]:
    if len(cells) != len(header):
        what = f"{count_noun(len(cells), 'cell')} in this row, but the header has {len(header)}"
        raise ValueError(what)
    return [
        None if cell in null else _parse_integer(cell, name) if is_integer else cell
        for cell, name, is_integer in zip(cells, header, integers, strict=True)
    ]


def _parse_integer(cell: str, column: str) -> int:
    # Also 7.0: programs that cannot store missing integers write integers as floats.
    try:
        number = Decimal(cell.strip())
        integer = int(number)
        if integer == number and -_INTEGER_LIMIT <= integer < _INTEGER_LIMIT:
            return integer
    except (InvalidOperation, ValueError, OverflowError):
        pass
    raise ValueError(f"{cell[:50]!r} is not a 64-bit integer, but {column} is defined as one")


def _is_integer_column(column: SqlColumn | None) -> bool:
    return column is not None and isinstance(column.type, sa.Integer)


def _choose_sqlite_type(column: SqlColumn) -> str:
    if _is_integer_column(column):
        return "INT"  # INTEGER would make a single key the row id
    return f"TEXT COLLATE {_COLLATION}" if isinstance(column.type, sa.Numeric) else "TEXT"


def _quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _add_collation(connection: sqlite3.Connection) -> None:
    connection.create_collation(_COLLATION, _compare_as_numbers)


def _compare_as_numbers(first: str, second: str) -> int:
    # Numbers come first, in the order of their values.
    if first == second:
        return 0
    keys = _number_sort_key(first), _number_sort_key(second)
    return (keys[0] > keys[1]) - (keys[0] < keys[1])


def _number_sort_key(text: str) -> tuple[bool, Decimal, str]:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return True, Decimal(0), text
    return (False, number, "") if number.is_finite() else (True, Decimal(0), text)
