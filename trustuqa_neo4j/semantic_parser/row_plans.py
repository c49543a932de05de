"""Typed plans that select rows of a table, and the cells of these rows.

Each node evaluates itself over a snapshot, and writes itself as steps of the query language, which mean the
same (``docs/language.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import TypeAlias

from ..language.functions import NEIGHBOURS
from ..language.lexer import TEXT_OPERATORS
from ..language.printer import quote_name
from ..language.selectors import EXTREMES
from ..reasoning.arithmetic import count_days_between, subtract_numbers
from ..reasoning.conditions import filter_cells, find_extremes, sort_key
from ..reasoning.functions import IMPLEMENTATIONS, Operands
from ..reasoning.results import Cell, Cells, EvaluationError
from ..reasoning.sets import distinct_cells
from .snapshot import Bounds, RowSet, SnapshotColumn, TableSnapshot

Denoted: TypeAlias = "str | float"
"""A member of an answer: a text of the data, or a computed number."""

ROW_NUMBER = "row_number"
_DIFFERENCE = "difference"  # of two columns, the name of the computed one


class PlanFailure(Exception):
    """The plan has no answer over this table, such as the sum of texts, or texts compared with a number."""


class StepWriter:
    """Collects the steps of a query; equal steps are written once."""

    def __init__(self) -> None:
        self.number_cells: dict[str, int] = {}

    def add(self, call: str) -> str:
        number = self.number_cells.setdefault(call, len(self.number_cells) + 1)
        return f"output_of_query{number}"

    def text(self) -> str:
        return "\n".join(f"Query{number}: {call}" for call, number in self.number_cells.items())


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

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        if (
            table.sources and table.complete_column is not None
        ):  # several tables have no row numbers
            return FilledRows(table.complete_column).write(steps, table)
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
        rows, texts = self.evaluate(table), set(self.texts)
        cells = (cell for row in rows for cell in column.cells_at(row) if cell.normalized in texts)
        return list(dict.fromkeys(cell.text for cell in cells))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        name = table.columns[self.column].name
        return steps.add(_search(None, name, f"tail_entity={_names(self.as_written(table))}"))


@dataclass(frozen=True, slots=True)
class CellRange:
    """The rows whose cell compares with all ``bounds``."""

    column: int
    bounds: Bounds

    def evaluate(self, table: TableSnapshot) -> RowSet:
        try:
            return table.columns[self.column].find_rows(self.bounds)
        except EvaluationError as error:
            raise PlanFailure from error

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        condition = ", ".join(
            f"tail_entity {operator} {quote_name(text)}"
            if operator in TEXT_OPERATORS
            else f"tail_entity{operator}{quote_name(text)}"
            for operator, text in self.bounds
        )
        return steps.add(_search(None, table.columns[self.column].name, condition))


@dataclass(frozen=True, slots=True)
class FilledRows:
    """The rows whose cell in ``column`` is neither empty nor a word such as *unknown*."""

    column: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        column = table.columns[self.column]
        unknown = {None, *column.unknown_texts}
        return tuple(
            row for row, cell in enumerate(column.cells) if (cell and cell.text) not in unknown
        )

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        column = table.columns[self.column]
        filled = steps.add(_search(None, column.name, "tail_entity!=''"))
        if not column.unknown_texts:
            return filled
        condition = f"tail_entity={_names(column.unknown_texts)}"
        unknown = steps.add(_search(None, column.name, condition))
        return steps.add(f"set_difference(set1={filled}, set2={unknown})")


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
        column = table.columns[self.column]
        rows = self.rows.evaluate(table)
        members = [
            (row, cell) for row in rows for cell in column.cells_at(row) if cell.value is not None
        ]
        if not members:
            return ()
        cells = [column.operands[cell.text] for _, cell in members]
        places = find_extremes(cells, EXTREMES[self.word]).places
        return tuple(dict.fromkeys(members[place][0] for place in places))

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
    """The row below (1) or above (-1) each of ``rows``."""

    rows: Rows
    by: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows = self.rows.evaluate(table)
        neighbours = {row + self.by for row in rows}
        return tuple(row for row in sorted(neighbours) if 0 <= row < table.size)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"{NEIGHBOURS[self.by]}(set={self.rows.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class SameValueRows:
    """Other rows with the same cell in ``column`` as ``rows`` have."""

    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        rows = set(self.rows.evaluate(table))
        column = table.columns[self.column]
        texts = {cell.text for row in rows for cell in column.cells_at(row)}
        same = (row for row, cell in column.members if cell.text in texts and row not in rows)
        return tuple(dict.fromkeys(same))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write(steps, table)
        name = table.columns[self.column].name
        same = steps.add(_search(None, name, f"tail_entity={cells}"))
        return steps.add(f"set_difference(set1={same}, set2={self.rows.write(steps, table)})")


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """The rows whose cell in ``column`` is greater or less than that of another row."""

    other: Rows
    column: int
    operator: str  # > or <

    def evaluate(self, table: TableSnapshot) -> RowSet:
        bounds = distinct_cells(find_operands(table, self.column, self.other))
        if len(bounds) != 1 or bounds[0].value is None:
            raise PlanFailure
        return _find_rows_beyond(table.columns[self.column], self.operator, bounds)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        bound = ColumnCells(self.other, self.column).write(steps, table)
        name = table.columns[self.column].name
        return steps.add(_search(None, name, f"tail_entity{self.operator}{bound}"))


@dataclass(frozen=True, slots=True)
class ColumnComparison:
    """The rows whose cell in ``first`` is more or less than that in ``second``, or farthest from it.

    ``key`` is a column with another text in each row, by which the rows are found again.
    """

    key: int
    first: int
    second: int
    selector: str  # > or <, highest or lowest

    def evaluate(self, table: TableSnapshot) -> RowSet:
        self._name_columns(table)  # the query can be written
        differences = dict(self._subtract(table))
        if self.selector not in EXTREMES:
            is_kept = gt if self.selector == ">" else lt
            return tuple(row for row, number in differences.items() if is_kept(number, 0))
        # Of differences up and down, the largest may mean the largest up.
        if len({number > 0 for number in differences.values() if number}) != 1:
            raise PlanFailure
        extreme = (max if EXTREMES[self.selector] else min)(map(abs, differences.values()))
        return tuple(row for row, number in differences.items() if abs(number) == extreme)

    def _subtract(self, table: TableSnapshot) -> Iterator[tuple[int, float]]:
        first, second = table.columns[self.first], table.columns[self.second]
        for row in self._compared.evaluate(table):
            cells = [*first.cells_at(row), *second.cells_at(row)]
            if len(cells) != 2:
                raise PlanFailure  # several cells of one column
            left, right = first.operands[cells[0].text], second.operands[cells[1].text]
            try:
                number = (
                    count_days_between(right, left, 0)
                    if first.kind == "date"
                    else subtract_numbers(left, right, 0)
                )
            except EvaluationError as error:
                raise PlanFailure from error
            yield row, float(number.text)

    @property
    def _compared(self) -> Conjunction:
        return Conjunction(FilledRows(self.first), FilledRows(self.second))

    def _name_columns(self, table: TableSnapshot) -> dict[str, str]:
        columns = (self.key, self.first, self.second)
        names = {table.columns[c].name: plain_name(table.columns[c].name) for c in columns}
        if len({_DIFFERENCE, *names.values()}) != 4:
            raise PlanFailure  # columns of one name
        return names

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        names = self._name_columns(table)
        key, first, second = names
        columns = write_table(self._compared, names, steps, table)
        left, right = (quote_name(names[name]) for name in (first, second))
        is_date = table.columns[self.first].kind == "date"
        text = f"days_between({right}, {left})" if is_date else f"{left} - {right}"
        condition = f"{self.selector}0"
        if self.selector in EXTREMES:
            text, condition = f"abs({text})", f"={quote_name(self.selector)}"
        name = quote_name(_DIFFERENCE)
        computed = steps.add(
            f"calculate(set={columns}, expression={quote_name(text)}, name={name})"
        )
        kept = steps.add(f"keep(set={computed}, column={name}, value{condition})")
        return steps.add(_search(None, key, f"tail_entity={kept}"))


@dataclass(frozen=True, slots=True)
class AverageRows:
    """The rows whose cell in ``column`` is above or below the mean of the column."""

    column: int
    operator: str  # > or <

    def evaluate(self, table: TableSnapshot) -> RowSet:
        mean = apply_function("mean", number_cells(table, self.column, AllRows()))
        return _find_rows_beyond(table.columns[self.column], self.operator, mean)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(AllRows(), self.column).write_all(steps, table)
        mean = steps.add(f"mean(set={cells})")
        name = table.columns[self.column].name
        return steps.add(_search(None, name, f"tail_entity{self.operator}{mean}"))


@dataclass(frozen=True, slots=True)
class RankedRows:
    """The rows with the cell at ``place`` in the order of ``word``, or the cells before it too.

    2 and *highest* select the second highest cell; with ``is_top``, rows of one cell count each.
    """

    rows: Rows
    column: int
    word: str  # highest, lowest, latest or earliest
    place: int
    is_top: bool = False

    def evaluate(self, table: TableSnapshot) -> RowSet:
        column = table.columns[self.column]
        rows = self.rows.evaluate(table)
        members = [(row, column.operands[c.text]) for row in rows for c in column.cells_at(row)]
        cells = [cell for _, cell in members]
        ranked = [c for c in (cells if self.is_top else distinct_cells(cells)) if c.value]
        if len(ranked) < self.place + self.is_top:
            raise PlanFailure
        ranked.sort(key=sort_key(ranked), reverse=EXTREMES[self.word])
        try:
            places = filter_cells(cells, self._operator, (ranked[self.place - 1],), 0).places
        except EvaluationError as error:
            raise PlanFailure from error
        return tuple(dict.fromkeys(members[place][0] for place in places))

    @property
    def _operator(self) -> str:
        if not self.is_top:
            return "="
        return ">=" if EXTREMES[self.word] else "<="

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        cells = ColumnCells(self.rows, self.column).write(steps, table)
        if not self.is_top:
            cells = steps.add(f"distinct(set={cells})")
        order = "descending" if EXTREMES[self.word] else "ascending"
        ordered = steps.add(f"sort(set={cells}, order={quote_name(order)})")
        bound = steps.add(f"last(set=first(set={ordered}, number={self.place}), number=1)")
        head = _write_head(self.rows, steps, table)
        name = table.columns[self.column].name
        return steps.add(_search(head, name, f"tail_entity{self._operator}{bound}"))


@dataclass(frozen=True, slots=True)
class CellCounts:
    """How many of ``rows`` each cell of ``column`` has, or how many different cells of ``of``."""

    rows: Rows
    column: int
    of: int | None = None

    def count(self, table: TableSnapshot) -> Counter[str]:
        column, rows = table.columns[self.column], self._filled(table).evaluate(table)
        if self.of is None:
            return Counter(cell.text for row in rows for cell in column.cells_at(row))
        other = table.columns[self.of]
        if column.further or other.further:
            raise PlanFailure
        pairs = {
            (cell.text, counted.text)
            for row in rows
            if (cell := column.cells[row]) and (counted := other.cells[row])
        }
        return Counter(text for text, _ in pairs)

    def find_rows(self, texts: Set[str], table: TableSnapshot) -> RowSet:
        """Find the rows that have one of ``texts`` in the column."""
        cells_at = table.columns[self.column].cells_at
        rows = self.rows.evaluate(table)
        return tuple(row for row in rows if any(cell.text in texts for cell in cells_at(row)))

    def write_rows(self, names: str, steps: StepWriter, table: TableSnapshot) -> str:
        """Write the search for the rows of ``names``, the result of a step."""
        head = _write_head(self.rows, steps, table)
        return steps.add(_search(head, table.columns[self.column].name, f"tail_entity={names}"))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        name = table.columns[self.column].name
        if self.of is None:
            cells = ColumnCells(self.rows, self.column).write(steps, table)
            return steps.add(f"count_by(set={cells}, column={quote_name(name)})")
        counted = table.columns[self.of].name
        columns = {name: plain_name(name), counted: plain_name(counted)}
        pairs = write_table(self._filled(table), columns, steps, table)
        different = steps.add(f"distinct(set={pairs})")
        return steps.add(f"count_by(set={different}, column={quote_name(columns[name])})")

    def _filled(self, table: TableSnapshot) -> Rows:
        """Return the rows that have something to count."""
        if self.of is None or not table.columns[self.of].has_unknown_cells:
            return self.rows
        return fill_rows(self.rows, self.of)


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """The rows of cells that a given number of rows have: *more than one hotel*, *two different tours*.

    Without a ``number``, the cells that stand beside all cells of the other column: *every tour*.
    """

    groups: CellCounts
    operator: str  # of the number of rows
    number: int | None

    def evaluate(self, table: TableSnapshot) -> RowSet:
        number = self.number
        if number is None:
            assert self.groups.of is not None
            number = len({*cell_texts(table, self.groups.of, AllRows())})
        holds, counts = COUNT_TESTS[self.operator], self.groups.count(table)
        texts = {text for text, count in counts.items() if holds(count, number)}
        return self.groups.find_rows(texts, table)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        number: object = self.number
        counts = self.groups.write(steps, table)
        if number is None:
            assert self.groups.of is not None
            number = ValueCount(AllRows(), self.groups.of).write(steps, table)
        kept = steps.add(f"keep(set={counts}, column='count', value{self.operator}{number})")
        return self.groups.write_rows(kept, steps, table)


@dataclass(frozen=True, slots=True)
class FrequentRows:
    """The rows of the ``number`` cells that most or fewest rows have."""

    groups: CellCounts
    word: str  # highest or lowest
    number: int

    def evaluate(self, table: TableSnapshot) -> RowSet:
        return self.groups.find_rows(self.rank(table).keys(), table)

    def rank(self, table: TableSnapshot) -> dict[str, int]:
        """Return the cells in their order, with how many rows have them."""
        counts = self.groups.count(table)
        ranked = sorted(counts, key=lambda text: counts[text], reverse=EXTREMES[self.word])
        if table.is_sample or len(ranked) <= self.number:
            raise PlanFailure  # counts of a sample say nothing
        if counts[ranked[self.number - 1]] == counts[ranked[self.number]]:
            raise PlanFailure  # of equal numbers, none comes first
        return {text: counts[text] for text in ranked[: self.number]}

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return self.groups.write_rows(self.write_ranking(steps, table), steps, table)

    def write_ranking(self, steps: StepWriter, table: TableSnapshot) -> str:
        order = "descending" if EXTREMES[self.word] else "ascending"
        counts = self.groups.write(steps, table)
        ranked = steps.add(f"sort(set={counts}, by='count', order={quote_name(order)})")
        return steps.add(f"first(set={ranked}, number={self.number})")


COUNT_TESTS = {">": gt, "<": lt, ">=": ge, "<=": le, "=": eq}

Rows: TypeAlias = (
    AllRows | CellMatch | CellRange | FilledRows | Conjunction | Disjunction | Complement | ExtremeRows
    | PlacedRow | NeighbourRow | SameValueRows | ComparedRows | RankedRows | RepeatedRows | FrequentRows
    | AverageRows | ColumnComparison
)  # fmt: skip


# Cells of rows


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """The cells of ``rows`` that are not empty."""

    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return tuple(dict.fromkeys(cell_texts(table, self.column, self.rows)))

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        column, cells = table.columns[self.column], self.write_all(steps, table)
        # Of several cells of a row, some may be empty.
        if not column.further and all(column.cells[row] for row in self.rows.evaluate(table)):
            return cells
        return steps.add(f"keep(set={cells}, value!='')")

    def write_all(self, steps: StepWriter, table: TableSnapshot) -> str:
        """Write the search for functions that leave out empty cells, and note how many."""
        head = _write_head(self.rows, steps, table)
        return steps.add(_search(head, table.columns[self.column].name))


@dataclass(frozen=True, slots=True)
class ValueCount:
    """How many different cells."""

    rows: Rows
    column: int

    def evaluate(self, table: TableSnapshot) -> tuple[Denoted, ...]:
        return (float(len({*cell_texts(table, self.column, self.rows)})),)

    def write(self, steps: StepWriter, table: TableSnapshot) -> str:
        return steps.add(f"count(set={ColumnCells(self.rows, self.column).write(steps, table)})")


_SIGNS_OF_PATHS = frozenset(">#^?,'\"\\")


def fill_rows(rows: Rows, column: int) -> Rows:
    """Select those of ``rows`` that have something in a column."""
    filled = FilledRows(column)
    return filled if isinstance(rows, AllRows) else Conjunction(rows, filled)


def plain_name(column: str) -> str:
    """Return a name for a column that an expression can have: its words alone."""
    if _SIGNS_OF_PATHS & set(column) or " as " in column:
        raise PlanFailure
    plain = " ".join("".join(c if c.isalnum() or c == "_" else " " for c in column).split())
    if not plain:
        raise PlanFailure
    return f"column {plain}" if plain[0].isdigit() else plain


def write_path(column: str, plain: str) -> str:
    """Write a column of a new table that is called ``plain`` there."""
    return column if column == plain else f"{column} as {plain}"


def write_group_value(function: str, number: str) -> str:
    """Write the value of groups that a function makes of a column of numbers, or of rows."""
    return (
        "count() as count"
        if function == "count"
        else f"{function}({number}) as {function} of {number}"
    )


def write_table(
    rows: Rows, names: Mapping[str, str], steps: StepWriter, table: TableSnapshot
) -> str:
    """Write the step for a table of columns, by their names with those that expressions can have."""
    head = _write_head(rows, steps, table)
    columns = ", ".join(quote_name(write_path(*names_of)) for names_of in names.items())
    arguments = (
        f"columns=[{columns}]" if head is None else f"head_entity={head}, columns=[{columns}]"
    )
    return steps.add(f"get_table({arguments})")


def cell_texts(table: TableSnapshot, column: int, rows: Rows) -> list[str]:
    cells_at = table.columns[column].cells_at
    return [cell.text for row in rows.evaluate(table) for cell in cells_at(row)]


def find_operands(table: TableSnapshot, column: int, rows: Rows) -> tuple[Cell, ...]:
    """Return the cells of ``rows`` as operands of functions."""
    source: SnapshotColumn = table.columns[column]
    selected = rows.evaluate(table)
    return tuple(source.operands[cell.text] for row in selected for cell in source.cells_at(row))


def _find_rows_beyond(column: SnapshotColumn, operator: str, bounds: Sequence[Cell]) -> RowSet:
    cells = [column.operands[cell.text] for _, cell in column.members]
    try:
        places = filter_cells(cells, operator, bounds, 0).places
    except EvaluationError as error:
        raise PlanFailure from error
    return tuple(dict.fromkeys(column.members[place][0] for place in places))


def number_cells(table: TableSnapshot, column: int, rows: Rows) -> tuple[Cell, ...]:
    """Return the cells of ``rows``, of which at least one is a number."""
    cells = find_operands(table, column, rows)
    if not any(cell.value is not None and cell.value.number is not None for cell in cells):
        raise PlanFailure
    return cells


def apply_function(function: str, *operands: Sequence[Cell]) -> tuple[Cell, ...]:
    """Apply a function of the query language."""
    try:
        outcome = IMPLEMENTATIONS[function](Operands(operands, 0))
    except EvaluationError as error:
        raise PlanFailure from error
    assert isinstance(outcome, Cells)
    return outcome.members


def denote_cells(cells: Sequence[Cell]) -> tuple[Denoted, ...]:
    return tuple(
        float(cell.computed)
        if isinstance(cell.computed, int | float) and not isinstance(cell.computed, bool)
        else cell.text
        for cell in cells
    )
