"""The last step's result → the answer: values or a table, and the facts that prove it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..answer import Evidence, Value
from ..compiling import Program, Read
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Table
from .applying import Executor
from .world import nodes_of

SHOWN = 3
"""Members of each step that the trace names."""


@dataclass(frozen=True, slots=True)
class Final:
    """What the answer says: values, or columns with rows."""

    values: tuple[Value, ...]
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None


def answer_of(executor: Executor, last: Outcome) -> Program[Final]:
    """What ``last`` says to a person: rows as the target's columns, names as they were loaded."""
    world = executor.world
    if isinstance(last, Table):
        rows = tuple(tuple(map(_shown, row)) for row in last.rows)
        if len(last.columns) == 1:
            return Final(_distinct(value for row in rows for value in row), last.columns, rows)
        return Final(_distinct(value for row in rows for value in row), last.columns, rows)
    if isinstance(last, Cells):
        return Final(_distinct(_shown(cell) for cell in last.members))
    known = yield from world.values(last.distinct)
    places = [node for node in last.distinct if node in known]
    if any(known[node].position is not None for node in places) and world.target:
        found = yield from _columns(executor, last, known)
        if found is not None:
            return found
    if all(known[node].position is not None for node in places):
        places.sort(key=lambda node: known[node].position or 0)
        return Final(_distinct(known[node].text for node in places))
    return Final(tuple(sorted({known[node].text for node in places})))


def _columns(executor: Executor, rows: Nodes, known: dict[int, Cell]) -> Program[Final | None]:
    """Rows as the columns that the target names; None where it names none of them."""
    columns: list[tuple[str, dict[int, list[Cell]]]] = []
    for target in executor.world.target:
        if not (yield from executor.known_column(target)):
            continue
        nodes = yield from executor.column(rows, target, None)
        cells = yield from executor.world.cells(nodes)
        by_row: dict[int, list[Cell]] = {}
        for cell in cells:
            if cell.row is not None:
                by_row.setdefault(cell.row, []).append(cell)
        name = executor.world.names.relations[target][0].names[0]
        columns.append((name, by_row))
    if not columns:
        return None
    order = sorted(dict.fromkeys(rows.ids), key=lambda node: known[node].position or 0)
    if len(columns) == 1:
        by_row = columns[0][1]
        return Final(_distinct(c.text for node in order for c in by_row.get(node, ())))
    table = tuple(
        tuple(", ".join(c.text for c in by_row.get(node, ())) for _, by_row in columns)
        for node in order
    )
    names = tuple(name for name, _ in columns)
    return Final(_distinct(value for row in table for value in row), names, table)


def _shown(cell: Cell) -> Value:
    if cell.computed is None or isinstance(cell.computed, bool):
        return cell.text
    return cell.computed


def _distinct(values: object) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))  # type: ignore[call-overload]


def prove(executor: Executor, limit: int) -> Program[tuple[list[Evidence], int]]:
    """The facts of all steps, each once, at most ``limit`` of them; and how many there are."""
    steps = executor.world.used
    shown = list(steps)[:limit]
    if not shown:
        return [], len(steps)
    rows = yield from executor.world.read(Read("evidence", {"facts": shown}))
    rows.sort(key=lambda row: (steps[row["id"]], row["source"], row["file"], row["line"]))
    return [Evidence(**{k: v for k, v in row.items() if k != "id"}) for row in rows], len(steps)


def told(outcome: Outcome) -> str:
    """The size of a step's result, for the trace."""
    if isinstance(outcome, Table):
        return f"a table of {len(outcome)} rows: {', '.join(outcome.columns)}"
    if isinstance(outcome, Cells):
        members: Sequence[Cell] = outcome.members
        first = ", ".join(repr(cell.text[:60]) for cell in members[:SHOWN])
        return f"{len(members)} values" + (f": {first}" if first else "")
    distinct = len(set(outcome.ids))
    return f"{distinct} nodes by {len(outcome.ids)} facts"


def first_members(outcome: Outcome) -> tuple[int, ...]:
    """The nodes of a step's result that the trace names."""
    return tuple(dict.fromkeys(nodes_of(outcome).ids))[:SHOWN] if isinstance(outcome, Nodes) else ()
