"""Constraints and indexes, as numbered migrations: the files ``cypher/schema_v*.cypher``.

A database records its schema version. A load creates what is missing in a database without datasets, and can
be repeated after an interruption. Datasets of an older version need ``store_migration``. A read needs no
schema: a database without a schema has no datasets.
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

MIGRATIONS = tuple(Migration(version) for version in range(OLDEST_VERSION, 9))
VERSION = MIGRATIONS[-1].version

NAME_INDEX = "tuqa_fact_source"
"""Before version 8, facts had the names of their dataset and source, and this index."""

OUTDATED_INDEXES = (NAME_INDEX, "tuqa_fact_held", "tuqa_fact_head", "tuqa_fact_tail")


def version(rows: list[dict[str, Any]]) -> int:
    # 0: a database without a schema.
    return int(rows[0]["version"]) if rows else 0


def list_pending(rows: list[dict[str, Any]]) -> tuple[Migration, ...]:
    return tuple(m for m in MIGRATIONS if m.version > version(rows))


def is_outdated(rows: list[dict[str, Any]]) -> bool:
    # Whether there are datasets of an older version, or a migration has begun.
    if not rows:
        return False
    return rows[0]["migration"] is not None or (
        rows[0]["datasets"] > 0 and OLDEST_VERSION <= version(rows) < VERSION
    )


def constraint_names() -> list[str]:
    return [n for migration in MIGRATIONS for n in migration.statements if n not in index_names()]


def index_names() -> list[str]:
    return [name for migration in MIGRATIONS for name in migration.indexes]
