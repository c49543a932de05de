"""Runs the rules of validation and collects all their problems.

A rule is a function in ``form_rules.py`` or ``schema_rules.py`` and one entry in the lists below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..language.ast import Problem, Query
from . import form_rules, schema_rules
from .context import ValidationContext
from .form_rules import StepContext

FORM_RULES: tuple[Callable[[StepContext], Iterator[Problem]], ...] = (
    form_rules.check_depth,
    form_rules.check_functions,
    form_rules.check_arguments,
    form_rules.check_searches,
    form_rules.check_text_conditions,
    form_rules.check_tables,
    form_rules.check_references,
)

SCHEMA_RULES: tuple[Callable[[ValidationContext], Iterator[Problem]], ...] = (
    schema_rules.check_direction,
    schema_rules.check_domain,
    schema_rules.check_range,
    schema_rules.check_double_domain,
    schema_rules.check_double_range,
    schema_rules.check_domain_range,
    schema_rules.check_compared_ids,
    schema_rules.check_identifier_output,
    schema_rules.check_comparable,
    schema_rules.check_columns,
    schema_rules.warn_unused_steps,
    schema_rules.warn_rare_joins,
    schema_rules.warn_merged_values,
)
"""Rules on the query graph and the schema; none asks the database."""


def check_form(query: Query) -> tuple[Problem, ...]:
    """Return every problem of the steps alone; if there is none, the query can be planned."""
    problems: list[Problem] = []
    numbers = frozenset(step.number for step in query.steps)
    earlier: set[int] = set()
    for step in query.steps:
        context = StepContext(step, earlier, numbers)
        for rule in FORM_RULES:
            problems.extend(rule(context))
        earlier.add(step.number)
    return tuple(problems)


def check_schema(context: ValidationContext) -> tuple[Problem, ...]:
    problems = (context.explain(problem) for rule in SCHEMA_RULES for problem in rule(context))
    return tuple(dict.fromkeys(problems))
