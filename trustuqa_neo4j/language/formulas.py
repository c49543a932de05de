"""What is computed in each row of a table, and of a group of rows: plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Column:
    """The value of a row in a column; where none is called so, the number or date that the name is."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Operation:
    """``left operator right``, one of ``+ - * /``; ``-a`` is ``0 - a``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class DaysBetween:
    """How many days lie between two dates, from ``start`` to ``end``."""

    start: Expression
    end: Expression


@dataclass(frozen=True, slots=True)
class Applied:
    """``function`` of one value: ``year``, ``abs``, or ``round`` to so many ``digits``."""

    function: str
    of: Expression
    digits: int = 0


Expression: TypeAlias = Column | Number | Operation | DaysBetween | Applied


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``function`` of the values of ``column`` in a group; of its rows where ``column`` is None.

    ``expression``: what ``column`` says if no column is called so, computed in each row.
    """

    function: str
    column: str | None
    name: str
    expression: Expression | None = None

    def __str__(self) -> str:
        return f"{self.function}({self.column or ''}) as {self.name}"


@dataclass(frozen=True, slots=True)
class Combined:
    """An expression of aggregates, which stand in it as columns of their names; ``text`` as written."""

    expression: Expression
    parts: tuple[Aggregate, ...]
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.text} as {self.name}"


Figure: TypeAlias = Aggregate | Combined
"""What is computed of a group."""


def columns_in(expression: Expression) -> Iterator[str]:
    """The columns that an expression looks at."""
    if isinstance(expression, Column):
        yield expression.name
    elif isinstance(expression, DaysBetween):
        yield from columns_in(expression.start)
        yield from columns_in(expression.end)
    elif isinstance(expression, Operation):
        yield from columns_in(expression.left)
        yield from columns_in(expression.right)
    elif isinstance(expression, Applied):
        yield from columns_in(expression.of)


def aggregates_in(figures: Iterable[Figure]) -> Iterator[Aggregate]:
    """The aggregates that figures are, or are made of."""
    for figure in figures:
        yield from figure.parts if isinstance(figure, Combined) else (figure,)


AGGREGATES = {
    "sum": "sum", "total": "sum", "mean": "mean", "average": "mean", "avg": "mean", "min": "min",
    "minimum": "min", "max": "max", "maximum": "max", "count": "count", "count_distinct": "count_distinct",
}  # fmt: skip
"""Each function of a group by all of its names."""
