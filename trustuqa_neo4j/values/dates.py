"""Text → the days it means: dates, months, years, decades, centuries, and ranges of them.

English month names. A day and a month that could change places (``05/03/1999``) are read only when the
options say which comes first, or a dot stands between them, which puts the day first everywhere.
Guessing from the locale (what dateutil does) is right for one column and silently wrong for the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from .days import NO_YEAR, OPEN, Days, days

Order: TypeAlias = Literal["dmy", "mdy", "iso"]

FIRST_YEAR, LAST_YEAR = 1000, 2199
"""A number of four digits in these bounds may be a year."""

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FLAGS = re.ASCII | re.IGNORECASE
_TH = r"(?:st|nd|rd|th)?"
_BETWEEN = r"(?:\s*[,/-]\s*|\s+)"

_NAMED_MONTH = re.compile(rf"(?<![a-z]){MONTH}(?![a-z])", _FLAGS)
_WEEKDAY = re.compile(rf"{WEEKDAY}\.?,?\s+", _FLAGS)
_TIME = re.compile(
    r"(?:T|\s*[,–-]\s*|\s+)(?:at\s+)?\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?"
    r"(?:\s?(?:Z|[A-Z]{2,4}|[+-]\d\d:?\d\d))?$",
    _FLAGS,
)
# The ways to write one date: the parts are named y, m, d.
_WITH_MONTH = tuple(
    re.compile(form, _FLAGS)
    for form in (
        rf"(?P<m>{MONTH})\b\.?[\s-]*(?P<d>\d\d?){_TH}(?:{_BETWEEN}(?P<y>\d{{4}}))?",
        rf"(?P<d>\d\d?)(?:{_TH}|\.)[\s-]*(?:of\s+)?(?P<m>{MONTH})\b\.?(?:[\s,/-]*(?P<y>\d{{4}}))?",
        rf"(?P<m>{MONTH})\b\.?(?:\s+of\s+|[\s,/-]*)(?P<y>\d{{4}})",
        rf"(?P<y>\d{{4}})[\s,/-]*(?P<m>{MONTH})\b\.?(?:[\s-]*(?P<d>\d\d?){_TH})?",
    )
)
_YEAR_FIRST = re.compile(r"(?P<y>\d{4})(?P<by>[-/.])(?P<m>\d\d?)(?P=by)(?P<d>\d\d?)", _FLAGS)
_YEAR_LAST = re.compile(r"(?P<a>\d\d?)(?P<by>[-/.])(?P<b>\d\d?)(?P=by)(?P<y>\d{4}|\d\d)", _FLAGS)
_DAY_MONTH_YY = re.compile(rf"(?P<d>\d\d?)-(?P<m>{MONTH})-(?P<y>\d\d)", _FLAGS)
_MONTH_OF_YEAR = re.compile(r"(?P<m>\d\d?)/(?P<y>\d{4})", _FLAGS)
# Half of a range: what the other half tells it is left out.
_HALF = re.compile(
    rf"(?P<d>\d\d?){_TH}(?:\s*,?\s*(?P<y>\d{{4}}))?|(?P<m>{MONTH})\.?|(?P<year>\d{{4}})", _FLAGS
)
_DASH = re.compile(r"\s*[–—]\s*|\s+-\s+|\s+(?:to|until)\s+|-\s+|\s+-", _FLAGS)
_NOT_ENDED = re.compile(r"|present|pres\.?|current|now|today|ongoing|date|incumbent", _FLAGS)

_YEARS = re.compile(r"(?P<from>\d{4})\s?(?P<by>[-–—/]|to)\s?(?P<to>\d{4}|\d\d)", _FLAGS)
_OPEN_YEARS = re.compile(rf"(?P<from>\d{{4}})\s?(?:[-–—]|to)\s?(?:{_NOT_ENDED.pattern})", _FLAGS)
_DECADE = re.compile(r"(\d{3}0)[ ]?'?s", _FLAGS)
_ERA = r"B\.?C\.?(?:E\.?)?|A\.?D\.?|C\.?E\.?"
_CENTURY = re.compile(rf"(\d\d?)(?:st|nd|rd|th)[\s-]century(?:\s(?P<era>{_ERA}))?", re.ASCII)
# 7AD is a call sign, 79 AD and 490BC are years.
_OF_ERA = re.compile(rf"A\.?D\.?\s?(\d{{1,4}})|(\d{{1,6}}(?=\s)|\d{{3,6}})\s?({_ERA})", re.ASCII)
_ERAS = re.compile(
    rf"(\d{{1,6}})\s?({_ERA})?\s?(?:[-–—]|to)\s?(\d{{1,6}})\s?({_ERA})",
    re.ASCII,
)
_NUMBERS_ONLY = re.compile(r"\d{4}|\d\d?([/.-])\d\d?\1\d\d", re.ASCII)


class Point(NamedTuple):
    """One date as far as it is written."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def days(self) -> Days | None:
        """Its days; None where it says too little or there is no such day."""
        if self.year is None:
            if self.month is None or self.day is None:
                return None
            return days(NO_YEAR, self.month, self.day)
        return days(self.year, self.month, self.day) if self.year else None


def read_days(text: str, order: Order | None) -> Days | None:
    """The days that ``text``, trimmed and without footnote marks, means."""
    if ":" in text:
        text = _TIME.sub("", text)
    if _NAMED_MONTH.search(text):
        return _point_or_range(text, order)
    if not _NUMBERS_ONLY.search(text):
        return _era(text) if "c" in text.lower() or "AD" in text or "A.D" in text else None
    return _years(text, order) or _point_or_range(text, order) or _era(text) or _decade(text)


def is_year(text: str) -> bool:
    """Whether ``text``, all digits, may be a year."""
    return len(text) == 4 and FIRST_YEAR <= int(text) <= LAST_YEAR


def date_order(texts: Iterable[str]) -> Literal["dmy", "mdy"] | None:
    """Which of day and month comes first in a column: said by the days above 12, if all agree."""
    found: set[Literal["dmy", "mdy"]] = set()
    for text in texts:
        if numbers := _YEAR_LAST.match(text.strip()):
            first, second = int(numbers["a"]), int(numbers["b"])
            if 12 < first <= 31 and second <= 12:
                found.add("dmy")
            elif 12 < second <= 31 and first <= 12:
                found.add("mdy")
    return found.pop() if len(found) == 1 else None


def _point_or_range(text: str, order: Order | None) -> Days | None:
    point = _point(text, order)
    return point.days() if point else _range(text, order)


def _point(text: str, order: Order | None) -> Point | None:
    if weekday := _WEEKDAY.match(text):
        text = text[weekday.end() :]
    for form in _WITH_MONTH:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            month = _month(parts["m"])
            return Point(_number(parts["y"]), month, _number(parts.get("d")))
    if found := _YEAR_FIRST.fullmatch(text):
        return Point(int(found["y"]), int(found["m"]), int(found["d"]))
    if found := _YEAR_LAST.fullmatch(text):
        return _ordered(found, order)
    if found := _MONTH_OF_YEAR.fullmatch(text):
        return Point(int(found["y"]), int(found["m"]))
    if order == "dmy" and (found := _DAY_MONTH_YY.fullmatch(text)):
        return Point(_of_two(found["y"]), _month(found["m"]), int(found["d"]))
    return None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _of_two(digits: str) -> int:
    """The year that two digits stand for, as POSIX reads them."""
    year = int(digits)
    return year + (1900 if year >= 69 else 2000)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _ordered(found: re.Match[str], order: Order | None) -> Point | None:
    first, second = int(found["a"]), int(found["b"])
    given = order if order in ("dmy", "mdy") else None
    if len(found["y"]) == 2:
        if given is None:
            return None
        year = _of_two(found["y"])
    else:
        year = int(found["y"])
    if first > 12 or second > 12 or first == second:
        day_first = second <= 12
    elif given is None and found["by"] != ".":
        return None
    else:
        day_first = given != "mdy"
    return Point(year, second, first) if day_first else Point(year, first, second)


def _range(text: str, order: Order | None) -> Days | None:
    halves = _DASH.split(text)
    if len(halves) != 2:
        halves = text.split("-")
    if len(halves) != 2:
        return None
    first = _half(halves[0].strip(), order)
    if first is None:
        return None
    if _NOT_ENDED.fullmatch(halves[1].strip()):
        start = first.days() if first.year is not None else None
        return (start[0], OPEN) if start else None
    second = _half(halves[1].strip(), order)
    return _between(first, second) if second else None


def _half(text: str, order: Order | None) -> Point | None:
    point = _point(text, order)
    if point or not (found := _HALF.fullmatch(text)):
        return point
    month = _month(found["m"]) if found["m"] else None
    return Point(_number(found["y"] or found["year"]), month, _number(found["d"]))


def _between(first: Point, second: Point) -> Days | None:
    """From the one to the other, each told by the other what it leaves out."""
    if first.month is None and second.month is None:
        return None
    if first.year is None:
        first = first._replace(year=second.year)
    if first.month is None and first.day is not None:
        first = first._replace(month=second.month)
    if second.month is None and second.day is not None:
        second = second._replace(month=first.month)
    start, end = first.days(), second.days()
    if start is None or end is None or (first.year is not None and second.year is None):
        return None
    return (start[0], end[1]) if start[0] <= end[1] else None


def _years(text: str, order: Order | None) -> Days | None:
    """``1999–2003``, ``1990-95``, ``1999/00``, ``1999–present``."""
    if found := _OPEN_YEARS.fullmatch(text):
        return (int(found["from"]) * 10000 + 101, OPEN) if is_year(found["from"]) else None
    found = _YEARS.fullmatch(text)
    if not found or not is_year(found["from"]):
        return None
    first, written, by = int(found["from"]), found["to"], found["by"]
    last = int(written)
    if len(written) == 2:
        month = last if by == "-" and 1 <= last <= 12 else None
        crosses = last <= first % 100
        if month and order == "iso":
            return days(first, month)
        last += first - first % 100 + (100 if crosses else 0)
        if month and crosses:
            return None  # 1996-03 is a month or eight years
    if not first <= last <= LAST_YEAR or (by == "/" and last != first + 1):
        return None
    return (first * 10000 + 101, last * 10000 + 1231)


def _decade(text: str) -> Days | None:
    """``1990s``; of decades that centuries share their name with, only ``2000s``."""
    found = _DECADE.fullmatch(text)
    if not found or not is_year(found[1]):
        return None
    first = int(found[1])
    if first % 100 == 0 and first != 2000:
        return None
    return (first * 10000 + 101, (first + 9) * 10000 + 1231)


def _era(text: str) -> Days | None:
    """``490 BC``, ``AD 79``, ``18 BC – 28 AD``, ``5th century BC``."""
    if found := _CENTURY.fullmatch(text):
        last = int(found[1]) * 100
        if not 0 < last <= LAST_YEAR:
            return None
        first, last = (-last, 99 - last) if _before(found["era"]) else (last - 99, last)
        return (first * 10000 + 101, last * 10000 + 1231)
    if found := _OF_ERA.fullmatch(text):
        return _of_era(found[1] or found[2], found[3])
    if found := _ERAS.fullmatch(text):
        first_days = _of_era(found[1], found[2] or found[4])
        last_days = _of_era(found[3], found[4])
        if first_days and last_days and first_days <= last_days:
            return (first_days[0], last_days[1])
    return None


def _before(era: str | None) -> bool:
    return era is not None and era[0] in "Bb"


def _of_era(year: str, era: str | None) -> Days | None:
    number = int(year)
    if not number or (not _before(era) and number > LAST_YEAR):
        return None
    return days(-number if _before(era) else number)
