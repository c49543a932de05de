"""CSV as every tool reads it: comma, quotes doubled within quotes, UTF-8, a header."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from ..errors import DataError


class Rows:
    """A CSV file that is being written; what is behind a mark can be taken back."""

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.path = path
        self._file = path.open("w", encoding="utf-8", newline="")
        self._plain = csv.writer(self._file, lineterminator="\n")
        # Before Python 3.13 a carriage return is not quoted unless everything is.
        self._quoted = csv.writer(self._file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        self.written = -1
        self.write(header)

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, row: Sequence[str]) -> None:
        """Write a row.

        Raises:
            DataError: it holds a character that text files do not have.
        """
        letters = "".join(row)
        if "\0" in letters:
            raise DataError(
                "a name holds a NUL character, which no text file does",
                where=repr(next(cell for cell in row if "\0" in cell)[:100]),
                hint="load the data again without it",
            )
        (self._quoted if "\r" in letters else self._plain).writerow(row)
        self.written += 1

    def mark(self) -> tuple[int, int]:
        """Where it stands."""
        return self._file.tell(), self.written

    def take_back(self, mark: tuple[int, int]) -> None:
        """Take back all that was written behind ``mark``."""
        self._file.seek(mark[0])
        self._file.truncate()
        self.written = mark[1]
