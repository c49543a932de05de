"""Table functions: computed columns, groups, and rows that are filtered, sorted or counted.

A table has one row for each way along its paths. Equal rows are kept, since a sum counts each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..deadline import watch
from ..language.ast import ProblemKind
from ..language.columns import (
    AggregateExpression,
    ColumnReference,
    DaysBetween,
    Expression,
    FunctionCall,
    GroupValue,
    NumberLiteral,
)
from ..language.functions import TOTAL, get_row
from ..matching import normalize_name
from ..values import read_value
from . import arithmetic, sets
from .conditions import find_extremes, find_undecided_times, select_cells, sort_key
from .date_parts import DATE_PARTS
from .functions import NUMBER_AGGREGATES
from .notes import NoteCollector, NoteKind
from .results import Cell, Cells, EvaluationError, Table, make_number

TableRow: TypeAlias = "tuple[Cell, ...]"


def find_column(table: Table, name: str) -> int | None:
    """Find the index of the column ``name``: by exact name, else by normalized name."""
    if name in table.columns:
        return table.columns.index(name)
    names = [normalize_name(column) for column in table.columns]
    return names.index(normalize_name(name)) if normalize_name(name) in names else None


def require_column(table: Table, name: str, position: int | None) -> int:
    index = find_column(table, name)
    if index is None:
        message = f"the table has no column {name!r}; it has {', '.join(table.columns)}"
        raise EvaluationError(ProblemKind.UNKNOWN_COLUMN, message, position)
    return index


def select_columns(table: Table, indexes: Sequence[int]) -> Table:
    """Select columns in this order; rows that become equal are kept."""
    rows = tuple(tuple(row[index] for index in indexes) for row in table.rows)
    return Table(tuple(table.columns[index] for index in indexes), rows)


def add_computed_column(
    table: Table,
    expression: Expression,
    name: str,
    position: int,
) -> Table:
    """Add a column that is computed in each row; it is missing where an operand is missing."""
    compute = _compile(table, expression, position)
    computed = tuple((*row, compute(row)) for row in watch(table.rows))
    return Table((*table.columns, name), computed)


def read_constant(table: Table, name: str) -> Cell | None:
    """Read ``name`` as a number or date if no column has this name."""
    value = None if find_column(table, name) is not None else read_value(name)
    return None if value is None else Cell(name, value)


def _compile(table: Table, expression: Expression, position: int) -> Callable[[TableRow], Cell]:
    if isinstance(expression, NumberLiteral):
        number = make_number(expression.value)
        return lambda row: number  # noqa: ARG005
    if isinstance(expression, ColumnReference):
        constant = read_constant(table, expression.name)
        if constant is not None:
            return lambda row: constant  # noqa: ARG005
        index = require_column(table, expression.name, position)
        return lambda row: row[index]
    if isinstance(expression, FunctionCall):
        operand = _compile(table, expression.of, position)
        function, digits = _FUNCTIONS.get(expression.function), expression.digits
        if function is None:
            return lambda row: _apply(
                lambda cell: arithmetic.round_number(cell, digits, position), operand(row)
            )
        return lambda row: _apply(lambda cell: function(cell, position), operand(row))
    if isinstance(expression, DaysBetween):
        operands = expression.start, expression.end
        operator: Callable[[Cell, Cell, int], Cell] = arithmetic.count_days_between
    else:
        operands = expression.left, expression.right
        operator = _OPERATORS[expression.operator]
    first, second = (_compile(table, operand, position) for operand in operands)
    return lambda row: _apply(lambda a, b: operator(a, b, position), first(row), second(row))


def _apply(compute: Callable[..., Cell], *cells: Cell) -> Cell:
    return Cell("") if any(cell.is_missing for cell in cells) else compute(*cells)


_OPERATORS: dict[str, Callable[[Cell, Cell, int], Cell]] = {
    "+": lambda a, b, position: NUMBER_AGGREGATES[TOTAL]((a, b), position)[0],
    "-": arithmetic.subtract_numbers,
    "*": lambda a, b, position: arithmetic.multiply_numbers((a, b), position),
    "/": arithmetic.divide_numbers,
}

_FUNCTIONS: dict[str, Callable[[Cell, int], Cell]] = {
    **DATE_PARTS,
    "abs": arithmetic.make_absolute,
}
"""Functions of one cell; ``round`` has decimals beside it."""


def group_rows(
    table: Table,
    by: Sequence[str],
    values: Sequence[GroupValue],
    position: int,
    notes: NoteCollector | None = None,
) -> Table:
    """Make one row for each combination of values in the columns ``by``, in order of occurrence.

    Without ``by`` all rows are one group.
    """
    indexes = [require_column(table, name, position) for name in by]
    groups: dict[tuple[object, ...], list[TableRow]] = {}
    for row in watch(table.rows):
        groups.setdefault(tuple(row[index].identity for index in indexes), []).append(row)
    notes = notes or NoteCollector()
    functions = [_compile_aggregate(table, value, position, notes) for value in values]
    grouped = tuple(
        (*(group[0][index] for index in indexes), *(compute(group) for compute in functions))
        for group in watch(groups.values())
    )
    names = (*(table.columns[index] for index in indexes), *(value.name for value in values))
    return Table(names, grouped)


def _compile_aggregate(
    table: Table, aggregate: GroupValue, position: int, notes: NoteCollector
) -> Callable[[Sequence[TableRow]], Cell]:
    if isinstance(aggregate, AggregateExpression):
        parts = [_compile_aggregate(table, part, position, notes) for part in aggregate.parts]
        results = Table(tuple(part.name for part in aggregate.parts))
        compute = _compile(results, aggregate.expression, position)
        return lambda rows: compute(tuple(part(rows) for part in parts))
    function = aggregate.function
    if aggregate.column is None:
        return lambda rows: make_number(len(rows))
    expression = aggregate.expression
    if expression is None or find_column(table, aggregate.column) is not None:
        expression = ColumnReference(aggregate.column)
    compute_cell = _compile(table, expression, position)
    cells = [cell for cell in map(compute_cell, watch(table.rows)) if not cell.is_missing]
    _note_skipped(function, cells, position, notes)
    return lambda rows: _aggregate(function, [compute_cell(row) for row in watch(rows)], position)


def _note_skipped(
    function: str, cells: Sequence[Cell], position: int, notes: NoteCollector
) -> None:
    """Note the cells of all groups that an aggregate skips; a column without a number has no sum."""
    upper = get_row(function).upper
    if upper is not None:
        find_extremes(cells, upper).add_notes(notes, cells)
    elif function in NUMBER_AGGREGATES and cells:
        numbers = [cell for cell in cells if arithmetic.is_number(cell)]
        if not numbers:
            NUMBER_AGGREGATES[function](cells, position)  # raises
        # Their rows are in the groups all the same, and so are the facts of these.
        others = [cell for cell in cells if not arithmetic.is_number(cell)]
        notes.add_cells(NoteKind.NOT_A_NUMBER, others, len(cells))


def _aggregate(function: str, cells: Sequence[Cell], position: int) -> Cell:
    """Aggregate the cells that are not missing; without any, only counts have a value."""
    cells = [cell for cell in cells if not cell.is_missing]
    if function == "count":
        return make_number(len(cells))
    if function == "count_distinct":
        return make_number(len(sets.distinct_cells(cells)))
    if not cells:
        return Cell("")
    upper = get_row(function).upper
    if upper is not None:
        places = find_extremes(cells, upper).places
        return cells[places[0]] if places else Cell("")
    if not any(map(arithmetic.is_number, cells)):
        return Cell("")
    total, _ = NUMBER_AGGREGATES[function](cells, position)
    return arithmetic.restore_unit(total, cells, arithmetic.choose_unit(cells))


def filter_rows(
    table: Table,
    name: str | None,
    conditions: Sequence[tuple[str, Sequence[Cell]]],
    position: int,
    notes: NoteCollector | None = None,
    *,
    by_name: bool = True,
) -> Table:
    """Keep the rows whose cells fulfil conditions; without ``by_name``, homonyms are not the same."""
    if name is None and len(table.columns) != 1:
        message = f"keep needs a column of the table: {', '.join(table.columns)}"
        raise EvaluationError(ProblemKind.UNKNOWN_COLUMN, message, position)
    index = 0 if name is None else require_column(table, name, position)
    rows = table.rows
    for operator, bounds in conditions:
        cells = [row[index] for row in rows]
        selected = select_cells(cells, operator, bounds, position, by_name=by_name)
        selected.add_notes(notes or NoteCollector(), cells)
        rows = tuple(rows[place] for place in selected.places)
    return Table(table.columns, rows)


def sort_rows(
    table: Table,
    name: str | None,
    descending: bool,
    position: int,
    notes: NoteCollector | None = None,
) -> Table:
    """Sort rows by a column: by value, or by text if there is no value; rows without one come last."""
    index = 0 if name is None else require_column(table, name, position)
    cells = [row[index] for row in table.rows]
    keys: list[object]
    if readable := [cell for cell in cells if cell.value is not None]:
        notes = notes or NoteCollector()
        rest = [cell for cell in cells if cell.value is None and not cell.is_missing]
        notes.add_cells(NoteKind.NOT_SORTABLE, rest, len(cells))
        notes.add_cells(NoteKind.TIME_OF_DAY, find_undecided_times(cells), len(cells))
        key = sort_key(readable)
        keys = [None if cell.value is None else key(cell) for cell in watch(cells)]
    else:
        keys = [None if cell.is_missing else cell.text.casefold() for cell in watch(cells)]
    pairs = list(zip(keys, table.rows, strict=True))
    with_key = [pair for pair in pairs if pair[0] is not None]
    with_key.sort(key=lambda pair: pair[0], reverse=descending)  # type: ignore[arg-type, return-value]
    last = (row for key, row in pairs if key is None)
    return Table(table.columns, (*(row for _, row in with_key), *last))


def distinct_rows(table: Table) -> Table:
    rows: dict[tuple[object, ...], TableRow] = {}
    for row in watch(table.rows):
        rows.setdefault(tuple(cell.identity for cell in row), row)
    return Table(table.columns, tuple(rows.values()))


def count_rows(table: Table, distinct: bool | None) -> Cells:
    """Count the members of a table with one column, or the rows of a table with several.

    If ``distinct`` is None, equal members count once, and equal rows each.
    """
    if len(table.columns) == 1:
        members = table.bag(0)
        return Cells(
            (make_number(len(members if distinct is False else sets.distinct_cells(members))),)
        )
    return Cells((make_number(len(distinct_rows(table) if distinct else table)),))
