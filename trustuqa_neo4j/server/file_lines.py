"""The lines of a file around a fact, with what keeps them from being shown.

A dataset names its files, and data from others could name any. So lines are shown only of a regular file of
bounded size with the content that was loaded.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from cachetools import LRUCache

from ..answer import Evidence
from ..errors import MissingFile, TrustUQAError
from ..regular_file import open_regular_file

MAX_FILE = 1_000_000_000
"""Bytes of a file up to which its lines are shown: it is read whole to compare its content."""

_AROUND = 3  # lines before and after
_MAX_CHARACTERS = 1000
_MAX_BYTES = 100_000  # of a line; the rest of a longer one is not read
_HEAD = 8192
_BLOCK = 1 << 20

# Lines are read in several threads.
_hashes: LRUCache[tuple[int, ...], str] = LRUCache(maxsize=1_000)
_lock = Lock()


@dataclass(frozen=True, slots=True)
class FileLine:
    number: int
    text: str
    is_of_fact: bool


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """Lines of a file; ``warning`` says why there are none."""

    lines: tuple[FileLine, ...] = ()
    warning: str = ""


def read_excerpt(fact: Evidence, paths: Sequence[Path], hashes: Collection[str]) -> FileExcerpt:
    """Read the line of ``fact``, with those around it, in the first of ``paths`` with a loaded content.

    ``hashes`` are the sha256 of the files of the dataset.
    """
    if fact.record:
        return FileExcerpt(
            warning="The fact is a record of a database: there is no line of a file."
        )
    warning = "The file is not there: it was moved, or loaded elsewhere."
    if paths and not paths[-1].is_absolute():
        warning = f"The file is not in {Path.cwd()}: start tuqa serve in the folder from which it was loaded."
    for path in paths:
        try:
            with open_regular_file(path, max_bytes=MAX_FILE, follow_links=False) as file:
                if _hash_file(file) in hashes:
                    return _read_excerpt(file, fact.line)
            warning = "The file was changed after it was loaded, so its lines are not shown."
        except MissingFile:
            continue
        except TrustUQAError as error:
            warning = f"The lines are not shown: {error.what}."
        except OSError as error:
            warning = f"The file cannot be read ({error.strerror})."
    return FileExcerpt(warning=warning)


def _hash_file(file: BinaryIO) -> str:
    status = os.fstat(file.fileno())
    key = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
    with _lock:
        known = _hashes.get(key)
    return known or _compute_hash(file, key)


def _compute_hash(file: BinaryIO, key: tuple[int, ...]) -> str:
    digest, left = sha256(), key[-1]
    # No more than the size: some files of the system have no end.
    while left > 0 and (block := file.read(min(left, _BLOCK))):
        digest.update(block)
        left -= len(block)
    with _lock:
        _hashes[key] = digest.hexdigest()
    return digest.hexdigest()


def _read_excerpt(file: BinaryIO, number: int) -> FileExcerpt:
    file.seek(0)
    if b"\0" in file.read(_HEAD):
        return FileExcerpt(warning="The file is not a text file, so it has no lines.")
    return FileExcerpt(tuple(islice(_read_lines(file, number), 2 * _AROUND + 1)))


def _read_lines(file: BinaryIO, number: int) -> Iterator[FileLine]:
    first, last = max(1, number - _AROUND), number + _AROUND
    position, is_start = 1, True
    file.seek(0)
    while position <= last and (data := file.readline(_MAX_BYTES)):
        if is_start and position >= first:
            text = data.decode("utf-8-sig" if position == 1 else "utf-8", "replace")
            text = text.rstrip("\r\n")
            shown = text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + "…"
            yield FileLine(position, shown, position == number)
        is_start = data.endswith(b"\n")
        position += is_start
