"""A call and its function: which argument goes to which parameter.

Nothing else knows how an argument finds its parameter: validation, planning and execution all read a
``BoundCall``. ``normalize`` has turned the different forms of a call into one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..lexicon.words import WORDS
from ..matching import suggest_names
from .ast import Argument, Call, Literal, Problem, ProblemKind, Value, walk
from .function_names import MAX_MISSPELLED, find_function, suggest_function
from .functions import ASCENDING, DESCENDING
from .lexer import OPERATOR_NAMES, OPERATORS
from .normalize import OPERAND_NAME, OPTION_NAMES, normalize_call
from .signatures import Function, Parameter

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SMALLEST = WORDS.comparisons.lower_ends | {"least"}
_LARGEST = WORDS.comparisons.upper_ends | {"reverse"}
_DESCENDING = ("reverse", "descending")


@dataclass(frozen=True, slots=True)
class BoundCall:
    """A call with operands and named parameters; ``parameters`` have their declared names."""

    function: Function
    operands: tuple[Value, ...]
    parameters: tuple[tuple[str, Argument], ...]
    position: int

    def get_arguments(self, parameter: str) -> tuple[Argument, ...]:
        return tuple(argument for name, argument in self.parameters if name == parameter)

    def get_argument(self, parameter: str) -> Argument | None:
        return next(iter(self.get_arguments(parameter)), None)


class _Binding:
    def __init__(self, call: Call, function: Function) -> None:
        self.call = call
        self.function = function
        self.operands: list[Argument] = []
        self.parameters: list[tuple[str, Argument]] = []
        self.problems: list[Problem] = []

    def add_problem(self, kind: ProblemKind, message: str, position: int) -> None:
        self.problems.append(Problem(kind, message, None, position))

    def bind(self, argument: Argument) -> None:
        if argument.name is None:
            self._bind_by_position(argument)
            return
        parameter = self.function.parameter(argument.name)
        if parameter is not None:
            self._bind_parameter(parameter, argument)
        elif self._is_operand_name(argument.name):
            self._bind_operand(argument)
        else:
            self._report_unknown(argument)

    def _is_operand_name(self, name: str) -> bool:
        if self.function.max_operands == 0 or name.casefold() in OPTION_NAMES:
            return False
        return self.function.free_names or OPERAND_NAME.fullmatch(name) is not None

    def _bind_by_position(self, argument: Argument) -> None:
        function = self.function
        value = function.parameter("value")
        operator = function.parameter("operator")
        text = argument.value.text if isinstance(argument.value, Literal) else None
        if argument.operator != "=":
            if value is not None and value.ordered:
                self._bind_parameter(value, argument)
            else:
                message = (
                    f"{argument.operator} compares nothing here; {function.name} takes values alone"
                )
                self.add_problem(ProblemKind.UNKNOWN_OPERATOR, message, argument.position)
        elif text in OPERATORS and operator is not None:
            self._bind_parameter(operator, argument)
        elif function.max_operands is None or len(self.operands) < function.max_operands:
            self._bind_operand(argument)
        elif (parameter := self._next_parameter()) is not None:
            self._bind_parameter(parameter, argument)
        elif function.max_operands == 0:
            names = ", ".join(p.name for p in function.parameters)
            message = f"{function.name} takes named parameters: {names}"
            self.add_problem(ProblemKind.UNKNOWN_PARAMETER, message, argument.position)
        else:
            self._bind_operand(argument)  # too many, which the count at the end reports

    def _next_parameter(self) -> Parameter | None:
        if not self.function.positional:
            return None
        bound = {name for name, _ in self.parameters}
        parameters = [p for p in self.function.parameters if not p.by_name]
        unbound = next((p for p in parameters if p.name not in bound), None)
        return unbound or (parameters[-1] if parameters[-1].repeats else None)

    def _bind_operand(self, argument: Argument) -> None:
        if argument.operator != "=":
            message = f"{argument.name} takes = only, not {argument.operator}"
            self.add_problem(ProblemKind.UNKNOWN_OPERATOR, message, argument.position)
        self.operands.append(argument)

    def _bind_parameter(self, parameter: Parameter, argument: Argument) -> None:
        if argument.operator != "=" and not parameter.ordered:
            message = f"{parameter.name} takes = only, not {argument.operator}"
            self.add_problem(ProblemKind.UNKNOWN_OPERATOR, message, argument.position)
        if parameter.name == "op":
            argument = self._normalize_operator(argument)
        if parameter.name == "order":
            argument = self._normalize_order(argument)
        if not parameter.repeats and any(name == parameter.name for name, _ in self.parameters):
            message = f"{self.function.name} takes {parameter.name} once"
            self.add_problem(ProblemKind.REPEATED_PARAMETER, message, argument.position)
        self.parameters.append((parameter.name, argument))

    def _normalize_operator(self, argument: Argument) -> Argument:
        value = argument.value
        operator = OPERATOR_NAMES.get(value.text.strip()) if isinstance(value, Literal) else None
        if operator is None:
            allowed = ", ".join(dict.fromkeys(OPERATOR_NAMES.values()))
            message = f"op is one of {allowed}"
            self.add_problem(ProblemKind.UNKNOWN_OPERATOR, message, argument.position)
            return argument
        return replace(argument, value=Literal(operator, value.position))

    def _normalize_order(self, argument: Argument) -> Argument:
        """Write *reverse=True* and *ascending=False* as what they mean."""
        value = argument.value
        if not isinstance(value, Literal):
            return argument
        text = value.text.strip().casefold()
        is_true = _TRUTHS.get(text)
        if is_true is not None:
            # order=True says nothing; it is the order of ascending=True.
            is_descending = is_true == (argument.name in _DESCENDING)
        elif text.startswith("asc") or text in _SMALLEST:
            is_descending = False
        elif text.startswith("desc") or text in _LARGEST:
            is_descending = True
        else:
            message = f"order is {ASCENDING} or {DESCENDING}, not {value.text}"
            self.add_problem(ProblemKind.UNKNOWN_OPERATOR, message, argument.position)
            return argument
        order = DESCENDING if is_descending else ASCENDING
        return replace(argument, value=Literal(order, value.position))

    def _report_unknown(self, argument: Argument) -> None:
        assert argument.name is not None  # _bind_by_position has taken the others
        names = tuple(p.name for p in self.function.parameters)
        similar = suggest_names(argument.name[:MAX_MISSPELLED], names, 1, 0.6)
        allowed = ("values by position",) * (self.function.max_operands != 0) + names
        message = (
            f"{self.function.name} has no parameter {argument.name}; it has {', '.join(allowed)}"
            + (f"; did you mean {similar[0]}?" if similar else "")
        )
        self.add_problem(ProblemKind.UNKNOWN_PARAMETER, message, argument.position)

    def finish(self) -> BoundCall | tuple[Problem, ...]:
        self._check_operand_count()
        bound = {name for name, _ in self.parameters}
        for name in self.function.required:
            if name not in bound:
                message = f"{self.function.name} needs {name}: {self.function.prompt}"
                self.add_problem(ProblemKind.MISSING_PARAMETER, message, self.call.position)
        if self.problems:
            return tuple(self.problems)
        operands = tuple(argument.value for argument in self.operands)
        return BoundCall(self.function, operands, tuple(self.parameters), self.call.position)

    def _check_operand_count(self) -> None:
        function, count = self.function, len(self.operands)
        least = function.min_operands
        most = count if function.max_operands is None else function.max_operands
        if least <= count <= most:
            return
        if function.max_operands is None:
            allowed = f"at least {least}"
        else:
            allowed = str(most) if least == most else f"{least} to {most}"
        noun = "operand" if allowed.endswith("1") else "operands"
        message = f"{function.name} takes {allowed} {noun}, not {count}: {function.prompt}"
        position = self.operands[most].position if count > most else self.call.position
        self.add_problem(ProblemKind.WRONG_NUMBER, message, position)


def bind_call(call: Call) -> BoundCall | tuple[Problem, ...]:
    function = find_function(call.function)
    if function is None:
        similar = suggest_function(call.function)
        hint = f"; did you mean {similar}?" if similar else ""
        message = f"undefined function {call.function}{hint}"
        return (Problem(ProblemKind.UNKNOWN_FUNCTION, message, None, call.position),)
    function, arguments = normalize_call(function, call.arguments)
    binding = _Binding(call, function)
    for argument in arguments:
        binding.bind(argument)
    return binding.finish()


def find_calls(value: Value) -> Iterator[Call]:
    return (node for node in walk(value) if isinstance(node, Call))


def find_bound_calls(value: Value, *functions: str) -> Iterator[BoundCall]:
    """The calls in ``value`` of one of ``functions``, without those with wrong arguments."""
    for call in find_calls(value):
        function = find_function(call.function)
        if function is not None and function.name in functions:
            bound = bind_call(call)
            if isinstance(bound, BoundCall) and bound.function.name in functions:
                yield bound
