"""``sql``: relational databases, and CSV files that are one: rows, their values, and where foreign keys lead.

A row is a node without a name, since keys that a machine made answer nobody's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trustuqa_neo4j.errors import importing
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from . import folders
from .content import Wanted
from .relational import DEFINITIONS

_TEXTS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of a database: declarations behind the first part, rows by table, then foreign keys.

    Raises:
        UsageError, MissingFile, MissingExtra, UnreadableFile, UnreadableDatabase, MalformedLine
    """
    with importing("sql", "databases need"):
        from .databases import opened
        from .sql_rows import Rows
        from .sql_schema import schema_of
    with opened(files, reading) as database:
        yield from Rows(database, schema_of(database, reading), reading, files).items()


def expand(folder: Path) -> Sequence[Path]:
    """The CSV files and table definitions below ``folder``.

    Raises:
        UnreadableFile
    """
    return folders.files(folder, _WANTED)


_WANTED = Wanted(
    lambda path: path.lower().endswith((*_TEXTS, *DEFINITIONS)),
    "CSV file",
    f"known by their suffix are {' '.join((*_TEXTS, *DEFINITIONS))}; give a database file by itself",
)

LOADER = Loader(
    name="sql",
    summary="databases: an address, a file of SQLite or DuckDB, CSV files with CREATE TABLE",
    kind="kg",
    read=read,
    expand=expand,
    addresses=True,
)
