"""Snapshots of tables that are in no database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot, make_cell, make_column
from trustuqa_neo4j.values import (
    DEFAULT_VALUE_OPTIONS,
    ColumnSurvey,
    ValueOptions,
    may_be_ambiguous,
    read_value,
)


def make_snapshot(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> TableSnapshot:
    """Make a snapshot of texts, reading their values as a load does; empty texts are empty cells.

    Columns of one title become one column, with several cells in a row.
    """
    columns = []
    for position, title in enumerate(dict.fromkeys(header)):
        places = [place for place, other in enumerate(header) if other == title]
        texts = [
            (row, text)
            for row, entries in enumerate(rows)
            for place in places
            if (text := entries[place] if place < len(entries) else None)
        ]
        options = _survey(title, texts)
        members = ((row, make_cell(text, read_value(text, options))) for row, text in texts)
        columns.append(make_column(title, position, len(rows), members))
    return TableSnapshot(name, tuple(columns))


def _survey(title: str, texts: Iterable[tuple[int, str]]) -> ValueOptions:
    survey = ColumnSurvey(title)
    for row, text in texts:
        if may_be_ambiguous(text):
            survey.add(text, title, row + 1)
    return survey.decide(DEFAULT_VALUE_OPTIONS, DEFAULT_VALUE_OPTIONS)
