"""Set functions over nodes and cells.

Nodes are the same by their ids, without looking at them. A literal or a computed value has no id: it is the
same as a node of that text, number or date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..mapping import fold
from ..values import read_value
from .results import Cell, Cells, Nodes, Refused
from .testing import equal


class Index:
    """Which cells a set holds."""

    def __init__(self, cells: Iterable[Cell], *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._nodes: set[int] = set()
        self._texts: dict[str, list[Cell]] = {}
        self._values: list[Cell] = []
        for cell in cells:
            if cell.node is not None:
                self._nodes.add(cell.node)
            self._texts.setdefault(fold(cell.text), []).append(cell)
            if cell.value is not None and cell.node is None:
                self._values.append(cell)
        self._read = {
            (c.value.number, c.value.unit, c.value.start, c.value.end): c
            for same in self._texts.values() for c in same if c.value is not None
        }  # fmt: skip

    def __contains__(self, cell: Cell) -> bool:
        if cell.node is not None and cell.node in self._nodes:
            return True
        for other in self._texts.get(fold(cell.text), ()):
            joined = self._by_name or cell.node is None or other.node is None
            if joined and equal(cell, other):
                return True
        if cell.value is None:
            return False
        if cell.node is None:
            return any(equal(cell, other) for other in self._read.values())
        return any(equal(cell, other) for other in self._values)


def distinct(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Each member once, the first of those that are the same; a name and its node are one."""
    found: dict[object, Cell] = {}
    for cell in cells:
        found.setdefault(cell.identity, cell)
    nodes = [cell for cell in found.values() if cell.node is not None]
    if not nodes or len(nodes) == len(found):
        return tuple(found.values())
    index = Index(nodes)
    return tuple(c for c in found.values() if c.node is not None or c not in index)


def intersection(sets: Sequence[Sequence[Cell]], *, by_name: bool = False) -> Cells:
    """Members of the first that all others hold."""
    others = [Index(cells, by_name=by_name) for cells in sets[1:]]
    return Cells(tuple(c for c in distinct(sets[0]) if all(c in other for other in others)))


def union(sets: Sequence[Sequence[Cell]]) -> Cells:
    """Members of any."""
    return Cells(distinct(cell for cells in sets for cell in cells))


def difference(sets: Sequence[Sequence[Cell]], *, by_name: bool = False) -> Cells:
    """Members of the first that no other holds."""
    others = [Index(cells, by_name=by_name) for cells in sets[1:]]
    return Cells(tuple(c for c in distinct(sets[0]) if not any(c in other for other in others)))


def of_nodes(function: str, sets: Sequence[Nodes]) -> Nodes:
    """``set_intersection``, ``set_union`` or ``set_difference`` by ids alone."""
    first, *rest = sets
    if function == "set_union":
        return _with_origins(sets, set().union(*(nodes.ids for nodes in sets)))
    others = [set(nodes.ids) for nodes in rest]
    if function == "set_intersection":
        kept = set(first.ids).intersection(*others)
        if not kept and len(sets) == 2 and (rows := _through_rows(first, sets[1])):
            return Nodes(tuple(rows))
    else:
        kept = set(first.ids).difference(*others)
        if len(sets) == 2 and len(kept) == len(set(first.ids)):
            return _without_rows(first, sets[1])
    return _with_origins(sets[:1], kept)


def _without_rows(first: Nodes, second: Nodes) -> Nodes:
    """Rows without those that cells stand for, or cells without those of rows."""
    standing = set(second.origins)
    kept = {node for node in first.ids if node not in standing}
    if len(kept) < len(set(first.ids)) or not first.origins:
        return _with_origins([first], kept)
    rows = set(second.ids)
    places = [place for place, origin in enumerate(first.origins) if origin not in rows]
    left = Nodes([first.ids[p] for p in places], [first.origins[p] for p in places])
    return _with_origins([left], set(left.ids))


def _through_rows(first: Nodes, second: Nodes) -> dict[int, None]:
    """Members of one that the cells of the other stand for."""
    for rows, cells in ((first, second), (second, first)):
        standing = set(cells.origins)
        if found := dict.fromkeys(node for node in rows.ids if node in standing):
            return found
    return {}


def _with_origins(sets: Sequence[Nodes], kept: set[int]) -> Nodes:
    """Each member once, with where it was found first."""
    found: dict[int, int | None] = {}
    for nodes in sets:
        origins: Sequence[int | None] = nodes.origins or [None] * len(nodes.ids)
        for node, origin in zip(nodes.ids, origins, strict=True):
            if node in kept:
                found.setdefault(node, origin)
    known = [origin for origin in found.values() if origin is not None]
    return Nodes(tuple(found), tuple(known) if len(known) == len(found) else ())


Member = TypeVar("Member")


def end_of(
    members: Sequence[Member], number: Cell | None, position: int, *, last: bool
) -> Sequence[Member]:
    """The first or last of members in their order, or so many of them.

    Raises:
        Refused: ``number`` is no whole number from 1.
    """
    value = read_value("1") if number is None else number.value
    many = None if value is None else value.number
    if many is None or many < 1 or not many.is_integer():
        told = "" if number is None else number.text[:60]
        message = f"first and last take a whole number from 1, not {told!r}"
        raise Refused("not comparable", message, position)
    return members[-int(many) :] if last else members[: int(many)]
