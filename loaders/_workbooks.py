"""Typed tables: workbooks (XLSX, XLS, ODS) read by calamine, and Parquet read by pyarrow.

A cell becomes the text that a program shows. A line is a row of the sheet or of the Parquet file, from 1.
Each sheet with a cell in it is a table.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, dropwhile, islice
from os import SEEK_END
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple
from xml.parsers import expat

from trustuqa_neo4j.errors import UnreadableFile, UsageError, require_extra
from trustuqa_neo4j.loading import file_signatures
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.values import read_value
from trustuqa_neo4j.wording import CallOption

from ._inputs import BROKEN_ZIP_ERRORS, Content
from ._number_formats import (
    BadXlsFormats,
    CellFormats,
    NumberFormat,
    SheetNameReader,
    StyleReader,
    read_xls_formats,
)
from ._program_layouts import Layout
from ._summary_rows import RawRow
from ._table_items import InputTable
from ._table_layout import SAMPLE_ROWS, find_layout, lay_out_table, note_layout
from ._text import PROGRESS_INTERVAL

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

# Cells.

_WORKBOOK_DIGITS = 15
"""Significant digits of a number in a workbook: spreadsheet programs show no more."""


def format_cell(value: object, digits: int | None = None) -> str:
    # Dates as in ISO, numbers without ``.0``. ``digits`` limits the digits of a number, where more
    # are noise.
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _format_float(value, digits)
    if isinstance(value, (date, time, timedelta)):
        return _format_time(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, dict)):
        return json.dumps(_to_json(value), ensure_ascii=False)
    return str(value)


def _format_float(value: float, digits: int | None) -> str:
    if math.isnan(value):
        return "NaN"
    text = repr(value) if digits is None else f"{value:.{digits}g}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def _format_time(value: date | time | timedelta) -> str:
    if isinstance(value, datetime):
        is_day = value.time() == time() and value.tzinfo is None
        return str(value.date()) if is_day else value.isoformat(" ")
    if isinstance(value, timedelta):
        return _format_duration(value)
    return value.isoformat()


def _format_duration(value: timedelta) -> str:
    # As workbooks do, also more than a day: ``30:15:00``.
    sign = "-" if value < timedelta() else ""
    total_seconds, micro = divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    minutes, seconds = divmod(total_seconds, 60)
    text = f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return f"{text}.{micro:06}".rstrip("0") if micro else text


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {format_cell(key): _to_json(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(element) for element in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return format_cell(value)


# Parquet, a batch of rows at a time.

_BATCH_SIZE = 4096


def read_parquet_table(content: Content) -> Iterator[InputTable]:
    with require_extra("parquet", "Parquet is read with"):
        # Here, since no other format needs it.
        import pyarrow
        from pyarrow import parquet
    with content.open() as raw:
        try:
            file = parquet.ParquetFile(raw)
            header = file.schema_arrow.names
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _parquet_error(content.place, error) from error
        yield InputTable(content.name, content.place, header, _parquet_rows(file, content, raw))


def _parquet_rows(
    file: Any, content: Content, raw: BinaryIO
) -> Iterator[tuple[int, tuple[str, ...]]]:
    import pyarrow

    line = 0
    batches = file.iter_batches(_BATCH_SIZE)
    while True:
        try:
            batch = next(batches, None)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _parquet_error(content.place, error) from error
        if batch is None:
            return
        columns = [
            _format_column(column, f"{content.place}, column {field.name!r}")
            for column, field in zip(batch.columns, batch.schema, strict=True)
        ]
        for cells in zip(*columns, strict=True):
            line += 1
            yield line, cells
        content.report_progress(raw)


def _format_column(column: Any, place: str) -> list[str]:
    import pyarrow
    from pyarrow import types

    try:
        if types.is_float32(column.type):
            # Converted to doubles they would show digits that a 32-bit float does not have.
            values = [text and float(text) for text in column.cast(pyarrow.string()).to_pylist()]
        else:
            values = _cast_nanoseconds(column).to_pylist()
        return [format_cell(value) for value in values]
    except (pyarrow.ArrowException, ValueError, OverflowError) as error:
        raise UnreadableFile(
            f"values of the type {column.type} cannot be shown as text ({error})",
            where=place,
            hint="leave this column out, or write it as text",
        ) from error


def _cast_nanoseconds(column: Any) -> Any:
    # Python's types have no nanoseconds.
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pyarrow.timestamp("us", tz=kind.tz), safe=False)
    if types.is_time64(kind) and kind.unit == "ns":
        return column.cast(pyarrow.time64("us"), safe=False)
    if types.is_duration(kind) and kind.unit == "ns":
        return column.cast(pyarrow.duration("us"), safe=False)
    return column


def _parquet_error(place: str, error: Exception) -> UnreadableFile:
    reason = str(error).strip().splitlines()[0]
    return UnreadableFile(
        f"the Parquet file cannot be read ({reason})", where=place, hint="write the file again"
    )


# Workbooks; calamine takes a workbook whole into memory.

_PASSWORD_MARK = "EncryptedPackage".encode("utf-16-le")
"""Part of XLSX with a password, in a file that begins like XLS."""


class WorkbookSheet(NamedTuple):
    # ``code_columns`` have formats with leading zeros alone.
    name: str
    rows: Iterator[tuple[int, list[str]]]
    code_columns: frozenset[int] = frozenset()


class WorkbookError(Exception):
    pass


class PasswordProtected(WorkbookError):
    pass


def read_workbook_tables(
    content: Content, options: ReadOptions, names: set[str], is_only_table: bool = True
) -> Iterator[InputTable]:
    # A single sheet has the name of the workbook. The names of the sheets are added to ``names``.
    # ``is_only_table``: there is no other file.
    with content.open() as raw:
        sheets = _copy_and_read_sheets(raw, content.place, options)
        if not sheets:
            hint = "give a workbook with a header and rows"
            raise UnreadableFile("no cell in any sheet", where=content.place, hint=hint)
        names.update(sheet.name for sheet in sheets)
        chosen = set(options.table.sheets)
        if not chosen & {sheet.name for sheet in sheets} and chosen <= options.table.optional_names:
            chosen = set()
        for sheet in sheets:
            suffix = f"#{sheet.name}" if len(sheets) > 1 else ""
            # The rows of a sheet that is not chosen are read too, since all may come from one stream.
            rows = _rows_with_progress(sheet, content, raw)
            if chosen and sheet.name not in chosen:
                deque(rows, 0)
                continue
            is_only_sheet = is_only_table and (len(sheets) == 1 or len(chosen) == 1)
            name, place = content.name + suffix, content.place + suffix
            table = _lay_out_sheet(name, place, rows, options, is_only_sheet, sheet.code_columns)
            if suffix and not chosen and len(table.header) == 1:
                option = CallOption.SHEET.with_value("NAME")
                what = f"one column, so perhaps no table; {option} reads other sheets alone"
                options.remark(what, place)
            yield table


def _lay_out_sheet(
    name: str,
    place: str,
    rows: Iterator[RawRow],
    options: ReadOptions,
    is_only_table: bool,
    code_columns: frozenset[int],
) -> InputTable:
    table, height = options.table, options.table.header_lines
    names: Sequence[str] = ()
    skip = table.skipped_lines
    if skip is None:
        sample = list(islice(rows, SAMPLE_ROWS))
        layout = find_layout(sample) or Layout(0, 1)
        height, names = layout.height, layout.names
        note_layout(layout, sample, options, place)
        rows = chain(sample[layout.header :], rows)
    else:
        rows = dropwhile(lambda row: row.line <= skip, rows)
        rows = _check_header_line(rows, place, options)
    laid_out = lay_out_table(
        name, place, rows, height, options, None, is_only_table, names, code_columns
    )
    if laid_out is None:
        hint = "give a smaller number of lines above the header"
        raise UsageError(f"no row after line {skip}", where=place, hint=hint)
    return laid_out


def _check_header_line(
    rows: Iterator[RawRow], place: str, options: ReadOptions
) -> Iterator[RawRow]:
    expected = options.table.header
    for number, row in enumerate(rows):
        if not number and expected and 0 < expected[0] != row.line:
            hint = f"the next row is in line {row.line}"
            raise UsageError(f"no row in line {expected[0]}", where=place, hint=hint)
        yield row


def _rows_with_progress(sheet: WorkbookSheet, content: Content, raw: BinaryIO) -> Iterator[RawRow]:
    previous = 0
    for count, (line, cells) in enumerate(sheet.rows, 1):
        yield RawRow(line, cells, line > previous + 1 > 1)
        previous = line
        if count > 1 and not (count - 1) % PROGRESS_INTERVAL:
            content.report_progress(raw)


def _copy_and_read_sheets(raw: BinaryIO, place: str, options: ReadOptions) -> list[WorkbookSheet]:
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        try:
            suffix = _detect_suffix(raw)
            path = Path(folder, f"book{suffix}")
            with path.open("wb") as copy:
                shutil.copyfileobj(raw, copy)
            formats: CellFormats = {}
            if suffix == ".xls" or not _scan_sheets(raw, place, options, formats):
                return read_sheets_in_subprocess(str(path))
            return read_sheets(str(path), formats)
        except PasswordProtected as error:
            hint = "save it without one"
            raise UnreadableFile("protected by a password", where=place, hint=hint) from error
        except WorkbookError as error:
            raise UnreadableFile(
                f"the workbook cannot be read ({error})",
                where=place,
                hint="open and save it again, or save it as CSV",
            ) from error


def _detect_suffix(raw: BinaryIO) -> str:
    # Encrypted workbooks raise ``PasswordProtected``.
    beginning = raw.read(len(file_signatures.OLE))
    raw.seek(0)
    if beginning == file_signatures.OLE:
        if _PASSWORD_MARK in raw.read():
            raise PasswordProtected
        raw.seek(0)
        return ".xls"
    try:
        with zipfile.ZipFile(raw) as archive:
            members = archive.namelist()
    except BROKEN_ZIP_ERRORS:
        members = []
    raw.seek(0)
    if "content.xml" in members:
        return ".ods"
    return ".xlsb" if "xl/workbook.bin" in members else ".xlsx"


# calamine makes a cell for each position up to the last row and column, and ends the process if there is no
# memory for them. So two cells at opposite corners, or a repeated cell, are found before.

MAX_REPEATED_FORMATS = 1000
"""Equal cells beside each other whose format is kept."""

MAX_POSITIONS = 50_000_000
"""Rows times columns of a sheet, unless it has a tenth of as many cells."""

_REFERENCE = re.compile(r"([A-Z]{1,9})(\d{1,9})")


EMPTY_FORMULA = "a formula without a stored value, read as empty: save the file in a spreadsheet"


def _scan_sheets(raw: BinaryIO, place: str, options: ReadOptions, formats: CellFormats) -> bool:
    # Declared dimensions are not trusted. False if a part is not XML: then nobody knows what calamine reads.
    def remark_formula(cell: str) -> None:
        options.remark(EMPTY_FORMULA, f"{place}, {cell}")

    is_known = True
    raw.seek(0)
    try:
        with zipfile.ZipFile(raw) as archive:
            names, styles = _read_styles(archive)
            for name in archive.namelist():
                scan = _SheetScan(
                    PurePosixPath(name).stem, remark_formula, styles, formats, names.get(name)
                )
                try:
                    with archive.open(name) as part:
                        scan.parser.ParseFile(part)
                except expat.ExpatError:
                    is_known &= not scan.has_begun  # or a picture
    except BROKEN_ZIP_ERRORS:
        is_known = False
    raw.seek(0, SEEK_END)
    return is_known


def _read_styles(archive: zipfile.ZipFile) -> tuple[dict[str, str], list[NumberFormat | None]]:
    # The names of sheets by their files, and the formats of styles; empty for ODS and damaged XML.
    sheets, styles = SheetNameReader(), StyleReader()
    for path, reader in (
        ("xl/workbook.xml", sheets),
        ("xl/_rels/workbook.xml.rels", sheets),
        ("xl/styles.xml", styles),
    ):
        if path not in archive.namelist():
            continue
        parser = expat.ParserCreate()
        parser.StartElementHandler = reader.start
        parser.EndElementHandler = reader.end
        with archive.open(path) as part, suppress(expat.ExpatError):
            parser.ParseFile(part)
    return sheets.by_path(), styles.formats


class _SheetScan:
    """Extent, formulas and formats of sheets, from elements of XLSX (row, c, f, v) and ODS (table-cell).

    ``report_empty_formula`` gets the sheet and cell of each formula without a stored value. The formats of
    cells are added to ``formats``; ``name`` is the name of a sheet of XLSX.
    """

    def __init__(
        self,
        sheet: str,
        report_empty_formula: Callable[[str], None],
        styles: Sequence[NumberFormat | None],
        formats: CellFormats,
        name: str | None,
    ) -> None:
        self._styles = styles
        self._formats = formats
        self._name = name
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._add_text
        self.has_begun = False
        self._sheet = sheet
        self._report_empty_formula = report_empty_formula
        self._has_formula = self._has_value = self._is_in_value = self._is_text = False
        self._clear()

    def _clear(self) -> None:
        self._row = self._column = self._cells = 0  # the present place, and the cells so far
        self._rows = self._columns = 0  # the last row and column with a cell

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.has_begun = True
        match tag.rpartition(":")[2]:
            case "row":
                self._row = _read_count(attributes.get("r"), self._row + 1)
                self._column = 0
            case "c":
                self._start_xlsx_cell(attributes)
            case "f":
                self._has_formula = True
            case "v":
                self._is_in_value = True
                self._has_value = self._is_text  # a formula may have the empty text as its value
            case "table":
                self._sheet = attributes.get("table:name", self._sheet)
                self._name = self._sheet
            case "table-row":
                self._row += _read_count(attributes.get("table:number-rows-repeated"), 1)
                self._column = 0
            case "table-cell" | "covered-table-cell":
                count = _read_count(attributes.get("table:number-columns-repeated"), 1)
                self._add_ods_formats(attributes, min(count, MAX_REPEATED_FORMATS))
                self._column += count
                # Empty cells are repeated up to the end of nearly every sheet.
                if any(name.endswith(":value-type") for name in attributes):
                    self._add_cell()
                elif "table:formula" in attributes:
                    self._add_empty_formula()

    def _start_xlsx_cell(self, attributes: dict[str, str]) -> None:
        place = _REFERENCE.fullmatch(attributes.get("r", "").upper())
        if place:
            self._column, self._row = _read_letters(place[1]), int(place[2])
        else:
            self._column += 1
        self._add_cell()
        self._has_formula = self._has_value = False
        self._is_text = attributes.get("t") == "str"
        style = _read_count(attributes.get("s"), 0)
        if self._name is not None and style < len(self._styles):
            self._add_format(self._row, self._column, self._styles[style])

    def _add_format(self, row: int, column: int, number_format: NumberFormat | None) -> None:
        if number_format is not None and self._name is not None:
            self._formats.setdefault(self._name, {})[row, column] = number_format

    def _add_ods_formats(self, attributes: dict[str, str], count: int) -> None:
        kind = attributes.get("office:value-type")
        if kind == "percentage":
            number_format = NumberFormat(suffix="%", is_percent=True)
        elif kind == "currency":
            number_format = NumberFormat(
                suffix=f" {attributes.get('office:currency', '')}".rstrip()
            )
        else:
            return
        for column in range(self._column + 1, self._column + 1 + count):
            self._add_format(self._row, column, number_format)

    def _add_text(self, text: str) -> None:
        self._has_value |= self._is_in_value and bool(text.strip())

    def _add_cell(self) -> None:
        self._cells += 1
        self._rows = max(self._rows, self._row)
        self._columns = max(self._columns, self._column)

    def _add_empty_formula(self) -> None:
        cell = f"{_write_letters(self._column)}{self._row}"
        self._report_empty_formula(f"{self._sheet} {cell}")

    def _end(self, tag: str) -> None:
        match tag.rpartition(":")[2]:
            case "v":
                self._is_in_value = False
            case "c":
                if self._has_formula and not self._has_value:
                    self._add_empty_formula()
            case "worksheet" | "table":
                if self._rows * self._columns > max(MAX_POSITIONS, 10 * self._cells):
                    raise WorkbookError(
                        f"a sheet has {self._cells:,} cells, spread over {self._rows:,} rows and "
                        f"{self._columns:,} columns"
                    )
                self._clear()


def _read_count(text: str | None, otherwise: int) -> int:
    return int(text[:9]) if text and text.isdecimal() else otherwise


def _read_letters(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _write_letters(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def read_sheets(path: str, formats: CellFormats) -> list[WorkbookSheet]:
    # Hidden sheets count too. Without the suffix of its kind on ``path``, calamine gives no reason
    # for an error.
    # Here, since listing the formats needs none of it.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum

    try:
        book = CalamineWorkbook.from_path(path)
        sheets = [
            book.get_sheet_by_name(sheet.name)
            for sheet in book.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        ]
    except PasswordError as error:
        raise PasswordProtected from error
    except (CalamineError, OSError) as error:
        raise WorkbookError(str(error)) from error
    return [
        WorkbookSheet(
            sheet.name,
            _fill_merged_cells(sheet, _sheet_rows(sheet, formats.get(sheet.name, {}))),
            _find_code_columns(formats.get(sheet.name, {})),
        )
        for sheet in sheets
        if any(value != "" for values in sheet.iter_rows() for value in values)
    ]


def _find_code_columns(formats: Mapping[tuple[int, int], NumberFormat]) -> frozenset[int]:
    by_column: dict[int, set[NumberFormat]] = {}
    for (_, column), number_format in formats.items():
        by_column.setdefault(column - 1, set()).add(number_format)
    return frozenset(
        column for column, codes in by_column.items() if all(code.is_code for code in codes)
    )


def _sheet_rows(
    sheet: CalamineSheet, formats: Mapping[tuple[int, int], NumberFormat]
) -> Iterator[tuple[int, list[str]]]:
    rows_with_formats = {row for row, _ in formats}
    for number, values in enumerate(sheet.iter_rows(), 1):
        cells = [format_cell(value, _WORKBOOK_DIGITS) for value in values]
        if number in rows_with_formats:
            for column, value in enumerate(values, 1):
                number_format = formats.get((number, column))
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    continue
                if number_format and math.isfinite(value):
                    cells[column - 1] = number_format.format(value)
        if any(cells):
            yield number, cells


def _fill_merged_cells(
    sheet: CalamineSheet, rows: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    # A text that is merged over rows is a label of each of them; an amount would be summed again.
    ends = {
        (first + 1, column): last + 1
        for (first, column), (last, last_column) in sheet.merged_cell_ranges or ()
        if first < last and column == last_column
    }
    labels: dict[int, tuple[int, str]] = {}
    for number, cells in rows:
        for column in range(len(cells)) if ends else ():
            last, label = labels.get(column, (0, ""))
            if (number, column) in ends and read_value(cells[column]) is None:
                labels[column] = ends[number, column], cells[column]
            elif number <= last and not cells[column]:
                cells[column] = label
        yield number, cells


# XLS, and archives with damaged XML, in a process of their own: with a damaged file calamine can ask for more
# memory than there is, which ends the process.


def read_sheets_in_subprocess(path: str) -> list[WorkbookSheet]:
    # Read the rows of each sheet before the rows of the next.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.run(  # noqa: S603 # this module
            # -P: no file in the working folder, or beside the workbook, is imported.
            [sys.executable, "-P", "-m", __name__, path],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        output.seek(0)
        lines = output.readlines()
    if process.returncode or not lines:
        raise WorkbookError("its data is damaged")
    summary = json.loads(lines[0])
    if isinstance(summary, str):
        raise WorkbookError(summary) if summary else PasswordProtected
    rows = iter(lines[1:])
    return [
        WorkbookSheet(name, _parse_rows(rows, count), frozenset(codes))
        for name, count, codes in summary
    ]


def _parse_rows(lines: Iterator[str], count: int) -> Iterator[tuple[int, list[str]]]:
    for _ in range(count):
        number, cells = json.loads(next(lines))
        yield number, cells


def write_sheets_as_json(path: str, output: IO[str]) -> None:
    # An error is one line, a text; it is empty if the workbook has a password.
    formats: CellFormats = {}
    if path.endswith(".xls"):
        # The numbers of a damaged workbook may be readable without them.
        with suppress(BadXlsFormats):
            formats = read_xls_formats(path)
    try:
        sheets = [
            (sheet.name, list(sheet.rows), sorted(sheet.code_columns))
            for sheet in read_sheets(path, formats)
        ]
    except WorkbookError as error:
        output.write(json.dumps(str(error)))
        return
    output.write(json.dumps([(name, len(rows), codes) for name, rows, codes in sheets]) + "\n")
    output.writelines(json.dumps(row) + "\n" for _, rows, _ in sheets for row in rows)


if __name__ == "__main__":
    write_sheets_as_json(sys.argv[1], sys.stdout)
