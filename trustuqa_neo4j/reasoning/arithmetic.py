"""Arithmetic on cells: sums, means, distances, products, years.

Sums and means add up a bag: equal values count as often as they occur. Cells that are not numbers are
skipped and counted. If no cell is a number, there is no result, which is a problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite

from ..deadline import watch
from ..language.ast import ProblemKind
from ..values import OPEN, Value, convert_to_base_unit
from ..values.units import find_unit, get_conversion_factor
from .results import Cell, EvaluationError, make_number

_FLOAT_DIGITS = 15  # a float holds so many decimal digits exactly
_DAYS = {"day": 1.0, "days": 1.0, "week": 7.0, "weeks": 7.0}
_MONTHS = frozenset(("month", "months"))
_YEARS = frozenset(("year", "years"))
_DAYS_OF_YEAR = 365.2425


def summarize_numbers(
    function: str,
    compute: Callable[[Sequence[float]], float],
    cells: Sequence[Cell],
    position: int,
) -> tuple[Cell, list[Cell]]:
    """Compute one number of all numbers, in the most frequent unit; also return the cells that are none."""
    numbers, skipped = _read_numbers(cells, function, position)
    return make_number(_require_finite(compute(numbers), position)), skipped


_COLON_TIME = re.compile(r"[-+–]?\d{1,3}(?::[0-5]\d){1,2}(?:\.\d{1,6})?", re.ASCII)
_NUMBER_WITH_UNIT = re.compile(r"[^\d]*\d[\d.,]*(\s?)(%|[^\W\d_]+|°\s?[CF])")


def restore_unit(result: Cell, operands: Sequence[Cell], used: str | None = None) -> Cell:
    """Write a result in the common unit of its operands: ``698 ft`` for two heights, ``4:15`` for times.

    If the operands have several units that fit, such as ``5 km`` and ``800 m``, ``used`` is the one that
    they were converted to. Without a common unit, or for money, a result stays a number, and so does a time
    of less than a minute.
    """
    if operands and all(_COLON_TIME.fullmatch(cell.text.strip()) for cell in operands):
        return _write_colon_time(result, [cell.text.strip() for cell in operands])
    values = [c.value for c in operands if c.value is not None and c.value.number is not None]
    units = {value.unit for value in values}
    matches = [match for c in operands if (match := _NUMBER_WITH_UNIT.match(c.text))]
    if len(matches) != len(operands) or len(values) != len(operands) or result.value is None:
        return result
    unit = used if None not in units and len(units) > 1 else next(iter(units))
    in_unit = [(m, v) for m, v in zip(matches, values, strict=True) if v.unit == unit]
    if not in_unit or (used is None and len(units) > 1):
        return result
    # Prefer a plural: the operand 1 has a singular.
    plurals = (match for match, value in in_unit if value.number != 1)
    space, word = next(plurals, in_unit[0][0]).groups()
    declared = find_unit(word)
    if unit is None:
        return result
    if word != "%" and (declared is None or declared.name != unit):
        if not is_restorable(unit):
            return result
        space, word = " ", unit  # ``2h 5m`` are read in seconds
    return Cell(f"{result.text}{space}{word}", Value(result.value.number, unit))


def choose_unit(cells: Sequence[Cell]) -> str | None:
    """Return the most frequent unit of the numbers, the first by name of several; None without any.

    Facts are in no certain order, so that the first number must not decide.
    """
    counts = Counter(c.value.unit for c in cells if c.value is not None and c.value.unit)
    return min(counts, key=lambda unit: (-counts[unit], unit), default=None)


def is_restorable(unit: str) -> bool:
    """Return whether a result may be written in ``unit``."""
    declared = find_unit(unit)
    return declared is not None and not declared.kind.startswith("money")


_DECIMALS_OF_SECONDS = 2


def _write_colon_time(result: Cell, operands: Sequence[str]) -> Cell:
    # With as many parts as the longest operand: ``1:30`` may be minutes or hours, so 75:30 has no third part.
    # With its decimals, but at least hundredths, as people write times: 3:22.67.
    if result.value is None or result.value.number is None or abs(result.value.number) < 60:
        return result
    seconds = result.value.number
    colons = max(text.count(":") for text in operands)
    decimals = max(_DECIMALS_OF_SECONDS, *(len(text.partition(".")[2]) for text in operands))
    whole, fraction = divmod(round(abs(seconds) * 10**decimals), 10**decimals)
    first, *others = [whole // 60**place for place in range(colons, -1, -1)]
    text = ":".join((str(first), *(f"{other % 60:02d}" for other in others)))
    if fraction:
        text += f".{fraction:0{decimals}d}".rstrip("0")
    return Cell(("-" if seconds < 0 else "") + text, result.value)


def multiply_numbers(cells: Sequence[Cell], position: int) -> Cell:
    product = 1.0
    for cell in cells:
        product *= require_number(cell, "product", position)
    return make_number(_require_finite(product, position))


def divide_numbers(first: Cell, second: Cell, position: int) -> Cell:
    divisor = require_number(second, "division", position)
    if divisor == 0:
        message = f"{first.text!r} / {second.text!r} has no result"
        raise EvaluationError(ProblemKind.DIVISION_BY_ZERO, message, position)
    quotient = require_number(first, "division", position) / divisor
    return make_number(_require_finite(quotient, position))


def subtract_numbers(first: Cell, second: Cell, position: int) -> Cell:
    """Subtract numbers, or dates in days; the result has a sign."""
    return make_number(_subtract(first, second, None, position))


def measure_distance(first: Cell, second: Cell, unit: str | None, position: int) -> Cell:
    """Measure the distance of two numbers or dates, in ``unit``; without one, of dates in days."""
    return make_number(abs(_subtract(first, second, unit, position)))


_TWO_NUMBERS = re.compile(r"[^\d\n]*?(\d{1,6})\s*(?:[-–—:]|to)\s*(\d{1,6})[^\d\n]*")
"""A score or a range of numbers: ``W 27–13``."""


def measure_extent(cell: Cell, unit: str | None, position: int) -> Cell:
    """Measure the distance of the ends of a range of dates, or of the two numbers of a score.

    A number is its own extent.
    """
    value = cell.value
    if value is not None and value.number is not None and value.start is None:
        return cell
    if value is not None and value.start is not None and value.end is not None:
        if value.end >= OPEN or value.number is not None or value.start == value.end:
            reason = "has no end" if value.end >= OPEN else "is one date, and no range"
            message = f"{cell.text[:60]!r} {reason}"
            raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
        start, end = (Cell("", Value(None, None, day, day)) for day in (value.start, value.end))
        is_whole_years = value.start % 10000 == 101 and value.end % 10000 == 1231
        default = "years" if is_whole_years else None
        return measure_distance(start, end, unit or default, position)
    if ends := _TWO_NUMBERS.fullmatch(cell.text.strip()):
        return make_number(abs(int(ends[1]) - int(ends[2])))
    message = f"{cell.text[:60]!r} is not a range, a score or a number"
    raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)


def measure_duration(first: Cell, second: Cell, unit: str | None, position: int) -> Cell:
    """Measure the time between two dates with its unit: ``5 years``, or days if it is less than one.

    Numbers that are not years, such as times of a race, are subtracted as numbers.
    """
    if unit is not None or not (first.is_date and second.is_date):
        return measure_distance(first, second, unit, position)
    return _write_duration(
        measure_distance(first, second, "years", position),
        measure_distance(first, second, "days", position),
    )


def estimate_open_end(start: Value, latest: int) -> Value:
    """Return the day ``latest`` as the end of a time that has none, or its year, if the start is a year."""
    assert start.start is not None
    last = start.start if start.end is None else start.end
    is_close = start.start // 100 == last // 100
    return Value(None, None, latest, latest) if is_close else read_year(latest)


def read_year(day: int) -> Value:
    """Return the year of a day."""
    first = day // 10000 * 10000
    return Value(None, None, first + 101, first + 1231)


def count_days_and_months(first: Value, second: Value) -> tuple[float, float]:
    """Count the days and the months from the earlier to the later date, no closer than both are known.

    Beside a year alone whole years count, of equal length: no leap day makes 1992–1995 longer than 1993–1996.
    Days that are left are a part of a month: 5 January to 4 March is less than two months.
    """
    dates = [
        (v.start, v.start if v.end is None else v.end)
        for v in (first, second)
        if v.start is not None
    ]
    (start, start_end), (end, end_end) = sorted(dates)
    days = _count_days(end) - _count_days(start)
    months = _count_months(end) - _count_months(start)
    if start // 100 != start_end // 100 or end // 100 != end_end // 100:
        years = end // 10000 - start // 10000
        return years * _DAYS_OF_YEAR if years else days, 12 * years
    if start != start_end or end != end_end:
        return days, months
    return days, months + (end % 100 - start % 100) / 31


def measure_range_duration(cell: Cell, unit: str | None, position: int) -> Cell:
    is_number = cell.value is not None and cell.value.number is not None
    if unit is not None or is_number or not cell.is_date:
        return measure_extent(cell, unit, position)
    return _write_duration(
        measure_extent(cell, "years", position), measure_extent(cell, "days", position)
    )


def _write_duration(years: Cell, days: Cell) -> Cell:
    number, unit = (years, "year") if years.computed else (days, "day")
    assert number.value is not None
    text = f"{number.text} {unit}" + ("" if number.computed == 1 else "s")
    return Cell(text, Value(number.value.number, unit))


def _subtract(first: Cell, second: Cell, unit: str | None, position: int) -> float:
    minuend, subtrahend = first.value, second.value
    if minuend is None or subtrahend is None:
        text = first.text if minuend is None else second.text
        message = f"{text[:60]!r} is not a number or a date"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    word = (unit or "days").strip().casefold()
    are_dates = minuend.start is not None and subtrahend.start is not None
    is_time_unit = unit is not None and (word in _DAYS or word in _MONTHS | _YEARS)
    if (
        minuend.number is not None
        and subtrahend.number is not None
        and not (are_dates and is_time_unit)
    ):
        difference = minuend.number - _convert(subtrahend, minuend, position)
        target = find_unit(unit) if unit else None
        factor = (
            get_conversion_factor(minuend.unit, target.name) if minuend.unit and target else None
        )
        return _require_finite(difference if factor is None else difference * factor, position)
    if minuend.start is None or subtrahend.start is None:
        message = f"{first.text[:60]!r} and {second.text[:60]!r} are not both numbers or both dates"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    if word in _YEARS:
        return minuend.start // 10000 - subtrahend.start // 10000
    if word in _MONTHS:
        return _count_months(minuend.start) - _count_months(subtrahend.start)
    if word not in _DAYS:
        message = f"dates are days, weeks, months or years apart, not {word[:40]!r}"
        raise EvaluationError(ProblemKind.UNKNOWN_UNIT, message, position)
    return (_count_days(minuend.start) - _count_days(subtrahend.start)) / _DAYS[word]


def _count_months(day: int) -> int:
    return day // 10000 * 12 + day // 100 % 100


def _count_days(day: int) -> int:
    """Count the days since a fixed day, by the rule of the Gregorian calendar in both directions."""
    year, month, date = day // 10000, day // 100 % 100, day % 100
    # Months are counted from March, so that the leap day is the last day of its year.
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + date


def _convert(value: Value, target: Value, position: int) -> float:
    assert value.number is not None
    if value.unit is None or target.unit is None or value.unit == target.unit:
        return value.number
    factor = get_conversion_factor(value.unit, target.unit)
    if factor is None:
        message = f"{value.unit} and {target.unit} cannot be added or subtracted"
        raise EvaluationError(ProblemKind.MIXED_UNITS, message, position)
    return value.number * factor


def count_days_between(first: Cell, second: Cell, position: int) -> Cell:
    """Count the days, negative if ``second`` is earlier."""
    first_day, second_day = _require_day(first, position), _require_day(second, position)
    return make_number(_count_days(second_day) - _count_days(first_day))


def _require_day(cell: Cell, position: int) -> int:
    if cell.value is None or cell.value.start is None:
        message = f"{cell.text[:60]!r} is not a date"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    return cell.value.start


def extract_number(cell: Cell, position: int) -> Cell:
    """Return the number of a value; a date stays a date."""
    if cell.is_date and cell.value is not None and cell.value.number is None:
        return cell
    number = make_number(require_number(cell, "number", position))
    return Cell(number.text, number.value, number.computed, None, cell.row)


def make_absolute(cell: Cell, position: int) -> Cell:
    return make_number(abs(require_number(cell, "abs", position)))


def round_number(cell: Cell, digits: int, position: int) -> Cell:
    """Round half away from zero, as people do: 2.5 to 3, and 0.125 to 0.13."""
    exact = Decimal(repr(require_number(cell, "round", position)))
    if exact.adjusted() + digits > _FLOAT_DIGITS:
        return make_number(float(exact))
    return make_number(float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)))


def require_number(cell: Cell, function: str, position: int) -> float:
    if cell.value is None or cell.value.number is None:
        message = f"{function} needs numbers, and {cell.text[:60]!r} is none"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    return cell.value.number


def _read_numbers(
    cells: Sequence[Cell], function: str, position: int
) -> tuple[list[float], list[Cell]]:
    values = [c.value for c in watch(cells) if c.value is not None and c.value.number is not None]
    if not values:
        text = next((cell.text for cell in cells if cell.text), None)
        reason = "nothing was given" if text is None else f"{text[:60]!r} is none"
        message = f"{function} needs numbers, and {reason}"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    unit = choose_unit(cells)
    first = next((value for value in values if value.unit == unit), values[0])
    kinds = {convert_to_base_unit(v.number or 0.0, v.unit)[0] for v in values if v.unit}
    if len(kinds) > 1 and any(_has_measure_or_currency(value) for value in values):
        message = f"{function} of {' and '.join(sorted(map(str, kinds)))}"
        raise EvaluationError(ProblemKind.MIXED_UNITS, message, position)
    numbers = [_convert(v, first, position) if len(kinds) == 1 else v.number for v in values]
    skipped = [cell for cell in cells if not is_number(cell)]
    return [number for number in numbers if number is not None], skipped


def is_number(cell: Cell) -> bool:
    return cell.value is not None and cell.value.number is not None


def _has_measure_or_currency(value: Value) -> bool:
    if not value.unit or not get_conversion_factor(value.unit, value.unit):
        return False
    kind = convert_to_base_unit(1.0, value.unit)[0]
    return kind is not None and kind != value.unit and not kind.startswith("count ")


def _require_finite(value: float, position: int) -> float:
    if not isfinite(value):
        message = "the result is larger than any number that can be represented"
        raise EvaluationError(ProblemKind.OVERFLOW, message, position)
    return value
