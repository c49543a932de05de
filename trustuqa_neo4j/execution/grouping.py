"""Groups and totals of all rows of a long table, made by the database.

A table that is only made to be grouped, or a column (of all rows, or of those of a step) to be added up or
counted, need not be read: a statement counts the rows of each group, and one for each column adds up its
numbers. The results are those of ``reasoning``. Where this is not certain (a row without exactly one cell in
a column, cells without a number, several units), the table is read after all. As a proof, a few rows are
read, of groups only those of the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from math import isfinite
from typing import NamedTuple, TypeGuard

from ..deadline import watch
from ..language.columns import Aggregate, find_aggregates
from ..language.functions import MODE, get_row
from ..matching import MatchTier, normalize_name
from ..model.facts import make_row_key
from ..planning.operations import (
    Apply,
    Calculate,
    Constant,
    GroupBy,
    Operation,
    Plan,
    PlanStep,
    Search,
    StepResult,
    Traverse,
    walk_operations,
)
from ..reads.reader import Row
from ..reasoning.arithmetic import is_restorable, restore_unit
from ..reasoning.results import Cell, Cells, Nodes, Table, make_number
from .context import ExecutionContext
from .derivation import Facts, UnreadFacts
from .paths import make_rows
from .search import SearchRunner

MIN_ROWS = 20_000
"""Rows of a table that the database groups; the fewer are read as fast, and a trace shows them."""

MIN_HEADS = 1_000
"""Rows of a step whose cells the database adds up."""

EVIDENCE = 20
"""Rows of the table, and groups, whose first rows are read as a proof."""


class RowGroup(NamedTuple):
    """The rows with one node in the column that groups: their number, and the position of the first."""

    key: int
    rows: int
    first: int


class ColumnTotal(NamedTuple):
    """A number computed from ``cells`` cells of a column; the facts of ``shown_rows`` are its proof.

    ``rows`` are those of the step whose cells were added up; empty for a whole column.
    """

    number: Cell
    cells: int
    shown_rows: Sequence[int]
    rows: AbstractSet[int] = frozenset()


def merge_scans(plan: Plan, context: ExecutionContext) -> Plan:
    """Put tables and columns that only one step groups or adds up into it, so that they are not read."""
    scans = {step.number: step.operation for step in plan.steps}
    uses = Counter(
        part.step
        for step in plan.steps
        for part in walk_operations(step.operation)
        if isinstance(part, StepResult)
    )
    merged: set[int] = set()
    steps: list[PlanStep] = []
    for step in plan.steps:
        operation, used = step.operation, _scanned_step(step.operation)
        if used is not None and uses[used] == 1:
            of_scan = _merge(operation, scans[used], plan, context)
            if of_scan is not None:
                merged.add(used)
                operation = of_scan
            if _is_leading(operation):
                context.leading_groups[used] = bool(get_row(operation.function).upper)
        steps.append(PlanStep(step.number, operation))
    return replace(plan, steps=tuple(step for step in steps if step.number not in merged))


def _scanned_step(operation: Operation) -> int | None:
    """Return the step that ``operation`` groups or adds up as a whole."""
    source: Operation | None = None
    if isinstance(operation, GroupBy):
        source = operation.of
    elif isinstance(operation, Apply) and len(operation.operands) == 1:
        source = operation.operands[0]
    return source.step if isinstance(source, StepResult) else None


def _is_leading(operation: Operation) -> TypeGuard[Apply]:
    """Return whether ``operation`` uses only the greatest or least group of a table."""
    if not isinstance(operation, Apply) or operation.options:
        return False
    return get_row(operation.function).upper is not None


def _merge(
    operation: Operation, scan: Operation, plan: Plan, context: ExecutionContext
) -> GroupBy | Apply | None:
    """Return ``operation`` of the scan itself, if the database can do both; else None."""
    if isinstance(operation, GroupBy) and isinstance(scan, Traverse):
        of_table = replace(operation, of=scan)
        return of_table if _can_group(of_table, scan, context) else None
    if isinstance(operation, Apply) and isinstance(scan, Search):
        of_column = replace(operation, operands=(scan,))
        is_alone = scan.heads is None or _is_only_use(scan, plan, context)
        is_scanned = is_alone and _find_scanned_column(of_column, scan, context) is not None
        return of_column if is_scanned else None
    return None


def _is_only_use(search: Search, plan: Plan, context: ExecutionContext) -> bool:
    """Return whether no other operation of the plan can read facts of the search's column."""
    column = _find_column(context, search)
    names = set() if column is None else set(column.names)
    uses = 0
    for step in plan.steps:
        for part in walk_operations(step.operation):
            if isinstance(part, Calculate | GroupBy) or (
                isinstance(part, Search) and not part.relations
            ):
                return False
            if isinstance(part, Constant):
                tiers = context.names.relations.get(part.text, ())
                uses += any(names & set(tier.names) for tier in tiers)
    return uses == 1


def is_one_table(context: ExecutionContext) -> bool:
    """Return whether the query is about one table, whose facts are as they were loaded."""
    names = context.names
    is_alone = len(context.datasets) == 1 and context.inference is None
    return names.is_table and names.source is not None and is_alone


def _can_be_proven(context: ExecutionContext) -> bool:
    """Return whether no more facts are to be shown than are read as a proof."""
    return context.evidence <= EVIDENCE and is_one_table(context)


def _find_scanned_column(
    operation: Apply, search: Search, context: ExecutionContext
) -> MatchTier | None:
    """Return the column that ``operation`` adds up or counts, or whose most frequent cells it finds.

    It is the column of all rows, or of the rows of one step; None if the database cannot do it.
    """
    function = operation.function
    is_computed = function == "count" or get_row(function).of_total is not None
    is_computed |= function == MODE and search.heads is None
    if not is_computed or operation.options or not _can_be_proven(context):
        return None
    if search != Search("tails", search.position, search.relations, search.heads):
        return None
    has_steps = all(isinstance(head, StepResult) for head in search.heads or ())
    if len(search.relations) != 1 or len(search.heads or (None,)) != 1 or not has_steps:
        return None
    return find_long_column(context, search)


def find_long_column(context: ExecutionContext, search: Search) -> MatchTier | None:
    """Return the one column that a search means; None if the table is short, or there are several."""
    column = _find_column(context, search)
    is_long = column is not None and context.size(column.names) >= MIN_ROWS
    return column if is_long else None


def _find_column(context: ExecutionContext, search: Search) -> MatchTier | None:
    """Return the one column that a search means; a search may be of several relations, or of any."""
    relation = search.relations[0] if len(search.relations) == 1 else None
    if not isinstance(relation, Constant) or context.names.is_row_number(relation.text):
        return None
    tiers = context.names.relations.get(relation.text, ())
    return tiers[0] if tiers and len(tiers[0].names) == 1 else None


def _can_group(operation: GroupBy, table: Traverse, context: ExecutionContext) -> bool:
    """Return whether all rows of one long table are grouped by one column, for counts and sums of others."""
    if table.heads is not None or table.table is not None or not _can_be_proven(context):
        return False
    steps = [path.steps for path in table.paths]
    if any(len(path) != 1 or path[0].backwards or path[0].optional for path in steps):
        return False
    columns = _columns(operation, table)
    is_long = context.size(tuple(columns.values())) >= MIN_ROWS
    return is_long and len(operation.by) == 1 and _are_plain(operation, columns)


def _are_plain(operation: GroupBy, columns: Mapping[str, str]) -> bool:
    """Return whether each aggregate is a count of rows or a sum of one column."""
    (by,) = operation.by
    used = {by}
    for value in operation.values:
        if not isinstance(value, Aggregate):
            return False
        if value.column is None:
            continue
        if get_row(value.function).of_total is None or value.column == by:
            return False
        used.add(value.column)
    return used <= columns.keys() and len(set(columns.values())) == len(columns)


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
    shapes = _read_shapes(context, list(relations.values()))
    counts = {shape[count] for shape in shapes.values() for count in ("cells", "rows")}
    if len(counts) != 1 or len(shapes) != len(relations):
        return None
    (size,) = counts
    numbers = {column: shapes[name]["number"] for column, name in relations.items()}
    summed = {aggregate.column for aggregate in find_aggregates(operation.values)}
    totals: dict[str, Mapping[int, float]] = {}
    # Columns with so many common rows have a cell each in the same rows.
    for column in relations.keys() - {by}:
        if column in summed:
            if shapes[relations[column]]["numbers"] != size:
                return None
            sums = _read_totals(context, size, numbers[by], numbers[column])
            if sums is None:
                return None
            totals[column] = sums
        elif _count_common_rows(context, numbers[by], numbers[column]) != size:
            return None
    groups = _read_groups(context, numbers[by])
    _record_facts(runner, table, list(relations).index(by), groups)
    return _make_table(context, operation, groups, totals)


def _read_shapes(context: ExecutionContext, relations: Sequence[str]) -> dict[str, Row]:
    (dataset,) = context.datasets
    rows = context.reader.run(
        "column_shapes", dataset=dataset, source=context.names.source, relations=relations
    )
    return {row["relation"]: row for row in rows}


def _count_common_rows(context: ExecutionContext, first: int, second: int) -> int:
    pairs: int = context.reader.run("count_common_rows", first=first, second=second)[0]["pairs"]
    return pairs


def _read_groups(context: ExecutionContext, by: int) -> dict[int, RowGroup]:
    """Return the groups by their nodes, in the order of their first rows."""
    columns = context.reader.run("count_groups", by=by)[0]
    groups = map(RowGroup, columns["keys"], columns["rows"], columns["firsts"])
    return {group.key: group for group in sorted(groups, key=lambda group: group.first)}


def _read_totals(
    context: ExecutionContext, size: int, by: int, value: int
) -> Mapping[int, float] | None:
    """Return the sums of a column by group; None if rows have no number, several units, or one to write."""
    columns = context.reader.run("sum_groups", by=by, value=value)[0]
    is_certain = sum(columns["rows"]) == size and columns["rows"] == columns["numbers"]
    if not is_certain or columns["units"] > 1 or not all(map(isfinite, columns["totals"])):
        return None
    if any(map(is_restorable, columns["names"])):
        return None
    return dict(zip(columns["keys"], columns["totals"], strict=True))


def scan_in_database(runner: SearchRunner, operation: Apply) -> Cells | None:
    """Return the sum, mean, count or mode of a column; None for others, or if the column must be read."""
    context = runner.context
    search = operation.operands[0] if operation.operands else None
    if not isinstance(search, Search):
        return None
    column = _find_scanned_column(operation, search, context)
    if column is None:
        return None
    if operation.function == MODE:
        cells = _find_mode(context, search, column)
    else:
        cells = _compute_number(operation, search, context, column)
    if cells is not None:
        (relation,) = search.relations
        assert isinstance(relation, Constant)
        context.names.matches += column.mapped(relation.text)
    return cells


def _find_mode(context: ExecutionContext, search: Search, column: MatchTier) -> Cells | None:
    """Return the most frequent cells, with all their facts as a proof; None if each is in one row."""
    (name,) = column.names
    shape = _read_shapes(context, [name])[name]
    groups = _read_groups(context, shape["number"])
    most = max(group.rows for group in groups.values())
    if most == 1 or shape["cells"] != shape["rows"]:
        return None
    keys = [group.key for group in groups.values() if group.rows == most]
    with context.derive(search) as derivation:
        facts = context.facts_to(keys, (name,))
        context.record_facts(facts)
        derivation.outcome = Nodes(facts.tails, facts.heads)
    context.leave_unread(column.names)
    rows = dict(zip(reversed(facts.tails), reversed(facts.heads), strict=True))
    cells = context.values(keys)
    return Cells(tuple(replace(cells[key], row=rows[key]) for key in keys))


def _compute_number(
    operation: Apply, search: Search, context: ExecutionContext, column: MatchTier
) -> Cells | None:
    """Return the sum, mean or count of a column, with the facts of its first rows as a proof."""
    if search.heads is not None:
        total = _add_up_rows(operation, search, context, column)
    elif operation.function == "count":
        total = _count_values(context, column)
    else:
        total = _add_up(operation, context, column)
    if total is None:
        return None
    facts = context.facts_from(total.shown_rows, column.names)
    if get_row(operation.function).of_total is not None:
        # A column of times gives a time, such as 4:15, if all its cells are times.
        with_unit = restore_unit(total.number, context.tail_cells(facts))
        if with_unit != total.number:
            return None
    _record_column(context, search, facts, total)
    return Cells((total.number,))


def _count_values(context: ExecutionContext, column: MatchTier) -> ColumnTotal | None:
    count = context.reader.run("count_values", **_parameters(context, column))[0]
    if not count["cells"]:
        return None
    return ColumnTotal(make_number(count["values"]), count["cells"], _find_first_rows(context))


def _add_up(operation: Apply, context: ExecutionContext, column: MatchTier) -> ColumnTotal | None:
    total = context.reader.run("column_total", **_parameters(context, column))[0]
    number = _compute_total(operation, total)
    if number is None:
        return None
    return ColumnTotal(number, total["cells"], _find_first_rows(context))


def _add_up_rows(
    operation: Apply, search: Search, context: ExecutionContext, column: MatchTier
) -> ColumnTotal | None:
    """Add up or count the cells of the rows of a step; None if they are few, or no rows."""
    assert search.heads is not None
    (step,) = search.heads
    assert isinstance(step, StepResult)
    rows = context.results[step.step]
    if not isinstance(rows, Nodes) or len(rows) < MIN_HEADS:
        return None
    parameters = _parameters(context, column)
    total = context.reader.run("total_of_rows", nodes=list(rows.distinct), **parameters)[0]
    heads = set(total["heads"])
    if not heads or len(heads) != total["cells"]:
        return None
    is_count = operation.function == "count"
    number = make_number(total["values"]) if is_count else _compute_total(operation, total)
    if number is None:
        return None
    shown_rows = [row for row in rows.distinct if row in heads][:EVIDENCE]
    return ColumnTotal(number, total["cells"], shown_rows, heads)


def _parameters(context: ExecutionContext, column: MatchTier) -> dict[str, str | None]:
    (dataset,), (name,) = context.datasets, column.names
    return {"dataset": dataset, "source": context.names.source, "relation": name}


def _compute_total(operation: Apply, total: Row) -> Cell | None:
    """Return the sum or mean; None if there are cells without a number, units, or no cells."""
    is_certain = total["cells"] == total["numbers"] and not total["units"]
    if not is_certain or not total["cells"] or not isfinite(total["total"]):
        return None
    compute = get_row(operation.function).of_total
    assert compute is not None
    return make_number(compute(total["total"], total["cells"]))


def _record_column(
    context: ExecutionContext, search: Search, facts: Facts, total: ColumnTotal
) -> None:
    """Record the facts of a column: those that were read as a proof, and the number of all."""
    with context.derive(search) as derivation:
        for head in search.heads or ():
            assert isinstance(head, StepResult)
            context.use_step(head)
        context.record_facts(facts)
        derivation.outcome = Nodes(facts.tails, facts.heads)
        derivation.unread_heads = total.rows
    unread = total.cells - len(facts)
    if search.heads is None:
        context.leave_unread(facts.relations)
    else:
        context.unread_facts += unread
    context.pending_derivations[-1].unread = UnreadFacts({0: unread}, lambda _: None)


def _record_facts(
    runner: SearchRunner, table: Traverse, by: int, groups: Mapping[int, RowGroup]
) -> None:
    """Leave the facts in the database; the proof reads those of the first rows that it needs."""
    context = runner.context
    width = len(table.paths)
    counts = {key: width * group.rows for key, group in groups.items()}
    context.unread_facts += sum(counts.values())
    with context.derive(table) as derivation:
        pass

    def read(needed: set[int] | None) -> None:
        keys = [key for key in groups if needed is None or key in needed]
        firsts = (groups[key].first for key in keys[:EVIDENCE])
        heads = _find_rows(context, sorted({*range(1, EVIDENCE + 1), *firsts}))
        with context.resume(derivation):
            shown = derivation.outcome = make_rows(runner, table, heads)
        for row in shown.rows:
            node = row[by].node
            if node in counts:
                counts[node] -= width
        context.unread_facts -= width * len(shown)

    context.pending_derivations[-1].unread = UnreadFacts(counts, read)


def _find_first_rows(context: ExecutionContext) -> list[int]:
    return _find_rows(context, range(1, EVIDENCE + 1))


def _find_rows(context: ExecutionContext, positions: Iterable[int]) -> list[int]:
    source = context.names.source
    assert source is not None
    keys = [make_row_key(source, position) for position in positions]
    rows = context.reader.run(
        "resolve_names",
        datasets=context.datasets,
        source=source,
        relations=[],
        names=[],
        keys=keys,
        steps=[],
    )
    return [row["id"] for row in rows if row["what"] == "key"]


def _make_table(
    context: ExecutionContext,
    operation: GroupBy,
    groups: Mapping[int, RowGroup],
    totals: Mapping[str, Mapping[int, float]],
) -> Table:
    values = [value for value in operation.values if isinstance(value, Aggregate)]

    def compute(value: Aggregate, group: RowGroup) -> float:
        if value.column is None:
            return group.rows
        of_total = get_row(value.function).of_total
        assert of_total is not None
        return of_total(totals[value.column][group.key], group.rows)

    shown = list(groups.values())
    is_upper = context.leading_groups.get(context.step)
    if is_upper is not None and len(values) == 1 and shown:
        # Only the greatest or least group is used: the names of the others are not read.
        extreme = (max if is_upper else min)(compute(values[0], group) for group in watch(shown))
        shown = [group for group in shown if compute(values[0], group) == extreme]
    keys = context.values([group.key for group in shown])
    return Table(
        (*operation.by, *(value.name for value in values)),
        tuple(
            (keys[group.key], *(make_number(compute(value, group)) for value in values))
            for group in watch(shown)
        ),
    )
