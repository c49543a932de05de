"""The functions of the language that need no database, by name.

Each takes the cells of its operands. Functions that read neighbouring rows, other members of a source or
columns of a table belong to the executor.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from ..deadline import watch
from ..language.ast import ProblemKind
from ..language.functions import DESCENDING, FUNCTIONS, SUMMARIES, get_row
from ..language.signatures import Trait
from ..values import read_value
from . import arithmetic, sets
from .conditions import (
    filter_cells,
    find_extremes,
    find_frequent,
    find_undecided_times,
    rank_texts,
    select_cells,
    sort_key,
)
from .date_parts import DATE_PARTS
from .notes import NoteCollector, NoteKind
from .results import (
    Cell,
    Cells,
    EvaluationError,
    Nodes,
    StepOutcome,
    Table,
    make_number,
    make_truth,
)


@dataclass
class Operands:
    """The cells of each operand, and options by name, each with its operators and cells.

    ``by_name`` is True if the members come from several datasets. ``notes`` collects what was left out.
    """

    cells: Sequence[Sequence[Cell]]
    position: int
    options: Mapping[str, Sequence[tuple[str, Sequence[Cell]]]] = field(default_factory=dict)
    by_name: bool = False
    notes: NoteCollector = field(default_factory=NoteCollector)

    @property
    def all(self) -> tuple[Cell, ...]:
        return tuple(cell for cells in self.cells for cell in cells)

    def option_cell(self, name: str) -> Cell | None:
        return next((cells[0] for _, cells in self.options.get(name, ()) if cells), None)

    def option_text(self, name: str) -> str:
        cell = self.option_cell(name)
        return "" if cell is None else cell.text

    def single(self, index: int) -> Cell:
        """Return the only distinct member of an operand."""
        members = sets.distinct_cells(self.cells[index])
        if len(members) == 1:
            return members[0]
        description = f"{len(members)} different values" if members else "nothing"
        kind = ProblemKind.NOT_ONE_VALUE if members else ProblemKind.NOTHING_GIVEN
        message = f"needs one value, and operand {index + 1} is {description}"
        raise EvaluationError(kind, message, self.position)


Implementation: TypeAlias = Callable[[Operands], StepOutcome]


def _count(operands: Operands) -> StepOutcome:
    if operands.option_text("distinct").casefold() in ("false", "no", "0"):
        return Cells((make_number(len(operands.all)),))
    return Cells((make_number(len(sets.distinct_cells(operands.all))),))


def _extreme(*, upper: bool) -> Implementation:
    def evaluate(operands: Operands) -> StepOutcome:
        cells = operands.all
        selection = find_extremes(cells, upper)
        selection.add_notes(operands.notes, cells)
        places = selection.places
        if not places:
            return Cells()
        # One value, as written first, with the same values of other rows.
        first = cells[places[0]]
        same_text = (cells[place] for place in places if cells[place].text == first.text)
        return Cells(tuple(cell for cell in same_text if cell.identity == first.identity))

    return evaluate


def _aggregate(compute: Callable[[Sequence[Cell], int], tuple[Cell, list[Cell]]]) -> Implementation:
    def evaluate(operands: Operands) -> StepOutcome:
        cells = operands.all
        number, skipped = compute(cells, operands.position)
        operands.notes.exclude(skipped, len(cells))
        return Cells((arithmetic.restore_unit(number, cells, arithmetic.choose_unit(cells)),))

    return evaluate


def _distance(
    default_unit: str = "", *, allows_sets: bool = False, with_unit: bool = False
) -> Implementation:
    measure = arithmetic.measure_duration if with_unit else arithmetic.measure_distance
    measure_one = arithmetic.measure_range_duration if with_unit else arithmetic.measure_extent

    def evaluate(operands: Operands) -> StepOutcome:
        unit, position = operands.option_text("unit") or default_unit or None, operands.position
        members = [sets.distinct_cells(cells) for cells in operands.cells]
        if len(members) == 1 and len(members[0]) != 2:
            if len(members[0]) > 2 and any(map(arithmetic.is_number, members[0])):
                message = f"a distance needs two values, not {len(members[0])}"
                raise EvaluationError(ProblemKind.NOT_ONE_VALUE, message, position)
            return Cells(tuple(measure_one(cell, unit, position) for cell in members[0]))
        if len(members) == 1:
            first, second = members[0]
        elif allows_sets and all(members) and len(members[0]) + len(members[1]) > 2:
            return sets.subtract_cells(operands.cells, by_name=operands.by_name)
        else:
            first, second = operands.single(0), operands.single(1)
        distance = measure(first, second, unit, position)
        return Cells((distance if unit else _restore_difference(distance, first, second),))

    return evaluate


def _for_each(compute: Callable[[Cell, int], Cell]) -> Implementation:
    return lambda operands: Cells(
        tuple(compute(cell, operands.position) for cell in watch(operands.all))
    )


def _for_pair(compute: Callable[[Cell, Cell, int], Cell]) -> Implementation:
    return lambda o: Cells((compute(o.single(0), o.single(1), o.position),))


def _percentage(operands: Operands) -> StepOutcome:
    """Compute how many percent of the second set are in the first; of an empty set there is no percentage."""
    whole = sets.distinct_cells(operands.cells[1])
    if not whole:
        return Cells()
    part = sets.intersect_cells(operands.cells[::-1], by_name=operands.by_name)
    number = make_number(100 * len(part) / len(whole))
    return Cells((Cell(f"{number.text}%", read_value(f"{number.text}%"), number.computed),))


def _absolute(cell: Cell, position: int) -> Cell:
    return arithmetic.restore_unit(arithmetic.make_absolute(cell, position), (cell,))


def _difference(first: Cell, second: Cell, position: int) -> Cell:
    difference = arithmetic.subtract_numbers(first, second, position)
    return _restore_difference(difference, first, second)


def _restore_difference(difference: Cell, first: Cell, second: Cell) -> Cell:
    """Write a difference in the unit of the first operand."""
    unit = None if first.value is None else first.value.unit
    return arithmetic.restore_unit(difference, (first, second), unit)


def _product(operands: Operands) -> StepOutcome:
    cells = [operands.single(index) for index in range(len(operands.cells))]
    return Cells((arithmetic.multiply_numbers(cells, operands.position),))


def _sort(operands: Operands) -> StepOutcome:
    cells = operands.all
    descending = operands.option_text("order") == DESCENDING
    readable = [cell for cell in watch(cells) if cell.value is not None]
    rest = [cell for cell in cells if cell.value is None]
    if readable and len(readable) * 2 >= len(cells):
        operands.notes.add_cells(NoteKind.NOT_SORTABLE, rest, len(cells))
        operands.notes.add_cells(NoteKind.TIME_OF_DAY, find_undecided_times(cells), len(cells))
        readable.sort(key=sort_key(readable), reverse=descending)
        return Cells((*readable, *rest))
    if readable:
        operands.notes.add_cells(NoteKind.ALPHABET, cells, len(cells))
    return Cells(
        tuple(sorted(watch(cells), key=lambda cell: cell.text.casefold(), reverse=descending))
    )


def _take(*, last: bool) -> Implementation:
    def evaluate(operands: Operands) -> StepOutcome:
        cells = operands.all
        if cells and all(cell.position is not None for cell in cells):
            cells = tuple(sorted(cells, key=lambda cell: cell.position or 0))
        number = operands.option_cell("number")
        return Cells(tuple(sets.take_from_end(cells, number, operands.position, last=last)))

    return evaluate


def _mode(operands: Operands) -> StepOutcome:
    cells = operands.all
    if len(cells) == len(sets.distinct_cells(cells)) > 1:
        message = f"mode needs members that occur more often than others: each of {len(cells)} occurs once"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, operands.position)
    places = find_frequent([cell.identity for cell in watch(cells)], most=True)
    return Cells(sets.distinct_cells(cells[place] for place in places))


def _count_by(operands: Operands) -> StepOutcome:
    """Count each member, the most frequent first."""
    groups: dict[object, list[Cell]] = {}
    for cell in watch(operands.all):
        groups.setdefault(cell.identity, []).append(cell)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].text))
    rows = tuple((group[0], make_number(len(group))) for group in ordered)
    return Table((operands.option_text("column") or "member", "count"), rows)


def _contains(operands: Operands) -> StepOutcome:
    first, second = (sets.distinct_cells(cells) for cells in operands.cells)
    small, large = (second, first) if len(second) <= len(first) else (first, second)
    index = sets.CellIndex(large, by_name=True)
    return make_truth(bool(small) and all(cell in index for cell in watch(small)))


def _are_equal(operands: Operands) -> bool:
    first, second = operands.cells[:2]
    in_first, in_second = (sets.CellIndex(cells, by_name=True) for cells in (first, second))
    return (
        bool(first) == bool(second)
        and all(cell in in_second for cell in watch(first))
        and all(cell in in_first for cell in watch(second))
    )


def _compare(operator: str) -> Implementation:
    def evaluate(operands: Operands) -> StepOutcome:
        if operator in ("=", "!="):
            return make_truth(_are_equal(operands) == (operator == "="))
        first, second = operands.cells[:2]
        if len(first) == len(second) == 1:
            first, second = ((cell,) for cell in rank_texts(first[0], second[0]))
        selection = filter_cells(first, operator, second, operands.position)
        selection.add_notes(operands.notes, first)
        return make_truth(bool(selection.places))

    return evaluate


def is_fulfilled(cells: Sequence[Cell]) -> bool:
    """Return whether a condition is fulfilled: yes, a number except 0, or a set with members."""
    if len(cells) == 1:
        (cell,) = cells
        if cell.computed is not None:
            return bool(cell.computed)
        if cell.text.casefold() in ("no", "false"):
            return False
    return bool(cells)


def _if(operands: Operands) -> StepOutcome:
    condition, *cases = operands.cells
    if is_fulfilled(condition):
        return Cells(tuple(cases[0]))
    return Cells(tuple(cases[1]) if len(cases) > 1 else ())


def _and(operands: Operands) -> StepOutcome:
    if _are_truths(operands):
        return make_truth(all(is_fulfilled(cells) for cells in operands.cells))
    return sets.intersect_cells(operands.cells, by_name=operands.by_name)


def _or(operands: Operands) -> StepOutcome:
    if _are_truths(operands):
        return make_truth(any(is_fulfilled(cells) for cells in operands.cells))
    return sets.unite_cells(operands.cells)


def _are_truths(operands: Operands) -> bool:
    return all(len(c) == 1 and isinstance(c[0].computed, bool) for c in operands.cells)


def _plus(operands: Operands) -> StepOutcome:
    """Add up operands, each of which needs a number."""
    for cells in operands.cells:
        if not any(map(arithmetic.is_number, cells)):
            arithmetic.require_number(cells[0], "+", operands.position)  # raises
    return IMPLEMENTATIONS["sum"](operands)


def _keep(operands: Operands) -> StepOutcome:
    cells = operands.all
    for operator, bounds in operands.options.get("value", ()):
        selected = select_cells(
            cells, operator, bounds, operands.position, by_name=operands.by_name
        )
        selected.add_notes(operands.notes, cells)
        cells = tuple(cells[place] for place in selected.places)
    return Cells(cells)


def _compute_summary(
    of_total: Callable[[float, int], float] | None,
) -> Callable[[Sequence[float]], float]:
    """Return what computes a summary of numbers: the median needs all of them, others their total."""
    if of_total is None:
        return statistics.median
    return lambda numbers: of_total(sum(numbers), len(numbers))


NUMBER_AGGREGATES: dict[str, Callable[[Sequence[Cell], int], tuple[Cell, list[Cell]]]] = {
    name: partial(arithmetic.summarize_numbers, name, _compute_summary(get_row(name).of_total))
    for name in SUMMARIES
}
"""Function → the number that it makes of the numbers among cells, and the cells that are none."""

NODE_FUNCTIONS: dict[str, Callable[[Sequence[Nodes]], Nodes]] = {
    "set_intersection": sets.intersect_nodes,
    "set_union": sets.unite_nodes,
    "set_difference": sets.subtract_nodes,
    "and": sets.intersect_nodes,
    "or": sets.unite_nodes,
}
"""Set functions over nodes, whose names need not be read."""

IMPLEMENTATIONS: dict[str, Implementation] = {
    "set_intersection": lambda o: sets.intersect_cells(o.cells, by_name=o.by_name),
    "set_union": lambda o: sets.unite_cells(o.cells),
    "set_difference": lambda o: sets.subtract_cells(o.cells, by_name=o.by_name),
    "keep": _keep,
    "count": _count,
    "max": _extreme(upper=True),
    "min": _extreme(upper=False),
    **{name: _aggregate(compute) for name, compute in NUMBER_AGGREGATES.items()},
    "percentage": _percentage,
    "difference": _distance(allows_sets=True),
    "distance": _distance(),
    "duration": _distance(with_unit=True),
    "year_difference": _distance("years"),
    "days_difference": _distance("days"),
    "product": _product,
    "ratio": _for_pair(arithmetic.divide_numbers),
    "number": _for_each(arithmetic.extract_number),
    "abs": _for_each(_absolute),
    **{name: _for_each(extract) for name, extract in DATE_PARTS.items()},
    "sort": _sort,
    "first": _take(last=False),
    "last": _take(last=True),
    "mode": _mode,
    "count_by": _count_by,
    "distinct": lambda o: Cells(sets.distinct_cells(o.all)),
    "contains": _contains,
    "equals": _compare("="),
    "is_empty": lambda o: make_truth(not o.all),
    "exists": lambda o: make_truth(bool(o.all)),
    "holds": lambda o: make_truth(is_fulfilled(o.cells[0])),
    "if": _if,
    **{f.name: _compare(f.sign) for f in FUNCTIONS if Trait.ORDERS in f.traits},
    "and": _and,
    "or": _or,
    "in": _contains,
    "+": _plus,
    "-": _for_pair(_difference),
    "*": _product,
    "/": _for_pair(arithmetic.divide_numbers),
    **{operator: _compare(operator) for operator in ("=", "!=", "<", "<=", ">", ">=")},
}
