"""Two columns of a row that are compared: *returned after the due date*, *more gold than silver*."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..lexicon.lexicon import BOUND_OPERATORS
from .column_links import ColumnLink
from .comparison_phrases import find_comparisons
from .question import PlainQuestion
from .snapshot import SnapshotColumn, TableSnapshot

_MIN_SCORE = 0.5  # of the link to a column
_MAX_PAIRS = 6
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
) -> tuple[ColumnPair, ...]:
    """Find the columns before and after a word that compares, the nearest on each side."""
    links = [
        link
        for link in sorted(columns.values(), key=lambda link: -link.score)
        if link.score >= _MIN_SCORE and _is_measured(table.columns[link.column])
    ]
    differences = _find_differences(question, table, links)
    comparisons = _find_comparisons(question, table, links)
    return tuple(islice(differences, _MAX_PAIRS)) or tuple(islice(comparisons, _MAX_PAIRS))


def _find_comparisons(
    question: PlainQuestion, table: TableSnapshot, links: list[ColumnLink]
) -> Iterator[ColumnPair]:
    for operator, words in _find_comparers(question):
        last = max(words) + 1
        before = [link for link in links if max(link.positions) < last]
        for second in (link for link in links if _follows(question, link, last)):
            firsts = [link for link in before if _are_alike(table, link, second)]
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
        for first in (link for link in links if _begins(question, link, cue.last)):
            last = max(first.positions) + 1
            for second in (link for link in links if _begins(question, link, last)):
                between = question.words[last : min(second.positions)]
                if _JOINS & {*between} and _are_alike(table, first, second):
                    positions = cue.positions | first.positions | second.positions
                    yield ColumnPair(first.column, second.column, "", positions)


def _are_alike(table: TableSnapshot, first: ColumnLink, second: ColumnLink) -> bool:
    kinds = {table.columns[link.column].kind for link in (first, second)}
    return len(kinds) == 1 and first.column != second.column


def _is_measured(column: SnapshotColumn) -> bool:
    return column.kind in _KINDS and not column.is_identifier


def _find_comparers(question: PlainQuestion) -> Iterator[tuple[str, frozenset[int]]]:
    for phrase in find_comparisons(question):
        yield phrase.operator, phrase.positions
    for cue in question.cues:
        operator = BOUND_OPERATORS.get(cue.operator)
        if operator in _STRICT:
            yield operator, cue.positions


def _begins(question: PlainQuestion, link: ColumnLink, last: int) -> bool:
    return min(link.positions) >= last and _follows(question, link, last)


def _follows(question: PlainQuestion, link: ColumnLink, last: int) -> bool:
    """True if nothing but grammar stands between a comparing word and the name of a column."""
    start = min((p for p in link.positions if p >= last), default=last)
    return max(link.positions) >= last and question.content.isdisjoint(range(last, start))
