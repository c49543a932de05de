"""``Records``: what the workers of a server share: answers, loads, previews and examples.

Records lie in one SQLite file in the private folder of the server, and end with it. They are pickles of our
own dataclasses: whoever can write the file can run programs of its owner anyway.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from ..answer import Answer
from ..errors import DiskFull
from ..mcp.answers import MAX_ANSWERS, KeptAnswer
from ..sqlite_cache import SQLiteCache

RecordKind: TypeAlias = Literal["answer", "load", "queue", "cancellation", "preview", "examples"]


class Records(SQLiteCache):
    """Values by kind and name, in the order in which they were added.

    Raises DiskFull if the file cannot be read or written.
    """

    application_id = 0x54555157  # "TUQW"
    is_private = True
    schema: ClassVar[Sequence[str]] = (
        """CREATE TABLE IF NOT EXISTS records
           (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL,
            content BLOB NOT NULL, UNIQUE (kind, name))""",
        """CREATE TABLE IF NOT EXISTS counters
           (kind TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID""",
    )

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._failures():
            self._open()

    def next_number(self, kind: RecordKind) -> int:
        """Count up; a number never comes again."""
        statement = """INSERT INTO counters VALUES (?, 1)
            ON CONFLICT (kind) DO UPDATE SET last = last + 1 RETURNING last"""
        number: int = self._change(statement, kind)[0][0]
        return number

    def put(self, kind: RecordKind, name: str, value: object) -> None:
        """Store ``value``; a value that had the name goes, and its place in the order stays."""
        statement = """INSERT INTO records (kind, name, content) VALUES (?, ?, ?)
            ON CONFLICT (kind, name) DO UPDATE SET content = excluded.content"""
        self._change(statement, kind, name, pickle.dumps(value))

    def get(self, kind: RecordKind, name: str) -> Any:
        """The value; None if there is none."""
        statement = "SELECT content FROM records WHERE kind = ? AND name = ?"
        return _read_first(self._select(statement, kind, name))

    def take(self, kind: RecordKind, name: str) -> Any:
        """Remove a value and return it, to one caller alone; None if there is none."""
        statement = "DELETE FROM records WHERE kind = ? AND name = ? RETURNING content"
        return _read_first(self._change(statement, kind, name))

    def names(self, kind: RecordKind) -> list[str]:
        statement = "SELECT name FROM records WHERE kind = ? ORDER BY number"
        return [name for (name,) in self._select(statement, kind)]

    def values(self, kind: RecordKind) -> list[Any]:
        statement = "SELECT content FROM records WHERE kind = ? ORDER BY number"
        return [_read(content) for (content,) in self._select(statement, kind)]

    def keep_last(self, kind: RecordKind, count: int) -> None:
        """Remove all but the last ``count`` values."""
        statement = """DELETE FROM records WHERE kind = ? AND number NOT IN
            (SELECT number FROM records WHERE kind = ? ORDER BY number DESC LIMIT ?)"""
        self._change(statement, kind, kind, count)

    def _select(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._failures():
            return self._rows(statement, *parameters)

    def _change(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._failures(), self._lock:
            assert self._connection is not None, "the records are closed"
            with self._connection as connection:
                return connection.execute(statement, parameters).fetchall()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DiskFull(
                f"the records of the server cannot be used ({error})",
                where=str(self.path),
                hint="free some space, or set TUQA_HOME to another disk",
            ) from error


class SharedAnswers:
    """The last answers of all workers by id, for the page and for agents."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def add(self, answer: Answer, query: str | None) -> str:
        """Keep ``answer`` and return its id; the oldest answer goes."""
        name = f"a{self._records.next_number('answer')}"
        # Parameters of statements can be long lists, and no view shows them.
        trace = tuple(replace(stage, sent=()) for stage in answer.trace)
        self._records.put("answer", name, KeptAnswer(replace(answer, trace=trace), query))
        self._records.keep_last("answer", MAX_ANSWERS)
        return name

    def get(self, name: str) -> KeptAnswer | None:
        kept: KeptAnswer | None = self._records.get("answer", name)
        return kept


def _read(content: bytes) -> Any:
    return pickle.loads(content)  # noqa: S301 # only this server writes the file


def _read_first(rows: list[tuple[Any, ...]]) -> Any:
    return _read(rows[0][0]) if rows else None
