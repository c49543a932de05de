"""Typed plans of a question over one table: nodes that select rows, and nodes that make the answer.

Each node evaluates itself over a snapshot, and writes itself as steps of the query language, which mean the
same (``docs/language.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ..language.printer import quote_name
from ..reasoning.conditions import add_year, read_month
from ..values import Value, compare_values, is_on_yearly_days, read_value
from ..values.dates import has_year
from .question import days_of_month
from .snapshot import SnapshotCell, SnapshotColumn, TableSnapshot

RowSet: TypeAlias = tuple[int, ...]
Denoted: TypeAlias = "str | float"
"""A member of an answer: a text of the data, or a computed number."""

ROW_NUMBER = "row_number"


class PlanFailure(Exception):
    """The plan has no answer over this table, such as the sum of texts."""


class StepWriter:
    """Collects the steps of a query; equal steps are written once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, call: str) -> str:
        number = self._numbers.setdefault(call, len(self._numbers) + 1)
        return f"output_of_query{number}"

    def text(self) -> str:
        return "\n".join(f"Query{number}: {call}" for call, number in self._numbers.items())


def _search(head: str | None, relation: str, condition: str = "") -> str:
    arguments = [] if head is None else [f"head_entity={head}"]
    arguments.append(f"relation={quote_name(relation)}")
    if condition:
        arguments.append(condition)
    return f"get_information({', '.join(arguments)})"


def _names(texts: Iterable[str]) -> str:
    quoted = [quote_name(text) for text in texts]
    return quoted[0] if len(quoted) == 1 else f"[{', '.join(quoted)}]"


# Nodes that select rows


@dataclass(frozen=True, slots=True)
class AllRows:
    def evaluate(self, table: TableSnapshot) -> RowSet:
        return tuple(table.rows)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:  # noqa: ARG002 # as all nodes
        return steps.add(_search(None, ROW_NUMBER, "tail_entity>=1"))


def _write_head(rows: Rows, steps: StepWriter, table: TableSnapshot) -> str | None:
    return None if isinstance(rows, AllRows) else rows.write(steps, table)


@dataclass(frozen=True, slots=True)
class CellMatch:
    """The rows whose cell is one of ``texts``, which are normalized."""

    column: int
    texts: tuple[str, ...]

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows_by_text = table.columns[self.column].rows_by_text
        return tuple(sorted({row for text in self.texts for row in rows_by_text.get(text, ())}))

    def as_written(self, table: TableSnapshot) -> list[str]:
        column = table.columns[self.column]
        written: dict[str, None] = {}
        for row in self.evaluate(table):
            cell = column.cells[row]
            if cell is not None:
                written[cell.text] = None
        return list(written)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        name = table.columns[self.column].name
        return steps.add(_search(None, name, f"tail_entity={_names(self.as_written(table))}"))


@dataclass(frozen=True, slots=True)
class CellRange:
    """The rows whose cell compares with all ``bounds``: pairs of an operator and a text."""

    column: int
    bounds: tuple[tuple[str, str], ...]

    def evaluate(self, table: TableSnapshot) -> RowSet:
        column = table.columns[self.column]
        bounds = [(operator, _read_bound(operator, text, column)) for operator, text in self.bounds]
        return tuple(
            row
            for row, cell in enumerate(column.cells)
            if cell is not None and all(_passes(cell, *bound) for bound in bounds)
        )

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        condition = ", ".join(
            f"tail_entity{operator}{quote_name(text)}" for operator, text in self.bounds
        )
        return steps.add(_search(None, table.columns[self.column].name, condition))


def _read_bound(operator: str, text: str, column: SnapshotColumn) -> Value | None:
    """Read a number, date or month; None for a day without a year, if it could be of several years."""
    month = read_month(text)
    if month is not None:
        return days_of_month(month)
    bound = read_value(text)
    if bound is not None and operator != "=":
        bound = add_year(bound, (cell.value for cell in column.cells if cell is not None))
        if bound.start is not None and not has_year(bound.start):
            return None
    return bound


def _passes(cell: SnapshotCell, operator: str, bound: Value | None) -> bool:
    if cell.value is None or bound is None:
        return False
    if operator == "=" and is_on_yearly_days(cell.value, bound):
        return True
    return compare_values(cell.value, operator, bound) is True


@dataclass(frozen=True, slots=True)
class FilledRows:
    """The rows whose cell in ``column`` is not empty."""

    column: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        cells = table.columns[self.column].cells
        return tuple(row for row, cell in enumerate(cells) if cell is not None)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(_search(None, table.columns[self.column].name, "tail_entity!=''"))


@dataclass(frozen=True, slots=True)
class Conjunction:
    first: Rows
    second: Rows

    def evaluate(self, table: TableSnapshot) -> RowSet:
        second = set(self.second.evaluate(table))
        return tuple(row for row in self.first.evaluate(table) if row in second)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        sets = (self.first.write(steps, table), self.second.write(steps, table))
        return steps.add(f"set_intersection(set1={sets[0]}, set2={sets[1]})")


@dataclass(frozen=True, slots=True)
class Disjunction:
    first: Rows
    second: Rows

    def evaluate(self, table: TableSnapshot) -> RowSet:
        return tuple(sorted({*self.first.evaluate(table), *self.second.evaluate(table)}))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        sets = (self.first.write(steps, table), self.second.write(steps, table))
        return steps.add(f"set_union(set1={sets[0]}, set2={sets[1]})")


@dataclass(frozen=True, slots=True)
class Complement:
    excluded: Rows

    def evaluate(self, table: TableSnapshot) -> RowSet:
        excluded = set(self.excluded.evaluate(table))
        return tuple(row for row in table.rows if row not in excluded)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"set_negation(set={self.excluded.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class ExtremeRows:
    """The rows whose cell is the greatest or the least; ties are all returned."""

    rows: Rows
    column: int
    word: str  # highest, lowest, latest or earliest

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows = self.rows.evaluate(table)
        keys = [
            (row, key) for row in rows if (key := _sort_key(table, self.column, row)) is not None
        ]
        if not keys:
            return ()
        best = (max if self.word in ("highest", "latest") else min)(key for _, key in keys)
        return tuple(row for row, key in keys if key == best)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        head = _write_head(self.rows, steps, table)
        condition = f"tail_entity={quote_name(self.word)}"
        return steps.add(_search(head, table.columns[self.column].name, condition))


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """The row at ``place`` of ``rows``: 1 is the first, -1 the last."""

    rows: Rows
    place: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows = self.rows.evaluate(table)
        place = self.place - 1 if self.place > 0 else self.place
        return (rows[place],) if -len(rows) <= place < len(rows) else ()

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        head = _write_head(self.rows, steps, table)
        if self.place in (1, -1):
            word = "lowest" if self.place == 1 else "highest"
            return steps.add(_search(head, ROW_NUMBER, f"tail_entity={quote_name(word)}"))
        if head is None and self.place > 0:
            return steps.add(_search(None, ROW_NUMBER, f"tail_entity={self.place}"))
        rows = head or AllRows().write(steps, table)
        return steps.add(f"last(set=first(set={rows}, number={self.place}), number=1)")


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """The row ``by`` places below the first, or above the last, of ``rows``."""

    rows: Rows
    by: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows = self.rows.evaluate(table)
        neighbours = {row + self.by for row in rows}
        return tuple(row for row in sorted(neighbours) if 0 <= row < table.size)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        function = "next_row" if self.by > 0 else "previous_row"
        return steps.add(f"{function}(set={self.rows.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class SameValueRows:
    """Other rows with the same cell in ``column`` as ``rows`` have."""

    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows = set(self.rows.evaluate(table))
        column = table.columns[self.column]
        texts = {cell.normalized for row in rows if (cell := column.cells[row])}
        return tuple(
            row
            for row, cell in enumerate(column.cells)
            if cell is not None and cell.normalized in texts and row not in rows
        )

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write(steps, table)
        name = table.columns[self.column].name
        same = steps.add(_search(None, name, f"tail_entity={cells}"))
        return steps.add(f"set_difference(set1={same}, set2={self.rows.write(steps, table)})")


Rows: TypeAlias = (
    AllRows | CellMatch | CellRange | FilledRows | Conjunction | Disjunction | Complement | ExtremeRows
    | PlacedRow | NeighbourRow | SameValueRows
)  # fmt: skip


# Nodes that make the answer


@dataclass(frozen=True, slots=True)
class ColumnCells:
    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        cells = table.columns[self.column].cells
        rows = self.rows.evaluate(table)
        return tuple(dict.fromkeys(cell.text for row in rows if (cell := cells[row])))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        head = _write_head(self.rows, steps, table)
        return steps.add(_search(head, table.columns[self.column].name))


@dataclass(frozen=True, slots=True)
class RowCount:
    rows: Rows

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return (float(len(self.rows.evaluate(table))),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"count(set={self.rows.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class ValueCount:
    """How many different cells."""

    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        cells = table.columns[self.column].cells
        rows = self.rows.evaluate(table)
        return (float(len({cell.normalized for row in rows if (cell := cells[row])})),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"count(set={ColumnCells(self.rows, self.column).write(steps, table)})")


_AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "sum": sum,
    "mean": lambda numbers: sum(numbers) / len(numbers),
}


@dataclass(frozen=True, slots=True)
class CellAggregate:
    rows: Rows
    column: int
    function: str  # sum or mean

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        numbers = _numbers(table, self.column, self.rows.evaluate(table))
        return (_AGGREGATES[self.function](numbers),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write(steps, table)
        return steps.add(f"{self.function}(set={cells})")


@dataclass(frozen=True, slots=True)
class CellDifference:
    """How far the cells of two single rows are apart."""

    first: Rows
    second: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        first = _single_number(table, self.column, self.first.evaluate(table))
        second = _single_number(table, self.column, self.second.evaluate(table))
        return (abs(first - second),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first = ColumnCells(self.first, self.column).write(steps, table)
        second = ColumnCells(self.second, self.column).write(steps, table)
        return steps.add(f"difference(a={first}, b={second})")


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

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        cells = table.columns[self.column].cells
        texts: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for row in self.rows.evaluate(table):
            cell = cells[row]
            if cell is not None:
                texts.setdefault(cell.normalized, cell.text)
                counts[cell.normalized] += 1
        if not counts or (self.word == "most" and max(counts.values()) < 2):
            raise PlanFailure
        best = max(counts.values()) if self.word == "most" else min(counts.values())
        return tuple(texts[key] for key, count in counts.items() if count == best)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write(steps, table)
        if self.word == "most":
            return steps.add(f"mode(set={cells})")
        counts = steps.add(
            f"count_by(set={cells}, column={quote_name(table.columns[self.column].name)})"
        )
        return steps.add(f"argmin(counts={counts})")


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
        numbers = _numbers(table, self.column, self.rows.evaluate(table))
        return (max(numbers) - min(numbers),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write(steps, table)
        highest, lowest = steps.add(f"max(set={cells})"), steps.add(f"min(set={cells})")
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
    """Yes if the cell of the first row is greater (or less) than that of the second."""

    first: Rows
    second: Rows
    column: int
    operator: str  # > or <

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        first = _single_number(table, self.column, self.first.evaluate(table))
        second = _single_number(table, self.column, self.second.evaluate(table))
        return ("yes" if (first > second if self.operator == ">" else first < second) else "no",)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        first = ColumnCells(self.first, self.column).write(steps, table)
        second = ColumnCells(self.second, self.column).write(steps, table)
        return steps.add(f"{first} {self.operator} {second}")


TablePlan: TypeAlias = (
    ColumnCells | RowCount | ValueCount | CellAggregate | CellDifference | CountDifference | FrequentCells
    | FrequentOfTwo | CellSpread | Existence | CellComparison
)  # fmt: skip


def write_query(plan: TablePlan, table: TableSnapshot) -> str:
    """Write ``plan`` as a query of the query language."""
    steps = StepWriter()
    plan.write(steps, table)
    return steps.text()


def _sort_key(table: TableSnapshot, column: int, row: int) -> float | None:
    cell = table.columns[column].cells[row]
    if cell is None or cell.value is None:
        return None
    if table.columns[column].kind == "date":
        return None if cell.value.start is None else float(cell.value.start)
    return cell.value.number


def _numbers(table: TableSnapshot, column: int, rows: RowSet) -> list[float]:
    cells = table.columns[column].cells
    numbers = [cell.number for row in rows if (cell := cells[row]) and cell.number is not None]
    if not numbers:
        raise PlanFailure
    return numbers


def _single_number(table: TableSnapshot, column: int, rows: RowSet) -> float:
    numbers = set(_numbers(table, column, rows))
    if len(numbers) != 1:
        raise PlanFailure
    return numbers.pop()


def walk_plan(node: object) -> Iterator[object]:
    """Yield the nodes of a plan, the outer ones first."""
    yield node
    for name in ("rows", "first", "second", "excluded"):
        child = getattr(node, name, None)
        if child is not None and not isinstance(child, (str, int)):
            yield from walk_plan(child)
