"""Format ``sql``: databases, and CSV files with or without table definitions.

A row has the name in its column ``name``, ``title`` or ``label``, else none, because generated keys answer
no question; its values and foreign keys are facts. The modules of the extra ``sql`` are imported when a file
is read, so that other formats work without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trustuqa_neo4j.errors import UnreadableDatabase, require_extra
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Declaration,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
)

from . import _inputs, _workbooks
from ._inputs import DATABASE_SUFFIXES, TABLE_DEFINITIONS, FileFilter
from ._record_labels import make_record_label
from ._text import PROGRESS_INTERVAL

if TYPE_CHECKING:
    from ._databases import Database
    from ._relational import ForeignKey, SqlColumn, SqlTable

TYPE_RELATION = "type"
"""The relation from a row to its table."""

# Tables as classes, columns and foreign keys as relations.


@dataclass(frozen=True, slots=True)
class TableLink:
    # A foreign key whose target is loaded.
    relation: str
    key: ForeignKey
    target: SqlTable


@dataclass
class DatabaseSchema:
    tables: list[SqlTable] = field(default_factory=list)
    relations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    links: dict[str, list[TableLink]] = field(default_factory=dict)

    def declare_terms(self) -> Iterator[Declaration]:
        yield from self._declare_classes()
        yield from self._declare_values()
        domains: dict[tuple[str, str], list[str]] = defaultdict(list)
        for table in self.tables:
            for link in self.links[table.name]:
                domains[link.relation, link.target.name].append(table.name)
        for (relation, target), names in domains.items():
            yield RelationDeclared(
                relation, domains=(tuple(names),), ranges=((target,),), values=False
            )

    def _declare_classes(self) -> Iterator[ClassDeclared]:
        # Tables are disjoint, except where the key of one is a foreign key to another.
        parents = {
            table.name: {
                link.target.name for link in self.links[table.name] if _is_subclass(table, link)
            }
            for table in self.tables
        }
        overlapping = {
            pair for name in parents for pair in combinations(_find_ancestors(name, parents), 2)
        }
        for index, table in enumerate(self.tables):
            later = [sibling.name for sibling in self.tables[index + 1 :]]
            yield ClassDeclared(
                table.name,
                tuple(sorted(parents[table.name])),
                tuple(
                    name
                    for name in later
                    if (min(name, table.name), max(name, table.name)) not in overlapping
                ),
                comment=table.comment,
            )

    def _declare_values(self) -> Iterator[RelationDeclared]:
        columns_of: dict[str, list[tuple[SqlTable, SqlColumn]]] = defaultdict(list)
        for table in self.tables:
            for relation, column in zip(self.relations[table.name], table.columns, strict=True):
                if not column.is_binary:
                    columns_of[relation].append((table, column))
        for relation, columns in columns_of.items():
            datatypes = {column.datatype for _, column in columns}
            comments = dict.fromkeys(column.comment for _, column in columns if column.comment)
            yield RelationDeclared(
                relation,
                domains=(tuple(dict.fromkeys(table.name for table, _ in columns)),),
                values=True,
                datatypes=() if "" in datatypes else tuple(sorted(datatypes)),
                comment="; ".join(comments),
            )


def derive_schema(database: Database, options: ReadOptions) -> DatabaseSchema:
    # Remarks on views and keys that are not loaded.
    schema = DatabaseSchema()
    spellings: dict[str, str] = {}
    for table in database.tables:
        if table.is_view:
            options.remark("view skipped", table.name)
            continue
        if not table.key:
            options.remark("no primary key, so rows are identified by their position", table.name)
        schema.tables.append(table)
        schema.relations[table.name] = tuple(
            _name_relation(column.name, table, spellings) for column in table.columns
        )
        schema.links[table.name] = _find_links(table, database, options)
        if any(column.name.casefold() == TYPE_RELATION for column in table.columns):
            what = f"its column {TYPE_RELATION!r} is called {table.name} {TYPE_RELATION}"
            options.remark(what, table.name)
    return schema


def _name_relation(column: str, table: SqlTable, spellings: dict[str, str]) -> str:
    # One relation for all spellings of a name, unless ``table`` has columns that differ in case
    # only.
    name = " ".join(column.split()) or "column"
    if name.casefold() == TYPE_RELATION:
        return f"{table.name} {name}"
    if sum(sibling.name.casefold() == column.casefold() for sibling in table.columns) > 1:
        return name
    return spellings.setdefault(name.casefold(), name)


def _find_links(table: SqlTable, database: Database, options: ReadOptions) -> list[TableLink]:
    usable: list[tuple[ForeignKey, SqlTable]] = []
    for key in table.foreign_keys:
        target = database.find_table(key.table)
        if target is table and _are_same_names(key.columns, key.referenced):
            continue  # each row would lead to itself
        where = f"{table.name} ({', '.join(key.columns)})"
        if target is None or target.is_view:
            options.remark(f"foreign key to {key.table}, which is not a table here", where)
        elif not (
            table.has_columns(key.columns) and key.referenced and target.has_columns(key.referenced)
        ):
            options.remark(f"foreign key to columns that {target.name} does not have", where)
        else:
            usable.append((key, target))
    targets = [target.name for _, target in usable]
    links = []
    for key, target in usable:
        columns = f" ({', '.join(key.columns)})" if targets.count(target.name) > 1 else ""
        links.append(TableLink(f"has {target.name}{columns}", key, target))
    return links


def _is_subclass(table: SqlTable, link: TableLink) -> bool:
    return (
        link.target is not table
        and _are_same_names(table.key, link.key.columns)
        and _are_same_names(link.target.key, link.key.referenced)
    )


def _are_same_names(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    return sorted(map(str.casefold, first)) == sorted(map(str.casefold, second))


def _find_ancestors(name: str, parents: dict[str, set[str]]) -> list[str]:
    # Includes the class itself.
    ancestors = {name}
    pending = [name]
    while pending:
        new = parents[pending.pop()] - ancestors
        ancestors |= new
        pending += new
    return sorted(ancestors)


# Rows as items: first all values, then the foreign keys. A foreign key may lead to a table that comes later,
# and tables may lead to each other in circles.

_KEY_SEPARATOR, _LINE_SEPARATOR = "\x1f", "\x1e"
_NAME_COLUMNS = ("name", "title", "label")


class _RowIdentity(NamedTuple):
    # The texts of a row's key, empty if its line identifies it.
    table: str
    key: tuple[str, ...]
    line: int

    @classmethod
    def make(cls, table: SqlTable, values: Sequence[Any], line: int) -> _RowIdentity:
        if None in values:
            return cls(table.name, (), line)
        texts = (
            bytes(value).hex() if _is_binary(value) else _workbooks.format_cell(value)
            for value in values
        )
        return cls(table.name, tuple(texts), line)

    def make_label(self) -> str:
        return make_record_label(self.table, *(self.key or (str(self.line),)))


def _find_row_name(row: Sequence[Any], indexes: Sequence[int]) -> str | None:
    texts = (row[index] for index in indexes)
    return next((text for text in texts if isinstance(text, str) and text.strip()), None)


@dataclass
class DatabaseItems:
    database: Database
    schema: DatabaseSchema
    options: ReadOptions
    files: Sequence[File]
    rows_read: int = 0
    binary_columns: set[str] = field(default_factory=set)

    def __iter__(self) -> Iterator[Item]:
        for index, table in enumerate(self.schema.tables):
            yield self._start_source(table)
            if index == 0:
                yield from self.schema.declare_terms()
            yield from self._read_values(table)
        if not self.rows_read:
            raise UnreadableDatabase(
                "no row in any of its tables",
                where=self.database.name,
                hint="check that this is the right database",
            )
        for table in self.schema.tables:
            if links := self.schema.links[table.name]:
                yield self._start_source(table)
                yield from self._read_links(table, links)

    def _start_source(self, table: SqlTable) -> SourceStart:
        return self.options.part(table.name, self.database.get_file_name(table), "kg")

    def _read_values(self, table: SqlTable) -> Iterator[Item]:
        relations = self.schema.relations[table.name]
        key_indexes = table.find_column_indexes(table.key)
        # ``customer_name`` of the tables customer and customers is a name too.
        table_name = normalize_name(table.name)
        names = (*_NAME_COLUMNS, f"{table_name} name", f"{table_name.removesuffix('s')} name")
        columns = [normalize_name(column.name) for column in table.columns]
        name_indexes = [columns.index(name) for name in dict.fromkeys(names) if name in columns]
        with closing(self.database.read_rows(table)) as rows:
            for line, row in rows:
                self._count_row()
                key_values = [row[index] for index in key_indexes]
                if None in key_values:
                    what = "NULL in the key, so the row is identified by its position"
                    self.options.remark(what, f"{self.database.get_file_name(table)}:{line}")
                identity = _RowIdentity.make(table, key_values, line)
                node = self._make_node_key(identity)
                yield NodeDeclared(
                    node, _find_row_name(row, name_indexes), label=identity.make_label()
                )
                yield Fact(node, TYPE_RELATION, table.name, line)
                for relation, column, value in zip(relations, table.columns, row, strict=True):
                    text = self._format_value(table, column, value)
                    if text is not None:
                        yield Fact(node, relation, text, line)

    def _read_links(self, table: SqlTable, links: Sequence[TableLink]) -> Iterator[Fact]:
        key_indexes = table.find_column_indexes(table.key)
        link_indexes = [table.find_column_indexes(link.key.columns) for link in links]
        targets = [(link.key, link.target) for link in links]
        with closing(self.database.read_rows(table, targets)) as rows:
            for line, row in rows:
                self._count_row()
                key_values = [row[index] for index in key_indexes]
                node = self._make_node_key(_RowIdentity.make(table, key_values, line))
                target_values = iter(row[len(table.columns) :])
                for link, indexes in zip(links, link_indexes, strict=True):
                    target_key = [next(target_values) for _ in link.target.key]
                    if any(row[index] is None for index in indexes):
                        continue
                    if None in target_key:
                        what = f"foreign key without a row in {link.target.name}"
                        self.options.remark(what, f"{self.database.get_file_name(table)}:{line}")
                        continue
                    target = self._make_node_key(_RowIdentity.make(link.target, target_key, 0))
                    yield Fact(node, link.relation, target, line)

    def _make_node_key(self, identity: _RowIdentity) -> str:
        source = self.options.source
        name = identity.table if source is None else f"{source}{_KEY_SEPARATOR}{identity.table}"
        if not identity.key:
            return f"{name}{_LINE_SEPARATOR}{identity.line}"
        return _KEY_SEPARATOR.join((name, *identity.key))

    def _format_value(self, table: SqlTable, column: SqlColumn, value: Any) -> str | None:
        if value is None:
            return None
        if _is_binary(value):
            place = f"{table.name}.{column.name}"
            if place not in self.binary_columns:
                self.binary_columns.add(place)
                self.options.remark("binary column skipped", place)
            return None
        # Our own SQLite database of CSV files keeps the texts of the files, other ones lose types.
        if self.database.engine.dialect.name == "sqlite" and not self.database.files:
            value = column.restore_type(value)
        return _workbooks.format_cell(value)

    def _count_row(self) -> None:
        # With files, progress is reported in bytes elsewhere.
        self.rows_read += 1
        if self.rows_read % PROGRESS_INTERVAL == 0 and self.files[0].address is not None:
            self.options.progress(self.files[0], self.rows_read)


def _is_binary(value: object) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview))


def read(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    with require_extra("formats", "databases need"):
        from ._databases import open_database
    with open_database(files, options) as database:
        yield from DatabaseItems(database, derive_schema(database, options), options, files)


def expand(folder: Path) -> Sequence[Path]:
    return _inputs.list_files(folder, _WANTED)


_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *TABLE_DEFINITIONS)
_WANTED = FileFilter(
    lambda path: path.lower().endswith(_SUFFIXES),
    "CSV file",
    f"known by their suffix are {' '.join(_SUFFIXES)}; give a database file by itself",
)

LOADER = Loader(
    name="sql",
    summary="databases: an address, a file of SQLite or DuckDB, CSV files with CREATE TABLE",
    kind="kg",
    read=read,
    expand=expand,
    addresses=True,
    aliases=("sqlite", "duckdb", "postgresql", "postgres", "mysql", "mariadb", "database"),
    suffixes=(*DATABASE_SUFFIXES, *TABLE_DEFINITIONS),
    reads=frozenset({"table"}),
)
