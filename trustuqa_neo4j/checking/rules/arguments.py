"""Every argument must find its place in its function: what ``bind`` says of a call."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from ...language.binding import Bound, bind
from ...language.functions import find
from ...language.query import Call, Problem, Step


def arguments(step: Step, call: Call, earlier: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Unknown and repeated parameters, operators that cannot stand there, too few or many operands."""
    if find(call.function) is None:
        return
    bound = bind(call)
    if not isinstance(bound, Bound):
        for problem in bound:
            yield replace(problem, step=step.number)
