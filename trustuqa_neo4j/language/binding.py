"""A call → what its function is given: operands in their order, parameters by their own names.

The one place that knows how an argument finds its parameter; check, plan and execution all read a
``Bound``. Forms that say the same have become one before (``rewording``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .functions import Function, Parameter, find, nearest
from .query import Argument, Call, Literal, Problem, Value
from .rewording import OPERAND, OPTIONS, reword
from .signs import OPERATORS


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


class _Binding:
    """Finds a place for each argument of a call, in the order written."""

    def __init__(self, call: Call, function: Function) -> None:
        self.call = call
        self.function = function
        self.operands: list[Argument] = []
        self.named: list[tuple[str, Argument]] = []
        self.problems: list[Problem] = []

    def problem(self, kind: str, message: str, position: int) -> None:
        self.problems.append(Problem(kind, message, None, position))

    def place(self, argument: Argument) -> None:
        if argument.name is None:
            self.by_position(argument)
            return
        parameter = self.function.parameter(argument.name)
        if parameter is not None:
            self.take(parameter, argument)
        elif self.is_operand(argument.name):
            self.operand(argument)
        else:
            self.unknown(argument)

    def is_operand(self, name: str) -> bool:
        if self.function.most == 0 or name.casefold() in OPTIONS:
            return False
        return self.function.loose or OPERAND.fullmatch(name) is not None

    def by_position(self, argument: Argument) -> None:
        function = self.function
        value = function.parameter("value")
        operator = function.parameter("operator")
        text = argument.value.text if isinstance(argument.value, Literal) else None
        if argument.operator != "=":
            if value is not None and value.ordered:
                self.take(value, argument)
            else:
                message = (
                    f"{argument.operator} compares nothing here; {function.name} takes values alone"
                )
                self.problem("unknown operator", message, argument.position)
        elif text in OPERATORS and operator is not None:
            self.take(operator, argument)
        elif function.most is None or len(self.operands) < function.most:
            self.operand(argument)
        elif (free := self.free()) is not None:
            self.take(free, argument)
        elif function.most == 0:
            allowed = ", ".join(p.name for p in function.parameters)
            message = f"{function.name} takes named parameters: {allowed}"
            self.problem("unknown parameter", message, argument.position)
        else:
            self.operand(argument)  # one too many, which is said when all are counted

    def free(self) -> Parameter | None:
        """The parameter that a further value by position is for."""
        if not self.function.placed:
            return None
        given = {name for name, _ in self.named}
        parameters = self.function.parameters
        left = next((p for p in parameters if p.name not in given), None)
        return left or (parameters[-1] if parameters[-1].repeats else None)

    def operand(self, argument: Argument) -> None:
        if argument.operator != "=":
            message = f"{argument.name} takes = only, not {argument.operator}"
            self.problem("unknown operator", message, argument.position)
        self.operands.append(argument)

    def take(self, parameter: Parameter, argument: Argument) -> None:
        """``argument`` for ``parameter``."""
        if argument.operator != "=" and not parameter.ordered:
            message = f"{parameter.name} takes = only, not {argument.operator}"
            self.problem("unknown operator", message, argument.position)
        if parameter.name == "op":
            argument = self.sign(argument)
        if not parameter.repeats and any(name == parameter.name for name, _ in self.named):
            message = f"{self.function.name} takes {parameter.name} once"
            self.problem("repeated parameter", message, argument.position)
        self.named.append((parameter.name, argument))

    def sign(self, argument: Argument) -> Argument:
        """``op``, which is one of the operators in any of its forms, in its first form."""
        value = argument.value
        sign = OPERATORS.get(value.text.strip()) if isinstance(value, Literal) else None
        if sign is None:
            allowed = " ".join(dict.fromkeys(OPERATORS.values()))
            self.problem("unknown operator", f"op is one of {allowed}", argument.position)
            return argument
        return replace(argument, value=Literal(sign, value.position))

    def unknown(self, argument: Argument) -> None:
        assert argument.name is not None  # by_position has those
        names = tuple(p.name for p in self.function.parameters)
        near = nearest(argument.name, names)
        taken = ("values by position",) * (self.function.most != 0) + names
        message = (
            f"{self.function.name} has no parameter {argument.name}; it has {', '.join(taken)}"
            + (f"; did you mean {near}?" if near else "")
        )
        self.problem("unknown parameter", message, argument.position)

    def finish(self) -> Bound | tuple[Problem, ...]:
        self.count()
        given = {name for name, _ in self.named}
        for name in self.function.needed:
            if name not in given:
                message = f"{self.function.name} needs {name}: {self.function.prompt}"
                self.problem("missing parameter", message, self.call.position)
        if self.problems:
            return tuple(self.problems)
        operands = tuple(argument.value for argument in self.operands)
        return Bound(self.function, operands, tuple(self.named), self.call.position)

    def count(self) -> None:
        function, number = self.function, len(self.operands)
        most = number if function.most is None else function.most
        if function.least <= number <= most:
            return
        if function.most is None:
            wanted = f"at least {function.least}"
        else:
            wanted = str(most) if function.least == most else f"{function.least} to {most}"
        noun = "operand" if wanted.endswith("1") else "operands"
        message = f"{function.name} takes {wanted} {noun}, not {number}: {function.prompt}"
        position = self.operands[most].position if number > most else self.call.position
        self.problem("wrong number", message, position)


def bind(call: Call) -> Bound | tuple[Problem, ...]:
    """``call`` as its function takes it, or all that is wrong with its arguments."""
    function = find(call.function)
    if function is None:
        near = nearest(call.function)
        message = f"undefined function {call.function}" + (
            f"; did you mean {near}?" if near else ""
        )
        return (Problem("unknown function", message, None, call.position),)
    meant, arguments = reword(function, call.arguments)
    binding = _Binding(call, meant)
    for argument in arguments:
        binding.place(argument)
    return binding.finish()
