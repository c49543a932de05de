"""Relational databases: tables, columns and keys, the catalogue of a database, and engines to open it.

SQLAlchemy's own MetaData fails when a foreign key names a table that does not exist, which happens in real
schemas; hence ``SqlTable``, ``SqlColumn`` and ``ForeignKey``. No message shows a password.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.pool import NullPool
from sqlalchemy.types import NullType, TypeEngine

from trustuqa_neo4j.errors import MissingExtra, MissingFile, UnreadableDatabase, UsageError
from trustuqa_neo4j.loading.file_signatures import (
    DATABASE_SIGNATURE_SIZE,
    DatabaseKind,
    detect_database,
)
from trustuqa_neo4j.loading.formats import File

from ._text import open_file

# Tables, columns and keys: plain data.


@dataclass(frozen=True, slots=True)
class SqlColumn:
    name: str
    type: TypeEngine[Any]
    comment: str = ""

    @property
    def is_binary(self) -> bool:
        return isinstance(self.type, sa.LargeBinary)

    @property
    def datatype(self) -> str:
        # Text columns are empty: they often hold numbers and dates.
        if isinstance(self.type, (sa.Integer, sa.Numeric)):
            return "number"
        return "date" if isinstance(self.type, (sa.Date, sa.DateTime)) else ""

    def restore_type(self, value: Any) -> Any:
        # SQLite stores decimals as floats and booleans as integers.
        if isinstance(self.type, sa.Boolean) and value in (0, 1):
            return bool(value)
        scale = self.type.scale if isinstance(self.type, sa.Numeric) else None
        if scale and isinstance(value, (int, float)) and not isinstance(self.type, sa.Float):
            exact = Decimal(repr(value))
            if exact.is_finite() and (rounded := round(exact, scale)) == exact:
                return rounded
        return value


@dataclass(frozen=True, slots=True)
class ForeignKey:
    # The values of ``columns`` are values of the columns ``referenced`` in ``table``.
    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SqlTable:
    # ``key`` is the primary key, else the columns that foreign keys reference, else empty.
    # ``foreign_keys`` are sorted by their columns.
    name: str
    columns: tuple[SqlColumn, ...]
    key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    is_view: bool = False

    def find_column(self, name: str) -> SqlColumn | None:
        return find_by_name(self.columns, name)

    def spell_column_names(self, names: Iterable[str]) -> list[str]:
        # Names without a column are dropped.
        return [column.name for name in names if (column := self.find_column(name))]

    def find_column_indexes(self, names: Iterable[str]) -> list[int]:
        spellings = [column.name for column in self.columns]
        return [spellings.index(name) for name in self.spell_column_names(names)]

    def has_columns(self, names: Iterable[str]) -> bool:
        return all(self.find_column(name) for name in names)


_Named = TypeVar("_Named", SqlColumn, SqlTable)


def find_by_name(candidates: Sequence[_Named], name: str) -> _Named | None:
    # An exact name wins over the first name in another case.
    folded = name.casefold()
    exact = next((candidate for candidate in candidates if candidate.name == name), None)
    return exact or next((item for item in candidates if item.name.casefold() == folded), None)


def sort_foreign_keys(keys: Iterable[ForeignKey]) -> tuple[ForeignKey, ...]:
    return tuple(sorted(keys, key=lambda key: (key.columns, key.table)))


def add_implied_keys(tables: Sequence[SqlTable]) -> tuple[SqlTable, ...]:
    # The columns that foreign keys reference are the key of a table without primary key.
    referenced: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for table in tables:
        for key in table.foreign_keys:
            referenced[key.table.casefold()].add(key.referenced)

    def with_key(table: SqlTable) -> SqlTable:
        candidates = sorted(referenced[table.name.casefold()])
        usable = [names for names in candidates if names and table.has_columns(names)]
        if table.key or not usable:
            return table
        return replace(table, key=tuple(table.spell_column_names(usable[0])))

    return tuple(map(with_key, tables))


# The catalogue of an open database. DuckDB has its own queries: SQLAlchemy's dialect for it reads tables of
# PostgreSQL's catalogue that DuckDB lacks.

_DUCKDB_TYPES: dict[str, type[TypeEngine[Any]]] = {
    "BIGINT": sa.BigInteger, "INTEGER": sa.Integer, "SMALLINT": sa.SmallInteger,
    "TINYINT": sa.SmallInteger, "HUGEINT": sa.BigInteger, "UBIGINT": sa.BigInteger,
    "UINTEGER": sa.Integer, "USMALLINT": sa.Integer, "UTINYINT": sa.SmallInteger,
    "DECIMAL": sa.Numeric, "DOUBLE": sa.Double, "FLOAT": sa.Float, "DATE": sa.Date, "TIME": sa.Time,
    "TIMESTAMP": sa.DateTime, "BOOLEAN": sa.Boolean, "VARCHAR": sa.String, "UUID": sa.Uuid,
    "BLOB": sa.LargeBinary, "JSON": sa.JSON,
}  # fmt: skip

_DUCKDB_TABLES = """
SELECT t.kind, t.name, t.comment, to_json(list({
  'name': c.column_name, 'type': c.data_type, 'comment': c.comment
} ORDER BY c.column_index)) AS columns
FROM (
  SELECT 'table' AS kind, database_name, schema_name, table_name AS name, comment FROM duckdb_tables()
  WHERE NOT internal
  UNION ALL
  SELECT 'view', database_name, schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal
) t JOIN duckdb_columns() c ON c.database_name = t.database_name AND c.schema_name = t.schema_name
  AND c.table_name = t.name
WHERE t.database_name = current_database() AND t.schema_name = current_schema()
GROUP BY ALL
"""
_DUCKDB_KEYS = """
SELECT table_name, constraint_type, to_json(constraint_column_names), referenced_table,
  to_json(referenced_column_names)
FROM duckdb_constraints()
WHERE database_name = current_database() AND schema_name = current_schema()
  AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
ORDER BY table_name, constraint_index
"""


def reflect_tables(engine: sa.Engine) -> tuple[SqlTable, ...]:
    reflect = _reflect_duckdb if engine.dialect.name == "duckdb" else _inspect_tables
    with engine.connect() as connection:
        tables = reflect(connection)
    return add_implied_keys(sorted(tables, key=lambda table: (table.name.casefold(), table.name)))


def _inspect_tables(connection: sa.Connection) -> list[SqlTable]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", exc.SAWarning)  # about unknown types and indexes
        inspector = sa.inspect(connection)
        views = {*inspector.get_view_names()}
        with suppress(NotImplementedError):  # the database has none
            views |= {*inspector.get_materialized_view_names()}
        names = [name for name in inspector.get_table_names() if name not in views]
        return [
            *(_inspect_table(inspector, name) for name in names),
            *(_inspect_view(inspector, name) for name in sorted(views)),
        ]


def _inspect_view(inspector: Inspector, name: str) -> SqlTable:
    columns: tuple[SqlColumn, ...] = ()
    with suppress(exc.SQLAlchemyError):  # a table of the view may be gone
        columns = _inspect_columns(inspector, name)
    return SqlTable(name, columns, is_view=True)


def _inspect_table(inspector: Inspector, name: str) -> SqlTable:
    foreign_keys = (
        ForeignKey(
            tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"])
        )
        for key in inspector.get_foreign_keys(name)
    )
    comment = None
    with suppress(NotImplementedError):  # the database has no comments
        comment = inspector.get_table_comment(name)["text"]
    return SqlTable(
        name,
        _inspect_columns(inspector, name),
        tuple(inspector.get_pk_constraint(name)["constrained_columns"]),
        sort_foreign_keys(foreign_keys),
        comment or "",
    )


def _inspect_columns(inspector: Inspector, table: str) -> tuple[SqlColumn, ...]:
    return tuple(
        SqlColumn(column["name"], column["type"], column.get("comment") or "")
        for column in inspector.get_columns(table)
    )


def _reflect_duckdb(connection: sa.Connection) -> list[SqlTable]:
    primary: dict[str, tuple[str, ...]] = {}
    foreign: dict[str, list[ForeignKey]] = defaultdict(list)
    for table, kind, columns, target, referenced in connection.exec_driver_sql(_DUCKDB_KEYS):
        names = tuple(_parse_json(columns))
        if kind == "PRIMARY KEY":
            primary[table] = names
        else:
            foreign[table].append(ForeignKey(names, target, tuple(_parse_json(referenced))))
    return [
        SqlTable(
            name,
            tuple(
                SqlColumn(
                    column["name"], _convert_duckdb_type(column["type"]), column["comment"] or ""
                )
                for column in _parse_json(columns)
            ),
            primary.get(name, ()),
            sort_foreign_keys(foreign[name]),
            comment or "",
            is_view=kind == "view",
        )
        for kind, name, comment, columns in connection.exec_driver_sql(_DUCKDB_TABLES)
    ]


def _parse_json(value: Any) -> Any:
    # Some versions of the driver have parsed JSON already.
    return json.loads(value) if isinstance(value, (str, bytes)) else value


def _convert_duckdb_type(text: str) -> TypeEngine[Any]:
    name = re.sub(r"\(.*\)|( WITH TIME ZONE)|_(S|MS|NS)$", "", text)
    if text.endswith("]") or name not in _DUCKDB_TYPES:
        return NullType()
    digits = [int(number) for number in re.findall(r"\d+", text)]
    if name == "DECIMAL" and len(digits) == 2:
        return sa.Numeric(digits[0], digits[1])
    return _DUCKDB_TYPES[name]()


# Engines: a database by its address or its file, read only. What is read may be hostile, such as a view or
# the query of a mapping: it reaches no file and no network.


_DRIVER_PACKAGES = {
    "psycopg2": "psycopg2-binary", "psycopg": "psycopg[binary]", "MySQLdb": "mysqlclient",
    "pymysql": "pymysql", "mysql": "mysql-connector-python", "oracledb": "oracledb",
    "cx_Oracle": "oracledb", "pyodbc": "pyodbc", "duckdb": "duckdb-engine",
}  # fmt: skip
"""Missing module → its package, where that has another name."""

_DIALECT_PACKAGES = {
    "duckdb": "duckdb-engine", "snowflake": "snowflake-sqlalchemy", "bigquery": "sqlalchemy-bigquery",
    "clickhouse": "clickhouse-sqlalchemy", "redshift": "sqlalchemy-redshift", "db2": "ibm-db-sa",
    "trino": "trino", "databricks": "databricks-sqlalchemy", "cockroachdb": "sqlalchemy-cockroachdb",
}  # fmt: skip
"""Scheme unknown to SQLAlchemy alone → the package that adds its dialect."""

_DUCKDB_LOCK = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",  # variables of this process as tables
    "lock_configuration": "true",
}
_READ_ONLY = {
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "cockroachdb": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
"""SQLAlchemy's name of a dialect → the statement after which a session cannot write."""

_BACKGROUND = re.compile(r"\n?\(Background on this error at: .*\)\s*$", re.DOTALL)


def detect_database_kind(file: File) -> DatabaseKind | None:
    # The first bytes decide. None: neither SQLite nor DuckDB.
    with open_file(file) as content:
        return detect_database(content.read(DATABASE_SIGNATURE_SIZE))


@contextmanager
def open_engine(file: File) -> Iterator[sa.Engine]:
    engine = _create_file_engine(file) if file.address is None else _create_address_engine(file)
    try:
        with translate_database_errors(file.name, engine), engine.connect():
            pass
        yield engine
    finally:
        engine.dispose()


def create_sqlite_engine(
    path: Path, prepare: Callable[[sqlite3.Connection], Any] | None = None
) -> sa.Engine:
    # ``prepare`` gets each new connection.
    def connect() -> sqlite3.Connection:
        # Rows are read in another thread than the one that may close the connection.
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        if prepare is not None:
            prepare(connection)
        return connection

    return sa.create_engine("sqlite://", creator=connect, poolclass=NullPool)


@contextmanager
def limit_query_time(connection: sa.Connection, seconds: float | None) -> Iterator[None]:
    """Make the database break off what runs longer than ``seconds`` inside ``with``, where it can."""
    if seconds is None:
        yield
        return
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(seconds * 1000)}")
    interrupt = getattr(connection.connection.dbapi_connection, "interrupt", lambda: None)
    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # the connection is closed next


@contextmanager
def translate_database_errors(place: str, engine: sa.Engine) -> Iterator[None]:
    # The password never appears in the error.
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise UnreadableDatabase(
            _extract_driver_message(error, str(engine.url.password or "")),
            where=place,
            hint="check that the server can be reached and that this user may read the database",
        ) from None
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise UnreadableDatabase(
            str(error), where=place, hint="check that the file is not damaged and its text is UTF-8"
        ) from None


def _extract_driver_message(error: exc.SQLAlchemyError, password: str) -> str:
    # The first two lines are the readable ones.
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig else error
    details = cause.args[0] if cause.args else cause
    # pg8000 passes all fields of the server's reply; M is the message.
    message = details.get("M", cause) if isinstance(details, dict) else cause
    lines = _BACKGROUND.sub("", str(message)).strip().splitlines() or [type(cause).__name__]
    text = " ".join(line.strip() for line in lines[:2])[:500]
    return text.replace(password, "***") if password else text


def _create_file_engine(file: File) -> sa.Engine:
    if detect_database_kind(file) != "sqlite":
        return _create_engine(sa.URL.create("duckdb", database=str(file.path)), file.name)
    # Changes in the write-ahead log are not covered by the hash of the file.
    log = Path(f"{file.path}-wal")
    if log.is_file() and log.stat().st_size:
        raise UnreadableDatabase(
            "the write-ahead log holds changes that are not yet in the database file",
            where=f"{file.name}-wal",
            hint=f"close the program that writes to it, or give sqlite:///{file.name}",
        )
    return create_sqlite_engine(file.path)


def _create_address_engine(file: File) -> sa.Engine:
    try:
        url = sa.make_url(file.address or "")
    except (exc.ArgumentError, ValueError):  # its message may contain the password
        raise UsageError(
            "not a database address",
            where=file.name,
            hint="give dialect://user:password@host:port/database; write special characters in the "
            "password as %XX",
        ) from None
    path = _find_local_path(url)
    if path is not None:
        if not path.is_file():
            raise MissingFile("no such file", where=file.name, hint="check the path")
        if url.get_backend_name() == "sqlite":
            return create_sqlite_engine(path)
    return _create_engine(url, file.name)


def _find_local_path(url: sa.URL) -> Path | None:
    if url.get_backend_name() not in ("sqlite", "duckdb") or not url.database:
        return None
    if url.database.startswith((":", "file:", "md:")):
        return None
    return Path(url.database)


def _create_engine(url: sa.URL, place: str) -> sa.Engine:
    options: dict[str, Any] = {"poolclass": NullPool}
    if url.get_backend_name() == "duckdb":
        is_file = _find_local_path(url) is not None
        options["connect_args"] = {"read_only": is_file, "config": dict(url.query) | _DUCKDB_LOCK}
    try:
        engine = sa.create_engine(url, **options)
    except exc.NoSuchModuleError:
        package = _DIALECT_PACKAGES.get(url.get_backend_name())
        if package is None:
            raise UsageError(
                f"unknown database dialect {url.drivername!r}",
                where=place,
                hint="examples: sqlite:///shop.db, postgresql://…, mysql+pymysql://…",
            ) from None
        raise _missing_driver_error(url, package) from None
    except ImportError as error:
        module = (error.name or "").partition(".")[0]
        raise _missing_driver_error(url, _DRIVER_PACKAGES.get(module, module)) from error
    except (exc.ArgumentError, TypeError, ValueError):  # its message may contain the password
        raise UsageError(
            f"not a valid address for {url.drivername}",
            where=place,
            hint="check the part after the scheme",
        ) from None
    if statement := _READ_ONLY.get(engine.dialect.name):
        # Before the dialect itself asks anything.
        event.listen(
            engine, "connect", lambda opened, _: _forbid_writes(opened, statement), insert=True
        )
    return engine


def _forbid_writes(connection: Any, statement: str) -> None:
    cursor = connection.cursor()
    cursor.execute(statement)
    cursor.close()
    connection.commit()  # a rollback would undo it


def _missing_driver_error(url: sa.URL, package: str) -> MissingExtra:
    return MissingExtra(
        f"{url.drivername} needs the Python package {package!r}",
        where="which is not installed",
        hint=f'pip install "{package}"',
    )
