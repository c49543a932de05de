"""What all operations of one query share: scope, names, results of the steps, the facts that were used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..compiling import LIMIT, Program, Read, Row, all_of
from ..dataset import Scope
from ..planning import Operation, Result
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused, Table
from ..recording import Recorder
from ..values import Value, read_value
from .naming import Names, add


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts as columns: heads, tails, and the ids that each has in its sources."""

    heads: Sequence[int] = ()
    tails: Sequence[int] = ()
    ids: Sequence[Sequence[int]] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, places: Sequence[int]) -> Facts:
        """Those at ``places``."""
        return Facts(
            [self.heads[p] for p in places],
            [self.tails[p] for p in places],
            [self.ids[p] for p in places],
        )

    def joined(self, other: Facts) -> Facts:
        """Facts of both, each once."""
        if not self.ids or not other.ids:
            return self if self.ids else other
        seen = {ids[0] for ids in self.ids}
        rest = other.keep([place for place, ids in enumerate(other.ids) if ids[0] not in seen])
        return Facts([*self.heads, *rest.heads], [*self.tails, *rest.tails], [*self.ids, *rest.ids])


@dataclass
class World:
    """One query as it runs.

    ``used``: the facts that entered, by the step that used each first. ``remarks``: what the trace tells
    beside sizes. ``truncated``: how many facts there are of which a step saw only a part.
    """

    scope: Scope
    names: Names
    recorder: Recorder
    operations: dict[int, Operation] = field(default_factory=dict)
    results: dict[int, Outcome] = field(default_factory=dict)
    used: dict[int, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    target: tuple[str, ...] = ()
    step: int = 0
    truncated: int | None = None

    def origin(self, operation: Operation) -> Operation:
        """What an earlier result is the result of."""
        while isinstance(operation, Result):
            operation = self.operations[operation.step]
        return operation

    def read(self, read: Read) -> Program[list[Row]]:
        """The rows of a statement."""
        return (yield from self.recorder.read(read))

    def facts(self, read: Read) -> Program[Facts]:
        """The facts that a searching statement finds."""
        row = (yield from self.read(read))[0]
        return Facts(row["heads"], row["tails"], row["facts"])

    def every(self, relations: Sequence[str]) -> Program[Facts]:
        """All facts of relations; where there are more than can be held, ``truncated`` says so."""
        facts = yield from self.facts(all_of(self.scope, relations))
        total = self.size(relations)
        if total > LIMIT:
            self.truncated = total
            self.remarks.append(f"only {LIMIT:,} of {total:,} facts were looked at")
        return facts

    def size(self, relations: Sequence[str]) -> int:
        """About how many facts the relations have in the scope."""
        wanted = set(relations)
        every = (*self.names.catalogue.values(), *self.names.columns.values())
        return max((known.facts for known in every if wanted & set(known.names)), default=0)

    def use(self, facts: Iterable[Sequence[int]]) -> None:
        """Note facts as part of the proof."""
        for ids in facts:
            for fact in ids:
                self.used.setdefault(fact, self.step)

    def cells(self, outcome: Outcome) -> Program[tuple[Cell, ...]]:
        """An outcome's entries with their names and values."""
        if isinstance(outcome, Cells):
            return outcome.members
        if isinstance(outcome, Table):
            if len(outcome.columns) != 1:
                told = ", ".join(outcome.columns)
                message = f"a table of several columns ({told}) cannot stand here: name one of them"
                raise Refused("table", message)
            return outcome.bag(0)
        known = yield from self.values(outcome.distinct)
        origins: Sequence[int | None] = outcome.origins or [None] * len(outcome.ids)
        return tuple(
            _with_row(known[node], origin)
            for node, origin in zip(outcome.ids, origins, strict=True)
            if node in known
        )

    def all_cells(self, outcomes: Iterable[Outcome]) -> Program[list[tuple[Cell, ...]]]:
        """The cells of each of several outcomes."""
        found: list[tuple[Cell, ...]] = []
        for outcome in outcomes:
            cells = yield from self.cells(outcome)
            found.append(cells)
        return found

    def values(self, nodes: Sequence[int]) -> Program[dict[int, Cell]]:
        """Cells of nodes, by id."""
        if not nodes:
            return {}
        row = (yield from self.read(Read("node_values", {"nodes": list(nodes)})))[0]
        values = {node: Value(*rest) for node, *rest in row["values"]}
        positions = dict(row["rows"])
        return {
            node: Cell(name, values.get(node), None, node, None, positions.get(node))
            for node, name in zip(row["ids"], row["names"], strict=True)
        }

    def known(self, text: str) -> Program[None]:
        """Look up a name that the query itself does not hold: a computed one."""
        if text in self.names.things:
            return
        from ..mapping import fold
        from ..triples import KEY_LENGTH

        rows = yield from self.read(
            Read(
                "find_names",
                {
                    "datasets": list(self.scope.datasets), "source": self.scope.source,
                    "relations": [], "names": [fold(text)],
                    "keys": [text] if len(text) <= KEY_LENGTH else [],
                },
            )
        )  # fmt: skip
        add(self.names, rows, (), (text,))


def _with_row(cell: Cell, row: int | None) -> Cell:
    if row is None:
        return cell
    return Cell(cell.text, cell.value, cell.computed, cell.node, row, cell.position)


def literal(text: str) -> Cell:
    """A name or number of the query as a cell."""
    return Cell(text, read_value(text))


def nodes_of(outcome: Outcome) -> Nodes:
    """The nodes of an outcome, those of its cells included; computed cells have none."""
    if isinstance(outcome, Nodes):
        return outcome
    cells: Iterable[Cell] = (
        outcome.members if isinstance(outcome, Cells) else (c for row in outcome.rows for c in row)
    )
    with_nodes = [cell for cell in cells if cell.node is not None]
    rows = [cell.row for cell in with_nodes if cell.row is not None]
    ids = [cell.node for cell in with_nodes if cell.node is not None]
    return Nodes(ids, rows if len(rows) == len(ids) else ())
