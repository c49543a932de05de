"""Chooses the tables of a dataset that a question may be about, by the names and columns that they have."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.dataset import SchemaSource
from ..reads.reader import Reader
from ..semantic_parser.question import PlainQuestion
from .dataset_contents import DatasetContents
from .routing import find_content_words, rank_sources

MAX_TABLES = 3


def choose_tables(
    reader: Reader, contents: DatasetContents, question: PlainQuestion
) -> Sequence[SchemaSource]:
    """Return at most ``MAX_TABLES`` tables, best first; all of them if there are so few."""
    if len(contents.tables) <= MAX_TABLES:
        return contents.tables
    by_name = {table.name: table for table in contents.tables}
    ranked = rank_sources(reader, find_content_words(question.text), contents.dataset)
    return [by_name[name] for name in ranked if name in by_name][:MAX_TABLES]
