"""Tables as text: cells between commas, tabs, semicolons or vertical bars.

No file declares how it quotes, and the csv module misreads backslash escapes without an error. If a text
has backslashes, the reader uses the dialect in which most records are as wide as the header.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loading.formats import ReadOptions

from ._inputs import Content, open_content_lines
from ._table_items import ROW_HINT, InputTable
from ._text import MAX_LINE_LENGTH, TextLines

_DELIMITERS = ("\t", ",", ";", "|")
_TAB_SUFFIXES = (".tsv", ".tab", ".tsv.gz", ".tab.gz")
_SAMPLE_LINES, _SAMPLE_SIZE = 50, 1 << 20
_ERROR_MESSAGES = {
    "unexpected end of data": "a quote in this record is never closed",
    "too long": f"a record of more than {MAX_LINE_LENGTH:,} characters: is its quote never closed?",
}
"""Messages of the csv module and of ``_limit_size``, in plain words."""

_ESCAPED = re.compile(r"\\.")


class Dialect(NamedTuple):
    # ``escape`` is the character before a quote within quotes; None: such a quote is doubled. With ``quoted``
    # False a quote is an ordinary character.

    delimiter: str
    escape: str | None = None
    quoted: bool = True


class DelimitedRecord(NamedTuple):
    line: int
    fields: list[str]
    error: str = ""


def read_delimited_table(
    content: Content, options: ReadOptions, dialect: Dialect | None = None
) -> Iterator[InputTable]:
    dialect = dialect or _detect_dialect(content, options)
    with open_content_lines(content, options) as lines:
        records = parse_records(lines, dialect)
        header = next(records, None)
        if header is None:
            hint = "give a file with a header and rows"
            raise UnreadableFile("only blank lines", where=content.place, hint=hint)
        if header.error:
            where = f"{content.place}:{header.line}"
            raise MalformedLine(header.error, where=where, hint="the first row is the header")
        rows = _valid_rows(content.place, records, options)
        yield InputTable(content.name, content.place, header.fields, rows)


def _valid_rows(
    place: str, records: Iterator[DelimitedRecord], options: ReadOptions
) -> Iterator[tuple[int, list[str]]]:
    for line, fields, error in records:
        if error:
            options.malformed(error, f"{place}:{line}", ROW_HINT)
        else:
            yield line, fields


def parse_records(lines: Iterable[str], dialect: Dialect) -> Iterator[DelimitedRecord]:
    # Strict: a bad record has an error, and the next record follows.
    width = 0
    # The csv module has one limit for the whole process; the limit for one record is _limit_size.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_LENGTH))
    size = [0]
    reader = csv.reader(
        _limit_size(lines, size),
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
            yield DelimitedRecord(line, [], _describe_error(str(error)))
            continue
        if fields and not _is_blank(fields, width):
            width = width or len(fields)
            yield DelimitedRecord(line, fields)


def _is_blank(fields: list[str], width: int) -> bool:
    # In a table of one column a line of blanks is a cell.
    return len(fields) == 1 and width != 1 and not fields[0].strip() and bool(width or fields[0])


def _limit_size(lines: Iterable[str], size: list[int]) -> Iterator[str]:
    # An open quote would take in the rest of the file.
    for line in lines:
        size[0] += len(line)
        if size[0] > MAX_LINE_LENGTH:
            raise csv.Error("too long")
        yield line


def _describe_error(message: str) -> str:
    if "expected after" in message:
        return "something other than the delimiter follows a closing quote"
    return _ERROR_MESSAGES.get(message, message)


def _detect_dialect(content: Content, options: ReadOptions) -> Dialect:
    with open_content_lines(content, options, silent=True) as lines:
        sample = _read_sample(lines)
        dialects = list_dialects(_detect_delimiter(sample, content.place))
        # Nearly all files need one reading: without these characters all dialects give the same cells.
        signs = ('"', "\\") if len(dialects) > 2 else ("\\",)
        is_ambiguous = _contain_any(sample, signs) or _contain_any(lines, signs)
    if not is_ambiguous:
        return dialects[0]
    best, fewest = dialects[0], -1
    for dialect in dialects:
        with open_content_lines(content, options, silent=True) as lines:
            misfits = _count_misfits(_parse_for_comparison(lines, dialect), fewest)
        if not misfits:
            return dialect
        if fewest < 0 or misfits < fewest:
            best, fewest = dialect, misfits
    return best


def list_dialects(delimiter: str) -> list[Dialect]:
    # The most likely dialect comes first.
    dialects = [Dialect(delimiter), Dialect(delimiter, escape="\\")]
    if delimiter in "\t|":
        dialects.append(Dialect(delimiter, quoted=False))
    return dialects


def _parse_for_comparison(lines: Iterable[str], dialect: Dialect) -> Iterator[DelimitedRecord]:
    # With escapes the csv module is never strict: it takes any unescaped quote for a closing one.
    # So the escapes are masked, and the text without them must be strictly correct.
    if dialect.escape is None:
        return parse_records(lines, dialect)
    delimiter = re.escape(dialect.delimiter)
    # Two quotes that are no empty cell: the first one closes, and something else follows it.
    doubled = re.compile(rf'(?<=[^{delimiter}])""|""(?=[^{delimiter}\r\n])')
    masked = (doubled.sub('"x', _ESCAPED.sub("x", line)) for line in lines)
    return parse_records(masked, Dialect(dialect.delimiter))


def _count_misfits(records: Iterator[DelimitedRecord], limit: int) -> int:
    # ``limit`` -1: count in all records.
    width = 0
    misfits = 0
    for record in records:
        width = width or len(record.fields)
        misfits += bool(record.error) or len(record.fields) != width
        if misfits == limit:
            break
    return misfits


def _detect_delimiter(sample: list[str], place: str) -> str:
    if place.lower().endswith(_TAB_SUFFIXES) and "\t" in sample[0]:
        return "\t"

    def score(delimiter: str) -> tuple[float, int]:
        return max(
            _score_width(list(_parse_for_comparison(sample, dialect)))
            for dialect in list_dialects(delimiter)
        )

    scores = {delimiter: score(delimiter) for delimiter in _DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > (0, 1) else ","


def _score_width(records: list[DelimitedRecord]) -> tuple[float, int]:
    # The share of records as wide as the first, and that width.
    if len(records) > 1 and records[-1].error:
        records.pop()  # it may continue after the sample
    width = len(records[0].fields) if records else 0
    if width < 2:
        return 0, width
    return sum(len(record.fields) == width for record in records) / len(records), width


def _read_sample(lines: TextLines) -> list[str]:
    sample: list[str] = []
    size = 0
    for line in lines:
        if sample or line.strip():
            sample.append(line)
        size += len(line)
        if len(sample) == _SAMPLE_LINES or size > _SAMPLE_SIZE:
            break
    return sample or [""]


def _contain_any(lines: Iterable[str], signs: tuple[str, ...]) -> bool:
    return any(sign in line for line in lines for sign in signs)
