"""Every argument must find its place in its function: what ``bind`` says of a call."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from ...language.binding import Bound, bind
from ...language.functions import find
from ...language.query import Problem, Step
from ..walking import calls


def arguments(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Unknown and repeated parameters, operators that cannot stand there, too few or many operands."""
    for call in calls(step.value):
        bound = None if find(call.function) is None else bind(call)
        if bound is not None and not isinstance(bound, Bound):
            yield from (replace(problem, step=step.number) for problem in bound)
