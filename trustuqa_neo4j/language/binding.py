"""A call → what its function is given: operands in their order, parameters by their own names.

The one place that knows how an argument finds its parameter; check, plan and execution all read a
``Bound``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .functions import Function, find
from .query import Argument, Call, Problem, Value

_OPERAND = re.compile(r"sets?_?\d*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bound:
    """A call as its function takes it; ``parameters`` in the order written, by their declared names."""

    function: Function
    operands: tuple[Value, ...]
    parameters: tuple[tuple[str, Argument], ...]
    position: int

    def given(self, name: str) -> tuple[Argument, ...]:
        """All arguments given for the parameter ``name``."""
        return tuple(argument for given, argument in self.parameters if given == name)

    def one(self, name: str) -> Argument | None:
        """The argument given for ``name``, the first where there are several; or None."""
        return next(iter(self.given(name)), None)


def bind(call: Call) -> Bound | tuple[Problem, ...]:
    """``call`` as its function takes it, or all that is wrong with its arguments."""
    function = find(call.function)
    if function is None:
        return (
            Problem("unknown function", f"undefined function {call.function}", None, call.position),
        )
    operands: list[Value] = []
    named: list[tuple[str, Argument]] = []
    problems: list[Problem] = []
    for argument in call.arguments:
        parameter = None if argument.name is None else function.parameter(argument.name)
        if parameter is not None:
            named.append((parameter.name, argument))
        elif argument.name is None or function.loose or _OPERAND.fullmatch(argument.name):
            operands.append(argument.value)
        else:
            message = f"{function.name} has no parameter {argument.name}"
            problems.append(Problem("unknown parameter", message, None, argument.position))
    if problems:
        return tuple(problems)
    return Bound(function, tuple(operands), tuple(named), call.position)
