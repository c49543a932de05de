"""Several numbers that are one amount: ``1:23.4``, ``4 ft 8½ in``, ``3 years, 20 days``, ``16 km / 10 mi``.

Times with colons are seconds, minutes first unless there are three parts: tables of results write
``59:30`` above ``1:07:31``. Times of day get the unit ``clock``, seconds since midnight, so that they are
never compared with durations; ``14:00`` alone cannot be told from one.
"""

from __future__ import annotations

import re

from .numbers import FRACTION, Amount, fraction, plain, read_amount
from .units import factor, known

CLOCK = "clock"

_COLONS = re.compile(
    r"(?P<sign>[-+–][ ]?)?(?:(?P<days>\d{1,3}):(?=[0-2]?\d:\d\d:))?"
    r"(?P<first>\d{1,3}):(?P<second>[0-5]\d)(?::(?P<third>[0-5]\d))?(?P<rest>\.\d{1,6}|,\d\d?)?",
    re.ASCII,
)
_OF_DAY = re.compile(
    r"(?P<hour>\d\d?)(?:[:.](?P<minute>[0-5]\d))?(?::(?P<second>[0-5]\d))?"
    r"\s?(?P<half>[ap])\.?[ ]?m\b\.?(?:\s[A-Z]{2,4})?",
    re.ASCII | re.IGNORECASE,
)
_PART = re.compile(
    rf"(?P<body>\d+(?:[.,]\d+)*)?(?P<fraction>{FRACTION})?[ ]?(?P<unit>[A-Za-z]+|''|['\"])\.?"
    r"\s*(?:,\s*)?(?:and\s+)?",
    re.ASCII,
)
_MARKS = {"'": "ft", "''": "in", '"': "in"}
# Units that are written one behind the other, falling.
_CHAINS = (
    ("year", "month", "week", "day", "h", "min", "s"),
    ("yd", "ft", "in"),
    ("km", "m", "cm", "mm"),
    ("st", "lb", "oz"),
    ("kg", "g"),
)
_SMALL_TIMES = frozenset(("h", "min", "s"))
_BETWEEN = re.compile(r"\s*[/\n]\s*")
_ROUNDING = 0.1
"""Two numbers are one amount in two units if they differ by less: ``2 mi / 3 km``."""


def read_time(text: str) -> Amount | None:
    """A duration or a time of day."""
    if found := _COLONS.fullmatch(text):
        return _duration(found)
    if (found := _OF_DAY.fullmatch(text)) and 1 <= int(found["hour"]) <= 12:
        hour = int(found["hour"]) % 12 + (12 if found["half"] in "pP" else 0)
        seconds = hour * 3600 + int(found["minute"] or 0) * 60 + int(found["second"] or 0)
        return Amount(float(seconds), CLOCK)
    return None


def _duration(found: re.Match[str]) -> Amount:
    parts = [int(p) for p in found.group("first", "second", "third") if p]
    whole = sum(p * 60**i for i, p in enumerate(reversed(parts)))
    whole += int(found["days"] or 0) * 86400
    seconds = float(f"{whole}.{found['rest'][1:]}") if found["rest"] else float(whole)
    negative = (found["sign"] or "+")[0] != "+"
    return Amount(-seconds if negative and seconds else seconds, "s")


def read_compound(text: str, decimal: str | None) -> Amount | None:
    """Parts in falling units, in the first of them; hours, minutes and seconds in seconds."""
    parts: list[tuple[float, str]] = []
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        number = _number(found, decimal) if found else None
        if not found or number is None:
            return None
        parts.append((number, found["unit"]))
        at = found.end()
    return _sum(parts)


def _number(found: re.Match[str], decimal: str | None) -> float | None:
    body = found["body"] or "0"
    digits = body if body.isdigit() else plain(body, decimal)
    if digits is None or not (found["body"] or found["fraction"]):
        return None
    if not found["fraction"]:
        return float(digits)
    part = fraction(found["fraction"].lstrip(" -"))
    return float(digits) + part if part else None


def _sum(parts: list[tuple[float, str]]) -> Amount | None:
    if len(parts) < 2:
        return None
    short = any(written.lower() in ("h", "hr", "hrs", "s", "sec", "secs") for _, written in parts)
    names: list[str] = []
    for _, written in parts:
        unit = known(written)
        name = _MARKS.get(written) or (unit.name if unit else "")
        names.append("min" if short and written == "m" else name)
    chain = next((c for c in _CHAINS if names[0] in c), ())
    places = [chain.index(name) if name in chain else -1 for name in names]
    if -1 in places or places != sorted(set(places)):
        return None
    target = "s" if _SMALL_TIMES.issuperset(names) else names[0]
    sizes = [factor(name, target) or 0.0 for name in names]
    return Amount(sum(n * size for (n, _), size in zip(parts, sizes, strict=True)), target)


def read_conversion(text: str, decimal: str | None) -> Amount | None:
    """The first of two amounts that are the same in two units: ``16 km / 10 mi``, or on two lines."""
    halves = _BETWEEN.split(text)
    if len(halves) != 2:
        return None
    first, second = (read_amount(half, decimal) for half in halves)
    if first is None or second is None or first.unit is None or second.unit is None:
        return None
    size = factor(first.unit, second.unit)
    if size is None or first.unit == second.unit:
        return None
    near = abs(first.number * size - second.number) <= _ROUNDING * abs(second.number)
    return first if near else None
