"""Lines of head, relation, tail and more columns, for the loaders of such files.

The first lines show the delimiter: tab, vertical bar or comma. A comma means CSV with its quotes; with the
other delimiters a quote is an ordinary character. A header line is skipped. Only with a header may a file
have more columns than its format needs.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.fact_columns import TRIPLE_WIDTH, count_title_lines, is_header
from trustuqa_neo4j.loading.formats import File, ReadOptions

from ._text import SKIP_BAD_LINES, TextLines, count_noun, open_lines

_DELIMITERS = {"\t": "tab", "|": "vertical bar", ",": "comma"}
_SAMPLE_LINES = 50
_MAX_FIELD_LENGTH = 1 << 30
"""Characters that a CSV field may have; the csv module's own limit is 131,072."""
_NUMBER_WORDS = {2: "two", 3: "three", 4: "four", 5: "five"}
_CSV_ERRORS = {
    "unexpected end of data": "a quote in this record is never closed",
    "',' expected after '\"'": "something other than a comma follows a closing quote",
}

REVERSED = "the end precedes the start"

FieldRows: TypeAlias = Iterator[tuple[int, list[str]]]
"""Line number and fields of each record."""


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    # ``widths`` are the allowed numbers of columns, the most likely first; all lines have the same.
    # ``columns`` names them in messages.

    widths: tuple[int, ...]
    columns: str
    delimiters: str = "\t|,"

    @property
    def hint(self) -> str:
        return f"each line is {self.columns}; {SKIP_BAD_LINES}"


@dataclass(frozen=True, slots=True)
class FactRecords:
    # ``header`` is the line of the header, if there is one, and ``extra_columns`` are its names after the
    # tail. ``rows`` have ``width`` fields, the first three filled.

    width: int
    header: int | None
    extra_columns: tuple[str, ...]
    rows: FieldRows


@dataclass(frozen=True, slots=True)
class _Layout:
    delimiter: str
    width: int
    header: int | None = None
    extra_columns: tuple[str, ...] = ()


@contextmanager
def open_records(file: File, options: ReadOptions, columns: ColumnFormat) -> Iterator[FactRecords]:
    # Bad records are recorded as malformed while ``rows`` is read.
    # The csv module has one limit for the whole process; a higher one does no harm.
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_FIELD_LENGTH))
    with open_lines(file, options) as lines:
        sample = _read_sample(lines)
        title_count = count_title_lines(sample)
        if title_count:
            options.remark("lines above the facts, which are not read", f"{file.name}:1")
            sample[:title_count] = ["\n"] * title_count  # so that lines keep their numbers
        layout = _detect_layout(file, sample, columns)
        all_lines = chain(sample, lines)
        if layout.delimiter == ",":
            rows = _parse_csv(file, options, all_lines, columns)
        else:
            rows = _split_lines(all_lines, layout.delimiter)
        rows = _valid_rows(file, options, rows, layout, columns)
        yield FactRecords(layout.width, layout.header, layout.extra_columns, rows)


def no_fact_error(file: File) -> UnreadableFile:
    return UnreadableFile("no fact in it", where=file.name, hint="give a file with facts")


def make_qualifiers(names: Sequence[str], values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    # Blank values are left out.
    return tuple((name, value) for name, value in zip(names, values, strict=True) if value.strip())


def _read_sample(lines: TextLines) -> list[str]:
    sample: list[str] = []
    filled = 0
    for line in lines:
        sample.append(line)
        filled += bool(line.strip())
        if filled == _SAMPLE_LINES:
            break
    return sample


def _detect_layout(file: File, sample: list[str], columns: ColumnFormat) -> _Layout:
    filled = [line for line in sample if line.strip()]
    if not filled:
        raise UnreadableFile("only blank lines", where=file.name, hint="give a file with facts")
    number = sample.index(filled[0]) + 1
    for delimiter in columns.delimiters:
        cells = [cell.strip() for cell in _split_line(filled[0], delimiter)]
        if is_header(cells):
            if "" in cells:
                raise UnreadableFile(
                    f"column {cells.index('') + 1} has no name",
                    where=f"{file.name}:{number}",
                    hint="name all columns in the header, or remove the header",
                )
            return _Layout(delimiter, len(cells), number, tuple(cells[TRIPLE_WIDTH:]))
    return _detect_layout_without_header(file, sample, filled, columns)


def _detect_layout_without_header(
    file: File, sample: list[str], filled: list[str], columns: ColumnFormat
) -> _Layout:
    def count_fits(layout: _Layout) -> int:
        fits = sum(len(_split_line(line, layout.delimiter)) == layout.width for line in filled)
        if layout.delimiter != ",":
            return fits
        # Lines of a CSV file are not its records: a quoted field may contain line breaks.
        return max(fits, sum(len(fields) == layout.width for fields in csv.reader(sample)))

    layouts = (_Layout(by, width) for width in columns.widths for by in columns.delimiters)
    best = max(layouts, key=count_fits)
    if not count_fits(best):
        widths = " or ".join(_NUMBER_WORDS[width] for width in columns.widths)
        delimiters = ", ".join(_DELIMITERS[delimiter] for delimiter in columns.delimiters)
        *first_names, last_name = columns.columns.split(", ")
        raise UnreadableFile(
            f"no line of the first {len(filled)} has {widths} columns",
            where=f"{file.name}:1",
            hint=f"put a {delimiters} between {', '.join(first_names)} and {last_name}",
        )
    return best


def _split_line(line: str, delimiter: str) -> list[str]:
    if delimiter == ",":
        return next(csv.reader([line]), [])
    return line.rstrip("\r\n").split(delimiter)


def _split_lines(lines: Iterable[str], delimiter: str) -> FieldRows:
    for number, line in enumerate(lines, 1):
        yield number, line.rstrip("\r\n").split(delimiter)


def _parse_csv(
    file: File, options: ReadOptions, lines: Iterable[str], columns: ColumnFormat
) -> FieldRows:
    reader = csv.reader(lines, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            what = _CSV_ERRORS.get(str(error), str(error))
            options.malformed(what, f"{file.name}:{number}", columns.hint)
            continue
        yield number, fields


def _valid_rows(
    file: File, options: ReadOptions, rows: FieldRows, layout: _Layout, columns: ColumnFormat
) -> FieldRows:
    width, delimiter = layout.width, layout.delimiter
    expects_header = layout.header is not None
    for number, fields in rows:
        # Nearly all lines take this first branch, so it checks no more than needed.
        if (
            len(fields) == width
            and fields[0].strip() and fields[1].strip() and fields[2].strip()
            and not expects_header
        ):  # fmt: skip
            yield number, fields
        elif not delimiter.join(fields).strip():
            continue
        elif expects_header:
            expects_header = False
        else:
            what = _describe_bad_fields(fields, layout)
            options.malformed(what, f"{file.name}:{number}", columns.hint)


def _describe_bad_fields(fields: list[str], layout: _Layout) -> str:
    if len(fields) != layout.width:
        return _describe_width(len(fields), layout.width, _DELIMITERS[layout.delimiter])
    empty = next(n for n, value in enumerate(fields) if not value.strip())
    return f"the {('head', 'relation', 'tail')[empty]} is empty"


def _describe_width(width: int, needed: int, delimiter: str) -> str:
    return f"{count_noun(width, 'column')} where {needed} are needed, split at {delimiter}"


# Files of ids and their names: two columns with a tab between them.


_NAME_HEADERS = frozenset({("id", "name"), ("id", "alias"), ("id", "text"), ("id", "label")})
_NAME_HINT = f"each line is id, tab, name; {SKIP_BAD_LINES}"


def read_names(files: Iterable[File], options: ReadOptions) -> dict[str, list[str]]:
    # Names keep the order of the files; blank names are left out.
    names_by_id: dict[str, list[str]] = {}
    for file in files:
        for key, name in _read_pairs(file, options):
            if name.strip() and name not in (names := names_by_id.setdefault(key, [])):
                names.append(name)
    return names_by_id


def _read_pairs(file: File, options: ReadOptions) -> Iterator[tuple[str, str]]:
    with open_lines(file, options) as lines:
        for line in lines:
            fields = line.rstrip("\r\n").split("\t")
            if not line.strip() or (lines.number == 1 and _is_name_header(fields)):
                continue
            if len(fields) == 2 and fields[0].strip():
                yield fields[0], fields[1]
                continue
            is_pair = len(fields) == 2
            what = "the id is empty" if is_pair else _describe_width(len(fields), 2, "tab")
            options.malformed(what, f"{file.name}:{lines.number}", _NAME_HINT)


def _is_name_header(fields: list[str]) -> bool:
    return tuple(field.strip().casefold() for field in fields) in _NAME_HEADERS
