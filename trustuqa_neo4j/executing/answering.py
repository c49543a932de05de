"""The last step's result → the answer: values or a table, and the facts that prove it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from ..answer import Evidence, Value
from ..compiling import Program, Read
from ..mapping import Candidate, Rung
from ..planning import Apply
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused, Table
from .applying import Executor
from .comparing import asked, named

SHOWN = 3
"""Members of each step that the trace names."""


@dataclass(frozen=True, slots=True)
class Final:
    """What the answer says: values, or columns with rows."""

    values: tuple[Value, ...]
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Proven:
    """The answer with the facts that prove it, and how many of these there are."""

    final: Final
    facts: list[Evidence]
    total: int


def answer_of(executor: Executor, last: Outcome, limit: int) -> Program[Proven]:
    """What ``last`` says to a person, and at most ``limit`` of the facts of all steps.

    Rows become the target's columns; names stay as they were loaded.
    """
    world = executor.world
    last = yield from _of_target(executor, last)
    shown = {number: _first(outcome) for number, outcome in world.results.items()}
    members = [node for some in shown.values() for node in some if isinstance(node, int)]
    wanted = dict.fromkeys((*(last.distinct if isinstance(last, Nodes) else ()), *members))
    known, facts = yield from _told(executor, tuple(wanted), limit)
    world.recorder.name(
        {
            number: tuple(known[m].text if isinstance(m, int) else m for m in some)
            for number, some in shown.items()
        }
    )
    if not isinstance(last, Nodes):
        return Proven(_computed(last), facts, len(world.used))
    places = [node for node in last.distinct if node in known]
    final: Final | None = None
    if any(known[node].position is not None for node in places):
        final = yield from _columns(executor, last, known)
    if final is None and all(known[node].position is not None for node in places):
        places.sort(key=lambda node: known[node].position or 0)
        final = Final(_distinct(known[node].text for node in places))
    if final is None:
        final = Final(tuple(sorted({known[node].text for node in places})))
    if len(facts) < min(limit, len(world.used)):
        _, facts = yield from _told(executor, (), limit)
    return Proven(final, facts, len(world.used))


def _of_target(executor: Executor, last: Outcome) -> Program[Outcome]:
    """The last result as far as the target type asks for something else.

    Cells that are rows, or that a condition chose, are those rows: the target's columns are asked of them.
    A truth is no answer where a thing is asked for; of an order between two, it is the one that comes first.

    Raises:
        Refused: a truth, where the target type asks for a thing.
    """
    world = executor.world
    if not isinstance(last, Cells) or not last.members:
        return last
    if all(cell.position is not None for cell in last.members):
        return Nodes(tuple(cell.node for cell in last.members if cell.node is not None))
    operation = world.operations[world.step]
    if not (isinstance(operation, Apply) and world.target):
        return last
    if isinstance(last.members[0].computed, bool) and asked(world) != "truth":
        found = Cells()
        if operation.function in _ORDERS:
            place = 0 if last.members[0].computed else 1
            found = yield from named(executor, operation, place, ())
        if not found.members:
            told = ", ".join(world.target)[:60]
            message = f"the last step is whether something holds, and the target type is {told!r}"
            raise Refused("unknown combination", message, operation.position)
        return found
    rows = tuple(dict.fromkeys(cell.row for cell in last.members if cell.row is not None))
    if operation.function != "if" or not rows:
        return last
    there = yield from executor.known_column(world.target[0])
    return Nodes(rows) if there else last


_ORDERS = frozenset(("<", "<=", ">", ">=", "greater_than", "less_than"))


def _told(
    executor: Executor, nodes: Sequence[int], limit: int
) -> Program[tuple[dict[int, Cell], list[Evidence]]]:
    """What nodes are called, and the facts of all steps, each once, at most ``limit`` of them."""
    steps = executor.world.used
    shown = list(islice(steps, limit))
    if not nodes and not shown:
        return {}, []
    given = {"nodes": list(nodes), "facts": shown}
    row = (yield from executor.world.read(Read("prove", given)))[0]
    positions = dict(row["rows"])
    known = {
        node: Cell(name, None, None, node, None, positions.get(node))
        for node, name in zip(row["ids"], row["names"], strict=True)
    }
    facts = row["facts"]
    facts.sort(key=lambda fact: (steps[fact["id"]], fact["source"], fact["file"], fact["line"]))
    return known, [Evidence(**{k: v for k, v in fact.items() if k != "id"}) for fact in facts]


def _computed(last: Cells | Table) -> Final:
    if isinstance(last, Cells):
        return Final(_distinct(_shown(cell) for cell in last.members))
    rows = tuple(tuple(map(_shown, row)) for row in last.rows)
    return Final(_distinct(value for row in rows for value in row), last.columns, rows)


def _columns(executor: Executor, rows: Nodes, known: dict[int, Cell]) -> Program[Final | None]:
    """Rows as the columns that the target names, else as the one that says what they are about."""
    columns: list[tuple[str, dict[int, list[Cell]]]] = []
    for target in (yield from _targets(executor)):
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


def _targets(executor: Executor) -> Program[list[str]]:
    names = executor.world.names
    found: list[str] = []
    for target in executor.world.target:
        known = yield from executor.known_column(target)
        found += [target] if known else []
    if not found and names.subject is not None:
        names.relations[names.subject] = (Rung("exact", (Candidate(names.subject),)),)
        found.append(names.subject)
    return found


def _shown(cell: Cell) -> Value:
    if cell.computed is None or isinstance(cell.computed, bool):
        return cell.text
    return cell.computed


def _distinct(values: object) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))  # type: ignore[call-overload]


def _first(outcome: Outcome) -> tuple[int | str, ...]:
    """The members of a step's result that the trace names: nodes, or texts."""
    if isinstance(outcome, Nodes):
        return tuple(islice(dict.fromkeys(outcome.ids), SHOWN))
    if isinstance(outcome, Cells):
        return tuple(cell.text[:100] for cell in outcome.members[:SHOWN])
    return tuple(", ".join(cell.text[:100] for cell in row) for row in outcome.rows[:SHOWN])


def told(outcome: Outcome) -> str:
    """The size of a step's result, for the trace."""
    if isinstance(outcome, Table):
        return f"a table of {len(outcome)} rows: {', '.join(outcome.columns)}"
    if isinstance(outcome, Cells):
        return f"{len(outcome)} {'value' if len(outcome) == 1 else 'values'}"
    distinct = len(set(outcome.ids))
    return (
        f"{distinct} {'node' if distinct == 1 else 'nodes'} by {len(outcome.ids)} "
        f"{'fact' if len(outcome.ids) == 1 else 'facts'}"
    )
