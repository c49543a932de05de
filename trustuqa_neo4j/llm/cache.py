"""Replies kept on disk, so that nothing is paid for twice: one SQLite file, shared by all processes.

Keyed by the SHA-256 of model, address, parameters and messages. What is in the file can be read with any
SQLite tool: table ``replies`` has the messages and the replies as JSON. Keys of providers are not in it,
but the prompts are, so the file is its owner's alone (0600).

A file that is damaged or not ours is reported and left as it is: replies may have cost money, so whether
they can go is for their owner to say. A reply that cannot be kept (full disk, locked) was paid for all the
same: that is logged once, and the work goes on.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from ..errors import CacheUnusable
from .messages import Completion, Message, Usage

FILE = "replies.sqlite"

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_OURS = 0x54555152  # application_id, "TUQR": tells our files from other SQLite files
_BUSY = 30.0  # seconds to wait for another process

# WAL: readers and the one writer do not wait for each other.
_SETUP = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    """CREATE TABLE IF NOT EXISTS replies
       (key TEXT PRIMARY KEY, model TEXT NOT NULL, address TEXT NOT NULL, parameters TEXT NOT NULL,
        messages TEXT NOT NULL, replies TEXT NOT NULL, replied_by TEXT NOT NULL,
        input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
        made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) WITHOUT ROWID""",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reply depends on.

    ``identity`` is whatever else of the model may change what it writes: part of the key, not of the file.
    """

    model: str
    address: str
    parameters: Mapping[str, Any]
    messages: Sequence[Message]
    identity: str = ""

    @property
    def key(self) -> str:
        """SHA-256 of all of it, in hexadecimal."""
        parts = [self.model, self.address, _json(self.parameters), self.identity]
        return sha256(_json([*parts, self.turns]).encode()).hexdigest()

    @property
    def turns(self) -> list[dict[str, str]]:
        """The messages, as they are kept."""
        return [{"role": each.role, "content": each.content} for each in self.messages]


class Cache:
    """The replies in ``path``; usable from several threads and processes at once."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            CacheUnusable: it is damaged, another application's, or cannot be made.
        """
        self.path = path
        self._lock = RLock()
        self._told = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection: sqlite3.Connection | None = _open(path)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable("opened", error) from error

    def get(self, asked: Asked) -> Completion | None:
        """The replies that are there, with no usage but ``cached``; None if there are none.

        Raises:
            CacheUnusable
        """
        rows = self._read("SELECT replies, replied_by FROM replies WHERE key = ?", asked.key)
        if not rows:
            return None
        try:
            texts = tuple(str(text) for text in json.loads(rows[0][0]))
        except (ValueError, TypeError) as error:
            raise self._unusable("read", error) from error
        return Completion(texts, Usage(cached=1), rows[0][1])

    def put(self, asked: Asked, given: Completion) -> None:
        """Keep the replies; those that another process kept meanwhile stay."""
        row = (
            asked.key,
            asked.model,
            asked.address,
            _json(asked.parameters),
            _json(asked.turns),
            _json(given.texts),
            given.model,
            given.usage.input_tokens,
            given.usage.output_tokens,
        )
        columns = "key, model, address, parameters, messages, replies, replied_by, input_tokens"
        statement = (
            f"INSERT OR IGNORE INTO replies ({columns}, output_tokens) "  # noqa: S608 # names of ours
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        try:
            self._do(lambda connection: _written(connection, statement, row))
        except (sqlite3.Error, OSError) as error:
            if not self._told:
                self._told = True
                _log.warning("the reply cache %s cannot be written: %s", self.path, error)

    def count(self) -> int:
        """How many requests have their replies here.

        Raises:
            CacheUnusable
        """
        rows = self._read("SELECT count(*) FROM replies")
        return int(rows[0][0]) if rows else 0

    def clear(self) -> int:
        """Forget all replies, or how many there were, and give the space back.

        Raises:
            CacheUnusable
        """
        before = self.count()
        try:
            self._do(lambda connection: _written(connection, "DELETE FROM replies"))
            self._do(lambda connection: connection.execute("VACUUM"))
        except sqlite3.Error as error:
            raise self._unusable("cleared", error) from error
        return before

    def close(self) -> None:
        """Close the file; nothing is found or kept afterwards."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _read(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        try:
            found = self._do(lambda c: c.execute(statement, parameters).fetchall())
        except sqlite3.Error as error:
            raise self._unusable("read", error) from error
        return found or []

    def _do(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """One thread at a time; None where the file has been closed."""
        with self._lock:
            return None if self._connection is None else work(self._connection)

    def _unusable(self, done: str, error: Exception) -> CacheUnusable:
        return CacheUnusable(
            f"the cached replies cannot be {done}: {error}",
            where=str(self.path),
            hint="move the file away or delete it, or go on without it: --no-cache",
        )


def _open(path: Path) -> sqlite3.Connection:
    # SQLite would make it readable for all; its journals take the mode of the file.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, timeout=_BUSY, check_same_thread=False)
    try:
        with closing(connection.cursor()) as cursor:
            # Another process may be making the file: it sets the mark first, so we look at it last.
            (tables,) = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (mark,) = cursor.execute("PRAGMA application_id").fetchone()
            if mark != _OURS and (mark or tables):
                raise sqlite3.DatabaseError("it is a database of another application")
            for statement in (*(() if mark else (f"PRAGMA application_id={_OURS}",)), *_SETUP):
                cursor.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _written(connection: sqlite3.Connection, statement: str, row: Sequence[object] = ()) -> None:
    with connection:
        connection.execute(statement, row)


def _json(value: object) -> str:
    """Readable in any script; half a surrogate pair becomes the escape that JSON has for it."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=_plain)
    return text.encode("utf-8", "backslashreplace").decode()


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(type(value))
