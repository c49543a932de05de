"""``value≈'100 ± 5'`` → ``value>='95', value<='105'``: two bounds replace a number with its tolerance."""

from __future__ import annotations

import re
from dataclasses import replace

from ..values import read_value
from .ast import Argument, BinaryOp, Literal, Value
from .lexer import APPROXIMATE, Unreadable

_TOLERANCE = re.compile(r"(?P<center>.+?)\s*(?:±|\+/?-)\s*(?P<size>[\d.,]+)\s*(?P<unit>.*)")


def replace_tolerance(argument: Argument) -> tuple[Argument, ...]:
    """Return the two bounds of an argument with ``≈``, or the argument itself.

    Raises:
        Unreadable: the value is not a number with its tolerance.
    """
    if argument.operator != APPROXIMATE:
        return (argument,)
    return tuple(
        replace(argument, operator=operator, value=bound)
        for operator, bound in _read_bounds(argument.value).items()
    )


def make_comparison(left: Value, operator: str, right: Value) -> BinaryOp:
    """Make the infix operation; ``a ≈ '100 ± 5'`` is ``a >= '95' and a <= '105'``.

    Raises:
        Unreadable: the right side of ``≈`` is not a number with its tolerance.
    """
    if operator != APPROXIMATE:
        return BinaryOp(operator, left, right, left.position)
    bounds = _read_bounds(right).items()
    lower, upper = (BinaryOp(sign, left, bound, left.position) for sign, bound in bounds)
    return BinaryOp("and", lower, upper, left.position)


def _read_bounds(value: Value) -> dict[str, Literal]:
    found = _TOLERANCE.fullmatch(value.text.strip()) if isinstance(value, Literal) else None
    center = read_value(found["center"]) if found else None
    size = read_value(found["size"]) if found else None
    if not (found and center and size) or center.number is None or size.number is None:
        raise _make_error(value)
    tolerance, unit = size.number, found["unit"]
    measured = read_value(f"{found['size']} {unit}")
    if unit == "%" and center.unit != "%":
        tolerance, unit = abs(center.number) * tolerance / 100, ""
    elif unit and measured is not None:
        unit = measured.unit or unit
    if center.unit and unit not in ("", center.unit):
        raise _make_error(value)
    bounds = {">=": center.number - tolerance, "<=": center.number + tolerance}
    texts = {sign: f"{bound:.15g} {center.unit or unit}" for sign, bound in bounds.items()}
    return {sign: Literal(text.rstrip(), value.position) for sign, text in texts.items()}


def _make_error(value: Value) -> Unreadable:
    message = f"{APPROXIMATE} needs a number with its tolerance, such as '100 ± 5' or '100 ± 5 %'"
    return Unreadable(message, value.position)
