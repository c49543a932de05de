"""A text as it stands in a table → what it means, or None where it is just text.

The way through: what cannot be a value is turned away by its first characters; footnote marks, remarks in
brackets and words for "about" go; then numbers, times, dates and compounds are tried in this order. The
text itself is never changed. Existing readers were measured and left (``docs/values.md``): they guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .compounds import read_compound, read_conversion, read_time
from .dates import MONTH, WEEKDAY, Order, is_year, read_days
from .numbers import GLYPHS, Amount, read_amount, to_float
from .units import MONEY, SCALES

LONGEST = 100
"""No value is longer; it bounds the work on any text."""


@dataclass(frozen=True, slots=True)
class ValueOptions:
    """What the reader cannot know of a file.

    ``dates``: which of day and month comes first where both could; ``iso``: neither, and ``2004-11`` is a
    month. ``decimal``: the decimal mark; then the other one only parts thousands. ``null``: texts that
    stand for no value.
    """

    dates: Order | None = None
    decimal: Literal[".", ","] | None = None
    null: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its unit, the first and last day of a date, or both (``1999`` may be either)."""

    number: float | None = None
    unit: str | None = None
    start: int | None = None
    end: int | None = None


DEFAULT = ValueOptions()

_HAS_DIGIT = re.compile(rf"[0-9{GLYPHS}]")
_CODES = "|".join(re.escape(m) for m in sorted(MONEY, key=len, reverse=True) if m[0].isalpha())
_ABOUT = (
    r"(?:c(?:(?:\.|a\.?|irca)\s*|\s?(?=\d{3,4}$))"
    r"|(?i:ca\.?|circa|about|approx\.?|approximately|around)\s+|[~≈]\s?)"
)
# A text that begins with a letter is a value only if it begins with one of these words.
_OPENING = re.compile(
    rf"[^A-Za-z]|(?i:{MONTH}\b|{WEEKDAY}\b|about\b|approx|around\b|no\.)|[Cc]a\b|c\s?[.\d]|[Cc]irca\b"
    rf"|A\.?D\b|(?:{_CODES})[ ]?[-–]?[\d.]",
    re.ASCII,
)
_PREFIX = re.compile(rf"{_ABOUT}(?=[^\s])", re.ASCII)
_RANK = re.compile(r"(?:#|№|[Nn]o\.|=)\s?(\d{1,15})", re.ASCII)
_NOTES = re.compile(r"(?:\s*(?:\[[^\[\]]*\]|[*†‡§¶^#]))+$")
_LEADING_NOTES = re.compile(r"(?:(?:\[[^\[\]]*\]|[*†‡§¶^])\s*)+")
_REMARK = re.compile(r"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)$")
# One form for each sign: spaces between digits, minus, quotes; nothing for what nobody sees.
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


def read_value(text: str, options: ValueOptions = DEFAULT) -> Value | None:
    """What ``text`` means; None for text. Never raises; time is linear (longer texts are text)."""
    if options.null and text.strip() in options.null:
        return None
    if text.isascii():
        if text.isdecimal():
            return _whole(text)
    elif len(text) <= 2 * LONGEST:
        text = text.translate(_TIDIED)
    text = text.strip()
    if len(text) > LONGEST or not _OPENING.match(text) or not _HAS_DIGIT.search(text):
        return None
    return _read(_bare(text), options)


def _whole(digits: str) -> Value | None:
    if len(digits) == 4 and is_year(digits):
        first = int(digits) * 10000
        return Value(float(digits), None, first + 101, first + 1231)
    number = to_float(digits) if len(digits) <= LONGEST else None
    return None if number is None else Value(number)


def _bare(text: str) -> str:
    """``text`` without footnote marks and remarks; at most three of them, one in the other's way."""
    if text[0] in "*†‡§¶^[":
        text = _LEADING_NOTES.sub("", text, count=1)
    for _ in range(3):
        last = text[-1:]
        if last and last in "]*†‡§¶^#" and (found := _NOTES.search(text)):
            text = text[: found.start()]
        elif last == ")" and (found := _REMARK.search(text)) and found.start():
            if found[0].strip(" ()").lower().rstrip("s") in SCALES:
                return ""
            text = text[: found.start()]
        else:
            break
    if about := _PREFIX.match(text):
        text = text[about.end() :]
    return text


def _read(text: str, options: ValueOptions) -> Value | None:
    if text.isascii() and text.isdecimal():
        return _whole(text)
    if rank := _RANK.fullmatch(text):
        return Value(float(rank[1]))
    amount = read_amount(text, options.decimal)
    if amount is None and (":" in text or "m" in text or "M" in text):
        amount = read_time(text)
    if amount is not None:
        return Value(*amount)
    if found := read_days(text, options.dates):
        return Value(None, None, *found)
    amount = _joined(text, options.decimal)
    return None if amount is None else Value(*amount)


def _joined(text: str, decimal: str | None) -> Amount | None:
    if not text or not text[0].isdecimal():
        return None
    amount = read_compound(text, decimal)
    if amount is None and ("/" in text or "\n" in text):
        amount = read_conversion(text, decimal)
    return amount
