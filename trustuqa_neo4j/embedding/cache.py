"""``VectorCache``: vectors on disk, so that nothing is embedded twice.

The key is the model's identity and the SHA-256 of the text. Vectors are stored as float32, 1.5 KB each for
the default model: float16 would halve the file, but two runs could then differ in near ties.

The work never needs the cache. If it fails, it logs one warning and the work continues without it; a damaged
or foreign file is renamed, not deleted.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..sqlite_cache import SQLiteCache
from .inference import embeddings_extra

if TYPE_CHECKING:
    from .inference import Vectors

VECTOR_CACHE_FILE = "embeddings.sqlite"

_log = logging.getLogger(__name__)

_KEYS = 900  # in one statement; old SQLite versions take no more than 999
_OF_MODEL = "FROM vectors WHERE model = (SELECT id FROM models WHERE identity = ?)"
_INSERT_MODEL = "INSERT OR IGNORE INTO models (identity) VALUES (?)"
# Another process may have been quicker; its vector stays.
_INSERT_VECTOR = "INSERT OR IGNORE INTO vectors SELECT id, ?2, ?3 FROM models WHERE identity = ?1"


class VectorCache(SQLiteCache):
    application_id = 0x54555141  # "TUQA"
    # Ten of the default model's vectors to a page; of 4 KB, SQLite's default, a quarter would be empty.
    page_size = 16384
    is_private = True
    schema: ClassVar[Sequence[str]] = (
        "CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, identity TEXT UNIQUE NOT NULL)",
        # A table with row ids: rows of more than a quarter page do badly in the tree of WITHOUT ROWID.
        """CREATE TABLE IF NOT EXISTS vectors
           (model INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, text))""",
    )

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._is_writable = True
        with self._guarded("opened"):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._open()

    def get_many(self, identity: str, texts: Sequence[str]) -> dict[str, Vectors]:
        # The vectors are read-only.
        with embeddings_extra():
            import numpy as np
        texts_by_key = {_key(text): text for text in texts}
        keys = list(texts_by_key)
        vectors: dict[str, Vectors] = {}
        with self._guarded("read"):
            for start in range(0, len(keys), _KEYS):
                part = keys[start : start + _KEYS]
                statement = (
                    f"SELECT text, vector {_OF_MODEL} AND text IN ({','.join('?' * len(part))})"
                )
                for key, vector in self._rows(statement, identity, *part):
                    vectors[texts_by_key[key]] = np.frombuffer(vector, np.float32)
        return vectors

    def put_many(self, identity: str, texts: Sequence[str], vectors: Vectors) -> None:
        # ``vectors`` is (n, dimension); one transaction.
        if self._connection is None or not self._is_writable:
            return
        rows = [(identity, _key(t), v.tobytes()) for t, v in zip(texts, vectors, strict=True)]
        with self._guarded("written"):
            self._write((_INSERT_MODEL, [(identity,)]), (_INSERT_VECTOR, rows))

    def dimension(self, identity: str) -> int | None:
        # None if there are no stored vectors.
        rows = self._read(f"SELECT length(vector) / 4 {_OF_MODEL} LIMIT 1", identity)
        return rows[0][0] if rows else None

    def size(self) -> dict[str, int]:
        # Model identity → number of stored vectors.
        return dict(
            self._read(
                "SELECT identity, count(*) FROM models JOIN vectors ON model = id GROUP BY id"
            )
        )

    def clear(self) -> None:
        with self._guarded("cleared"):
            self._clear("vectors", "models")

    def _read(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        with self._guarded("read"):
            rows = self._rows(statement, *parameters)
        return rows  # noqa: RET504 # still [] after a failure

    @contextmanager
    def _guarded(self, action: str) -> Iterator[None]:
        # One thread at a time; after the first failure, which is logged, the cache is off.
        with self._lock:
            try:
                yield
            except (sqlite3.OperationalError, OSError) as error:
                # Full, read-only, locked: what is in the file can perhaps still be read.
                self._is_writable = False
                if action != "written":
                    self.close()
                self._warn(action, error)
            except sqlite3.DatabaseError as error:
                self.close()
                self._replace_file(action, error)

    def _replace_file(self, action: str, error: Exception) -> None:
        # The owner of a damaged or foreign file can look at it.
        try:
            renamed = _move_aside(self.path)
            self._open()
        except (sqlite3.Error, OSError) as second_error:
            self._warn(action, second_error)
        else:
            self._warn(action, error, f"moved to {renamed.name}")

    def _warn(self, action: str, error: Exception, result: str = "going on without it") -> None:
        _log.warning(
            "the embedding cache %s cannot be %s: %s, %s", self.path, action, error, result
        )


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _move_aside(path: Path) -> Path:
    # To the first free ``name.broken``; its journals go along.
    names = (f"{path.name}.broken{'' if n == 1 else f'-{n}'}" for n in count(1))
    target = next(target for target in map(path.with_name, names) if not target.exists())
    path.rename(target)
    for suffix in ("-wal", "-shm"):
        if (journal := path.with_name(path.name + suffix)).exists():
            journal.rename(f"{target}{suffix}")
    return target
