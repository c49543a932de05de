"""The table that is asked: its columns, the words that name them, and the cells that words name.

A demonstration of another table says other columns. Which words of its question named them is found as it is
for the new question, so a column is a blank like a name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..compiling import Program, Read
from ..dataset import Scope
from ..mapping import fold
from .aligning import Span
from .likeness import alike, kin
from .words import Wording, stem

WHOLE = 20_000
"""Cells of tables up to this size are all looked at."""
_LONGEST = 5
"""Words that name a column."""
_NAMED = 0.6
"""Words name a column if so much of its name is in them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name, as stems of its words; how much of it is numbers and dates (0 to 1)."""

    name: str
    stems: tuple[str, ...]
    numbers: float = 0.0
    dates: float = 0.0


@dataclass(frozen=True)
class Table:
    """The source that is asked, where it is a table.

    ``cells`` are the columns that hold each folded cell, ``words`` the folded cells that have each stem;
    both are empty where the table is too large to be looked at whole.
    """

    dataset: str
    source: str
    columns: tuple[Column, ...]
    cells: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)


def read_table(scope: Scope) -> Program[Table | None]:
    """The table that a scope is; None where it is a graph, or several sources."""
    if scope.source is None:
        return None
    for dataset in scope.datasets:
        rows = yield Read("describe_sources", {"dataset": dataset, "source": scope.source})
        if not rows:
            continue
        row = rows[0]
        if row["kind"] != "table":
            return None
        table = Table(dataset, scope.source, tuple(map(_column, row["relations"])))
        if row["facts"] > WHOLE:
            return table
        given = {"dataset": dataset, "source": scope.source, "columns": list(table.relations)}
        return _with_cells(table, (yield Read("cells_of_columns", given)))
    return None


def _column(told: Mapping[str, object]) -> Column:
    name = str(told["relation"])
    facts = _number(told.get("facts")) or 1.0
    numbers, dates = _number(told.get("numbers")), _number(told.get("dates"))
    return Column(name, stems_of(name), numbers / facts, dates / facts)


def _number(told: object) -> float:
    return float(told) if isinstance(told, int | float) else 0.0


def _with_cells(table: Table, rows: Sequence[Mapping[str, object]]) -> Table:
    columns: dict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    words: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        cells = row["cells"]
        assert isinstance(cells, list)
        for cell in cells:
            folded = fold(cell)
            columns[folded].add(str(row["column"]))
            names.setdefault(folded, cell)
            for word in folded.split():
                words[stem(word)].add(folded)
    return Table(
        table.dataset,
        table.source,
        table.columns,
        {folded: frozenset(held) for folded, held in columns.items()},
        names,
        {word: frozenset(cells) for word, cells in words.items()},
    )


def stems_of(name: str) -> tuple[str, ...]:
    """The stems of the words of a name."""
    return tuple(stem(word) for word in fold(name).split())


def naming(stems: Sequence[str], name: Sequence[str]) -> Iterator[Span]:
    """Runs among ``stems`` that name a column whose name has the stems ``name``; how well they do."""
    for first in range(len(stems)):
        for last in range(first + 1, min(first + _LONGEST, len(stems)) + 1):
            fit = _named(stems[first:last], name)
            if fit:
                yield Span(first, last, fit)


def _named(run: Sequence[str], name: Sequence[str]) -> float:
    """How well a run of stems names a column: the letters that both have, among all of either."""
    if not name:
        return 0.0
    if tuple(run) == tuple(name):
        return 1.0
    common = 0.0
    left = list(name)
    for word in run:
        found = max(left, key=lambda other: kin(word, other), default="")
        likeness = kin(word, found) if found else 0.0
        if not likeness:
            return 0.0
        common += likeness * len(found)
        left.remove(found)
    share = common / (common + sum(map(len, left)))
    return _NAMED + (0.95 - _NAMED) * share if len(run[0]) > 1 else 0.0


def cells_said(wording: Wording, first: int, last: int, table: Table) -> tuple[str, frozenset[str]]:
    """What the words name in the table, by a whole cell or a part of one, and the columns that hold it."""
    folded = fold(wording.said(first, last))
    if folded in table.cells:
        return table.names[folded], table.cells[folded]
    run = tuple(stem(word) for word in folded.split())
    if not run or any(word not in table.words for word in run):
        return "", frozenset()
    having = frozenset.intersection(*(table.words[word] for word in run))
    found = [cell for cell in having if alike(run, stems_of(cell))]
    if not found:
        return "", frozenset()
    held = frozenset(column for cell in found for column in table.cells[cell])
    return (table.names[found[0]] if len(found) == 1 else wording.said(first, last)), held
