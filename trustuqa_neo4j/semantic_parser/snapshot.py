"""One table of a dataset in memory: its columns in order, and its cells with their values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

from ..language.words import stem
from ..matching import normalize_name, split_words
from ..values import (
    DEFAULT_VALUE_OPTIONS,
    ColumnSurvey,
    Value,
    ValueOptions,
    may_be_ambiguous,
    read_value,
)

_KIND_SHARE = 0.7  # of the cells of a column that has this kind
TRUE_TEXTS = frozenset(("yes", "y", "true", "x", "✓", "✔"))
_NAME_WORDS = frozenset(("name", "title"))
_IDENTIFIER_WORDS = frozenset(("id", "no", "nr", "num", "number", "code", "key", "ref", "sku", "#"))
FALSE_TEXTS = frozenset(("no", "n", "false", "-", "–"))


@dataclass(frozen=True, slots=True)
class SnapshotCell:
    text: str
    normalized: str
    value: Value | None

    @property
    def number(self) -> float | None:
        return self.value.number if self.value else None


@dataclass(frozen=True)
class SnapshotColumn:
    """A column; ``cells`` has one entry per row, None for an empty cell."""

    name: str
    position: int
    cells: tuple[SnapshotCell | None, ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(split_words(self.name))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @cached_property
    def rows_by_text(self) -> dict[str, tuple[int, ...]]:
        """The rows of each normalized text."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, cell in enumerate(self.cells):
            if cell is not None:
                rows[cell.normalized].append(row)
        return {text: tuple(numbers) for text, numbers in rows.items()}

    @cached_property
    def texts_by_word(self) -> dict[str, tuple[str, ...]]:
        """The normalized texts that have a word."""
        texts: dict[str, list[str]] = defaultdict(list)
        for text in self.rows_by_text:
            for word in dict.fromkeys(text.split()):
                texts[word].append(text)
        return {word: tuple(entries) for word, entries in texts.items()}

    @cached_property
    def kind(self) -> str:
        """``number``, ``date``, ``year`` or ``text``: what most cells are."""
        counts = {"number": 0, "date": 0, "year": 0}
        total = 0
        for cell in self.cells:
            if cell is None:
                continue
            total += 1
            value = cell.value
            if value is not None and value.number is not None and value.start is not None:
                counts["year"] += 1
            elif value is not None and value.number is not None:
                counts["number"] += 1
            elif value is not None and value.start is not None:
                counts["date"] += 1
        if not total or sum(counts.values()) < _KIND_SHARE * total:
            return "text"
        if counts["number"] and counts["year"] and not counts["date"]:
            return "number" if counts["number"] > 0.2 * total else "year"
        return max(counts, key=lambda kind: counts[kind])

    @property
    def is_ordered(self) -> bool:
        return self.kind != "text"

    @cached_property
    def is_flag(self) -> bool:
        """True if all cells say yes or no."""
        texts = self.rows_by_text.keys()
        return bool(texts & TRUE_TEXTS) and texts <= TRUE_TEXTS | FALSE_TEXTS

    @cached_property
    def is_unique(self) -> bool:
        return all(len(rows) == 1 for rows in self.rows_by_text.values())

    @cached_property
    def is_identifier(self) -> bool:
        """True for numbers and codes that only tell rows apart, such as ``order_id``."""
        return self.is_unique and bool(_IDENTIFIER_WORDS & {*self.words[-1:]})

    @cached_property
    def has_empty_cells(self) -> bool:
        return None in self.cells

    @cached_property
    def unit(self) -> str | None:
        units = {cell.value.unit for cell in self.cells if cell and cell.value}
        return units.pop() if len(units) == 1 else None


@dataclass(frozen=True)
class TableSnapshot:
    name: str
    columns: tuple[SnapshotColumn, ...]
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", len(self.columns[0].cells) if self.columns else 0)

    @property
    def rows(self) -> range:
        return range(self.size)

    @cached_property
    def row_stems(self) -> frozenset[str]:
        """The words of the table's name, which say what a row is: ``films.csv`` has films."""
        name = PurePath(self.name).stem
        return frozenset(stem(word) for word in split_words(name) if not word.isdigit())

    @cached_property
    def name_column(self) -> int:
        """The column that names the rows: of different texts if there is one, else of identifiers."""
        texts = [column for column in self.columns if column.kind == "text"]
        identifiers = [column for column in self.columns if column.is_identifier]
        unique = [column for column in texts if column.is_unique and column not in identifiers]
        own = [c for c in (*unique, *identifiers) if self.row_stems & {*c.stems}]
        choices = (
            *(column for column in unique if _NAME_WORDS & {*column.words}),
            *own,
            *unique,
            *identifiers,
            *texts,
            *self.columns,
        )
        return choices[0].position


def make_cell(text: str, value: Value | None) -> SnapshotCell:
    return SnapshotCell(text, normalize_name(text), value)


def make_snapshot(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> TableSnapshot:
    """Make a snapshot of texts, reading their values as a load does; empty texts are empty cells."""
    columns = []
    for position, title in enumerate(header):
        texts = [row[position] if position < len(row) else None for row in rows]
        options = _survey(title, texts)
        cells = (make_cell(text, read_value(text, options)) if text else None for text in texts)
        columns.append(SnapshotColumn(title, position, tuple(cells)))
    return TableSnapshot(name, tuple(columns))


def _survey(title: str, texts: Sequence[str | None]) -> ValueOptions:
    survey = ColumnSurvey(title)
    for line, text in enumerate(texts, 1):
        if text and may_be_ambiguous(text):
            survey.add(text, title, line)
    return survey.decide(DEFAULT_VALUE_OPTIONS, DEFAULT_VALUE_OPTIONS)
