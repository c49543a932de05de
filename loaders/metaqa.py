"""``metaqa``: the knowledge graph of MetaQA, ``kb.txt``: head, relation, tail with bars between them.

Only a bar is a delimiter, unlike in ``kg``: film titles have commas, and the first lines of a part of the
file could look like CSV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Item

from ._inputs import find_plain_or_gzip, missing_file_error
from .kg import COLUMNS, read_facts

_COLUMNS = replace(COLUMNS, delimiters="|")
_KB_FILE = "kb.txt"


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    for file in files:
        yield options.part(file.name, file.name, "kg")
        yield from read_facts(file, options, _COLUMNS)


def expand_folder(folder: Path) -> Sequence[Path]:
    path = find_plain_or_gzip(folder, _KB_FILE)
    if path is None:
        raise missing_file_error(folder, [_KB_FILE, f"{_KB_FILE}.gz"])
    return [path]


LOADER = Loader(
    name="metaqa",
    summary="MetaQA's knowledge graph: kb.txt or the folder that holds it",
    kind="kg",
    read=read_items,
    expand=expand_folder,
    benchmark=True,
    reads=frozenset({"kg"}),
)
