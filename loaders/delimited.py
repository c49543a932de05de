"""Tables as text: cells with a comma, tab, semicolon or vertical bar between them.

No file says how it quotes. The csv module's own defaults read backslash escapes as something else in
silence, so where a text holds a backslash, the reading is taken under which most of its records, and
usually all, have the width of the header (``dialects``).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loader import Reading

from .content import Content, lines_of
from .rows import HINT, Table
from .text import LONGEST, Lines

_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar"}
_TABBED = (".tsv", ".tab", ".tsv.gz", ".tab.gz")
_LOOKED_AT, _LOOKED_AT_MOST = 50, 1 << 20
_SAID = {
    "unexpected end of data": "a quote in this record is never closed",
    "too long": f"a record of more than {LONGEST:,} characters: is its quote never closed?",
}
"""What the csv module, and ``_limited``, say → the same for people."""


_ESCAPED = re.compile(r"\\.")


class Dialect(NamedTuple):
    """How cells are told apart.

    ``escape`` is the character before a quote within quotes; None: such a quote is doubled. With
    ``quoted`` False a quote is a character like any other.
    """

    delimiter: str
    escape: str | None = None
    quoted: bool = True


class Record(NamedTuple):
    """The line where a record begins, its fields, and what is wrong with it, if anything."""

    line: int
    fields: list[str]
    wrong: str = ""


def tables(content: Content, reading: Reading, dialect: Dialect | None = None) -> Iterator[Table]:
    """The one table in ``content``; its dialect is found where none is given.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    chosen = dialect or _dialect(content, reading)
    with lines_of(content, reading) as lines:
        found = records(lines, chosen)
        header = next(found, None)
        if header is None:
            hint = "give a file with a header and rows"
            raise UnreadableFile("only blank lines", where=content.place, hint=hint)
        if header.wrong:
            where = f"{content.place}:{header.line}"
            raise MalformedLine(header.wrong, where=where, hint="the first row is the header")
        rows = _rows(content.place, found, reading)
        yield Table(content.name, content.place, header.fields, rows)


def _rows(place: str, found: Iterator[Record], reading: Reading) -> Iterator[tuple[int, list[str]]]:
    for line, fields, wrong in found:
        if wrong:
            reading.malformed(wrong, f"{place}:{line}", HINT)
        else:
            yield line, fields


def records(lines: Iterable[str], dialect: Dialect) -> Iterator[Record]:
    """The records of a text that are not blank.

    Strict: what the csv module would otherwise make something of is wrong. It goes on with the next line.
    """
    width = 0
    # The limit is the whole process's and cannot be set for one reader; _limited is ours.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    size = [0]
    reader = csv.reader(
        _limited(lines, size),
        delimiter=dialect.delimiter,
        escapechar=dialect.escape,
        doublequote=dialect.escape is None,
        quoting=csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE,
        strict=True,
    )
    while True:
        line = reader.line_num + 1
        size[0] = 0
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Record(line, [], _said(str(error)))
            continue
        if fields and not _is_blank(fields, width):
            width = width or len(fields)
            yield Record(line, fields)


def _is_blank(fields: list[str], width: int) -> bool:
    """Whether this is a line of blanks; where there is one column, it is a cell as it stands."""
    return len(fields) == 1 and width != 1 and not fields[0].strip() and bool(width or fields[0])


def _limited(lines: Iterable[str], size: list[int]) -> Iterator[str]:
    """``lines``, until those of one record are too long: an open quote would take in all the rest."""
    for line in lines:
        size[0] += len(line)
        if size[0] > LONGEST:
            raise csv.Error("too long")
        yield line


def _said(error: str) -> str:
    if "expected after" in error:
        return "a quote that closes stands before something other than the delimiter"
    return _SAID.get(error, error)


def _dialect(content: Content, reading: Reading) -> Dialect:
    with lines_of(content, reading, silent=True) as lines:
        first = _first(lines)
        delimiter = _delimiter(first, content.place)
        candidates = dialects(delimiter)
        # One reading suffices for nearly all files: without these signs they all find the same cells.
        signs = ('"', "\\") if len(candidates) > 2 else ("\\",)
        doubtful = _hold(first, signs) or _hold(lines, signs)
    if not doubtful:
        return candidates[0]
    best, fewest = candidates[0], -1
    for candidate in candidates:
        with lines_of(content, reading, silent=True) as lines:
            wrong = _misfits(_strictly(lines, candidate), fewest)
        if not wrong:
            return candidate
        if fewest < 0 or wrong < fewest:
            best, fewest = candidate, wrong
    return best


def dialects(delimiter: str) -> list[Dialect]:
    """The dialects with this delimiter; where several fit equally well, the first of them is meant."""
    found = [Dialect(delimiter), Dialect(delimiter, escape="\\")]
    if delimiter in "\t|":
        found.append(Dialect(delimiter, quoted=False))
    return found


def _strictly(lines: Iterable[str], dialect: Dialect) -> Iterator[Record]:
    """The records by which ``dialect`` is judged: as many and as wide, not with the same text.

    With escapes the csv module is never strict: it takes any quote that is not escaped for one that
    closes, and goes on. So escapes are masked, and what is left is to be right without any.
    """
    if dialect.escape is None:
        return records(lines, dialect)
    by = re.escape(dialect.delimiter)
    # Two quotes that are no empty cell: the first closes and stands before something else.
    doubled = re.compile(rf'(?<=[^{by}])""|""(?=[^{by}\r\n])')
    masked = (doubled.sub('"x', _ESCAPED.sub("x", line)) for line in lines)
    return records(masked, Dialect(dialect.delimiter))


def _misfits(found: Iterator[Record], enough: int) -> int:
    """How many records are wrong or not as wide as the first, counted up to ``enough`` (-1: all)."""
    width = 0
    misfits = 0
    for record in found:
        width = width or len(record.fields)
        misfits += bool(record.wrong) or len(record.fields) != width
        if misfits == enough:
            break
    return misfits


def _delimiter(first: list[str], place: str) -> str:
    """The delimiter by which most of the first records are as wide as the header, and that is wide."""
    if place.lower().endswith(_TABBED) and "\t" in first[0]:
        return "\t"

    def fit(delimiter: str) -> tuple[float, int]:
        return max(_fit(list(_strictly(first, each))) for each in dialects(delimiter))

    fits = {delimiter: fit(delimiter) for delimiter in _NAMES}
    best = max(fits, key=lambda delimiter: fits[delimiter])
    return best if fits[best] > (0, 1) else ","


def _fit(found: list[Record]) -> tuple[float, int]:
    """The share of records that are as wide as the first, and how wide that is; nothing if one cell."""
    if len(found) > 1 and found[-1].wrong:
        found.pop()  # it may go on behind the first lines
    width = len(found[0].fields) if found else 0
    if width < 2:
        return 0, width
    return sum(len(record.fields) == width for record in found) / len(found), width


def _first(lines: Lines) -> list[str]:
    """The first lines, from the first that is not blank."""
    first: list[str] = []
    size = 0
    for line in lines:
        if first or line.strip():
            first.append(line)
        size += len(line)
        if len(first) == _LOOKED_AT or size > _LOOKED_AT_MOST:
            break
    return first or [""]


def _hold(lines: Iterable[str], signs: tuple[str, ...]) -> bool:
    return any(sign in line for line in lines for sign in signs)
