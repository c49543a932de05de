"""What is computed in each row of a table, and of a group of rows: plain data."""

from __future__ import annotations

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
    """``function`` of the values of ``column`` in a group; of its rows where ``column`` is None."""

    function: str
    column: str | None
    name: str


AGGREGATES = {
    "sum": "sum", "total": "sum", "mean": "mean", "average": "mean", "avg": "mean", "min": "min",
    "minimum": "min", "max": "max", "maximum": "max", "count": "count", "count_distinct": "count_distinct",
}  # fmt: skip
"""Each function of a group by all of its names."""
