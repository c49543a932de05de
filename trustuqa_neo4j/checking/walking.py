"""All values of a step, without recursion: a query need not come from a text."""

from __future__ import annotations

from collections.abc import Iterator

from ..language.binding import Bound, bind
from ..language.functions import find
from ..language.query import Call, Infix, Listing, Value


def values(value: Value) -> Iterator[tuple[Value, int]]:
    """``value`` and all values in it, as they are written, and how deep each is nested."""
    waiting = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        yield part, depth
        waiting += [(inner, depth + 1) for inner in reversed(_inner(part))]


def _inner(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Call):
        return tuple(argument.value for argument in value.arguments)
    if isinstance(value, Listing):
        return value.members
    return (value.left, value.right) if isinstance(value, Infix) else ()


def calls(value: Value) -> Iterator[Call]:
    """``value`` and all calls in it, as they are written."""
    return (part for part, _ in values(value) if isinstance(part, Call))


def bound(value: Value, *functions: str) -> Iterator[Bound]:
    """Those calls in ``value`` of one of ``functions`` whose arguments are in order."""
    for call in calls(value):
        function = find(call.function)
        if function is not None and function.name in functions:
            found = bind(call)
            if isinstance(found, Bound) and found.function.name in functions:
                yield found
