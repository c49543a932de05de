"""The files of a load: copied where they can be read only once, and identified."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..errors import MissingFile, UnreadableFile, UsageError
from ..loader import File
from .addresses import file_of, is_address
from .request import Progress, Request

STDIN = "-"


@contextmanager
def opened(request: Request) -> Iterator[list[File]]:
    """The files to read; what can be read only once is copied, so that it can be gone on with.

    Folders are turned into the files that the format reads in them, but for those that are given by
    themselves; addresses stand for themselves.
    """
    with ExitStack() as copies:
        files: list[File] = [*request.given]
        for path in request.paths:
            if is_address(path):
                files.append(file_of(path))
            elif path == STDIN or _is_stream(path):
                files.append(_copied(path, copies))
            else:
                found = (File(Path(each), str(each)) for each in _expanded(request, path))
                files += [f for f in found if f.name == path or f.name not in request.paths]
        names = [file.name for file in files]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise UsageError(f"{min(repeated)} is given twice", hint="give each file once")
        yield files


def _expanded(request: Request, path: str) -> Sequence[Path | str]:
    expand = request.loader.expand
    if expand is None or not _is_folder(path):
        return [path]
    found = expand(Path(path))
    if not found:
        raise UnreadableFile(
            f"no file of the format {request.loader.name} in this folder",
            where=path,
            hint="give the files themselves; `tuqa-load --list` says what each format reads",
        )
    return found


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _is_stream(path: str) -> bool:
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 # tells a pipe from a file in one call
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def _copied(path: str, copies: ExitStack) -> File:
    name = "stdin" if path == STDIN else path
    if path == STDIN and sys.stdin is None:
        raise UsageError("standard input is closed", hint="give a file")
    try:
        kept = Path(copies.enter_context(tempfile.TemporaryDirectory(prefix="tuqa-"))) / "copy"
        with ExitStack() as closing:
            if path == STDIN:
                stream: BinaryIO = sys.stdin.buffer
            else:
                stream = closing.enter_context(Path(path).open("rb"))
            shutil.copyfileobj(stream, closing.enter_context(kept.open("wb")))
    except OSError as error:
        raise UnreadableFile(
            f"it cannot be copied ({error.strerror or error})",
            where=name,
            hint="set TMPDIR to a folder with enough space",
        ) from error
    return File(kept, name)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file was when it was looked at: size in bytes, sha256, and when it was last changed.

    Of an address, size and sha256 are those of what its loader made of it.
    """

    size: int
    sha256: str
    changed: int


def identified(file: File, progress: Progress) -> Identity:
    """Read all of a file, so that it is known again.

    Raises:
        MissingFile, UnreadableFile
    """
    digest = hashlib.sha256()
    size = 0
    try:
        with file.path.open("rb") as content:
            changed = os.fstat(content.fileno()).st_mtime_ns
            progress.begin(f"look at {file.name}", file.path.stat().st_size)
            while block := content.read(1 << 20):
                digest.update(block)
                size += len(block)
                progress.advance(size)
    except (FileNotFoundError, ValueError) as error:  # ValueError: a NUL in the path
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except IsADirectoryError as error:
        raise UnreadableFile("a folder", where=file.name, hint="give the files in it") from error
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "check the path and its permissions"
        raise UnreadableFile(reason, where=file.name, hint=hint) from error
    if not size:
        raise UnreadableFile("the file is empty", where=file.name, hint="give one with facts")
    return Identity(size, digest.hexdigest(), changed)


def check_unchanged(file: File, known: Identity) -> None:
    """See that a file is still what it was when it was looked at; an address is looked at as it is read.

    Raises:
        UnreadableFile
    """
    if file.address is not None:
        return
    try:
        now = file.path.stat()
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableFile(
            f"it went away while it was read ({reason})", where=file.name, hint="load it again"
        ) from error
    if (now.st_size, now.st_mtime_ns) != (known.size, known.changed):
        raise UnreadableFile(
            "it changed while it was read",
            where=file.name,
            hint="load it again once nobody writes to it",
        )
