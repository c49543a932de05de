"""Operations of an execution query, run one inside the other: searches, functions, what they are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..compiling import Program, out_of
from ..mapping.nearness import RELATION
from ..planning import Apply, Calculate, Group, Members, Name, Operation, Result, Search, Walk
from ..reasoning import sets, tables
from ..reasoning.functions import REASONING, Operands
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused, Table, number
from .comparing import compared, deciding
from .rows import in_order, neighbours, numbers, others
from .searching import Searching
from .settling import nearest
from .tabular import (
    LEADING,
    ON_TABLES,
    Options,
    column_named,
    kept_rows,
    leaders,
    on_table,
    tabular,
)
from .walking import walked
from .world import World, literal, nodes_of

_BY_NODES = frozenset(("set_intersection", "set_union", "set_difference", "and", "or"))
_FIGURES = frozenset(
    ("max", "min", "sum", "mean", "difference", "distance", "duration", "year_difference",
     "days_difference", "product", "ratio", "number", "abs", "year", "+", "-", "*", "/",
     "<", "<=", ">", ">=", "greater_than", "less_than", "at_least", "at_most")
)  # fmt: skip
"""Functions that make nothing of nothing; a count of nothing is 0, and sets may be empty."""
_SET = {"and": "set_intersection", "or": "set_union"}
_OF_SETS = frozenset(
    ("set_intersection", "set_union", "set_difference", "difference", "keep", "contains", "in", "equals",
     "=", "!=")
)  # fmt: skip
"""Functions in which a name means the node that it is mapped to."""
_OVER_ROWS = frozenset(("max", "min", "sum", "mean", "sort", "mode", "count_by"))
"""Functions that need values: over rows they take the column that the query's target names."""


class Executor:
    """Runs the operations of one query."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.searching = Searching(world, self.evaluate)

    def evaluate(self, operation: Operation) -> Program[Outcome]:
        """What ``operation`` leads to.

        Raises:
            Refused: it cannot be done on what it is given.
        """
        if isinstance(operation, Name):
            return Cells((literal(operation.text),))
        if isinstance(operation, Result):
            return self.world.results[operation.step]
        if isinstance(operation, Members):
            return (yield from self._members(operation))
        if isinstance(operation, Search):
            return (yield from self.searching.search(operation))
        if isinstance(operation, Walk):
            return (yield from walked(self.searching, operation))
        try:
            if isinstance(operation, Calculate | Group):
                return (yield from tabular(self, operation))
            return (yield from self._apply(operation))
        except Refused as refused:
            if refused.position is None:
                refused.position = operation.position
            raise

    def _members(self, operation: Members) -> Program[Outcome]:
        outcomes = yield from self.each(operation.members)
        return (yield from self._joined(outcomes))

    def each(self, operations: Iterable[Operation]) -> Program[list[Outcome]]:
        """What each of several operations leads to."""
        found: list[Outcome] = []
        for operation in operations:
            outcome = yield from self.evaluate(operation)
            found.append(outcome)
        return found

    def _joined(self, outcomes: Sequence[Outcome]) -> Program[Outcome]:
        """All entries of several outcomes as one bag."""
        nodes = [outcome for outcome in outcomes if isinstance(outcome, Nodes)]
        if nodes and len(nodes) == len(outcomes):
            ids = [node for each in nodes for node in each.ids]
            origins = [node for each in nodes for node in each.origins]
            return Nodes(ids, origins if len(origins) == len(ids) else ())
        cells: list[Cell] = []
        for outcome in outcomes:
            cells += yield from self.world.cells(outcome)
        return Cells(tuple(cells))

    def _apply(self, operation: Apply) -> Program[Outcome]:
        function = operation.function
        if function == "or" and all(isinstance(one, Name) for one in operation.operands):
            names = " or ".join(str(one)[:40] for one in operation.operands)
            raise Refused("unknown combination", f"{names}: nothing says which")
        outcomes = yield from self.each(operation.operands)
        if function in ("previous_row", "next_row"):
            by = -1 if function == "previous_row" else 1
            return (yield from neighbours(self.searching, outcomes[0], by))
        if function == "set_negation":
            return (yield from self._negation(operation, outcomes))
        if function in ("compare", "smaller"):
            return (yield from compared(self, operation, outcomes))
        if function == "if":
            outcomes[0] = yield from deciding(self, operation.operands[0], outcomes[0])
        if function in LEADING and (leading := leaders(operation, outcomes[0])) is not None:
            return leading
        if function in ON_TABLES and isinstance(outcomes[0], Table):
            return (yield from on_table(self, operation, outcomes[0]))
        if (
            function == "keep"
            and isinstance(outcomes[0], Nodes)
            and (name := column_named(operation))
        ):
            return (yield from kept_rows(self, operation, outcomes[0], name))
        outcomes = yield from self.columns(operation, outcomes)
        if (done := self._by_nodes(function, outcomes)) is not None:
            return done
        return (yield from self.by_cells(operation, outcomes))

    def _by_nodes(self, function: str, outcomes: list[Outcome]) -> Outcome | None:
        """What needs no names: set functions and counts of nodes of one dataset."""
        nodes = [outcome for outcome in outcomes if isinstance(outcome, Nodes)]
        if len(nodes) != len(outcomes) or not nodes:
            return None
        if function == "distinct":
            return Nodes(nodes[0].distinct)
        if function == "is_empty":
            return None
        if len(self.world.scope.datasets) > 1 or function not in _BY_NODES:
            return None
        return sets.of_nodes(_SET.get(function, function), nodes)

    def by_cells(self, operation: Apply, outcomes: list[Outcome]) -> Program[Outcome]:
        """What a function makes of its operands with their names and values."""
        world = self.world
        function = operation.function
        options = yield from self.options(operation)
        plain = function == "count" and not options and all(isinstance(o, Nodes) for o in outcomes)
        if plain and len(world.scope.datasets) == 1:
            distinct = {node for o in outcomes if isinstance(o, Nodes) for node in o.ids}
            return Cells((number(len(distinct)),))
        if function in ("first", "last") and isinstance(outcomes[0], Nodes):
            outcomes = [(yield from in_order(world, outcomes[0]))]
        given = yield from world.all_cells(outcomes)
        if function in _FIGURES and not all(given):
            world.remarks.append("nothing was given")
            return Cells()
        if function in _OF_SETS:
            there = {cell.node: cell for cells in given for cell in cells if cell.node is not None}
            given = [world.names.meant(cells, there) for cells in given]
            options = {
                name: [(operator, world.names.meant(cells, there)) for operator, cells in values]
                for name, values in options.items()
            }
        operands = Operands(given, operation.position, options, len(world.scope.datasets) > 1)
        if function == "count" and options.get("value"):
            kept = REASONING["keep"](operands)
            assert isinstance(kept, Cells)
            return Cells((number(len(kept)),))
        found = REASONING[function](operands)
        world.remarks += operands.remarks
        return found

    def options(self, operation: Apply) -> Program[Options]:
        """What is given for each parameter."""
        options: Options = {}
        for option in operation.options:
            cells = yield from self.world.cells((yield from self.evaluate(option.value)))
            options.setdefault(option.name, []).append((option.operator, cells))
        return options

    # Columns.

    def columns(self, operation: Apply, outcomes: list[Outcome]) -> Program[list[Outcome]]:
        """Operands with the named column in place of rows and tables, where one is named."""
        name = column_named(operation)
        found: list[Outcome] = []
        for outcome in outcomes:
            if isinstance(outcome, Table) and name is not None:
                cells = tables.column(outcome, name, operation.position)
                found.append(Cells(cells))
            elif name is not None:
                found.append((yield from self.column(outcome, name, operation.position)))
            elif operation.function in _OVER_ROWS:
                found.append((yield from self._of_rows(operation, outcome)))
            else:
                found.append(outcome)
        return found

    def _of_rows(self, operation: Apply, outcome: Outcome) -> Program[Outcome]:
        """Rows become their cells in the target's column; anything else stays.

        Raises:
            Refused: of rows, a figure needs a column, and none is named.
        """
        if not isinstance(outcome, Nodes) or not outcome.ids:
            return outcome
        known = yield from self.world.values(outcome.distinct[:1])
        if all(cell.position is None for cell in known.values()):
            return outcome
        for target in self.world.target:
            if (yield from self.known_column(target)):
                return (yield from self.column(outcome, target, None))
        if operation.function in ("sort", "mode", "count_by"):
            return outcome
        message = (
            f"{operation.function} of rows needs a column: name it as column, or as the target type"
        )
        raise Refused("unknown column", message)

    def known_column(self, name: str) -> Program[bool]:
        """Whether the scope has a relation that ``name`` can mean."""
        world = self.world
        if not world.names.relations.get(name):
            missing = yield from nearest(name, world.names, world.scope, world.recorder)
            return not missing
        return True

    def near_column(self, name: str) -> Program[str | None]:
        """The relation that ``name`` most likely means, where it is not far from it."""
        if not (yield from self.known_column(name)):
            return None
        rung = self.world.names.relations[name][0]
        return None if rung.score < RELATION else rung.names[0]

    def column(self, outcome: Outcome, name: str, position: int | None) -> Program[Nodes | Cells]:
        """The cells of a column of rows: what the relation leads to from them, or their numbers.

        Raises:
            Refused: there is no such relation.
        """
        if self.world.names.row_number(name):
            return (yield from numbers(self.searching, nodes_of(outcome)))
        if not (yield from self.known_column(name)):
            raise Refused("unknown column", f"{self.world.scope} has no column {name!r}", position)
        names = tuple(n for rung in self.world.names.relations[name][:1] for n in rung.names)
        nodes = nodes_of(outcome)
        facts = yield from self.world.facts(out_of(self.world.scope, nodes.distinct, names))
        if not facts.ids and nodes.origins:
            rows = tuple(dict.fromkeys(nodes.origins))
            facts = yield from self.world.facts(out_of(self.world.scope, rows, names))
        self.world.use(facts.ids)
        self.world.names.mapped += self.world.names.relations[name][0].mapped(name)
        return Nodes(facts.tails, facts.heads)

    # Functions that need more than their operands' cells.

    def _negation(self, operation: Apply, outcomes: list[Outcome]) -> Program[Outcome]:
        universe = next((o.value for o in operation.options if o.name == "universe"), None)
        if universe is not None:
            outcomes.append((yield from self.evaluate(universe)))
        if len(outcomes) == 1:
            return (yield from others(self.searching, outcomes[0], operation.position))
        members, every = outcomes
        if isinstance(members, Nodes) and isinstance(every, Nodes):
            return sets.of_nodes("set_difference", [every, members])
        cells = [(yield from self.world.cells(every)), (yield from self.world.cells(members))]
        return sets.difference(cells)
