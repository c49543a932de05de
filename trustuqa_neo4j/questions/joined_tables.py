"""Tables of a dataset with the same columns, such as a file for each month, which a question reads as one.

A question may name one of them: *sales in March* reads ``march.csv``. Otherwise the query runs over all
sources, so it must not use a column that other sources have too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from threading import Lock

from cachetools import LRUCache, cached

from ..language.printer import quote_name
from ..lexicon.forms import stem
from ..matching import split_words
from ..model.dataset import SchemaSource
from ..semantic_parser.question import PlainQuestion
from ..semantic_parser.reading import ParsedQuestion, QuestionReading
from ..semantic_parser.snapshot import TableSnapshot, make_column
from .dataset_contents import DatasetContents

MAX_GROUPED = 50
"""Of a dataset with more tables, a question is about the one that is most like it."""


_CAPACITY = 16  # datasets


@dataclass(frozen=True, slots=True)
class TableGroups:
    """Groups of tables with the same columns, in the order of their first tables.

    ``tables`` keeps alive what the cache is keyed by.
    """

    tables: tuple[SchemaSource, ...]
    groups: tuple[tuple[SchemaSource, ...], ...]
    by_table: Mapping[str, tuple[SchemaSource, ...]]

    def select(self, names: Sequence[str], limit: int) -> list[tuple[SchemaSource, ...]]:
        """Return the first ``limit`` groups that have tables of these names, in their order."""
        selected: list[tuple[SchemaSource, ...]] = []
        for name in names:
            group = self.by_table.get(name)
            if group is None or group in selected:
                continue
            selected.append(group)
            if len(selected) == limit:
                break
        return selected


@cached(LRUCache(_CAPACITY), key=id, lock=Lock())
def group_tables(tables: tuple[SchemaSource, ...]) -> TableGroups:
    groups: tuple[tuple[SchemaSource, ...], ...] = tuple((table,) for table in tables)
    if len(tables) <= MAX_GROUPED:
        by_columns: dict[frozenset[str], list[SchemaSource]] = {}
        for table in tables:
            by_columns.setdefault(frozenset(table.columns), []).append(table)
        groups = tuple(tuple(group) for group in by_columns.values())
    by_table = {table.name: group for group in groups for table in group}
    return TableGroups(tables, groups, by_table)


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
