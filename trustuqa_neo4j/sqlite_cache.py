"""A cache in one SQLite file, shared by threads and processes.

``SQLiteCache`` creates, checks and opens the file, and lets one thread at a time use the connection. A
subclass names its tables and decides what a failure means: errors of SQLite pass through unchanged.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar

from .private_folder import restrict_access

_LOCK_TIMEOUT = 30.0  # seconds to wait for another process


class SQLiteCache:
    """``application_id`` marks the file as ours; ``schema`` creates the tables unless they exist."""

    application_id: ClassVar[int]
    schema: ClassVar[Sequence[str]]
    page_size: ClassVar[int] = 4096
    is_private: ClassVar[bool] = False  # readable for its owner alone

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> None:
        if self.is_private:
            # SQLite would make it readable for all; its journals take the mode of the file.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            for ending in ("", "-wal", "-shm"):
                restrict_access(Path(f"{self.path}{ending}"))
        connection = sqlite3.connect(self.path, timeout=_LOCK_TIMEOUT, check_same_thread=False)
        try:
            with closing(connection.cursor()) as cursor:
                self._set_up(cursor)
        except sqlite3.Error:
            connection.close()
            raise
        self._connection = connection

    def _set_up(self, cursor: sqlite3.Cursor) -> None:
        # Another process may be creating the file: it writes the mark first, so we read it last.
        (tables,) = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (mark,) = cursor.execute("PRAGMA application_id").fetchone()
        if mark != self.application_id and (mark or tables):
            raise sqlite3.DatabaseError("it is a database of another application")
        if not mark:
            cursor.execute(f"PRAGMA page_size={self.page_size}")  # only before the first write
            cursor.execute(f"PRAGMA application_id={self.application_id}")
        # WAL: readers and the one writer do not wait for each other. What the last commits lose in a
        # power cut can be had again, hence NORMAL.
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", *self.schema):
            cursor.execute(statement)

    def _rows(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._lock:
            if self._connection is None:
                return []
            return self._connection.execute(statement, parameters).fetchall()

    def _write(self, *changes: tuple[str, Sequence[Sequence[object]]]) -> None:
        with self._lock:
            if self._connection is not None:
                with self._connection as connection:
                    for statement, rows in changes:
                        connection.executemany(statement, rows)

    def _clear(self, *tables: str) -> None:
        """Delete all rows and shrink the file."""
        with self._lock:
            if self._connection is not None:
                self._write(*((f"DELETE FROM {table}", [()]) for table in tables))  # noqa: S608
                self._connection.execute("VACUUM")
