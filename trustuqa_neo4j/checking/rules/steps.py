"""Every step must have a number of its own: ``output_of_queryN`` would mean two results."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...language.query import Problem, Step


def steps(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Steps whose number another one has."""
    if step.number in earlier:
        message = f"there are two steps {step.number}; each needs a number of its own"
        yield Problem("repeated step", message, step.number, step.value.position)
