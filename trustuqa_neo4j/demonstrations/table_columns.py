"""The table of a question: its columns, and the words of the question that name columns or cells.

The same search finds column names in demonstrations of other tables, so a column is a slot like a name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..language.words import stem
from ..matching import normalize_name
from ..model.dataset import Scope
from ..reads.reader import Reader
from .alignment import Span
from .words import QuestionWords, name_match_score, stem_similarity

MAX_CELLS = 20_000  # All cells of a table are read up to this number.
_MAX_COLUMN_WORDS = 5
_MIN_COLUMN_FIT = 0.6  # Least fit of words that all match words of the column name.


@dataclass(frozen=True, slots=True)
class TableColumn:
    name: str
    stems: tuple[str, ...]
    numbers: float = 0.0
    dates: float = 0.0


@dataclass(frozen=True)
class TableProfile:
    """A table with its columns and, if it is small enough, its cells by their normalized text.

    ``cell_columns``: the columns that hold a cell. ``stem_cells``: the cells that contain a stem.
    """

    dataset: str
    source: str
    columns: tuple[TableColumn, ...]
    cell_columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    cell_texts: Mapping[str, str] = field(default_factory=dict)
    stem_cells: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def read_table_profile(reader: Reader, scope: Scope) -> TableProfile | None:
    """Read the table of the scope; None for a graph or several sources."""
    if scope.source is None:
        return None
    for dataset in scope.datasets:
        rows = reader.run("describe_sources", dataset=dataset, source=scope.source)
        if not rows:
            continue
        row = rows[0]
        if row["kind"] != "table":
            return None
        table = TableProfile(dataset, scope.source, tuple(map(_read_column, row["relations"])))
        if row["facts"] > MAX_CELLS:
            return table
        parameters = {
            "dataset": dataset,
            "source": scope.source,
            "columns": list(table.column_names),
        }
        return _add_cells(table, reader.run("list_cells", **parameters))
    return None


def _read_column(row: Mapping[str, object]) -> TableColumn:
    name = str(row["relation"])
    facts = _number_or_zero(row.get("facts")) or 1.0
    numbers, dates = _number_or_zero(row.get("numbers")), _number_or_zero(row.get("dates"))
    return TableColumn(name, stem_words(name), numbers / facts, dates / facts)


def _number_or_zero(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _add_cells(table: TableProfile, rows: Sequence[Mapping[str, object]]) -> TableProfile:
    columns: dict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    words: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        cells = row["cells"]
        assert isinstance(cells, list)
        for cell in cells:
            normalized = normalize_name(cell)
            columns[normalized].add(str(row["column"]))
            names.setdefault(normalized, cell)
            for word in normalized.split():
                words[stem(word)].add(normalized)
    return TableProfile(
        table.dataset,
        table.source,
        table.columns,
        {normalized: frozenset(holding_columns) for normalized, holding_columns in columns.items()},
        names,
        {word: frozenset(cells) for word, cells in words.items()},
    )


def stem_words(name: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in normalize_name(name).split())


def find_column_spans(stems: Sequence[str], name: Sequence[str]) -> Iterator[Span]:
    """Find runs of ``stems`` that name the column with the stems ``name``."""
    for first in range(len(stems)):
        for last in range(first + 1, min(first + _MAX_COLUMN_WORDS, len(stems)) + 1):
            fit = _column_fit(stems[first:last], name)
            if fit:
                yield Span(first, last, fit)


def _column_fit(words: Sequence[str], name: Sequence[str]) -> float:
    """Score a run of stems by the share of letters that it has in common with the column name."""
    if not name:
        return 0.0
    if tuple(words) == tuple(name):
        return 1.0
    shared_letters = 0.0
    unmatched = list(name)
    for word in words:
        best_match = max(
            unmatched, key=lambda candidate: stem_similarity(word, candidate), default=""
        )
        similarity = stem_similarity(word, best_match) if best_match else 0.0
        if not similarity:
            return 0.0
        shared_letters += similarity * len(best_match)
        unmatched.remove(best_match)
    share = shared_letters / (shared_letters + sum(map(len, unmatched)))
    return _MIN_COLUMN_FIT + (0.95 - _MIN_COLUMN_FIT) * share if len(words[0]) > 1 else 0.0


def find_cells(
    question: QuestionWords, first: int, last: int, table: TableProfile
) -> tuple[str, frozenset[str]]:
    """Find cells that the words name in full or in part: the text, and the columns that hold it."""
    normalized = normalize_name(question.text_between(first, last))
    if normalized in table.cell_columns:
        return table.cell_texts[normalized], table.cell_columns[normalized]
    stems = tuple(stem(word) for word in normalized.split())
    if not stems or any(word not in table.stem_cells for word in stems):
        return "", frozenset()
    cells = frozenset.intersection(*(table.stem_cells[word] for word in stems))
    matches = [cell for cell in cells if name_match_score(stems, stem_words(cell))]
    if not matches:
        return "", frozenset()
    columns = frozenset(column for cell in matches for column in table.cell_columns[cell])
    return (
        table.cell_texts[matches[0]] if len(matches) == 1 else question.text_between(first, last)
    ), columns
