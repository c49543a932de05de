"""``wikisql``: the tables of WikiSQL, as released (JSON lines) or as one CSV file for each.

A source is called by the table's id, as the questions do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from . import archives, content, delimited, folders, jsonlines, rows
from .content import Content, Wanted
from .rows import Table

ARCHIVE = "data.tar.bz2"

_RELEASED = re.compile(r"\.tables\.jsonl(?:\.gz)?$")
_BY_ID = re.compile(r"(?:^|/)(?P<id>\d+-\d+-\d+)\.csv(?:\.gz)?$")
_SUFFIX = re.compile(r"\.csv(?:\.gz)?$")
_WANTED = Wanted(
    lambda path: bool(_RELEASED.search(path) or _BY_ID.search(path)),
    "table of WikiSQL",
    "tables lie in it as train.tables.jsonl, or as 1-1000181-1.csv",
)


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine, UsageError
    """
    return rows.items(_tables(files, reading), reading)


def expand(folder: Path) -> Sequence[Path]:
    """The files of tables below ``folder``, or the archive that was released.

    Raises:
        UnreadableFile
    """
    try:
        return folders.files(folder, _WANTED)
    except UnreadableFile:
        if (folder / ARCHIVE).is_file():
            return [folder / ARCHIVE]
        raise


def _tables(files: Sequence[File], reading: Reading) -> Iterator[Table]:
    for file in files:
        alone = content.of_file(file, reading)
        kind = content.kind(alone, reading, json=True)
        if kind == "tar" or kind == "zip":
            for member in archives.members(file, kind, reading, _WANTED):
                yield from _of(member, reading)
        elif kind == "text":
            yield from _of(alone, reading)
        else:
            hint = "give the files of tables, their folder or their archive"
            raise UnreadableFile("no table of WikiSQL", where=file.name, hint=hint)


def _of(found: Content, reading: Reading) -> Iterator[Table]:
    with content.lines_of(found, reading, silent=True) as lines:
        is_json = next((line for line in lines if line.strip()), "").lstrip().startswith("{")
    if is_json:
        return jsonlines.tables(found, reading)
    by_id = _BY_ID.search(found.name)
    name = by_id["id"] if by_id else _SUFFIX.sub("", Path(found.name).name)
    return delimited.tables(replace(found, name=name), reading)


LOADER = Loader(
    name="wikisql",
    summary="the tables of WikiSQL: *.tables.jsonl, data.tar.bz2, or a CSV file by id",
    kind="table",
    read=read,
    expand=expand,
)
