"""The triples that an R2RML mapping makes of a database, in the order of its triples maps and their rows.

``LogicalTables`` reads the rows, a ``TermBuilder`` makes the terms of a row, ``TripleGenerator`` the
triples. A query has no order of its own: its rows are held in memory and sorted, so that each reading gives
the same order.
"""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

import sqlalchemy as sa
import sqlglot
from sqlalchemy.types import TypeEngine
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError

from trustuqa_neo4j.errors import UnreadableDatabase, UnreadableFile, format_list
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.matching.similarity import suggest_names
from trustuqa_neo4j.wording import CallOption

from ._databases import Database
from ._ddl import sqlglot_warnings_off
from ._r2rml_mapping import (
    R2rmlMapping,
    ReferencingObjectMap,
    TermMap,
    TermType,
    TriplesMap,
    unquote_identifier,
)
from ._rdf import NAMED_GRAPH, TYPE, RdfStatement, is_blank, local_name
from ._relational import SqlTable
from ._text import without_reports

# Queries of a mapping: checked, and adapted to the dialect of the database.

_DIALECTS = ("", "mysql", "postgres", "tsql", "oracle", "snowflake", "bigquery", "spark")
"""sqlglot's names of the dialects in which a query may be written, in the order of trial."""

_SQLGLOT_NAMES = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql"}

QUERY_SECONDS = 60.0
QUERY_ROWS = 5_000_000


def _parse_query(query: str, dialect: str) -> exp.Query | exp.Values | None:
    """Parse ``query``; None unless it is exactly one statement, and this one only reads.

    Raises:
        SqlglotError, ValueError: it is not of this dialect.
    """
    statements = [
        statement
        for statement in sqlglot.parse(query, read=dialect)
        if statement is not None and not isinstance(statement, exp.Semicolon)
    ]
    if len(statements) != 1 or not isinstance(statements[0], exp.Query | exp.Values):
        return None
    # sqlglot does not mark this class as its own.
    changes = exp.DML  # pyright: ignore[reportPrivateImportUsage]
    return None if statements[0].find(changes, exp.DDL, exp.Into, exp.Command) else statements[0]


def _translate_query(query: str, dialect: str) -> Iterator[str]:
    tried = {query}
    for source in _DIALECTS:
        try:
            tree = _parse_query(query, source)
        except (SqlglotError, ValueError):
            continue
        if tree is None:
            continue
        # The database reports what is wrong.
        translation = tree.sql(dialect, unsupported_level=ErrorLevel.IGNORE)
        if translation not in tried:
            tried.add(translation)
            yield translation


def _divide_exactly(query: str, tables: Sequence[SqlTable]) -> str:
    # CSV files keep decimals as text, which SQLite divides as integers if it has no decimal point.
    # So 16000/12 becomes 1333.33 unless all columns in the division are integers.
    if "/" not in query:
        return query
    try:
        tree = sqlglot.parse_one(query, read="sqlite")
    except (SqlglotError, ValueError):
        return query  # another dialect, or wrong: the database reports it
    columns = [column for table in tables for column in table.columns]
    integers = {column.name.casefold() for column in columns} - {
        column.name.casefold() for column in columns if not isinstance(column.type, sa.Integer)
    }
    divisions = [
        division
        for division in tree.find_all(exp.Div)
        if any(column.name.casefold() not in integers for column in division.find_all(exp.Column))
    ]
    for division in divisions:
        division.set("this", exp.cast(division.this.copy(), "REAL"))
    return tree.sql(dialect="sqlite") if divisions else query


# Terms: templates filled in, values in the form of R2RML's natural mapping, except that numbers have no
# exponent: people read and search 80.25 rather than 8.025E1.

_ENCODED_IN_IRI = re.compile(r"[^\w.~\-\u00a0-\U000efffd]|[\ue000-\uf8ff]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FORBIDDEN_IN_IRI = re.compile(r"[\x00-\x20<>\"{}|\\^`]")
_DATE_AND_TIME = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")

Row: TypeAlias = Sequence[Any]


class TermError(ValueError):
    pass


class Term(NamedTuple):
    term_type: TermType
    text: str
    language: str | None = None


TermBuilder: TypeAlias = Callable[[Row], Sequence[Term]]
"""Row → its terms: none where a value is NULL, several from a join."""


class ColumnPosition(NamedTuple):
    position: int
    type: TypeEngine[Any] | None = None


def make_term_builder(
    term_map: TermMap, columns: Mapping[str, ColumnPosition], base: str
) -> TermBuilder:
    term_type, language = term_map.term_type, term_map.language
    if term_map.constant is not None:
        constant = (Term(term_type, term_map.constant, language),)
        return lambda _row: constant
    format_row: Callable[[Row], str | None]
    if term_map.template is not None:
        format_row = _make_template_formatter(term_map, columns)
    else:
        index, sql_type = columns[term_map.column or ""]

        def format_cell(row: Row) -> str | None:
            return format_lexical(row[index], sql_type)

        format_row = format_cell

    def build(row: Row) -> Sequence[Term]:
        text = format_row(row)
        if text is None:
            return ()
        if term_type == "iri":
            text = resolve_iri(text, base)
        return (Term(term_type, text, language),)

    return build


def _make_template_formatter(
    term_map: TermMap, columns: Mapping[str, ColumnPosition]
) -> Callable[[Row], str | None]:
    assert term_map.template is not None
    start, *texts = term_map.template.texts
    slots = [
        (columns[name], text) for name, text in zip(term_map.template.columns, texts, strict=True)
    ]
    encode = encode_for_iri if term_map.term_type == "iri" else str

    def format_row(row: Row) -> str | None:
        pieces = [start]
        for column, text in slots:
            value = format_lexical(row[column.position], column.type)
            if value is None:
                return None
            pieces += (encode(value), text)
        return "".join(pieces)

    return format_row


def encode_for_iri(value: str) -> str:
    return _ENCODED_IN_IRI.sub(lambda match: quote(match[0], safe=""), value)


def resolve_iri(text: str, base: str) -> str:
    iri = text if _SCHEME.match(text) else base + text
    forbidden = _FORBIDDEN_IN_IRI.search(iri)
    if forbidden:
        raise TermError(f"{text[:100]!r} is not an IRI: it contains {forbidden[0]!r}")
    return iri


def format_lexical(value: Any, sql_type: TypeEngine[Any] | None = None) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        is_time = isinstance(sql_type, sa.DateTime)
        return _DATE_AND_TIME.sub(r"\1T\2", value) if is_time else value
    if isinstance(value, bool) or (isinstance(value, int) and isinstance(sql_type, sa.Boolean)):
        return "true" if value else "false"
    if isinstance(value, float):
        return _format_float(value, sql_type)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex().upper()
    return str(value)


def _format_float(value: float, sql_type: TypeEngine[Any] | None) -> str:
    # Without an exponent, and without the digits that only come from binary fractions.
    text = format(value, ".15g")
    if not text.lstrip("-")[:1].isdigit():
        return {"nan": "NaN", "inf": "INF", "-inf": "-INF"}[text]
    number = Decimal(text)
    scale = None if isinstance(sql_type, sa.Float) else getattr(sql_type, "scale", None)
    if scale is not None:  # a decimal that the database stores as a float
        rounded = number.quantize(Decimal(1).scaleb(-scale))
        number = rounded if rounded == number else number
    return format(number, "f")


# Logical tables.

_LAST_PART = re.compile(r'("(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[^."`\[\]]*)\s*$')


@dataclass(frozen=True, slots=True)
class LogicalRows:
    file: str
    columns: dict[str, ColumnPosition]
    read: Callable[[], Iterator[tuple[int, Row]]]


class _RowSource(NamedTuple):
    file: str
    names: Sequence[str]
    types: Sequence[TypeEngine[Any] | None]
    read: Callable[[], Iterator[tuple[int, Row]]]


class LogicalTables:
    def __init__(self, database: Database, mapping_file: str, options: ReadOptions) -> None:
        self._database = database
        self._mapping_file = mapping_file
        self._options = options
        self._tables: dict[str, SqlTable] = {}
        self._query_results: dict[str, tuple[list[str], list[Row]]] = {}

    def open_rows(self, triples_map: TriplesMap, needed: Sequence[tuple[str, int]]) -> LogicalRows:
        # ``needed`` are names of columns and their lines in the mapping.
        is_query = triples_map.logical_table.table is None
        source = (self._open_query if is_query else self._open_table)(triples_map)
        columns = {}
        for name, line in needed:
            if source.names:
                index = self._find_column(name, source.names, line)
                columns[name] = ColumnPosition(index, source.types[index])
            else:  # of a query without rows the columns are unknown
                columns[name] = ColumnPosition(0)
        return LogicalRows(source.file, columns, source.read)

    def _open_table(self, triples_map: TriplesMap) -> _RowSource:
        name = triples_map.logical_table.table or ""
        if name not in self._tables:
            self._tables[name] = self._find_table(name, triples_map.logical_table.line)
        table = self._tables[name]
        return _RowSource(
            self._database.get_file_name(table),
            [column.name for column in table.columns],
            [column.type for column in table.columns],
            lambda: self._database.read_rows(table),
        )

    def _find_table(self, name: str, line: int) -> SqlTable:
        # Catalogue and schema before the name are ignored if no table has the whole name.
        where = f"{self._mapping_file}:{line}"
        full_name = unquote_identifier(name)
        last_part = _LAST_PART.search(name)
        short_name = unquote_identifier(last_part[1]) if last_part else full_name
        table = self._database.find_table(full_name) or self._database.find_table(short_name)
        if table is None:
            raise UnreadableFile(
                f"no table {name!r} in {self._database.name}",
                where=where,
                hint=_suggest(short_name, [table.name for table in self._database.tables]),
            )
        if table.name.casefold() != full_name.casefold():
            what = "catalogue and schema before the name of a table are ignored"
            self._options.remark(what, where)
        return table

    def _open_query(self, triples_map: TriplesMap) -> _RowSource:
        query, line = triples_map.logical_table.query or "", triples_map.logical_table.line
        if query not in self._query_results:
            self._query_results[query] = self._run_query(query, f"{self._mapping_file}:{line}")
        names, rows = self._query_results[query]
        rule = str(line) if is_blank(triples_map.iri) else local_name(triples_map.iri)
        file = f"{self._mapping_file}#{rule}"
        return _RowSource(file, names, [None] * len(names), lambda: iter(enumerate(rows, 1)))

    def _run_query(self, query: str, where: str) -> tuple[list[str], list[Row]]:
        """Return columns and sorted rows of ``query``; if it fails, of its translation.

        Raises:
            UnreadableFile
        """
        name = self._database.engine.dialect.name
        dialect = _SQLGLOT_NAMES.get(name, name)
        dialect = dialect if Dialect.get(dialect) else ""
        with sqlglot_warnings_off():
            try:
                tree = _parse_query(query, dialect)
            except (SqlglotError, ValueError) as error:
                failure = str(error).splitlines()[0]
            else:
                if tree is None:
                    raise UnreadableFile(
                        "the query may change data, or is more than one statement",
                        where=where,
                        hint="it has to be a single SELECT",
                    )
                # Of a server the driver may run several statements: it gets what was parsed, not the text.
                text = query if name in ("sqlite", "duckdb") else tree.sql(dialect)
                try:
                    return self._fetch(text, where)
                except UnreadableDatabase as error:
                    failure = error.what
            for translation in _translate_query(query, dialect):
                try:
                    result = self._fetch(translation, where)
                except UnreadableDatabase:
                    continue
                self._options.remark("query translated from another SQL dialect", where)
                return result
        raise UnreadableFile(
            f"its query fails: {failure}",
            where=where,
            hint="check that its tables and columns exist",
        )

    def _fetch(self, query: str, where: str) -> tuple[list[str], list[Row]]:
        if self._database.files:
            query = _divide_exactly(query, self._database.tables)
        # SQLAlchemy would take a colon for the start of a parameter.
        text = query.strip().rstrip(";").replace(":", r"\:")
        names: list[str] = []
        rows: list[Row] = []
        try:
            for row in self._database.fetch(sa.text(text), QUERY_SECONDS):
                names = names or list(row._fields)
                rows.append(tuple(row))
                if len(rows) > QUERY_ROWS:
                    raise _query_limit_error(f"gives more than {QUERY_ROWS:,} rows", where)
        except TimeoutError:
            raise _query_limit_error(f"takes longer than {QUERY_SECONDS:g} s", where) from None
        return names, sorted(rows, key=_sort_key)

    def _find_column(self, quoted_name: str, names: Sequence[str], line: int) -> int:
        name = unquote_identifier(quoted_name)
        indexes = [index for index, column in enumerate(names) if column == name] or [
            index for index, column in enumerate(names) if column.casefold() == name.casefold()
        ]
        if len(indexes) != 1:
            what = f"several columns {name!r}" if indexes else f"no column {name!r}"
            raise UnreadableFile(
                f"{what} in the logical table",
                where=f"{self._mapping_file}:{line}",
                hint=_suggest(name, names),
            )
        return indexes[0]


def _query_limit_error(what: str, where: str) -> UnreadableFile:
    hint = "select fewer rows, or make a table of the result and name the table"
    return UnreadableFile(f"its query {what}", where=where, hint=hint)


def _sort_key(row: Row) -> tuple[tuple[int, Any], ...]:
    # NULL, then numbers, then texts.
    return tuple(
        (0, 0) if value is None
        else (1, value) if isinstance(value, int | float | Decimal)
        else (2, str(value))
        for value in row
    )  # fmt: skip


def _suggest(name: str, names: Sequence[str]) -> str:
    if similar := suggest_names(name, names):
        return f"similar names: {', '.join(similar)}"
    return f"there are {format_list(names, 10)}"


# Triples.

_HINT = (
    f"check the values of the column; {CallOption.SKIP_BAD.with_value('N')} skips up to N bad rows"
)


class MappedTriple(NamedTuple):
    """The line of ``statement`` is a line of ``file``; ``repair`` describes the change of a repair."""

    file: str
    statement: RdfStatement
    repair: str = ""


class _TermSource(NamedTuple):
    build: TermBuilder
    repair: str


class TripleGenerator:
    def __init__(self, mapping: R2rmlMapping, tables: LogicalTables, options: ReadOptions) -> None:
        self._mapping = mapping
        self._tables = tables
        self._options = options

    def without_reports(self) -> TripleGenerator:
        return TripleGenerator(self._mapping, self._tables, without_reports(self._options))

    def check(self) -> None:
        # A missing table or column is an error before any row is read.
        for triples_map in self._mapping.triples_maps.values():
            self._open_rows(triples_map)
            for reference in triples_map.references:
                if reference.joins:
                    self._open_parent_rows(reference)

    def __iter__(self) -> Iterator[MappedTriple]:
        for triples_map in self._mapping.triples_maps.values():
            if triples_map.has_graphs:
                where = f"{self._mapping.file}:{triples_map.line}"
                self._options.remark(NAMED_GRAPH, where)
            yield from self.map_rows(triples_map)

    def map_rows(
        self, triples_map: TriplesMap, accepts: Callable[[TermMap], bool] | None = None
    ) -> Iterator[MappedTriple]:
        # With ``accepts`` only triples whose predicates it accepts.
        rows = self._open_rows(triples_map)
        subject = self._make_term_source(triples_map.subject, rows)
        pairs = [
            (self._make_term_source(predicate, rows), self._make_term_source(item, rows))
            for pair in triples_map.predicate_objects
            for predicate in pair.predicates
            if accepts is None or accepts(predicate)
            for item in pair.objects
        ]
        classes = [] if accepts else [Term("iri", iri) for iri in triples_map.classes]
        if not pairs and not classes:
            return
        for line, row in rows.read():
            try:
                triples = list(self._map_row(row, subject, pairs, classes))
            except TermError as error:
                self._options.malformed(str(error), f"{rows.file}:{line}", _HINT)
                continue
            for head, predicate, tail, repair in triples:
                statement = RdfStatement(
                    line,
                    head,
                    predicate,
                    self._make_node_key(tail),
                    tail.term_type == "literal",
                    tail.language,
                )
                yield MappedTriple(rows.file, statement, repair)

    def _map_row(
        self,
        row: Row,
        subject: _TermSource,
        pairs: Sequence[tuple[_TermSource, _TermSource]],
        classes: Sequence[Term],
    ) -> Iterator[tuple[str, str, Term, str]]:
        for head in map(self._make_node_key, subject.build(row)):
            for class_term in classes:
                yield head, TYPE, class_term, subject.repair
            for predicates, objects in pairs:
                for predicate in predicates.build(row):
                    for tail in objects.build(row):
                        yield head, predicate.text, tail, subject.repair or objects.repair

    def _make_term_source(
        self, item: TermMap | ReferencingObjectMap, rows: LogicalRows
    ) -> _TermSource:
        base = self._mapping.base
        if isinstance(item, TermMap):
            return _TermSource(make_term_builder(item, rows.columns, base), item.repair)
        parent = self._mapping.triples_maps[item.parent].subject
        if item.joins:
            return _TermSource(self._make_join_builder(item, parent, rows), parent.repair)
        return _TermSource(make_term_builder(parent, rows.columns, base), parent.repair)

    def _make_join_builder(
        self, reference: ReferencingObjectMap, parent: TermMap, rows: LogicalRows
    ) -> TermBuilder:
        # NULL equals no value.
        parent_rows = self._open_parent_rows(reference)
        build_parent = make_term_builder(parent, parent_rows.columns, self._mapping.base)
        parent_columns = [parent_rows.columns[name] for _, name in reference.joins]
        child_columns = [rows.columns[name] for name, _ in reference.joins]
        subjects: defaultdict[tuple[str | None, ...], dict[Term, None]] = defaultdict(dict)
        for line, row in parent_rows.read():
            values = _read_join_values(row, parent_columns)
            try:
                terms = build_parent(row)
            except TermError as error:
                self._options.malformed(str(error), f"{parent_rows.file}:{line}", _HINT)
                continue
            if None not in values:
                subjects[values] |= dict.fromkeys(terms)
        return lambda row: tuple(subjects.get(_read_join_values(row, child_columns), ()))

    def _open_parent_rows(self, reference: ReferencingObjectMap) -> LogicalRows:
        parent = self._mapping.triples_maps[reference.parent]
        return self._open_rows(parent, [(name, reference.line) for _, name in reference.joins])

    def _open_rows(
        self, triples_map: TriplesMap, joined: Sequence[tuple[str, int]] = ()
    ) -> LogicalRows:
        needed = [
            (name, term_map.line) for term_map in triples_map.term_maps for name in term_map.columns
        ]
        for reference in triples_map.references:
            names = [child for child, _ in reference.joins]
            if not names:
                names = [*self._mapping.triples_maps[reference.parent].subject.columns]
            needed += [(name, reference.line) for name in names]
        return self._tables.open_rows(triples_map, [*needed, *joined])

    def _make_node_key(self, term: Term) -> str:
        # The label of a blank node is unique in one mapping only.
        if term.term_type != "blank" or is_blank(term.text):
            return term.text
        return f"_:{term.text}@{self._mapping.file}"


def _read_join_values(row: Row, columns: Sequence[ColumnPosition]) -> tuple[str | None, ...]:
    return tuple(format_lexical(row[column.position], column.type) for column in columns)
