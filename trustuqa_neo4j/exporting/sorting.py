"""More rows than memory holds, in order.

The index gives the facts of a source relation by relation; files are written in the order in which they
were read. The database could sort, but in its memory. So runs are sorted here, kept on disk, and merged.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROWS = 50_000
"""Rows in a run."""

LETTERS = 10_000_000
"""Letters in a run, about."""

RUNS = 100
"""Runs from which they are merged into one: each is an open file when they are read."""


class Sorter:
    """Takes rows that JSON can say, and gives them in order of their first members, which are numbers."""

    def __init__(self, folder: Path, rows: int = ROWS) -> None:
        self._folder = folder
        self._size = rows
        self._rows: list[list[Any]] = []
        self._letters = 0
        self._runs: list[Path] = []
        self._made = 0

    def add(self, row: list[Any], letters: int = 0) -> None:
        """Take a row whose texts have ``letters``; no two rows have all numbers at their begin alike."""
        self._rows.append(row)
        self._letters += letters
        if len(self._rows) >= self._size or self._letters >= LETTERS:
            self._spill()

    def clear(self) -> None:
        """Forget all rows."""
        self._rows.clear()
        self._letters = 0
        for run in self._runs:
            run.unlink(missing_ok=True)
        self._runs.clear()

    close = clear

    def __iter__(self) -> Iterator[list[Any]]:
        if self._runs:
            self._spill()
            yield from heapq.merge(*map(_read, self._runs))
        else:
            self._rows.sort()
            yield from self._rows

    def _spill(self) -> None:
        self._rows.sort()
        self._write(iter(self._rows))
        self._rows.clear()
        self._letters = 0
        if len(self._runs) >= RUNS:
            runs, self._runs = self._runs, []
            self._write(heapq.merge(*map(_read, runs)))
            for run in runs:
                run.unlink()

    def _write(self, rows: Iterator[list[Any]]) -> None:
        self._made += 1
        path = self._folder / f"run-{self._made}"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            self._runs.append(path)
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def _read(path: Path) -> Iterator[list[Any]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield json.loads(line)
