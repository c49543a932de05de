r"""``wikitablequestions``: the tables of WikiTableQuestions, as released or as one archive.

The CSV files of that data set have a backslash before a quote within quotes. Of the three forms of each
table only these are read: the others (``.tsv``, ``.html``) say the same or more than the questions need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from . import archives, content, delimited, folders, rows
from .content import Content, Wanted
from .rows import Table

DIALECT = delimited.Dialect(",", escape="\\")
ARCHIVE = "tables.tar.gz"

_TABLE = re.compile(r"(?:^|/)(?:csv/)?(\d+-csv/\d+\.csv)$")
_WANTED = Wanted(
    lambda path: _TABLE.search(path) is not None,
    "table of WikiTableQuestions",
    "tables lie in it as csv/204-csv/963.csv",
)


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine, UsageError
    """
    return rows.items(_tables(files, reading), reading)


def expand(folder: Path) -> Sequence[Path]:
    """The tables below ``folder``, or the archive of them in it.

    Raises:
        UnreadableFile
    """
    archive = folder / ARCHIVE
    if archive.is_file() and not (folder / "csv").is_dir():
        return [archive]
    return folders.files(folder, _WANTED)


def _tables(files: Sequence[File], reading: Reading) -> Iterator[Table]:
    for file in files:
        alone = content.of_file(file, reading)
        kind = content.kind(alone, reading)
        if kind == "tar" or kind == "zip":
            for member in archives.members(file, kind, reading, _WANTED):
                yield from _table(member, _name(member.name, member.name), reading)
        elif kind == "text":
            yield from _table(alone, _name(file.path.absolute().as_posix(), file.name), reading)
        else:
            hint = "give CSV files, their folder or their archive; the format table reads others"
            raise UnreadableFile("no table of WikiTableQuestions", where=file.name, hint=hint)


def _table(found: Content, name: str, reading: Reading) -> Iterator[Table]:
    return delimited.tables(replace(found, name=name), reading, DIALECT)


def _name(path: str, other: str) -> str:
    """What the questions call the table at ``path``: ``csv/204-csv/963.csv``; ``other`` if none of them."""
    found = _TABLE.search(path)
    return f"csv/{found[1]}" if found else other


LOADER = Loader(
    name="wikitablequestions",
    summary="the tables of WikiTableQuestions: its folder, or tables.tar.gz",
    kind="table",
    read=read,
    expand=expand,
)
