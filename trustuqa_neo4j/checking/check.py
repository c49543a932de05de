"""LLMQuery → all its problems at once."""

from __future__ import annotations

from ..language.query import LLMQuery, Problem
from .rules import RULES


def check(query: LLMQuery) -> tuple[Problem, ...]:
    """Every problem that the rules find, step by step; empty if the query may run."""
    problems: list[Problem] = []
    numbers = frozenset(step.number for step in query.steps)
    earlier: set[int] = set()
    for step in query.steps:
        for rule in RULES:
            problems.extend(rule(step, earlier, numbers))
        earlier.add(step.number)
    return tuple(problems)
