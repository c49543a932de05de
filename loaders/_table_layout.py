"""The layout of a table in its file: titles above the header, two header rows, and footnotes below the rows.

People write tables for people: the header may come after title lines, and lines below the rows explain them.
Only what is beyond doubt is recognized. The rest is read as it is, with notes that name the option for it.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby, islice, pairwise

from trustuqa_neo4j.errors import MalformedLine
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.values import read_value
from trustuqa_neo4j.values.units import find_unit
from trustuqa_neo4j.wording import CallOption

from ._program_layouts import Layout, find_program_layout
from ._summary_rows import RawRow, without_sums
from ._table_checks import (
    MAX_TITLE_ROWS,
    TableSample,
    are_names,
    has_header_names,
    has_values,
    is_bare_number,
    is_day_above_days,
    is_name,
    is_same_row,
    is_text_name,
    note_table,
)
from ._table_items import QUOTE_HINT, InputTable, column_names

SAMPLE_ROWS = 60
"""Rows that are looked at for the header."""

MAX_TAIL_ROWS = 30

MIN_SHARE = 0.6
"""The share of rows as wide as most, in a table whose header is not in the first line."""

_FOOTNOTE = re.compile(
    r"\s*(?:[*†‡§¹²³⁴]|\(\d\)\s|\[\d\]\s|\d\)\s|(?:sources?|notes?|remarks?|legend|footnotes?|quellen?|"
    r"anmerkung(?:en)?|hinweise?|stand|fu(?:ß|ss)noten?|data as of|as of|last updated)\s*:)",
    re.IGNORECASE,
)
_ROW_COUNT = re.compile(r"\s*\(\d+ (?:rows?|Zeilen?)\)\s*")
_MIN_FOOTNOTE_LENGTH = 10
_MAX_FURTHER = 0.25  # share of the cells of the table that a row below a footnote has
_BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[-–—]")
"""A unit or a format below the name of a column."""

_HEADER = CallOption.HEADER.with_value("N")


# The header.


def find_layout(rows: Sequence[RawRow]) -> Layout | None:
    # None: the header is the first row, or it is in doubt.
    for find in _FINDERS:
        layout = find(rows)
        if layout is not None:
            return layout
    return None


def _find_repeated_names(rows: Sequence[RawRow]) -> Layout | None:
    # Two lines of the header, of which the upper one repeats its names: 2021, 2021, 2022, 2022.
    grid = _Grid(rows)
    if grid.size < 3 or grid.share < MIN_SHARE:
        return None
    start = next((n for n in range(min(len(rows), MAX_TITLE_ROWS)) if grid.is_full(n)), -1)
    for number in range(start + 1):
        if grid.has_repeated_names(number):
            if not grid.are_titles(number):
                return None
            height = 2 + grid.has_index_name(number)
            header = [row.cells for row in rows[number : number + height]]
            return Layout(
                number, height, [_join_names(names) for names in zip(*header, strict=True)]
            )
    return None


def _join_names(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, map(str.strip, names))))


def _find_usual_layout(rows: Sequence[RawRow]) -> Layout | None:
    grid = _Grid(rows)
    if grid.size < 2 or grid.share < MIN_SHARE:
        return None
    start = next((n for n in range(min(len(rows), MAX_TITLE_ROWS)) if grid.is_full(n)), None)
    if start is None:
        return None
    for second in (start + 1, start, start - 1):
        if 1 <= second < len(rows) - 1 and grid.is_double_header(second - 1):
            height = 2 + grid.has_index_name(second - 1)
            return Layout(second - 1, height) if grid.are_titles(second - 1) else None
    if start and not (start + 1 < len(rows) and grid.are_titles(start) and grid.is_header(start)):
        return None
    if grid.has_units_below(start):
        return Layout(start, 2)
    return Layout(start, 1) if start else None


def _find_missing_header(rows: Sequence[RawRow]) -> Layout | None:
    # The first row is beyond doubt a row if it has a day above days, a number above the numbers of the rows
    # before texts, or, among texts alone, one that recurs below it among others.
    first, *others = rows or [RawRow(0, [])]
    width = len(first.cells)
    names = [cell.strip() for cell in first.cells]
    if width < 2 or len(others) < 2 or not all(names):
        return None
    if any(row.error or len(row.cells) != width for row in others):
        return None
    columns = [[row.cells[n].strip() for row in others] for n in range(width)]
    is_typed = [has_values(column) for column in columns]
    if has_header_names(names, columns) or any(is_same_row(row.cells, names) for row in others):
        return None
    is_data = any(map(is_day_above_days, names, columns))
    if not all(is_typed):
        is_data |= is_typed[0] and is_bare_number(names[0])
    is_data |= _are_numbers_of_columns(names, columns, is_typed)
    if not any(is_typed):
        # What recurs in the first column may be the header of further rows.
        repeats = [sum(map(str.__eq__, names, map(str.strip, row.cells))) for row in others]
        recurs = any(
            name in column and len(set(column)) > 1
            for name, column in zip(names[1:], columns[1:], strict=True)
        )
        is_data |= recurs and max(repeats) == 1
    header = CallOption.HEADER.with_value(str(first.line))
    note = f"the first row has data, so that the columns have no names; {header} reads it as the header"
    return Layout(0, 0, (), note) if is_data else None


def _are_numbers_of_columns(
    names: Sequence[str], columns: Sequence[Sequence[str]], is_typed: Sequence[bool]
) -> bool:
    # Whether several numbers stand above numbers, each in the range of its column, and count nothing.
    typed = [n for n, is_column_typed in enumerate(is_typed) if is_column_typed]
    if len(typed) < 2 or not all(is_bare_number(names[n]) for n in typed):
        return False
    values = [_numbers([names[n]]) for n in typed]
    steps = {b[0] - a[0] for a, b in pairwise(values) if a and b}
    return (
        len(steps) > len(typed) - 2
        and (len(typed) > 2 or steps != {1.0})
        and all(
            value and min(column) <= value[0] <= max(column)
            for value, column in zip(values, (_numbers(columns[n]) for n in typed), strict=True)
        )
    )


def _numbers(cells: Sequence[str]) -> list[float]:
    values = (read_value(cell) for cell in cells)
    return [value.number for value in values if value is not None and value.number is not None]


class _Grid:
    # The first rows without the columns that are empty in all of them.
    def __init__(self, rows: Sequence[RawRow]) -> None:
        widths = Counter(len(row.cells) for row in rows if len(row.cells) > 1)
        # Lines above a short table may be more than its rows, but have less cells.
        cells = {width: (count > 1, count * (width - 1)) for width, count in widths.items()}
        self.width = max(widths, key=lambda width: (*cells[width], width), default=0)
        body = [row.cells for row in rows if len(row.cells) == self.width]
        # The share of rows between titles and footnotes that are as wide as most. One row is not a table.
        wide = [n for n, row in enumerate(rows) if len(row.cells) == self.width]
        self.share = len(body) / (wide[-1] - wide[0] + 1) if len(wide) > 1 else 0.0
        filled = [n for n in range(self.width) if any(cells[n].strip() for cells in body)]
        self.size = len(filled)
        self._rows = rows
        self._cells = [
            [row.cells[n].strip() for n in filled] if (len(row.cells) == self.width) else None
            for row in rows
        ]

    def is_full(self, number: int) -> bool:
        cells = self._cells[number]
        return cells is not None and sum(map(bool, cells)) >= max(2, self.size - 1)

    def are_titles(self, end: int) -> bool:
        # Whether the rows above ``end`` are title lines: one text, or a word and what it says.
        return all(self._is_title(number) for number in range(end))

    def _is_title(self, number: int) -> bool:
        cells = self._cells[number]
        if cells is None:
            cells = [cell.strip() for cell in self._rows[number].cells]
            # A comma of a sentence has a blank after it.
            is_prose = any(cell[:1] == " " for cell in self._rows[number].cells[1:])
            count = sum(map(bool, cells))
            return len(cells) < self.width and (is_prose or count <= max(1, self.size // 2))
        count = sum(map(bool, cells))
        return count <= 1 or (count == 2 and self.size > 3 and bool(cells[0] and cells[1]))

    def is_header(self, number: int) -> bool:
        cells = self._cells[number] or []
        names = [cell.casefold() for cell in cells if cell]
        if not all(map(is_name, names)):
            return False
        is_apart = self._rows[number].after_blank or not any(self._cells[number - 1] or [True])
        if len(set(names)) < len(names):
            return is_apart and self._differs(cells, number + 1)
        has_short_titles = self.size > 2 and all(cells is None for cells in self._cells[:number])
        return is_apart or has_short_titles or self._differs(cells, number + 1)

    def is_double_header(self, number: int) -> bool:
        # Whether the row ``number`` spans columns that the row below it names.
        top, names = self._cells[number], self._cells[number + 1]
        if top is None or names is None or self._rows[number + 1].after_blank:
            return False
        if not all(is_name(cell) for cell in (*top, *names) if cell):
            return False
        gaps = [n for n, cell in enumerate(top) if n and not cell and any(top[:n])]
        has_names = all(names[n] for n in gaps) and all(
            map(any, zip(top[1:], names[1:], strict=True))
        )
        if not gaps or not has_names or sum(map(bool, top)) < 2:
            return False
        spanned = [name for name in names if name]
        is_sure = len(set(spanned)) < len(spanned) or any(
            cell and name in ("", cell) for cell, name in zip(top, names, strict=True)
        )
        merged = merge_headers([top, names])
        if len(set(merged)) < len(merged) or not self._differs(merged, number + 2):
            return False
        return is_sure or (len(gaps) > 1 and len(spanned) == self.size)

    def has_repeated_names(self, number: int) -> bool:
        # Whether the row ``number`` has names in several columns each, and the row below it names columns
        # of numbers or dates under them.
        top, names = [*self._cells[number : number + 2], None, None][:2]
        if top is None or names is None or self._rows[number + 1].after_blank:
            return False
        spans = _list_spans(top)
        columns = [n for span in spans for n in span]
        if len(spans) < 2 and max(map(len, spans), default=0) < 3:
            return False
        joined = [_join_names(pair) for pair in zip(top, names, strict=True)]
        below = number + 2 + self.has_index_name(number)
        body = [cells for cells in self._cells[below:] if cells is not None]
        typed = [n for n in columns if has_values([cells[n] for cells in body])]
        # A row of data may have texts where others have numbers, but it has a cell under each name.
        parts = {tuple(names[n] for n in span) for span in spans}
        is_periodic = len(spans) > len(parts) == 1
        is_apart = all(
            top[n] in ("", names[n]) or not names[n] for n in range(self.size) if n not in columns
        )
        return (
            all(map(is_name, filter(None, top)))
            and all(names[n] and is_text_name(names[n]) for n in columns)
            and len(set(joined)) == len(joined)
            and 2 * len(typed) >= max(len(columns), 4)
            and not are_names([body[0][n] for n in typed])
            and (is_periodic or is_apart)
        )

    def has_index_name(self, number: int) -> bool:
        # Whether the row below the header lines from ``number`` on has nothing but the name of the first
        # column, which has none in them. pandas writes the name of an index there, or an empty row.
        lines = self._cells[number : number + 3]
        if len(lines) < 3 or any(cells is None for cells in lines):
            return False
        top, names, index = (cells or [""] for cells in lines)
        body = [cells for cells in self._cells[number + 3 :] if cells is not None]
        return (
            not (top[0] or names[0] or any(index[1:]))
            and is_text_name(index[0])
            and len(body) > 1
            and all(cells[0] and any(cells[1:]) for cells in body)
        )

    def has_units_below(self, number: int) -> bool:
        # Whether the row below the header ``number`` has the units of numbers, or is in brackets.
        if number + 2 >= len(self._cells):
            return False
        header, units = self._cells[number : number + 2]
        if header is None or units is None or not all(map(is_name, filter(None, header))):
            return False
        columns = [n for n, cell in enumerate(units) if cell]
        if not columns or not all(_is_unit(units[n]) for n in columns):
            return False
        body = [cells for cells in self._cells[number + 2 :] if cells is not None]
        return all(
            _BRACKETED.fullmatch(units[n]) or has_values([cells[n] for cells in body])
            for n in columns
        ) and any(has_values([cells[n] for cells in body]) for n in columns)

    def _differs(self, names: Sequence[str], start: int) -> bool:
        # Whether a column has a name above values.
        below = [cells for cells in self._cells[start : start + 20] if cells is not None]
        for number, name in enumerate(names):
            if not name:
                continue
            # The name may be a year above other values.
            value = read_value(name)
            cells = [read_value(row[number]) for row in below if row[number]]
            values = [v for v in cells if v and (value is None or v.start is None)]
            is_text_or_date = value is None or value.start is not None
            if is_text_or_date and values and len(values) >= 0.8 * len(cells):
                return True
        return False


def _list_spans(names: Sequence[str]) -> list[range]:
    # The columns of each name that stands in several ones beside each other; none if it recurs elsewhere.
    runs = [(name, len([*cells])) for name, cells in groupby(names)]
    filled = [name for name, _ in runs if name]
    ends = accumulate(length for _, length in runs)
    spans = [
        range(end - length, end)
        for (name, length), end in zip(runs, ends, strict=True)
        if name and length > 1
    ]
    return spans if len(set(filled)) == len(filled) else []


def _is_unit(cell: str) -> bool:
    if _BRACKETED.fullmatch(cell):
        return True
    unit = find_unit(cell)
    return unit is not None and not unit.kind.startswith("count ")


def merge_headers(rows: Sequence[Sequence[str]]) -> list[str]:
    # A cell above spans the empty cells to its right, unless the cell below it is empty.
    if len(rows) == 1:
        return list(rows[0])
    below = merge_headers(rows[1:])
    width = max(len(below), len(rows[0]))
    below += [""] * (width - len(below))
    top = [*rows[0], *[""] * (width - len(rows[0]))]
    names: list[str] = []
    span = ""
    for cell, name in zip(top, below, strict=True):
        cell, name = cell.strip(), name.strip()
        if cell:
            span = cell if name not in ("", cell) else ""
        above = cell or (span if name else "")
        names.append(above if above == name else f"{above} {name}".strip())
    return names


_FINDERS = (find_program_layout, _find_repeated_names, _find_usual_layout, _find_missing_header)
"""The first one that finds a layout counts."""


# The rows below the header.


def body_rows(
    rows: Iterator[RawRow],
    header: Sequence[str],
    options: ReadOptions,
    place: str,
    is_only_table: bool = True,
) -> Iterator[tuple[int, Sequence[str]]]:
    # Without repeated headers, the footnotes at the end, and the last rows that the options leave out.
    rows = _fit_to_header(rows, header, options, place)
    rows = _without_footnotes(rows, len(header), options, place)
    rows = without_sums(rows, options, place, is_only_table)
    for row in without_last(rows, options.table.skip_end or 0):
        if row.error:
            options.malformed(row.error, f"{place}:{row.line}", QUOTE_HINT)
        else:
            yield row.line, row.cells


def _fit_to_header(
    rows: Iterator[RawRow], header: Sequence[str], options: ReadOptions, place: str
) -> Iterator[RawRow]:
    # Without rows that repeat the header, as where files were joined, and empty cells beyond it.
    width = len(header)
    first = header[0]
    for row in rows:
        cells = row.cells
        if row.is_repaired:
            what = "quotes within quotes are read as they stand; write them twice if the cell ends before"
            options.remark(what, f"{place}:{row.line}")
        if len(cells) == width > 1 and cells[0] == first and first and is_same_row(cells, header):
            options.remark(
                "a row that repeats the header, which is not read", f"{place}:{row.line}"
            )
            continue
        if len(cells) > width > 1 and not any(cell.strip() for cell in cells[width:]):
            options.remark(
                "empty cells beyond the header, which are not read", f"{place}:{row.line}"
            )
            row = row._replace(cells=cells[:width])
        yield row


def without_last(rows: Iterator[RawRow], count: int) -> Iterator[RawRow]:
    if not count:
        yield from rows
        return
    held: deque[RawRow] = deque()
    for row in rows:
        held.append(row)
        if len(held) > count:
            yield held.popleft()


def _without_footnotes(
    rows: Iterator[RawRow], width: int, options: ReadOptions, place: str
) -> Iterator[RawRow]:
    # Rows that may be footnotes are held until the next row, or the end, shows what they are.
    held: list[RawRow] = []
    has_footnote = False
    for row in rows:
        if not held and len(row.cells) > 1 and row.cells[-1].strip():
            yield row  # as nearly all rows
            continue
        is_blank = len(row.cells) == width > 1 and not any(cell.strip() for cell in row.cells)
        is_after_blank = row.after_blank or bool(held)
        is_count = len(row.cells) == 1 < width and _ROW_COUNT.fullmatch(row.cells[0]) is not None
        # A link or a date below a footnote may have cells of its own.
        is_further = has_footnote and len(row.cells) <= _MAX_FURTHER * width
        is_footnote = (
            is_count or is_further or (width > 2 and _is_footnote(row, width, is_after_blank))
        )
        if (is_blank or is_footnote) and len(held) < MAX_TAIL_ROWS:
            held.append(row)
            has_footnote |= is_footnote
            continue
        yield from held
        held, has_footnote = [], False
        yield row
    if not has_footnote:
        yield from held
        if held:
            what = f"empty rows at the end: {CallOption.SKIP_END.with_value(str(len(held)))} leaves them out"
            options.remark(what, f"{place}:{held[0].line}")
        return
    first = next(row.line for row in held if any(cell.strip() for cell in row.cells))
    options.remark("lines below the rows, which are not read", f"{place}:{first}")


def _is_footnote(row: RawRow, width: int, is_after_blank: bool) -> bool:
    text, *others = row.cells or [""]
    if any(cell.strip() for cell in others) or not text.strip():
        return False
    if len(row.cells) == 1 < width:
        return is_after_blank or _FOOTNOTE.match(text) is not None
    is_prose = len(text) >= _MIN_FOOTNOTE_LENGTH and " " in text.strip()
    return len(row.cells) == width and is_prose and _FOOTNOTE.match(text) is not None


# A table as a whole.


def note_layout(layout: Layout, rows: Sequence[RawRow], options: ReadOptions, place: str) -> None:
    # ``rows`` begin the file.
    what = layout.note
    if not what and layout.height > 1:
        count = "two" if layout.height == 2 else "three"
        first = CallOption.HEADER.with_value(str(rows[layout.header].line))
        what = f"{count} header lines are read as one; {first} reads the first one alone"
    elif not what and layout.header:
        what = f"lines above the header are not read; {_HEADER} names another header"
    if what:
        options.remark(what, f"{place}:{rows[layout.header].line}")


def lay_out_table(
    name: str,
    place: str,
    rows: Iterator[RawRow],
    height: int,
    options: ReadOptions,
    read_again: Callable[[], Iterable[RawRow]] | None = None,
    is_only_table: bool = True,
    names: Sequence[str] = (),
    code_columns: frozenset[int] = frozenset(),
) -> InputTable | None:
    # ``rows`` begin with the ``height`` lines of the header, if there is one. ``read_again`` gives all rows
    # once more; without it they are kept in memory if they must be looked at twice. ``names``: those of the
    # header, if they are not its merged cells. ``code_columns`` have formats of codes. None: there is no row.
    header_rows = list(islice(rows, height))
    sample = list(islice(rows, SAMPLE_ROWS))
    if not (header_rows or (sample and not height)):
        return None
    if height:
        header = [*names] or merge_headers([row.cells for row in header_rows])
    else:
        header = [""] * _width(sample)
    rest: Iterable[RawRow] = chain(sample, rows)
    header = _complete_header(header, sample, options, place)
    empty = _nameless_empty_columns(header, sample)
    if empty:
        if read_again is None:
            rest = list(rest)
        later = rest if read_again is None else islice(read_again(), height, None)
        empty = _still_empty(empty, later, len(header))
    if empty:
        rest = _without_columns(rest, empty, len(header))
        kept = [number for number in range(len(header)) if number not in empty]
        code_columns = frozenset(new for new, old in enumerate(kept) if old in code_columns)
        header = [cell for number, cell in enumerate(header) if number not in empty]
        sample = list(_without_columns(sample, empty, len(header) + len(empty)))
        options.remark("empty columns without a name, which are not read", place)
    is_given = options.table.header is not None or options.table.skipped_lines is not None
    lines = [row.line for row in header_rows]
    table_sample = TableSample(header, lines, sample, options, is_given, code_columns)
    kinds = note_table(table_sample, column_names(header), place)
    body = body_rows(iter(rest), header, options, place, is_only_table)
    return InputTable(name, place, header, body, kinds)


def _complete_header(
    header: list[str], sample: Sequence[RawRow], options: ReadOptions, place: str
) -> list[str]:
    # The header may lack a name for the numbers of rows, or the delimiter that ends all other lines.
    rows = [row.cells for row in sample]
    if len(rows) < 2 or len(header) < 2 or {len(cells) for cells in rows} != {len(header) + 1}:
        return header
    if not any(cells[-1].strip() for cells in rows):
        return [*header, ""]
    if not all(cells[-1].strip() for cells in rows):
        return (
            header  # the delimiter that ends lines, and cells beyond it: these rows are malformed
        )
    _check_thousands(sample, place)
    first = [cells[0] for cells in rows]
    is_clean = not any(cell[:1] == " " for cells in rows for cell in cells)
    if is_clean and len(set(first)) == len(first) and all(map(is_name, header)):
        options.remark("one name less than columns in the header, so the first one has none", place)
        return ["", *header]
    return header


def _check_thousands(sample: Sequence[RawRow], place: str) -> None:
    """Refuse rows whose extra cell may come from a number with a separator of thousands and no quotes.

    Raises:
        MalformedLine
    """
    for number in range(len(sample[0].cells) - 1):
        pairs = [row.cells[number : number + 2] for row in sample]
        if all(_LEADING_DIGITS.fullmatch(a) and _THREE_DIGITS.fullmatch(b) for a, b in pairs):
            text = ",".join(pairs[0])
            raise MalformedLine(
                f"one cell more than in the header, and {text} may be one number",
                where=f"{place}:{sample[0].line}",
                hint="put such numbers in quotes, or name all columns; "
                f"{CallOption.HEADER_TEXT.with_value('none')} reads the first line as a row",
            )


_LEADING_DIGITS = re.compile(r"\s*[-+]?[1-9]\d{0,2}", re.ASCII)
_THREE_DIGITS = re.compile(r"\d{3}", re.ASCII)


def _width(rows: Sequence[RawRow]) -> int:
    # The number of cells of most rows.
    widths = Counter(len(row.cells) for row in rows)
    return max(widths, key=lambda width: (widths[width], width))


def _nameless_empty_columns(header: Sequence[str], sample: Sequence[RawRow]) -> set[int]:
    rows = [row.cells for row in sample if len(row.cells) == len(header)]
    nameless = (number for number, name in enumerate(header) if not name.strip())
    # A table of nothing but such columns stays as it is.
    empty = {n for n in nameless if rows and not any(cells[n].strip() for cells in rows)}
    return empty if len(header) - len(empty) > 0 else set()


def _still_empty(columns: set[int], rows: Iterable[RawRow], width: int) -> set[int]:
    for row in rows:
        if len(row.cells) == width:
            columns = {number for number in columns if not row.cells[number].strip()}
        if not columns:
            break
    return columns


def _without_columns(rows: Iterable[RawRow], columns: set[int], width: int) -> Iterator[RawRow]:
    for row in rows:
        if len(row.cells) == width:
            cells = [cell for number, cell in enumerate(row.cells) if number not in columns]
            yield row._replace(cells=cells)
        else:
            yield row
