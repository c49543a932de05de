"""Table functions: computed columns, groups, rows that are kept, sorted or counted.

A table has one row for each way of walking its paths; equal rows are kept, since a sum counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..language.expressions import (
    Applied,
    Column,
    Combined,
    DaysBetween,
    Expression,
    Figure,
    Number,
)
from ..mapping import fold
from ..values import read_value
from . import figures, sets
from .results import Cell, Cells, Refused, Table, number
from .testing import extremes, order_of, selected

Row: TypeAlias = "tuple[Cell, ...]"


def find(table: Table, name: str) -> int | None:
    """Where the column ``name`` stands: of that very name, else but for its writing; or None."""
    if name in table.columns:
        return table.columns.index(name)
    folded = [fold(known) for known in table.columns]
    return folded.index(fold(name)) if fold(name) in folded else None


def place(table: Table, name: str, position: int | None) -> int:
    """Where the column ``name`` stands.

    Raises:
        Refused: the table has none of that name.
    """
    found = find(table, name)
    if found is None:
        message = f"the table has no column {name!r}; it has {', '.join(table.columns)}"
        raise Refused("unknown column", message, position)
    return found


def column(table: Table, name: str, position: int | None) -> tuple[Cell, ...]:
    """The cells of a column."""
    return table.bag(place(table, name, position))


def columns(table: Table, places: Sequence[int]) -> Table:
    """Those at ``places``, in this order; rows that have become equal are kept."""
    rows = tuple(tuple(row[at] for at in places) for row in table.rows)
    return Table(tuple(table.columns[at] for at in places), rows)


def calculated(table: Table, expression: Expression, name: str, position: int) -> Table:
    """The table with a further column that is computed in each row; of what is missing nothing is.

    Raises:
        Refused: a value is no number or date, a divisor is nought.
    """
    compute = _computing(table, expression, position)
    rows = tuple((*row, compute(row)) for row in table.rows)
    return Table((*table.columns, name), rows)


def constant(table: Table, name: str) -> Cell | None:
    """The number or date that ``name`` is, where no column is called so."""
    value = None if find(table, name) is not None else read_value(name)
    return None if value is None else Cell(name, value)


def _computing(table: Table, expression: Expression, position: int) -> Callable[[Row], Cell]:
    if isinstance(expression, Number):
        value = number(expression.value)
        return lambda row: value  # noqa: ARG005 # the same in each row
    if isinstance(expression, Column):
        if (known := constant(table, expression.name)) is not None:
            return lambda row: known  # noqa: ARG005
        at = place(table, expression.name, position)
        return lambda row: row[at]
    if isinstance(expression, Applied):
        of, function = _computing(table, expression.of, position), _APPLIED[expression.function]
        return lambda row: _of(lambda a: function(a, expression.digits, position), of(row))
    if isinstance(expression, DaysBetween):
        start = _computing(table, expression.start, position)
        end = _computing(table, expression.end, position)
        days = figures.days_between
        return lambda row: _of(lambda a, b: days(a, b, position), start(row), end(row))
    left = _computing(table, expression.left, position)
    right = _computing(table, expression.right, position)
    operate = _OPERATIONS[expression.operator]
    return lambda row: _of(lambda a, b: operate(a, b, position), left(row), right(row))


def _of(compute: Callable[..., Cell], *cells: Cell) -> Cell:
    """What is computed of cells: nothing, where one is missing."""
    return Cell("") if any(cell.missing for cell in cells) else compute(*cells)


_OPERATIONS: dict[str, Callable[[Cell, Cell, int], Cell]] = {
    "+": lambda a, b, position: figures.added((a, b), position)[0],
    "-": figures.minus,
    "*": lambda a, b, position: figures.product((a, b), position),
    "/": figures.ratio,
}


_APPLIED: dict[str, Callable[[Cell, int, int], Cell]] = {
    "abs": lambda cell, _, position: figures.absolute(cell, position),
    "year": lambda cell, _, position: figures.year(cell, position),
    "round": figures.rounded,
}


def grouped(table: Table, by: Sequence[str], values: Sequence[Figure], position: int) -> Table:
    """One row for each distinct combination in the columns ``by``, in the order they first stand in.

    Without ``by`` all rows are one group.

    Raises:
        Refused: an unknown column, a sum or mean of what are no numbers.
    """
    places = [place(table, name, position) for name in by]
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in table.rows:
        groups.setdefault(tuple(row[at].identity for at in places), []).append(row)
    computed = [_of_group(table, each, position) for each in values]
    rows = tuple(
        (*(rows[0][at] for at in places), *(compute(rows) for compute in computed))
        for rows in groups.values()
    )
    return Table((*(table.columns[at] for at in places), *(each.name for each in values)), rows)


def _of_group(table: Table, figure: Figure, position: int) -> Callable[[Sequence[Row]], Cell]:
    """What computes a figure of the rows of a group."""
    if isinstance(figure, Combined):
        parts = [_of_group(table, part, position) for part in figure.parts]
        row = Table(tuple(part.name for part in figure.parts))
        compute = _computing(row, figure.expression, position)
        return lambda rows: compute(tuple(part(rows) for part in parts))
    function = figure.function
    if figure.column is None:
        return lambda rows: number(len(rows))
    if figure.expression is not None and find(table, figure.column) is None:
        each = _computing(table, figure.expression, position)
    else:
        each = _computing(table, Column(figure.column), position)
    return lambda rows: _aggregate(function, [each(row) for row in rows], position)


def _aggregate(function: str, cells: Sequence[Cell], position: int) -> Cell:
    """Of a group in which all are missing only counts are something."""
    cells = [cell for cell in cells if not cell.missing]
    if function == "count":
        return number(len(cells))
    if function == "count_distinct":
        return number(len(sets.distinct(cells)))
    if not cells:
        return Cell("")
    if function in ("min", "max"):
        best, _ = extremes(cells, function == "max")
        return cells[best[0]] if best else Cell("")
    return (figures.added if function == "sum" else figures.mean)(cells, position)[0]


def kept(
    table: Table, name: str | None, tests: Sequence[tuple[str, Sequence[Cell]]], position: int
) -> Table:
    """The rows whose cell in a column passes all tests.

    Raises:
        Refused: no column is named, and there are several.
    """
    if name is None and len(table.columns) != 1:
        message = f"keep needs a column of the table: {', '.join(table.columns)}"
        raise Refused("unknown column", message, position)
    at = 0 if name is None else place(table, name, position)
    rows = table.rows
    for operator, bounds in tests:
        found = selected([row[at] for row in rows], operator, bounds, position)
        rows = tuple(rows[row] for row in found.places)
    return Table(table.columns, rows)


def descending(order: str) -> bool:
    """Whether the order that a query asks for begins with the greatest."""
    order = order.casefold()
    return order.startswith("desc") or order in ("false", "largest", "highest")


def ordered(table: Table, name: str | None, descending: bool, position: int) -> Table:
    """The rows by a column's values, rows without a value last."""
    at = 0 if name is None else place(table, name, position)
    read = [(row[at].value, row) for row in table.rows if row[at].value is not None]
    rest = [row for row in table.rows if row[at].value is None]
    values = [value for value, _ in read if value is not None]
    if not values:
        there = (row for row in table.rows if not row[at].missing)
        rows = sorted(there, key=lambda row: row[at].text.casefold(), reverse=descending)
        return Table(table.columns, (*rows, *(row for row in table.rows if row[at].missing)))
    key = order_of(values)
    known = sorted(
        ((value, row) for value, row in read if value is not None),
        key=lambda pair: key(pair[0]), reverse=descending,
    )  # fmt: skip
    return Table(table.columns, (*(row for _, row in known), *rest))


def distinct(table: Table) -> Table:
    """Each row once."""
    found: dict[tuple[object, ...], tuple[Cell, ...]] = {}
    for row in table.rows:
        found.setdefault(tuple(cell.identity for cell in row), row)
    return Table(table.columns, tuple(found.values()))


def counted(table: Table, once: bool | None) -> Cells:
    """How many distinct members a table of one column has, which is a bag, or how many rows one of several.

    ``once``: whether equal ones count once, where that is said.
    """
    if len(table.columns) == 1:
        members = table.bag(0)
        return Cells((number(len(members if once is False else sets.distinct(members))),))
    return Cells((number(len(distinct(table) if once else table)),))
