"""The columns of a demonstration → columns of the table that is asked.

In this order: the column that the words in its blank name; the column that holds the name which the query
compares it with; the one of the same name; the nearest by letters. One that finds none makes the
demonstration useless here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..mapping import fold, score_near
from .aligning import Alignment, Span
from .columns import Table
from .mentions import Mention
from .shaping import Column, Shape

_NEAREST = 0.3
"""A column is taken for another from this nearness on."""
_HOLDING, _ELSEWHERE = 0.95, 0.5
"""How well a column does that holds the name it is compared with; and one that does not."""
_UNSAID = 0.6
"""How well a column does that the demonstration's question named and this one does not."""
_TWICE = 0.5
"""How well columns do of which two have become one."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Columns of the demonstration by folded name → columns of the table; how well they do (0 to 1)."""

    dataset: str
    columns: Mapping[str, str]
    fit: float


def rebind(shape: Shape, alignment: Alignment, table: Table) -> Bound | None:
    """The columns for those of ``shape``; None where one finds none."""
    columns: dict[str, str] = {}
    fit = 1.0
    for column in shape.columns:
        span = None if column.number is None else alignment.spans[column.number]
        held = _held(shape, alignment, column)
        found = _bound(column, span, held, table)
        if found is None:
            if column.places:
                return None
            continue
        columns[fold(column.name)], likely = found
        fit *= likely if column.places else 1.0
    searched = [columns[fold(column.name)] for column in shape.columns if column.places]
    return Bound(table.dataset, columns, fit * _TWICE ** (len(searched) - len(set(searched))))


def _held(shape: Shape, alignment: Alignment, column: Column) -> frozenset[str] | None:
    """The columns that hold what ``column`` is compared with; None where that is no name."""
    held: frozenset[str] | None = None
    for blank, span in zip(shape.blanks, alignment.spans, strict=False):
        of = {fold(name) for role in blank.roles if role.side == "tail" for name in role.relations}
        if fold(column.name) not in of or span is None or not isinstance(span.what, Mention):
            continue
        if span.what.columns:
            held = span.what.columns if held is None else held & span.what.columns
    return held


def _bound(
    column: Column, span: Span | None, held: frozenset[str] | None, table: Table
) -> tuple[str, float] | None:
    if span is not None and isinstance(span.what, str):
        if held is None or span.what in held:
            return span.what, 1.0
        return (sorted(held)[0], _HOLDING * _ELSEWHERE) if held else (span.what, _ELSEWHERE)
    unsaid = 1.0 if column.number is None else _UNSAID
    same = next((name for name in table.relations if fold(name) == fold(column.name)), None)
    if same is not None and (held is None or same in held):
        return same, unsaid
    if held:
        return _nearest(column.name, sorted(held))[0], _HOLDING * unsaid
    name, score = _nearest(column.name, table.relations)
    return (name, score * unsaid) if score >= _NEAREST else None


def _nearest(name: str, columns: Sequence[str]) -> tuple[str, float]:
    near = score_near(name, [(None, column) for column in columns])
    return (near[0].name, near[0].score) if near else ("", 0.0)
