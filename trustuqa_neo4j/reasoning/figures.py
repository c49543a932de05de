"""Numbers out of cells: extremes, sums, means, distances, products, years.

A bag is what is added up, not a set: equal values count as often as they stand there. What cannot be
read is skipped and told; where nothing can be read there is no number, which is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite

from ..values import OPEN, Value, measure
from ..values.units import factor, known
from .results import Cell, Refused, number

_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_WHOLE = 15  # digits of a number that a float can tell apart
_DAYS = {"day": 1.0, "days": 1.0, "week": 7.0, "weeks": 7.0}
_MONTHS = frozenset(("month", "months"))
_YEARS = frozenset(("year", "years"))


def added(cells: Sequence[Cell], position: int) -> tuple[Cell, int]:
    """The sum of all entries, in the unit of the first that has one; and how many were skipped."""
    values, skipped = _numbers(cells, "sum", position)
    return number(_finite(sum(values), position)), skipped


def mean(cells: Sequence[Cell], position: int) -> tuple[Cell, int]:
    """The mean of all entries."""
    values, skipped = _numbers(cells, "mean", position)
    return number(_finite(sum(values) / len(values), position)), skipped


_WITH_UNIT = re.compile(r"[^\d]*\d[\d.,]*(\s?)(%|[^\W\d_]+|°\s?[CF])")


def measured(figure: Cell, of: Sequence[Cell]) -> Cell:
    """``figure`` in the unit that all it was computed of are written in: ``698 ft`` of two heights.

    Without one, or in money, it is a number.
    """
    values = [cell.value for cell in of if cell.value is not None and cell.value.number is not None]
    units = {value.unit for value in values}
    written = [found for cell in of if (found := _WITH_UNIT.match(cell.text))]
    if len(units) != 1 or len(written) != len(of) or figure.value is None:
        return figure
    (unit,) = units
    found = next((w for w, v in zip(written, values, strict=False) if v.number != 1), written[0])
    meant = known(found[2])
    if unit is None or (found[2] != "%" and (meant is None or meant.name != unit)):
        return figure
    return Cell(f"{figure.text}{found[1]}{found[2]}", Value(figure.value.number, unit))


def product(cells: Sequence[Cell], position: int) -> Cell:
    """All multiplied."""
    found = 1.0
    for value in (one(cell, "product", position) for cell in cells):
        found *= value
    return number(_finite(found, position))


def ratio(first: Cell, second: Cell, position: int) -> Cell:
    """``first`` divided by ``second``.

    Raises:
        Refused: the second is nought.
    """
    divisor = one(second, "division", position)
    if divisor == 0:
        raise Refused(
            "division by zero", f"{first.text!r} / {second.text!r} has no result", position
        )
    return number(_finite(one(first, "division", position) / divisor, position))


def minus(first: Cell, second: Cell, position: int) -> Cell:
    """``first - second``: of numbers with its sign, of dates in days or, of years, in years."""
    return _apart(first, second, None, position)


def distance(first: Cell, second: Cell, unit: str | None, position: int) -> Cell:
    """How far two numbers or dates are apart; in ``unit``, else of dates in days.

    Raises:
        Refused: they cannot be compared, or dates are not parted in that unit.
    """
    apart = _apart(first, second, unit, position)
    assert apart.value is not None
    assert apart.value.number is not None
    return number(abs(apart.value.number))


_ENDS = re.compile(r"[^\d\n]*?(\d{1,6})\s*(?:[-–—:]|to)\s*(\d{1,6})[^\d\n]*")
"""A score or a range of numbers: ``W 27–13``."""


def extent(cell: Cell, unit: str | None, position: int) -> Cell:
    """How far the two ends of a range of years or dates, or the two numbers of a score, are apart.

    One number, date or time alone is as long as it says.

    Raises:
        Refused: none of these.
    """
    value = cell.value
    if value is not None and value.number is not None and value.start is None:
        return cell
    if value is not None and value.start is not None and value.end is not None:
        if value.end >= OPEN or value.number is not None or value.start == value.end:
            told = "has no end" if value.end >= OPEN else "is one date, and no range"
            raise Refused("not comparable", f"{cell.text[:60]!r} {told}", position)
        start, end = (Cell("", Value(None, None, day, day)) for day in (value.start, value.end))
        whole = value.start % 10000 == 101 and value.end % 10000 == 1231
        return distance(start, end, unit or ("years" if whole else None), position)
    if ends := _ENDS.fullmatch(cell.text.strip()):
        return number(abs(int(ends[1]) - int(ends[2])))
    message = f"{cell.text[:60]!r} is no range, no score and no number"
    raise Refused("not comparable", message, position)


def lasting(first: Cell, second: Cell, unit: str | None, position: int) -> Cell:
    """The time from one date to the other as it is said: ``5 years``; of less than one, days.

    Numbers that are no years, such as times of a race, are parted as numbers.
    """
    one_, two = first.value, second.value
    dates = (
        one_ is not None and two is not None and one_.start is not None and two.start is not None
    )
    if unit is not None or not dates:
        return distance(first, second, unit, position)
    return _said(
        distance(first, second, "years", position), distance(first, second, "days", position)
    )


def lasted(cell: Cell, unit: str | None, position: int) -> Cell:
    """How long a range of years or dates is, said likewise."""
    value = cell.value
    ranged = value is not None and value.number is None and value.start is not None
    if unit is not None or not ranged:
        return extent(cell, unit, position)
    return _said(extent(cell, "years", position), extent(cell, "days", position))


def _said(years: Cell, days: Cell) -> Cell:
    best, word = (years, "year") if years.computed else (days, "day")
    assert best.value is not None
    text = f"{best.text} {word}" + ("" if best.computed == 1 else "s")
    return Cell(text, Value(best.value.number, word))


def _apart(first: Cell, second: Cell, unit: str | None, position: int) -> Cell:
    one_, two = first.value, second.value
    if one_ is None or two is None:
        text = first if one_ is None else second
        raise Refused("not comparable", f"{text.text[:60]!r} is no number and no date", position)
    wanted = (unit or "days").strip().casefold()
    dates = one_.start is not None and two.start is not None
    calendar = unit is not None and dates and (wanted in _DAYS or wanted in _MONTHS | _YEARS)
    if one_.number is not None and two.number is not None and not calendar:
        apart = _finite(one_.number - _scaled(two, one_, position), position)
        into = known(unit) if unit else None
        scale = factor(one_.unit, into.name) if one_.unit and into else None
        return number(apart if scale is None else _finite(apart * scale, position))
    if one_.start is None or two.start is None:
        message = f"{first.text[:60]!r} and {second.text[:60]!r} are not both numbers or both dates"
        raise Refused("not comparable", message, position)
    if wanted in _YEARS:
        return number(one_.start // 10000 - two.start // 10000)
    if wanted in _MONTHS:
        return number(_month(one_.start) - _month(two.start))
    if wanted not in _DAYS:
        message = f"dates are days, weeks, months or years apart, not {wanted[:40]!r}"
        raise Refused("unknown unit", message, position)
    return number((_ordinal(one_.start) - _ordinal(two.start)) / _DAYS[wanted])


def _month(day: int) -> int:
    return day // 10000 * 12 + day // 100 % 100


def _scaled(value: Value, other: Value, position: int) -> float:
    assert value.number is not None
    if value.unit is None or other.unit is None or value.unit == other.unit:
        return value.number
    scale = factor(value.unit, other.unit)
    if scale is None:
        message = f"{value.unit} and {other.unit} cannot be put together"
        raise Refused("mixed units", message, position)
    return value.number * scale


def _ordinal(day: int) -> int:
    """Days since a day long ago, by the Gregorian calendar's rule in both directions."""
    year, month, date = day // 10000, day // 100 % 100, day % 100
    # Months counted from March, so that the leap day is the last of its year.
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + date


def days_between(first: Cell, second: Cell, position: int) -> Cell:
    """Days from ``first`` to ``second``, negative where it comes before.

    Raises:
        Refused: one of them is no date.
    """
    for cell in (first, second):
        if cell.value is None or cell.value.start is None:
            raise Refused("not comparable", f"{cell.text[:60]!r} is no date", position)
    assert first.value is not None
    assert first.value.start is not None
    assert second.value is not None
    assert second.value.start is not None
    return number(_ordinal(second.value.start) - _ordinal(first.value.start))


def year(cell: Cell, position: int) -> Cell:
    """The year of a date, or the only year that a text names."""
    if cell.value is not None and cell.value.start is not None and cell.value.start < OPEN:
        return number(cell.value.start // 10000)
    found = sorted({*_YEAR.findall(cell.text)})
    if len(found) == 1:
        return number(int(found[0]))
    told = "several years" if found else "no year"
    raise Refused("not comparable", f"{cell.text[:60]!r} names {told}", position)


def plain(cell: Cell, position: int) -> Cell:
    """The number that a value is; a date stays one."""
    if cell.value is not None and cell.value.number is None and cell.value.start is not None:
        return cell
    read = number(one(cell, "number", position))
    return Cell(read.text, read.value, read.computed, None, cell.row)


def absolute(cell: Cell, position: int) -> Cell:
    """Without its sign."""
    return number(abs(one(cell, "abs", position)))


def rounded(cell: Cell, digits: int, position: int) -> Cell:
    """To so many decimals, a half away from nought as people round: 2.5 is 3, and 0.125 is 0.13."""
    exact = Decimal(repr(one(cell, "round", position)))
    if exact.adjusted() + digits > _WHOLE:
        return number(float(exact))
    return number(float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)))


def one(cell: Cell, what: str, position: int) -> float:
    """The number that ``cell`` is.

    Raises:
        Refused: it is none.
    """
    if cell.value is None or cell.value.number is None:
        raise Refused(
            "not comparable", f"{what} needs numbers, and {cell.text[:60]!r} is none", position
        )
    return cell.value.number


def _numbers(cells: Sequence[Cell], what: str, position: int) -> tuple[list[float], int]:
    """All numbers in the unit of the first that has one, and how many cells are none."""
    found = [c.value for c in cells if c.value is not None and c.value.number is not None]
    if not found:
        seen = next((cell.text for cell in cells if cell.text), None)
        told = "nothing was given" if seen is None else f"{seen[:60]!r} is none"
        raise Refused("not comparable", f"{what} needs numbers, and {told}", position)
    first = next((value for value in found if value.unit), found[0])
    kinds = {measure(v.number or 0.0, v.unit)[0] for v in found if v.unit}
    if len(kinds) > 1 and any(
        factor(v.unit, v.unit or "") and _measured(v) for v in found if v.unit
    ):
        raise Refused("mixed units", f"{what} of {' and '.join(sorted(map(str, kinds)))}", position)
    values = [_scaled(v, first, position) if len(kinds) == 1 else v.number for v in found]
    return [value for value in values if value is not None], len(cells) - len(found)


def _measured(value: Value) -> bool:
    """Whether the unit is one of measure or money, not a word for what is counted."""
    kind = measure(1.0, value.unit)[0]
    return kind is not None and kind != value.unit and not kind.startswith("count ")


def _finite(value: float, position: int) -> float:
    if not isfinite(value):
        raise Refused("overflow", "the result is larger than any number that can be held", position)
    return value
