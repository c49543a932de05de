"""Rows that sum up the others: totals, subtotals, averages and the like.

A row that says that it is a sum, and is one, is not read: a sum over its column would count it again. A row
that only says so is read, with a note.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.values import ValueOptions, read_value
from trustuqa_neo4j.wording import CallOption

MAX_SUMMARY_ROWS = 10
"""Rows that sum up the others, below each other."""

MAX_SUMMED_ROWS = 10_000
"""Rows that are kept to compare a total with their sum; the totals of longer tables are only noted."""

_TOTAL = re.compile(
    r"\s*(?:(?:grand|overall)\s+)?(?:sub-?)?totals?\s*:?\s*"
    r"|\s*(?:summe|gesamt|gesamtsumme|insgesamt|zwischensumme|sum|totale|suma|somme)\s*:?\s*",
    re.IGNORECASE,
)
_BOUND = re.compile(r"(?:max|min)(?:\.|imum)?", re.IGNORECASE)
_SUMMARY = re.compile(
    r"(?:max|min)(?:\.|imum)?|(?:average|avg\.?|mean|median|std\.? ?dev\.?|standard deviation"
    r"|durchschnitt|mittelwert|moyenne|promedio|gemiddelde|all|overall)\s*:?",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"(?:{_TOTAL.pattern}|\s*(?:{_SUMMARY.pattern})\s*)$", re.IGNORECASE)
"""The first cell of a row that may be a total, or another summary."""

_LABEL_LETTERS = frozenset(["", *" \taAdDgGiImMoOpPsStTzZ"])
"""The first characters of such a cell."""

_Statistic = Callable[[Sequence[float]], float]
_STATISTICS: dict[str, tuple[_Statistic, ...]] = {
    "max": (max,),
    "min": (min,),
    "med": (statistics.median,),
    "std": (statistics.stdev, statistics.pstdev),
    "sta": (statistics.stdev, statistics.pstdev),
    "all": (sum, statistics.fmean),
    "ove": (sum, statistics.fmean),
}
"""By the first letters of a summary; the others are averages."""

_FRACTION = re.compile(r"[.,](\d+)\D*$")
_DECIMAL_SIGNS = (ValueOptions(decimal="."), ValueOptions(decimal=","))


class RawRow(NamedTuple):
    """A row of a file with the number of its line; ``after_blank``: the line above it is blank.

    A malformed row has no cells but an ``error``. ``is_repaired``: quotes within its quotes are not doubled.
    ``is_cut_off``: it has less cells than the first row, and the file ends without a line end in it.
    """

    line: int
    cells: Sequence[str]
    after_blank: bool = False
    error: str = ""
    is_repaired: bool = False
    is_cut_off: bool = False


class _Summary(NamedTuple):
    # ``label`` is empty for rows below a total. ``is_total``: it has numbers; ``is_true``: they are right.
    row: RawRow
    label: str
    is_total: bool
    is_true: bool


def without_sums(
    rows: Iterator[RawRow], options: ReadOptions, place: str, is_only_table: bool
) -> Iterator[RawRow]:
    # Rows that may end the table are held. If the options say how many rows end it, all rows stay.
    filled = _FilledRows()
    held: list[_Summary] = []
    previous = ""
    for row in rows:
        text = row.cells[0] if row.cells else ""
        summary = None
        may_be = text[:1] in _LABEL_LETTERS and (not text.strip() or _LABEL.match(text))
        if held or may_be or (len(text) > len(previous) > 0 and previous in text):
            summary = _find_summary(row, previous, held, filled)
        previous = text
        if summary is not None and len(held) < MAX_SUMMARY_ROWS:
            held.append(summary)
            filled.is_new_section = True
            continue
        if held:
            yield from _inner_rows(held, options, place)
            held = []
        filled.add(row.cells)
        yield row
    yield from _last_rows(held, options, place, is_only_table)


class _FilledRows:
    # The cells of the rows for comparison: all rows, and those since the last summary.
    def __init__(self) -> None:
        self.rows: list[Sequence[str]] = []
        self.is_new_section = False
        self._start = 0

    def add(self, cells: Sequence[str]) -> None:
        if self.is_new_section:
            self._start, self.is_new_section = len(self.rows), False
        if len(self.rows) <= MAX_SUMMED_ROWS:
            self.rows.append(cells)

    @property
    def is_complete(self) -> bool:
        return len(self.rows) <= MAX_SUMMED_ROWS

    @property
    def section(self) -> Sequence[Sequence[str]]:
        return self.rows[self._start :]


def _find_summary(
    row: RawRow, previous: str, held: Sequence[_Summary], filled: _FilledRows
) -> _Summary | None:
    # ``previous`` is the first cell of the row above.
    cells = row.cells
    label = next((cell.strip() for cell in cells[:3] if cell.strip()), "")
    text = cells[0] if cells else ""
    if previous and len(text) > len(previous) and _is_total_of(text, previous):
        part = [cells for cells in filled.section if cells and cells[0] == previous]
        is_true = filled.is_complete and _is_statistic(cells, part, (sum,), least=1)
        return _Summary(row, label, True, is_true)
    if _TOTAL.fullmatch(label):
        groups = (filled.section, filled.rows) if filled.is_complete else ()
        is_true = any(_is_statistic(cells, group, (sum,)) for group in groups)
        return _Summary(row, label, _is_total(cells), is_true)
    if _SUMMARY.fullmatch(label):
        functions = _STATISTICS.get(label[:3].casefold(), (statistics.fmean,))
        is_true = filled.is_complete and _is_statistic(cells, filled.rows, functions)
        return _Summary(row, label, False, is_true)
    # Taxes and the like have no first cell, below a total that follows a blank line.
    is_below = any(summary.is_total and summary.row.after_blank for summary in held)
    return _Summary(row, "", False, False) if is_below and not text.strip() else None


def _inner_rows(held: Sequence[_Summary], options: ReadOptions, place: str) -> Iterator[RawRow]:
    for summary in held:
        where = f"{place}:{summary.row.line}"
        if summary.is_total and summary.is_true and options.table.skip_end is None:
            _remark_sum(options, where)
            continue
        if summary.is_total:
            what = "this row looks like a total, which a sum counts again"
            options.remark(f"{what}; delete it from the file", where)
        yield summary.row


def _last_rows(
    held: Sequence[_Summary], options: ReadOptions, place: str, is_only_table: bool
) -> Iterator[RawRow]:
    skip_end = options.table.skip_end
    # Max alone may be a person.
    if all(not summary.label or _BOUND.fullmatch(summary.label) for summary in held):
        yield from (summary.row for summary in held)
        return
    is_below = False
    for summary in held:
        where = f"{place}:{summary.row.line}"
        is_left_out = summary.is_true or (is_below and not summary.row.cells[0].strip())
        if skip_end is None and is_left_out:
            is_below |= summary.is_total and summary.row.after_blank
            _remark_sum(options, where)
            continue
        if summary.label and len(held) > (skip_end or 0):
            what = "this row looks like a summary of the others"
            if summary.is_total:
                what = "this row looks like a total, which a sum counts again"
            skip = f"{CallOption.SKIP_END.with_value(str(len(held)))} leaves it out"
            options.remark(
                f"{what}; {skip if is_only_table else f'loaded by itself, {skip}'}", where
            )
        yield summary.row


def _remark_sum(options: ReadOptions, where: str) -> None:
    keep = f"{CallOption.SKIP_END.with_value('0')} reads such rows"
    options.remark(f"this row sums up rows above it, and is not read; {keep}", where)


def is_summary_label(text: str) -> bool:
    return _LABEL.match(text) is not None


def _is_total_of(text: str, label: str) -> bool:
    # ``North Total`` below rows of ``North``.
    return text.casefold() in (f"{label} total".casefold(), f"total {label}".casefold())


def _is_total(cells: Sequence[str]) -> bool:
    for number, cell in enumerate(cells[:3]):
        if cell and _TOTAL.fullmatch(cell):
            return any(map(_is_number, cells[number + 1 :]))
        if cell.strip():
            return False
    return False


def _is_number(text: str) -> bool:
    return any(_read_number(text, options) is not None for options in _DECIMAL_SIGNS)


def _read_number(text: str, options: ValueOptions) -> float | None:
    value = read_value(text, options)
    return None if value is None else value.number


def _is_statistic(
    cells: Sequence[str],
    rows: Sequence[Sequence[str]],
    functions: Sequence[_Statistic],
    least: int = 2,
) -> bool:
    # Whether each number is the statistic of the column above it, with either decimal sign.
    rows = [row for row in rows if len(row) == len(cells)]
    columns = [n for n, cell in enumerate(cells) if _is_number(cell)]
    return (
        len(rows) >= least
        and bool(columns)
        and all(_is_column_statistic(n, cells[n], rows, functions) for n in columns)
    )


def _is_column_statistic(
    number: int, text: str, rows: Sequence[Sequence[str]], functions: Sequence[_Statistic]
) -> bool:
    above = [row[number] for row in rows if row[number].strip()]
    fraction = _FRACTION.search(text)
    for options in _DECIMAL_SIGNS:
        expected = _read_number(text, options)
        values = [_read_number(cell, options) for cell in above]
        numbers = [value for value in values if value is not None]
        if expected is None or not numbers or len(numbers) < len(values):
            continue
        for function in functions:
            if function in (statistics.stdev, statistics.pstdev) and len(numbers) < 2:
                continue
            # Averages are rounded, and sums are not.
            rounding = (
                0.0 if function is sum else 0.5 * 10.0 ** -(len(fraction[1]) if fraction else 0)
            )
            result = function(numbers)
            if abs(result - expected) <= rounding + 1e-9 * max(1.0, abs(result)):
                return True
    return False
