"""Two columns of a row that are compared: *returned after the due date*, *more gold than silver*."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..lexicon.lexicon import BOUND_OPERATORS
from .column_links import ColumnLink
from .comparison_phrases import find_comparisons
from .question import PlainQuestion
from .snapshot import SnapshotColumn, TableSnapshot

_MIN_SCORE = 0.5  # of the link to a column
_KINDS = ("number", "date")
_STRICT = (">", "<")
_JOINS = frozenset(("and", "than"))


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """The columns ``first`` and ``second`` with the operator between them; ``positions`` are all words.

    Of *the difference between A and B* the operator is empty; of *went over budget* ``first`` is None.
    """

    first: int | None
    second: int
    operator: str
    positions: frozenset[int]

    @property
    def is_difference(self) -> bool:
        return not self.operator


def find_column_pairs(
    question: PlainQuestion, table: TableSnapshot, columns: dict[int, ColumnLink]
) -> Iterator[ColumnPair]:
    """Yield the columns before and after a word that compares, the nearest on each side."""
    links = [
        link
        for link in columns.values()
        if link.score >= _MIN_SCORE and _is_measured(table.columns[link.column])
    ]
    differences = list(_find_differences(question, table, links))
    if differences:
        yield from differences
        return
    for operator, words in _find_comparers(question):
        last = max(words) + 1
        after = [link for link in links if _follows(question, link, last)]
        before = [link for link in links if max(link.positions) < last]
        for second in after:
            kind = table.columns[second.column].kind
            firsts = [
                link
                for link in before
                if table.columns[link.column].kind == kind and link.column != second.column
            ]
            nearest = max((max(link.positions) for link in firsts), default=0)
            for first in firsts:
                if max(first.positions) == nearest:  # several: ``Actual 2023`` and ``Actual 2024``
                    positions = words | first.positions | second.positions
                    yield ColumnPair(first.column, second.column, operator, positions)
            if not firsts:
                yield ColumnPair(None, second.column, operator, words | second.positions)


def _find_differences(
    question: PlainQuestion, table: TableSnapshot, links: list[ColumnLink]
) -> Iterator[ColumnPair]:
    """*the difference between A and B*, *how many more A than B*."""
    for cue in question.cues:
        if cue.operator != "difference":
            continue
        for first in links:
            for second in links:
                start, last = min(first.positions), max(first.positions) + 1
                is_alike = table.columns[first.column].kind == table.columns[second.column].kind
                between = question.words[last : min(second.positions)]
                if (
                    is_alike
                    and start >= cue.last
                    and _follows(question, first, cue.last)
                    and _follows(question, second, last)
                    and _JOINS & {*between}
                ):
                    positions = cue.positions | first.positions | second.positions
                    yield ColumnPair(first.column, second.column, "", positions)


def _is_measured(column: SnapshotColumn) -> bool:
    return column.kind in _KINDS and not column.is_identifier


def _find_comparers(question: PlainQuestion) -> Iterator[tuple[str, frozenset[int]]]:
    for phrase in find_comparisons(question):
        yield phrase.operator, phrase.positions
    for cue in question.cues:
        operator = BOUND_OPERATORS.get(cue.operator)
        if operator in _STRICT:
            yield operator, cue.positions


def _follows(question: PlainQuestion, link: ColumnLink, last: int) -> bool:
    """True if nothing but grammar stands between a comparing word and the name of a column."""
    start = min((p for p in link.positions if p >= last), default=last)
    return max(link.positions) >= last and question.content.isdisjoint(range(last, start))
