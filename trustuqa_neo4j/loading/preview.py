"""A preview of tables: their first rows, and how each column is read, before anything is written.

The items have the readings that the load would attach, so that a preview and a load read each cell alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model.facts import ALL_RELATIONS, Fact, Item, NodeDeclared, SourceStart, make_label
from ..values import TRUTHS, Value, ValueOptions, parse_value_options, read_truths, read_value
from ..values.value import format_day_range, format_number_range

FIRST_ROWS = 5

MAX_UNIQUE = 1_000_000
"""Cells of a column that are compared to find out whether they are unique."""


@dataclass
class ColumnPreview:
    """How a column is read.

    ``type`` is number, date, year, boolean, text or empty, and ``share`` that of the filled cells that have
    it. ``cells`` counts the filled cells. ``dates`` and ``decimal`` are the conventions by which the column
    is read, if it has any. ``is_unique``: no cell is empty, and no two are equal.
    """

    name: str
    type: str = "empty"
    share: float = 0.0
    cells: int = 0
    range: str = ""
    units: list[str] = field(default_factory=list)
    dates: str | None = None
    decimal: str | None = None
    is_unique: bool = False

    def describe(self, units: str) -> str:
        """``number 97 %, kg, decimal ,``; the units as they are shown."""
        share = "" if self.share in (0, 1) else f" {min(99, max(1, round(100 * self.share)))} %"
        convention = f"decimal {self.decimal}" if self.decimal else self.dates
        unique = "unique" if self.is_unique and self.type in ("text", "number") else None
        return ", ".join(filter(None, (f"{self.type}{share}", units, convention, unique)))


@dataclass
class TablePreview:
    """A table as a load would read it; ``first_rows`` are the cells of its first five rows."""

    source: str
    file: str
    rows: int = 0
    columns: list[ColumnPreview] = field(default_factory=list)
    first_rows: list[list[str]] = field(default_factory=list)


def preview_tables(items: Iterator[Item], defaults: ValueOptions) -> list[TablePreview]:
    # ``defaults`` read the columns that the start of their source does not name.
    tables: dict[str, _TableCounts] = {}
    table: _TableCounts | None = None
    for item in items:
        if isinstance(item, SourceStart):
            table = None
            if item.kind == "table":
                table = tables.setdefault(item.source, _TableCounts(item, defaults))
        elif table is not None and isinstance(item, NodeDeclared):
            table.add_node(item)
        elif table is not None and isinstance(item, Fact):
            table.add_cell(item.relation, item.tail)
    return [table.describe() for table in tables.values()]


class _TableCounts:
    def __init__(self, start: SourceStart, defaults: ValueOptions) -> None:
        self._preview = TablePreview(start.source, start.file)
        self._names: dict[str, str] = {}
        readings = {name: parse_value_options(text) for name, text in start.readings}
        default = readings.get(ALL_RELATIONS, defaults)
        self._columns = {
            name: _ColumnCounts(name, readings.get(name, default)) for name in start.columns
        }
        self._numbers = {name: number for number, name in enumerate(self._columns)}

    def add_node(self, node: NodeDeclared) -> None:
        # A row, or a node in one of its cells.
        if node.position is None:
            if self._preview.rows <= FIRST_ROWS:
                self._names[node.key] = make_label(node) if node.name is None else node.name
            return
        self._preview.rows += 1
        if self._preview.rows <= FIRST_ROWS:
            self._preview.first_rows.append([""] * len(self._columns))

    def add_cell(self, name: str, text: str) -> None:
        column = self._columns[name]
        column.add(text)
        if self._preview.rows <= FIRST_ROWS:
            cells, number = self._preview.first_rows[-1], self._numbers[name]
            text = self._names.get(text, text)
            cells[number] = f"{cells[number]} | {text}" if cells[number] else text

    def describe(self) -> TablePreview:
        rows = self._preview.rows
        self._preview.columns = [column.describe(rows) for column in self._columns.values()]
        return self._preview


class _ColumnCounts:
    def __init__(self, name: str, options: ValueOptions) -> None:
        self._name = name
        self._options = options
        self._cells = self._numbers = self._dates = self._years = 0
        self._units: Counter[str] = Counter()
        self._number_range: list[float] = []
        self._day_range: list[int] = []
        self._texts: set[int] | None = set()
        self._truths = 0
        self._words: set[str] = set()

    def add(self, text: str) -> None:
        if len(self._words) <= len(TRUTHS):
            self._words.add(text.strip())
        if not text.strip():
            return
        self._truths += text.strip().casefold() in TRUTHS
        self._cells += 1
        self._count_text(text)
        value = read_value(text, self._options)
        if value is not None:
            self._count_value(value)

    def _count_text(self, text: str) -> None:
        if self._texts is None:
            return
        self._texts.add(hash(text))
        if len(self._texts) < self._cells or self._cells > MAX_UNIQUE:
            self._texts = None

    def _count_value(self, value: Value) -> None:
        if value.number is not None:
            self._numbers += 1
            self._number_range = _extend(self._number_range, value.number, value.number)
            if value.unit is not None:
                self._units[value.unit] += 1
        if value.start is not None and value.end is not None:
            self._dates += 1
            self._years += value.number is not None
            self._day_range = _extend(self._day_range, value.start, value.end)

    def describe(self, rows: int) -> ColumnPreview:
        column = ColumnPreview(self._name, cells=self._cells)
        if not self._cells:
            return column
        column.type, count = self._choose_type()
        column.share = round(count / self._cells, 4)
        column.is_unique = self._texts is not None and 1 < self._cells == rows
        if column.type == "number":
            column.range = format_number_range(*self._number_range)
            column.units = [unit for unit, _ in self._units.most_common()]
            column.decimal = self._options.decimal
        elif column.type in ("date", "year"):
            column.range = format_day_range(*self._day_range)
            column.dates = self._options.dates if column.type == "date" else None
        return column

    def _choose_type(self) -> tuple[str, int]:
        is_flag = not (self._numbers or self._dates) and read_truths(self._words) is not None
        if self._options.kind == "boolean" or is_flag:
            return "boolean", self._truths
        counts = {"year": self._years} if self._years == self._numbers else {}
        counts |= {"number": self._numbers, "date": self._dates}
        name, count = max(counts.items(), key=lambda pair: pair[1])
        if 2 * count >= self._cells:
            return name, count
        return "text", self._cells - self._numbers - self._dates + self._years


def _extend(limits: Sequence[Any], low: Any, high: Any) -> list[Any]:
    return [min(limits[0], low), max(limits[1], high)] if limits else [low, high]
