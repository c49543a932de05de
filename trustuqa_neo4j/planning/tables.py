"""``get_table``, ``calculate`` and ``group_by``: paths, expressions and aggregates, read and planned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..language.binding import Bound
from ..language.expressions import Figure, read_aggregate, read_expression
from ..language.paths import Path, PathStep, read_path
from ..language.query import Listing, Literal, Problem, Value
from .information import Planning, Unplannable, terms
from .operations import Calculate, Group, Operation, Walk


def walk(bound: Bound, planning: Planning) -> Operation:
    """``get_table(head_entity, columns)``.

    Raises:
        Unplannable: a column is no path.
    """
    heads = bound.given("head_entity")
    found = tuple(paths(bound))
    if not found:
        raise Unplannable(
            _missing(bound, "get_table", "columns, such as 'relation > relation as name'")
        )
    return Walk(terms(heads, planning) if heads else None, found, bound.position)


def paths(bound: Bound) -> Iterator[Path]:
    """The paths of a ``get_table``'s columns."""
    for literal in _literals(bound, "columns"):
        path = read_path(literal.text)
        if isinstance(path, Problem):
            raise Unplannable(_within(path, literal))
        yield Path(tuple(_placed(step, literal) for step in path.steps), path.name)


def _placed(step: PathStep, literal: Literal) -> PathStep:
    """A step where it stands in the whole query: behind the quote with which its text begins."""
    return replace(step, position=literal.position + 1 + step.position)


def calculate(bound: Bound, planning: Planning) -> Operation:
    """``calculate(set, expression, name)``.

    Raises:
        Unplannable: there is no expression, or it cannot be read.
    """
    for literal in _literals(bound, "expression"):
        expression = read_expression(literal.text)
        if isinstance(expression, Problem):
            raise Unplannable(_within(expression, literal))
        name = next(iter(_literals(bound, "name")), literal).text
        of = _operand(bound, "calculate", planning)
        return Calculate(of, expression, name, bound.position, literal.text)
    raise Unplannable(_missing(bound, "calculate", "an expression, such as 'paid - reserve'"))


def group(bound: Bound, planning: Planning) -> Operation:
    """``group_by(set, by, values)``.

    Raises:
        Unplannable: a value is no aggregate.
    """
    values: list[Figure] = []
    for literal in _literals(bound, "values"):
        figure = read_aggregate(literal.text)
        if isinstance(figure, Problem):
            raise Unplannable(_within(figure, literal))
        values.append(figure)
    by = tuple(literal.text for literal in _literals(bound, "by") if literal.text)
    if not values and not by:
        raise Unplannable(_missing(bound, "group_by", "columns to group by, or values"))
    return Group(_operand(bound, "group_by", planning), by, tuple(values), bound.position)


def _operand(bound: Bound, function: str, planning: Planning) -> Operation:
    if not bound.operands:
        raise Unplannable(_missing(bound, function, "a table"))
    return planning(bound.operands[0])


def _literals(bound: Bound, name: str) -> Iterator[Literal]:
    for argument in bound.given(name):
        waiting: list[Value] = [argument.value]
        while waiting:
            value = waiting.pop(0)
            if isinstance(value, Literal):
                yield value
            elif isinstance(value, Listing):
                waiting = [*value.members, *waiting]
            else:
                message = f"{name} are texts, not results of other steps"
                raise Unplannable(Problem("unknown combination", message, None, value.position))


def _within(problem: Problem, literal: Literal) -> Problem:
    """A problem within a text, where it stands in the whole query."""
    return Problem(
        problem.kind, f"{problem.message} (in {literal.text[:60]!r})", None,
        literal.position + 1 + (problem.position or 0),
    )  # fmt: skip


def _missing(bound: Bound, function: str, what: str) -> Problem:
    return Problem("unknown combination", f"{function} needs {what}", None, bound.position)
