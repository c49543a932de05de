"""Regular files of bounded size: what a program opens of a path that somebody else chose.

A device never ends, a pipe waits for ever, and a link leads elsewhere. So the opened file itself is looked
at, and nothing waits: another process may exchange a file between a look at its path and the opening.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

from .errors import MissingFile, UnreadableFile, undo_on_failure

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISLNK, "a link"),
)


def describe_kind(mode: int) -> str:
    """What a path is that is not a regular file, as in *it is a pipe*."""
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "of an unknown kind")


def open_regular_file(path: Path, *, max_bytes: int, follow_links: bool = True) -> BinaryIO:
    """Open a regular file of at most ``max_bytes`` for reading; never wait for it.

    ``follow_links`` is about the last part of ``path`` alone.

    Raises:
        MissingFile: there is no such file.
        UnreadableFile: it is of another kind, larger, or cannot be read.
    """
    try:
        # Before the opening, since that alone may do something to a device.
        _check(path.stat() if follow_links else path.lstat(), path, max_bytes)
        flags = os.O_RDONLY | _flag("O_NONBLOCK") | _flag("O_CLOEXEC") | _flag("O_BINARY")
        descriptor = os.open(path, flags | (0 if follow_links else _flag("O_NOFOLLOW")))
    except FileNotFoundError as error:
        raise MissingFile(
            "there is no such file", where=str(path), hint="check the path"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = getattr(error, "strerror", None) or error
        raise UnreadableFile(
            f"the file cannot be read ({reason})", where=str(path), hint="check its permissions"
        ) from error
    with undo_on_failure(partial(os.close, descriptor)):
        _check(os.fstat(descriptor), path, max_bytes)
    return os.fdopen(descriptor, "rb")


def read_regular_file(path: Path, *, max_bytes: int, follow_links: bool = True) -> bytes:
    """Read a regular file whole.

    Raises:
        MissingFile, UnreadableFile
    """
    with open_regular_file(path, max_bytes=max_bytes, follow_links=follow_links) as file:
        content = file.read(max_bytes + 1)
        if len(content) > max_bytes:  # it grew since it was opened
            raise _size_error(path, max_bytes)
        return content


def _check(status: os.stat_result, path: Path, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = describe_kind(status.st_mode)
        raise UnreadableFile(
            f"it is {kind} and not a regular file",
            where=str(path),
            hint="copy the contents into a file and use that one",
        )
    if status.st_size > max_bytes:
        raise _size_error(path, max_bytes)


def _size_error(path: Path, max_bytes: int) -> UnreadableFile:
    return UnreadableFile(
        f"the file is larger than {max_bytes:,} bytes", where=str(path), hint="use a smaller file"
    )


def _flag(name: str) -> int:
    # Systems other than Unix lack some.
    return int(getattr(os, name, 0))
