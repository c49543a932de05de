"""``table``: CSV and similar text, workbooks, Parquet, and archives of them; each table is a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.loading.table_options import check_names
from trustuqa_neo4j.model.facts import Item

from . import _inputs
from ._delimited import read_laid_out_table
from ._inputs import Content, ContentKind, FileFilter
from ._table_items import InputTable, table_items
from ._workbooks import read_parquet_table, read_workbook_tables

_TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".psv")
_PLAIN_SUFFIXES = (*_TEXT_SUFFIXES, *_inputs.WORKBOOK_SUFFIXES, ".parquet")
_SUFFIXES = (*_PLAIN_SUFFIXES, *(f"{suffix}.gz" for suffix in _TEXT_SUFFIXES))
"""A table in a folder or archive needs such a suffix. A single file may have any name."""


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    return table_items(_read_tables(files, options), options)


def expand_folder(folder: Path) -> Sequence[Path]:
    # Archives in the folder are left out.
    return _inputs.list_files(folder, _TABLES)


def _read_tables(files: Sequence[File], options: ReadOptions) -> Iterator[InputTable]:
    sheets: set[str] = set()
    contents = [_inputs.file_content(file, options) for file in files]
    kinds: list[ContentKind] = [_inputs.detect_kind(content, options) for content in contents]
    repeated_names = _repeated_names(files, kinds)
    is_only_file = len(files) == 1
    for file, content, kind in zip(files, contents, kinds, strict=True):
        if kind != "tar" and kind != "zip":
            yield from _read_content(content, kind, options, sheets, is_only_file)
            continue
        for member in _inputs.read_members(file, kind, options, _remarking_filter(file, options)):
            yield from _read_member(member, member.name in repeated_names, options, sheets)
    required = set(options.table.sheets) - options.table.optional_names
    check_names("no sheet", sorted(required), sheets)


def _read_member(
    member: Content, is_repeated: bool, options: ReadOptions, sheets: set[str]
) -> Iterator[InputTable]:
    kind = _inputs.detect_kind(member, options)
    if kind == "tar" or kind == "zip":
        hint = "unpack the outer archive, and give the inner one or the folder"
        raise UnreadableFile("an archive in an archive", where=member.place, hint=hint)
    if is_repeated:
        member = replace(member, name=member.place)
    yield from _read_content(member, kind, options, sheets, is_only_table=False)


def _read_content(
    content: Content,
    kind: ContentKind,
    options: ReadOptions,
    sheets: set[str],
    is_only_table: bool,
) -> Iterator[InputTable]:
    # ``sheets`` are the names of all sheets so far.
    if kind == "workbook":
        return read_workbook_tables(content, options, sheets, is_only_table)
    if kind == "parquet":
        return read_parquet_table(content)
    return read_laid_out_table(content, options, is_only_table)


def _repeated_names(files: Sequence[File], kinds: Sequence[ContentKind]) -> set[str]:
    if len(files) == 1:
        return set()
    counts: Counter[str] = Counter()
    for file, kind in zip(files, kinds, strict=True):
        if kind == "tar" or kind == "zip":
            counts.update(set(_inputs.list_members(file, kind, _TABLES)))
        else:
            counts[file.name] += 1
    return {name for name, count in counts.items() if count > 1}


def _has_table_suffix(path: str) -> bool:
    return path.lower().endswith(_SUFFIXES)


_TABLES = FileFilter(
    _has_table_suffix, "table", f"a table in it needs one of these suffixes: {' '.join(_SUFFIXES)}"
)


def _remarking_filter(archive: File, options: ReadOptions) -> FileFilter:
    def accepts(path: str) -> bool:
        if not _has_table_suffix(path):
            options.remark("not a table, skipped", f"{archive.name}/{path}")
        return _has_table_suffix(path)

    return _TABLES._replace(accepts=accepts)


LOADER = Loader(
    name="table",
    summary="tables: CSV, TSV, XLSX, XLS, ODS, Parquet; folders and archives of them",
    kind="table",
    read=read_items,
    expand=expand_folder,
    aliases=("csv", "tsv", "excel", "xlsx", "xls", "ods", "spreadsheet", "parquet"),
    suffixes=_PLAIN_SUFFIXES,
    has_table_options=True,
    reads=frozenset(),
)
