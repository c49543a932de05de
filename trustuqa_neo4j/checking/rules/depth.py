"""No step may be nested so deep that whoever plans it runs out of stack."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.query import Problem, Step
from ..walking import values

DEEPEST = 60
"""More than any text that can be read is nested."""


def depth(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Steps with calls, lists or expressions nested too deep."""
    for value, level in values(step.value):
        if level > DEEPEST:
            message = f"nested deeper than {DEEPEST}; give some of it a step of its own"
            yield Problem("nested too deep", message, step.number, value.position)
            return
