r"""``wikitablequestions``: the tables of WikiTableQuestions, as released or as one archive.

The CSV files of this data set have a backslash before a quote within quotes. The ``.tsv`` and ``.html``
files of a table are not read: they have the same data, or more than the questions need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Item

from . import _inputs
from ._delimited import read_delimited_table
from ._inputs import FileFilter
from ._line_forms import Dialect
from ._table_items import InputTable, table_items

_DIALECT = Dialect(",", escape="\\")
_ARCHIVE = "tables.tar.gz"
_TABLE_PATH = re.compile(r"(?:^|/)(?:csv/)?(\d+-csv/\d+\.csv)$")
_TABLES = FileFilter(
    lambda path: _TABLE_PATH.search(path) is not None,
    "table of WikiTableQuestions",
    "a table in it is called like csv/204-csv/963.csv",
)


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    return table_items(_read_tables(files, options), options, merge_repeated=True)


def expand_folder(folder: Path) -> Sequence[Path]:
    archive = folder / _ARCHIVE
    if archive.is_file() and not (folder / "csv").is_dir():
        return [archive]
    return _inputs.list_files(folder, _TABLES)


def _read_tables(files: Sequence[File], options: ReadOptions) -> Iterator[InputTable]:
    hint = "give CSV files, their folder or their archive; the format table reads others"
    for content, path in _inputs.read_text_contents(files, options, _TABLES, hint):
        match = _TABLE_PATH.search(path)
        # The questions call a table csv/204-csv/963.csv.
        name = f"csv/{match[1]}" if match else content.name
        yield from read_delimited_table(replace(content, name=name), options, _DIALECT)


LOADER = Loader(
    name="wikitablequestions",
    summary="the tables of WikiTableQuestions: its folder, or tables.tar.gz",
    kind="table",
    read=read_items,
    expand=expand_folder,
    benchmark=True,
    reads=frozenset({"table"}),
)
