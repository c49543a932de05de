"""Reasoning functions by name: what each makes of its operands.

One row a function. A row says whether it works on nodes as they are or on cells; whatever needs the
database (neighbouring rows, all others of a source, columns) is the executor's, which hands over cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from . import figures, sets
from .results import Cell, Cells, Outcome, Refused, Table, number, truth
from .tables import descending
from .testing import extremes, frequent, keep, order_of, selected


@dataclass
class Operands:
    """What a function is given: a sequence of cells for each operand, and options by name.

    ``remarks`` collects what the trace has to tell. ``by_name``: members come from several datasets.
    """

    cells: Sequence[Sequence[Cell]]
    position: int
    options: Mapping[str, Sequence[tuple[str, Sequence[Cell]]]] = field(default_factory=dict)
    by_name: bool = False
    remarks: list[str] = field(default_factory=list)

    @property
    def all(self) -> tuple[Cell, ...]:
        """The entries of all operands."""
        return tuple(cell for cells in self.cells for cell in cells)

    def cell(self, option: str) -> Cell | None:
        """The first member of what is given for an option."""
        return next((cells[0] for _, cells in self.options.get(option, ()) if cells), None)

    def text(self, option: str) -> str | None:
        """The text of that."""
        given = self.cell(option)
        return None if given is None else given.text

    def single(self, place: int) -> Cell:
        """The one distinct member of an operand.

        Raises:
            Refused: it has none, or several.
        """
        members = sets.distinct(self.cells[place])
        if len(members) == 1:
            return members[0]
        told = "nothing" if not members else f"{len(members)} different values"
        message = f"needs one value, and operand {place + 1} is {told}"
        raise Refused("not one value" if members else "nothing given", message, self.position)


Function: TypeAlias = Callable[[Operands], Outcome]


def _count(given: Operands) -> Outcome:
    if (given.text("distinct") or "").casefold() in ("false", "no", "0"):
        return Cells((number(len(given.all)),))
    return Cells((number(len(sets.distinct(given.all))),))


def _extreme(*, upper: bool) -> Function:
    def found(given: Operands) -> Outcome:
        cells = given.all
        places, warning = extremes(cells, upper)
        if warning:
            given.remarks.append(f"{'max' if upper else 'min'} {warning}")
        if not places:
            return Cells()
        # One value, as written first; tied entries of other rows stand beside it.
        first = cells[places[0]]
        same = (cells[place] for place in places if cells[place].text == first.text)
        return Cells(tuple(cell for cell in same if cell.identity == first.identity))

    return found


def _figure(compute: Callable[[Sequence[Cell], int], tuple[Cell, int]]) -> Function:
    def found(given: Operands) -> Outcome:
        cell, skipped = compute(given.all, given.position)
        if skipped:
            given.remarks.append(f"{skipped} of {len(given.all)} are no numbers")
        return Cells((figures.measured(cell, given.all),))

    return found


def _difference(unit: str | None = None, *, sets_too: bool = False, said: bool = False) -> Function:
    apart = figures.lasting if said else figures.distance
    extent = figures.lasted if said else figures.extent

    def found(given: Operands) -> Outcome:
        wanted = given.text("unit") or unit
        members = [sets.distinct(cells) for cells in given.cells]
        if len(members) == 1 and len(members[0]) > 2 and any(map(_is_number, members[0])):
            message = f"a distance needs two values, and it was given {len(members[0])}"
            raise Refused("not one value", message, given.position)
        if len(members) == 1 and len(members[0]) != 2:
            return Cells(tuple(extent(cell, wanted, given.position) for cell in members[0]))
        if len(members) == 1:
            first, second = members[0]
        elif sets_too and len(members[0]) + len(members[1]) > 2 and all(members):
            return sets.difference(given.cells, by_name=given.by_name)
        else:
            first, second = given.single(0), given.single(1)
        figure = apart(first, second, wanted, given.position)
        return Cells((figure if wanted else figures.measured(figure, (first, second)),))

    return found


def _is_number(cell: Cell) -> bool:
    return cell.value is not None and cell.value.number is not None


def _each(compute: Callable[[Cell, int], Cell]) -> Function:
    return lambda given: Cells(tuple(compute(cell, given.position) for cell in given.all))


def _abs(given: Operands) -> Outcome:
    found = ((figures.absolute(cell, given.position), cell) for cell in given.all)
    return Cells(tuple(figures.measured(figure, (cell,)) for figure, cell in found))


def _sort(given: Operands) -> Outcome:
    cells = given.all
    downwards = descending(given.text("order") or "")
    read = [(cell.value, cell) for cell in cells if cell.value is not None]
    if read and len(read) * 2 >= len(cells):
        key = order_of([value for value, _ in read])
        read.sort(key=lambda pair: key(pair[0]), reverse=downwards)
        return Cells((*(cell for _, cell in read), *(c for c in cells if c.value is None)))
    return Cells(tuple(sorted(cells, key=lambda c: c.text.casefold(), reverse=downwards)))


def _end(*, last: bool) -> Function:
    def found(given: Operands) -> Outcome:
        cells = given.all
        if cells and all(cell.position is not None for cell in cells):
            cells = tuple(sorted(cells, key=lambda cell: cell.position or 0))
        return Cells(tuple(sets.end_of(cells, given.cell("number"), given.position, last=last)))

    return found


def _mode(given: Operands) -> Outcome:
    cells = given.all
    places = frequent([cell.identity for cell in cells], True)  # the most
    if len(cells) == len(sets.distinct(cells)) > 1:
        message = f"mode needs members that occur more often than others: each of {len(cells)} occurs once"
        raise Refused("not comparable", message, given.position)
    return Cells(sets.distinct(cells[place] for place in places))


def _count_by(given: Operands) -> Outcome:
    """How often each member occurs, what occurs most first."""
    found: dict[object, list[Cell]] = {}
    for cell in given.all:
        found.setdefault(cell.identity, []).append(cell)
    name = given.text("column") or "member"
    groups = sorted(found.values(), key=lambda same: (-len(same), same[0].text))
    return Table((name, "count"), tuple((same[0], number(len(same))) for same in groups))


def _contains(given: Operands) -> Outcome:
    """Whether one holds the other: all of the smaller side."""
    first, second = (sets.distinct(cells) for cells in given.cells)
    small, large = (second, first) if len(second) <= len(first) else (first, second)
    index = sets.Index(large, by_name=True)
    return truth(bool(small) and all(cell in index for cell in small))


def _equals(given: Operands) -> Outcome:
    first, second = given.cells[:2]
    one, two = sets.Index(first, by_name=True), sets.Index(second, by_name=True)
    same = all(cell in two for cell in first) and all(cell in one for cell in second)
    return truth(same and bool(first) == bool(second))


def _compared(operator: str) -> Function:
    def found(given: Operands) -> Outcome:
        first, second = given.cells[:2]
        if operator == "=":
            return _equals(given)
        if operator == "!=":
            equal = _equals(given)
            assert isinstance(equal, Cells)
            return truth(not equal.members[0].computed)
        return truth(bool(keep(first, operator, second, given.position).places))

    return found


def holds(cells: Sequence[Cell]) -> bool:
    """Whether a condition is fulfilled: a truth that is, a number but 0, or a result that has members."""
    if len(cells) == 1:
        only = cells[0]
        if only.computed is not None:
            return bool(only.computed)
        if only.text.casefold() in ("no", "false"):
            return False
    return bool(cells)


def _if(given: Operands) -> Outcome:
    condition, *cases = given.cells
    if holds(condition):
        return Cells(tuple(cases[0]))
    return Cells(tuple(cases[1]) if len(cases) > 1 else ())


def _and(given: Operands) -> Outcome:
    if all(len(c) == 1 and isinstance(c[0].computed, bool) for c in given.cells):
        return truth(all(holds(cells) for cells in given.cells))
    return sets.intersection(given.cells, by_name=given.by_name)


def _or(given: Operands) -> Outcome:
    if all(len(c) == 1 and isinstance(c[0].computed, bool) for c in given.cells):
        return truth(any(holds(cells) for cells in given.cells))
    return sets.union(given.cells)


def _pair(compute: Callable[[Cell, Cell, int], Cell]) -> Function:
    return lambda given: Cells((compute(given.single(0), given.single(1), given.position),))


def _minus(given: Operands) -> Outcome:
    first, second = given.single(0), given.single(1)
    figure = figures.minus(first, second, given.position)
    return Cells((figures.measured(figure, (first, second)),))


def _keep(given: Operands) -> Outcome:
    cells = given.all
    for operator, bounds in given.options.get("value", ()):
        kept = selected(cells, operator, bounds, given.position)
        if kept.skipped:
            given.remarks.append(f"{kept.skipped} could not be compared")
        cells = tuple(cells[place] for place in kept.places)
    return Cells(cells)


REASONING: dict[str, Function] = {
    "set_intersection": lambda given: sets.intersection(given.cells, by_name=given.by_name),
    "set_union": lambda given: sets.union(given.cells),
    "set_difference": lambda given: sets.difference(given.cells, by_name=given.by_name),
    "keep": _keep,
    "count": _count,
    "max": _extreme(upper=True),
    "min": _extreme(upper=False),
    "sum": _figure(figures.added),
    "mean": _figure(figures.mean),
    "difference": _difference(sets_too=True),
    "distance": _difference(),
    "duration": _difference(said=True),
    "year_difference": _difference("years"),
    "days_difference": _difference("days"),
    "product": lambda given: Cells(
        (figures.product([given.single(i) for i in range(len(given.cells))], given.position),)
    ),
    "ratio": _pair(figures.ratio),
    "number": _each(figures.plain),
    "abs": _abs,
    "year": _each(figures.year),
    "sort": _sort,
    "first": _end(last=False),
    "last": _end(last=True),
    "mode": _mode,
    "count_by": _count_by,
    "distinct": lambda given: Cells(sets.distinct(given.all)),
    "contains": _contains,
    "equals": _equals,
    "is_empty": lambda given: truth(not given.all),
    "exists": lambda given: truth(bool(given.all)),
    "holds": lambda given: truth(holds(given.cells[0])),
    "if": _if,
    "greater_than": _compared(">"),
    "less_than": _compared("<"),
    "at_least": _compared(">="),
    "at_most": _compared("<="),
    "and": _and,
    "or": _or,
    "in": _contains,
    "+": _figure(figures.added),
    "-": _minus,
    "*": lambda given: REASONING["product"](given),
    "/": _pair(figures.ratio),
    **{operator: _compared(operator) for operator in ("=", "!=", "<", "<=", ">", ">=")},
}
"""Every reasoning function of the table that needs no database, and every infix operator."""
