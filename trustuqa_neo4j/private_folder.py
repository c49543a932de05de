"""Folders and files of this user alone, such as ``TUQA_HOME``.

What others can write, they can exchange: a database, a password, the configuration of a server. So a folder
that is not the user's, or that others can write, is not used. What others can only read is closed to them.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from errno import EPERM
from pathlib import Path

_HAS_MODES = os.name != "nt"


class FolderNotPrivate(PermissionError):
    """A folder of another user, or one that others can write; ``hint`` says what to do."""

    def __init__(self, reason: str, folder: Path, hint: str) -> None:
        super().__init__(EPERM, reason, str(folder))
        self.hint = hint


def make_private_folder(folder: Path) -> None:
    """Create a folder for this user alone, or close an existing one to others.

    Raises:
        FolderNotPrivate: somebody else may have changed what is in it.
        OSError
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_private_folder(folder)
    restrict_access(folder)


def check_private_folder(folder: Path) -> None:
    """Refuse a folder of another user, or that others can write; nothing happens if there is none.

    Raises:
        FolderNotPrivate
    """
    try:
        status = folder.stat()
    except OSError:  # whoever uses it reports that
        return
    if not (_HAS_MODES and stat.S_ISDIR(status.st_mode)):
        return
    if status.st_uid != os.geteuid():
        raise FolderNotPrivate(
            "the folder belongs to another user",
            folder,
            "set TUQA_HOME to a folder of your own; if this one should be yours: "
            f"sudo chown -R $(id -u) '{folder}'",
        )
    if status.st_mode & 0o022:
        raise FolderNotPrivate(
            "other users can write the folder, and may have changed what is in it",
            folder,
            f"if you trust what is in it: chmod -R go-rwx '{folder}'; otherwise set TUQA_HOME to "
            "another folder",
        )


def restrict_access(path: Path) -> None:
    """Take the access of other users away from a file or folder; nothing happens if it does not exist."""
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077 and _HAS_MODES:
            path.chmod(mode & 0o700)


def write_private_file(path: Path, content: bytes) -> None:
    """Write a file of this user alone, at once or not at all.

    Raises:
        OSError
    """
    # mkstemp makes it readable for its owner alone.
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)


def is_private_file(descriptor: int) -> bool:
    """True if an open file belongs to this user, and others can neither read nor write it."""
    status = os.fstat(descriptor)
    return not _HAS_MODES or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)


def restrict_tree(folder: Path) -> None:
    """Take the access of other users away from all that is in a folder; links are not followed."""
    if not _HAS_MODES:
        return
    for parent, _folders, files in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in files)):
            with suppress(FileNotFoundError):  # another process removes its files meanwhile
                mode = path.lstat().st_mode
                if mode & 0o077 and not stat.S_ISLNK(mode):
                    path.chmod(stat.S_IMODE(mode) & 0o700)
