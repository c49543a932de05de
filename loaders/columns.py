"""Lines of head, relation, tail and more columns: what the loaders of such files share.

Tab, vertical bar or comma between the columns, found from the first lines; a comma means CSV with its
quotes, the other two have none, so that a quote in a name is a quote. A first line of column names is
passed over; only with it may a file have more columns than its format needs. The alternative, an option
for the delimiter, would ask people what the file itself says.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Reading

from .text import Lines, lines

HEADERS = frozenset({
    ("head", "relation", "tail"), ("subject", "predicate", "object"),
    ("subject", "relation", "object"), ("source", "relation", "target"), ("h", "r", "t"),
})  # fmt: skip
"""How the first three columns may be called."""
THREE = 3
_DELIMITERS = {"\t": "tab", "|": "vertical bar", ",": "comma"}
_LOOKED_AT = 50
_LONGEST = 1 << 30
"""Characters that a CSV field may have; the csv module's own limit is 131,072."""
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
_SAID = {
    "unexpected end of data": "a quote in this record is never closed",
    "',' expected after '\"'": "a quote that closes stands before something other than a comma",
}
"""What the csv module says → the same for people."""

Rows = Iterator[tuple[int, list[str]]]
"""Line number and fields, record by record."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the lines of a format look like: the columns of those files that have no header.

    ``widths``: how many there may be, all lines alike, the likeliest first; ``says`` names them.
    """

    widths: tuple[int, ...]
    says: str
    delimiters: str = "\t|,"

    @property
    def hint(self) -> str:
        """What a bad line should have been."""
        return f"each line is {self.says}; --skip-bad N passes over up to N bad lines"


@dataclass(frozen=True, slots=True)
class Records:
    """The records of an open file.

    ``width``: the columns of each; ``further``: the names of those behind the tail where a header names
    them, and ``header`` is its line; ``rows`` are those that have ``width`` fields, the first three filled.
    """

    width: int
    header: int | None
    further: tuple[str, ...]
    rows: Rows


@dataclass(frozen=True, slots=True)
class _Layout:
    delimiter: str
    width: int
    header: int | None = None
    further: tuple[str, ...] = ()


@contextmanager
def records(file: File, reading: Reading, form: Form) -> Iterator[Records]:
    """Open ``file`` for its records; bad ones are noted as malformed while ``rows`` are taken.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    # The limit is the whole process's and cannot be set for one reader; wider harms nobody.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    with lines(file, reading) as found:
        first = _first(found)
        layout = _layout(file, first, form)
        everything = chain(first, found)
        if layout.delimiter == ",":
            rows = _csv(file, reading, everything, form)
        else:
            rows = _plain(everything, layout.delimiter)
        rows = _good(file, reading, rows, layout, form)
        yield Records(layout.width, layout.header, layout.further, rows)


def no_fact(file: File) -> UnreadableFile:
    """The error for a file that was read to its end and has no fact in it."""
    return UnreadableFile("no fact in it", where=file.name, hint="give a file with facts")


def qualifiers(names: Sequence[str], values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Name and value of each column whose value is not blank."""
    return tuple((name, value) for name, value in zip(names, values, strict=True) if value.strip())


def _first(found: Lines) -> list[str]:
    """The first lines, as many as are needed to have ``_LOOKED_AT`` that are not blank."""
    first: list[str] = []
    filled = 0
    for line in found:
        first.append(line)
        filled += bool(line.strip())
        if filled == _LOOKED_AT:
            break
    return first


def _layout(file: File, first: list[str], form: Form) -> _Layout:
    filled = [line for line in first if line.strip()]
    if not filled:
        raise UnreadableFile("only blank lines", where=file.name, hint="give a file with facts")
    number = first.index(filled[0]) + 1
    for delimiter in form.delimiters:
        cells = [cell.strip() for cell in _split(filled[0], delimiter)]
        if tuple(cell.casefold() for cell in cells[:THREE]) in HEADERS:
            if "" in cells:
                raise UnreadableFile(
                    f"column {cells.index('') + 1} has no name",
                    where=f"{file.name}:{number}",
                    hint="name all columns in the header, or leave the header away",
                )
            return _Layout(delimiter, len(cells), number, tuple(cells[THREE:]))
    return _without_header(file, first, filled, form)


def _without_header(file: File, first: list[str], filled: list[str], form: Form) -> _Layout:
    """The delimiter and width that most of the first lines have."""

    def fits(layout: _Layout) -> int:
        by_line = sum(len(_split(line, layout.delimiter)) == layout.width for line in filled)
        if layout.delimiter != ",":
            return by_line
        # Lines of a CSV file are not its records: a quoted field may hold line breaks.
        return max(by_line, sum(len(fields) == layout.width for fields in csv.reader(first)))

    best = max((_Layout(by, width) for width in form.widths for by in form.delimiters), key=fits)
    if not fits(best):
        wanted = " or ".join(_NUMBERS[width] for width in form.widths)
        allowed = ", ".join(_DELIMITERS[delimiter] for delimiter in form.delimiters)
        *others, last = form.says.split(", ")
        raise UnreadableFile(
            f"no line of the first {len(filled)} has {wanted} columns",
            where=f"{file.name}:1",
            hint=f"put a {allowed} between {', '.join(others)} and {last}",
        )
    return best


def _split(line: str, delimiter: str) -> list[str]:
    if delimiter == ",":
        return next(csv.reader([line]), [])
    return line.rstrip("\r\n").split(delimiter)


def _plain(everything: Iterable[str], delimiter: str) -> Rows:
    for number, line in enumerate(everything, 1):
        yield number, line.rstrip("\r\n").split(delimiter)


def _csv(file: File, reading: Reading, everything: Iterable[str], form: Form) -> Rows:
    reader = csv.reader(everything, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            wrong = _SAID.get(str(error), str(error))
            reading.malformed(wrong, f"{file.name}:{number}", form.hint)
            continue
        yield number, fields


def _good(file: File, reading: Reading, rows: Rows, layout: _Layout, form: Form) -> Rows:
    """Of ``rows`` those behind the header that are neither blank nor malformed."""
    width, delimiter = layout.width, layout.delimiter
    header = layout.header is not None
    for number, fields in rows:
        # Most lines go this way, so nothing more than needed is asked of them.
        if (
            len(fields) == width
            and fields[0].strip() and fields[1].strip() and fields[2].strip()
            and not header
        ):  # fmt: skip
            yield number, fields
        elif not delimiter.join(fields).strip():
            continue
        elif header:
            header = False
        else:
            reading.malformed(_wrong(fields, layout), f"{file.name}:{number}", form.hint)


def _wrong(fields: list[str], layout: _Layout) -> str:
    if len(fields) != layout.width:
        columns = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
        needed = f"{layout.width} are needed"
        return f"{columns} where {needed}, split at {_DELIMITERS[layout.delimiter]}"
    empty = next(n for n, value in enumerate(fields) if not value.strip())
    return f"the {('head', 'relation', 'tail')[empty]} is empty"
