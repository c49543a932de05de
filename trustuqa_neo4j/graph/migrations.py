"""Constraints and indexes, as numbered migrations: the files ``cypher/schema_v*.cypher``.

A database records its schema version. A load runs the missing migrations one by one; each is repeatable
after an interruption. A read needs no migration: a database without a schema has no datasets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .statements import get_statement, schema_statements


@dataclass(frozen=True, slots=True)
class Migration:
    version: int

    @property
    def statements(self) -> tuple[str, ...]:
        return tuple(schema_statements(f"schema_v{self.version}"))

    @property
    def indexes(self) -> list[str]:
        # A constraint makes its index itself, and waits for it. Statements are called as what they make.
        return [n for n in self.statements if "CREATE CONSTRAINT" not in get_statement(n).text]


OLDEST_VERSION = 2
"""Data of an older version cannot be migrated: only the loaded files have the missing parts."""

MIGRATIONS = (Migration(2), Migration(3), Migration(4), Migration(5), Migration(6), Migration(7))
VERSION = MIGRATIONS[-1].version


def version(rows: list[dict[str, Any]]) -> int:
    # 0: a database without a schema.
    return int(rows[0]["version"]) if rows else 0


def list_pending(rows: list[dict[str, Any]]) -> tuple[Migration, ...]:
    return tuple(m for m in MIGRATIONS if m.version > version(rows))


def index_names() -> list[str]:
    return [name for migration in MIGRATIONS for name in migration.indexes]
