"""``table``: tables as CSV and its kin, workbooks, Parquet, and archives of them, a source each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from . import archives, content, delimited, folders, parquet, rows, sheets
from .content import Content, Kind, Wanted
from .rows import Table

_TEXTS = (".csv", ".tsv", ".tab", ".psv")
_SUFFIXES = (
    *_TEXTS, *(f"{suffix}.gz" for suffix in _TEXTS), *content.WORKBOOKS, ".parquet",
)  # fmt: skip
"""Of the files in a folder or archive that are tables; a file given by itself may be called anything."""


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine, UsageError, MissingExtra
    """
    return rows.items(_tables(files, reading), reading)


def expand(folder: Path) -> Sequence[Path]:
    """The tables below ``folder``; archives in it are left out.

    Raises:
        UnreadableFile
    """
    return folders.files(folder, _WANTED)


def _tables(files: Sequence[File], reading: Reading) -> Iterator[Table]:
    kinds = [content.kind(content.of_file(file, reading), reading) for file in files]
    repeated = _repeated(files, kinds)
    for file, kind in zip(files, kinds, strict=True):
        if kind != "tar" and kind != "zip":
            yield from _of(content.of_file(file, reading), kind, reading)
            continue
        for member in archives.members(file, kind, reading, _remarking(file, reading)):
            yield from _of_member(member, member.name in repeated, reading)


def _of_member(member: Content, repeated: bool, reading: Reading) -> Iterator[Table]:
    kind = content.kind(member, reading)
    if kind == "tar" or kind == "zip":
        hint = "unpack it, and give the archive or the folder"
        raise UnreadableFile("an archive in an archive", where=member.place, hint=hint)
    if repeated:
        member = replace(member, name=member.place)
    yield from _of(member, kind, reading)


def _of(found: Content, kind: Kind, reading: Reading) -> Iterator[Table]:
    if kind == "workbook":
        return sheets.tables(found)
    if kind == "parquet":
        return parquet.tables(found)
    return delimited.tables(found, reading)


def _repeated(files: Sequence[File], kinds: Sequence[Kind]) -> set[str]:
    """The names that more than one of several files and their members has."""
    if len(files) == 1:
        return set()
    count: Counter[str] = Counter()
    for file, kind in zip(files, kinds, strict=True):
        if kind == "tar" or kind == "zip":
            count.update(set(archives.names(file, kind, _WANTED)))
        else:
            count[file.name] += 1
    return {name for name, times in count.items() if times > 1}


def _is_table(path: str) -> bool:
    return path.lower().endswith(_SUFFIXES)


_WANTED = Wanted(
    _is_table, "table", f"tables in it are known by their suffix: {' '.join(_SUFFIXES)}"
)


def _remarking(archive: File, reading: Reading) -> Wanted:
    """The tables, with a remark on each member that is none."""

    def is_one(path: str) -> bool:
        if not _is_table(path):
            reading.remark("no table, passed over", f"{archive.name}/{path}")
        return _is_table(path)

    return _WANTED._replace(is_one=is_one)


LOADER = Loader(
    name="table",
    summary="tables: CSV, TSV, XLSX, XLS, ODS, Parquet; folders and archives of them",
    kind="table",
    read=read,
    expand=expand,
)
