"""The rows of a relational database as items: their values, then where their foreign keys lead.

Foreign keys are read once all rows are known: what they lead to may come later, and tables may lead to each
other in circles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from trustuqa_neo4j.errors import UnreadableDatabase
from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Fact, Item, Part, Thing

from . import cells
from .databases import Database
from .relational import Column, Table
from .sql_schema import TYPE, Link, Schema

_BETWEEN, _PLACE = "\x1f", "\x1e"
_TOLD_EVERY = 1_000


@dataclass
class Rows:
    """The rows of a database as items."""

    database: Database
    schema: Schema
    reading: Reading
    files: Sequence[File]
    read: int = 0
    bytes_in: set[str] = field(default_factory=set)

    @property
    def settled(self) -> bool:
        """Whether values are of fewer kinds than their columns."""
        return self.database.engine.dialect.name == "sqlite" and not self.database.files

    def items(self) -> Iterator[Item]:
        """All of them.

        Raises:
            UnreadableDatabase
        """
        for number, table in enumerate(self.schema.tables):
            yield self._part(table)
            if number == 0:
                yield from self.schema.declared()
            yield from self._values(table)
        if not self.read:
            raise UnreadableDatabase(
                "no row in any of its tables",
                where=self.database.name,
                hint="see that this is the database you mean",
            )
        for table in self.schema.tables:
            if links := self.schema.links[table.name]:
                yield self._part(table)
                yield from self._leading(table, links)

    def _part(self, table: Table) -> Part:
        return self.reading.part(table.name, self.database.file_of(table), "kg")

    def _values(self, table: Table) -> Iterator[Item]:
        relations = self.schema.columns[table.name]
        places = _places(table, table.key)
        with closing(self.database.rows(table)) as rows:
            for line, row in rows:
                self._told()
                values = [row[place] for place in places]
                if None in values:
                    what = "no value in the key, so the row is known by its place"
                    self.reading.remark(what, f"{self.database.file_of(table)}:{line}")
                key = self._key(table, values, line)
                yield Thing(key, None)
                yield Fact(key, TYPE, table.name, line)
                for relation, column, value in zip(relations, table.columns, row, strict=True):
                    text = self._text(table, column, value)
                    if text is not None:
                        yield Fact(key, relation, text, line)

    def _leading(self, table: Table, links: Sequence[Link]) -> Iterator[Fact]:
        width = len(table.columns)
        places = _places(table, table.key)
        sought = [_places(table, link.key.columns) for link in links]

        def keys(clause: sa.TableClause) -> list[sa.ColumnElement[Any]]:
            return [each for link in links for each in self._target(table, clause, link)]

        with closing(self.database.rows(table, keys)) as rows:
            for line, row in rows:
                self._told()
                key = self._key(table, [row[place] for place in places], line)
                found = iter(row[width:])
                for link, columns in zip(links, sought, strict=True):
                    values = [next(found) for _ in link.target.key]
                    if any(row[place] is None for place in columns):
                        continue
                    if any(value is None for value in values):
                        what = f"a foreign key to no row of {link.target.name}"
                        self.reading.remark(what, f"{self.database.file_of(table)}:{line}")
                        continue
                    yield Fact(key, link.relation, self._key(link.target, values, 0), line)

    def _target(
        self, table: Table, clause: sa.TableClause, link: Link
    ) -> Iterator[sa.ColumnElement[Any]]:
        """The key of the row that a foreign key leads to, which may write the same values otherwise."""
        target = self.database.clause(link.target).alias()
        here, there = link.key.columns, link.key.referenced
        pairs = zip(_named(link.target, there), _named(table, here), strict=True)
        same = [target.c[name] == clause.c[column] for name, column in pairs]
        for name in _named(link.target, link.target.key):
            yield sa.select(target.c[name]).where(*same).limit(1).scalar_subquery()

    def _key(self, table: Table, values: Sequence[Any], line: int) -> str:
        """The key of a row of ``table``; where ``values`` do not tell it apart, its place does."""
        source = self.reading.source
        name = table.name if source is None else f"{source}{_BETWEEN}{table.name}"
        if not values or None in values:
            return f"{name}{_PLACE}{line}"
        return _BETWEEN.join((name, *map(_in_key, values)))

    def _text(self, table: Table, column: Column, value: Any) -> str | None:
        """``value`` as text; None where there is none, or none that could be asked for."""
        if value is None:
            return None
        if isinstance(value, (bytes, bytearray, memoryview)):
            place = f"{table.name}.{column.name}"
            if place not in self.bytes_in:
                self.bytes_in.add(place)
                self.reading.remark("bytes, left out", place)
            return None
        if self.settled:
            value = _as_declared(value, column)
        return cells.text_of(value)

    def _told(self) -> None:
        """Report the progress in rows, where it is not reported in bytes as files are read."""
        self.read += 1
        if self.read % _TOLD_EVERY == 0 and self.files[0].address is not None:
            self.reading.progress(self.files[0], self.read)


def _as_declared(value: Any, column: Column) -> Any:
    """SQLite keeps decimals as floats and booleans as integers: ``value`` as its column says it is."""
    if isinstance(column.type, sa.Boolean) and value in (0, 1):
        return bool(value)
    scale = column.type.scale if isinstance(column.type, sa.Numeric) else None
    if scale and isinstance(value, (int, float)) and not isinstance(column.type, sa.Float):
        exact = Decimal(repr(value))
        if exact.is_finite() and (rounded := round(exact, scale)) == exact:
            return rounded
    return value


def _in_key(value: Any) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    return cells.text_of(value)


def _named(table: Table, names: Iterable[str]) -> list[str]:
    """``names`` as the columns of ``table`` are written."""
    return [column.name for name in names if (column := table.column(name))]


def _places(table: Table, names: Iterable[str]) -> list[int]:
    """Where in ``table`` the columns of these names are."""
    written = [column.name for column in table.columns]
    return [written.index(name) for name in _named(table, names)]
