"""Tables as ``CREATE TABLE`` and its kin define them, in whatever dialect.

sqlglot parses each statement; what the statements are is found here, since SQL Server's need no semicolons.
Of the dialects the first is taken by which all of a file can be read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from trustuqa_neo4j.errors import UnreadableFile, importing
from trustuqa_neo4j.loader import File, Reading

from .ddl_tables import Defined
from .relational import Table
from .text import lines

with importing("sql", "table definitions need"):
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError

DIALECTS = ("", "tsql", "postgres", "mysql", "sqlite", "oracle", "duckdb", "snowflake", "bigquery")

_BEGIN = re.compile(
    r"create (or|table|temp\w*|global|unlogged|external|transient|view|unique|index|\w+ (table|index))\b"
    r"|alter table\b|comment on\b|insert into\b|drop \w+\b|go\b|use\b",
)
_KEPT = re.compile(
    r"create (or replace )?(\w+ )?table\b|alter table\b.*\badd\b|comment on (table|column)\b",
    re.DOTALL,
)


_CLUSTERED = re.compile(r"\b(primary\s+key|unique)\s+(?:non)?clustered\b", re.IGNORECASE)
"""How SQL Server stores a key, which sqlglot cannot read everywhere."""


class _Statement(NamedTuple):
    """Its text, and the line where it begins."""

    text: str
    line: int


def defined(files: Sequence[File], reading: Reading) -> tuple[Table, ...]:
    """The tables that ``files`` define, in their order; a key is only what is said to be one.

    Raises:
        MissingFile, UnreadableFile
    """
    found = Defined()
    for file in files:
        before = len(found.tables)
        for statement, parsed in _read(file, reading):
            if parsed is None:
                reading.remark(
                    "no definition of a table, passed over", f"{file.name}:{statement.line}"
                )
            else:
                found.add(parsed)
        if len(found.tables) == before:
            reading.remark("no definition of a table in it", file.name)
    return found.all()


def _read(file: File, reading: Reading) -> list[tuple[_Statement, exp.Expression | None]]:
    with lines(file, reading) as found:
        text = "".join(found)
    failures: list[tuple[int, UnreadableFile]] = []
    for dialect in DIALECTS:
        try:
            return list(_parsed(text, dialect, file))
        except UnreadableFile as error:
            failures.append((int(error.where.rpartition(":")[2]), error))
    raise max(failures, key=lambda failure: failure[0])[1]  # the one that came farthest


def _parsed(
    text: str, dialect: str, file: File
) -> Iterator[tuple[_Statement, exp.Expression | None]]:
    for statement in _statements(text, dialect, file):
        plain = _plain(statement.text)
        if not _KEPT.match(plain):
            if plain != "go":
                yield statement, None
            continue
        try:
            with _quiet():
                parsed: Any = Dialect.get_or_raise(dialect).parse(
                    _CLUSTERED.sub(r"\1", statement.text)
                )[0]
        except SqlglotError as error:
            raise _unreadable(error, file, statement) from None
        if isinstance(parsed, exp.Command):
            raise _unreadable(None, file, statement)
        yield statement, parsed


def _statements(text: str, dialect: str, file: File) -> Iterator[_Statement]:
    """The statements in ``text``: they end at a semicolon, or where the next begins."""
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(text)
    except SqlglotError as error:
        raise _unreadable(error, file, _Statement(text, 1)) from None
    begin, depth, semicolon = None, 0, False
    for place, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        starts = begin is None or semicolon
        if not starts and depth == 0:
            words = " ".join(each.text.lower() for each in tokens[place : place + 3])
            starts = bool(_BEGIN.match(words))
        if starts:
            if begin is not None:
                yield _Statement(text[begin.start : token.start].rstrip("; \r\n\t"), begin.line)
            begin = token
            depth = 0
        semicolon = token.text == ";"
    if begin is not None:
        yield _Statement(text[begin.start :].rstrip("; \r\n\t"), begin.line)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower()


def _unreadable(error: SqlglotError | None, file: File, statement: _Statement) -> UnreadableFile:
    details = getattr(error, "errors", None) or [{}]
    what = details[0].get("description") or "a statement that cannot be read"
    line = statement.line + (details[0].get("line") or 1) - 1
    return UnreadableFile(
        f"its SQL cannot be read: {what}",
        where=f"{file.name}:{line}",
        hint="give CREATE TABLE statements of one database's dialect",
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep back that sqlglot warns of what it does not know; here that is an error."""
    logger = logging.getLogger("sqlglot")
    logger.addFilter(_nothing)
    try:
        yield
    finally:
        logger.removeFilter(_nothing)


def _nothing(_record: logging.LogRecord) -> bool:
    return False
