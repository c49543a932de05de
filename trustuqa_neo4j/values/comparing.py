"""Comparing what was read: numbers where both have one and the units agree, else dates.

Units agree if they are the same, one becomes the other (``5 km``, ``4,000 m``), or one side has none.
"""

from __future__ import annotations

from math import isclose
from typing import Literal

from .days import has_year
from .reader import Value
from .units import factor

Kind = Literal["number", "date"]


def comparable(value: Value, bound: Value) -> Kind | None:
    """How the two are compared; None where they cannot be."""
    if value.number is not None and bound.number is not None and _scale(value, bound) is not None:
        return "number"
    if value.start is not None and bound.start is not None:
        return "date" if has_year(value.start) == has_year(bound.start) else None
    return None


def compare(value: Value, operator: str, bound: Value) -> bool | None:
    """Whether ``value`` stands in ``operator`` (``= != > < >= <=``) to ``bound``; None: no telling.

    Dates: a value equals the bound that contains it (1999-03-05 is 1999, not the other way round), is
    before it if it ends before the bound starts, and ``<=`` if it ends by the bound's end.
    """
    kind = comparable(value, bound)
    if kind is None:
        return None
    if kind == "number":
        return _numbers(value, operator, bound)
    return _dates(value, operator, bound)


def equal(value: Value, bound: Value) -> bool:
    """Whether both mean the same; False too where they cannot be compared."""
    return compare(value, "=", bound) is True


def recurs(value: Value, bound: Value) -> bool:
    """Whether the days of ``value``, which have a year, are those of ``bound``, which has none."""
    if value.start is None or value.end is None or bound.start is None or bound.end is None:
        return False
    if has_year(bound.start) or not has_year(value.start) or value.start < 0:
        return False
    one_year = value.start // 10000 == value.end // 10000
    return one_year and bound.start <= value.start % 10000 and value.end % 10000 <= bound.end


def _scale(value: Value, bound: Value) -> float | None:
    if value.unit is None or bound.unit is None:
        return 1.0
    return factor(value.unit, bound.unit)


def _numbers(value: Value, operator: str, bound: Value) -> bool:
    scale = _scale(value, bound)
    assert value.number is not None
    assert bound.number is not None
    assert scale is not None
    one, two = value.number * scale, bound.number
    same = one == two or (scale != 1.0 and isclose(one, two, rel_tol=1e-9))
    if operator in ("=", "!="):
        return same == (operator == "=")
    if same:
        return operator in ("<=", ">=")
    return one < two if operator in ("<", "<=") else one > two


def _dates(value: Value, operator: str, bound: Value) -> bool:
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
