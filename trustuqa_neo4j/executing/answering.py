"""The last step's result → the answer: values or a table, and the facts that prove it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from ..answer import Evidence, Value
from ..compiling import Program, Read
from ..mapping import Candidate, Rung
from ..planning import Apply, Members, Name, Search
from ..reasoning import tables
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused, Table
from .applying import Executor
from .comparing import ORDERS, asked, named

TARGET = 0.29
"""Below this score a target type is the nearest column only if numbers are asked for."""

_NUMBERS = re.compile(r"\b(?:number|total|amount|count|sum|score|points?)\b", re.IGNORECASE)

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
        return Proven(_computed(_chosen(last, world.target)), facts, len(world.used))
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

    Cells that are rows, or that a condition or an extreme chose, are those rows: the target's columns are
    asked of them. A truth is no answer where a thing is asked for; of an order between two, it is the one
    that comes first.

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
    if isinstance(last.members[0].computed, bool):
        return (yield from _of_truth(executor, operation, last))
    if operation.function == "year" and len({cell.text for cell in last.members}) > 1:
        message = (
            f"the last step is the years of {len(last)} dates, and nothing says which is asked for"
        )
        raise Refused("not one value", message, operation.position)
    rows = tuple(dict.fromkeys(cell.row for cell in last.members if cell.row is not None))
    if not rows or operation.function not in ("if", "max", "min"):
        return last
    several = len(operation.operands) > 1 or isinstance(operation.operands[0], Members)
    if operation.function == "if":
        there = yield from executor.known_column(world.target[0])
    elif several:
        column = yield from executor.near_column(world.target[0])
        there = column not in (yield from _columns_of(executor, operation))
    else:
        there = False
    return Nodes(rows) if there else last


def _of_truth(executor: Executor, operation: Apply, last: Cells) -> Program[Outcome]:
    """What a truth says where something is asked for.

    Raises:
        Refused: it does not say it.
    """
    world = executor.world
    told = ", ".join(world.target)[:60]
    said = world.origin(operation.operands[0]) if operation.function == "holds" else operation
    message = _UNTOLD.get(said.function) if isinstance(said, Apply) else None
    wanted = asked(world)
    if message is None and wanted == "truth":
        return last
    if message is None and wanted is None and operation.function in ORDERS:
        found = yield from named(executor, operation, 0 if last.members[0].computed else 1)
        if found.members:
            return found
    message = (
        message or f"the last step is whether something holds, and the target type is {told!r}"
    )
    raise Refused("unknown combination", message, operation.position)


_UNTOLD = {
    "is_empty": "is_empty says whether there is nothing, and as often the opposite is meant: "
    "exists(set) is yes where there is something",
    "or": "or says that one of the two holds, and not which: ask each in a step of its own",
}
"""Truths that answer no question: recorded queries meant something else by them each time."""


def _columns_of(executor: Executor, operation: Apply) -> Program[set[str]]:
    """The columns that a function looked at."""
    found: set[str] = set()
    for operand in operation.operands:
        search = executor.world.origin(operand)
        for relation in search.relations if isinstance(search, Search) else ():
            if isinstance(relation, Name) and (yield from executor.known_column(relation.text)):
                found.update(executor.world.names.relations[relation.text][0].names)
    return found


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


def _chosen(last: Cells | Table, target: Sequence[str]) -> Cells | Table:
    """A table of several columns as those that the target names, if it has all of them."""
    if isinstance(last, Cells) or len(last.columns) == 1 or not target:
        return last
    places = [tables.find(last, name) for name in target]
    found = [place for place in places if place is not None]
    return tables.columns(last, found) if len(found) == len(places) else last


def _computed(last: Cells | Table) -> Final:
    if isinstance(last, Cells):
        return Final(_distinct(_shown(cell) for cell in last.members))
    rows = tuple(tuple(map(_shown, row)) for row in last.rows)
    there = (_shown(cell) for row in last.rows for cell in row if not cell.missing)
    return Final(_distinct(there), last.columns, rows)


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
        found += [target] if known and _meant(executor, target) else []
    if not found and names.subject is not None:
        names.relations[names.subject] = (Rung("exact", (Candidate(names.subject),)),)
        found.append(names.subject)
    return found


def _meant(executor: Executor, target: str) -> bool:
    """Whether a target type is the column that is nearest to it."""
    rung = executor.world.names.relations[target][0]
    return rung.score >= TARGET or _NUMBERS.search(target) is not None


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
