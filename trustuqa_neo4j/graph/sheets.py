"""Comma-separated files as ``neo4j-admin database import`` reads them.

Text always stands in quotes, since without them an empty one would be none at all. Rows with a line break in
them go to a file of their own: the tool reads all other files in several threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

ARRAY_DELIMITER = "\x1f"

_LONG = 250_000
"""Characters: a longer line may be more than the tool reads at once unless told."""


def text(value: str) -> str:
    """A text, quoted."""
    return f'"{value}"' if '"' not in value else '"' + value.replace('"', '""') + '"'


def cell(value: Any) -> str:
    """A text, a number, or nothing."""
    if value is None:
        return ""
    return text(value) if isinstance(value, str) else repr(value)


@dataclass
class Sheet:
    """Rows of one shape: what nodes' labels or relationships' type they have, and their columns."""

    name: str
    labels: str
    columns: str
    folder: Path
    closing: ExitStack
    rows: int = 0
    longest: int = 0
    _files: dict[str, BinaryIO] = field(default_factory=dict)

    def write(self, lines: Sequence[str]) -> None:
        """Write rows."""
        if not lines:
            return
        self.rows += len(lines)
        joined = "\n".join(lines)
        if joined.count("\n") == len(lines) - 1 and "\r" not in joined:
            self._file(self.name).write(joined.encode() + b"\n")
        else:
            for line in lines:
                self._file(self._named(line)).write(line.encode() + b"\n")
        if len(joined) > _LONG:
            self.longest = max(self.longest, *map(len, lines))

    def fill(self, form: str, cells: Sequence[int], rows: int) -> None:
        """Write rows of one ``form``, in which ``%d`` stands for a number; ``cells`` are those of all rows.

        All in one go: row by row would take three times as long. ``form`` must not be long.
        """
        if rows:
            self.rows += rows
            text = (form + "\n") * rows % tuple(cells)
            self._file(self._named(form)).write(text.encode())

    def _named(self, line: str) -> str:
        return f"{self.name}-lines" if "\n" in line or "\r" in line else self.name

    def _file(self, name: str) -> BinaryIO:
        found = self._files.get(name)
        if found is None:
            path = self.folder / f"{name}.csv"
            found = self._files[name] = self.closing.enter_context(path.open("wb"))
            found.write(self.columns.encode() + b"\n")
        return found

    @property
    def files(self) -> list[str]:
        """The names of the files, relative to their folder."""
        return [f"{name}.csv" for name in self._files]


@dataclass
class Sheets:
    """The files of one import."""

    folder: Path
    nodes: list[Sheet] = field(default_factory=list)
    relationships: list[Sheet] = field(default_factory=list)
    _closing: ExitStack = field(default_factory=ExitStack)

    def of_nodes(self, name: str, labels: str, columns: str) -> Sheet:
        """A sheet of nodes with ``labels``."""
        sheet = Sheet(name, labels, f":ID,{columns}", self.folder, self._closing)
        self.nodes.append(sheet)
        return sheet

    def of_relationships(self, name: str, kind: str, columns: str = "") -> Sheet:
        """A sheet of relationships of one type."""
        head = ":START_ID,:END_ID" + (f",{columns}" if columns else "")
        sheet = Sheet(name, kind, head, self.folder, self._closing)
        self.relationships.append(sheet)
        return sheet

    def close(self) -> None:
        """Write what is still held back, and close all files."""
        self._closing.close()

    def arguments(self) -> list[str]:
        """What the tool is told of the files; it must run in their folder."""
        given = []
        for option, sheets in (("nodes", self.nodes), ("relationships", self.relationships)):
            given += [f"--{option}={s.labels}=./{file}" for s in sheets for file in s.files]
        broken = [f for s in (*self.nodes, *self.relationships) for f in s.files if "-lines" in f]
        if broken:
            files = ",".join(f"./{file}" for file in broken)
            given += ["--multiline-fields-format=v2", f"--multiline-fields={files}"]
        longest = max(sheet.longest for sheet in (*self.nodes, *self.relationships))
        if longest > _LONG:
            given.append(f"--read-buffer-size={8 * longest}")
        return given

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.folder.glob("*.csv"))
