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
from pathlib import Path
from typing import BinaryIO

from ..errors import MissingFile, UnreadableFile, UsageError
from ..graph.writing import SourceFiles
from ..loader import File
from .request import Progress, Request

STDIN = "-"


@contextmanager
def opened(request: Request) -> Iterator[list[File]]:
    """The files to read; what can be read only once is copied, so that it can be gone on with."""
    with ExitStack() as copies:
        yield [
            _copied(path, copies) if path == STDIN or _is_stream(path) else File(Path(path), path)
            for path in request.paths
        ]


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


def identified(file: File, progress: Progress) -> tuple[int, str]:
    """Size in bytes and sha256 of a file."""
    digest = hashlib.sha256()
    size = 0
    try:
        with file.path.open("rb") as content:
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
    return size, digest.hexdigest()


def grouped(request: Request, files: Sequence[File]) -> list[list[File]]:
    """The files of each source."""
    return [list(files)] if request.source is not None else [[file] for file in files]


def sources(
    request: Request, files: Sequence[File], known: Sequence[tuple[int, str]]
) -> list[SourceFiles]:
    """The sources to load, with what is ``known`` of each of ``files``: size and sha256."""
    of_file = dict(zip((file.name for file in files), known, strict=True))
    return [
        SourceFiles(
            source=group[0].name if request.source is None else request.source,
            files=tuple(file.name for file in group),
            sizes=tuple(of_file[file.name][0] for file in group),
            hashes=tuple(of_file[file.name][1] for file in group),
        )
        for group in grouped(request, files)
    ]
