"""Every function must be one of the language."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.functions import find, nearest
from ...language.query import Problem, Step
from ..walking import calls


def functions(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Undefined functions, with the nearest one there is."""
    for call in calls(step.value):
        if find(call.function) is None:
            near = nearest(call.function)
            hint = f"; did you mean {near}?" if near else ""
            message = f"undefined function {call.function}{hint}"
            yield Problem("unknown function", message, step.number, call.position)
