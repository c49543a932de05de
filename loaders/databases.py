"""A relational database, opened from what a user gives: an address, a file, or CSV with definitions.

What all three come to: tables with their keys, and their rows in an order that is the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from trustuqa_neo4j.errors import MissingFile, UnreadableDatabase, UsageError, importing
from trustuqa_neo4j.loader import File, Reading

with importing("sql", "databases need"):
    import sqlalchemy as sa
    from sqlalchemy.types import NullType

from . import csv_database
from .engines import kind_of, of_address, of_file, telling
from .reflecting import tables
from .relational import DEFINITIONS, Table, named

_DATABASES = (".db", ".db3", ".sqlite", ".sqlite3", ".duckdb")
_FETCHED = 1_000
_SORTED = 4_000

_Element: TypeAlias = "sa.ColumnElement[Any]"


@dataclass(frozen=True, slots=True)
class Database:
    """An open database: ``engine`` reads only, ``tables`` are sorted by name, views among them.

    ``name`` is what messages call it. ``files`` are those of CSV by the name of their table.
    """

    engine: sa.Engine
    name: str
    tables: tuple[Table, ...]
    files: Mapping[str, File] = field(default_factory=dict)
    secret: str = field(default="", repr=False)

    def table(self, name: str) -> Table | None:
        """The table called ``name``, however it is written; catalogue and schema may stand before it."""
        found: Table | None = named(self.tables, name)
        return found or named(self.tables, name.rpartition(".")[2])

    def file_of(self, table: Table) -> str:
        """Where evidence says that the rows of ``table`` are."""
        file = self.files.get(table.name)
        return file.name if file is not None else f"{self.name}#{table.name}"

    def clause(self, table: Table) -> sa.TableClause:
        """``table`` for statements. Its columns have no type, so that values come as the driver has them."""
        return sa.table(table.name, *(sa.column(column.name) for column in table.columns))

    def line(self, table: Table) -> sa.ColumnElement[Any] | None:
        """The line of its file that a row of ``table`` stands in; None where that is no CSV."""
        if table.name not in self.files:
            return None
        return sa.literal_column(csv_database.row_id(table))

    def rows(
        self, table: Table, also: Callable[[sa.TableClause], Sequence[_Element]] = lambda _: ()
    ) -> Generator[tuple[int, Sequence[Any]], None, None]:
        """Line, and the values of each column, of every row of ``table``.

        Behind them come those of what ``also`` makes of the table in the statement.

        The order is that of the file, else by the key, else by all columns. Where there is no file, the
        line is the place in this order, from 1.

        Raises:
            UnreadableDatabase
        """
        clause, line = self.clause(table), self.line(table)
        if line is not None:
            found = sa.select(*clause.c, *also(clause), line).select_from(clause).order_by(line)
            for row in self.fetched(found):
                yield row[-1], row[:-1]
            return
        found = sa.select(*clause.c, *also(clause)).select_from(clause)
        for number, row in enumerate(self.fetched(found.order_by(*_order(table))), 1):
            yield number, row

    def fetched(self, statement: sa.Executable) -> Generator[sa.Row[Any], None, None]:
        """What ``statement`` gives, a thousand rows at a time.

        Raises:
            UnreadableDatabase
        """
        with telling(self.name, self.secret), self.engine.connect() as connection:
            streaming = connection.execution_options(stream_results=True, yield_per=_FETCHED)
            yield from streaming.execute(statement)


def _order(table: Table) -> list[sa.ColumnElement[Any]]:
    """By what the rows of ``table`` are ordered; of what has no order, none."""
    if table.key:
        return [sa.column(name) for name in table.key]
    found: list[sa.ColumnElement[Any]] = []
    for column in table.columns:
        if isinstance(column.type, (sa.JSON, NullType)):  # many a database cannot sort them
            found.append(sa.cast(sa.column(column.name), sa.String(_SORTED)))
        elif not isinstance(column.type, sa.LargeBinary):
            found.append(sa.column(column.name))
    return found


@contextmanager
def opened(files: Sequence[File], reading: Reading) -> Iterator[Database]:
    """The database that ``files`` are: one address, one file, or CSV files with table definitions.

    Raises:
        UsageError: they are several databases, or none.
        MissingFile, MissingExtra, UnreadableFile, UnreadableDatabase, MalformedLine
    """
    alone = [file for file in files if file.address is not None or kind_of(file) is not None]
    if len(alone) == 1 and len(files) == 1:
        with _of(alone[0]) as engine:
            yield _seen(engine, alone[0])
        return
    if alone:
        raise UsageError(
            "more than one database",
            where=", ".join(file.name for file in files[:3]),
            hint="give one address, one file of SQLite or DuckDB, or CSV files with their definitions",
        )
    definitions = [file for file in files if file.name.lower().endswith(DEFINITIONS)]
    texts = [file for file in files if file not in definitions]
    _check(texts, definitions)
    with csv_database.opened(texts, definitions, reading) as found:
        yield Database(found.engine, texts[0].name, found.tables, found.files)


@contextmanager
def _of(file: File) -> Iterator[sa.Engine]:
    kind = None if file.address is not None else kind_of(file)
    with of_address(file) if kind is None else of_file(file, kind) as engine:
        yield engine


def _seen(engine: sa.Engine, file: File) -> Database:
    secret = str(engine.url.password or "")
    with telling(file.name, secret):
        found = tables(engine)
    if all(table.view for table in found):
        raise UnreadableDatabase(
            "no table in it", where=file.name, hint="see that this is the database you mean"
        )
    return Database(engine, file.name, found, secret=secret)


def _check(texts: Sequence[File], definitions: Sequence[File]) -> None:
    if not texts:
        where = definitions[0].name if definitions else ""
        raise MissingFile(
            "table definitions, and no rows",
            where=where,
            hint="give the CSV files of the tables too",
        )
    for file in texts:
        if file.name.lower().endswith(_DATABASES):
            raise UnreadableDatabase(
                "neither SQLite nor DuckDB, by how it begins",
                where=file.name,
                hint="give a database file, or CSV files",
            )
