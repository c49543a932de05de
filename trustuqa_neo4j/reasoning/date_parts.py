"""Parts of a date that hold other dates too: its year, its month, its day of the week."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from ..language.ast import ProblemKind
from ..lexicon.words import WORDS
from ..values import OPEN, format_month, read_value
from .results import Cell, EvaluationError, make_number

_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")


def extract_year(cell: Cell, position: int) -> Cell:
    """Return the year of a date, or the only year that a text contains."""
    if cell.value is not None and cell.value.start is not None and cell.value.start < OPEN:
        return make_number(cell.value.start // 10000)
    # 7000 m contains no year.
    is_number = cell.value is not None and cell.value.number is not None
    years = set() if is_number else {*_YEAR.findall(cell.text)}
    if len(years) == 1:
        return make_number(int(years.pop()))
    message = f"{cell.text[:60]!r} names {'several years' if years else 'no year'}"
    raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)


def _format_month_name(day: int) -> str:
    return WORDS.times.months[day // 100 % 100 - 1].capitalize()


def _format_weekday(day: int) -> str:
    year, rest = divmod(day, 10000)
    return WORDS.times.weekdays[date(year, *divmod(rest, 100)).weekday()].capitalize()


def _extract(
    part: str, format_part: Callable[[int], str], unit: int = 10000, first: int = 10000
) -> Callable[[Cell, int], Cell]:
    """Make the function for a part of dates, both ends of which are in it.

    Days are written yyyymmdd: a ``unit`` of 100 holds days of one month. ``first`` is the first day that has
    such a part: days without a year are below 10000.
    """

    def extract(cell: Cell, position: int) -> Cell:
        start, end = (cell.value.start, cell.value.end) if cell.value is not None else (None, None)
        if start is not None and end is not None and first <= start <= end < OPEN:
            text = format_part(start)
            if start // unit == end // unit and text == format_part(end):
                return Cell(text, read_value(text))
        is_of_any_year = start is not None and 0 < start < first
        message = f"{cell.text[:60]!r} names no {'year' if is_of_any_year else part}"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)

    return extract


DATE_PARTS: dict[str, Callable[[Cell, int], Cell]] = {
    "year": extract_year,
    "month": _extract("month", format_month),
    "quarter": _extract("quarter", lambda day: f"{day // 10000:04}-Q{(day // 100 % 100 + 2) // 3}"),
    "decade": _extract("decade", lambda day: f"{day // 100000}0s", unit=100000),
    "month_name": _extract("month", _format_month_name, unit=100, first=1),
    "weekday": _extract("day", _format_weekday, unit=1),
}
"""Function → what it makes of one cell. Raises EvaluationError for what is not such a date."""
