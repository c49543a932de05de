"""``TokenFile``: the named tokens of ``tuqa serve``, in a file of this user alone under ``TUQA_HOME``.

A running server reads the file when a request shows a named token, so that a new token is known at once and
a revoked one opens nothing.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from ..errors import BadSettings, MissingFile, UnreadableFile, UsageError, format_list
from ..private_folder import (
    FolderNotPrivate,
    is_private_file,
    make_private_folder,
    write_private_file,
)
from ..regular_file import open_regular_file
from ..render.terminal import escape_controls

Right: TypeAlias = Literal["ask", "teach", "load", "manage"]
RIGHTS: tuple[Right, ...] = get_args(Right)

_FILE = "serve-tokens.json"
_PREFIX = "tuqa_"  # programs that search for secrets in files recognize it
_BYTES = 32
_MAX_FILE = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NamedToken:
    """A token without its text: ``digest`` is ``hash_token`` of it; no ``datasets`` are all of them."""

    name: str
    digest: str
    rights: tuple[Right, ...]
    datasets: tuple[str, ...]
    created: str


_CONTENT = TypeAdapter(tuple[NamedToken, ...])


def hash_token(token: str) -> str:
    # A fast hash: a token is random and too long to be guessed, so that a slow one would protect nothing.
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class TokenFile:
    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / _FILE

    def read(self) -> tuple[NamedToken, ...]:
        """Read the tokens in the order in which they were made.

        Raises:
            BadSettings: the file is damaged, or others can use it.
        """
        try:
            with open_regular_file(self._path, max_bytes=_MAX_FILE, follow_links=False) as file:
                is_private = is_private_file(file.fileno())
                text = file.read()
        except MissingFile:
            return ()
        except UnreadableFile as error:
            raise BadSettings(error.what, where=error.where, hint=error.hint) from error
        if not is_private:
            raise BadSettings(
                "the file of tokens belongs to another user, or others can use it",
                where=str(self._path),
                hint="others may have added tokens: delete the file and make the tokens anew",
            )
        try:
            return _CONTENT.validate_json(text, strict=True)
        except ValidationError as error:
            raise BadSettings(
                "the file of tokens is damaged",
                where=str(self._path),
                hint="delete it and make the tokens anew: the old ones end",
            ) from error

    def find(self, digest: str) -> NamedToken | None:
        """Find the token with this digest.

        Raises:
            BadSettings
        """
        return next((token for token in self.read() if token.digest == digest), None)

    def make(self, name: str, rights: Sequence[str], datasets: Sequence[str] = ()) -> str:
        """Store a new token and return its text, which is in no file.

        Raises:
            UsageError: a name or right that there is not, or a name that is taken; BadSettings
        """
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is not a name of a token",
                hint="take up to 64 letters, digits, `.`, `_` and `-`",
            )
        unknown = [right for right in rights if right not in RIGHTS]
        if unknown or not rights:
            what = f"there is no right {unknown[0]!r}" if unknown else "a token without rights"
            raise UsageError(what, hint=f"the rights are {format_list(RIGHTS, 9)}")
        if not all(dataset.strip() for dataset in datasets):
            raise UsageError("a dataset without a name", hint="`tuqa datasets` lists the names")
        token = _PREFIX + secrets.token_urlsafe(_BYTES)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        chosen: list[Right] = [right for right in RIGHTS if right in rights]
        with self._change() as tokens:
            if any(entry.name == name for entry in tokens):
                raise UsageError(
                    f"there is a token {name!r} already",
                    hint=f"take another name, or end it: tuqa serve token revoke {name}",
                )
            names = tuple(dict.fromkeys(datasets))
            tokens.append(NamedToken(name, hash_token(token), tuple(chosen), names, created))
        return token

    def revoke(self, name: str) -> None:
        """Delete a token.

        Raises:
            UsageError: there is no such token; BadSettings
        """
        with self._change() as tokens:
            remaining = [entry for entry in tokens if entry.name != name]
            if len(remaining) == len(tokens):
                raise UsageError(
                    f"there is no token {escape_controls(name)!r}",
                    hint="`tuqa serve token list` shows the names",
                )
            tokens[:] = remaining

    @contextmanager
    def _change(self) -> Iterator[list[NamedToken]]:
        """The tokens, which are written as the caller leaves them; one process at a time changes them."""
        try:
            make_private_folder(self._home)
            with FileLock(self._path.with_suffix(".lock"), mode=0o600):
                tokens = [*self.read()]
                yield tokens
                write_private_file(self._path, _CONTENT.dump_json(tuple(tokens), indent=1))
        except FolderNotPrivate as error:
            raise BadSettings(
                str(error.strerror), where=str(self._home), hint=error.hint
            ) from error
        except OSError as error:
            raise BadSettings(
                f"the tokens cannot be written ({error.strerror or error})",
                where=os.fspath(self._path),
                hint="set TUQA_HOME to a folder that can be written",
            ) from error
