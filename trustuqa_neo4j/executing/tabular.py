"""Functions over tables: computed columns, groups, and those that keep the rows of a table together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, TypeAlias

from ..compiling import Program
from ..language.formulas import Figure, aggregates_in, columns_in
from ..mapping import fold
from ..planning import Apply, Calculate, Group, Name
from ..reasoning import sets, tables
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused, Table
from ..reasoning.testing import extremes, selected
from ..values import read_value
from .walking import table_of
from .world import nodes_of

if TYPE_CHECKING:
    from .applying import Executor

ON_TABLES = frozenset(("keep", "sort", "distinct", "count", "first", "last"))
"""Functions that look at the rows of a table, not at one of its columns."""

Options: TypeAlias = dict[str, list[tuple[str, Sequence[Cell]]]]
"""What is given for each parameter: operator and cells."""


def tabular(executor: Executor, operation: Calculate | Group) -> Program[Outcome]:
    """``calculate`` or ``group_by``.

    Raises:
        Refused: there is no table, or no such column.
    """
    outcome = yield from executor.evaluate(operation.of)
    table = yield from _table(executor, operation, outcome)
    if isinstance(operation, Group):
        return tables.grouped(table, operation.by, operation.values, operation.position)
    return tables.calculated(table, operation.expression, operation.name, operation.position)


def _table(executor: Executor, operation: Calculate | Group, outcome: Outcome) -> Program[Table]:
    """A table; rows and other heads become one of the columns that are named."""
    if isinstance(outcome, Table):
        return outcome
    if isinstance(outcome, Cells):
        rows = [cell.row for cell in outcome.members if cell.row is not None]
        outcome = Nodes(rows) if rows else nodes_of(outcome)
    if not outcome.ids:
        told = "group_by" if isinstance(operation, Group) else "calculate"
        raise Refused("no table", f"{told} needs a table, as get_table makes it")
    there = {fold(name) for name in executor.world.names.columns}
    if isinstance(operation, Group):
        named = [*operation.by, *_columns_of(operation.values, there)]
    else:
        named = [*columns_in(operation.expression)]
    # A number or date is a column only of a table that has one of that name: 2004 beside 2008.
    names = tuple(n for n in dict.fromkeys(named) if fold(n) in there or read_value(n) is None)
    for name in names:
        known = yield from executor.known_column(name)
        if not known:
            raise Refused("unknown column", f"{executor.world.scope} has no column {name!r}")
    return (yield from table_of(executor.searching, outcome, names, operation.position))


def _columns_of(values: Iterable[Figure], there: Set[str]) -> Iterator[str]:
    """The columns that figures of groups look at; those that are ``there`` are no expressions."""
    for each in aggregates_in(values):
        if each.column is None:
            continue
        if each.expression is None or fold(each.column) in there:
            yield each.column
        else:
            yield from columns_in(each.expression)


def on_table(executor: Executor, operation: Apply, table: Table) -> Program[Outcome]:
    """Functions that keep the rows of a table together."""
    options = yield from executor.options(operation)
    name, position = column_named(operation), operation.position
    function = operation.function
    if function == "keep":
        return tables.kept(table, name, options.get("value", ()), position)
    if function == "sort":
        order = options.get("order", [("=", ())])[0][1]
        return tables.ordered(
            table, name, tables.descending(order[0].text if order else ""), position
        )
    if function == "distinct" and name is None:
        return tables.distinct(table)
    if function == "count" and name is None and not options.keys() - {"distinct"}:
        return tables.counted(table, wanted(options.get("distinct", ())))
    if function in ("first", "last"):
        given = next((cells[0] for _, cells in options.get("number", ()) if cells), None)
        rows = sets.end_of(table.rows, given, position, last=function == "last")
        return Table(table.columns, tuple(rows))
    outcomes = yield from executor.columns(operation, [table])
    return (yield from executor.by_cells(operation, outcomes))


def wanted(given: Sequence[tuple[str, Sequence[Cell]]]) -> bool | None:
    """A truth that is given for a parameter; None where none is."""
    text = next((cells[0].text.casefold() for _, cells in given if cells), None)
    return None if text is None else text not in ("false", "no", "0")


LEADING = {"max": True, "argmax": True, "min": False, "argmin": False}
"""Functions that name what stands beside the greatest or least number of a table of two columns."""


def leaders(operation: Apply, outcome: Outcome) -> Cells | None:
    """What stands beside the greatest (or least) number in such a table as ``count_by`` makes.

    None where a function of values was given no such table, or a column is named.

    Raises:
        Refused: ``argmax`` of anything else.
    """
    table = outcome if isinstance(outcome, Table) and len(outcome.columns) == 2 else None
    numbers = [row[1] for row in table.rows] if table else []
    computed = all(isinstance(cell.computed, int | float) for cell in numbers)
    if table is None or not computed or column_named(operation):
        if operation.function in ("max", "min"):
            return None
        message = f"{operation.function} needs a table of two columns, as count_by makes it"
        raise Refused("no table", message)
    places, _ = extremes(numbers, LEADING[operation.function])
    return Cells(tuple(table.rows[place][0] for place in places))


def kept_rows(executor: Executor, operation: Apply, rows: Nodes, name: str) -> Program[Outcome]:
    """The rows whose cell in a column passes the tests."""
    cells = yield from executor.world.cells(
        (yield from executor.column(rows, name, operation.position))
    )
    for operator, bounds in (yield from executor.options(operation)).get("value", ()):
        places = selected(cells, operator, bounds, operation.position).places
        cells = tuple(cells[place] for place in places)
    return Nodes(tuple(dict.fromkeys(cell.row for cell in cells if cell.row is not None)))


def column_named(operation: Apply) -> str | None:
    """The column that a function is to look at, where one is named."""
    return next(
        (o.value.text for o in operation.options
         if o.name in ("column", "by") and isinstance(o.value, Name)), None,
    )  # fmt: skip
