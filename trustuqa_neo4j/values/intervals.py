"""When a fact held: dates of temporal graphs, with unknown parts, and the intervals between two of them.

Unlike ``read_value``, which takes what it cannot read for text, ``read_date`` raises: taken for unknown, a
slip in an end date would make the fact hold for ever.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .dates import Order, read_days
from .days import OPEN, Days, days

_DATE = re.compile(
    r"(?P<year>[-+−]?\d{1,6}#{0,5})"
    r"(?:-(?P<month>\d\d?|##)(?:-(?P<day>\d\d?|##)(?:[T ]\d\d:?\d\d\S*)?)?)?",
    re.ASCII,
)
_NO_MONTH = re.compile(r"(-?\d{3,4})-\d{3,5}-\d\d", re.ASCII)
_COMPACT = re.compile(r"([12]\d{3})(\d\d)(\d\d)", re.ASCII)
_UNKNOWN = re.compile(
    r"\??|#+(?:-[\d#]{1,2}){0,2}|[-+]?0000(?:-00){0,2}(?:[T ][\d:.]+Z?)?", re.ASCII
)
_NO_CALENDAR = "is a date that no calendar has"
LONGEST = 100


class BadDate(ValueError):
    """``text`` is neither a date nor an unknown one; ``year`` are the days of the year it says, if any."""

    def __init__(self, text: str, why: str, year: Days | None = None) -> None:
        self.text = text
        self.why = why
        self.year = year
        shown = text if len(text) <= 40 else text[:39] + "…"
        super().__init__(f"{shown!r} {why}")


@dataclass(frozen=True, slots=True)
class Interval:
    """First and last day a fact held, both counted; ``end`` may be ``OPEN``.

    ``reversed``: the end as written precedes the start; the fact held between the two nevertheless.
    """

    start: int
    end: int
    reversed: bool = False


def read_date(text: str, order: Order | None = None) -> Days | None:
    """First and last day of what ``text`` means; None where it says that the date is unknown.

    ``YYYY-MM-DD`` with ``##`` (or ``00``) for what is not known, years of up to six digits, negative,
    or known in part (``19##``), with or without a time; else whatever ``read_value`` takes for a date.

    Raises:
        BadDate: anything else, and days that no calendar has.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise BadDate(text, "is no date")
    if _UNKNOWN.fullmatch(text):
        return None
    found = _DATE.fullmatch(text)
    if not found or _unclear(found):
        read = _compact(text) or read_days(text, order)
        if read is None and (odd := _NO_MONTH.fullmatch(text)):
            raise BadDate(text, _NO_CALENDAR, days(int(odd[1])))
        if read is None:
            raise BadDate(text, "is no date")
        return read
    known = _known(found)
    if known is None:
        year = found["year"].replace("−", "-")
        raise BadDate(text, _NO_CALENDAR, None if "#" in year else days(int(year)))
    return known


def _unclear(found: re.Match[str]) -> bool:
    """Without a sign, five digits alone are no year, nor are two before a month (``10-05-12``)."""
    year, month = found["year"], found["month"]
    if year[0] in "-+−":
        return False
    return len(year) > 4 if month is None else len(year) < 3 and month != "##"


def _compact(text: str) -> Days | None:
    """``19990305``."""
    found = _COMPACT.fullmatch(text)
    return days(*(int(part) for part in found.groups())) if found else None


def _known(found: re.Match[str]) -> Days | None:
    year = found["year"].replace("−", "-")
    if "#" in year:
        return _partly(year) if len(year.strip("-+")) <= 6 else None
    month, day = (
        int(p) if p and p not in ("##", "00") else None for p in found.group("month", "day")
    )
    return days(int(year), month, day if month else None)


def _partly(year: str) -> Days:
    """``19##`` is 1900 to 1999; ``-49#`` is -499 to -490."""
    ends = sorted((int(year.replace("#", "0")), int(year.replace("#", "9"))))
    return (ends[0] * 10000 + 101, ends[1] * 10000 + 1231)


def interval(start: str, end: str, order: Order | None = None) -> Interval | None:
    """When a fact held that has these two dates; None where both are unknown.

    An unknown end is open; an unknown start counts as its end (spec: the fact is known to hold then).

    Raises:
        BadDate: as ``read_date``.
    """
    return between(read_date(start, order), read_date(end, order))


def between(first: Days | None, last: Days | None) -> Interval | None:
    """When a fact held that has these two dates, as they were read; None where both are unknown."""
    if first is None:
        return Interval(*last) if last else None
    if last is None:
        return Interval(first[0], OPEN)
    if first[0] > last[1]:
        return Interval(last[0], first[1], reversed=True)
    return Interval(first[0], last[1])


def years(held: Interval, latest: int) -> range:
    """The years in which the fact held; those of an open one run to ``latest``, a year."""
    first = held.start // 10000
    last = max(first, latest) if held.end >= OPEN else held.end // 10000
    return range(first, last + 1)
