"""What the columns of each step's table show, so far as the text of the steps tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal as Either
from typing import TypeAlias

from ...language.expressions import (
    Aggregate,
    Applied,
    Column,
    DaysBetween,
    Expression,
    Number,
    Operation,
    read_aggregate,
    read_expression,
)
from ...language.paths import Path
from ...language.query import Call, LLMQuery, Reference
from .outline import Outline, Relation
from .sites import Called, calls, tables, texts

Kind: TypeAlias = Either["node", "text", "number", "date"]
Columns: TypeAlias = Mapping[str, Kind | None]
"""Column → what it shows; None where nobody knows."""


def kind_of(relation: Relation | None, backwards: bool = False) -> Kind | None:
    """What a relation leads to."""
    if relation is None:
        return None
    if backwards or relation.nodes:
        return "node"
    return "number" if relation.numbers else "date" if relation.dates else "text"


def shown(path: Path, outline: Outline) -> Kind | None:
    """What a path leads to."""
    last = path.steps[-1]
    return kind_of(outline.relation(last.relation), last.backwards)


def columns(query: LLMQuery, outline: Outline) -> dict[int, Columns]:
    """The columns of each step that is a table."""
    found: dict[int, Columns] = {}
    whole = {step.number: step.value for step in query.steps}
    by_call = {
        id(t.called.call): {p.name: shown(p, outline) for p in t.paths} for t in tables(query)
    }
    for number, value in whole.items():
        if not isinstance(value, Call):
            continue
        if id(value) in by_call:
            found[number] = by_call[id(value)]
            continue
        called = next(c for c in (*calls(query), None) if c is None or c.call is value)
        before = None if called is None else found.get(operand(called) or 0)
        if called is not None and before is not None:
            made = _made(called, before)
            if made is not None:
                found[number] = made
    return found


def operand(called: Called) -> int | None:
    """The step whose result a function is given first."""
    for each in called.call.arguments:
        if isinstance(each.value, Reference):
            return each.value.step
    return None


def _made(called: Called, before: Columns) -> Columns | None:
    if called.function in ("keep", "sort", "distinct"):
        return before
    if called.function == "calculate":
        return {**before, **dict.fromkeys(words(called, "name"), "number")}
    if called.function == "group_by":
        kept: dict[str, Kind | None] = {name: before.get(name) for name in words(called, "by")}
        return {**kept, **{each.name: "number" for each in aggregates(called)}}
    return None


def words(called: Called, name: str) -> list[str]:
    """The texts of a parameter."""
    return [text for each in called.given(name) for text in texts(each.value) or ()]


def aggregates(called: Called) -> list[Aggregate]:
    """What a ``group_by`` computes."""
    read = (read_aggregate(text) for text in words(called, "values"))
    return [each for each in read if isinstance(each, Aggregate)]


def expression_of(called: Called) -> Expression | None:
    """The expression of a ``calculate``."""
    for text in words(called, "expression"):
        read = read_expression(text)
        if isinstance(read, Column | Number | Operation | DaysBetween | Applied):
            return read
    return None


def spoken(expression: Expression) -> str:
    """An expression as text."""
    if isinstance(expression, Column):
        return _name(expression.name)
    if isinstance(expression, Number):
        return str(expression.value)
    if isinstance(expression, DaysBetween):
        return f"days_between({spoken(expression.start)}, {spoken(expression.end)})"
    if isinstance(expression, Applied):
        digits = f", {expression.digits}" if expression.digits else ""
        return f"{expression.function}({spoken(expression.of)}{digits})"
    left, right = spoken(expression.left), spoken(expression.right)
    left = f"({left})" if isinstance(expression.left, Operation) else left
    right = f"({right})" if isinstance(expression.right, Operation) else right
    return f"{left} {expression.operator} {right}"


def told(aggregate: Aggregate) -> str:
    """What is computed of a group, as text."""
    return f"{aggregate.function}({aggregate.column or ''}) as {aggregate.name}"


def _name(name: str) -> str:
    return name if name.replace("_", "").isalnum() and not name[0].isdigit() else f'"{name}"'


def leaves(expression: Expression) -> Iterator[tuple[str, str]]:
    """What is done to each column of an expression: ``days_between``, or an operator; and the column."""
    if isinstance(expression, Column | Number):
        return
    if isinstance(expression, DaysBetween):
        doing = "days_between"
    else:
        doing = expression.function if isinstance(expression, Applied) else expression.operator
    for side in _sides(expression):
        if isinstance(side, Column):
            yield doing, side.name
        else:
            yield from leaves(side)


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """An expression with other columns."""
    if isinstance(expression, Column):
        return Column(names.get(expression.name, expression.name))
    if isinstance(expression, Number):
        return expression
    if isinstance(expression, Applied):
        return replace(expression, of=renamed(expression.of, names))
    first, last = (renamed(side, names) for side in _sides(expression))
    if isinstance(expression, DaysBetween):
        return DaysBetween(first, last)
    return replace(expression, left=first, right=last)


def _sides(expression: Operation | DaysBetween | Applied) -> Sequence[Expression]:
    if isinstance(expression, Applied):
        return (expression.of,)
    if isinstance(expression, DaysBetween):
        return (expression.start, expression.end)
    return (expression.left, expression.right)


def used_columns(query: LLMQuery) -> set[str]:
    """Columns that any step but the paths of a table speaks of."""
    found: set[str] = set(query.target)
    for called in calls(query):
        if called.function == "get_table":
            continue
        found |= {*words(called, "column"), *words(called, "by")}
        found |= {each.column for each in aggregates(called) if each.column is not None}
        expression = expression_of(called)
        if expression is not None:
            found |= _all(expression)
    return found


def _all(expression: Expression) -> set[str]:
    if isinstance(expression, Column):
        return {expression.name}
    if isinstance(expression, Number):
        return set()
    return {name for side in _sides(expression) for name in _all(side)}
