"""The tables of an open database, as its own catalogue has them.

DuckDB is asked in its own way: what SQLAlchemy's dialect for it asks are tables of PostgreSQL that it lacks.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.types import NullType, TypeEngine

from .relational import Column, ForeignKey, Table

_DUCKDB_TYPES: dict[str, type[TypeEngine[Any]]] = {
    "BIGINT": sa.BigInteger, "INTEGER": sa.Integer, "SMALLINT": sa.SmallInteger,
    "TINYINT": sa.SmallInteger, "HUGEINT": sa.BigInteger, "UBIGINT": sa.BigInteger,
    "UINTEGER": sa.Integer, "USMALLINT": sa.Integer, "UTINYINT": sa.SmallInteger,
    "DECIMAL": sa.Numeric, "DOUBLE": sa.Double, "FLOAT": sa.Float, "DATE": sa.Date, "TIME": sa.Time,
    "TIMESTAMP": sa.DateTime, "BOOLEAN": sa.Boolean, "VARCHAR": sa.String, "UUID": sa.Uuid,
    "BLOB": sa.LargeBinary, "JSON": sa.JSON,
}  # fmt: skip

_IN_DUCKDB = """
SELECT t.kind, t.schema_name, t.name, t.comment, to_json(list({
  'name': c.column_name, 'type': c.data_type, 'nullable': c.is_nullable, 'comment': c.comment
} ORDER BY c.column_index)) AS columns
FROM (
  SELECT 'table' AS kind, database_name, schema_name, table_name AS name, comment FROM duckdb_tables()
  WHERE NOT internal
  UNION ALL
  SELECT 'view', database_name, schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal
) t JOIN duckdb_columns() c ON c.database_name = t.database_name AND c.schema_name = t.schema_name
  AND c.table_name = t.name
WHERE t.database_name = current_database() AND t.schema_name = current_schema()
GROUP BY ALL
"""
_KEYS_IN_DUCKDB = """
SELECT table_name, constraint_type, to_json(constraint_column_names), referenced_table,
  to_json(referenced_column_names)
FROM duckdb_constraints()
WHERE database_name = current_database() AND schema_name = current_schema()
  AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
ORDER BY table_name, constraint_index
"""


@dataclass
class _Keys:
    primary: tuple[str, ...] = ()
    foreign: list[ForeignKey] = field(default_factory=list)


def tables(engine: sa.Engine) -> tuple[Table, ...]:
    """The tables and views of the schema that the connection is in, sorted by name.

    Raises:
        sqlalchemy.exc.SQLAlchemyError
    """
    found = _in_duckdb(engine) if engine.dialect.name == "duckdb" else _inspected(engine)
    return with_keys(sorted(found, key=lambda table: (table.name.casefold(), table.name)))


def with_keys(found: Sequence[Table]) -> tuple[Table, ...]:
    """``found``, where a table without a primary key is told apart by what foreign keys point to."""
    pointed: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for table in found:
        for key in table.foreign_keys:
            pointed[key.table.casefold()].add(key.referenced)
    return tuple(table if table.key else _keyed(table, pointed) for table in found)


def _keyed(table: Table, pointed: dict[str, set[tuple[str, ...]]]) -> Table:
    usable = [
        names for names in sorted(pointed[table.name.casefold()]) if names and table.has(names)
    ]
    if not usable:
        return table
    key = tuple(column.name for name in usable[0] if (column := table.column(name)))
    return replace(table, key=key)


def _inspected(engine: sa.Engine) -> list[Table]:
    with engine.connect() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore", sa.exc.SAWarning)  # of types and indexes it does not know
        inspector = sa.inspect(connection)
        views = {*inspector.get_view_names()}
        with suppress(NotImplementedError):  # a database that has none
            views |= {*inspector.get_materialized_view_names()}
        names = [name for name in inspector.get_table_names() if name not in views]
        return [
            *(_table(inspector, name, view=False) for name in names),
            *(_table(inspector, name, view=True) for name in sorted(views)),
        ]


def _table(inspector: Inspector, name: str, view: bool) -> Table:
    if view:
        with suppress(sa.exc.SQLAlchemyError):  # what it is made of may be gone
            return Table(name, _columns(inspector, name), view=True)
        return Table(name, (), view=True)
    primary = tuple(inspector.get_pk_constraint(name)["constrained_columns"])
    foreign = [
        ForeignKey(
            tuple(each["constrained_columns"]),
            each["referred_table"],
            tuple(each["referred_columns"]),
        )
        for each in inspector.get_foreign_keys(name)
    ]
    return Table(
        name,
        _columns(inspector, name),
        primary,
        tuple(sorted(foreign, key=lambda key: (key.columns, key.table))),
        _comment(inspector, name),
    )


def _columns(inspector: Inspector, name: str) -> tuple[Column, ...]:
    return tuple(
        Column(each["name"], each["type"], each["nullable"], each.get("comment") or "")
        for each in inspector.get_columns(name)
    )


def _comment(inspector: Inspector, name: str) -> str:
    try:
        return inspector.get_table_comment(name)["text"] or ""
    except NotImplementedError:
        return ""  # a database that has none


def _in_duckdb(engine: sa.Engine) -> list[Table]:
    with engine.connect() as connection:
        keys: dict[str, _Keys] = defaultdict(_Keys)
        for name, kind, columns, other, referenced in connection.exec_driver_sql(_KEYS_IN_DUCKDB):
            if kind == "PRIMARY KEY":
                keys[name].primary = _names(columns)
            else:
                keys[name].foreign.append(ForeignKey(_names(columns), other, _names(referenced)))
        found = connection.exec_driver_sql(_IN_DUCKDB).fetchall()
    return [
        Table(
            name,
            tuple(_duckdb_column(each) for each in _parsed(columns)),
            keys[name].primary,
            tuple(sorted(keys[name].foreign, key=lambda key: (key.columns, key.table))),
            comment or "",
            view=kind == "view",
        )
        for kind, _schema, name, comment, columns in found
    ]


def _names(told: Any) -> tuple[str, ...]:
    return tuple(_parsed(told))


def _parsed(told: Any) -> Any:
    """JSON, which some versions of the driver have parsed already."""
    return json.loads(told) if isinstance(told, (str, bytes)) else told


def _duckdb_column(told: dict[str, Any]) -> Column:
    return Column(told["name"], _duckdb_type(told["type"]), told["nullable"], told["comment"] or "")


def _duckdb_type(text: str) -> TypeEngine[Any]:
    bare = re.sub(r"\(.*\)|( WITH TIME ZONE)|_(S|MS|NS)$", "", text)
    if text.endswith("]") or bare not in _DUCKDB_TYPES:
        return NullType()
    digits = [int(number) for number in re.findall(r"\d+", text)]
    if bare == "DECIMAL" and len(digits) == 2:
        return sa.Numeric(digits[0], digits[1])
    return _DUCKDB_TYPES[bare]()
