"""``ReplyCache``: replies of models on disk, so that each is paid for once.

The key is the SHA-256 of model, address, parameters and messages. The file has prompts, but no keys of
providers; only its owner can read it (0600). A damaged or foreign file is an error and stays, since replies
cost money. A reply that cannot be stored is logged once.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from ..errors import CacheUnusable
from ..sqlite_cache import SQLiteCache
from ..wording import CallOption
from .messages import Completion, Message, Usage

REPLY_CACHE_FILE = "replies.sqlite"

_log = logging.getLogger(__name__)

_INSERT = """INSERT OR IGNORE INTO replies
    (key, model, address, parameters, messages, replies, replied_by, input_tokens, output_tokens)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """Everything on which a reply depends.

    ``identity`` holds settings of the model that may change the reply: a part of the key only.
    """

    model: str
    address: str
    parameters: Mapping[str, Any]
    messages: Sequence[Message]
    identity: str = ""

    @property
    def key(self) -> str:
        parts = [self.model, self.address, _json(self.parameters), self.identity]
        return sha256(_json([*parts, self.turns]).encode()).hexdigest()

    @property
    def turns(self) -> list[dict[str, str]]:
        return [{"role": message.role, "content": message.content} for message in self.messages]


class ReplyCache(SQLiteCache):
    """Raises CacheUnusable if the file cannot be created, is damaged, or belongs to another application."""

    application_id = 0x54555152  # "TUQR"
    is_private = True
    schema: ClassVar[Sequence[str]] = (
        """CREATE TABLE IF NOT EXISTS replies
           (key TEXT PRIMARY KEY, model TEXT NOT NULL, address TEXT NOT NULL, parameters TEXT NOT NULL,
            messages TEXT NOT NULL, replies TEXT NOT NULL, replied_by TEXT NOT NULL,
            input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
            made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) WITHOUT ROWID""",
    )

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._has_warned = False
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._open()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable("opened", error) from error

    def get(self, request: CompletionRequest) -> Completion | None:
        """Return the stored replies with a usage of cached calls only."""
        rows = self._read("SELECT replies, replied_by FROM replies WHERE key = ?", request.key)
        if not rows:
            return None
        try:
            texts = tuple(str(text) for text in json.loads(rows[0][0]))
        except (ValueError, TypeError) as error:
            raise self._unusable("read", error) from error
        return Completion(texts, Usage(cached=1), rows[0][1])

    def put(self, request: CompletionRequest, completion: Completion) -> None:
        """Store the replies, unless another process stored its own."""
        row = (
            request.key,
            request.model,
            request.address,
            _json(request.parameters),
            _json(request.turns),
            _json(completion.texts),
            completion.model,
            completion.usage.input_tokens,
            completion.usage.output_tokens,
        )
        try:
            self._write((_INSERT, [row]))
        except (sqlite3.Error, OSError) as error:
            if not self._has_warned:
                self._has_warned = True
                _log.warning("the reply cache %s cannot be written: %s", self.path, error)

    def count(self) -> int:
        rows = self._read("SELECT count(*) FROM replies")
        return int(rows[0][0]) if rows else 0

    def clear(self) -> int:
        """Delete all replies; return their number."""
        count = self.count()
        try:
            self._clear("replies")
        except sqlite3.Error as error:
            raise self._unusable("cleared", error) from error
        return count

    def _read(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        try:
            return self._rows(statement, *parameters)
        except sqlite3.Error as error:
            raise self._unusable("read", error) from error

    def _unusable(self, action: str, error: Exception) -> CacheUnusable:
        return CacheUnusable(
            f"the cached replies cannot be {action}: {error}",
            where=str(self.path),
            hint=f"move the file away or delete it, or go on without it: {CallOption.NO_CACHE}",
        )


def _json(value: object) -> str:
    # Half a surrogate pair becomes its JSON escape.
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=_plain)
    return text.encode("utf-8", "backslashreplace").decode()


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(type(value))
