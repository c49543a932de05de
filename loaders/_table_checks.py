"""Doubts about the layout of a table, as a list of checks: what is looked for, the note, and its option.

A check sees the header and the first rows. It finds nothing, or a place and the words for its note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import MAX_HEADER_LINES
from trustuqa_neo4j.values import MISSING_WORDS, ValueKind, read_value
from trustuqa_neo4j.values.dates import read_compact_days
from trustuqa_neo4j.wording import CallOption

from ._summary_rows import RawRow, is_summary_label

MAX_TITLE_ROWS = 20

MAX_CARD_ROWS = 40
"""A table of two columns with this number of rows is not a description of one thing."""

_MAX_LIST_PART = 40
_BARE_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*|\d{4}-\d\d-\d\d")
_COMPACT_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", re.ASCII)
_DATE_NAME = re.compile(
    r"(?:\b|_|(?<=[a-z]))(?:[Dd]ate|DATE|[Dd]ay|DAY|[Dd]atum|DATUM|[Tt]ag|TAG|[Ff]echa|[Dd]ata|[Jj]our|[Dd]ato)(?:\b|_|(?=[A-Z]))"
)


class Finding(NamedTuple):
    """The line that is in doubt, the words for the note, and the value of its option.

    ``kind``: the only kind of value that the column has beyond doubt. ``line`` 0: the file as a whole.
    """

    line: int
    words: Mapping[str, object] = {}
    setting: tuple[str, ...] = ()
    kind: ValueKind | None = None


@dataclass(frozen=True)
class Column:
    """A column of the first rows: its name, and its filled cells without outer blanks, each with its line.

    ``is_code_format``: its numbers have a format of codes in their workbook.
    """

    name: str
    cells: Sequence[tuple[str, int]]
    options: ReadOptions
    number: int = 0
    is_code_format: bool = False

    @property
    def is_typed(self) -> bool:
        """Whether an option says which kind of values it has."""
        return self.options.values.of_column(self.name).kind is not None


@dataclass(frozen=True)
class TableSample:
    """The header and the first rows of a table.

    ``names`` are the cells of the header, and ``lines`` those it takes. ``is_given``: an option says where
    the header is. ``code_columns`` have formats of codes.
    """

    names: Sequence[str]
    lines: Sequence[int]
    rows: Sequence[RawRow]
    options: ReadOptions
    is_given: bool = False
    code_columns: frozenset[int] = field(default_factory=frozenset)

    @property
    def has_found_header(self) -> bool:
        """Whether there is a header, and no option says where."""
        return bool(self.lines) and not self.is_given

    @cached_property
    def wide_rows(self) -> Sequence[RawRow]:
        """The rows that are as wide as the header."""
        return [row for row in self.rows if len(row.cells) == len(self.names)]

    @cached_property
    def columns(self) -> Sequence[Sequence[str]]:
        """The cells of each column as they stand; none if no row is as wide as the header."""
        return list(zip(*(row.cells for row in self.wide_rows), strict=True))

    def column(self, number: int, name: str) -> Column:
        stripped = [(row.cells[number].strip(), row.line) for row in self.wide_rows]
        cells = [(cell, line) for cell, line in stripped if cell]
        if number == 0:
            cells = [(cell, line) for cell, line in cells if not is_summary_label(cell)]
        name = self.options.table.rename.get(name, name)
        return Column(name, cells, self.options, number, number in self.code_columns)


class TableCheck(NamedTuple):
    """``message`` has places for ``{option}`` and for the words of a finding."""

    find: Callable[[TableSample], Finding | None]
    message: str
    option: CallOption | None = None


class ColumnCheck(NamedTuple):
    """As ``TableCheck``, with ``{name}``. The first check of a ``group`` that finds something counts."""

    find: Callable[[Column], Finding | None]
    message: str
    option: CallOption
    group: str = ""


def note_table(sample: TableSample, names: Sequence[str], place: str) -> dict[int, ValueKind]:
    """Note all doubts; return the kinds of values of columns that are beyond doubt, by number."""
    for check in TABLE_CHECKS:
        finding = check.find(sample)
        if finding is not None:
            _add_note(check.message, check.option, finding, {}, sample.options, place)
    kinds: dict[int, ValueKind] = {}
    for number, name in enumerate(names):
        column = sample.column(number, name)
        for column_finding in _note_column(column, place):
            if column_finding.kind is not None:
                kinds[number] = column_finding.kind
    return kinds


def _note_column(column: Column, place: str) -> list[Finding]:
    findings: dict[str, Finding] = {}
    for number, check in enumerate(COLUMN_CHECKS):
        group = check.group or str(number)
        finding = None if group in findings else check.find(column)
        if finding is not None:
            findings[group] = finding
            words = {"name": column.name}
            _add_note(check.message, check.option, finding, words, column.options, place)
    return [*findings.values()]


def _add_note(
    message: str,
    option: CallOption | None,
    finding: Finding,
    words: Mapping[str, object],
    options: ReadOptions,
    place: str,
) -> None:
    option_text = option.with_value(*finding.setting) if option else ""
    what = message.format(**{**words, **finding.words}, option=option_text)
    options.remark(what, f"{place}:{finding.line}" if finding.line else place)


# Cells that show what a row or column is.


def is_name(cell: str) -> bool:
    # Whether a cell may be the name of a column: a text, a year, or a month.
    value = read_value(cell)
    return value is None or value.start is not None


def are_names(cells: Sequence[str]) -> bool:
    # Years are not names here, since rows of data have them.
    filled = [cell for cell in cells if cell]
    return 2 * len(filled) >= len(cells) and all(map(is_text_name, filled))


def is_text_name(cell: str) -> bool:
    # Empty, or a text that does not say that a value is missing.
    return read_value(cell) is None and cell not in MISSING_WORDS


def has_values(column: Sequence[str]) -> bool:
    # Whether nearly all filled cells are numbers or dates.
    filled = [cell for cell in column if cell.strip()]
    values = sum(read_value(cell) is not None for cell in filled)
    return len(filled) > 1 and values >= 0.9 * len(filled)


def has_header_names(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    # Whether a text stands above numbers or dates.
    return any(
        name.strip() and read_value(name) is None and has_values(column)
        for name, column in zip(names, columns, strict=False)
    )


def is_bare_number(name: str) -> bool:
    return _BARE_NUMBER.fullmatch(name) is not None and not is_name(name)


def is_same_row(cells: Sequence[str], names: Sequence[str]) -> bool:
    return [*map(str.strip, cells)] == [*map(str.strip, names)]


def is_day_above_days(name: str, column: Sequence[str]) -> bool:
    filled = [cell for cell in column if cell.strip()]
    return _is_day(name) and len(filled) > 1 and all(map(_is_day, filled))


def _is_day(cell: str) -> bool:
    value = read_value(cell)
    return value is not None and value.start is not None and value.start == value.end


# Checks of the header.


def _find_empty_names(sample: TableSample) -> Finding | None:
    names = sample.names
    empty = sum(not name.strip() for name in names)
    if not sample.lines or len(names) <= 2 or 2 * empty <= len(names):
        return None
    for row in sample.rows[:MAX_TITLE_ROWS]:
        cells = [cell.strip() for cell in row.cells]
        if len(cells) == len(names) and all(cells) and all(map(is_name, cells)):
            guess = f", perhaps {row.line}"
            break
    else:
        guess = ""
    return Finding(sample.lines[0], {"count": empty, "width": len(names), "guess": guess}, ("N",))


def _find_data_in_header(sample: TableSample) -> Finding | None:
    # A bare number as the name of a column of numbers may be data; 1, 2, 3 … count columns, *2nd* is a name.
    # So may a day above days, and a text that recurs below itself.
    if not sample.has_found_header:
        return None
    names, columns = sample.names, sample.columns
    numbers = [
        name.strip()
        for name, column in zip(names, columns, strict=False)
        if is_bare_number(name.strip()) and has_values(column)
    ]
    first = int(numbers[0]) if numbers and numbers[0].isdecimal() else 0
    is_count = len(numbers) > 1 and numbers == [str(first + n) for n in range(len(numbers))]
    # A text above numbers is a name, and a row with all names repeats the header.
    is_header = has_header_names(names, columns) or any(
        is_same_row(row.cells, names) for row in sample.wide_rows
    )
    recurrent = [
        name.strip()
        for name, column in zip(names, columns, strict=False)
        if name.strip() and not is_header and (name in column or is_day_above_days(name, column))
    ]
    data = [] if is_count else numbers or recurrent
    return Finding(sample.lines[0], {"cell": data[0]}, ("none",)) if data else None


def _find_further_header_rows(sample: TableSample) -> Finding | None:
    # Rows of names alone, above columns of numbers or dates, may belong to the header.
    if not sample.has_found_header:
        return None
    rows = sample.wide_rows
    for count in range(min(MAX_HEADER_LINES - len(sample.lines), len(rows) - 2), 0, -1):
        columns = list(zip(*(row.cells for row in rows[count:]), strict=True))
        typed = [number for number, column in enumerate(columns) if has_values(column)]
        heads = [[row.cells[number].strip() for number in typed] for row in rows[:count]]
        if len(typed) > 1 and all(map(are_names, heads)):
            return Finding(rows[0].line, {}, (f"{sample.lines[0]}-{rows[count - 1].line}",))
    return None


def _find_card(sample: TableSample) -> Finding | None:
    # Names beside values of several kinds may describe one thing, as on a card.
    if not sample.has_found_header:
        return None
    rows = [[*map(str.strip, row.cells)] for row in sample.rows]
    names = sample.names
    if len(names) != 2 or not 2 < len(rows) < MAX_CARD_ROWS or any(len(row) != 2 for row in rows):
        return None
    keys = [names[0].strip(), *(row[0] for row in rows)]
    values = [read_value(text) for text in (names[1], *(row[1] for row in rows))]
    kinds = {"text" if v is None else "date" if v.start is not None else "number" for v in values}
    is_card = len(kinds) == 3 and are_names(keys) and all(keys) and len(set(keys)) == len(keys)
    return Finding(sample.lines[0], {}, ("none",)) if is_card else None


# Checks of rows.


def _first_column(sample: TableSample) -> Sequence[tuple[str, int]]:
    # Cells as they stand; none in a table of one column.
    rows = sample.wide_rows if len(sample.names) > 1 else []
    return [(row.cells[0], row.line) for row in rows]


def _first_name(sample: TableSample) -> str:
    return repr(sample.names[0].strip() or "column 1")


def _find_empty_labels(sample: TableSample) -> Finding | None:
    # The first column of a pivoted table: labels stand once above empty cells.
    column = _first_column(sample)
    labels = [cell for cell, _ in column if cell.strip()]
    empty = [line for cell, line in column[1:] if not cell.strip()]
    is_filled = len(labels) > 1 and bool(column[0][0].strip()) and len(set(labels)) == len(labels)
    if is_filled and len(empty) > 1 and 3 * len(empty) >= len(column):
        return Finding(empty[0], {"name": _first_name(sample)})
    return None


def _find_indented_labels(sample: TableSample) -> Finding | None:
    column = _first_column(sample)
    labels = sum(bool(cell.strip()) for cell, _ in column)
    indented = [(cell, line) for cell, line in column if cell[:2] == "  " and cell.strip()]
    if 1 < len(indented) < labels and column[0][0][:1].strip():
        cell, line = indented[0]
        return Finding(line, {"name": _first_name(sample), "cell": cell.strip()})
    return None


def _find_second_table(sample: TableSample) -> Finding | None:
    # Names below a blank line, in a column of numbers or dates, may be the header of another table.
    rows = sample.wide_rows
    for number, row in enumerate(rows[:-1]):
        if not (row.after_blank and number and all(map(str.strip, row.cells))):
            continue
        above, below = rows[:number], rows[number + 1 :]
        if are_names([*map(str.strip, row.cells)]) and any(
            has_values([row.cells[n] for row in above])
            and has_values([row.cells[n] for row in below])
            for n in range(len(sample.names))
        ):
            return Finding(row.line)
    return None


def _find_quoted_lines(sample: TableSample) -> Finding | None:
    # Quotes around whole lines make one column of them.
    if len(sample.names) != 1 or not sample.rows:
        return None
    cells = [sample.names[0], *(row.cells[0] for row in sample.rows if len(row.cells) == 1)]
    for delimiter in ",;\t|":
        counts = {cell.count(delimiter) for cell in cells}
        if len(cells) > 2 and len(counts) == 1 and 0 not in counts:
            return Finding(sample.rows[0].line, {"sign": delimiter})
    return None


TABLE_CHECKS = (
    TableCheck(
        _find_empty_names,
        "{count} of {width} names in the header are empty; {option} names another line{guess}",
        CallOption.HEADER,
    ),
    TableCheck(
        _find_data_in_header,
        "the first row is read as the header, and {cell!r} looks like data; {option} reads it as a row",
        CallOption.HEADER_TEXT,
    ),
    TableCheck(
        _find_further_header_rows,
        "the rows below the header have names above numbers; {option} reads them as header",
        CallOption.HEADER_TEXT,
    ),
    TableCheck(
        _find_card,
        "the first column may have the names of columns, as on a card; turn the table if it has, "
        "or {option} reads the first row as a row",
        CallOption.HEADER_TEXT,
    ),
    TableCheck(
        _find_empty_labels,
        "{name}: empty cells may stand for the one above; fill them in the file if they do",
    ),
    TableCheck(
        _find_indented_labels,
        "{name}: indented cells such as {cell!r} look like parts of the row above, so a sum counts both; "
        "delete one of them from the file",
    ),
    TableCheck(
        _find_second_table,
        "the row below a blank line looks like the header of another table; put it into a file of its own",
    ),
    TableCheck(
        _find_quoted_lines,
        "each line is one cell with {sign!r} in it; take the quotes off the lines if it has several columns",
    ),
)


# Checks of a column.


def _find_format_codes(column: Column) -> Finding | None:
    finding = _find_codes(column)
    if finding and column.is_code_format and len({len(cell) for cell, _ in column.cells}) == 1:
        return finding._replace(setting=(column.name, "number"), kind="text")
    return None


def _find_codes(column: Column) -> Finding | None:
    if column.is_typed:
        return None
    codes = [(cell, line) for cell, line in column.cells if re.fullmatch(r"0\d+", cell, re.ASCII)]
    digits = sum(cell.isdecimal() for cell, _ in column.cells)
    if not codes or digits < 0.9 * len(column.cells):
        return None
    cell, line = codes[0]
    return Finding(line, {"cell": cell}, (column.name, "text"))


def _find_sure_compact_dates(column: Column) -> Finding | None:
    # The name of the column says so too.
    finding = _find_compact_dates(column)
    is_sure = _DATE_NAME.search(column.name) and all(
        read_compact_days(cell) for cell, _ in column.cells
    )
    return (
        finding._replace(setting=(column.name, "number"), kind="date")
        if finding and is_sure
        else None
    )


def _find_compact_dates(column: Column) -> Finding | None:
    cells = column.cells
    if column.is_typed or len(cells) < 2:
        return None
    if not all(_COMPACT_DATE.fullmatch(cell) for cell, _ in cells):
        return None
    cell, line = cells[0]
    return Finding(line, {"cell": cell}, (column.name, "date"))


def _find_lists(column: Column) -> Finding | None:
    # Cells have several values if most of the parts of some cells recur in others.
    cells = column.cells
    if column.name in column.options.table.split:
        return None
    for sign in ("; ", ";", " | ", "|", ", "):
        lists = [(cell, line) for cell, line in cells if sign in cell]
        if len(lists) < 2 or 3 * len(lists) < len(cells):
            continue
        counts = Counter(part.strip() for cell, _ in cells for part in cell.split(sign))
        parts = [part.strip() for cell, _ in lists for part in cell.split(sign)]
        is_short = all(len(part) <= _MAX_LIST_PART for part in parts)
        is_short &= sign != ", " or _is_list_of_words(cells, lists)
        if is_short and 3 * sum(counts[part] > 1 for part in parts) >= 2 * len(parts):
            cell, line = lists[0]
            return Finding(line, {"cell": cell[:40]}, (column.name, sign.strip()))
    return None


def _is_list_of_words(
    cells: Sequence[tuple[str, int]], lists: Sequence[tuple[str, int]], sign: str = ", "
) -> bool:
    # In an address, parts do not change their places; scores and dates have more digits than letters.
    parts = [part.strip() for cell, _ in lists for part in cell.split(sign)]
    heads = {cell.split(sign)[0].strip() for cell, _ in cells}
    tails = {part.strip() for cell, _ in lists for part in cell.split(sign)[1:]}
    is_worded = 2 * sum(part[:1].isalpha() for part in parts) > len(parts)
    return bool(heads & tails) and is_worded and all(read_value(c) is None for c, _ in lists[:5])


COLUMN_CHECKS = (
    ColumnCheck(
        _find_sure_compact_dates,
        "{name!r}: cells such as {cell} are read as dates; {option} reads them as numbers",
        CallOption.TYPE,
        group="compact dates",
    ),
    ColumnCheck(
        _find_compact_dates,
        "{name!r}: cells such as {cell} look like dates; {option} reads them as dates",
        CallOption.TYPE,
        group="compact dates",
    ),
    ColumnCheck(
        _find_format_codes,
        "{name!r}: cells such as {cell} are codes by their format, so they are read as text; "
        "{option} reads them as numbers",
        CallOption.TYPE,
        group="codes",
    ),
    ColumnCheck(
        _find_codes,
        "{name!r}: cells such as {cell} look like codes; {option} does not read them as numbers",
        CallOption.TYPE,
        group="codes",
    ),
    ColumnCheck(
        _find_lists,
        "{name!r}: cells such as {cell!r} seem to have several values; {option} reads each of them",
        CallOption.SPLIT,
    ),
)
