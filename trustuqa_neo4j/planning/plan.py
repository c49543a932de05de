"""Checked query → execution query: which searching and reasoning operations each step is.

Pure: what the catalogue knows of the relations is handed in.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..language.binding import Bound, bind
from ..language.query import (
    Call,
    Infix,
    Listing,
    Literal,
    LLMQuery,
    Problem,
    Reference,
    Step,
    Value,
)
from ..language.signs import OPERATORS
from .information import Unplannable, information, terms, tests
from .operations import (
    Apply,
    Catalogue,
    ExecutionQuery,
    Known,
    Members,
    Name,
    Operation,
    Option,
    PlannedStep,
    Result,
    Search,
)  # fmt: skip
from .tables import calculate, group, walk, walked


def plan(query: LLMQuery, catalogue: Catalogue) -> ExecutionQuery | tuple[Problem, ...]:
    """The execution query, or which combinations of parameters have no row in the table."""
    planned: list[PlannedStep] = []
    problems: list[Problem] = []
    for step in query.steps:
        try:
            planned.append(PlannedStep(step.number, _operation(step.value, catalogue)))
        except Unplannable as caught:
            problems.append(replace(caught.problem, step=step.number))
    return tuple(problems) if problems else ExecutionQuery(tuple(planned), query.target)


def _operation(value: Value, catalogue: Catalogue) -> Operation:
    if isinstance(value, Literal):
        return Name(value.text, value.position)
    if isinstance(value, Reference):
        return Result(value.step, value.position)
    if isinstance(value, Listing):
        return Members(tuple(_operation(m, catalogue) for m in value.members), value.position)
    if isinstance(value, Infix):
        sides = (_operation(value.left, catalogue), _operation(value.right, catalogue))
        return Apply(value.operator, sides, value.position)
    bound = bind(value)
    assert isinstance(bound, Bound)  # a rule of the check
    name = bound.function.name
    if name == "get_information":
        return information(bound, catalogue, partial(_operation, catalogue=catalogue))
    if name == "search_node":
        return _node(bound, catalogue)
    if name == "search_condition":
        return _condition(bound, catalogue)
    if name == "get_table":
        return walk(bound, catalogue, partial(_operation, catalogue=catalogue))
    if name in _TABLES:
        return _TABLES[name](bound, partial(_operation, catalogue=catalogue))
    operands = tuple(_operation(operand, catalogue) for operand in bound.operands)
    options = tuple(
        Option(name, argument.operator, _operation(argument.value, catalogue))
        for name, argument in bound.parameters
    )
    return Apply(bound.function.name, operands, value.position, options)


_TABLES = {"calculate": calculate, "group_by": group}


def _node(bound: Bound, catalogue: Catalogue) -> Operation:
    """The paper's ``search_node(n1, condition)``: a relation under a condition, or what n1 leads to.

    A scope, the facts of some heads, is the same as those heads for a condition (Table 1).
    """
    planning = partial(_operation, catalogue=catalogue)
    first = terms(bound.given("node1"), planning)
    condition, scope = bound.given("condition"), bound.one("scope")
    if condition and scope is not None:
        message = "the condition says whose facts are meant, so only scope=all can stand beside it"
        raise Unplannable(Problem("unknown combination", message, None, scope.position))
    condition = condition or bound.given("scope")
    if not condition:
        names = [term for term in first if isinstance(term, Name)]
        relation = len(names) == len(first) and all(
            catalogue.get(name.text, Known()).facts for name in names
        )
        if relation:
            return Search("tails", bound.position, first)
        return Search("relations", bound.position, (), first)
    return Search("tails", bound.position, first, terms(condition, planning))


def _condition(bound: Bound, catalogue: Catalogue) -> Operation:
    """The paper's ``search_condition(n1, n2, op)``."""
    planning = partial(_operation, catalogue=catalogue)
    passed = tests(bound.given("node2"), planning)
    if (op := bound.one("op")) is not None and isinstance(op.value, Literal):
        sign = op.value.text.strip()
        if sign not in OPERATORS:
            message = f"op is one of = != < > <= >=, not {sign[:40]!r}"
            raise Unplannable(Problem("unknown operator", message, None, op.position))
        passed = tuple(replace(test, operator=OPERATORS[sign]) for test in passed)
    scope = bound.given("scope")
    heads = terms(scope, planning) if scope else None
    return Search("heads", bound.position, terms(bound.given("node1"), planning), heads, passed)


def names(query: LLMQuery) -> tuple[set[str], set[str]]:
    """The names of relations and of things that have to be looked up, as the query gives them."""
    relations: set[str] = set(query.target)
    things: set[str] = set()
    for step in query.steps:
        _names(step, relations, things)
    return relations, things


_RELATIONS = frozenset(("relation", "key", "node1", "column"))


def _names(step: Step, relations: set[str], things: set[str]) -> None:
    waiting: list[tuple[Value, bool]] = [(step.value, False)]
    while waiting:
        value, relation = waiting.pop()
        if isinstance(value, Literal):
            (relations if relation else things).add(value.text)
        elif isinstance(value, Listing):
            waiting += [(member, relation) for member in value.members]
        elif isinstance(value, Infix):
            waiting += [(value.left, False), (value.right, False)]
        elif isinstance(value, Call):
            bound = bind(value)
            assert isinstance(bound, Bound)  # a rule of the check
            waiting += [(operand, False) for operand in bound.operands]
            if bound.function.name == "get_table":
                relations |= _walked(bound)
            waiting += [(a.value, name in _RELATIONS) for name, a in bound.parameters]
            if bound.function.name == "search_node" and not bound.given("condition"):
                # A relation, or a thing that relations lead out of: the catalogue tells.
                waiting += [(argument.value, False) for argument in bound.given("node1")]


def _walked(bound: Bound) -> set[str]:
    """The relations of a table's paths, as far as these can be read: the plan refuses the others."""
    try:
        return walked(bound)
    except Unplannable:
        return set()
