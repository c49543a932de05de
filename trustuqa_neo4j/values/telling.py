"""Ranges of numbers and of days as a person, or a model, reads them."""

from __future__ import annotations

from .days import OPEN


def tell_numbers(lowest: float, highest: float) -> str:
    """``3 to 1,200``; one number where both are the same."""
    return _between(_number(lowest), _number(highest))


def tell_days(first: int, last: int) -> str:
    """Two days as in ISO; as years where that is what they are."""
    if first % 10000 == 101 and last % 10000 == 1231:
        return _between(f"{first // 10000}", f"{last // 10000}")
    return _between(_day(first), _day(last))


def _number(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() and abs(number) < 1e15 else f"{number:g}"


def _day(day: int) -> str:
    if day >= OPEN:
        return "open"
    year, rest = divmod(day, 10000)
    month_and_day = f"{rest // 100:02}-{rest % 100:02}"
    return f"{year:04}-{month_and_day}" if year else month_and_day


def _between(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
