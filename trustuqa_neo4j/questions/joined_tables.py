"""Tables of a dataset with the same columns, such as a file for each month, which a question reads as one.

A question may name one of them: *sales in March* reads ``march.csv``. Otherwise the query runs over all
sources, so it must not use a column that other sources have too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ..language.printer import quote_name
from ..language.words import stem
from ..matching import split_words
from ..model.dataset import SchemaSource
from ..semantic_parser.question import PlainQuestion
from ..semantic_parser.reading import ParsedQuestion, QuestionReading
from ..semantic_parser.snapshot import TableSnapshot, make_column
from .dataset_contents import DatasetContents

MAX_GROUPED = 50
"""Of a dataset with more tables, a question is about the one that is most like it."""


def group_tables(tables: Sequence[SchemaSource]) -> list[tuple[SchemaSource, ...]]:
    """Group the tables that have the same columns; the first table of each group in their order."""
    if len(tables) > MAX_GROUPED:
        return [(table,) for table in tables]
    groups: dict[frozenset[str], list[SchemaSource]] = {}
    for table in tables:
        groups.setdefault(frozenset(table.columns), []).append(table)
    return [tuple(group) for group in groups.values()]


def select_named(
    question: PlainQuestion, tables: Sequence[SchemaSource]
) -> tuple[SchemaSource, ...]:
    """Select the tables whose file names have a word of the question that others lack; else all."""
    names = [table.name for table in tables]
    common, asked = {*_common_stems(names)}, {*question.stems}
    named = [t for t in tables if asked & ({*_stems(t.name)} - common)]
    return tuple(named or tables)


def _stems(name: str) -> list[str]:
    return [stem(word) for word in split_words(PurePath(name).stem)]


def _common_stems(names: Sequence[str]) -> list[str]:
    common = set[str].intersection(*({*_stems(name)} for name in names))
    return [word for word in _stems(names[0]) if word in common]


def join_snapshots(dataset: str, snapshots: Sequence[TableSnapshot]) -> TableSnapshot | None:
    """Join tables with the same columns; None if no column has a cell in each row.

    What the names of the files have in common names the rows, else the dataset does.
    """
    first = snapshots[0]
    name = " ".join(_common_stems([snapshot.name for snapshot in snapshots])) or dataset
    size = sum(snapshot.size for snapshot in snapshots)
    columns = []
    for place, column in enumerate(first.columns):
        members, start = [], 0
        for snapshot in snapshots:
            own = next(other for other in snapshot.columns if other.name == column.name)
            members += [(start + row, cell) for row, cell in own.members]
            start += snapshot.size
        columns.append(make_column(column.name, place, size, members))
    joined = TableSnapshot(
        name, tuple(columns), sources=tuple(snapshot.name for snapshot in snapshots)
    )
    return None if joined.complete_column is None else joined


def refuse_shared_columns(
    parsed: ParsedQuestion, contents: DatasetContents, group: Sequence[SchemaSource]
) -> ParsedQuestion:
    """Refuse the readings whose query would use rows of other tables or graphs."""
    names = {table.name for table in group}
    others = [table for table in contents.tables if table.name not in names]
    shared = {name for table in others for name in table.columns} | contents.relations.keys()
    texts = [quote_name(name) for name in sorted(shared & {*group[0].columns})]
    if others or contents.relations:
        texts.append("set_negation(")
    return refuse(parsed, group, texts)


def refuse(
    parsed: ParsedQuestion, group: Sequence[SchemaSource], texts: Sequence[str] = ("",)
) -> ParsedQuestion:
    """Refuse the readings whose query has one of ``texts``: a table has to be named."""
    message = f"{len(group)} tables have these columns"

    def check(reading: QuestionReading) -> QuestionReading:
        is_refused = any(text in reading.query for text in texts)
        return replace(reading, refusal=message) if is_refused else reading

    return replace(parsed, readings=tuple(map(check, parsed.readings)))
