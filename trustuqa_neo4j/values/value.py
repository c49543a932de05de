"""Values: reading them from text, comparing them, and printing ranges of them.

A text that may be a value is stripped of footnote marks, remarks in brackets and words for "about"; then
numbers, times, dates and compound amounts are tried in this order. Existing readers guess: see
``docs/values.md`` for the measurements. Two values compare as numbers if their units convert, else as dates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isclose, isinf
from typing import Any, Literal

from .dates import (
    MONTH,
    OPEN,
    WEEKDAY,
    DateOrder,
    has_year,
    is_year,
    read_compact_days,
    read_days,
    read_typed_days,
)
from .numbers import (
    GLYPHS,
    Amount,
    read_amount,
    read_compound,
    read_conversion,
    read_time,
    read_typed_duration,
    to_float,
)
from .units import MONEY, SCALES, get_conversion_factor

ValueKind = Literal["text", "number", "date", "boolean"]

MAX_VALUE_LENGTH = 100
"""Longer texts are not values, which bounds the work on any text."""


@dataclass(frozen=True, slots=True)
class ValueOptions:
    """Options for reading the values of a file.

    ``dates``: whether day or month comes first in ambiguous dates; ``iso``: neither, and ``2004-11`` is a
    month; ``my`` or ``dm``: ``Jan-24`` is a month of a year, or a day. ``decimal``: the decimal mark; the
    other mark then groups thousands. ``null``: texts that mean a missing value; a load leaves out their
    facts. ``columns``: the options of single columns. ``kind``: the
    only kind of value that is read.
    """

    dates: DateOrder | None = None
    decimal: Literal[".", ","] | None = None
    null: frozenset[str] = frozenset()
    columns: Mapping[str, ValueOptions] = field(default_factory=dict, hash=False)
    kind: ValueKind | None = None

    @property
    def text(self) -> str:
        # The options as text, without those of columns; empty without any.
        settings = {"dates": self.dates, "decimal": self.decimal, "type": self.kind}
        texts = [f"{name} {setting}" for name, setting in settings.items() if setting]
        return ", ".join(texts + [f"null {word}" for word in sorted(self.null)])

    def of_column(self, name: str) -> ValueOptions:
        # The options of one column.
        column = self.columns.get(name, DEFAULT_VALUE_OPTIONS)
        return ValueOptions(
            column.dates or self.dates,
            column.decimal or self.decimal,
            column.null | self.null,
            kind=column.kind or self.kind,
        )

    @property
    def reading(self) -> str:
        # The text of the options that decide which value a text has.
        return replace(self, null=frozenset()).text

    def without_columns(self) -> ValueOptions:
        # The options that hold for all columns.
        return replace(self, columns={})


@dataclass(frozen=True, slots=True)
class Value:
    # ``1999`` may be a number and a date.
    number: float | None = None
    unit: str | None = None
    start: int | None = None
    end: int | None = None


DEFAULT_VALUE_OPTIONS = ValueOptions()

_OPTIONS = re.compile(
    r"(?:dates (dmy|mdy|iso|my|dm))?(?:(?:^|, )decimal ([.,]))?(?:(?:^|, )type (text|number|date|boolean))?"
    r"(?:(?:^|, )null (.*))?",
    re.DOTALL,
)


def is_value_options(text: str) -> bool:
    # Whether ``text`` is a text of ``ValueOptions.text``.
    return _OPTIONS.fullmatch(text) is not None


def parse_value_options(text: str) -> ValueOptions:
    # Read the text of ``ValueOptions.text``.
    match = _OPTIONS.fullmatch(text)
    assert match is not None, text
    dates: Any = match[1]  # the pattern restricts both
    decimal: Any = match[2]
    kind: Any = match[3]
    null = match[4]
    words = frozenset[str]() if null is None else frozenset(null.split(", null "))
    return ValueOptions(dates, decimal, words, kind=kind)


_HAS_DIGIT = re.compile(rf"[0-9{GLYPHS}]")
_CODES = "|".join(re.escape(m) for m in sorted(MONEY, key=len, reverse=True) if m[0].isalpha())
_ABOUT = (
    r"(?:c(?:(?:\.|a\.?|irca)\s*|\s?(?=\d{3,4}$))"
    r"|(?i:ca\.?|circa|about|approx\.?|approximately|around)\s+|[~≈]\s?)"
)
# A text that begins with a letter is a value only if it begins with one of these words.
_OPENING = re.compile(
    rf"[^A-Za-z]|(?i:{MONTH}\b|{WEEKDAY}\b|about\b|approx|around\b|no\.)|[Cc]a\b|c\s?[.\d]|[Cc]irca\b"
    rf"|A\.?D\b|[QH][1-4][\s/-]?\d{{4}}$|(?:{_CODES})[ ]?[-–]?[\d.]",
    re.ASCII,
)
_PREFIX = re.compile(rf"{_ABOUT}(?=[^\s])", re.ASCII)
_RANK = re.compile(r"(?:#|№|[Nn]o\.|=)\s?(\d{1,15})", re.ASCII)
_NOTES = re.compile(r"(?:\s*(?:\[[^\[\]]*\]|[*†‡§¶^#]))+$")
_LEADING_NOTES = re.compile(r"(?:(?:\[[^\[\]]*\]|[*†‡§¶^])\s*)+")
_REMARK = re.compile(r"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)$")
# One form for each sign: spaces between digits, minus, quotes; invisible characters are removed.
_TIDIED = str.maketrans(
    {
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u2008\u2002\u2003", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\ufeff\u2060\u00ad"),
        **dict.fromkeys("−‐‑﹣－", "-"),
        "‒": "–",
        **dict.fromkeys("’‘′ʹ´", "'"),
        **dict.fromkeys("”“″", '"'),
    }
)


def read_value(text: str, options: ValueOptions = DEFAULT_VALUE_OPTIONS) -> Value | None:
    # Never raises; takes linear time.
    if options.kind is not None:
        return _read_kind(text, options)
    if options.null and text.strip() in options.null:
        return None
    if text.isascii():
        if text.isdecimal():
            return _read_whole_number(text)
    elif len(text) <= 2 * MAX_VALUE_LENGTH:
        text = text.translate(_TIDIED)
    text = text.strip()
    if len(text) > MAX_VALUE_LENGTH or not _OPENING.match(text) or not _HAS_DIGIT.search(text):
        return None
    return _read(_remove_marks(text), options)


_BARE_POWER = re.compile(r"[-+]?\d+[eE]\d{1,3}", re.ASCII)
"""``2E5`` is a number only where its column says so."""


def _read_kind(text: str, options: ValueOptions) -> Value | None:
    # ``1999`` is a number and a date; a column with a kind has the one alone.
    if options.kind in ("text", "boolean"):
        return None
    if options.kind == "date":
        days = read_typed_days(text, options.dates) or read_compact_days(text)
        if days:
            return Value(None, None, *days)
    is_number = options.kind == "number"
    if is_number and text.isdecimal() and text.isascii():
        value = _read_whole_number(text)
    elif is_number and _BARE_POWER.fullmatch(text.strip()):
        number = float(text)
        return None if isinf(number) else Value(number)
    elif is_number and (amount := read_typed_duration(text)) is not None:
        return Value(*amount)
    else:
        value = read_value(text, replace(options, kind=None))
    if value is None:
        return None
    if options.kind == "number":
        return None if value.number is None else Value(value.number, value.unit)
    return None if value.start is None else Value(None, None, value.start, value.end)


def _read_whole_number(digits: str) -> Value | None:
    if len(digits) == 4 and is_year(digits):
        first = int(digits) * 10000
        return Value(float(digits), None, first + 101, first + 1231)
    number = to_float(digits) if len(digits) <= MAX_VALUE_LENGTH else None
    return None if number is None else Value(number)


def _remove_marks(text: str) -> str:
    # At most three footnote marks and remarks follow each other.
    if text[0] in "*†‡§¶^[":
        text = _LEADING_NOTES.sub("", text, count=1)
    for _ in range(3):
        last = text[-1:]
        if last and last in "]*†‡§¶^#" and (match := _NOTES.search(text)):
            text = text[: match.start()]
        elif last == ")" and (match := _REMARK.search(text)) and match.start():
            if match[0].strip(" ()").lower().rstrip("s") in SCALES:
                return ""
            text = text[: match.start()]
        else:
            break
    if about := _PREFIX.match(text):
        text = text[about.end() :]
    return text


def _read(text: str, options: ValueOptions) -> Value | None:
    if text.isascii() and text.isdecimal():
        return _read_whole_number(text)
    if rank := _RANK.fullmatch(text):
        return Value(float(rank[1]))
    amount = read_amount(text, options.decimal)
    if amount is None and (":" in text or "m" in text or "M" in text):
        amount = read_time(text)
    if amount is not None:
        return Value(*amount)
    if match := read_days(text, options.dates):
        return Value(None, None, *match)
    amount = _read_compound_amount(text, options.decimal)
    return None if amount is None else Value(*amount)


def _read_compound_amount(text: str, decimal: str | None) -> Amount | None:
    if not text or not text[0].isdecimal():
        return None
    amount = read_compound(text, decimal)
    if amount is None and ("/" in text or "\n" in text):
        amount = read_conversion(text, decimal)
    return amount


ComparisonKind = Literal["number", "date"]


def find_comparison_kind(value: Value, bound: Value) -> ComparisonKind | None:
    # None if they do not compare.
    if (
        value.number is not None
        and bound.number is not None
        and _get_scale(value, bound) is not None
    ):
        return "number"
    if value.start is not None and bound.start is not None:
        return "date" if has_year(value.start) == has_year(bound.start) else None
    return None


def compare_values(value: Value, operator: str, bound: Value) -> bool | None:
    """Compare by ``= != > < >= <=``; None if the two do not compare.

    A date equals a bound that contains it (1999-03-05 is 1999, but not the other way round). It is ``<`` if
    it ends before the bound starts, and ``<=`` if it ends no later than the bound.
    """
    kind = find_comparison_kind(value, bound)
    if kind is None:
        return None
    if kind == "number":
        return _compare_numbers(value, operator, bound)
    return _compare_dates(value, operator, bound)


def is_equal_value(value: Value, bound: Value) -> bool:
    # False also if they do not compare.
    return compare_values(value, "=", bound) is True


def is_on_yearly_days(value: Value, bound: Value) -> bool:
    # ``bound`` has no year.
    if value.start is None or value.end is None or bound.start is None or bound.end is None:
        return False
    if has_year(bound.start) or not has_year(value.start) or value.start < 0:
        return False
    is_one_year = value.start // 10000 == value.end // 10000
    return is_one_year and bound.start <= value.start % 10000 and value.end % 10000 <= bound.end


def _get_scale(value: Value, bound: Value) -> float | None:
    if value.unit is None or bound.unit is None:
        return 1.0
    return get_conversion_factor(value.unit, bound.unit)


def _compare_numbers(value: Value, operator: str, bound: Value) -> bool:
    scale = _get_scale(value, bound)
    assert value.number is not None
    assert bound.number is not None
    assert scale is not None
    left, right = value.number * scale, bound.number
    is_equal = left == right or (scale != 1.0 and isclose(left, right, rel_tol=1e-9))
    if operator in ("=", "!="):
        return is_equal == (operator == "=")
    if is_equal:
        return operator in ("<=", ">=")
    return left < right if operator in ("<", "<=") else left > right


def _compare_dates(value: Value, operator: str, bound: Value) -> bool:
    assert value.start is not None
    assert value.end is not None
    assert bound.start is not None
    assert bound.end is not None
    if operator in ("=", "!="):
        return (bound.start <= value.start and value.end <= bound.end) == (operator == "=")
    if operator == "<":
        return value.end < bound.start
    if operator == "<=":
        return value.end <= bound.end
    return value.start > bound.end if operator == ">" else value.start >= bound.start


def format_number_range(lowest: float, highest: float) -> str:
    # ``3 to 1,200``; one number if both are the same.
    return _format_range(_format_number(lowest), _format_number(highest))


def format_day_range(first: int, last: int) -> str:
    # ``1999-03-05 to 1999-04-01``; whole years as ``1999 to 2003``.
    if first % 10000 == 101 and last % 10000 == 1231:
        return _format_range(f"{first // 10000}", f"{last // 10000}")
    return _format_range(_format_day(first), _format_day(last))


def _format_number(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() and abs(number) < 1e15 else f"{number:g}"


def format_month(day: int) -> str:
    """Return the month of a day: ``2008-05`` of 20080517."""
    return f"{day // 10000:04}-{day // 100 % 100:02}"


def _format_day(day: int) -> str:
    if day >= OPEN:
        return "open"
    year, rest = divmod(day, 10000)
    month_and_day = f"{rest // 100:02}-{rest % 100:02}"
    return f"{year:04}-{month_and_day}" if year else month_and_day


def _format_range(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
