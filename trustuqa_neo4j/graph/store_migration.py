"""Migration of datasets of an older schema version: names of dataset and source on facts become numbers.

Batches are transactions of their own, so an interrupted migration goes on where it stopped. The schema
record says that a migration has begun: until it has finished, datasets are neither read nor written. Whoever
migrates holds the lock of the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..errors import DatabaseError
from . import load_journal, migrations
from .connection import Connection, Transaction

BATCH = 50_000
"""Facts of a transaction."""

_FACTS, _INDEXES = "facts", "indexes"
"""The steps that the schema record names."""


class MigrationProgress(Protocol):
    def begin(self, phase: str, total: int, unit: str = "", /) -> None: ...

    def advance(self, done: int, /) -> None: ...


def migrate(
    connection: Connection,
    progress: MigrationProgress,
    check_interrupt: Callable[[], None] = lambda: None,
) -> int | None:
    """Bring a database up to date; returns the number of facts that changed, or None if it was up to date.

    ``connection`` was opened with ``migrates``. Another process that migrates is waited for.

    Raises:
        LoadRunning: a process loads a dataset now.
        DatabaseError: run it again to go on.
    """
    if not _is_outdated(connection):
        return None
    progress.begin("wait for other processes", 0)
    try:
        with connection.locked_schema():
            if not _is_outdated(connection):
                return None
            return _Migration(connection, progress, check_interrupt).run()
    except DatabaseError as error:
        if connection.disk is not None:
            connection.disk.check_server_error(error)
        raise


def _is_outdated(connection: Connection) -> bool:
    return migrations.is_outdated(connection.read_schema_version())


class _Migration:
    def __init__(
        self,
        connection: Connection,
        progress: MigrationProgress,
        check_interrupt: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._progress = progress
        self._check_interrupt = check_interrupt

    def run(self) -> int:
        connection = self._connection
        step = connection.read_schema_version()[0]["migration"]
        datasets = connection.read_one("list_datasets")
        changed = 0
        if step is None:
            for row in datasets:
                (state,) = connection.read_one("get_load_state", dataset=row["name"])
                load_journal.check_not_running(row["name"], state["loads"])
            self._write("start_migration", version=migrations.VERSION)
        if step != _INDEXES:
            connection.define_schema(migrations.constraint_names())
            while self._write("migrate_relations", limit=BATCH)["relations"]:
                self._check_interrupt()
            for name in migrations.OUTDATED_INDEXES:
                if name != migrations.NAME_INDEX:
                    connection.define("drop_index", index=name)
            for row in datasets:
                changed += self._migrate_facts(row["name"], row["facts"] or 0)
            self._write("finish_fact_migration")
        self._progress.begin("index", 0)
        connection.define_schema(migrations.index_names())
        connection.finish_schema()
        return changed

    def _migrate_facts(self, dataset: str, total: int) -> int:
        self._progress.begin(f"migrate {dataset}", total, "facts")
        done = 0
        while count := self._write("migrate_facts", dataset=dataset, limit=BATCH)["facts"]:
            done += count
            self._progress.advance(done)
            self._check_interrupt()
        return done

    def _write(self, name: str, **parameters: object) -> dict[str, int]:
        def work(transaction: Transaction) -> dict[str, int]:
            rows = transaction.run(name, **parameters).rows
            return rows[0] if rows else {}

        if self._connection.disk is not None:
            self._connection.disk.check()
        return self._connection.write(work)
