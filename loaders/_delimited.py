"""Tables as text: cells between commas, tabs, semicolons or vertical bars.

No file declares how it quotes, and the csv module misreads backslash escapes without an error. If a text
has backslashes, the reader uses the dialect in which most records are as wide as the header.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile, UsageError
from trustuqa_neo4j.loading.comment_lines import (
    COMMENT_SIGN,
    MAX_COMMENT_LINES,
    count_comment_lines,
    find_comment_header,
    has_comment_row,
    is_comment_or_blank,
)
from trustuqa_neo4j.loading.delimiters import choose_delimiter
from trustuqa_neo4j.loading.fact_columns import has_spaced_commas
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import DELIMITER_NAMES
from trustuqa_neo4j.wording import CallOption

from ._inputs import Content, open_content_lines
from ._line_forms import Dialect, LineForm, find_line_form, plain_lines, split_by_outer_quotes
from ._short_rows import max_width, pad_short_rows
from ._summary_rows import RawRow
from ._table_items import QUOTE_HINT, InputTable
from ._table_layout import find_layout, lay_out_table, note_layout
from ._text import MAX_LINE_LENGTH, TextLines

if TYPE_CHECKING:
    from _csv import Reader

_DELIMITERS = ("\t", ",", ";", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=([\t,;|])"?\s*', re.IGNORECASE)
"""The first line that gives Excel the delimiter."""

_TAB_SUFFIXES = (".tsv", ".tab", ".tsv.gz", ".tab.gz")
_SAMPLE_LINES, _SAMPLE_SIZE = 50, 1 << 20
_ERROR_MESSAGES = {
    "unexpected end of data": "a quote in this record is never closed",
    "too long": f"a record of more than {MAX_LINE_LENGTH:,} characters: is its quote never closed?",
}
"""Messages of the csv module and of ``_limit_size``, in plain words."""

_RULING = re.compile(r"[\s:=+|-]*[-=]{3}[\s:=+|-]*|\s*")
_RULING_STARTS = frozenset(["", *" -=+:"])
"""The first characters of a row that may be a ruling line, as below the header of a table for people."""

_LINE_FORM_NOTES: dict[LineForm, str] = {
    "plain": "the cells are between blanks",
    "quoted": "each line as a whole is in quotes, which are not read",
    "columns": "the cells are between two blanks or more",
    "blanks": "the cells are between blanks",
}
"""The notes for a user on the forms that ``find_line_form`` recognizes."""

_ESCAPED = re.compile(r"\\.")
_HEADER = CallOption.HEADER.with_value("N")


class _Start(NamedTuple):
    # ``skip`` lines are above the header, which has ``height``. ``delimiter``: empty if it is not yet known.
    skip: int = 0
    height: int = 1
    delimiter: str = ""
    comment_sign: str = ""
    """The sign of comments, if the header and the lines above it begin with it."""

    names: Sequence[str] = ()
    """The names in the header, if they are not its merged cells."""

    line_form: LineForm = "plain"


_FIRST_LINE = _Start()


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
        yield InputTable(content.name, content.place, header.cells, rows)


def _valid_rows(
    place: str, records: Iterator[RawRow], options: ReadOptions
) -> Iterator[tuple[int, Sequence[str]]]:
    for record in records:
        if record.error:
            options.malformed(record.error, f"{place}:{record.line}", QUOTE_HINT)
        else:
            yield record.line, record.cells


# Tables whose header may be in another line than the first.


def read_laid_out_table(
    content: Content, options: ReadOptions, is_only_table: bool = True
) -> Iterator[InputTable]:
    start = _find_start(content, options)
    dialect = _detect_dialect(content, options, start)
    if dialect.skips_blanks:
        what = "blanks before quotes are not read, nor are others at the beginning of a cell"
        options.remark(what, content.place)

    def read_again() -> Iterator[RawRow]:
        with open_content_lines(content, options, silent=True) as lines:
            yield from _parse_from(lines, dialect, start.skip)

    with open_content_lines(content, options) as lines:
        records = _parse_from(lines, dialect, start.skip)
        rows = _check_header(content.place, records, start, options)
        name, place, height = content.name, content.place, start.height
        if start.comment_sign:
            rows = _without_comments(rows, start, read_again, options, place)
        if dialect.line_form == "plain":
            width = len(start.names)
            rows = pad_short_rows(rows, height, width, read_again, options, place)
        table = lay_out_table(
            name, place, rows, height, options, read_again, is_only_table, start.names
        )
        if table is None:
            where = f"{place}, after line {start.skip}" if start.skip else place
            if start.skip:
                raise UsageError(
                    "no row is left",
                    where=where,
                    hint="give a smaller number of lines above the header",
                )
            hint = "give a file with a header and rows"
            raise UnreadableFile("only blank lines", where=where, hint=hint)
        yield table


def _parse_from(lines: TextLines, dialect: Dialect, skip: int) -> Iterator[RawRow]:
    for _ in islice(lines, skip):
        pass
    records = parse_records(plain_lines(lines, dialect.line_form), dialect, repairs=True)
    if not skip:
        return records
    return (record._replace(line=record.line + skip) for record in records)


def _check_header(
    place: str, records: Iterator[RawRow], start: _Start, options: ReadOptions
) -> Iterator[RawRow]:
    # The records, with errors for those of the header.
    expected = options.table.header and options.table.header[0]
    header = list(islice(records, start.height))
    if start.comment_sign and header and header[0].cells:
        first, *others = header[0].cells
        header[0] = header[0]._replace(cells=[first.removeprefix(start.comment_sign), *others])
    for record in header:
        if record.error:
            where = f"{place}:{record.line}"
            raise MalformedLine(record.error, where=where, hint="the first row is the header")
    if header and expected and header[0].line != expected:
        hint = f"the next row is in line {header[0].line}"
        raise UsageError(f"no row begins in line {expected}", where=place, hint=hint)
    return chain(header, records)


def _without_comments(
    rows: Iterator[RawRow],
    start: _Start,
    read_again: Callable[[], Iterable[RawRow]],
    options: ReadOptions,
    place: str,
) -> Iterator[RawRow]:
    # Lines that begin with the sign are comments if they are one cell, or have less cells than the header and
    # follow a comment, and if no row of all cells begins with it.
    header = list(islice(rows, start.height))
    yield from header
    sign, width = start.comment_sign, len(start.names) or max_width(header)
    are_comments: bool | None = None
    is_comment = False
    for row in rows:
        is_possible = len(row.cells) == 1 or (is_comment and bool(row.cells))
        is_comment = is_possible and len(row.cells) < width and row.cells[0].startswith(sign)
        if is_comment:
            if are_comments is None:
                others = islice(read_again(), start.height, None)
                wide = (other.cells[0] for other in others if len(other.cells) == width)
                are_comments = not any(cell.startswith(sign) for cell in wide)
            if are_comments:
                what = "a comment line below the header, which is not read"
                options.remark(what, f"{place}:{row.line}")
                continue
        yield row


def _find_start(content: Content, options: ReadOptions) -> _Start:
    table = options.table
    if table.skipped_lines is not None:
        return _Start(table.skipped_lines, table.header_lines, table.delimiter)
    with open_content_lines(content, options, silent=True) as lines:
        sample = _read_sample(lines, keeps_blank=True)
    separator = _SEPARATOR_LINE.fullmatch(sample[0])
    if separator:
        return _Start(1, 1, table.delimiter or separator[1])
    comments = count_comment_lines(sample)
    start = _find_comment_header(sample, comments, content.place, options) if comments else None
    if start is not None:
        return start
    if comments and _has_comment_row(sample, comments, table.delimiter, content.place):
        comments = 0
    start = _find_start_below(sample[comments:], comments, content.place, options)
    if comments and start.skip == comments:
        what = f"comment lines above the first row are not read; {_HEADER} names a header"
        options.remark(what, f"{content.place}:1")
    return start._replace(comment_sign=COMMENT_SIGN) if comments else start


def _find_comment_header(
    sample: list[str], count: int, place: str, options: ReadOptions
) -> _Start | None:
    # One of ``count`` lines of comments is the header if it names the columns of the rows.
    for delimiter in _list_delimiters(sample[count:], place, options):
        rows = [row.cells for row in _sample_rows(sample[count:], delimiter)]
        header = find_comment_header(sample[:count], rows, delimiter)
        if header is not None:
            what = f"a comment is the header, the others are not read; {_HEADER} names another one"
            options.remark(what, f"{place}:{header.above + 1}")
            return _Start(header.above, 1, delimiter, COMMENT_SIGN, header.names)
    return None


def _has_comment_row(sample: list[str], count: int, delimiter: str, place: str) -> bool:
    # Whether one of ``count`` lines of comments has as many cells as the rows.
    body = [line for line in sample[count:] if line.strip()]
    sign = delimiter or _detect_delimiter(body, place)
    return has_comment_row(sample[:count], [row.cells for row in _sample_rows(body, sign)], sign)


def _list_delimiters(lines: list[str], place: str, options: ReadOptions) -> Sequence[str]:
    # The most likely one comes first.
    if options.table.delimiter:
        return [options.table.delimiter]
    if place.lower().endswith(_TAB_SUFFIXES) and any("\t" in line for line in lines):
        return ["\t"]
    return sorted(_DELIMITERS, key=lambda sign: _score_modal_width(lines, sign), reverse=True)


def _find_start_below(sample: list[str], offset: int, place: str, options: ReadOptions) -> _Start:
    # ``offset`` comment lines are above ``sample``.
    table = options.table
    filled = [line for line in sample if line.strip()] or [""]
    dialect = None if table.delimiter else find_line_form(filled)
    if dialect is not None:
        what = _LINE_FORM_NOTES[dialect.line_form]
        first = sample.index(filled[0]) + offset
        option = CallOption.HEADER.with_value(str(first + 1))
        options.remark(f"{what}; {option} reads each line as one cell", f"{place}:{first + 1}")
        return _Start(first, 1, dialect.delimiter, line_form=dialect.line_form)
    detected = table.delimiter or _detect_delimiter(filled, place, options)
    records = _sample_rows(sample, detected)
    widths = {len(row.cells) for row in records}
    is_even = len(widths) == 1 and widths != {1}
    delimiters = (
        [detected]
        if is_even or table.delimiter
        else sorted(_DELIMITERS, key=lambda sign: _score_modal_width(sample, sign), reverse=True)
    )
    for delimiter in delimiters:
        rows = [row._replace(line=row.line + offset) for row in _sample_rows(sample, delimiter)]
        layout = find_layout(rows)
        if layout is not None:
            note_layout(layout, rows, options, place)
            skip = rows[layout.header].line - 1
            above = [line for line in sample[: skip + 1 - offset] if line.strip()]
            return _Start(skip, layout.height, delimiter, _find_comment_sign(above), layout.names)
    return _Start(offset, delimiter=detected)


def _find_comment_sign(lines: Sequence[str]) -> str:
    # The sign with which all of several lines begin.
    signs = ("#", "%", "//") if len(lines) > 1 else ()
    return next((sign for sign in signs if all(line.startswith(sign) for line in lines)), "")


def _sample_rows(sample: list[str], delimiter: str) -> list[RawRow]:
    # In the dialect that reads most of the sample.
    return min(
        (_parse_sample(sample, dialect) for dialect in list_dialects(delimiter)),
        key=lambda records: sum(bool(record.error) for record in records),
    )


def _parse_sample(sample: list[str], dialect: Dialect) -> list[RawRow]:
    records = list(parse_records(sample, dialect))
    if records and records[-1].error:
        records.pop()  # it may continue after the sample
    return records


def _score_modal_width(sample: list[str], delimiter: str) -> tuple[float, int]:
    # The share of rows that have the most common width above one, and that width.
    rows = _sample_rows(sample, delimiter)
    widths = Counter(len(row.cells) for row in rows if len(row.cells) > 1)
    if not widths:
        return 0, 0
    width = max(widths, key=lambda width: (widths[width], width))
    return widths[width] / len(rows), width


def parse_records(
    lines: Iterable[str], dialect: Dialect, repairs: bool = False
) -> Iterator[RawRow]:
    # Strict: a bad record has an error, and the next record follows. ``repairs``: a line whose quotes within
    # quotes are not doubled is a record if it then is as wide as the first one.
    width = 0
    last = [""]
    # The csv module has one limit for the whole process; the limit for one record is _limit_size.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_LENGTH))
    size = [0]
    reader = _make_reader(_limit_size(lines, size, last), dialect)
    is_blank = is_ruled = False
    while True:
        line = reader.line_num + 1
        size[0] = 0
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            row = RawRow(line, [], is_blank, _describe_error(str(error)))
            if "expected after" in str(error) and line == reader.line_num:
                if trimmed := _read_trimmed(last[0], dialect):
                    width = width or len(trimmed)
                    row = RawRow(line, trimmed, is_blank)
                elif repairs and len(cells := split_by_outer_quotes(last[0], dialect)) == width > 1:
                    row = RawRow(line, cells, is_blank, is_repaired=True)
            yield row
            is_blank = False
            continue
        is_after_blank, is_blank = is_blank, not fields or _is_blank(fields, width)
        if is_blank:
            continue
        if width != 1 and fields[0][:1] in _RULING_STARTS and _is_ruling(fields):
            # The cells of such a table are padded with blanks.
            is_blank = is_ruled = True
            continue
        width = width or len(fields)
        row = RawRow(line, [*map(str.strip, fields)] if is_ruled else fields, is_after_blank)
        if repairs and len(fields) < width and last[0][-1:] not in ("\r", "\n"):
            row = row._replace(is_cut_off=True)
        yield row


def _make_reader(lines: Iterable[str], dialect: Dialect) -> Reader:
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        escapechar=dialect.escape,
        quotechar=dialect.quote,
        doublequote=dialect.escape is None,
        quoting=csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE,
        strict=True,
        skipinitialspace=dialect.skips_blanks,
    )


def _read_trimmed(line: str, dialect: Dialect) -> list[str]:
    # The cells without the blanks between a closing quote and the delimiter; none if more is wrong.
    quote, delimiter = re.escape(dialect.quote), re.escape(dialect.delimiter)
    cell = rf"((?:^|{delimiter}){quote}(?:[^{quote}]|{quote}{quote})*{quote})"
    padded = re.compile(rf"{cell} +(?={delimiter}|\s*$)")
    try:
        return next(_make_reader([padded.sub(r"\1", line)], dialect))
    except csv.Error:
        return []


def _is_blank(fields: list[str], width: int) -> bool:
    # In a table of one column a line of blanks is a cell.
    return len(fields) == 1 and width != 1 and not fields[0].strip() and bool(width or fields[0])


def _is_ruling(fields: Sequence[str]) -> bool:
    return any(map(str.strip, fields)) and all(map(_RULING.fullmatch, fields))


def _limit_size(lines: Iterable[str], size: list[int], last: list[str]) -> Iterator[str]:
    # An open quote would take in the rest of the file.
    for line in lines:
        last[0] = line
        size[0] += len(line)
        if size[0] > MAX_LINE_LENGTH:
            raise csv.Error("too long")
        yield line


def _describe_error(message: str) -> str:
    if "expected after" in message:
        return "something other than the delimiter follows a closing quote"
    return _ERROR_MESSAGES.get(message, message)


def _detect_dialect(content: Content, options: ReadOptions, start: _Start = _FIRST_LINE) -> Dialect:
    if start.line_form != "plain":
        quoted = start.line_form == "quoted"
        return Dialect(start.delimiter, quoted=quoted, line_form=start.line_form)
    with _open_from(content, options, start.skip) as lines:
        sample = _read_sample(lines)
        dialects = list_dialects(start.delimiter or _detect_delimiter(sample, content.place))
        quote_after_blanks = re.compile(rf'(?:^|{re.escape(dialects[0].delimiter)}) +"')
        if any(map(quote_after_blanks.search, sample)):
            dialects.insert(0, dialects[0]._replace(skips_blanks=True))
        # Nearly all files need one reading: without these characters all dialects give the same cells.
        delimiter = dialects[0].delimiter
        signs: tuple[str, ...] = ('"', "\\") if len(dialects) > 2 else ("\\",)
        if _may_have_single_quotes(sample, delimiter):
            dialects.append(Dialect(delimiter, quote="'"))
            signs += ("'",)
        is_ambiguous = (
            dialects[0].skips_blanks or _contain_any(sample, signs) or _contain_any(lines, signs)
        )
    if not is_ambiguous:
        return dialects[0]
    best, fewest = dialects[0], -1
    for dialect in dialects:
        with _open_from(content, options, start.skip) as lines:
            misfits = _count_misfits(_parse_for_comparison(lines, dialect), fewest)
        if not misfits:
            return dialect
        if fewest < 0 or misfits < fewest:
            best, fewest = dialect, misfits
    return best


def _may_have_single_quotes(sample: Sequence[str], delimiter: str) -> bool:
    has_quote = any(line.startswith("'") or f"{delimiter}'" in line for line in sample)
    return has_quote and not _contain_any(sample, ('"',))


@contextmanager
def _open_from(content: Content, options: ReadOptions, skip: int) -> Iterator[TextLines]:
    with open_content_lines(content, options, silent=True) as lines:
        for _ in islice(lines, skip):
            pass
        yield lines


def list_dialects(delimiter: str) -> list[Dialect]:
    # The most likely dialect comes first.
    dialects = [Dialect(delimiter), Dialect(delimiter, escape="\\")]
    if delimiter in "\t|":
        dialects.append(Dialect(delimiter, quoted=False))
    return dialects


def _parse_for_comparison(lines: Iterable[str], dialect: Dialect) -> Iterator[RawRow]:
    # With escapes the csv module is never strict: it takes any unescaped quote for a closing one.
    # So the escapes are masked, and the text without them must be strictly correct.
    if dialect.escape is None:
        return parse_records(lines, dialect)
    delimiter = re.escape(dialect.delimiter)
    # Two quotes that are not an empty cell: the first one closes, and something else follows it.
    doubled = re.compile(rf'(?<=[^{delimiter}])""|""(?=[^{delimiter}\r\n])')
    masked = (doubled.sub('"x', _ESCAPED.sub("x", line)) for line in lines)
    return parse_records(masked, Dialect(dialect.delimiter))


def _count_misfits(records: Iterator[RawRow], limit: int) -> int:
    # ``limit`` -1: count in all records.
    width = 0
    misfits = 0
    for record in records:
        width = width or len(record.cells)
        misfits += bool(record.error) or record.is_repaired or len(record.cells) != width
        if misfits == limit:
            break
    return misfits


def _detect_delimiter(sample: list[str], place: str, options: ReadOptions | None = None) -> str:
    # ``options`` note a choice that another sign contests.
    if place.lower().endswith(_TAB_SUFFIXES) and "\t" in sample[0]:
        return "\t"

    readings = {delimiter: _read_best(sample, delimiter) for delimiter in _DELIMITERS}
    signs = choose_delimiter({sign: [*map(_cells, rows)] for sign, rows in readings.items()})
    if len(signs) > 1:
        choices = " or ".join(CallOption.DELIMITER.with_value(sign) for sign in signs)
        names = " or ".join(DELIMITER_NAMES[sign] for sign in signs)
        raise UnreadableFile(
            f"its cells may be between {names}", where=place, hint=f"give {choices}"
        )
    if signs:
        (sign,) = signs
        if options is not None:
            others = [other for other in _DELIMITERS if other != sign and other in sample[0]]
            option = CallOption.DELIMITER.with_value(others[0] if others else ",")
            what = f"the cells are between {DELIMITER_NAMES[sign]}; {option} reads them otherwise"
            options.remark(what, place)
        return sign
    scores = {delimiter: _score_width(rows) for delimiter, rows in readings.items()}
    is_spaced = has_spaced_commas(sample)
    best = max(scores, key=lambda sign: (scores[sign], not (is_spaced and sign == ",")))
    return best if scores[best] > (0, 1) else ","


def _read_best(sample: list[str], delimiter: str) -> list[RawRow]:
    readings = [
        list(_parse_for_comparison(sample, dialect)) for dialect in list_dialects(delimiter)
    ]
    return max(readings, key=_score_width)


def _cells(row: RawRow) -> Sequence[str]:
    return row.cells


def _score_width(records: list[RawRow]) -> tuple[float, int]:
    # The share of records as wide as the first, and that width.
    if len(records) > 1 and records[-1].error:
        records.pop()  # it may continue after the sample
    width = len(records[0].cells) if records else 0
    if width < 2:
        return 0, width
    return sum(len(record.cells) == width for record in records) / len(records), width


def _read_sample(lines: TextLines, keeps_blank: bool = False) -> list[str]:
    # ``keeps_blank``: comments and blank lines above the rows are kept, and not counted.
    sample: list[str] = []
    size = count = 0
    has_rows = False
    for line in lines:
        if sample or keeps_blank or line.strip():
            sample.append(line)
        size += len(line)
        if has_rows or not (keeps_blank and is_comment_or_blank(line)):
            has_rows = True
            count += bool(sample)
        if count == _SAMPLE_LINES or len(sample) > MAX_COMMENT_LINES or size > _SAMPLE_SIZE:
            break
    return sample or [""]


def _contain_any(lines: Iterable[str], signs: tuple[str, ...]) -> bool:
    return any(sign in line for line in lines for sign in signs)
