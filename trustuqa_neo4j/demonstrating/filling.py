"""A demonstration's query with other names in its blanks → the text of a query.

Names go in as literals of the query as read, which is then written; the text is read again and must be that
very query. So whatever a name holds, quotes, calls or instructions, it stays a name, or there is no query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..language.parse import parse
from ..language.query import Argument, Call, Infix, Listing, Literal, LLMQuery, Step, Value
from ..language.writing import Unwritable, write


@dataclass(frozen=True)
class Filling:
    """What goes in at the positions of a query's literals, and with which operators."""

    texts: Mapping[int, str]
    operators: Mapping[int, str] = field(default_factory=dict)
    target: tuple[str, ...] | None = None


def fill(query: LLMQuery, filling: Filling) -> str | None:
    """``query`` filled otherwise; None where no query can say that."""
    steps = tuple(Step(step.number, _value(step.value, filling)) for step in query.steps)
    target = query.target if filling.target is None else filling.target
    try:
        written = write(LLMQuery(steps, target))
        again = parse(written)
        same = isinstance(again, LLMQuery) and write(again) == written
    except Unwritable:
        return None
    return written if same else None


def _value(value: Value, filling: Filling) -> Value:
    if isinstance(value, Literal):
        return replace(value, text=filling.texts.get(value.position, value.text))
    if isinstance(value, Listing):
        return replace(value, members=tuple(_value(member, filling) for member in value.members))
    if isinstance(value, Infix):
        return replace(value, left=_value(value.left, filling), right=_value(value.right, filling))
    if isinstance(value, Call):
        return replace(value, arguments=tuple(_argument(each, filling) for each in value.arguments))
    return value


def _argument(argument: Argument, filling: Filling) -> Argument:
    value, operator = argument.value, argument.operator
    if isinstance(value, Literal):
        operator = filling.operators.get(value.position, operator)
    return replace(argument, operator=operator, value=_value(value, filling))
