"""Workbooks of the old kind, XLS, read in a process of their own.

Damaged ones can end the process that reads them: calamine then asks for more memory than there is.
Other kinds of workbooks are zip archives, whose checksums keep damage from it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .workbooks import Locked, Sheet, Unreadable, sheets


def sheets_apart(path: str) -> list[Sheet]:
    """As ``workbooks.sheets``; the rows of each sheet are to be read before those of the next.

    Raises:
        Unreadable
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as written:
        ended = subprocess.run(  # noqa: S603 # this very module
            [sys.executable, "-m", __name__, path],
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.DEVNULL,
            cwd=Path(path).parent,  # what lies in the user's folder is no module
            check=False,
        )
        written.seek(0)
        said = written.readlines()
    if ended.returncode or not said:
        raise Unreadable("its data is damaged")
    first = json.loads(said[0])
    if isinstance(first, str):
        raise Unreadable(first) if first else Locked
    lines = iter(said[1:])
    return [Sheet(name, _rows(lines, count)) for name, count in first]


def _rows(lines: Iterator[str], count: int) -> Iterator[tuple[int, list[str]]]:
    for _ in range(count):
        number, cells = json.loads(next(lines))
        yield number, cells


def tell(path: str, to: IO[str]) -> None:
    """Write the sheets at ``path`` as JSON lines: names and numbers of rows, then each row.

    Why they cannot be read is one line, a text; an empty one: they are locked.
    """
    try:
        found = [(sheet.name, list(sheet.rows)) for sheet in sheets(path)]
    except Unreadable as error:
        to.write(json.dumps(str(error)))
        return
    to.write(json.dumps([(name, len(rows)) for name, rows in found]) + "\n")
    to.writelines(json.dumps(row) + "\n" for _, rows in found for row in rows)


if __name__ == "__main__":
    tell(sys.argv[1], sys.stdout)
