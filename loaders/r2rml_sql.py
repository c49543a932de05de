"""Queries of a mapping, fitted to the database that is there: its dialect, and numbers of CSV files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import sqlalchemy as sa
import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from .relational import Table

_DIALECTS = ("", "mysql", "postgres", "tsql", "oracle", "snowflake", "bigquery", "spark")
"""What a query may be written in, as sqlglot calls it; tried in this order."""

_SQLGLOT = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql"}
"""SQLAlchemy's name of a dialect → sqlglot's, where they differ."""

_BEFORE = r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*"
_ASKS = re.compile(_BEFORE + r"(?:select|with|values|table|from)\b", re.IGNORECASE | re.DOTALL)


def only_reads(query: str) -> bool:
    """Whether ``query`` begins like one that gives rows."""
    return _ASKS.match(query) is not None


def translated(query: str, dialect: str) -> Iterator[str]:
    """``query`` in ``dialect``, from each that it may be written in."""
    tried = {query}
    for other in _DIALECTS:
        try:
            (found,) = sqlglot.transpile(
                query,
                read=other,
                write=_SQLGLOT.get(dialect, dialect),
                unsupported_level=ErrorLevel.IGNORE,  # what is wrong shows when it is asked
            )
        except (SqlglotError, ValueError):
            continue
        if found not in tried:
            tried.add(found)
            yield found


def dividing_exactly(query: str, tables: Sequence[Table]) -> str:
    """``query`` for SQLite on ``tables`` of CSV files, where 16000/12 is 1333.33 unless both are integers.

    Their decimals are kept as text, of which SQLite would make integers where no digit is behind the point.
    """
    if "/" not in query:
        return query
    try:
        found = sqlglot.parse_one(query, read="sqlite")
    except (SqlglotError, ValueError):
        return query  # another dialect: what is wrong with it is told when it is asked
    whole = _whole(tables)
    divisions = [
        each
        for each in found.find_all(exp.Div)
        if any(column.name.casefold() not in whole for column in each.find_all(exp.Column))
    ]
    for each in divisions:
        each.set("this", exp.cast(each.this.copy(), "REAL"))
    return found.sql(dialect="sqlite") if divisions else query


def _whole(tables: Sequence[Table]) -> set[str]:
    """Names of columns that hold integers wherever they occur."""
    columns = [column for table in tables for column in table.columns]
    others = {
        column.name.casefold() for column in columns if not isinstance(column.type, sa.Integer)
    }
    return {column.name.casefold() for column in columns} - others
