"""The executor: runs the operations of a plan, inner operations first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from ..deadline import check_time
from ..language.ast import ProblemKind
from ..language.columns import GroupValue, find_aggregates, find_columns
from ..language.functions import DESCENDING, DIFFERENCE, DISTINCT, NEGATION, get_row, has_trait
from ..language.signatures import Trait
from ..matching import normalize_name
from ..matching.similarity import COLUMN_THRESHOLD, RELATION_THRESHOLD, TARGET_THRESHOLD
from ..planning.grounding import rests_on_facts
from ..planning.operations import (
    Apply,
    Calculate,
    Constant,
    GroupBy,
    Operation,
    Search,
    StepResult,
    Traverse,
    Union,
)
from ..reasoning import sets, tables
from ..reasoning.arithmetic import is_number
from ..reasoning.conditions import find_extremes, select_cells
from ..reasoning.functions import IMPLEMENTATIONS, NODE_FUNCTIONS, Operands, is_fulfilled
from ..reasoning.judgments import judge_function
from ..reasoning.notes import NoteCollector
from ..reasoning.results import (
    Cell,
    Cells,
    EvaluationError,
    Nodes,
    StepOutcome,
    Table,
    choose_literals,
    make_number,
)
from ..values import read_value
from .compare import compare_outcomes, deciding
from .context import ExecutionContext, literal_cell, nodes_of
from .fact_search import reject_trivial_filter
from .grouping import group_in_database, scan_in_database
from .name_resolution import resolve_nearest_relation
from .nearest_names import describe_unknown, resolve_members, suggest_near
from .paths import table_of, traverse
from .rows import neighbour_rows, other_rows, row_numbers, search_row_numbers, sort_by_position
from .search import SearchRunner
from .temporal import search_by_qualifier_alone, search_in_time

# Functions over tables: computed columns, groups, and those that keep the rows of a table together.

Options: TypeAlias = dict[str, list[tuple[str, Sequence[Cell]]]]


def tabular(executor: Executor, operation: Calculate | GroupBy) -> StepOutcome:
    if isinstance(operation, GroupBy) and isinstance(operation.of, Traverse):
        in_database = group_in_database(executor.runner, operation, operation.of)
        if in_database is not None:
            return in_database
    outcome = executor.evaluate(operation.of)
    table = _table(executor, operation, outcome)
    context, position = executor.context, operation.position
    if isinstance(operation, GroupBy):
        notes = NoteCollector()
        groups = tables.group_rows(table, operation.by, operation.values, position, notes)
        context.add_notes(notes)
        return groups
    context.reserve_table(len(table), len(table.columns) + 1, len(table), position)
    return tables.add_computed_column(table, operation.expression, operation.name, position)


def _table(executor: Executor, operation: Calculate | GroupBy, outcome: StepOutcome) -> Table:
    if isinstance(outcome, Table):
        return outcome
    if isinstance(outcome, Cells):
        rows = [cell.row for cell in outcome.members if cell.row is not None]
        outcome = Nodes(rows) if rows else nodes_of(outcome)
    if not outcome.ids:
        function = "group_by" if isinstance(operation, GroupBy) else "calculate"
        raise EvaluationError(
            ProblemKind.NO_TABLE, f"{function} needs a table, as get_table makes it"
        )
    columns = {normalize_name(name) for name in executor.context.names.columns}
    if isinstance(operation, GroupBy):
        named = [*operation.by, *_columns_of(operation.values, columns)]
    else:
        named = [*find_columns(operation.expression)]
    # A number or date is a column only of a table that has one of that name: 2004 beside 2008.
    names = tuple(
        n for n in dict.fromkeys(named) if normalize_name(n) in columns or read_value(n) is None
    )
    for name in names:
        executor.require_column(name)
    # The table stands between the operation and what it was made of.
    inputs = executor.context.pending_derivations[-1].inputs
    with executor.context.derive(None) as derivation:
        derivation.inputs += inputs
        inputs.clear()
        derivation.outcome = table_of(executor.runner, outcome, names, operation.position)
    return derivation.outcome


def _columns_of(values: Iterable[GroupValue], columns: Set[str]) -> Iterator[str]:
    for aggregate in find_aggregates(values):
        if aggregate.column is None:
            continue
        if aggregate.expression is None or normalize_name(aggregate.column) in columns:
            yield aggregate.column
        else:
            yield from find_columns(aggregate.expression)


def on_table(executor: Executor, operation: Apply, table: Table) -> StepOutcome:
    options = executor.options(operation)
    name, position = column_named(operation), operation.position
    function = operation.function
    notes = NoteCollector()
    if function == "keep":
        index = None if name is None else tables.find_column(table, name)
        column = table.bag(index or 0) if index is not None or len(table.columns) == 1 else ()
        options = executor.resolved_options(operation, options, column)
        by_name = len(executor.context.scope.datasets) > 1
        filtered = tables.filter_rows(
            table, name, options.get("value", ()), position, notes, by_name=by_name
        )
        executor.context.add_notes(notes)
        kept = filtered.bag(index or 0) if column else ()
        executor.context.record_equal(kept, options.get("value", ()))
        return filtered
    if function == "sort":
        order = options.get("order", [("=", ())])[0][1]
        is_descending = bool(order) and order[0].text == DESCENDING
        ordered = tables.sort_rows(table, name, is_descending, position, notes)
        executor.context.add_notes(notes)
        return ordered
    if function == DISTINCT and name is None:
        return tables.distinct_rows(table)
    if function == "count" and name is None and not options.keys() - {"distinct"}:
        return tables.count_rows(table, wanted(options.get("distinct", ())))
    from_end = get_row(function).from_end
    if from_end is not None:
        number = next((cells[0] for _, cells in options.get("number", ()) if cells), None)
        rows = sets.take_from_end(table.rows, number, position, last=from_end)
        return Table(table.columns, tuple(rows))
    return executor.by_cells(operation, executor.columns(operation, [table]))


def wanted(values: Sequence[tuple[str, Sequence[Cell]]]) -> bool | None:
    text = next((cells[0].text.casefold() for _, cells in values if cells), None)
    return None if text is None else text not in ("false", "no", "0")


def leaders(operation: Apply, outcome: StepOutcome) -> Cells | None:
    """Select what is beside the extreme number in a table such as ``count_by`` makes.

    None if the table has another form, or if the operation names a column.
    """
    table = outcome if isinstance(outcome, Table) and len(outcome.columns) == 2 else None
    numbers = [row[1] for row in table.rows] if table else []
    computed = all(cell.node is None and is_number(cell) for cell in numbers)
    row = get_row(operation.function)
    if table is None or not computed or column_named(operation):
        if Trait.OVER_ROWS in row.traits:
            return None
        message = f"{operation.function} needs a table of two columns, as count_by makes it"
        raise EvaluationError(ProblemKind.NO_TABLE, message)
    places = find_extremes(numbers, bool(row.upper)).places
    return Cells(tuple(table.rows[place][0] for place in places))


def kept_rows(executor: Executor, operation: Apply, rows: Nodes, name: str) -> StepOutcome:
    cells = executor.context.cells(executor.column(rows, name, operation.position))
    options = executor.resolved_options(operation, executor.options(operation), cells)
    for operator, bounds in options.get("value", ()):
        selection = select_cells(cells, operator, bounds, operation.position)
        executor.context.note_selection(selection, cells)
        cells = tuple(cells[place] for place in selection.places)
    executor.context.record_equal(cells, options.get("value", ()))
    return Nodes(tuple(dict.fromkeys(cell.row for cell in cells if cell.row is not None)))


def column_named(operation: Apply) -> str | None:
    return next(
        (o.value.text for o in operation.options
         if o.name in ("column", "by") and isinstance(o.value, Constant)), None,
    )  # fmt: skip


def _has_equal_extremes(cells: Sequence[Cell], *, upper: bool) -> bool:
    """Return whether several texts are the greatest or least value: ``1999-03-05`` and ``5 March 1999``."""
    if not any(cell.value for cell in cells):
        return False
    places = find_extremes(cells, upper).places
    return len({cells[place].text for place in places}) > 1


class Executor:
    def __init__(self, context: ExecutionContext) -> None:
        self.context = context
        self.runner: SearchRunner = SearchRunner(context, self.evaluate)

    def evaluate(self, operation: Operation) -> StepOutcome:
        check_time()
        if isinstance(operation, Constant):
            return Cells((replace(literal_cell(operation.text), is_literal=True),))
        if isinstance(operation, StepResult):
            return self.context.use_step(operation)
        with self.context.derive(operation) as derivation:
            derivation.outcome = self._evaluate(operation)
        return derivation.outcome

    def evaluate_step(self, number: int, operation: Operation) -> StepOutcome:
        context = self.context
        context.step = number
        context.operations[number] = operation
        context.remarks.clear()
        with context.derive(None) as derivation:
            derivation.outcome = self.evaluate(operation)
        context.step_derivations[number] = derivation
        context.results[number] = derivation.outcome
        return derivation.outcome

    def _evaluate(self, operation: Operation) -> StepOutcome:
        assert not isinstance(operation, Constant | StepResult)
        if isinstance(operation, Union):
            return self._joined(self.evaluate_all(operation.members))
        if isinstance(operation, Search):
            with self.context.in_table(operation.table):
                return self._search(operation)
        if isinstance(operation, Traverse):
            with self.context.in_table(operation.table):
                table = traverse(self.runner, operation)
            if not len(table):
                self.context.empty_steps.add(self.context.step)
            return table
        try:
            if isinstance(operation, Calculate | GroupBy):
                return tabular(self, operation)
            if operation.is_undefined:
                return self._judge(operation)
            return scan_in_database(self.runner, operation) or self._apply(operation)
        except EvaluationError as refused:
            if refused.position is None:
                refused.position = operation.position
            raise

    def _search(self, search: Search) -> StepOutcome:
        reject_trivial_filter(self.context, search)
        outcome = self._search_facts(search)
        self.context.reserve_members((outcome,), search.position)
        if not len(outcome):
            self.context.empty_steps.add(self.context.step)
        return outcome

    def _search_facts(self, search: Search) -> StepOutcome:
        relation = search.relations[0] if search.relations else None
        if isinstance(relation, Constant) and self.context.names.is_row_number(relation.text):
            return search_row_numbers(self.runner, search)
        if search.output != "relations" and search.key is not None:
            return search_in_time(self.runner, search)
        outcome = self.runner.search(search)
        if not len(outcome) and (of_facts := search_by_qualifier_alone(self.runner, search)):
            return of_facts
        return outcome

    def evaluate_all(self, operations: Iterable[Operation]) -> list[StepOutcome]:
        return [self.evaluate(operation) for operation in operations]

    def _joined(self, outcomes: Sequence[StepOutcome]) -> StepOutcome:
        self.context.reserve_members(outcomes)
        nodes = [outcome for outcome in outcomes if isinstance(outcome, Nodes)]
        if nodes and len(nodes) == len(outcomes):
            ids = [node for outcome in nodes for node in outcome.ids]
            origins = [node for outcome in nodes for node in outcome.origins]
            return Nodes(ids, origins if len(origins) == len(ids) else ())
        return Cells(tuple(cell for cells in self.context.all_cells(outcomes) for cell in cells))

    def _apply(self, operation: Apply) -> StepOutcome:
        function = operation.function
        if function == "or" and all(
            isinstance(operand, Constant) for operand in operation.operands
        ):
            names = " or ".join(str(operand)[:40] for operand in operation.operands)
            raise EvaluationError(ProblemKind.UNKNOWN_COMBINATION, f"{names}: nothing says which")
        outcomes = self.evaluate_all(operation.operands)
        # A result has no more members than the operands together.
        self.context.reserve_members(outcomes, operation.position)
        row = get_row(function)
        if row.neighbour:
            return neighbour_rows(self.runner, outcomes[0], row.neighbour)
        if function == NEGATION:
            return self._negation(operation, outcomes)
        if Trait.COMPARES in row.traits:
            return compare_outcomes(self, operation, outcomes)
        if function == "if":
            outcomes[0] = deciding(self, operation.operands[0], outcomes[0])
            self._drop_other_case(operation, outcomes[0])
        if row.upper is not None and (leading := leaders(operation, outcomes[0])) is not None:
            return leading
        if Trait.KEEPS_ROWS in row.traits and isinstance(outcomes[0], Table):
            return on_table(self, operation, outcomes[0])
        if (
            function == "keep"
            and isinstance(outcomes[0], Nodes)
            and (name := column_named(operation))
        ):
            return kept_rows(self, operation, outcomes[0], name)
        outcomes = self.columns(operation, outcomes)
        if (done := self._by_nodes(function, outcomes)) is not None:
            return done
        return self._mark_choice(operation, self.by_cells(operation, outcomes))

    def _mark_choice(self, operation: Apply, outcome: StepOutcome) -> StepOutcome:
        """Mark texts of the query that a condition on facts has chosen."""
        operations = self.context.operations
        if operation.function == "if" and rests_on_facts(operation.operands[0], operations):
            return choose_literals(outcome)
        return outcome

    def _judge(self, operation: Apply) -> Cells:
        """Take the result of an undefined function from whoever judges it."""
        outcomes = self.evaluate_all(operation.operands)
        operands = [("", cells) for cells in self.context.all_cells(outcomes)]
        for option in operation.options:
            label = f"{option.name} {option.operator}"
            operands.append((label, self.context.cells(self.evaluate(option.value))))
        texts = judge_function(operation.function, operands)
        if texts is None:
            message = (
                f"undefined function {operation.function}, and the model computes no value of it"
            )
            raise EvaluationError(ProblemKind.UNKNOWN_FUNCTION, message)
        members = {c.text: replace(c, is_literal=False) for _, cells in operands for c in cells}
        return Cells(tuple(members.get(text) or literal_cell(text) for text in texts))

    def _by_nodes(self, function: str, outcomes: list[StepOutcome]) -> StepOutcome | None:
        """Apply set functions to ids alone, without reading names."""
        nodes = [outcome for outcome in outcomes if isinstance(outcome, Nodes)]
        if len(nodes) != len(outcomes) or not nodes:
            return None
        if function == DISTINCT:
            return Nodes(nodes[0].distinct)
        combine = NODE_FUNCTIONS.get(function)
        if len(self.context.scope.datasets) > 1 or combine is None:
            return None
        return combine([self._keep_rows(outcome) for outcome in nodes])

    def _keep_rows(self, nodes: Nodes) -> Nodes:
        """Forget origins that are not rows: a head of a graph does not stand for its tails."""
        if not nodes.origins:
            return nodes
        rows: set[int] = set()
        if self.context.names.has_columns:
            rows.update(self.runner.fact_search.rows(tuple(dict.fromkeys(nodes.origins))))
        return nodes if rows.issuperset(nodes.origins) else Nodes(nodes.ids)

    def by_cells(self, operation: Apply, outcomes: list[StepOutcome]) -> StepOutcome:
        context = self.context
        function = operation.function
        options = self.options(operation)
        plain = function == "count" and not options and all(isinstance(o, Nodes) for o in outcomes)
        if plain and len(context.scope.datasets) == 1:
            distinct = {node for o in outcomes if isinstance(o, Nodes) for node in o.ids}
            return Cells((make_number(len(distinct)),))
        row = get_row(function)
        if row.from_end is not None and isinstance(outcomes[0], Nodes):
            outcomes = [sort_by_position(context, outcomes[0])]
        cells_of_operands = context.all_cells(outcomes)
        operand = outcomes[0] if len(outcomes) == 1 and row.upper is not None else None
        if isinstance(operand, Nodes) and _has_equal_extremes(
            cells_of_operands[0], upper=bool(row.upper)
        ):
            # The database returns facts in no certain order, and the first row decides.
            cells_of_operands = context.all_cells([sort_by_position(context, operand)])
        if Trait.FIGURE in row.traits and not all(cells_of_operands):
            context.remarks.append("nothing was given")
            return Cells()
        if Trait.NAMES_NODES in row.traits:
            cells_of_operands = resolve_members(context, cells_of_operands, operation)
            members = [cell for cells in cells_of_operands for cell in cells]
            options = self.resolved_options(operation, options, members)
        operands = Operands(
            cells_of_operands, operation.position, options, len(context.scope.datasets) > 1
        )
        if function == "count" and options.get("value"):
            filtered = IMPLEMENTATIONS["keep"](operands)
            context.add_notes(operands.notes)
            assert isinstance(filtered, Cells)
            return Cells((make_number(len(filtered)),))
        result = IMPLEMENTATIONS[function](operands)
        context.add_notes(operands.notes)
        if function == "keep":
            context.record_equal(context.cells(result), options.get("value", ()))
        return result

    def resolved_options(
        self, operation: Apply, options: Options, members: Sequence[Cell]
    ) -> Options:
        """Options in which names of equal values are those of ``members``."""
        values: list[tuple[str, Sequence[Cell]]] = []
        for operator, cells in options.get("value", ()):
            if operator in ("=", "!="):
                _, cells = resolve_members(self.context, (members, cells), operation)
            values.append((operator, cells))
        return options | {"value": values} if values else options

    def options(self, operation: Apply) -> Options:
        options: Options = {}
        for option in operation.options:
            cells = self.context.cells(self.evaluate(option.value))
            options.setdefault(option.name, []).append((option.operator, cells))
        return options

    # Columns.

    def columns(self, operation: Apply, outcomes: list[StepOutcome]) -> list[StepOutcome]:
        """Replace rows and tables by the named column, if there is one."""
        name = column_named(operation)
        columns: list[StepOutcome] = []
        for outcome in outcomes:
            if isinstance(outcome, Table) and name is not None:
                column = tables.require_column(outcome, name, operation.position)
                columns.append(Cells(outcome.bag(column)))
            elif name is not None:
                columns.append(self.column(outcome, name, operation.position))
            elif has_trait(operation.function, Trait.OVER_ROWS):
                columns.append(self._of_rows(operation, outcome))
            else:
                columns.append(outcome)
        return columns

    def _of_rows(self, operation: Apply, outcome: StepOutcome) -> StepOutcome:
        """Replace rows by the column of the target type; keep other outcomes."""
        if not isinstance(outcome, Nodes) or not outcome.ids:
            return outcome
        cells = self.context.values(outcome.distinct[:1])
        if all(cell.position is None for cell in cells.values()):
            return outcome
        for target in self.context.target:
            if self.known_column(target):
                return self.column(outcome, target, None)
        if not has_trait(operation.function, Trait.FIGURE):
            return outcome
        message = (
            f"{operation.function} of rows needs a column: name it as column, or as the target type"
        )
        raise EvaluationError(ProblemKind.UNKNOWN_COLUMN, message)

    def known_column(self, name: str) -> bool:
        return not self._nearest_to_missing(name)

    def require_column(self, name: str, position: int | None = None) -> None:
        """See that the scope has a relation that ``name`` can mean.

        Raises:
            EvaluationError: it has none.
        """
        nearest = self._nearest_to_missing(name)
        if nearest:
            message = f"{self.context.scope} has no column {name!r}; the nearest are "
            message += ", ".join(nearest[:3])
            raise EvaluationError(ProblemKind.UNKNOWN_COLUMN, message, position)

    def _nearest_to_missing(self, name: str) -> list[str]:
        """The relations nearest to a name that none is called; none where one can be meant."""
        context = self.context
        if context.names.relations.get(name):
            return []
        # A target type is a phrase: it holds more words than the column that it means.
        threshold = TARGET_THRESHOLD if name in context.target else COLUMN_THRESHOLD
        return resolve_nearest_relation(
            name, context.names, context.scope, context.reader, threshold
        )

    def near_column(self, name: str) -> str | None:
        """Return the relation most similar to ``name``; None below the threshold."""
        if not self.known_column(name):
            return None
        rung = self.context.names.relations[name][0]
        return None if rung.score < RELATION_THRESHOLD else rung.names[0]

    def column(self, outcome: StepOutcome, name: str, position: int | None) -> Nodes | Cells:
        if self.context.names.is_row_number(name):
            return row_numbers(self.runner, nodes_of(outcome))
        self.require_column(name, position)
        names = tuple(n for rung in self.context.names.relations[name][:1] for n in rung.names)
        nodes = nodes_of(outcome)
        facts = self.context.facts_from(nodes.distinct, names)
        if not facts.ids and nodes.origins:
            facts = self.context.facts_from(tuple(dict.fromkeys(nodes.origins)), names)
        self.context.record_facts(facts)
        self.context.names.matches += self.context.names.relations[name][0].mapped(name)
        return Nodes(facts.tails, facts.heads)

    # Functions that need more than their operands' cells.

    def _name_members(self, outcome: StepOutcome, operation: Apply) -> StepOutcome:
        """Replace names of the query by their nodes, in a table by the rows that hold them."""
        context = self.context
        if not isinstance(outcome, Cells) or not any(c.is_literal for c in outcome.members):
            return outcome
        nodes: list[int] = []
        for cell in outcome.members:
            tiers = context.names.entities.get(cell.text, ())
            if cell.node is None and not tiers:
                message = describe_unknown(
                    context.scope, cell.text, suggest_near(context, cell.text)
                )
                raise EvaluationError(ProblemKind.UNKNOWN_NAME, message, operation.position)
            nodes += tiers[0].nodes if cell.node is None else (cell.node,)
        if context.names.is_table:
            return Nodes(self.runner.fact_search.holding(nodes, ()))
        return Nodes(nodes)

    def _resolve_qualified(self, outcome: StepOutcome) -> StepOutcome:
        """Replace facts with qualifiers, which a search by a qualifier alone finds, by their heads."""
        if self.context.names.is_table or not isinstance(outcome, Nodes) or not outcome.ids:
            return outcome
        rows = self.context.reader.run("heads_of_qualified_facts", nodes=list(outcome.distinct))
        heads = dict(rows[0]["heads"])
        return Nodes([heads.get(node, node) for node in outcome.ids]) if heads else outcome

    def _drop_other_case(self, operation: Apply, condition: StepOutcome) -> None:
        """Let the case that was not chosen prove nothing."""
        fulfilled = is_fulfilled(self.context.cells(condition))
        others = operation.operands[2:] if fulfilled else operation.operands[1:2]
        inputs = self.context.pending_derivations[-1].inputs
        inputs[:] = [entry for entry in inputs if not any(entry[0] is other for other in others)]

    def _negation(self, operation: Apply, outcomes: list[StepOutcome]) -> StepOutcome:
        outcomes[0] = self._resolve_qualified(self._name_members(outcomes[0], operation))
        universe = next((o.value for o in operation.options if o.name == "universe"), None)
        if universe is not None:
            outcomes.append(self.evaluate(universe))
        if len(outcomes) == 1:
            return other_rows(self.runner, outcomes[0], operation.position)
        members, every = outcomes
        if isinstance(members, Nodes) and isinstance(every, Nodes):
            both = [self._keep_rows(every), self._keep_rows(members)]
            return NODE_FUNCTIONS[DIFFERENCE](both)
        cells = [self.context.cells(every), self.context.cells(members)]
        cells = resolve_members(self.context, cells, operation)
        return sets.subtract_cells(cells)
