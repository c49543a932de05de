"""How long facts held: in calendar years, or in days within one year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from .model import OPEN, UNITS, Held, Member, Refusal, Value, compare, convert

DAYS_OF_YEAR = UNITS["year"][1]


@dataclass(frozen=True)
class Length:
    """A duration in days and months, and as the function ``duration`` writes it."""

    days: float
    months: float
    text: str
    value: Value


def write_length(start: int, end: int) -> tuple[str, Value]:
    """Calendar years between two days; days if they are in the same year."""
    years = abs(end // 10000 - start // 10000)
    number, unit = (years, "year") if years else (abs(count_days(start, end)), "day")
    return f"{number} {unit}{'' if number == 1 else 's'}", Value(float(number), unit)


def count_days(start: int, end: int) -> int:
    first, last = (date(d // 10000, d // 100 % 100, d % 100) for d in (start, end))
    return (last - first).days


def measure_length(held: Held, latest: int) -> Length:
    """The length of a fact with a start; without an end, until ``latest``."""
    start, end = held.start, held.end
    if held.last >= OPEN:
        is_close = (
            start.first is not None
            and start.last is not None
            and start.first // 100 == start.last // 100
        )
        year = latest // 10000 * 10000
        end = (
            Value(None, None, latest, latest)
            if is_close
            else Value(None, None, year + 101, year + 1231)
        )
    ends = sorted((v.first or 0, v.last or 0) for v in (start, end))
    (first, first_last), (last, last_last) = ends
    text, value = write_length(first, last)
    days = float(count_days(first, last))
    months = float((last // 10000 - first // 10000) * 12 + last // 100 % 100 - first // 100 % 100)
    if first // 100 != first_last // 100 or last // 100 != last_last // 100:
        # Beside a year alone, years count.
        years = last // 10000 - first // 10000
        return Length(years * DAYS_OF_YEAR if years else days, 12.0 * years, text, value)
    if first == first_last and last == last_last:
        months += (last % 100 - first % 100) / 31
    return Length(days, months, text, value)


def read_length(bound: Member) -> Value:
    """A bound as a duration; a number without a unit is in years."""
    value = bound.value
    if value is None or value.number is None:
        raise Refusal("no duration")
    unit = value.unit or "year"
    if UNITS.get(unit, ("",))[0] != "span":
        raise Refusal("no duration")
    return Value(value.number, unit)


def compare_length(length: Length, operator: str, bound: Value) -> bool:
    assert bound.number is not None
    if bound.unit in ("year", "month"):
        number, limit = length.months, bound.number * (12 if bound.unit == "year" else 1)
    else:
        number, limit = length.days, convert(bound, "day") or 0.0
    if operator == "=":
        return number == limit or compare(length.value, "=", bound) is True
    return {"<": number < limit, "<=": number <= limit, ">": number > limit, ">=": number >= limit}[
        operator
    ]
