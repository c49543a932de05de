"""Rows of tables: row numbers, neighbours, and the complement of a set of rows."""

from __future__ import annotations

from ..language.ast import ProblemKind
from ..language.selectors import EXTREMES
from ..model.facts import make_row_key
from ..planning.operations import Search
from ..reasoning.conditions import filter_cells, find_extremes
from ..reasoning.results import Cell, Cells, EvaluationError, Nodes, StepOutcome, make_number
from ..values import Value
from .context import ExecutionContext, literal_cell, nodes_of
from .fact_search import SearchTerms
from .search import SearchRunner

_BETWEEN = make_row_key("", 0)[:-1]  # Separates source and position in the key of a row.


def search_row_numbers(runner: SearchRunner, search: Search) -> StepOutcome:
    """Search by the relation *row number*, which starts at 1."""
    context = runner.context
    if search.heads is None:
        positions = _all_rows(context, search.position)
    else:
        positions = _positions(runner, runner.terms(search.heads))
    cells = _cells(positions)
    for test in search.conditions:
        terms = runner.terms(test.terms)
        word = terms.names[0].text.casefold() if len(terms.names) == 1 else ""
        if word in EXTREMES:
            places = find_extremes(cells, EXTREMES[word]).places
        else:
            bounds = [*terms.cells, *(literal_cell(name.text) for name in terms.names)]
            bounds += [
                cell if cell.position is None else literal_cell(str(cell.position))
                for cell in context.values(terms.nodes.distinct).values()
            ]
            places = filter_cells(cells, test.operator, bounds, test.position).places
            is_number = any(cell.value is not None for cell in bounds)
            if test.operator == "=" and not places and not is_number:
                holders = runner.fact_search.holding(terms.nodes.distinct, terms.names)
                places = [place for place, cell in enumerate(cells) if cell.row in set(holders)]
        cells = [cells[place] for place in places]
    if search.output == "tails":
        return Cells(tuple(cells))
    return Nodes([cell.row for cell in cells if cell.row is not None])


def row_numbers(runner: SearchRunner, nodes: Nodes) -> Cells:
    return Cells(tuple(_cells(_positions(runner, SearchTerms([], nodes, [])))))


def _positions(runner: SearchRunner, heads: SearchTerms) -> dict[int, int]:
    cells = runner.context.values(_rows(runner, heads))
    return {node: cell.position for node, cell in cells.items() if cell.position is not None}


def _cells(positions: dict[int, int]) -> list[Cell]:
    return [
        Cell(str(position), Value(float(position)), None, None, row)
        for row, position in sorted(positions.items(), key=lambda pair: pair[1])
    ]


def _all_rows(context: ExecutionContext, position: int) -> dict[int, int]:
    if context.scope.source is None:
        message = "row_number counts the rows of one table: name it as the source"
        raise EvaluationError(ProblemKind.NO_TABLE, message, position)
    parameters = {
        "datasets": list(context.scope.datasets),
        "prefix": context.scope.source + _BETWEEN,
    }
    rows = context.reader.run("list_rows", **parameters)
    return dict(rows[0]["rows"])


def _rows(runner: SearchRunner, heads: SearchTerms) -> tuple[int, ...]:
    context = runner.context
    if heads.names:
        return tuple(runner.fact_search.holding(heads.nodes.distinct, heads.names))
    cells = context.values(heads.nodes.distinct)
    rows = [node for node, cell in cells.items() if cell.position is not None]
    if not rows and not heads.rows and heads.nodes.ids:
        rows = runner.fact_search.holding(heads.nodes.distinct, ())
    return tuple(rows) or heads.rows


def neighbour_rows(runner: SearchRunner, outcome: StepOutcome, by: int) -> StepOutcome:
    """Return the rows ``by`` places below; a number is increased by ``by``."""
    context = runner.context
    nodes = nodes_of(outcome)
    rows = (
        [c.row for c in outcome.members if c.row is not None] if isinstance(outcome, Cells) else []
    )
    for start in (nodes.distinct, tuple(nodes.origins), tuple(rows)):
        if not start:
            continue
        parameters = {"nodes": list(dict.fromkeys(start)), "by": by, "between": _BETWEEN}
        neighbours = context.reader.run("neighbour_rows", **parameters)
        if pairs := neighbours[0]["rows"]:
            starts = context.pending_derivations[-1].starts
            for row, neighbour in pairs:
                starts.setdefault(neighbour, set()).add(row)
            return Nodes(tuple(starts))
        start_cells = context.values(start)
        if any(cell.position is not None for cell in start_cells.values()):
            return Nodes()
    cells = context.cells(outcome)
    numbers = [
        cell.value.number
        for cell in cells
        if cell.value is not None and cell.value.number is not None
    ]
    return Cells(tuple(make_number(value + by) for value in numbers))


def sort_by_position(context: ExecutionContext, cells: Nodes) -> Nodes:
    """Sort cells by their rows; cells without a row keep the order."""
    row_cells = context.values(tuple(dict.fromkeys(cells.origins)))
    place = {row: cell.position for row, cell in row_cells.items() if cell.position is not None}
    if not cells.origins or any(origin not in place for origin in cells.origins):
        return cells
    order = sorted(range(len(cells)), key=lambda entry: place[cells.origins[entry]])
    return Nodes([cells.ids[e] for e in order], [cells.origins[e] for e in order])


def other_rows(runner: SearchRunner, outcome: StepOutcome, position: int) -> StepOutcome:
    context = runner.context
    members = nodes_of(outcome)
    cells = context.values(members.distinct[:1])
    excluded = set(members.ids)
    if context.names.is_table:
        nodes = list(_all_rows(context, position))
        if cells and all(cell.position is None for cell in cells.values()):
            excluded = set(members.origins)
    else:
        rows = context.reader.run(
            "list_heads", datasets=context.datasets, source=context.scope.source
        )
        nodes = rows[0]["heads"]
    return Nodes([node for node in nodes if node not in excluded])
