"""The folder of an export, which is there whole or not at all."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from ..errors import DataError, DiskFull
from .manifest import NAME

_FULL = (errno.ENOSPC, errno.EDQUOT)
_LONGEST = 40
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


@contextmanager
def filled(target: Path) -> Iterator[Path]:
    """A folder to write to, whose content is in ``target`` once all went well.

    Where ``target`` is not there yet, the folder is beside it and gets its name at the end. An empty one
    may be somebody's working folder, or lie on a disk of its own: there the folder is inside, and its
    files are moved up, the manifest last, without which nothing is an export.

    Raises:
        DataError: ``target`` holds something, is a file, or cannot be written.
        DiskFull
    """
    work: Path | None = None
    try:
        with _writing(target):
            there = _is_empty_folder(target)
            inside = target if there else target.parent
            inside.mkdir(parents=True, exist_ok=True)
            work = inside / f".{target.name[:_LONGEST]}-{token_hex(4)}"
            work.mkdir()
            yield work
            if there:
                _move_up(work)
            else:
                work.rename(target)
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)


def file_name(number: int, of: int, source: str) -> str:
    """A name for the file of a source that every system takes, whatever the source is called."""
    said = _UNSAFE.sub("-", source[-_LONGEST:]).strip("-").lower()
    return f"{number:0{len(str(of))}}-{said}".rstrip("-")


def _is_empty_folder(target: Path) -> bool:
    """Whether ``target`` is there; it is empty then."""
    if "\0" in str(target):
        raise DataError("no path", where=repr(str(target)), hint="name a folder")
    if not target.exists():
        return False
    if not target.is_dir():
        raise DataError("a file of this name is there", where=str(target), hint="name a folder")
    if any(target.iterdir()):
        raise DataError(
            "the folder holds something, and nothing is ever overwritten",
            where=str(target),
            hint="name one that is not there yet, or empty this one",
        )
    return True


def _move_up(work: Path) -> None:
    target = work.parent
    coming = sorted(work.iterdir(), key=lambda path: path.name == NAME)
    try:
        for path in coming:
            path.rename(target / path.name)
        work.rmdir()
    except BaseException:
        for path in coming:
            (target / path.name).unlink(missing_ok=True)
        raise


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """What the system says of files that are written, for people."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(
                "the disk is full", where=str(target),
                hint="make room, or export to another disk; nothing was written",
            ) from error  # fmt: skip
        reason = error.strerror or str(error)
        hint = "name a folder that can be written"
        raise DataError(f"it cannot be written ({reason})", where=str(target), hint=hint) from error
