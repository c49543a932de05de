"""LLMQuery → all its problems at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..language.query import Call, LLMQuery, Problem, Value
from .rules import RULES


def check(query: LLMQuery) -> tuple[Problem, ...]:
    """Every problem that the rules find, step by step; empty if the query may run."""
    problems: list[Problem] = []
    earlier: frozenset[int] = frozenset()
    repeated = [n for n, times in Counter(s.number for s in query.steps).items() if times > 1]
    for step in query.steps:
        for call in _calls(step.call):
            for rule in RULES:
                problems.extend(rule(step, call, earlier))
        earlier |= {step.number}
    problems.extend(
        Problem("repeated step", f"there are two steps {number}", number) for number in repeated
    )
    return tuple(problems)


def _calls(value: Value) -> Iterator[Call]:
    if isinstance(value, Call):
        yield value
        for argument in value.arguments:
            yield from _calls(argument.value)
