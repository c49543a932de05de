"""The rows of logical tables: those of a table of the database, or what a query of the mapping gives.

Rows come in the same order each time. Of a query nobody knows its order, so its rows are read and sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

import sqlalchemy as sa

from trustuqa_neo4j.errors import UnreadableDatabase, UnreadableFile
from trustuqa_neo4j.loader import Reading

from .databases import Database
from .naming_rdf import local_name
from .r2rml_mapping import TriplesMap, bare
from .r2rml_terms import Column
from .statements_rdf import is_blank

PREFIX = "the catalogue and schema before a table's name are passed over"
TRANSLATED = "a query in another dialect of SQL is translated"

_DIALECTS = ("", "mysql", "postgres", "tsql", "oracle", "snowflake", "bigquery", "spark")
"""What a query may be written in, as sqlglot calls it; tried in this order."""

_SQLGLOT = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql"}
"""SQLAlchemy's name of a dialect → sqlglot's, where they differ."""

_ASKS = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(?:select|with|values|table|from)\b", re.I | re.DOTALL
)
_LAST = re.compile(r'("(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[^."`\[\]]*)\s*$')


@dataclass(frozen=True, slots=True)
class Rows:
    """``read`` gives line and values of each row, the lines being those of ``file``."""

    file: str
    columns: dict[str, Column]
    read: Callable[[], Iterator[tuple[int, Sequence[Any]]]]


class Tables:
    """The logical tables of a mapping's triples maps in ``database``."""

    def __init__(self, database: Database, mapping: str, reading: Reading) -> None:
        self._database = database
        self._mapping = mapping
        self._reading = reading
        self._queried: dict[str, tuple[list[str], list[Sequence[Any]]]] = {}

    def rows(self, given: TriplesMap, needed: Sequence[tuple[str, int]]) -> Rows:
        """The rows of the logical table of ``given``, with the columns that are ``needed``, in which lines.

        Raises:
            UnreadableFile: there is no such table or column, or the query fails.
            UnreadableDatabase
        """
        if given.rows.table is not None:
            file, names, types, read = self._table(given.rows.table, given.rows.line)
        else:
            file, names, types, read = self._query(given)
        columns = {}
        for name, line in needed:
            # Of a query without any row nobody knows the columns.
            place = self._place(name, names, line) if names else 0
            columns[name] = Column(place, types[place] if names else None)
        return Rows(file, columns, read)

    def _table(self, written: str, line: int) -> tuple[str, list[str], list[Any], Any]:
        whole = bare(written)
        table = self._database.table(whole)
        last = _LAST.search(written)
        if table is None and last is not None:
            table = self._database.table(bare(last[1]))
        if table is None:
            known = [each.name for each in self._database.tables]
            raise UnreadableFile(
                f"no table {written!r} in {self._database.name}",
                where=f"{self._mapping}:{line}",
                hint=_nearest(bare(last[1]) if last else whole, known),
            )
        if table.name.casefold() != whole.casefold():
            self._reading.remark(PREFIX, f"{self._mapping}:{line}")
        names = [column.name for column in table.columns]
        types = [column.type for column in table.columns]
        return self._database.file_of(table), names, types, lambda: self._database.rows(table)

    def _query(self, given: TriplesMap) -> tuple[str, list[str], list[Any], Any]:
        query = given.rows.query or ""
        if query not in self._queried:
            self._queried[query] = self._asked(query, f"{self._mapping}:{given.rows.line}")
        names, found = self._queried[query]
        called = str(given.rows.line) if is_blank(given.iri) else local_name(given.iri)
        read = lambda: iter(enumerate(found, 1))  # noqa: E731 # as short as it is
        return f"{self._mapping}#{called}", names, [None] * len(names), read

    def _asked(self, query: str, where: str) -> tuple[list[str], list[Sequence[Any]]]:
        """Columns and sorted rows of ``query``, as it is or translated.

        Raises:
            UnreadableFile
        """
        if not _ASKS.match(query):
            raise UnreadableFile(
                "a query that does not only read", where=where, hint="it has to be a SELECT"
            )
        try:
            return self._fetched(query)
        except UnreadableDatabase as error:
            failed = error
        for translated in _translated(query, self._database.engine.dialect.name):
            try:
                found = self._fetched(translated)
            except UnreadableDatabase:
                continue
            self._reading.remark(TRANSLATED, where)
            return found
        raise UnreadableFile(
            f"its query fails: {failed.what}",
            where=where,
            hint="see that its tables and columns are there",
        ) from failed

    def _fetched(self, query: str) -> tuple[list[str], list[Sequence[Any]]]:
        # A colon would be the beginning of a parameter.
        text = query.strip().rstrip(";").replace(":", r"\:")
        names: list[str] = []
        found: list[Sequence[Any]] = []
        for row in self._database.fetched(sa.text(text)):
            names = names or list(row._fields)
            found.append(tuple(row))
        return names, sorted(found, key=_sortable)

    def _place(self, written: str, names: Sequence[str], line: int) -> int:
        name = bare(written)
        if name in names:
            return names.index(name)
        alike = [place for place, each in enumerate(names) if each.casefold() == name.casefold()]
        if len(alike) != 1:
            what = f"several columns {name!r}" if alike else f"no column {name!r}"
            raise UnreadableFile(
                f"{what} in the logical table",
                where=f"{self._mapping}:{line}",
                hint=_nearest(name, names),
            )
        return alike[0]


def _translated(query: str, dialect: str) -> Iterator[str]:
    """``query`` in ``dialect``, from each that it may be written in."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    tried = {query}
    for other in _DIALECTS:
        try:
            (found,) = sqlglot.transpile(query, read=other, write=_SQLGLOT.get(dialect, dialect))
        except (SqlglotError, ValueError):
            continue
        if found not in tried:
            tried.add(found)
            yield found


def _sortable(row: Sequence[Any]) -> tuple[tuple[int, Any], ...]:
    """By numbers, then by text; NULL comes first."""
    return tuple(
        (0, 0) if value is None
        else (1, value) if isinstance(value, int | float | Decimal)
        else (2, str(value))
        for value in row
    )  # fmt: skip


def _nearest(name: str, known: Sequence[str]) -> str:
    folded = {each.casefold(): each for each in known}
    near = [folded[each] for each in get_close_matches(name.casefold(), folded, 3, 0.5)]
    if near:
        return f"the nearest are {', '.join(near)}"
    return f"there are {', '.join(known[:10])}{' …' if len(known) > 10 else ''}"
