"""Days as integers that sort as time does: year × 10000 + month × 100 + day.

Negative years sort too (-490 is before -489, and within a year January is before December), which
``datetime`` cannot hold at all. A day without a year stands in year 0, which no calendar of years BC and
AD has, so that the days of one season can be compared with each other and with nothing else.
"""

from __future__ import annotations

from typing import TypeAlias

Days: TypeAlias = tuple[int, int]
"""First and last day of what a date means."""

OPEN = 10**11
"""The end of what has not ended: later than any date, whose years have six digits at most."""

NO_YEAR = 0
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def last_of_month(year: int, month: int) -> int:
    """The last day's number: Julian leap years to 1582, Gregorian ones after; any year BC may leap."""
    if month != 2:
        return _LENGTHS[month - 1]
    leap = year % 4 == 0 and (year <= 1582 or year % 100 != 0 or year % 400 == 0)
    return 29 if leap or year < 0 else 28


def days(year: int, month: int | None = None, day: int | None = None) -> Days | None:
    """The days of a year, of one of its months, or one day; None where there is no such day."""
    base = year * 10000
    if month is None:
        return (base + 101, base + 1231)
    if not 1 <= month <= 12:
        return None
    last = last_of_month(year, month)
    base += month * 100
    if day is None:
        return (base + 1, base + last)
    return (base + day, base + day) if 1 <= day <= last else None


def has_year(day: int) -> bool:
    """Whether the year of ``day`` is known."""
    return not 0 < day < 10000
