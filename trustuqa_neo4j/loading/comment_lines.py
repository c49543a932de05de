"""Comment lines above the rows of delimited text, of which one may be the header.

Comments are lines that begin with ``#`` before the first row. A line that begins so and has as many cells as
the rows may be one of them (``#12;Ann``), so it is not taken for a comment.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import NamedTuple

from ..values import read_value

COMMENT_SIGN = "#"
MAX_COMMENT_LINES = 1000

_MIN_COMMENT_LINES = 2
"""A single line may be a header whose first name begins with the sign."""


def is_comment_or_blank(line: str) -> bool:
    return line.startswith(COMMENT_SIGN) or not line.strip()


def count_comment_lines(lines: Sequence[str]) -> int:
    """The number of lines up to the last of the comments that begin ``lines``; 0: no comments, or no rows."""
    count = next((n for n, line in enumerate(lines) if not is_comment_or_blank(line)), 0)
    while count and not lines[count - 1].strip():
        count -= 1
    comments = sum(bool(line.strip()) for line in lines[:count])
    return count if comments >= _MIN_COMMENT_LINES else 0


class CommentHeader(NamedTuple):
    """The header in a comment: the number of lines above it, and the names of the columns."""

    above: int
    names: list[str]


def find_comment_header(
    lines: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str
) -> CommentHeader | None:
    """The one comment of ``lines`` that may be a row or header, if it names the columns of ``rows``."""
    cells = [_split_comment(line, delimiter) for line in lines]
    indices = [n for n, comment in enumerate(cells) if _may_be_row(comment, rows, delimiter)]
    names = _read_names(cells[indices[0]], rows, delimiter) if len(indices) == 1 else []
    return CommentHeader(indices[0], names) if names else None


def has_comment_row(lines: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Return whether one of the comments may be a row or the header."""
    return any(_may_be_row(_split_comment(line, delimiter), rows, delimiter) for line in lines)


def _split_comment(line: str, delimiter: str) -> Sequence[str]:
    text = line.removeprefix(COMMENT_SIGN).rstrip("\r\n")
    return next(csv.reader([text], delimiter=delimiter), [])


def _may_be_row(cells: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    width = max(map(len, rows), default=0)
    if delimiter == "\t":  # hardly a sign of a text
        return len(cells) > 1 and bool(cells[0].strip()) and any(map(str.strip, cells[1:]))
    # A comma of a sentence has a blank after it.
    has_blanks = any(cell[:1] == " " for row in rows for cell in row[1:])
    is_prose = not has_blanks and any(cell[:1] == " " for cell in cells[1:])
    return len(cells) == width > 1 and not is_prose


def _read_names(cells: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> list[str]:
    # Empty if the cells do not name the columns.
    names = [*map(str.strip, cells)]
    if delimiter == "\t":  # several of them align the names
        names = [*filter(None, names)]
    width = max(map(len, rows), default=0)
    is_unique = len({name.casefold() for name in names}) == len(names) == width
    if not is_unique or not all(names) or any(read_value(name) is not None for name in names):
        return []
    # The first row may be the header, and a comma may be one of a text.
    is_header_below = len(rows[0]) == width and _stand_above_values(rows[0], rows[1:])
    is_header = not is_header_below and (delimiter != "," or _stand_above_values(names, rows))
    return names if is_header else []


def _stand_above_values(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    # Whether a text stands above numbers or dates.
    for number, name in enumerate(names):
        filled = [row[number] for row in rows if number < len(row) and row[number].strip()]
        values = sum(read_value(cell) is not None for cell in filled)
        if filled and values >= 0.9 * len(filled) and read_value(name) is None and name.strip():
            return True
    return False
