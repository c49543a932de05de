"""Set functions over nodes and cells.

Nodes are equal by their ids. A literal or computed value has no id: it equals a node with the same text,
number or date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..deadline import watch
from ..language.ast import ProblemKind
from ..matching import normalize_name
from .conditions import is_same_cell
from .results import Cell, Cells, EvaluationError, Nodes

Member = TypeVar("Member")


class CellIndex:
    """Answers whether a set contains a cell; with ``by_name`` nodes of one name are the same."""

    def __init__(self, cells: Iterable[Cell], *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._nodes: set[int] = set()
        self._by_text: dict[str, list[Cell]] = {}
        self._literals: list[Cell] = []
        self._by_value: dict[object, Cell] = {}
        for cell in watch(cells):
            if cell.node is not None:
                self._nodes.add(cell.node)
            self._by_text.setdefault(normalize_name(cell.text), []).append(cell)
            if (value := cell.value) is not None:
                self._by_value[value.number, value.unit, value.start, value.end] = cell
                if cell.node is None:
                    self._literals.append(cell)

    def __contains__(self, cell: Cell) -> bool:
        if cell.node is not None and cell.node in self._nodes:
            return True
        for member in self._by_text.get(normalize_name(cell.text), ()):
            is_comparable = self._by_name or cell.node is None or member.node is None
            if is_comparable and is_same_cell(cell, member):
                return True
        if cell.value is None:
            return False
        members = self._by_value.values() if cell.node is None else self._literals
        return any(is_same_cell(cell, member) for member in watch(members))


def distinct_cells(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return each member once; a name and the node of that name are one member."""
    members: dict[object, Cell] = {}
    for cell in watch(cells):
        members.setdefault(cell.identity, cell)
    nodes = [cell for cell in members.values() if cell.node is not None]
    if not nodes or len(nodes) == len(members):
        return tuple(members.values())
    index = CellIndex(nodes)
    return tuple(c for c in watch(members.values()) if c.node is not None or c not in index)


def intersect_cells(sets: Sequence[Sequence[Cell]], *, by_name: bool = False) -> Cells:
    indexes = [CellIndex(cells, by_name=by_name) for cells in sets[1:]]
    members = distinct_cells(sets[0])
    return Cells(tuple(c for c in watch(members) if all(c in index for index in indexes)))


def unite_cells(sets: Sequence[Sequence[Cell]]) -> Cells:
    return Cells(distinct_cells(cell for cells in sets for cell in cells))


def subtract_cells(sets: Sequence[Sequence[Cell]], *, by_name: bool = False) -> Cells:
    indexes = [CellIndex(cells, by_name=by_name) for cells in sets[1:]]
    members = distinct_cells(sets[0])
    return Cells(tuple(c for c in watch(members) if not any(c in index for index in indexes)))


# The same of ids alone.


def intersect_nodes(sets: Sequence[Nodes]) -> Nodes:
    first, *rest = sets
    ids = set(first.ids).intersection(*(nodes.ids for nodes in rest))
    if not ids and len(sets) == 2 and (rows := _intersect_with_rows(first, sets[1])):
        return Nodes(rows)
    return _with_origins(sets[:1], ids)


def unite_nodes(sets: Sequence[Nodes]) -> Nodes:
    return _with_origins(sets, set().union(*(nodes.ids for nodes in sets)))


def subtract_nodes(sets: Sequence[Nodes]) -> Nodes:
    first, *rest = sets
    ids = set(first.ids).difference(*(nodes.ids for nodes in rest))
    if len(sets) == 2 and len(ids) == len(set(first.ids)):
        return _subtract_rows(first, sets[1])
    return _with_origins(sets[:1], ids)


def _subtract_rows(first: Nodes, second: Nodes) -> Nodes:
    rows_of_cells = set(second.origins)
    ids = {node for node in first.ids if node not in rows_of_cells}
    if len(ids) < len(set(first.ids)) or not first.origins:
        return _with_origins([first], ids)
    rows = set(second.ids)
    places = [place for place, origin in enumerate(first.origins) if origin not in rows]
    rest = Nodes([first.ids[p] for p in places], [first.origins[p] for p in places])
    return _with_origins([rest], set(rest.ids))


def _intersect_with_rows(first: Nodes, second: Nodes) -> tuple[int, ...]:
    for rows, cells in ((first, second), (second, first)):
        origins = set(cells.origins)
        common = tuple(dict.fromkeys(node for node in rows.ids if node in origins))
        if common:
            return common
    return ()


def _with_origins(sets: Sequence[Nodes], ids: set[int]) -> Nodes:
    first_origins: dict[int, int | None] = {}
    for nodes in sets:
        origins: Sequence[int | None] = nodes.origins or [None] * len(nodes.ids)
        for node, origin in zip(nodes.ids, origins, strict=True):
            if node in ids:
                first_origins.setdefault(node, origin)
    found_origins = [origin for origin in first_origins.values() if origin is not None]
    is_complete = len(found_origins) == len(first_origins)
    return Nodes(tuple(first_origins), tuple(found_origins) if is_complete else ())


def take_from_end(
    members: Sequence[Member], number: Cell | None, position: int, *, last: bool
) -> Sequence[Member]:
    """Return the first or last ``number`` members (1 if None)."""
    count = 1.0
    if number is not None:
        count = (number.value and number.value.number) or 0.0
        if count < 1 or not count.is_integer():
            message = f"first and last take a whole number from 1, not {number.text[:60]!r}"
            raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    return members[-int(count) :] if last else members[: int(count)]
