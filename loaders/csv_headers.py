"""The tables that CSV files and table definitions make together, before any row is read."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import cast

from sqlalchemy.types import NullType

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Reading

from . import content, delimited, rows
from .reflecting import with_keys
from .relational import Column, ForeignKey, Table, named


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table, the file of its rows if there is one, and the columns of the cells in that file."""

    table: Table
    file: File | None = None
    header: tuple[str, ...] = ()


def sheets(files: Sequence[File], declared: Sequence[Table], reading: Reading) -> tuple[Sheet, ...]:
    """A sheet for each file and each table that is only defined, sorted by the table's name.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    by_name = _by_table(files)
    pointing = [key for table in declared for key in table.foreign_keys]
    found = []
    for name, file in by_name.items():
        table = named(declared, name)
        if table is None and declared:
            _remark_undefined(name, file, declared, by_name, reading)
        found.append(_sheet(name, file, table, _pointing(name, pointing, declared), reading))
    filled = {sheet.table.name for sheet in found}
    for table in declared:
        if table.name not in filled:
            reading.remark("a table that is defined, with no file of its rows", table.name)
            found.append(Sheet(table))
    found.sort(key=lambda sheet: sheet.table.name.casefold())
    tables = with_keys([sheet.table for sheet in found])
    return tuple(replace(sheet, table=table) for sheet, table in zip(found, tables, strict=True))


@contextmanager
def read(file: File, reading: Reading) -> Generator[rows.Table, None, None]:
    """The one table in ``file``, while its rows are read.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    found = content.of_file(file, reading)
    if (kind := content.kind(found, reading)) != "text":
        raise UnreadableFile(
            f"{kind}, and no CSV", where=file.name, hint="load it as table instead"
        )
    tables = cast(Generator[rows.Table, None, None], delimited.tables(found, reading))
    try:
        yield next(tables)
    finally:
        tables.close()


def stem(file: File) -> str:
    """The name of the table in ``file``: its own without the suffix."""
    name = file.name.replace("\\", "/").rpartition("/")[2].removesuffix(".gz")
    return name.rpartition(".")[0] or name


def _by_table(files: Sequence[File]) -> dict[str, File]:
    found: dict[str, File] = {}
    for file in files:
        name = stem(file)
        before = next((each for each in found if each.casefold() == name.casefold()), None)
        if before is not None:
            raise UnreadableFile(
                f"a second file of the table {name!r}",
                where=f"{found[before].name} and {file.name}",
                hint="give one of them",
            )
        found[name] = file
    return found


def _remark_undefined(
    name: str, file: File, declared: Sequence[Table], files: Iterable[str], reading: Reading
) -> None:
    """Say that a file has no definition, and which may have been meant."""
    given = {each.casefold() for each in files}
    lonely = {each.name.casefold(): each.name for each in declared}
    near = get_close_matches(name.casefold(), [each for each in lonely if each not in given], 1)
    meant = f" (is {lonely[near[0]]} meant? rename the file)" if near else ""
    reading.remark(f"no definition of its table{meant}, so its values are read as text", file.name)


@dataclass(frozen=True, slots=True)
class _Pointed:
    """Columns that foreign keys point to, and the columns that do, with their types."""

    names: tuple[str, ...] = ()
    by: tuple[Column | None, ...] = ()


def _pointing(name: str, keys: Sequence[ForeignKey], declared: Sequence[Table]) -> _Pointed:
    """What foreign keys tell of a table that has no definition."""
    for table in declared:
        for key in table.foreign_keys:
            if key in keys and key.table.casefold() == name.casefold():
                return _Pointed(key.referenced, tuple(map(table.column, key.columns)))
    return _Pointed()


def _sheet(
    name: str, file: File, table: Table | None, pointed: _Pointed, reading: Reading
) -> Sheet:
    with read(file, replace(reading, progress=lambda _file, _done: None)) as found:
        written = rows.columns(found.header)
    key = table.key if table else pointed.names
    header = _repaired(written, key, file, reading)
    if table is None:
        by = dict(zip((each.casefold() for each in pointed.names), pointed.by, strict=True))
        types = {each: column.type for each, column in by.items() if column}
        columns = tuple(Column(each, types.get(each.casefold(), NullType())) for each in header)
        return Sheet(Table(name, columns), file, header)
    extra = [each for each in header if table.column(each) is None]
    if extra:
        what = "columns that its table's definition does not have, read as text"
        reading.remark(what, f"{file.name} ({', '.join(extra)})")
    if missing := [each.name for each in table.columns if named_in(header, each.name) is None]:
        what = "columns that its table's definition has, and it does not"
        reading.remark(what, f"{file.name} ({', '.join(missing)})")
    columns = (*table.columns, *(Column(each, NullType()) for each in extra))
    called = tuple(column.name if (column := table.column(each)) else each for each in header)
    return Sheet(replace(table, columns=columns), file, called)


def named_in(names: Iterable[str], name: str) -> str | None:
    """``name`` as it is written among ``names``."""
    return next((each for each in names if each.casefold() == name.casefold()), None)


def _repaired(
    written: Sequence[str], key: Sequence[str], file: File, reading: Reading
) -> tuple[str, ...]:
    """The header with each name once.

    Where it lacks a column of the key and has another name twice, the first of these is taken for it: a
    table's key stands first, and what was typed there by mistake stands again in its own place.
    """
    header: list[str] = []
    lacking = [each for each in key if named_in(written, each) is None]
    for place, name in enumerate(written):
        if named_in(written[place + 1 :], name) and named_in(header, name) is None:
            if len(lacking) == 1:
                what = f"{name!r} stands twice in its header: the first is read as {lacking[0]!r}"
                reading.remark(f"{what}, the key that it lacks", file.name)
                name = lacking.pop()
        elif named_in(header, name) is not None:
            name = _numbered(name, [*header, *written])
            reading.remark(f"a name that its header has before is read as {name!r}", file.name)
        header.append(name)
    return tuple(header)


def _numbered(name: str, taken: Sequence[str]) -> str:
    number = 2
    while named_in(taken, f"{name}_{number}") is not None:
        number += 1
    return f"{name}_{number}"
