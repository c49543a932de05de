"""``output_of_queryN`` must name a step that stands before."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.query import Call, Listing, Problem, Reference, Step, Value

_SHOWN = 20


def references(step: Step, call: Call, earlier: Set[int]) -> Iterator[Problem]:
    """References to steps that are not there, to the step itself, or to a later one."""
    for argument in call.arguments:
        for reference in _references(argument.value):
            if reference.step not in earlier:
                message = (
                    f"output_of_query{reference.step} names no earlier step; {_there(earlier)}"
                )
                yield Problem("unknown reference", message, step.number, reference.position)


def _there(earlier: Set[int]) -> str:
    if not earlier:
        return "this is the first"
    if len(earlier) > _SHOWN:
        return f"there are {len(earlier)} others"
    return "there are: " + ", ".join(map(str, sorted(earlier)))


def _references(value: Value) -> Iterator[Reference]:
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, Listing):
        for member in value.members:
            yield from _references(member)
