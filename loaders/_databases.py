"""``Database``: an open database from an address, a database file, or CSV files with table definitions.

All three give tables with their keys, and rows in an order that is the same on every reading.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import NullType

from trustuqa_neo4j.errors import MissingFile, UnreadableDatabase, UsageError, format_list
from trustuqa_neo4j.loading.formats import File, ReadOptions

from . import _csv_database
from ._inputs import DATABASE_SUFFIXES, TABLE_DEFINITIONS
from ._relational import (
    ForeignKey,
    SqlTable,
    detect_database_kind,
    find_by_name,
    limit_query_time,
    open_engine,
    reflect_tables,
    translate_database_errors,
)

_FETCH_SIZE = 1_000
_SORT_LENGTH = 4_000


@dataclass(frozen=True, slots=True)
class Database:
    """``tables`` are sorted by name and include views; ``files`` maps names of tables to CSV files."""

    engine: sa.Engine
    name: str
    tables: tuple[SqlTable, ...]
    files: Mapping[str, File] = field(default_factory=dict)

    def find_table(self, name: str) -> SqlTable | None:
        # ``name`` may be written in any case, and with ``catalogue.schema.`` before it.
        return find_by_name(self.tables, name) or find_by_name(self.tables, name.rpartition(".")[2])

    def get_file_name(self, table: SqlTable) -> str:
        file = self.files.get(table.name)
        return file.name if file is not None else f"{self.name}#{table.name}"

    def read_rows(
        self, table: SqlTable, links: Sequence[tuple[ForeignKey, SqlTable]] = ()
    ) -> Generator[tuple[int, Sequence[Any]], None, None]:
        """Yield line and values of each row, then the keys of the rows that it links to.

        The order is the order of the CSV file, else of the key, else of all columns. Without a CSV file the
        line is the position in this order, from 1.
        """
        source = _build_table_clause(table)
        values: list[sa.ColumnElement[Any]] = [*source.c]
        for key, target in links:
            values += _select_referenced_key(source, table, key, target)
        if table.name in self.files:
            line: sa.ColumnElement[int] = sa.literal_column(_csv_database.choose_row_id_name(table))
            for row in self.fetch(sa.select(*values, line).select_from(source).order_by(line)):
                yield row[-1], row[:-1]
        else:
            query = sa.select(*values).select_from(source).order_by(*_choose_sort_columns(table))
            yield from enumerate(self.fetch(query), 1)

    def fetch(
        self, statement: sa.Executable, seconds: float | None = None
    ) -> Generator[sa.Row[Any], None, None]:
        """Run ``statement``, for at most ``seconds``, and stream its rows.

        The time is limited in SQLite, DuckDB and PostgreSQL.

        Raises:
            UnreadableDatabase, TimeoutError
        """
        started = monotonic()
        try:
            with (
                translate_database_errors(self.name, self.engine),
                self.engine.connect() as connection,
                limit_query_time(connection, seconds),
            ):
                streaming = connection.execution_options(stream_results=True, yield_per=_FETCH_SIZE)
                yield from streaming.execute(statement)
        except UnreadableDatabase:
            if seconds is not None and monotonic() - started >= seconds:
                raise TimeoutError from None
            raise


def _build_table_clause(table: SqlTable) -> sa.TableClause:
    # Without column types, so that values stay as the driver returns them.
    return sa.table(table.name, *(sa.column(column.name) for column in table.columns))


def _select_referenced_key(
    source: sa.TableClause, table: SqlTable, key: ForeignKey, target: SqlTable
) -> Iterator[sa.ColumnElement[Any]]:
    # Select the key as ``target`` writes it: 1.50 rather than 1.5.
    clause = _build_table_clause(target).alias()
    names = zip(
        target.spell_column_names(key.referenced),
        table.spell_column_names(key.columns),
        strict=True,
    )
    conditions = [clause.c[referenced] == source.c[column] for referenced, column in names]
    for name in target.spell_column_names(target.key):
        yield sa.select(clause.c[name]).where(*conditions).limit(1).scalar_subquery()


def _choose_sort_columns(table: SqlTable) -> list[sa.ColumnElement[Any]]:
    if table.key:
        return [sa.column(name) for name in table.key]
    columns: list[sa.ColumnElement[Any]] = []
    for column in table.columns:
        if isinstance(column.type, (sa.JSON, NullType)):  # many databases cannot sort these types
            columns.append(sa.cast(sa.column(column.name), sa.String(_SORT_LENGTH)))
        elif not column.is_binary:
            columns.append(sa.column(column.name))
    return columns


@contextmanager
def open_database(files: Sequence[File], options: ReadOptions) -> Iterator[Database]:
    databases = [
        file for file in files if file.address is not None or detect_database_kind(file) is not None
    ]
    if not databases:
        definitions = [file for file in files if file.name.lower().endswith(TABLE_DEFINITIONS)]
        csv_files = [file for file in files if file not in definitions]
        _check_csv_files(csv_files, definitions)
        with _csv_database.open_csv_database(csv_files, definitions, options) as opened:
            engine, tables, files_by_table = opened
            yield Database(engine, csv_files[0].name, tables, files_by_table)
    elif len(files) == 1:
        (file,) = databases
        with open_engine(file) as engine:
            yield _reflect_database(engine, file)
    else:
        raise UsageError(
            "more than one database",
            where=format_list([file.name for file in files], 3),
            hint="give one address, one SQLite or DuckDB file, or CSV files with their definitions",
        )


def _reflect_database(engine: sa.Engine, file: File) -> Database:
    with translate_database_errors(file.name, engine):
        tables = reflect_tables(engine)
    if all(table.is_view for table in tables):
        raise UnreadableDatabase(
            "no table in it", where=file.name, hint="check that this is the right database"
        )
    return Database(engine, file.name, tables)


def _check_csv_files(csv_files: Sequence[File], definitions: Sequence[File]) -> None:
    if not csv_files:
        raise MissingFile(
            "table definitions without data",
            where=definitions[0].name if definitions else "",
            hint="give the CSV files of the tables too",
        )
    for file in csv_files:
        if file.name.lower().endswith(DATABASE_SUFFIXES):
            raise UnreadableDatabase(
                "the file does not begin like SQLite or DuckDB",
                where=file.name,
                hint="give a database file, or CSV files",
            )
