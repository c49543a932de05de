"""``wikisql``: the tables of WikiSQL, as released (JSON lines) or as one CSV file for each.

A source has the id of its table as name, as in the questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Item

from . import _inputs
from ._delimited import read_delimited_table
from ._inputs import Content, FileFilter
from ._table_items import InputTable, read_json_tables, table_items

_ARCHIVE = "data.tar.bz2"
_JSON_NAME = re.compile(r"\.tables\.jsonl(?:\.gz)?$")
_CSV_NAME = re.compile(r"(?:^|/)(?P<id>\d+-\d+-\d+)\.csv(?:\.gz)?$")
_CSV_SUFFIX = re.compile(r"\.csv(?:\.gz)?$")
_TABLES = FileFilter(
    lambda path: bool(_JSON_NAME.search(path) or _CSV_NAME.search(path)),
    "table of WikiSQL",
    "a table in it is called like train.tables.jsonl or 1-1000181-1.csv",
)


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    return table_items(_read_tables(files, options), options, merge_repeated=True)


def expand_folder(folder: Path) -> Sequence[Path]:
    try:
        return _inputs.list_files(folder, _TABLES)
    except UnreadableFile:
        if (folder / _ARCHIVE).is_file():
            return [folder / _ARCHIVE]
        raise


def _read_tables(files: Sequence[File], options: ReadOptions) -> Iterator[InputTable]:
    hint = "give the files of tables, their folder or their archive"
    for content, _ in _inputs.read_text_contents(files, options, _TABLES, hint, json=True):
        yield from _read_content(content, options)


def _read_content(content: Content, options: ReadOptions) -> Iterator[InputTable]:
    with _inputs.open_content_lines(content, options, silent=True) as lines:
        is_json = next((line for line in lines if line.strip()), "").lstrip().startswith("{")
    if is_json:
        return read_json_tables(content, options)
    match = _CSV_NAME.search(content.name)
    name = match["id"] if match else _CSV_SUFFIX.sub("", Path(content.name).name)
    return read_delimited_table(replace(content, name=name), options)


LOADER = Loader(
    name="wikisql",
    summary="the tables of WikiSQL: *.tables.jsonl, data.tar.bz2, or a CSV file by id",
    kind="table",
    read=read_items,
    expand=expand_folder,
    benchmark=True,
    reads=frozenset({"table", "json"}),
)
