"""Parsed ``CREATE TABLE``, ``ALTER TABLE`` and ``COMMENT ON`` statements → tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import NullType, TypeEngine
from sqlglot import exp

from .relational import Column, ForeignKey, Table, named

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
"""sqlglot's types by name → SQLAlchemy's."""


@dataclass
class Defined:
    """Tables as far as the statements that were added define them."""

    tables: dict[str, Table] = field(default_factory=dict)

    def add(self, statement: exp.Expression) -> None:
        """Take in what one statement says; what it says of a table that is not defined is nothing."""
        if isinstance(statement, exp.Create) and isinstance(statement.this, exp.Schema):
            self._create(statement, statement.this)
        elif isinstance(statement, exp.Alter):
            self._change(statement.this.name, statement.args.get("actions") or ())
        elif isinstance(statement, exp.Comment):
            self._comment(statement)

    def all(self) -> tuple[Table, ...]:
        """The tables; a foreign key that names no columns leads to the primary key."""
        return tuple(
            replace(table, foreign_keys=tuple(self._complete(key) for key in table.foreign_keys))
            for table in self.tables.values()
        )

    def _complete(self, key: ForeignKey) -> ForeignKey:
        if key.referenced:
            return key
        other = self.tables.get(key.table.casefold())
        same = other is not None and len(other.key) == len(key.columns)
        return replace(key, referenced=other.key if other and same else key.columns)

    def _create(self, statement: exp.Create, schema: exp.Schema) -> None:
        name = schema.this.name
        columns = [each for each in schema.expressions if isinstance(each, exp.ColumnDef)]
        comment = statement.find(exp.SchemaCommentProperty)
        self.tables[name.casefold()] = Table(
            name,
            tuple(map(_column, columns)),
            comment=comment.this.name if comment else "",
        )
        for column in columns:
            for constraint in column.find_all(exp.ColumnConstraint):
                self._constrain(name, constraint.args["kind"], (column.name,))
        self._change(name, schema.expressions)

    def _change(self, name: str, actions: Iterable[exp.Expression]) -> None:
        for action in actions:
            if isinstance(action, (exp.AddConstraint, exp.Constraint)):
                self._change(name, action.expressions)
            else:
                self._constrain(name, action, ())

    def _constrain(self, name: str, said: exp.Expression, columns: tuple[str, ...]) -> None:
        table = self.tables.get(name.casefold())
        if table is None:
            return
        if isinstance(said, (exp.PrimaryKey, exp.PrimaryKeyColumnConstraint)):
            key = _named(table, _names(said.expressions) or columns)
            self.tables[name.casefold()] = replace(table, key=key)
        reference = said if isinstance(said, exp.Reference) else said.args.get("reference")
        if isinstance(said, (exp.ForeignKey, exp.Reference)) and reference is not None:
            here = _named(table, columns or _names(said.expressions))
            added = ForeignKey(here, *_referenced(reference.this))
            keys = sorted({*table.foreign_keys, added}, key=lambda key: (key.columns, key.table))
            self.tables[name.casefold()] = replace(table, foreign_keys=tuple(keys))

    def _comment(self, statement: exp.Comment) -> None:
        said, about = statement.args["expression"].name, statement.this
        column = isinstance(about, exp.Column)
        name = (about.table if column else about.name).casefold()
        table = self.tables.get(name)
        if table is None:
            return
        if not column:
            self.tables[name] = replace(table, comment=said)
            return
        columns = tuple(
            replace(each, comment=said) if each.name.casefold() == about.name.casefold() else each
            for each in table.columns
        )
        self.tables[name] = replace(table, columns=columns)


def _column(told: exp.ColumnDef) -> Column:
    comment = told.find(exp.CommentColumnConstraint)
    null = told.find(exp.NotNullColumnConstraint)
    return Column(
        told.name,
        _type(told.args.get("kind")),
        null is None or bool(null.args.get("allow_null")),
        comment.this.name if comment else "",
    )


def _type(told: exp.DataType | None) -> TypeEngine[Any]:
    if told is None or not isinstance(told.this, exp.DataType.Type):
        return NullType()
    made = _TYPES.get(told.this.name, NullType)()
    if type(made) is sa.Numeric and made.precision is None:
        digits = [int(each.name) for each in told.expressions if each.name.isdecimal()]
        return sa.Numeric(digits[0], (*digits, 0)[1]) if digits else made
    return made


def _named(table: Table, names: tuple[str, ...]) -> tuple[str, ...]:
    """``names`` as the columns of ``table`` are written."""
    found = ((named(table.columns, name), name) for name in names)
    return tuple(column.name if column else name for column, name in found)


def _names(told: Iterable[exp.Expression]) -> tuple[str, ...]:
    """The columns of a key, without their order; a list may stand in brackets of its own."""
    names: list[str] = []
    for each in told:
        names += _names(each.expressions) if isinstance(each, exp.Tuple) else [_bare(each)]
    return tuple(names)


def _bare(told: exp.Expression) -> str:
    return told.this.name if isinstance(told, exp.Ordered) else told.name


def _referenced(told: exp.Expression) -> tuple[str, tuple[str, ...]]:
    if isinstance(told, exp.Schema):
        return told.this.name, _names(told.expressions)
    return told.name, ()
