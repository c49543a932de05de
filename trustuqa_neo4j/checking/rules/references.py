"""``output_of_queryN`` must name a step that stands before."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Call, Listing, Problem, Reference, Step, Value


def references(step: Step, call: Call, earlier: frozenset[int]) -> Iterator[Problem]:
    """References to steps that are not there, to the step itself, or to a later one."""
    for argument in call.arguments:
        for reference in _references(argument.value):
            if reference.step not in earlier:
                known = ", ".join(str(n) for n in sorted(earlier)) or "none"
                message = (
                    f"output_of_query{reference.step} names no earlier step; there are: {known}"
                )
                yield Problem("unknown reference", message, step.number, reference.position)


def _references(value: Value) -> Iterator[Reference]:
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, Listing):
        for member in value.members:
            yield from _references(member)
