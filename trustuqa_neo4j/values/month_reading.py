"""Months with two digits, such as ``Jan-24`` and ``24-Jan``: a month of a year, or a day of a month.

Spreadsheets write both. A column decides which one it has: by a number that is not a day, a day of one digit,
other months with whole years, the order of its rows, and its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from .column_names import names_day, names_month
from .dates import MonthAndNumber, expand_year, find_month_and_number

MonthOrder = Literal["my", "dm"]

_MAX_ROWS = 2000
"""Rows that are kept to look at their order."""

_MIN_DISTINCT = 3
_LAST_DAY = 31


class MonthDecision(NamedTuple):
    """How such cells are read, and why; ``order`` None: it is open."""

    order: MonthOrder | None
    reason: str


class MonthSurvey:
    """The cells of a column that have a month and two digits."""

    __slots__ = ("_has_short_day", "_rows", "count", "first", "months_of_years")

    def __init__(self) -> None:
        self.count: int = 0
        self.first: tuple[str, str] = ("", "")
        self.months_of_years: int = 0
        self._rows: list[MonthAndNumber] = []
        self._has_short_day = False

    def add(self, text: str, place: str) -> bool:
        """Count a cell; False if it is not a month with a number."""
        parts = find_month_and_number(text)
        if parts is None:
            return False
        if not self.count:
            self.first = text, place
        self.count += 1
        self._has_short_day |= len(parts.number) == 1
        if len(self._rows) < _MAX_ROWS:
            self._rows.append(parts)
        return True

    def decide(self, name: str, is_date: bool = False) -> MonthDecision:
        """Decide for all cells. ``is_date``: an option says that the column has dates."""
        numbers = [int(row.number) for row in self._rows]
        if any(not 0 < number <= _LAST_DAY for number in numbers):
            return MonthDecision(None if self._has_short_day else "my", "a number is not a day")
        if self._has_short_day:
            return MonthDecision("dm", "days have one digit")
        if self.months_of_years:
            return MonthDecision("my", "other cells have whole years")
        if names_month(name):
            return MonthDecision("my", "the name of the column")
        if names_day(name):
            return MonthDecision("dm", "the name of the column")
        order = self._decide_by_rows(numbers)
        if order is None and is_date:
            return MonthDecision("my", "its type")
        return MonthDecision(order, "the order of the rows" if order else "")

    def _decide_by_rows(self, numbers: Sequence[int]) -> MonthOrder | None:
        rows = list(dict.fromkeys(zip((row.month for row in self._rows), numbers, strict=True)))
        if len(rows) < _MIN_DISTINCT:
            return None
        months = [expand_year(f"{number:02}") * 12 + month for month, number in rows]
        days = [month * 100 + number for month, number in rows]
        if {later - earlier for earlier, later in pairwise(months)} in ({1}, {-1}, {3}, {-3}):
            return "my"
        if len({month for month, _ in rows}) == 1:
            # Consecutive days of one month; the same month of several years has the same steps.
            return "dm" if _is_sorted(numbers) and len(rows) > 2 * _MIN_DISTINCT else None
        if _is_sorted(days) != _is_sorted(months):
            return "dm" if _is_sorted(days) else "my"
        return None


def _is_sorted(numbers: Sequence[int]) -> bool:
    steps = [later - earlier for earlier, later in pairwise(numbers)]
    return all(step >= 0 for step in steps) or all(step <= 0 for step in steps)
