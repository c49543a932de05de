"""Text → a range of days: dates, months, years, decades, centuries, and ranges of them.

Month names are English. An ambiguous date (``05/03/1999``) is read only if the options say which part comes
first, or if it has dots, which put the day first everywhere. A guess from the locale, as in dateutil, would
be right for one column and silently wrong for the next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from ..lexicon.words import WORDS

# A day is the integer year × 10000 + month × 100 + day, which sorts by time, also for negative years, which
# ``datetime`` does not have. A day without a year has the year 0, which no calendar has, so that such days
# can be compared with each other only.

Days: TypeAlias = tuple[int, int]

OPEN = 10**11
"""The end of a range that has not ended: later than any date, since years have at most six digits."""

NO_YEAR = 0
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def get_last_day_of_month(year: int, month: int) -> int:
    # Leap years are Julian to 1582, Gregorian after; any year BC may have a 29 February.
    if month != 2:
        return _LENGTHS[month - 1]
    leap = year % 4 == 0 and (year <= 1582 or year % 100 != 0 or year % 400 == 0)
    return 29 if leap or year < 0 else 28


def get_days(year: int, month: int | None = None, day: int | None = None) -> Days | None:
    # A year, a month, or one day; None if there is no such day.
    base = year * 10000
    if month is None:
        return (base + 101, base + 1231)
    if not 1 <= month <= 12:
        return None
    last = get_last_day_of_month(year, month)
    base += month * 100
    if day is None:
        return (base + 1, base + last)
    return (base + day, base + day) if 1 <= day <= last else None


def has_year(day: int) -> bool:
    return not 0 < day < 10000


DateOrder: TypeAlias = Literal["dmy", "mdy", "iso", "my", "dm"]
"""What ambiguous texts are: ``05/03/1999`` (day or month first), ``2004-11`` (``iso``: a month), ``Jan-24``
(``my``: a month of a year, ``dm``: a day)."""

FIRST_YEAR, LAST_YEAR = 1000, 2199
"""A number of four digits within these bounds may be a year."""

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_FLAGS = re.ASCII | re.IGNORECASE
_TH = r"(?:st|nd|rd|th)?"
_BETWEEN = r"(?:\s*[,/-]\s*|\s+)"

_NAMED_MONTH = re.compile(rf"(?<![a-z]){MONTH}(?![a-z])", _FLAGS)
_WEEKDAY = re.compile(rf"{WEEKDAY}\.?,?\s+", _FLAGS)
_TIME = re.compile(
    r"(?:T|\s*[,–-]\s*|\s+)(?:at\s+)?\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?"
    r"(?:\s?(?:Z|(?:UTC|GMT)[+-]\d\d?(?::?\d\d)?|[A-Z]{2,4}|[+-]\d\d:?\d\d))?$",
    _FLAGS,
)
# The forms of one date; the groups y, m, d are its parts.
_WITH_MONTH = tuple(
    re.compile(form, _FLAGS)
    for form in (
        rf"(?P<m>{MONTH})\b\.?[\s-]*(?P<d>\d\d?){_TH}(?:{_BETWEEN}(?P<y>\d{{4}}))?",
        rf"(?P<d>\d\d?)(?:{_TH}|\.)[\s-]*(?:of\s+)?(?P<m>{MONTH})\b\.?(?:[\s,/-]*(?P<y>\d{{4}}))?",
        rf"(?P<d>\d\d)(?P<m>{MONTH})(?P<y>\d{{4}})",  # as SAS writes dates
        rf"(?P<m>{MONTH})\b\.?(?:\s+of\s+|[\s,/-]*)(?P<y>\d{{4}})",
        rf"(?P<y>\d{{4}})[\s,/-]*(?P<m>{MONTH})\b\.?(?:[\s-]*(?P<d>\d\d?){_TH})?",
    )
)
_YEAR_FIRST = re.compile(r"(?P<y>\d{4})(?P<by>[-/.])(?P<m>\d\d?)(?P=by)(?P<d>\d\d?)", _FLAGS)
_YEAR_LAST = re.compile(r"(?P<a>\d\d?)(?P<by>[-/.])(?P<b>\d\d?)(?P=by)(?P<y>\d{4}|\d\d)", _FLAGS)
_DAY_MONTH_YY = re.compile(rf"(?P<d>\d\d?)(?P<by>-?)(?P<m>{MONTH})(?P=by)(?P<y>\d\d)", _FLAGS)
_MONTH_AND_NUMBER = re.compile(
    rf"(?P<m>{MONTH}\.?)(?P<by>\s*['’]|\s?[-/]\s?|\s+)(?P<n>\d\d?)"
    rf"|(?P<n2>\d\d?)(?P<by2>\s?[-/]\s?)(?P<m2>{MONTH}\.?)",
    _FLAGS,
)
_MONTH_OF_YEAR = re.compile(r"(?P<m>\d\d?)/(?P<y>\d{4})", _FLAGS)
# Half of a range: it may leave out parts that the other half has.
_HALF = re.compile(
    rf"(?P<d>\d\d?){_TH}(?:\s*,?\s*(?P<y>\d{{4}}))?|(?P<m>{MONTH})\.?|(?P<year>\d{{4}})", _FLAGS
)
_DASH = re.compile(r"\s*[–—]\s*|\s+-\s+|\s+(?:to|until)\s+|-\s+|\s+-", _FLAGS)
_NOT_ENDED = re.compile(r"|present|pres\.?|current|now|today|ongoing|date|incumbent", _FLAGS)

_YEARS = re.compile(r"(?P<from>\d{4})\s?(?P<by>[-–—/]|to)\s?(?P<to>\d{4}|\d\d)", _FLAGS)
_OPEN_YEARS = re.compile(rf"(?P<from>\d{{4}})\s?(?:[-–—]|to)\s?(?:{_NOT_ENDED.pattern})", _FLAGS)
_DECADE = re.compile(r"(\d{3}0)[ ]?'?s", _FLAGS)
_ERA = r"B\.?C\.?(?:E\.?)?|A\.?D\.?|C\.?E\.?"
_CENTURY = re.compile(rf"(\d\d?)(?:st|nd|rd|th|\.)[\s-]century(?:\s(?P<era>{_ERA}))?", re.ASCII)
# 7AD is a call sign, 79 AD and 490BC are years.
_OF_ERA = re.compile(rf"A\.?D\.?\s?(\d{{1,4}})|(\d{{1,6}}(?=\s)|\d{{3,6}})\s?({_ERA})", re.ASCII)
_ERAS = re.compile(
    rf"(\d{{1,6}})\s?({_ERA})?\s?(?:[-–—]|to)\s?(\d{{1,6}})\s?({_ERA})",
    re.ASCII,
)
_WEEK = re.compile(r"(\d{4})-?W(\d\d)(?:-?(\d))?", re.ASCII)
_PART_OF_YEAR = re.compile(r"([QH])([1-4])[\s/-]?(\d{4})|(\d{4})[\s/-]?([QH])([1-4])", re.ASCII)
_YEAR_AND_NUMBER = re.compile(r"(\d{4})-(\d\d|\d{4})", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)?", re.ASCII)
_NUMBERS_ONLY = re.compile(r"\d{4}|\d\d?([/.-])\d\d?\1\d\d", re.ASCII)


class PartialDate(NamedTuple):
    year: int | None = None
    month: int | None = None
    day: int | None = None

    def days(self) -> Days | None:
        # None if parts are missing or there is no such day.
        if self.year is None:
            if self.month is None or self.day is None:
                return None
            return get_days(NO_YEAR, self.month, self.day)
        return get_days(self.year, self.month, self.day) if self.year else None


def read_days(text: str, order: DateOrder | None) -> Days | None:
    # ``text`` is trimmed and has no footnote marks.
    if text[:1] == "-" and (match := _TYPED.fullmatch(text)) and match["d"]:
        return read_typed_days(text, order)  # a day BC
    if ":" in text:
        text = _TIME.sub("", text)
    if _NAMED_MONTH.search(text):
        return _read_date_or_range(text, order)
    if match := _WEEK.fullmatch(text):
        return _read_week(*match.groups())
    if match := _PART_OF_YEAR.fullmatch(text):
        return _read_part_of_year(match)
    if not _NUMBERS_ONLY.search(text):
        return _read_era(text) if "c" in text.lower() or "AD" in text or "A.D" in text else None
    return (
        _read_years(text, order)
        or _read_date_or_range(text, order)
        or _read_era(text)
        or _read_decade(text)
    )


def _read_week(year: str, week: str, day: str | None) -> Days | None:
    # As in ISO 8601, from Monday to Sunday.
    first, last = (int(day), int(day)) if day else (1, 7)
    try:
        ends = (date.fromisocalendar(int(year), int(week), n) for n in (first, last))
        start, end = (day.year * 10000 + day.month * 100 + day.day for day in ends)
    except ValueError:
        return None
    return start, end


def _read_part_of_year(match: re.Match[str]) -> Days | None:
    # A quarter or half of a year.
    letter, number = match[1] or match[5], int(match[2] or match[6])
    year = match[3] or match[4]
    months = 3 if letter == "Q" else 6
    first, last = (
        get_days(int(year), months * (number - 1) + 1),
        get_days(int(year), months * number),
    )
    return (first[0], last[1]) if first and last and is_year(year) else None


def read_compact_days(text: str) -> Days | None:
    # ``20240105`` or ``202401``, which are also numbers.
    match = _COMPACT.fullmatch(text.strip())
    if not match or not is_year(match[1]):
        return None
    return get_days(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)


_TYPED = re.compile(
    r"(?:(?P<year>[-+]?\d{4,6})(?:-(?P<m>\d\d)(?:-(?P<d>\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d+)?)?)?)?"
    r"|--(?P<month>\d\d)(?:-(?P<day>\d\d))?)(?:Z|[-+]\d\d:\d\d)?",
    re.ASCII,
)


def read_typed_days(text: str, order: DateOrder | None) -> Days | None:
    """The days of ``text`` that is certainly a date, as XML Schema writes it.

    ``0120`` and ``-0044`` are years, ``--05-01`` is a day of every year. With the order ``iso`` alone,
    ``2004-11`` is a month, and ``0000`` is 1 BC, as in ISO 8601.
    """
    match = _TYPED.fullmatch(text.strip())
    if not match:
        return None
    if match["year"] is None:
        return get_days(NO_YEAR, int(match["month"]), _to_int(match["day"]))
    if match["m"] and not match["d"] and order != "iso":
        return None
    year = int(match["year"]) or (-1 if order == "iso" else 0)
    return get_days(year, _to_int(match["m"]), _to_int(match["d"])) if year else None


MonthForm: TypeAlias = Literal["month", "month or years", "years"]


def find_month_form(text: str) -> MonthForm | None:
    # What ``2010-05`` or ``2010-11`` may be: the latter may also be two years.
    match = _YEAR_AND_NUMBER.fullmatch(text)
    if not match or not is_year(match[1]):
        return None
    number = int(match[2])
    if not 1 <= number <= 12 or len(match[2]) == 4:
        return "years"
    return "month" if number <= int(match[1]) % 100 else "month or years"


def is_short_named_date(text: str) -> bool:
    """Check for a date such as ``05-Jan-24``, whose century is open."""
    return _DAY_MONTH_YY.fullmatch(text) is not None


class MonthAndNumber(NamedTuple):
    """``Jan-24`` and ``24-Jan``: a month, and a number of one or two digits."""

    month: int
    number: str
    is_year: bool
    """Whether an apostrophe says that the number is a year."""

    is_full_name: bool


def find_month_and_number(text: str) -> MonthAndNumber | None:
    # The parts of a text that may be a month of a year or a day of a month.
    match = _MONTH_AND_NUMBER.fullmatch(text)
    if not match:
        return None
    month, number = match["m"] or match["m2"], match["n"] or match["n2"]
    by = match["by"] or match["by2"]
    return MonthAndNumber(
        _get_month(month),
        number,
        "'" in by or "’" in by,
        month.casefold() in WORDS.times.months and not by.strip(),
    )


def _read_month_and_number(parts: MonthAndNumber, order: DateOrder | None) -> Days | None:
    # A day in one digit is none of a year, and neither is a number above 31 a day.
    number = int(parts.number)
    if order == "my" or parts.is_year or len(parts.number) == 1:
        is_month = len(parts.number) == 2
        return (
            get_days(expand_year(parts.number), parts.month)
            if is_month
            else get_days(NO_YEAR, parts.month, number)
        )
    is_day = order == "dm" or parts.is_full_name
    return get_days(NO_YEAR, parts.month, number) if is_day else None


def is_year(text: str) -> bool:
    # ``text`` has only digits.
    return len(text) == 4 and FIRST_YEAR <= int(text) <= LAST_YEAR


class DayAndMonth(NamedTuple):
    """The numbers of a date such as ``03/04/2019``: one is the day and one the month."""

    first: int
    second: int
    mark: str
    year: str


def find_day_and_month(text: str) -> DayAndMonth | None:
    # The numbers of the date at the beginning of ``text``; None if it begins with no such date.
    match = _YEAR_LAST.match(text)
    if not match or text[match.end() : match.end() + 1].isdigit():
        return None
    first, second = int(match["a"]), int(match["b"])
    if not (0 < first <= 31 and 0 < second <= 31 and min(first, second) <= 12):
        return None
    return DayAndMonth(first, second, match["by"], match["y"])


def _read_date_or_range(text: str, order: DateOrder | None) -> Days | None:
    if parts := find_month_and_number(text):
        return _read_month_and_number(parts, order)
    point = _read_point(text, order)
    return point.days() if point else _read_range(text, order)


def _read_point(text: str, order: DateOrder | None) -> PartialDate | None:
    if weekday := _WEEKDAY.match(text):
        text = text[weekday.end() :]
    for form in _WITH_MONTH:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            month = _get_month(parts["m"])
            return PartialDate(_to_int(parts["y"]), month, _to_int(parts.get("d")))
    if match := _YEAR_FIRST.fullmatch(text):
        return PartialDate(int(match["y"]), int(match["m"]), int(match["d"]))
    if match := _YEAR_LAST.fullmatch(text):
        return _read_year_last(match, order)
    if match := _MONTH_OF_YEAR.fullmatch(text):
        return PartialDate(int(match["y"]), int(match["m"]))
    if order == "dmy" and (match := _DAY_MONTH_YY.fullmatch(text)):
        return PartialDate(expand_year(match["y"]), _get_month(match["m"]), int(match["d"]))
    return None


def _get_month(name: str) -> int:
    return next(
        n for n, month in enumerate(WORDS.times.months, 1) if month.startswith(name[:3].lower())
    )


def expand_year(digits: str) -> int:
    # As in POSIX.
    year = int(digits)
    return year + (1900 if year >= 69 else 2000)


def _to_int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _read_year_last(match: re.Match[str], order: DateOrder | None) -> PartialDate | None:
    first, second = int(match["a"]), int(match["b"])
    known_order = order if order in ("dmy", "mdy") else None
    if len(match["y"]) == 2:
        if known_order is None:
            return None
        year = expand_year(match["y"])
    else:
        year = int(match["y"])
    if first > 12 or second > 12 or first == second:
        day_first = second <= 12
    elif known_order is None and match["by"] != ".":
        return None
    else:
        day_first = known_order != "mdy"
    return PartialDate(year, second, first) if day_first else PartialDate(year, first, second)


def _read_range(text: str, order: DateOrder | None) -> Days | None:
    halves = _DASH.split(text)
    if len(halves) != 2:
        halves = text.split("-")
    if len(halves) != 2:
        return None
    first = _read_half(halves[0].strip(), order)
    if first is None:
        return None
    if _NOT_ENDED.fullmatch(halves[1].strip()):
        start = first.days() if first.year is not None else None
        return (start[0], OPEN) if start else None
    second = _read_half(halves[1].strip(), order)
    return _join_halves(first, second) if second else None


def _read_half(text: str, order: DateOrder | None) -> PartialDate | None:
    point = _read_point(text, order)
    if point or not (match := _HALF.fullmatch(text)):
        return point
    month = _get_month(match["m"]) if match["m"] else None
    return PartialDate(_to_int(match["y"] or match["year"]), month, _to_int(match["d"]))


def _join_halves(first: PartialDate, second: PartialDate) -> Days | None:
    # Each half takes its missing parts from the other.
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


def _read_years(text: str, order: DateOrder | None) -> Days | None:
    # ``1999–2003``, ``1990-95``, ``1999/00``, ``1999–present``.
    if match := _OPEN_YEARS.fullmatch(text):
        return (int(match["from"]) * 10000 + 101, OPEN) if is_year(match["from"]) else None
    match = _YEARS.fullmatch(text)
    if not match or not is_year(match["from"]):
        return None
    first, written, by = int(match["from"]), match["to"], match["by"]
    last = int(written)
    if len(written) == 2:
        month = last if by == "-" and 1 <= last <= 12 else None
        crosses = last <= first % 100
        if month and order == "iso":
            return get_days(first, month)
        last += first - first % 100 + (100 if crosses else 0)
        if month and crosses:
            # 1996-03 is a month or eight years; 2024-01 is a month.
            return get_days(first, month) if first >= 2000 else None
    if not first <= last <= LAST_YEAR or (by == "/" and last != first + 1):
        return None
    return (first * 10000 + 101, last * 10000 + 1231)


def _read_decade(text: str) -> Days | None:
    # ``1990s``; ``1900s`` may be the century, so of those only ``2000s`` is a decade.
    match = _DECADE.fullmatch(text)
    if not match or not is_year(match[1]):
        return None
    first = int(match[1])
    if first % 100 == 0 and first != 2000:
        return None
    return (first * 10000 + 101, (first + 9) * 10000 + 1231)


def _read_era(text: str) -> Days | None:
    # ``490 BC``, ``AD 79``, ``18 BC – 28 AD``, ``5th century BC``.
    if match := _CENTURY.fullmatch(text):
        last = int(match[1]) * 100
        if not 0 < last <= LAST_YEAR:
            return None
        first, last = (-last, 99 - last) if _is_before_christ(match["era"]) else (last - 99, last)
        return (first * 10000 + 101, last * 10000 + 1231)
    if match := _OF_ERA.fullmatch(text):
        return _read_year_of_era(match[1] or match[2], match[3])
    if match := _ERAS.fullmatch(text):
        first_days = _read_year_of_era(match[1], match[2] or match[4])
        last_days = _read_year_of_era(match[3], match[4])
        if first_days and last_days and first_days <= last_days:
            return (first_days[0], last_days[1])
    return None


def _is_before_christ(era: str | None) -> bool:
    return era is not None and era[0] in "Bb"


def _read_year_of_era(year: str, era: str | None) -> Days | None:
    number = int(year)
    if not number or (not _is_before_christ(era) and number > LAST_YEAR):
        return None
    return get_days(-number if _is_before_christ(era) else number)


# Dates of temporal graphs, with unknown parts, and intervals between two of them. Unlike ``read_value``,
# ``read_date`` raises for text that is not a date: an end date with a typo would otherwise make the fact
# valid for ever.

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
_LEADING_ZEROS = re.compile(r"^([-+−]?)0+(?=\d{4,}-\d\d-\d\dT)", re.ASCII)
_PRECISION = re.compile(r"([-+]?\d{1,6})-(\d\d)-(\d\d)T[\d:]+Z/(\d\d?)", re.ASCII)
_YEARS_OF_PRECISION = {8: 10, 7: 100, 6: 1000}
_NO_CALENDAR = "is a date that no calendar has"
MAX_DATE_LENGTH = 100


class BadDate(ValueError):
    # ``year`` are the days of the year of an impossible date.
    def __init__(self, text: str, why: str, year: Days | None = None) -> None:
        self.text = text
        self.why = why
        self.year = year
        shown = text if len(text) <= 40 else text[:39] + "…"
        super().__init__(f"{shown!r} {why}")


@dataclass(frozen=True, slots=True)
class Interval:
    """The first and last day of a valid time, both included; ``end`` may be ``OPEN``.

    ``reversed``: the end in the source is before the start; the days between the two are valid all the same.
    """

    start: int
    end: int
    reversed: bool = False


def read_date(text: str, order: DateOrder | None = None) -> Days | None:
    """First and last day of ``text``; None for an unknown date.

    Reads ``YYYY-MM-DD`` with ``##`` (or ``00``) for unknown parts, years of up to six digits, also negative
    or known in part (``19##``), with or without a time; else all dates that ``read_value`` reads.

    Raises:
        BadDate: for other text, and for days that no calendar has.
    """
    text = text.strip()
    if len(text) > MAX_DATE_LENGTH:
        raise BadDate(text, "is not a date")
    if _UNKNOWN.fullmatch(text):
        return None
    text = _LEADING_ZEROS.sub(r"\1", text.replace("−", "-"))
    if precise := _PRECISION.fullmatch(text):
        return _read_precision(text, precise)
    match = _DATE.fullmatch(text)
    if not match or _is_ambiguous(match):
        days = _read_compact(text) or read_days(text, order)
        if days is None and (odd := _NO_MONTH.fullmatch(text)):
            raise BadDate(text, _NO_CALENDAR, get_days(int(odd[1])))
        if days is None:
            raise BadDate(text, "is not a date")
        return days
    days = _read_known_parts(match)
    if days is None:
        year = match["year"].replace("−", "-")
        raise BadDate(text, _NO_CALENDAR, None if "#" in year else get_days(int(year)))
    return days


def _read_precision(text: str, match: re.Match[str]) -> Days:
    # As in dumps of Wikidata: ``/11`` is a day, ``/10`` its month, ``/9`` its year, ``/8`` the decade, ``/7``
    # the century, ``/6`` the thousand years.
    year, month, day, precision = map(int, match.groups())
    length = _YEARS_OF_PRECISION.get(precision)
    if length is not None and year:
        first = abs(year) // 10 * 10 if length == 10 else (abs(year) - 1) // length * length + 1
        ends = (first, first + length - 1) if year > 0 else (-(first + length - 1), -first)
        return (ends[0] * 10000 + 101, (ends[1] or -1) * 10000 + 1231)
    parts = {9: (year,), 10: (year, month), 11: (year, month, day)}.get(precision)
    days = get_days(*parts) if parts and year else None
    if days is None:
        raise BadDate(text, _NO_CALENDAR if parts else "is not a date")
    return days


def _is_ambiguous(match: re.Match[str]) -> bool:
    # Without a sign, five digits alone are not a year, and neither are two before a month
    # (``10-05-12``).
    year, month = match["year"], match["month"]
    if year[0] in "-+−":
        return False
    return len(year) > 4 if month is None else len(year) < 3 and month != "##"


def _read_compact(text: str) -> Days | None:
    # ``19990305``.
    match = _COMPACT.fullmatch(text)
    return get_days(*(int(part) for part in match.groups())) if match else None


def _read_known_parts(match: re.Match[str]) -> Days | None:
    year = match["year"].replace("−", "-")
    if "#" in year:
        return _read_partial_year(year) if len(year.strip("-+")) <= 6 else None
    month, day = (
        int(p) if p and p not in ("##", "00") else None for p in match.group("month", "day")
    )
    return get_days(int(year), month, day if month else None)


def _read_partial_year(year: str) -> Days:
    # ``19##`` is 1900 to 1999; ``-49#`` is -499 to -490.
    ends = sorted((int(year.replace("#", "0")), int(year.replace("#", "9"))))
    return (ends[0] * 10000 + 101, ends[1] * 10000 + 1231)


def read_interval(start: str, end: str, order: DateOrder | None = None) -> Interval | None:
    """The interval of two dates as text; None if both are unknown.

    An unknown end is open. An unknown start is taken to be the end: the fact is valid then for certain.

    Raises:
        BadDate: as ``read_date``.
    """
    return make_interval(read_date(start, order), read_date(end, order))


def make_interval(first: Days | None, last: Days | None) -> Interval | None:
    # None if both dates are unknown.
    if first is None:
        return Interval(*last) if last else None
    if last is None:
        return Interval(first[0], OPEN)
    if first[0] > last[1]:
        return Interval(last[0], first[1], reversed=True)
    return Interval(first[0], last[1])


def get_years(interval: Interval, latest: int) -> range:
    # An open interval ends with the year ``latest``.
    first = interval.start // 10000
    last = max(first, latest) if interval.end >= OPEN else interval.end // 10000
    return range(first, last + 1)
