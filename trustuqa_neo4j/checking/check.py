"""A query → all its problems at once: first by itself, then by what the data can have."""

from __future__ import annotations

from ..language.query import LLMQuery, Problem
from .inquiry import Inquiry
from .rules import MEANING, RULES


def check(query: LLMQuery) -> tuple[Problem, ...]:
    """Every problem of what the steps say, step by step; empty if they can be planned."""
    problems: list[Problem] = []
    numbers = frozenset(step.number for step in query.steps)
    earlier: set[int] = set()
    for step in query.steps:
        for rule in RULES:
            problems.extend(rule(step, earlier, numbers))
        earlier.add(step.number)
    return tuple(problems)


def examine(inquiry: Inquiry) -> tuple[Problem, ...]:
    """Every problem and warning of what the steps ask of the data, rule by rule."""
    found = (problem for rule in MEANING for problem in rule(inquiry))
    return tuple(dict.fromkeys(found))
