"""The ends of a sorted column: plans that use only some extreme numbers of a long column.

``first`` and ``last`` of a sorted column need a few members. The database finds the number that bounds them,
and the facts of the other members are not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..language.functions import DESCENDING, DISTINCT, get_row
from ..planning.operations import (
    Apply,
    Constant,
    Operation,
    Plan,
    Search,
    StepResult,
    walk_operations,
)
from ..values import read_value
from .context import LIMIT, ColumnEnd, ExecutionContext
from .grouping import find_long_column, is_one_table

MAX_MEMBERS = 100
"""Members that ``first`` or ``last`` takes of a sorted column whose other facts are not read."""


def find_column_ends(plan: Plan, context: ExecutionContext) -> dict[Search, ColumnEnd]:
    """Find searches of whole columns of numbers of which only some extreme members are used."""
    operations = [part for step in plan.steps for part in walk_operations(step.operation)]
    ends: dict[Search, ColumnEnd] = {}
    for take in operations:
        size = _read_size(take)
        if size is None:
            continue
        *inputs, search = _trace_inputs(take, plan, operations)
        order = _read_order(inputs)
        if order is None or not isinstance(search, Search) or operations.count(search) > 1:
            continue
        if _is_column_of_numbers(search, context):
            assert isinstance(take, Apply)
            is_upper = (order == DESCENDING) != get_row(take.function).from_end
            is_distinct = any(i.function == DISTINCT for i in inputs if isinstance(i, Apply))
            ends[search] = ColumnEnd(size, is_upper, is_distinct)
    return ends


def _trace_inputs(
    operation: Operation, plan: Plan, operations: list[Operation]
) -> Iterator[Operation | None]:
    """Yield the one input of ``operation``, the input of that, and so on; None for what others use too."""
    steps = {step.number: step.operation for step in plan.steps}
    uses = Counter(part.step for part in operations if isinstance(part, StepResult))
    uses[plan.steps[-1].number] += 1
    while isinstance(operation, Apply) and len(operation.operands) == 1:
        operation = operation.operands[0]
        while isinstance(operation, StepResult):
            if uses[operation.step] != 1:
                yield None
                return
            operation = steps[operation.step]
        yield operation


def _read_size(operation: Operation) -> int | None:
    """Return how many members ``first`` or ``last`` takes; None for other operations, or too many."""
    if not isinstance(operation, Apply) or get_row(operation.function).from_end is None:
        return None
    if len(operation.operands) != 1:
        return None
    if not operation.options:
        return 1
    option, *further = operation.options
    if further or option.name != "number" or not isinstance(option.value, Constant):
        return None
    value = read_value(option.value.text)
    number = 0.0 if value is None or value.number is None else value.number
    return int(number) if number.is_integer() and 1 <= number <= MAX_MEMBERS else None


def _read_order(inputs: list[Operation | None]) -> str | None:
    """Return the order of the one ``sort``; None if it names a column, or there are other functions."""
    order: str | None = None
    for operation in inputs:
        if not isinstance(operation, Apply) or operation.function not in ("sort", DISTINCT):
            return None
        if operation.function == DISTINCT:
            if operation.options:
                return None
            continue
        if order is not None or len(operation.options) > 1:
            return None
        order = ""
        for option in operation.options:
            if option.name != "order" or not isinstance(option.value, Constant):
                return None
            order = option.value.text
    return order


def _is_column_of_numbers(search: Search, context: ExecutionContext) -> bool:
    if not is_one_table(context):
        return False
    if search != Search("tails", search.position, search.relations) or len(search.relations) != 1:
        return False
    column = find_long_column(context, search)
    if column is None or context.size(column.names) > LIMIT:
        return False
    return context.has_numbers_only(column.names)
