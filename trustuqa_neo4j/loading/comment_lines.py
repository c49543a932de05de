"""Comment lines above the rows of delimited text, of which the last one may be the header.

Comments are lines that begin with ``#`` before the first row. A line that begins so and has as many cells as
the rows may be one of them (``#12;Ann``), so it is not taken for a comment.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    comments = [line for line in lines[:count] if line.strip()]
    # An open quote takes in what follows.
    is_whole = not any(line.count('"') % 2 for line in comments)
    return count if len(comments) >= _MIN_COMMENT_LINES and is_whole else 0


def may_be_row(cells: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Whether the cells of a comment, without its sign, may be those of a row or of the header."""
    width = max(map(len, rows), default=0)
    # A comma of a sentence has a blank after it, and hardly a sentence has a tab.
    has_blanks = any(cell[:1] == " " for row in rows for cell in row[1:])
    is_prose = not has_blanks and any(cell[:1] == " " for cell in cells[1:])
    is_part = delimiter == "\t" and len(cells) > 1 and all(map(str.strip, cells))
    return (len(cells) == width > 1 and not is_prose) or is_part


def is_comment_header(cells: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Whether the cells of a comment, without its sign, name the columns of ``rows``."""
    names = [cell.strip() for cell in cells]
    width = max(map(len, rows), default=0)
    if len(names) != width or not may_be_row(cells, rows, delimiter) or not all(names):
        return False
    folded = {name.casefold() for name in names}
    if len(folded) < width or any(read_value(name) is not None for name in names):
        return False
    # The first row may be the header, and a comma may be one of a text.
    is_header_below = len(rows[0]) == width and _stand_above_values(rows[0], rows[1:])
    return not is_header_below and (delimiter != "," or _stand_above_values(names, rows))


def _stand_above_values(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    # Whether a text stands above numbers or dates.
    for number, name in enumerate(names):
        filled = [row[number] for row in rows if number < len(row) and row[number].strip()]
        values = sum(read_value(cell) is not None for cell in filled)
        if filled and values >= 0.9 * len(filled) and read_value(name) is None and name.strip():
            return True
    return False
