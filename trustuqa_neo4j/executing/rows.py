"""Rows of tables: their numbers, their neighbours, and all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..compiling import Program, Read, heads_of_source
from ..planning import Search
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused, number
from ..reasoning.testing import EXTREMES, extremes, keep
from ..triples import row_key
from ..values import Value
from .finding import Terms
from .world import World, literal, nodes_of

if TYPE_CHECKING:
    from .searching import Searching

_BETWEEN = row_key("", 0)[:-1]
"""What parts source and position in the key of a row."""


def numbered(searching: Searching, search: Search) -> Program[Outcome]:
    """A search whose relation is the number of rows, from 1."""
    world = searching.world
    if search.heads is None:
        positions = yield from _all_rows(world, search.position)
    else:
        heads = yield from searching.terms(search.heads)
        positions = yield from _positions(searching, heads)
    cells = _cells(positions)
    for test in search.tests:
        given = yield from searching.terms(test.terms)
        word = given.names[0].text.casefold() if len(given.names) == 1 else ""
        if word in EXTREMES:
            places, _ = extremes(cells, EXTREMES[word])
        else:
            bounds = [*given.cells, *(literal(name.text) for name in given.names)]
            known = yield from world.values(given.nodes.distinct)
            bounds += [
                cell if cell.position is None else literal(str(cell.position))
                for cell in known.values()
            ]
            places = keep(cells, test.operator, bounds, test.position).places
            if test.operator == "=" and not places:
                held = yield from searching.finding.holding(given.nodes.distinct, given.names)
                places = [place for place, cell in enumerate(cells) if cell.row in set(held)]
        cells = [cells[place] for place in places]
    if search.wanted == "tails":
        return Cells(tuple(cells))
    return Nodes([cell.row for cell in cells if cell.row is not None])


def numbers(searching: Searching, nodes: Nodes) -> Program[Cells]:
    """The numbers of the rows that ``nodes`` are, or stand for."""
    positions = yield from _positions(searching, Terms([], nodes, []))
    return Cells(tuple(_cells(positions)))


def _positions(searching: Searching, heads: Terms) -> Program[dict[int, int]]:
    rows = yield from _rows(searching, heads)
    known = yield from searching.world.values(rows)
    return {node: cell.position for node, cell in known.items() if cell.position is not None}


def _cells(positions: dict[int, int]) -> list[Cell]:
    """Numbers of rows as cells, in their order."""
    return [
        Cell(str(position), Value(float(position)), None, None, row)
        for row, position in sorted(positions.items(), key=lambda pair: pair[1])
    ]


def _all_rows(world: World, position: int) -> Program[dict[int, int]]:
    if world.scope.source is None:
        message = "row_number counts the rows of one table: name it as the source"
        raise Refused("no table", message, position)
    given = {"datasets": list(world.scope.datasets), "prefix": world.scope.source + _BETWEEN}
    found = yield from world.read(Read("rows_of_source", given))
    return dict(found[0]["rows"])


def _rows(searching: Searching, heads: Terms) -> Program[tuple[int, ...]]:
    """The rows that nodes are, or stand for; of names, those that hold them."""
    world = searching.world
    if heads.names:
        rows = yield from searching.finding.holding(heads.nodes.distinct, heads.names)
        return tuple(rows)
    known = yield from world.values(heads.nodes.distinct)
    rows = [node for node, cell in known.items() if cell.position is not None]
    if not rows and not heads.rows and heads.nodes.ids:
        rows = yield from searching.finding.holding(heads.nodes.distinct, ())
    return tuple(rows) or heads.rows


def neighbours(searching: Searching, outcome: Outcome, by: int) -> Program[Outcome]:
    """The rows ``by`` places below each; of numbers, the number so much greater."""
    world = searching.world
    nodes = nodes_of(outcome)
    rows = (
        [c.row for c in outcome.members if c.row is not None] if isinstance(outcome, Cells) else []
    )
    for start in (nodes.distinct, tuple(nodes.origins), tuple(rows)):
        if not start:
            continue
        given = {"nodes": list(dict.fromkeys(start)), "by": by, "between": _BETWEEN}
        found = yield from world.read(Read("neighbour_rows", given))
        if found[0]["rows"]:
            return Nodes(tuple(dict.fromkeys(other for _, other in found[0]["rows"])))
        known = yield from world.values(start)
        if any(cell.position is not None for cell in known.values()):
            return Nodes()
    cells = yield from world.cells(outcome)
    numbers = [
        cell.value.number
        for cell in cells
        if cell.value is not None and cell.value.number is not None
    ]
    return Cells(tuple(number(value + by) for value in numbers))


def in_order(world: World, cells: Nodes) -> Program[Nodes]:
    """Cells in the order of the rows that they come from; what comes from no rows stays as it is."""
    known = yield from world.values(tuple(dict.fromkeys(cells.origins)))
    place = {row: cell.position for row, cell in known.items() if cell.position is not None}
    if not cells.origins or any(origin not in place for origin in cells.origins):
        return cells
    order = sorted(range(len(cells)), key=lambda entry: place[cells.origins[entry]])
    return Nodes([cells.ids[e] for e in order], [cells.origins[e] for e in order])


def others(searching: Searching, outcome: Outcome, position: int) -> Program[Outcome]:
    """All rows of the table, or all heads of the source, that are not members."""
    world = searching.world
    given = nodes_of(outcome)
    known = yield from world.values(given.distinct[:1])
    excluded = set(given.ids)
    if world.names.table:
        every = list((yield from _all_rows(world, position)))
        if known and all(cell.position is None for cell in known.values()):
            excluded = set(given.origins)
    else:
        rows = yield from world.read(heads_of_source(world.scope))
        every = rows[0]["heads"]
    return Nodes([node for node in every if node not in excluded])
