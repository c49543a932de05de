"""The lines of a file around a fact, with what keeps them from being shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

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
    """Lines of a file; ``warning`` says why there are none, or why they may be others than those loaded."""

    lines: tuple[FileLine, ...] = ()
    warning: str = ""


def read_excerpt(fact: Evidence, path: Path, loaded: str | None) -> FileExcerpt:
    """Read the line of ``fact`` in the file ``path``, with those around it.

    ``loaded`` is the time of the load, as ISO 8601.
    """
    if fact.record:
        return FileExcerpt(
            warning="The fact is a record of a database: there is no line of a file."
        )
    try:
        changed = path.stat().st_mtime
        with path.open("rb") as file:
            if b"\0" in file.read(_HEAD):
                return FileExcerpt(warning="The file is not a text file, so it has no lines.")
        lines = tuple(islice(_read_lines(path, fact.line), 2 * _AROUND + 1))
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return FileExcerpt(warning="The file is not there: it was moved, or loaded elsewhere.")
        return FileExcerpt(warning=f"The file cannot be read ({error.strerror}).")
    if not any(line.is_of_fact for line in lines):
        return FileExcerpt(warning=f"The file has no line {fact.line:,} any more.")
    if loaded is not None and changed > datetime.fromisoformat(loaded).timestamp():
        return FileExcerpt(
            lines, "The file was changed after it was loaded: its lines may be others."
        )
    return FileExcerpt(lines)


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
