"""``get_information`` must be asked something, and each value must have a relation of its own."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.binding import Bound, bind
from ...language.query import Problem, Step
from ..walking import calls


def information(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Searches without any parameter, and two values where there are not two relations."""
    for call in calls(step.value):
        bound = bind(call)
        if not isinstance(bound, Bound) or bound.function.name != "get_information":
            continue
        if not bound.parameters:
            named = ", ".join(parameter.name for parameter in bound.function.parameters)
            message = f"get_information needs a parameter: any of {named}"
            yield Problem("missing parameter", message, step.number, call.position)
        tail, value = bound.one("tail_entity"), bound.one("value")
        relations = bound.given("relation") + bound.given("key")
        if tail and value and len(relations) < 2:
            message = (
                "tail_entity and value clash: two values need two relations, "
                "given as relation (for tail_entity) and key (for value)"
            )
            position = max(tail.position, value.position)
            yield Problem("unknown combination", message, step.number, position)
