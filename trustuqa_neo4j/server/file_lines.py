"""The lines of a file around a fact, with what keeps them from being shown.

A dataset names its files, and data from others could name any. So lines are shown only of a file with the
content that was loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from threading import Lock

from cachetools import LRUCache, cached

from ..answer import Evidence

_AROUND = 3  # lines before and after
_MAX_CHARACTERS = 1000
_MAX_BYTES = 100_000  # of a line; the rest of a longer one is not read
_HEAD = 8192


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
            status = path.stat()
            if _hash_file(path, status.st_mtime_ns, status.st_size) in hashes:
                return _read_excerpt(path, fact.line)
            warning = "The file was changed after it was loaded, so its lines are not shown."
        except FileNotFoundError:
            continue
        except OSError as error:
            warning = f"The file cannot be read ({error.strerror})."
    return FileExcerpt(warning=warning)


# Lines are read in several threads.
@cached(LRUCache(maxsize=1_000), lock=Lock())
def _hash_file(path: Path, changed: int, size: int) -> str:  # noqa: ARG001 # parts of the key
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _read_excerpt(path: Path, number: int) -> FileExcerpt:
    with path.open("rb") as file:
        if b"\0" in file.read(_HEAD):
            return FileExcerpt(warning="The file is not a text file, so it has no lines.")
    return FileExcerpt(tuple(islice(_read_lines(path, number), 2 * _AROUND + 1)))


def _read_lines(path: Path, number: int) -> Iterator[FileLine]:
    first, last = max(1, number - _AROUND), number + _AROUND
    position, is_start = 1, True
    with path.open("rb") as file:
        while position <= last and (data := file.readline(_MAX_BYTES)):
            if is_start and position >= first:
                text = data.decode("utf-8-sig" if position == 1 else "utf-8", "replace")
                text = text.rstrip("\r\n")
                shown = text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + "…"
                yield FileLine(position, shown, position == number)
            is_start = data.endswith(b"\n")
            position += is_start
