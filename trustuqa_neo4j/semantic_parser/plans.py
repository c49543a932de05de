"""Typed plans that make the answer of a question over one table, from rows that are selected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from ..language.functions import DIFFERENCE, ENDS, ENDS_OF_COUNTS, INTERSECTION, TOTAL
from ..language.printer import quote_name
from ..language.selectors import EXTREMES, MOST
from ..reasoning.conditions import find_extremes, sort_key
from ..reasoning.date_parts import DATE_PARTS
from ..reasoning.results import Cell, EvaluationError, make_number
from ..reasoning.sets import distinct_cells
from ..values import read_value
from .row_plans import (
    CellCounts,
    CellMatch,
    ColumnCells,
    Denoted,
    FrequentRows,
    PlanFailure,
    Rows,
    StepWriter,
    ValueCount,
    apply_function,
    cell_texts,
    denote_cells,
    fill_rows,
    find_operands,
    number_cells,
    plain_name,
    write_group_value,
    write_table,
)
from .snapshot import RowSet, TableSnapshot

MONTH, MONTH_NAME = "month", "month_name"  # of one year, and of all years together


@dataclass(frozen=True, slots=True)
class RowCount:
    rows: Rows

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return (float(len(self.rows.evaluate(table))),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"count(set={self.rows.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of several columns, row by row."""

    rows: Rows
    columns: tuple[int, ...]

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        columns = [table.columns[column] for column in self.columns]
        if any(column.further for column in columns):
            raise PlanFailure
        rows = self.rows.evaluate(table)
        return tuple(cell.text for row in rows for c in columns if (cell := c.cells[row]))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        names = [table.columns[column].name for column in self.columns]
        return write_table(self.rows, dict(zip(names, names, strict=True)), steps, table)


@dataclass(frozen=True, slots=True)
class MemberCells:
    """The cells of ``rows`` without those, or only those, that ``other`` rows have too.

    *who never ordered rice* asks for members, who may have several rows, and not for rows.
    """

    rows: Rows
    other: Rows
    column: int
    is_shared: bool  # only those that both have

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        others = {*cell_texts(table, self.column, self.other)}
        cells = dict.fromkeys(cell_texts(table, self.column, self.rows))
        return tuple(text for text in cells if (text in others) == self.is_shared)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first = ColumnCells(self.rows, self.column).write(steps, table)
        second = ColumnCells(self.other, self.column).write(steps, table)
        function = INTERSECTION if self.is_shared else DIFFERENCE
        return steps.add(f"{function}(set1={first}, set2={second})")


@dataclass(frozen=True, slots=True)
class MemberCellCount:
    cells: MemberCells

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return (float(len(self.cells.evaluate(table))),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"count(set={self.cells.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class RowShare:
    """How many percent of ``other`` rows are among ``rows``."""

    rows: Rows
    other: Rows

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        whole = {*self.other.evaluate(table)}
        if not whole:
            raise PlanFailure
        return (100 * len(whole.intersection(self.rows.evaluate(table))) / len(whole),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        part, whole = self.rows.write(steps, table), self.other.write(steps, table)
        return steps.add(f"percentage(part={part}, whole={whole})")


@dataclass(frozen=True, slots=True)
class CellAggregate:
    rows: Rows
    column: int
    function: str  # of SUMMARIES

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return denote_cells(self.compute(table))

    def compute(self, table: TableSnapshot) -> tuple[Cell, ...]:
        cells, numbers = (
            table.columns[self.column].cells,
            number_cells(table, self.column, self.rows),
        )
        # Beside an empty cell, a result has no unit.
        empty = (Cell("") for row in self.rows.evaluate(table) if cells[row] is None)
        return apply_function(self.function, (*numbers, *empty))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write_all(steps, table)
        return steps.add(f"{self.function}(set={cells})")


@dataclass(frozen=True, slots=True)
class SumShare:
    """How many percent of the sum over ``other`` rows those among them make that are in ``rows``."""

    rows: Rows
    other: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        if not {*self.rows.evaluate(table)} <= {*self.other.evaluate(table)}:
            raise PlanFailure
        part, whole = (total.compute(table) for total in self._totals)
        units = {cell.value.unit for cell in (*part, *whole) if cell.value}
        if len(units) != 1:
            raise PlanFailure  # a ratio compares the numbers alone
        hundred = Cell("100", read_value("100"))
        return denote_cells(
            apply_function("product", apply_function("ratio", part, whole), (hundred,))
        )

    @property
    def _totals(self) -> tuple[CellAggregate, CellAggregate]:
        return (
            CellAggregate(self.rows, self.column, TOTAL),
            CellAggregate(self.other, self.column, TOTAL),
        )

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        part, whole = (total.write(steps, table) for total in self._totals)
        return steps.add(f"product(a={steps.add(f'ratio(a={part}, b={whole})')}, b=100)")


@dataclass(frozen=True, slots=True)
class AggregateDifference:
    """How far two sums, means or medians of a column are apart."""

    first: CellAggregate
    second: CellAggregate

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        values = self.first.compute(table), self.second.compute(table)
        return denote_cells(apply_function("difference", *values))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first, second = self.first.write(steps, table), self.second.write(steps, table)
        return steps.add(f"difference(a={first}, b={second})")


@dataclass(frozen=True, slots=True)
class ColumnDifference:
    """How far the cells of two columns are apart, each of which has one."""

    first: ColumnCells
    second: ColumnCells
    function: str  # difference, of numbers; days_difference or year_difference, of dates

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        parts = self.first, self.second
        values = [find_operands(table, part.column, part.rows) for part in parts]
        if any(len(value) != 1 for value in values):
            raise PlanFailure
        return denote_cells(apply_function(self.function, *values))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first, second = self.first.write(steps, table), self.second.write(steps, table)
        return steps.add(f"{self.function}(a={first}, b={second})")


@dataclass(frozen=True, slots=True)
class CountDifference:
    first: Rows
    second: Rows

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        counts = len(self.first.evaluate(table)), len(self.second.evaluate(table))
        return (float(abs(counts[0] - counts[1])),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first = RowCount(self.first).write(steps, table)
        second = RowCount(self.second).write(steps, table)
        return steps.add(f"difference(a={first}, b={second})")


@dataclass(frozen=True, slots=True)
class FrequentCells:
    """The most or least frequent cells of ``rows``."""

    rows: Rows
    column: int
    word: str  # most or least
    of: int | None = None  # different cells of another column are counted

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        counts = self._counts.count(table)
        is_repeated = table.is_sample or self.word != "most" or max(counts.values(), default=0) > 1
        if not counts or not is_repeated:
            raise PlanFailure
        best = max(counts.values()) if self.word == "most" else min(counts.values())
        texts = tuple(text for text, count in counts.items() if count == best)
        return texts[:1] if table.is_sample else texts  # ties of a sample say nothing

    @property
    def _counts(self) -> CellCounts:
        return CellCounts(self.rows, self.column, self.of)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        if self.word == "most" and self.of is None:
            return steps.add(f"mode(set={ColumnCells(self.rows, self.column).write(steps, table)})")
        function = ENDS_OF_COUNTS[MOST[self.word]]
        return steps.add(f"{function}(counts={self._counts.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class GroupKey:
    """Groups rows by the cells of ``column``, or by a ``part`` of each, such as its month."""

    column: int
    part: str = ""  # of DATE_PARTS; empty for the whole cell

    def read(self, row: int, table: TableSnapshot) -> str | None:
        column = table.columns[self.column]
        cell = column.cells[row]
        if cell is None:
            return None
        if not self.part:
            return cell.text
        try:
            return DATE_PARTS[self.part](column.operands[cell.text], 0).text
        except EvaluationError as error:
            raise PlanFailure from error

    def spans_years(self, rows: RowSet, table: TableSnapshot) -> bool:
        cells = (table.columns[self.column].cells[row] for row in rows)
        starts = (cell.value.start for cell in cells if cell and cell.value)
        return len({start // 10000 for start in starts if start is not None}) > 1

    def name(self, table: TableSnapshot) -> str:
        """Return the name of the column of groups."""
        plain = plain_name(table.columns[self.column].name)
        return f"{self.part} of {plain}" if self.part else plain

    def write(self, rows: str, steps: StepWriter, table: TableSnapshot) -> str:
        """Write the step that adds the part of ``rows``, the name of a table."""
        if not self.part:
            return rows
        plain, name = plain_name(table.columns[self.column].name), quote_name(self.name(table))
        operand = plain if plain.isidentifier() else quote_name(plain)
        expression = quote_name(f"{self.part}({operand})")
        return steps.add(f"calculate(set={rows}, expression={expression}, name={name})")


@dataclass(frozen=True, slots=True)
class GroupedValues:
    """A summary of ``column``, or the number of rows, for each group of rows."""

    rows: Rows
    keys: tuple[GroupKey, ...]
    column: int
    function: str  # count, or of SUMMARIES

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        groups = self.group_cells(table)
        return tuple(
            member for names, cell in groups.items() for member in (*names, *denote_cells((cell,)))
        )

    def group_cells(self, table: TableSnapshot) -> dict[tuple[str, ...], Cell]:
        column = table.columns[self.column]
        sources = [table.columns[key.column] for key in self.keys]
        names = {plain_name(source.name) for source in (*sources, column)}
        if len(names) <= len(sources) or any(s.further for s in (*sources, column)):
            raise PlanFailure
        rows = self._select_rows(table).evaluate(table)
        if any(k.part == MONTH_NAME and not k.spans_years(rows, table) for k in self.keys):
            raise PlanFailure  # within a year, the month says as much
        cells: dict[tuple[str, ...], list[Cell]] = {}
        sizes: Counter[tuple[str, ...]] = Counter()
        for row in rows:
            read = (key.read(row, table) for key in self.keys)
            group = tuple(text for text in read if text is not None)
            cell = column.cells[row]
            if len(group) < len(self.keys):
                continue
            if self.function == "count":
                sizes[group] += 1
            elif cell is not None:
                if cell.number is None:
                    raise PlanFailure
                sizes[group] += 1
            # Beside an empty cell, a result has no unit.
            cells.setdefault(group, []).append(
                Cell("") if cell is None else column.operands[cell.text]
            )
        is_of_parts = any(key.part for key in self.keys)
        if len(sizes) < 2 or (set(sizes.values()) == {1} and not is_of_parts):
            raise PlanFailure
        if self.function == "count":
            return {group: make_number(size) for group, size in sizes.items()}
        return {
            group: apply_function(self.function, cells[group])[0] for group in cells if sizes[group]
        }

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        used = (*(key.column for key in self.keys), self.column)
        written = [table.columns[column].name for column in used]
        names_of = {name: plain_name(name) for name in written}
        rows = write_table(self._select_rows(table), names_of, steps, table)
        for key in self.keys:
            rows = key.write(rows, steps, table)
        names = [quote_name(key.name(table)) for key in self.keys]
        by = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
        values = quote_name(write_group_value(self.function, plain_name(written[-1])))
        return steps.add(f"group_by(set={rows}, by={by}, values={values})")

    def _select_rows(self, table: TableSnapshot) -> Rows:
        """Return the rows of which each part of a date can be made."""
        rows = self.rows
        for key in self.keys:
            if key.part and table.columns[key.column].has_unknown_cells:
                rows = fill_rows(rows, key.column)
        return rows

    def name_value(self, table: TableSnapshot) -> str:
        """Return the name of the column of results."""
        value = write_group_value(self.function, plain_name(table.columns[self.column].name))
        return value.rpartition(" as ")[2]


@dataclass(frozen=True, slots=True)
class GroupExtreme:
    """The groups with the greatest or least summary of a column, or number of rows."""

    groups: GroupedValues
    word: str  # highest or lowest

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        groups = self.groups.group_cells(table)
        best = find_extremes([*groups.values()], self.word == "highest").places
        return tuple(name for place, names in enumerate(groups) if place in best for name in names)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        function = ENDS_OF_COUNTS[EXTREMES[self.word]]
        return steps.add(f"{function}(counts={self.groups.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class RankedGroups:
    """The ``number`` groups with the greatest or least value, in order, or only the last of them."""

    groups: GroupedValues
    word: str  # highest or lowest
    number: int
    is_top: bool

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        groups = self.groups.group_cells(table)
        key = sort_key([*groups.values()])
        readable = [name for name, cell in groups.items() if cell.value is not None]
        ranked = sorted(readable, key=lambda name: key(groups[name]), reverse=EXTREMES[self.word])
        if len(ranked) < self.number:
            raise PlanFailure
        ends = [key(groups[name]) for name in ranked[self.number - 1 : self.number + 1]]
        if len(ends) == 2 and ends[0] == ends[1]:
            raise PlanFailure  # of equal numbers, none comes first
        chosen = ranked[0 if self.is_top else self.number - 1 : self.number]
        return tuple(name for names in chosen for name in names)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        order = "descending" if EXTREMES[self.word] else "ascending"
        groups, by = self.groups.write(steps, table), quote_name(self.groups.name_value(table))
        ranked = steps.add(f"sort(set={groups}, by={by}, order={quote_name(order)})")
        first = steps.add(f"first(set={ranked}, number={self.number})")
        return first if self.is_top else steps.add(f"last(set={first}, number=1)")


@dataclass(frozen=True, slots=True)
class RankedCounts:
    """The cells that most or fewest rows have, in their order; the number of rows is shown beside each."""

    rows: FrequentRows

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return tuple(self.rows.rank(table))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return self.rows.write_ranking(steps, table)


@dataclass(frozen=True, slots=True)
class FrequentOfTwo:
    """The one of two cells that more (or fewer) rows have."""

    first: CellMatch
    second: CellMatch
    word: str  # most or least

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        first, second = len(self.first.evaluate(table)), len(self.second.evaluate(table))
        if first == second:
            raise PlanFailure
        is_first = (first > second) == (self.word == "most")
        return ((self.first if is_first else self.second).as_written(table)[0],)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first, second = (RowCount(rows).write(steps, table) for rows in (self.first, self.second))
        names = [quote_name(rows.as_written(table)[0]) for rows in (self.first, self.second)]
        operator = ">" if self.word == "most" else "<"
        return steps.add(f"if {first} {operator} {second} then {names[0]} else {names[1]}")


@dataclass(frozen=True, slots=True)
class CellSpread:
    """The difference of the greatest and the least cell."""

    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        numbers = number_cells(table, self.column, self.rows)
        highest, lowest = (apply_function(ENDS[upper], numbers) for upper in (True, False))
        return denote_cells(apply_function("difference", highest, lowest))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write_all(steps, table)
        highest, lowest = (steps.add(f"{ENDS[upper]}(set={cells})") for upper in (True, False))
        return steps.add(f"difference(a={highest}, b={lowest})")


@dataclass(frozen=True, slots=True)
class Existence:
    """Yes if there are such rows."""

    rows: Rows

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return ("yes" if self.rows.evaluate(table) else "no",)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"exists(set={self.rows.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class CellComparison:
    """How far the cells of two single rows are apart, or yes if that of the first is greater (or less)."""

    first: Rows
    second: Rows
    column: int
    operator: str = ""  # > or <; empty for the difference

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        first = _single_number(table, self.column, self.first)
        second = _single_number(table, self.column, self.second)
        return denote_cells(apply_function(self.operator or "difference", first, second))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first = ColumnCells(self.first, self.column).write(steps, table)
        second = ColumnCells(self.second, self.column).write(steps, table)
        if self.operator:
            return steps.add(f"{first} {self.operator} {second}")
        return steps.add(f"difference(a={first}, b={second})")


TablePlan: TypeAlias = (
    ColumnCells | MemberCells | RowCount | ValueCount | MemberCellCount | RowShare | CellAggregate
    | CountDifference | FrequentCells | RankedCounts | FrequentOfTwo | CellSpread
    | CellTable | Existence | CellComparison | GroupedValues | GroupExtreme | RankedGroups | SumShare
    | AggregateDifference | ColumnDifference
)  # fmt: skip


def write_query(plan: TablePlan, table: TableSnapshot) -> str:
    """Write ``plan`` as a query of the query language."""
    steps = StepWriter()
    plan.write(steps, table)
    return steps.text()


def _single_number(table: TableSnapshot, column: int, rows: Rows) -> tuple[Cell, ...]:
    cells = number_cells(table, column, rows)
    if len(distinct_cells(cells)) != 1:
        raise PlanFailure
    return cells


def walk_plan(node: object) -> Iterator[object]:
    """Yield the nodes of a plan, the outer ones first."""
    node_type: type = type(node)
    yield node
    for name in _child_names(node_type):
        child = getattr(node, name)
        if child is not None and not isinstance(child, (str, int)):
            yield from walk_plan(child)


@cache
def _child_names(node_type: type) -> tuple[str, ...]:
    names = ("rows", "first", "second", "excluded", "groups", "other", "cells")
    return tuple(name for name in names if hasattr(node_type, name))
