"""The rows of logical tables: those of a table of the database, or what a query of the mapping gives.

Rows come in the same order each time. Of a query nobody knows its order, so its rows are read and sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, TypeAlias

import sqlalchemy as sa

from trustuqa_neo4j.errors import UnreadableDatabase, UnreadableFile
from trustuqa_neo4j.loader import Reading

from .databases import Database
from .naming_rdf import local_name
from .r2rml_mapping import TriplesMap, bare
from .r2rml_sql import dividing_exactly, only_reads, translated
from .r2rml_terms import Column
from .relational import Table
from .statements_rdf import is_blank

PREFIX = "the catalogue and schema before a table's name are passed over"
TRANSLATED = "a query in another dialect of SQL is translated"

_LAST = re.compile(r'("(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[^."`\[\]]*)\s*$')


_Read: TypeAlias = Callable[[], Iterator[tuple[int, Sequence[Any]]]]


@dataclass(frozen=True, slots=True)
class Rows:
    """``read`` gives line and values of each row, the lines being those of ``file``."""

    file: str
    columns: dict[str, Column]
    read: _Read


class Tables:
    """The logical tables of a mapping's triples maps in ``database``."""

    def __init__(self, database: Database, mapping: str, reading: Reading) -> None:
        self._database = database
        self._mapping = mapping
        self._reading = reading
        self._found: dict[str, Table] = {}
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

    def _table(self, written: str, line: int) -> tuple[str, list[str], list[Any], _Read]:
        if written not in self._found:
            self._found[written] = self._sought(written, line)
        table = self._found[written]
        names = [column.name for column in table.columns]
        types = [column.type for column in table.columns]
        return self._database.file_of(table), names, types, lambda: self._database.rows(table)

    def _sought(self, written: str, line: int) -> Table:
        """The table that a mapping calls ``written``; what stands before its own name may be left out."""
        where = f"{self._mapping}:{line}"
        last = _LAST.search(written)
        short = bare(last[1]) if last else bare(written)
        table = self._database.table(bare(written)) or self._database.table(short)
        if table is None:
            raise UnreadableFile(
                f"no table {written!r} in {self._database.name}",
                where=where,
                hint=_nearest(short, [each.name for each in self._database.tables]),
            )
        if table.name.casefold() != bare(written).casefold():
            self._reading.remark(PREFIX, where)
        return table

    def _query(self, given: TriplesMap) -> tuple[str, list[str], list[Any], _Read]:
        query = given.rows.query or ""
        if query not in self._queried:
            self._queried[query] = self._asked(query, f"{self._mapping}:{given.rows.line}")
        names, found = self._queried[query]
        called = str(given.rows.line) if is_blank(given.iri) else local_name(given.iri)
        file = f"{self._mapping}#{called}"
        return file, names, [None] * len(names), lambda: iter(enumerate(found, 1))

    def _asked(self, query: str, where: str) -> tuple[list[str], list[Sequence[Any]]]:
        """Columns and sorted rows of ``query``, as it is or translated.

        Raises:
            UnreadableFile
        """
        if not only_reads(query):
            raise UnreadableFile(
                "a query that does not only read", where=where, hint="it has to be a SELECT"
            )
        try:
            return self._fetched(self._fitted(query))
        except UnreadableDatabase as error:
            failed = error
        for other in translated(query, self._database.engine.dialect.name):
            try:
                found = self._fetched(self._fitted(other))
            except UnreadableDatabase:
                continue
            self._reading.remark(TRANSLATED, where)
            return found
        raise UnreadableFile(
            f"its query fails: {failed.what}",
            where=where,
            hint="see that its tables and columns are there",
        ) from failed

    def _fitted(self, query: str) -> str:
        """``query`` for numbers as CSV files have them, where the database is made of such."""
        if not self._database.files:
            return query
        return dividing_exactly(query, self._database.tables)

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
        alike = [place for place, each in enumerate(names) if each == name] or [
            place for place, each in enumerate(names) if each.casefold() == name.casefold()
        ]
        if len(alike) != 1:
            what = f"several columns {name!r}" if alike else f"no column {name!r}"
            raise UnreadableFile(
                f"{what} in the logical table",
                where=f"{self._mapping}:{line}",
                hint=_nearest(name, names),
            )
        return alike[0]


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
