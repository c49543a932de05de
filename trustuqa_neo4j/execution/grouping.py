"""Groups of all rows of a long table, made by the database.

A table that is only made to be grouped need not be read: a statement for each column returns the number of
rows and the sum of each group. The result is that of ``reasoning.tables.group_rows``. Where this is not
certain (a row with several cells in a column, cells without a number, several units), or there are many
groups, the table is read after all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

from ..language.columns import Aggregate, find_aggregates
from ..matching import normalize_name
from ..model.facts import make_row_key
from ..planning.operations import GroupBy, Plan, PlanStep, StepResult, Traverse, walk_operations
from ..reads.reader import Row
from ..reasoning.results import Cell, Table, make_number
from .context import ExecutionContext
from .derivation import UnreadFacts
from .paths import make_rows
from .search import SearchRunner

MIN_ROWS = 20_000
"""Rows of a table that the database groups; the fewer are read as fast, and a trace shows them."""

EVIDENCE = 20
"""First rows of the table that are read as a proof, beside the first one of each group."""

MAX_GROUPS = 5_000
"""Groups whose first rows are read; with more, reading the table is as fast."""

_ADDITIONS = frozenset(("sum", "mean"))


def merge_grouped_tables(plan: Plan, context: ExecutionContext) -> Plan:
    """Put long tables that only a ``group_by`` uses into its step, so that they are not read."""
    tables = {step.number: step.operation for step in plan.steps}
    uses = [
        part.step
        for step in plan.steps
        for part in walk_operations(step.operation)
        if isinstance(part, StepResult)
    ]
    merged: set[int] = set()
    steps: list[PlanStep] = []
    for step in plan.steps:
        operation = step.operation
        if isinstance(operation, GroupBy) and isinstance(operation.of, StepResult):
            table = tables[operation.of.step]
            of_table = replace(operation, of=table)
            is_only_use = uses.count(operation.of.step) == 1
            if is_only_use and isinstance(table, Traverse) and _can_group(of_table, table, context):
                merged.add(operation.of.step)
                operation = of_table
        steps.append(PlanStep(step.number, operation))
    return replace(plan, steps=tuple(step for step in steps if step.number not in merged))


def _can_group(operation: GroupBy, table: Traverse, context: ExecutionContext) -> bool:
    """Return whether all rows of one long table are grouped by one column, for counts and sums of others."""
    names = context.names
    if context.evidence > EVIDENCE:  # more facts are to be shown than the groups leave
        return False
    if table.heads is not None or table.table is not None or names.source is None:
        return False
    if not names.is_table or len(context.datasets) != 1 or context.inference is not None:
        return False
    steps = [path.steps for path in table.paths]
    if any(len(path) != 1 or path[0].backwards or path[0].optional for path in steps):
        return False
    columns = _columns(operation, table)
    is_long = context.size(tuple(columns.values())) >= MIN_ROWS
    return is_long and len(operation.by) == 1 and _are_plain(operation, columns)


def _are_plain(operation: GroupBy, columns: Mapping[str, str]) -> bool:
    """Return whether all columns are needed, and each aggregate is a count of rows or a sum of one column."""
    (by,) = operation.by
    used = {by}
    for value in operation.values:
        if not isinstance(value, Aggregate):
            return False
        if value.column is None:
            continue
        if value.function not in _ADDITIONS or value.column == by:
            return False
        used.add(value.column)
    return used == columns.keys() and len(set(columns.values())) == len(columns)


def _columns(operation: GroupBy, table: Traverse) -> dict[str, str]:
    """Map the columns of ``table``, as ``operation`` writes them, to their relations in the query."""
    written = [*operation.by, *(a.column for a in find_aggregates(operation.values) if a.column)]
    by_name = {normalize_name(name): name for name in reversed(written)}
    return {
        by_name.get(normalize_name(path.name), path.name): path.steps[0].relation
        for path in table.paths
    }


def group_in_database(runner: SearchRunner, operation: GroupBy, table: Traverse) -> Table | None:
    """Return the groups; None if the table must be read to make them."""
    context = runner.context
    if not _can_group(operation, table, context):
        return None
    relations: dict[str, str] = {}
    for column, name in _columns(operation, table).items():
        tiers = context.names.relations.get(name, ())
        if not tiers or len(tiers[0].names) != 1:
            return None
        relations[column] = tiers[0].names[0]
    (by,) = operation.by
    groups: dict[str, Sequence[Row]] = {}
    for column in [name for name in relations if name != by] or [by]:
        rows = _read_groups(context, relations[by], None if column == by else relations[column])
        if len(rows) > MAX_GROUPS or not all(_is_certain(row, column != by) for row in rows):
            return None
        groups[column] = rows
    _record_facts(runner, table, list(relations).index(by), next(iter(groups.values())))
    return _make_table(context, operation, groups)


def _read_groups(context: ExecutionContext, by: str, value: str | None) -> list[Row]:
    (dataset,) = context.datasets
    return context.reader.run(
        "group_rows",
        dataset=dataset,
        source=context.names.source,
        relations=[by] if value is None else [by, value],
        by=by,
        value=value,
    )


def _is_certain(row: Row, has_numbers: bool) -> bool:
    if row["other_rows"]:
        return False
    if not has_numbers:
        return True
    return row["numbers"] == row["rows"] and len(row["units"]) <= 1 and isfinite(row["total"])


def _record_facts(runner: SearchRunner, table: Traverse, by: int, groups: Sequence[Row]) -> None:
    """Read the first rows of the table and of each group as a proof, and count the facts of the others."""
    context = runner.context
    source = context.names.source
    assert source is not None
    positions = {*range(1, EVIDENCE + 1), *(group["first"] for group in groups)}
    keys = [make_row_key(source, position) for position in sorted(positions)]
    parameters = {"datasets": context.datasets, "source": source, "relations": [], "names": []}
    rows = context.reader.run("resolve_names", **parameters, keys=keys)
    with context.derive(table) as derivation:
        shown = make_rows(runner, table, [row["id"] for row in rows if row["what"] == "key"])
        derivation.outcome = shown
    shown_rows = Counter(row[by].node for row in shown.rows)
    unread = UnreadFacts(
        {
            group["key"]: len(table.paths) * (group["rows"] - shown_rows[group["key"]])
            for group in groups
        }
    )
    context.pending_derivations[-1].unread = unread
    context.unread_facts += sum(unread.counts.values())


def _make_table(
    context: ExecutionContext, operation: GroupBy, groups: Mapping[str, Sequence[Row]]
) -> Table:
    rows_by_column = {name: {row["key"]: row for row in rows} for name, rows in groups.items()}
    first = next(iter(groups.values()))
    keys = context.values([row["key"] for row in first])

    def compute(value: Aggregate, key: int) -> Cell:
        if value.column is None:
            return make_number(next(iter(rows_by_column.values()))[key]["rows"])
        row = rows_by_column[value.column][key]
        return make_number(row["total"] if value.function == "sum" else row["total"] / row["rows"])

    values = [value for value in operation.values if isinstance(value, Aggregate)]
    return Table(
        (*operation.by, *(value.name for value in values)),
        tuple(
            (keys[row["key"]], *(compute(value, row["key"]) for value in values)) for row in first
        ),
    )
