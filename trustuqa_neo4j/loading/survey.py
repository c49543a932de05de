"""A first reading of the files before anything is written: it checks them, and decides how columns are read.

The cells of tables are counted column by column. So a column is read in one way, and the load reports what it
doubts. The reading of a column is attached to the start of its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import UsageError, format_list
from ..matching import suggest_names
from ..model.facts import ALL_RELATIONS, Fact, Item, Readings, SourceStart
from ..values import ColumnNote, ColumnSurvey, ValueOptions, may_be_ambiguous
from .request import LoadRequest

MAX_NOTES = 20
"""Columns with a note; the others are counted."""


@dataclass
class Survey:
    """The facts, sources and columns of all items."""

    facts: int = 0
    sources: dict[str, None] = field(default_factory=dict)
    relations: set[str] = field(default_factory=set)
    columns: dict[tuple[str, str], ColumnSurvey] = field(default_factory=dict)

    def watch(self, items: Iterator[Item]) -> Iterator[Item]:
        # Yield ``items``, and count them.
        source, file = "", ""
        is_table = False
        for item in items:
            if isinstance(item, Fact):
                self.facts += 1
                relation, text = item.relation, item.tail
                self.relations.add(relation)
                if is_table and may_be_ambiguous(text):
                    column = self.columns.get((source, relation))
                    if column is None:
                        column = self.columns[source, relation] = ColumnSurvey(relation)
                    column.add(text, file, item.line)
            elif isinstance(item, SourceStart):
                source, file, is_table = item.source, item.file, item.kind == "table"
                self.sources[source] = None
                self.relations.update(item.columns)
            yield item

    def check_columns(self, values: ValueOptions) -> None:
        # Refuse options for columns that no source has.
        for column in values.columns:
            if column not in self.relations:
                nearest = suggest_names(column, sorted(self.relations), most=1)
                names = format_list([*map(repr, sorted(self.relations))], 5)
                hint = f"did you mean {nearest[0]!r}?" if nearest else f"there are {names}"
                raise UsageError(f"--dates or --decimal for {column!r}: no column", hint=hint)

    def decide(self, request: LoadRequest) -> tuple[dict[str, Readings], list[ColumnNote]]:
        # The readings of the columns of each source, and notes on them.
        readings: dict[str, list[tuple[str, str]]] = {}
        notes: list[ColumnNote] = []
        defaults = request.default_values
        for (source, relation), column in self.columns.items():
            options = column.decide(
                defaults.of_column(relation), request.values.of_column(relation)
            )
            if options != defaults.of_column(relation):
                text = ValueOptions(options.dates, options.decimal).text
                readings.setdefault(source, []).append((relation, text))
            notes += column.notes
        return {source: tuple(pairs) for source, pairs in readings.items()}, notes


def attach_readings(items: Iterator[Item], request: LoadRequest) -> Iterator[Item]:
    # Yield ``items``; the starts of sources have the readings that differ from those of the dataset.
    values = request.default_values
    fixed: dict[str, str] = {}
    if _text(values) != _text(request.dataset_values):
        fixed[ALL_RELATIONS] = _text(values)
    for column in values.columns:
        fixed[column] = _text(values.of_column(column))
    for item in items:
        if isinstance(item, SourceStart) and (fixed or request.readings):
            readings = fixed | dict(request.readings.get(item.source, ())) | dict(item.readings)
            yield item._replace(readings=tuple(readings.items()))
        else:
            yield item


def _text(options: ValueOptions) -> str:
    return ValueOptions(options.dates, options.decimal).text


def limit_notes(notes: Sequence[ColumnNote]) -> list[ColumnNote]:
    # The first notes; those on further columns have one message.
    further = "this column is doubtful too (--dry-run with this file alone describes it)"
    return [*notes[:MAX_NOTES], *(ColumnNote(further, note.place) for note in notes[MAX_NOTES:])]
