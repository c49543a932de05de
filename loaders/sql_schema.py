"""How tables, columns and foreign keys are called as classes and relations, and what they declare.

Rows of two tables are never the same thing unless the key of one is a foreign key to the other's: then it is
a kind of the other, as a policy is an agreement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import sqlalchemy as sa

from trustuqa_neo4j.loader import Reading
from trustuqa_neo4j.triples import ClassDeclared, Declared, RelationDeclared

from .databases import Database
from .relational import Column, ForeignKey, Table

TYPE = "type"
"""The relation of a row to its table."""


@dataclass(frozen=True, slots=True)
class Link:
    """A foreign key that leads somewhere: the relation that says so, and the table it leads to."""

    relation: str
    key: ForeignKey
    target: Table


@dataclass
class Schema:
    """The tables that are loaded, with the relation of each column and the links of each table."""

    tables: list[Table]
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    links: dict[str, list[Link]] = field(default_factory=dict)

    def declared(self) -> Iterator[Declared]:
        """What the database says of its tables, columns and foreign keys."""
        yield from self._classes()
        yield from self._values()
        leading: dict[tuple[str, str], list[str]] = defaultdict(list)
        for table in self.tables:
            for link in self.links[table.name]:
                leading[link.relation, link.target.name].append(table.name)
        for (relation, target), names in leading.items():
            yield RelationDeclared(
                relation, domains=(tuple(names),), ranges=((target,),), values=False
            )

    def _classes(self) -> Iterator[ClassDeclared]:
        parents = {
            table.name: {
                link.target.name for link in self.links[table.name] if _is_kind(table, link)
            }
            for table in self.tables
        }
        together = {pair for name in parents for pair in combinations(_above(name, parents), 2)}
        for place, table in enumerate(self.tables):
            later = [each.name for each in self.tables[place + 1 :]]
            yield ClassDeclared(
                table.name,
                tuple(sorted(parents[table.name])),
                tuple(name for name in later if _pair(name, table.name) not in together),
                comment=table.comment,
            )

    def _values(self) -> Iterator[RelationDeclared]:
        having: dict[str, list[tuple[Table, Column]]] = defaultdict(list)
        for table in self.tables:
            for relation, column in zip(self.columns[table.name], table.columns, strict=True):
                if isinstance(column.type, sa.LargeBinary):
                    continue  # bytes are left out
                having[relation].append((table, column))
        for relation, found in having.items():
            kinds = {_datatype(column) for _, column in found}
            comments = dict.fromkeys(column.comment for _, column in found if column.comment)
            yield RelationDeclared(
                relation,
                domains=(tuple(dict.fromkeys(table.name for table, _ in found)),),
                values=True,
                datatypes=() if "" in kinds else tuple(sorted(kinds)),
                comment="; ".join(comments),
            )


def schema_of(database: Database, reading: Reading) -> Schema:
    """What is loaded of ``database``; what is not is remarked."""
    found = Schema([])
    names = _Names()
    for table in database.tables:
        if table.view:
            reading.remark("a view, passed over", table.name)
            continue
        if not table.key:
            what = "no primary key, so rows are known by their place"
            reading.remark(what, table.name)
        found.tables.append(table)
        found.columns[table.name] = tuple(names.of(column.name, table) for column in table.columns)
        found.links[table.name] = _links(table, database, reading)
        if any(column.name.casefold() == TYPE for column in table.columns):
            reading.remark(f"its column {TYPE!r} is called {table.name} {TYPE}", table.name)
    return found


@dataclass
class _Names:
    """Names of relations: one however a column is written, unless one table tells the two apart."""

    first: dict[str, str] = field(default_factory=dict)

    def of(self, column: str, table: Table) -> str:
        """The relation of a column of ``table``; ``type`` is that of rows to their tables."""
        name = " ".join(column.split()) or "column"
        if name.casefold() == TYPE:
            return f"{table.name} {name}"
        if sum(each.name.casefold() == column.casefold() for each in table.columns) > 1:
            return name
        return self.first.setdefault(name.casefold(), name)


def _links(table: Table, database: Database, reading: Reading) -> list[Link]:
    leading: list[tuple[ForeignKey, Table]] = []
    for key in table.foreign_keys:
        target = database.table(key.table)
        if target is table and _same(key.columns, key.referenced):
            continue  # it says that a row is itself
        where = f"{table.name} ({', '.join(key.columns)})"
        if target is None or target.view:
            reading.remark(f"a foreign key to {key.table}, which is not there", where)
        elif not (table.has(key.columns) and key.referenced and target.has(key.referenced)):
            reading.remark(f"a foreign key to columns that {target.name} does not have", where)
        else:
            leading.append((key, target))
    targets = [target.name for _, target in leading]
    return [
        Link(
            f"has {target.name}"
            + (f" ({', '.join(key.columns)})" if targets.count(target.name) > 1 else ""),
            key,
            target,
        )
        for key, target in leading
    ]


def _is_kind(table: Table, link: Link) -> bool:
    """Whether a row of ``table`` is told apart by which row of another it leads to."""
    return (
        link.target is not table
        and _same(table.key, link.key.columns)
        and _same(link.target.key, link.key.referenced)
    )


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return sorted(map(str.casefold, one)) == sorted(map(str.casefold, other))


def _above(name: str, parents: dict[str, set[str]]) -> list[str]:
    """A class and all that it is a kind of, sorted."""
    found = {name}
    left = [name]
    while left:
        new = parents[left.pop()] - found
        found |= new
        left += new
    return sorted(found)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _datatype(column: Column) -> str:
    """The kind of a column's values; none for text, in which people keep numbers and dates as well."""
    if isinstance(column.type, (sa.Integer, sa.Numeric)):
        return "number"
    return "date" if isinstance(column.type, (sa.Date, sa.DateTime)) else ""
