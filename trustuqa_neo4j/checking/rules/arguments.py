"""Every argument must be a parameter of its function, given once, with an operator it can have."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.functions import Function, find
from ...language.query import Argument, Call, Listing, Literal, Problem, Step, Value


def arguments(step: Step, call: Call, earlier: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Unknown, unnamed and repeated parameters; operators and values that cannot stand there."""
    function = find(call.function)
    if function is None or not function.built:
        return
    seen: set[str] = set()
    for argument in call.arguments:
        for kind, message in _wrong(function, argument, seen):
            yield Problem(kind, message, step.number, argument.position)


def _wrong(function: Function, argument: Argument, seen: set[str]) -> Iterator[tuple[str, str]]:
    allowed = ", ".join(p.name for p in function.parameters)
    if argument.name is None:
        yield "unknown parameter", f"{function.name} takes named parameters: {allowed}"
        return
    parameter = function.parameter(argument.name)
    if parameter is None:
        yield (
            "unknown parameter",
            f"{function.name} has no parameter {argument.name}; it has {allowed}",
        )
        return
    if parameter.name in seen:
        yield "not built", f"{parameter.name} twice in one call is not built in this version"
    seen.add(parameter.name)
    if argument.operator != "=":
        if parameter.ordered:
            yield "not built", f"{argument.operator} is not built in this version; = is"
        else:
            yield "unknown operator", f"{parameter.name} takes = only, not {argument.operator}"
    if _has_call(argument.value):
        message = "a call inside a call is not built in this version; use a step of its own"
        yield "not built", message
    elif parameter.name in ("relation", "key") and not isinstance(argument.value, Literal):
        yield "not built", f"{parameter.name} must be one name in this version"


def _has_call(value: Value) -> bool:
    if isinstance(value, Listing):
        return any(_has_call(member) for member in value.members)
    return isinstance(value, Call)
