"""``get_information`` must be asked something, and each value must have a relation of its own."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.query import Problem, Step
from ..walking import bound


def information(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Searches without any parameter, and two values where there are not two relations."""
    for search in bound(step.value, "get_information"):
        if not search.parameters:
            named = ", ".join(parameter.name for parameter in search.function.parameters)
            message = f"get_information needs a parameter: any of {named}"
            yield Problem("missing parameter", message, step.number, search.position)
        tail, value = search.one("tail_entity"), search.one("value")
        relations = search.given("relation") + search.given("key")
        if tail and value and len(relations) < 2:
            message = (
                "tail_entity and value clash: two values need two relations, "
                "given as relation (for tail_entity) and key (for value)"
            )
            position = max(tail.position, value.position)
            yield Problem("unknown combination", message, step.number, position)
