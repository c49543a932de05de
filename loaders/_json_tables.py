"""Lists of flat JSON records as tables: a column for each member, as in a CSV file with these columns.

A record is flat if its members are texts, numbers, ``true``, ``false``, ``null`` or lists of these. A file
has tables if it is a list of flat records: a record a line, an array, or an object of such arrays that has
no name of its own.
A file is read to its end before its first row, since the last record may have a column of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.loading.table_options import DEFAULT_TABLE_OPTIONS
from trustuqa_neo4j.wording import CallOption

from ._json_graph import (
    HALF_CHARACTER,
    MANY_MEMBERS,
    NAMING_MEMBERS,
    REPEATED_MEMBER,
    UNNAMED_MEMBER,
    JsonConstant,
    JsonError,
    JsonMembers,
    JsonValue,
    JsonWindow,
    LargeValue,
    clean_member_name,
    decode_json,
    format_scalar,
    may_have_half_character,
)
from ._summary_rows import RawRow, without_sums
from ._table_checks import TableSample, note_table
from ._table_items import CellValues, InputTable
from ._table_layout import SAMPLE_ROWS, without_last
from ._text import MAX_LINE_LENGTH, SKIP_BAD_LINES, open_lines

LINE_HINT = f"each line is an object; {SKIP_BAD_LINES}"
RECORD_HINT = (
    f"records are objects; {CallOption.SKIP_BAD.with_value('N')} skips up to N bad records"
)
NO_OBJECT = "a record that is not an object"

BESIDE_RECORDS = "a member beside the records of a document, which is not read"
CONSTANT_CELL = "NaN or Infinity, which JSON does not have: NaN is read as missing"

_MIN_FILLED = 0.1
"""The least share of filled cells in a table of many columns; below it the names look like data."""


class RecordTable(NamedTuple):
    """The records below ``member`` of a document; it is empty for those of a document or of lines."""

    member: str
    columns: tuple[str, ...]


class _NoRecords(Exception):
    # The file is a document of another shape.
    pass


class _Record(NamedTuple):
    # ``members`` is None for a record that is malformed, with what is wrong in ``error``.
    table: str
    number: int
    members: JsonMembers | None
    error: str = ""
    hint: str = RECORD_HINT


@dataclass(slots=True)
class _TableShape:
    columns: dict[str, None] = field(default_factory=dict)
    records: int = 0
    cells: int = 0

    def add(self, members: JsonMembers) -> None:
        self.records += 1
        self.cells += len(members)
        self.columns.update((clean_member_name(name), None) for name, _ in members)

    @property
    def is_sparse(self) -> bool:
        columns = len(self.columns)
        return columns > MANY_MEMBERS and self.cells < _MIN_FILLED * columns * self.records


def find_record_tables(file: File, options: ReadOptions, by_line: bool) -> list[RecordTable]:
    """The tables of ``file``; empty if it has nested records or another shape."""
    shapes: dict[str, _TableShape] = {}
    try:
        for record in _read_records(file, options, by_line):
            if record.members is not None:
                if not all(_is_flat(name, value) for name, value in record.members):
                    return []
                shapes.setdefault(record.table, _TableShape()).add(record.members)
    except _NoRecords:
        return []
    if any(shape.is_sparse for shape in shapes.values()):
        return []
    return [
        RecordTable(member, tuple(shape.columns))
        for member, shape in shapes.items()
        if shape.columns
    ]


def _is_flat(name: str, value: JsonValue | LargeValue) -> bool:
    # Members such as ``@id`` refer to other records.
    if name.startswith("@") or isinstance(value, LargeValue):
        return False
    if isinstance(value, list):
        return not any(isinstance(element, (list, tuple)) for element in value)
    return not value if isinstance(value, tuple) else True


def read_record_tables(
    file: File, options: ReadOptions, by_line: bool, tables: Sequence[RecordTable]
) -> Iterator[InputTable]:
    """The tables of ``file`` with the notes that a CSV file gets; for each of them it is read again."""
    for table in tables:
        name = file.name if len(tables) == 1 else f"{file.name}#{table.member}"
        records = _read_records(file, options, by_line)
        rows = _read_rows(table, records, options, file.name)
        sample = list(islice(rows, SAMPLE_ROWS))
        plain = [row._replace(cells=[*map(_hide_values, row.cells)]) for row in sample]
        checked = TableSample(table.columns, (), plain, options, is_given=True)
        kinds = note_table(checked, table.columns, file.name)
        body = without_sums(chain(sample, rows), options, file.name, len(tables) == 1)
        body = without_last(body, options.table.skip_end or 0)
        cells = ((row.line, row.cells) for row in body)
        yield InputTable(name, file.name, table.columns, cells, kinds, has_cell_values=True)


def check_record_options(options: ReadOptions, places: Sequence[str]) -> None:
    """Refuse options of tables that records do not have.

    Raises:
        UsageError
    """
    table = options.table
    names = {"header": table.header, "skip": table.skip, "sheets": table.sheets or None}
    refused = [name for name, setting in names.items() if setting is not None]
    if places and refused:
        raise UsageError(
            f"records have no {refused[0]}",
            where=places[0],
            hint="their members name the columns: load them without this option",
        )
    if table != DEFAULT_TABLE_OPTIONS and not places:
        raise UsageError(
            f"no table with these options: {', '.join(table.to_dict())}",
            hint="a list of records without nested objects is a table; nested ones are a graph",
        )


def _hide_values(cell: str) -> str:
    return "" if isinstance(cell, CellValues) else cell


# Records of a file.


def _read_records(file: File, options: ReadOptions, by_line: bool) -> Iterator[_Record]:
    with open_lines(file, options) as lines:
        if by_line:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _read_line(line, number)
        else:
            window = JsonWindow(file.name, lines)
            yield from _read_document(window, file.name, options)
            window.check_end()


def _read_line(line: str, number: int) -> _Record:
    try:
        value = decode_json(line)
    except JsonError as error:
        return _Record("", number, None, str(error), LINE_HINT)
    return _make_record("", number, value, may_have_half_character(line))


def _read_document(window: JsonWindow, place: str, options: ReadOptions) -> Iterator[_Record]:
    value = window.take_value()
    if isinstance(value, list) or value is LargeValue.ARRAY:
        yield from _read_elements("", value, window)
    elif isinstance(value, tuple) or value is LargeValue.OBJECT:
        members = value if isinstance(value, tuple) else window.take_members()
        for name, member in members:
            if isinstance(member, list) or member is LargeValue.ARRAY:
                yield from _read_elements(name, member, window)
            elif name in NAMING_MEMBERS or (member != () and not _is_flat(name, member)):
                raise _NoRecords  # it is about one thing, which has these records
            elif member is not None and member != ():
                options.remark(BESIDE_RECORDS, f"{place}#/{name}")
    else:
        raise _NoRecords


def _read_elements(
    table: str, value: JsonValue | LargeValue, window: JsonWindow
) -> Iterator[_Record]:
    elements = value if isinstance(value, list) else window.take_elements(MAX_LINE_LENGTH)
    for number, element in enumerate(elements, 1):
        if isinstance(element, (list, LargeValue)) or (table and not isinstance(element, tuple)):
            raise _NoRecords
        yield _make_record(table, number, element, window.may_have_half_character)


def _make_record(table: str, number: int, value: JsonValue, may_have_halves: bool) -> _Record:
    if not isinstance(value, tuple):
        return _Record(table, number, None, NO_OBJECT)
    if may_have_halves:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return _Record(table, number, None, HALF_CHARACTER)
    return _Record(table, number, value)


# Rows of a table.


def _read_rows(
    table: RecordTable, records: Iterator[_Record], options: ReadOptions, place: str
) -> Iterator[RawRow]:
    positions = {name: position for position, name in enumerate(table.columns)}
    for record in records:
        if record.table != table.member:
            continue
        where = f"{place}:{record.number}"
        if record.members is None:
            options.malformed(record.error, where, record.hint)
        else:
            yield RawRow(record.number, _read_cells(record.members, positions, options, where))


def _read_cells(
    members: JsonMembers, positions: Mapping[str, int], options: ReadOptions, where: str
) -> list[str]:
    values: list[tuple[str, ...]] = [()] * len(positions)
    for name, value in members:
        column = clean_member_name(name)
        if not name.strip():
            options.remark(UNNAMED_MEMBER, where)
        position = positions[column]
        if values[position]:
            options.remark(REPEATED_MEMBER, where)
        values[position] += _read_values(value, options, where)
    return [texts[0] if len(texts) == 1 else CellValues.combine(texts) for texts in values]


def _read_values(value: JsonValue, options: ReadOptions, where: str) -> tuple[str, ...]:
    # The texts of a member; none for ``null`` and what is empty.
    if isinstance(value, list):
        return tuple(text for part in value for text in _read_values(part, options, where) if text)
    if value is None or isinstance(value, tuple):
        return ()
    if isinstance(value, JsonConstant):
        options.remark(CONSTANT_CELL, where)
        return () if value == "NaN" else (str(value),)
    return (format_scalar(value),)
