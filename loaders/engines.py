"""Databases by address or file, opened through SQLAlchemy; what goes wrong is told without any password."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote

from trustuqa_neo4j.errors import (
    MissingExtra,
    MissingFile,
    UnreadableDatabase,
    UsageError,
    importing,
)
from trustuqa_neo4j.loader import File

from .text import unreadable

with importing("sql", "databases need"):
    import sqlalchemy as sa
    from sqlalchemy import exc
    from sqlalchemy.pool import NullPool

if TYPE_CHECKING:
    from collections.abc import Callable

Kind: TypeAlias = Literal["sqlite", "duckdb"]

_PACKAGES = {
    "psycopg2": "psycopg2-binary", "psycopg": "psycopg[binary]", "MySQLdb": "mysqlclient",
    "pymysql": "pymysql", "mysql": "mysql-connector-python", "oracledb": "oracledb",
    "cx_Oracle": "oracledb", "pyodbc": "pyodbc", "duckdb": "duckdb-engine",
}  # fmt: skip
"""Module that is missing → the package that has it, where it is called otherwise."""

_DIALECTS = {
    "duckdb": "duckdb-engine", "snowflake": "snowflake-sqlalchemy", "bigquery": "sqlalchemy-bigquery",
    "clickhouse": "clickhouse-sqlalchemy", "redshift": "sqlalchemy-redshift", "db2": "ibm-db-sa",
    "trino": "trino", "databricks": "databricks-sqlalchemy", "cockroachdb": "sqlalchemy-cockroachdb",
}  # fmt: skip
"""Scheme that SQLAlchemy does not know by itself → the package that teaches it."""

_SQLITE, _DUCKDB = b"SQLite format 3\0", b"DUCK"
_BACKGROUND = re.compile(r"\n?\(Background on this error at: .*\)\s*$", re.DOTALL)


def kind_of(file: File) -> Kind | None:
    """Which database ``file`` is, by its first bytes; None: none of these.

    Raises:
        MissingFile, UnreadableFile
    """
    try:
        with file.path.open("rb") as content:
            first = content.read(16)
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except OSError as error:
        raise unreadable(file.name, error) from error
    if first == _SQLITE:
        return "sqlite"
    return "duckdb" if first[8:12] == _DUCKDB else None


@contextmanager
def of_file(file: File, kind: Kind) -> Iterator[sa.Engine]:
    """The database in ``file``, for reading only.

    Raises:
        MissingExtra, UnreadableDatabase
    """
    if kind == "sqlite":
        _check_settled(file)
        with _disposed(of_sqlite(file.path), file.name, "") as engine:
            yield engine
    else:
        url = sa.URL.create("duckdb", database=str(file.path))
        with _disposed(_created(url, file.name), file.name, "") as engine:
            yield engine


@contextmanager
def of_address(file: File) -> Iterator[sa.Engine]:
    """The database at the address of ``file``.

    Raises:
        UsageError: it is no address of a database.
        MissingFile, MissingExtra, UnreadableDatabase
    """
    try:
        url = sa.make_url(file.address or "")
    except (exc.ArgumentError, ValueError):  # what it says may hold the password
        raise UsageError(
            "no address of a database",
            where=file.name,
            hint="give dialect://user:password@host:port/database, with signs in the password as %XX",
        ) from None
    path = _path(url)
    if path is not None:
        if not path.is_file():
            raise MissingFile("no such file", where=file.name, hint="check the path") from None
        if url.get_backend_name() == "sqlite":
            with _disposed(of_sqlite(path), file.name, "") as engine:
                yield engine
            return
    with _disposed(_created(url, file.name), file.name, str(url.password or "")) as engine:
        yield engine


def of_sqlite(path: Path, prepare: Callable[[sqlite3.Connection], Any] | None = None) -> sa.Engine:
    """The SQLite database at ``path``, for reading only; ``prepare`` is given each connection."""

    def connect() -> sqlite3.Connection:
        # Batches are read in another thread than the one that may close what it has opened.
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        if prepare is not None:
            prepare(connection)
        return connection

    return sa.create_engine("sqlite://", creator=connect, poolclass=NullPool)


@contextmanager
def telling(place: str, secret: str = "") -> Iterator[None]:
    """What the database says is wrong becomes an error of ours; ``secret`` is not shown.

    Raises:
        UnreadableDatabase
    """
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise UnreadableDatabase(
            _said(error, secret),
            where=place,
            hint="see that it can be reached, and that user and password may read it",
        ) from None
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise UnreadableDatabase(
            str(error), where=place, hint="see that the database is whole and its texts are UTF-8"
        ) from None


def _said(error: exc.SQLAlchemyError, secret: str) -> str:
    """The first line of what the driver says, which is the one for people."""
    told = error.orig if isinstance(error, exc.DBAPIError) and error.orig else error
    details = told.args[0] if told.args else told
    # pg8000 gives all fields of the server's answer, of which M is the message.
    details = details.get("M", told) if isinstance(details, dict) else told
    lines = _BACKGROUND.sub("", str(details)).strip().splitlines() or [type(told).__name__]
    text = " ".join(line.strip() for line in lines[:2])[:500]
    return text.replace(secret, "***") if secret else text


def _path(url: sa.URL) -> Path | None:
    """The file that ``url`` names, if it names one that is opened here."""
    if url.get_backend_name() not in ("sqlite", "duckdb") or not url.database:
        return None
    if url.database.startswith((":", "file:", "md:")):
        return None
    return Path(url.database)


def _created(url: sa.URL, place: str) -> sa.Engine:
    options: dict[str, Any] = {"poolclass": NullPool}
    if url.get_backend_name() == "duckdb" and _path(url) is not None:
        options["connect_args"] = {"read_only": True}
    try:
        return sa.create_engine(url, **options)
    except exc.NoSuchModuleError:
        known = _DIALECTS.get(url.get_backend_name())
        if known is None:
            raise UsageError(
                f"no kind of database is called {url.drivername!r}",
                where=place,
                hint="as in sqlite:///shop.db, postgresql://…, mysql+pymysql://…",
            ) from None
        raise _missing(url, known) from None
    except ImportError as error:
        module = (error.name or "").partition(".")[0]
        raise _missing(url, _PACKAGES.get(module, module)) from error
    except (exc.ArgumentError, TypeError, ValueError):  # what it says may hold the password
        raise UsageError(
            f"an address that {url.drivername} cannot use",
            where=place,
            hint="check what stands behind the scheme",
        ) from None


def _missing(url: sa.URL, package: str) -> MissingExtra:
    return MissingExtra(
        f"{url.drivername} needs the Python package {package!r}",
        where="which is not installed",
        hint=f'try: pip install "{package}"',
    )


def _check_settled(file: File) -> None:
    """What was written and not yet moved into the file would be part of no hash of it."""
    aside = Path(f"{file.path}-wal")
    if aside.is_file() and aside.stat().st_size:
        raise UnreadableDatabase(
            "changes beside it are not part of it yet",
            where=f"{file.name}-wal",
            hint=f"close the program that writes to it, or give sqlite:///{file.name}",
        )


@contextmanager
def _disposed(engine: sa.Engine, place: str, secret: str) -> Iterator[sa.Engine]:
    """``engine``, seen to connect, until it is no longer needed."""
    try:
        with telling(place, secret), engine.connect():
            pass
        yield engine
    finally:
        engine.dispose()
