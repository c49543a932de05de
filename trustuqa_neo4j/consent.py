"""What this user has allowed: a file with its path and content, by a digest of both.

A file that changes is another one, and so is a copy of it at another place. The marks lie in the user's
folder of configuration, where no file of a working folder can put them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from .private_folder import FolderNotPrivate, check_private_folder, make_private_folder


def make_digest(path: Path, content: bytes) -> str:
    return hashlib.sha256(os.fsencode(path.resolve()) + b"\0" + content).hexdigest()


@dataclass(frozen=True)
class Consents:
    folder: Path

    @classmethod
    def of_user(cls, subject: str = "allowed") -> Consents:
        return cls(Path(platformdirs.user_config_dir("tuqa", False)) / subject)

    def has(self, digest: str) -> bool:
        return self._is_private() and (self.folder / digest).is_file()

    def add(self, digest: str, path: Path) -> None:
        """Allow what has this digest.

        Raises:
            OSError: the mark cannot be written, or the folder is not the user's own.
        """
        make_private_folder(self.folder)
        descriptor = os.open(self.folder / digest, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as mark:
            mark.write(os.fsencode(path.resolve()))

    def remove(self, path: Path) -> int:
        """Take back all that was allowed of ``path``; return the number of its contents."""
        digests = [digest for digest, allowed in self if allowed == path.resolve()]
        for digest in digests:
            (self.folder / digest).unlink(missing_ok=True)
        return len(digests)

    def __iter__(self) -> Iterator[tuple[str, Path]]:
        if not self._is_private():
            return
        with suppress(FileNotFoundError):
            for mark in sorted(self.folder.iterdir()):
                yield mark.name, Path(os.fsdecode(mark.read_bytes()))

    def _is_private(self) -> bool:
        # Marks that others can write say nothing.
        with suppress(FolderNotPrivate):
            check_private_folder(self.folder)
            return True
        return False
