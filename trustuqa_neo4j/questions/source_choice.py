"""Chooses the tables of a dataset that a question may be about, by the names and columns that they have."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.dataset import SchemaSource
from ..reads.reader import Reader
from ..semantic_parser.question import PlainQuestion
from .routing import find_content_words, rank_sources
from .table_snapshots import list_tables

MAX_TABLES = 3


def choose_tables(
    reader: Reader, dataset: str, source: str | None, question: PlainQuestion
) -> Sequence[SchemaSource]:
    """Return at most ``MAX_TABLES`` tables, best first; all of them if there are so few."""
    tables = list_tables(reader, dataset, source)
    if len(tables) <= MAX_TABLES:
        return tables
    by_name = {table.name: table for table in tables}
    ranked = rank_sources(reader, find_content_words(question.text), dataset)
    return [by_name[name] for name in ranked if name in by_name][:MAX_TABLES]
