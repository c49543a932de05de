"""``output_of_queryN`` must name a step that stands before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from ...language.query import Call, Infix, Literal, Problem, Reference, Step, Value
from ..walking import values

_SHOWN = 20
_PLACEHOLDER = re.compile(r"(?:set|value|count|result|output)_?\d+", re.IGNORECASE)
"""What stands for a result in the functions' own descriptions."""


def references(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:
    """References to steps that are not there, to the step itself or a later one; names of none."""
    for value, _ in values(step.value):
        if isinstance(value, Reference) and value.step not in earlier:
            message = (
                f"output_of_query{value.step} {_why(value.step, step, numbers)}; {_there(earlier)}"
            )
            yield Problem("unknown reference", message, step.number, value.position)
        elif isinstance(value, Infix | Call):
            for name in _placeholders(value):
                message = f"{name.text} is no result; results are written output_of_query1"
                yield Problem("unknown reference", message, step.number, name.position)


def _why(number: int, step: Step, numbers: Set[int]) -> str:
    if number == step.number:
        return "is this step itself"
    return "names a later step" if number in numbers else "names no earlier step"


def _there(earlier: Set[int]) -> str:
    if not earlier:
        return "this is the first"
    if len(earlier) > _SHOWN:
        return f"there are {len(earlier)} others"
    return "there are: " + ", ".join(map(str, sorted(earlier)))


def _placeholders(value: Infix | Call) -> list[Literal]:
    """Operands that only stand for a result: ``set1 > set2``."""
    operands: list[Value] = [value.left, value.right] if isinstance(value, Infix) else []
    if isinstance(value, Call) and value.function == "if":
        operands = [argument.value for argument in value.arguments]
    return [
        operand
        for operand in operands
        if isinstance(operand, Literal) and _PLACEHOLDER.fullmatch(operand.text)
    ]
