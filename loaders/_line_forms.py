"""Lines that no usual delimiter divides: whole lines in quotes, blanks between cells; and loose quotes.

Each form is recognized only where all lines of the sample agree and names stand above numbers or dates.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from trustuqa_neo4j.values import read_value

LineForm = Literal["plain", "quoted", "columns", "blanks"]
"""``quoted``: each line as a whole is in quotes; ``columns``: two blanks or more are between the cells;
``blanks``: any number of them."""


class Dialect(NamedTuple):
    # ``escape`` is the character before a quote within quotes; None: such a quote is doubled. With ``quoted``
    # False a quote is an ordinary character. ``quote`` is the sign around cells. ``skips_blanks``: cells lose
    # their first blanks, so that a quote may follow them.

    delimiter: str
    escape: str | None = None
    quoted: bool = True
    quote: str = '"'
    line_form: LineForm = "plain"
    skips_blanks: bool = False


_SIGNS = ("\t", ",", ";", "|")
_GAP = re.compile(r" {2,}")
_MIN_LINES = 3


def find_line_form(lines: Sequence[str]) -> Dialect | None:
    # The dialect of filled lines, if it is beyond doubt one of those above, or has blanks as delimiters.
    lines = [line.rstrip("\r\n") for line in lines]
    if len(lines) < _MIN_LINES:
        return None
    sign = _find_sign_in_quotes(lines)
    if sign:
        return Dialect(sign, line_form="quoted")
    if any(sign in lines[0] for sign in _SIGNS):
        return None
    if _is_table([_GAP.split(line.strip()) for line in lines], 1):
        return Dialect("\t", quoted=False, line_form="columns")
    if _is_table([*csv.reader(lines, delimiter=" ")], 2):
        return Dialect(" ")
    if _is_table([line.split() for line in lines], 2):
        return Dialect("\t", quoted=False, line_form="blanks")
    return None


def _find_sign_in_quotes(lines: Sequence[str]) -> str:
    # The delimiter within lines that are one cell each; texts have blanks after their commas.
    inner = [line[1:-1].replace('""', '"') for line in lines if _is_quoted(line)]
    if len(inner) < len(lines):
        return ""
    for sign in _SIGNS:
        rows = [*csv.reader(inner, delimiter=sign)]
        has_spaces = any(f"{sign} " in line for line in inner)
        if not has_spaces and len(rows[0]) > 2 and _is_table(rows, 1):
            return sign
    return ""


def _is_quoted(line: str) -> bool:
    is_in_quotes = len(line) > 2 and line[0] == line[-1] == '"'
    return is_in_quotes and '"' not in line[1:-1].replace('""', "")


def _is_table(rows: Sequence[Sequence[str]], least: int) -> bool:
    # Whether names stand above so many columns of numbers or dates. R gives the names of rows no name.
    names, *others = rows
    width = len(others[0])
    shift = width - len(names)
    if width < 2 or shift not in (0, 1) or not names or any(len(row) != width for row in others):
        return False
    if any(read_value(" ".join(row)) is not None for row in rows):
        return False
    typed = sum(all(read_value(row[n]) is not None for row in others) for n in range(shift, width))
    return typed >= least and all(name.strip() and read_value(name) is None for name in names)


def plain_lines(lines: Iterable[str], form: LineForm) -> Iterable[str]:
    # The lines as the csv module reads them.
    return lines if form == "plain" else _change_lines(lines, form)


def _change_lines(lines: Iterable[str], form: LineForm) -> Iterator[str]:
    for line in lines:
        text = line.rstrip("\r\n")
        if form == "quoted":
            text = text[1:-1].replace('""', '"') if _is_quoted(text) else text
        else:
            text = "\t".join(_GAP.split(text.strip()) if form == "columns" else text.split())
        yield f"{text}\n"


def split_by_outer_quotes(line: str, dialect: Dialect) -> list[str]:
    # The cells of a line in which a quote ends a cell only before the delimiter.
    quote, delimiter = re.escape(dialect.quote), re.escape(dialect.delimiter)
    cell = re.compile(rf"{quote}(.*?){quote}(?={delimiter}|$)|((?!{quote})[^{delimiter}]*)")
    cells: list[str] = []
    text, position = line.rstrip("\r\n"), 0
    while True:
        match = cell.match(text, position)
        if match is None:
            return []
        inner = match[1]
        cells.append(match[2] if inner is None else inner.replace(2 * dialect.quote, dialect.quote))
        if match.end() == len(text):
            return cells
        if text[match.end()] != dialect.delimiter:
            return []
        position = match.end() + 1
