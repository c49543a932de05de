"""Tables from ``CREATE TABLE``, ``ALTER TABLE`` and ``COMMENT ON`` statements in any dialect.

sqlglot parses single statements; they are split here, because those of SQL Server need no semicolons. Of
several dialects the first is used that can parse the whole file.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.types import NullType, TypeEngine
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions

from ._relational import ForeignKey, SqlColumn, SqlTable, sort_foreign_keys
from ._text import open_lines

_TYPES: dict[str, Callable[[], TypeEngine[Any]]] = {
    **dict.fromkeys(("INT", "UINT", "MEDIUMINT", "SERIAL"), sa.Integer),
    **dict.fromkeys(("BIGINT", "UBIGINT", "INT128", "INT256", "BIGSERIAL"), sa.BigInteger),
    **dict.fromkeys(("SMALLINT", "USMALLINT", "TINYINT", "UTINYINT", "SMALLSERIAL"), sa.SmallInteger),
    **dict.fromkeys(("DECIMAL", "UDECIMAL", "BIGDECIMAL", "DECFLOAT"), sa.Numeric),
    **dict.fromkeys(("MONEY", "SMALLMONEY"), lambda: sa.Numeric(19, 4)),
    **dict.fromkeys(("FLOAT", "DOUBLE", "UDOUBLE"), sa.Double),
    **dict.fromkeys(("DATE", "DATE32"), sa.Date),
    **dict.fromkeys(
        ("DATETIME", "DATETIME2", "SMALLDATETIME", "DATETIME64", "TIMESTAMP", "TIMESTAMPTZ",
         "TIMESTAMPLTZ", "TIMESTAMPNTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), sa.DateTime,
    ),
    **dict.fromkeys(("TIME", "TIMETZ"), sa.Time),
    **dict.fromkeys(("BIT", "BOOLEAN"), sa.Boolean),
    **dict.fromkeys(
        ("BINARY", "VARBINARY", "BLOB", "LONGBLOB", "MEDIUMBLOB", "TINYBLOB", "IMAGE"), sa.LargeBinary
    ),
    **dict.fromkeys(("JSON", "JSONB"), sa.JSON),
    **dict.fromkeys(
        ("CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "BPCHAR", "NAME", "TEXT", "LONGTEXT", "MEDIUMTEXT",
         "TINYTEXT", "XML", "ENUM", "UUID"), sa.String,
    ),
}  # fmt: skip

_DIALECTS = ("", "tsql", "postgres", "mysql", "sqlite", "oracle", "duckdb", "snowflake", "bigquery")

_STATEMENT_START = re.compile(
    r"create (or|table|temp\w*|global|unlogged|external|transient|view|unique|index|\w+ (table|index))\b"
    r"|alter table\b|comment on\b|insert into\b|drop \w+\b|go\b|use\b",
)
_DEFINITION = re.compile(
    r"create (or replace )?(\w+ )?table\b|alter table\b.*\badd\b|comment on (table|column)\b",
    re.DOTALL,
)
_CLUSTERED = re.compile(r"\b(primary\s+key|unique)\s+(?:non)?clustered\b", re.IGNORECASE)
"""How SQL Server stores a key; sqlglot cannot parse it everywhere."""


def read_definitions(files: Sequence[File], options: ReadOptions) -> tuple[SqlTable, ...]:
    definitions = _TableDefinitions()
    for file in files:
        tables_before = len(definitions.tables)
        for statement, parsed in _parse_file(file, options):
            if parsed is None:
                where = f"{file.name}:{statement.line}"
                options.remark("statement that defines no table, skipped", where)
            else:
                definitions.add(parsed)
        if len(definitions.tables) == tables_before:
            options.remark("no table definition in this file", file.name)
    return definitions.complete_tables()


# Text → statements.


class _SqlStatement(NamedTuple):
    text: str
    line: int


_ParsedStatement = tuple[_SqlStatement, "exp.Expr | None"]
"""None: the statement defines no table."""


def _parse_file(file: File, options: ReadOptions) -> list[_ParsedStatement]:
    with open_lines(file, options) as lines:
        text = "".join(lines)
    failures: list[tuple[int, UnreadableFile]] = []
    for dialect in _DIALECTS:
        try:
            return list(_parse_statements(text, dialect, file))
        except UnreadableFile as error:
            failures.append((int(error.where.rpartition(":")[2]), error))
    raise max(failures, key=lambda failure: failure[0])[1]  # of the dialect that came farthest


def _parse_statements(text: str, dialect: str, file: File) -> Iterator[_ParsedStatement]:
    for statement in _split_statements(text, dialect, file):
        normalized = re.sub(r"\s+", " ", statement.text).lower()
        if not _DEFINITION.match(normalized):
            if normalized != "go":
                yield statement, None
            continue
        plain = _CLUSTERED.sub(r"\1", statement.text)
        try:
            with sqlglot_warnings_off():
                parsed: Any = Dialect.get_or_raise(dialect).parse(plain)[0]
        except SqlglotError as error:
            raise _syntax_error(error, file, statement) from None
        if isinstance(parsed, exp.Command):  # sqlglot's fallback for what it cannot parse
            raise _syntax_error(None, file, statement)
        yield statement, parsed


def _split_statements(text: str, dialect: str, file: File) -> Iterator[_SqlStatement]:
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(text)
    except SqlglotError as error:
        raise _syntax_error(error, file, _SqlStatement(text, 1)) from None
    first, depth, after_semicolon = None, 0, False
    for index, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        is_start = first is None or after_semicolon
        if not is_start and depth == 0:
            words = " ".join(following.text.lower() for following in tokens[index : index + 3])
            is_start = bool(_STATEMENT_START.match(words))
        if is_start:
            if first is not None:
                yield _SqlStatement(text[first.start : token.start].rstrip("; \r\n\t"), first.line)
            first = token
            depth = 0
        after_semicolon = token.text == ";"
    if first is not None:
        yield _SqlStatement(text[first.start :].rstrip("; \r\n\t"), first.line)


def _syntax_error(
    error: SqlglotError | None, file: File, statement: _SqlStatement
) -> UnreadableFile:
    details = getattr(error, "errors", None) or [{}]
    what = details[0].get("description") or "unknown statement"
    line = statement.line + (details[0].get("line") or 1) - 1
    return UnreadableFile(
        f"its SQL cannot be parsed: {what}",
        where=f"{file.name}:{line}",
        hint="give CREATE TABLE statements in the SQL dialect of one database",
    )


@contextmanager
def sqlglot_warnings_off() -> Iterator[None]:
    # What sqlglot warns of is an error of its callers.

    def reject(_record: logging.LogRecord) -> bool:
        return False

    logger = logging.getLogger("sqlglot")
    logger.addFilter(reject)
    try:
        yield
    finally:
        logger.removeFilter(reject)


# Statements → tables.


@dataclass
class _TableDefinitions:
    tables: dict[str, SqlTable] = field(default_factory=dict)

    def add(self, statement: exp.Expr) -> None:
        # Changes of a table that is not defined are ignored.
        if isinstance(statement, exp.Create) and isinstance(statement.this, exp.Schema):
            self._create_table(statement, statement.this)
        elif isinstance(statement, exp.Alter):
            self._add_constraints(statement.this.name, statement.args.get("actions") or ())
        elif isinstance(statement, exp.Comment):
            self._add_comment(statement)

    def complete_tables(self) -> tuple[SqlTable, ...]:
        # A foreign key without target columns references the primary key.
        return tuple(
            replace(table, foreign_keys=tuple(map(self._complete_key, table.foreign_keys)))
            for table in self.tables.values()
        )

    def _complete_key(self, key: ForeignKey) -> ForeignKey:
        if key.referenced:
            return key
        target = self.tables.get(key.table.casefold())
        fits = target is not None and len(target.key) == len(key.columns)
        return replace(key, referenced=target.key if target and fits else key.columns)

    def _create_table(self, statement: exp.Create, schema: exp.Schema) -> None:
        name = schema.this.name
        columns = [part for part in schema.expressions if isinstance(part, exp.ColumnDef)]
        comment = statement.find(exp.SchemaCommentProperty)
        self.tables[name.casefold()] = SqlTable(
            name,
            tuple(map(_build_column, columns)),
            comment=comment.this.name if comment else "",
        )
        for column in columns:
            for constraint in column.find_all(exp.ColumnConstraint):
                self._add_constraint(name, constraint.args["kind"], (column.name,))
        self._add_constraints(name, schema.expressions)

    def _add_constraints(self, name: str, actions: Iterable[exp.Expr]) -> None:
        for action in actions:
            if isinstance(action, (exp.AddConstraint, exp.Constraint)):
                self._add_constraints(name, action.expressions)
            else:
                self._add_constraint(name, action, ())

    def _add_constraint(self, name: str, constraint: exp.Expr, columns: tuple[str, ...]) -> None:
        table = self.tables.get(name.casefold())
        if table is None:
            return
        if isinstance(constraint, (exp.PrimaryKey, exp.PrimaryKeyColumnConstraint)):
            key = _spell_as_columns(table, _list_column_names(constraint.expressions) or columns)
            self.tables[name.casefold()] = replace(table, key=key)
        reference = (
            constraint
            if isinstance(constraint, exp.Reference)
            else constraint.args.get("reference")
        )
        if isinstance(constraint, (exp.ForeignKey, exp.Reference)) and reference is not None:
            names = _spell_as_columns(table, columns or _list_column_names(constraint.expressions))
            foreign_key = ForeignKey(names, *_parse_reference(reference.this))
            keys = sort_foreign_keys({*table.foreign_keys, foreign_key})
            self.tables[name.casefold()] = replace(table, foreign_keys=keys)

    def _add_comment(self, statement: exp.Comment) -> None:
        comment, subject = statement.args["expression"].name, statement.this
        is_column = isinstance(subject, exp.Column)
        name = (subject.table if is_column else subject.name).casefold()
        table = self.tables.get(name)
        if table is None:
            return
        if is_column:
            columns = tuple(
                replace(column, comment=comment)
                if column.name.casefold() == subject.name.casefold()
                else column
                for column in table.columns
            )
            self.tables[name] = replace(table, columns=columns)
        else:
            self.tables[name] = replace(table, comment=comment)


def _build_column(definition: exp.ColumnDef) -> SqlColumn:
    comment = definition.find(exp.CommentColumnConstraint)
    return SqlColumn(
        definition.name,
        _convert_type(definition.args.get("kind")),
        comment.this.name if comment else "",
    )


def _convert_type(datatype: exp.DataType | None) -> TypeEngine[Any]:
    if datatype is None or not isinstance(datatype.this, exp.DataType.Type):
        return NullType()
    sql_type = _TYPES.get(datatype.this.name, NullType)()
    if type(sql_type) is sa.Numeric and sql_type.precision is None:
        digits = [int(size.name) for size in datatype.expressions if size.name.isdecimal()]
        return sa.Numeric(digits[0], (*digits, 0)[1]) if digits else sql_type
    return sql_type


def _spell_as_columns(table: SqlTable, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column.name if (column := table.find_column(name)) else name for name in names)


def _list_column_names(parts: Iterable[exp.Expr]) -> tuple[str, ...]:
    # An entry may have a sort order, and brackets may be nested.
    names: list[str] = []
    for part in parts:
        if isinstance(part, exp.Tuple):
            names += _list_column_names(part.expressions)
        else:
            names.append(part.this.name if isinstance(part, exp.Ordered) else part.name)
    return tuple(names)


def _parse_reference(target: exp.Expr) -> tuple[str, tuple[str, ...]]:
    if isinstance(target, exp.Schema):
        return target.this.name, _list_column_names(target.expressions)
    return target.name, ()
