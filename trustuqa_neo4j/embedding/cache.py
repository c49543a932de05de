"""Vectors kept on disk, so that nothing is embedded twice: one SQLite file, shared by all processes.

Keyed by the model's identity and the SHA-256 of the text. Vectors are kept as float32, 1.5 KB each for the
default model: float16 would halve the file, but what comes out would not be what was put in, and two runs
could differ in near ties.

The cache is never needed. Where it fails it logs one warning and the work goes on without it; a file that
is damaged or not ours is moved aside, not deleted.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from .extras import embeddings_extra

if TYPE_CHECKING:
    from .extras import Vectors

FILE = "embeddings.sqlite"

_log = logging.getLogger(__name__)

_OURS = 0x54555141  # application_id, "TUQA": tells our files from other SQLite files
_BUSY = 30.0  # seconds to wait for another process's batch
_SELECT = (
    "SELECT text, vector FROM vectors WHERE model = (SELECT id FROM models WHERE identity = ?)"
)
_KEYS = 900  # in one statement; old SQLite versions take no more than 999

# WAL: readers and the one writer do not wait for each other. What the last commits lose in a power cut
# is computed again, hence synchronous=NORMAL.
_SETUP = (
    # Ten of the default model's vectors to a page; of 4 KB, SQLite's default, a quarter would be empty.
    "PRAGMA page_size=16384",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, identity TEXT UNIQUE NOT NULL)",
    # A table with row ids: rows of more than a quarter page do badly in the tree of WITHOUT ROWID.
    """CREATE TABLE IF NOT EXISTS vectors
       (model INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, text))""",
)


class Cache:
    """The vectors in ``path``; usable from several threads and processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        self._writable = True
        self._connection: sqlite3.Connection | None = None
        with self._guarded("opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _open(path)

    def get_many(self, identity: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are there, by text; read-only arrays."""
        with embeddings_extra():
            import numpy as np
        keys = {_key(text): text for text in texts}
        wanted, found = list(keys), {}
        with self._guarded("read"):
            for start in range(0, len(wanted) if self._connection else 0, _KEYS):
                part = wanted[start : start + _KEYS]
                statement = f"{_SELECT} AND text IN ({','.join('?' * len(part))})"
                for key, vector in self._rows(statement, (identity, *part)):
                    found[keys[key]] = np.frombuffer(vector, np.float32)
        return found

    def put_many(self, identity: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the rows of ``vectors`` (n, dimension), in one transaction."""
        if self._connection is None or not self._writable:
            return
        rows = [(identity, _key(t), v.tobytes()) for t, v in zip(texts, vectors, strict=True)]
        with self._guarded("written"), self._connection as connection:
            connection.execute("INSERT OR IGNORE INTO models (identity) VALUES (?)", (identity,))
            # Another process may have been quicker; its vector stays.
            connection.executemany(
                "INSERT OR IGNORE INTO vectors SELECT id, ?2, ?3 FROM models WHERE identity = ?1",
                rows,
            )

    def dimension(self, identity: str) -> int | None:
        """Length of the vectors kept for this model; None if there are none."""
        rows: list[tuple[int]] = []
        with self._guarded("read"):
            rows = self._rows(
                "SELECT length(vector) / 4 FROM vectors WHERE model = (SELECT id FROM models "
                "WHERE identity = ?) LIMIT 1",
                (identity,),
            )
        return rows[0][0] if rows else None

    def size(self) -> dict[str, int]:
        """How many vectors are kept, by model identity."""
        rows: list[tuple[str, int]] = []
        with self._guarded("read"):
            rows = self._rows(
                "SELECT identity, count(*) FROM models JOIN vectors ON model = id GROUP BY id"
            )
        return dict(rows)

    def clear(self) -> None:
        """Forget everything and give the space back."""
        if self._connection is None:
            return
        with self._guarded("cleared"):
            with self._connection as connection:
                connection.execute("DELETE FROM vectors")
                connection.execute("DELETE FROM models")
            self._connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file; nothing is found or kept afterwards."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _rows(self, statement: str, parameters: tuple[object, ...] = ()) -> list[tuple]:  # type: ignore[type-arg]
        if self._connection is None:
            return []
        return self._connection.execute(statement, parameters).fetchall()

    @contextmanager
    def _guarded(self, done: str) -> Iterator[None]:
        """One thread at a time; what fails is logged once and then left alone."""
        with self._lock:
            try:
                yield
            except (sqlite3.OperationalError, OSError) as error:
                # Full, read-only, locked: what is in the file can perhaps still be read.
                self._writable = False
                if done != "written":
                    self.close()
                self._warn(done, error)
            except sqlite3.DatabaseError as error:
                self.close()
                self._begin_anew(done, error)

    def _begin_anew(self, done: str, error: Exception) -> None:
        """Put a damaged or foreign file aside, for its owner to look at, and open a new one."""
        try:
            aside = _move_aside(self.path)
            self._connection = _open(self.path)
        except (sqlite3.Error, OSError) as another:
            self._warn(done, another)
        else:
            self._warn(done, error, f", moved to {aside.name}")

    def _warn(self, done: str, error: Exception, then: str = ", going on without it") -> None:
        _log.warning("the embedding cache %s cannot be %s: %s%s", self.path, done, error, then)


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY, check_same_thread=False)
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if mark != _OURS and (mark or tables):
            raise sqlite3.DatabaseError("it is a database of another application")
        for statement in (*_SETUP, *(() if mark else (f"PRAGMA application_id={_OURS}",))):
            connection.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _move_aside(path: Path) -> Path:
    """Rename the file to the first free ``name.broken``; its journal goes along."""
    for number in count(1):
        aside = path.with_name(f"{path.name}.broken{'' if number == 1 else f'-{number}'}")
        if not aside.exists():
            break
    path.rename(aside)
    for journal in ("-wal", "-shm"):
        if (beside := path.with_name(path.name + journal)).exists():
            beside.rename(f"{aside}{journal}")
    return aside
