"""Constraints and indexes, as numbered migrations.

A database says which schema version it has. Loading brings it up to date, one migration at a time, each
repeatable, so that an interrupted one is simply done again. Reading needs none: a database without a
schema is one without datasets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that lead to ``version``."""

    version: int
    statements: tuple[str, ...]


OLDEST = 2
"""What an older version wrote cannot be brought up to date: it lacks what only its files tell."""

MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        2,
        (
            "constraint_node_key",
            "constraint_dataset",
            "constraint_source",
            "constraint_load",
            "constraint_relation",
            "constraint_schema",
            "index_node_folded",
            "index_node_number",
            "index_node_date",
            "index_relation_folded",
            "index_alias",
            "index_name_text",
            "index_fact_source",
            "index_fact_held",
            "index_fact_head",
            "index_fact_tail",
        ),
    ),
    Migration(3, ("constraint_demonstration", "constraint_pattern", "index_pattern_text")),
    Migration(4, ("constraint_class", "constraint_property", "constraint_vocabulary")),
)

VERSION = MIGRATIONS[-1].version


def version(rows: list[dict[str, Any]]) -> int:
    """The version that the rows of ``schema_version`` tell; 0 for a database without a schema."""
    return int(rows[0]["version"]) if rows else 0


def pending(rows: list[dict[str, Any]]) -> tuple[Migration, ...]:
    """The migrations that a database still needs."""
    return tuple(m for m in MIGRATIONS if m.version > version(rows))
