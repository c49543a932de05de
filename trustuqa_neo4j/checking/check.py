"""LLMQuery → all its problems at once."""

from __future__ import annotations

from collections.abc import Iterator

from ..language.query import Call, Infix, Listing, LLMQuery, Problem, Value
from .rules import RULES


def check(query: LLMQuery) -> tuple[Problem, ...]:
    """Every problem that the rules find, step by step; empty if the query may run."""
    problems: list[Problem] = []
    earlier: set[int] = set()
    for step in query.steps:
        for call in _calls(step.value):
            for rule in RULES:
                problems.extend(rule(step, call, earlier))
        earlier.add(step.number)
    return tuple(problems)


def _calls(value: Value) -> Iterator[Call]:
    """``value`` and all calls in it, outer ones first."""
    if isinstance(value, Call):
        yield value
        for argument in value.arguments:
            yield from _calls(argument.value)
    elif isinstance(value, Listing):
        for member in value.members:
            yield from _calls(member)
    elif isinstance(value, Infix):
        yield from _calls(value.left)
        yield from _calls(value.right)
