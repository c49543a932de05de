"""Lists of JSON records as tables: a column for each member, as in a CSV file with these columns.

A file has tables if it is a list of records: a record a line, an array, or an object of such arrays that has
no name of its own. What is nested in a record is a graph beside the table (``_json_nested``).
A file is read to its end before its first row, since the last record may have a column of its own.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.loading.table_options import DEFAULT_TABLE_OPTIONS, TableOptions
from trustuqa_neo4j.model.facts import Item, NodeDeclared, make_row_key
from trustuqa_neo4j.wording import CallOption

from ._json_graph import (
    HALF_CHARACTER,
    MANY_MEMBERS,
    NAMING_MEMBERS,
    NESTED_ARRAY,
    REPEATED_MEMBER,
    UNNAMED_MEMBER,
    JsonConstant,
    JsonError,
    JsonGraph,
    JsonMembers,
    JsonPlace,
    JsonValue,
    JsonWindow,
    LargeValue,
    clean_member_name,
    decode_json,
    format_scalar,
    may_have_half_character,
)
from ._json_nested import Identities, NestedReader, has_nested, has_text
from ._summary_rows import RawRow, without_sums
from ._table_checks import TableSample, note_table
from ._table_items import CellValues, InputTable, choose_columns
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


@dataclass(slots=True)
class RecordTable:
    """The records below ``member`` of a document; it is empty for those of a document or of lines.

    ``nested`` are the members with objects, which are ``named`` if all of them have names. ``rows`` are the
    records that were rows, and ``left_out`` the others.
    """

    name: str
    member: str
    columns: tuple[str, ...]
    nested: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    rows: int = 0
    left_out: set[int] = field(default_factory=set)

    def name_relations(self, options: TableOptions) -> dict[str, str]:
        """The nested members that are read with these options, each with its relation."""
        every = dict.fromkeys((*self.columns, *sorted(self.nested)))
        names = {name: options.rename.get(name, name).strip() for name in every}
        chosen = choose_columns(names.values(), options)
        return {name: names[name] for name in self.nested if names[name] in chosen}


class _NoRecords(Exception):
    # The file is a document of another shape.
    pass


class _Record(NamedTuple):
    # ``members`` is None for a record that is malformed, with what is wrong in ``error``.
    table: str
    number: int
    place: JsonPlace
    members: JsonMembers | None
    error: str = ""
    hint: str = RECORD_HINT


@dataclass(slots=True)
class _TableShape:
    columns: dict[str, None] = field(default_factory=dict)
    nested: set[str] = field(default_factory=set)
    nameless: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    records: int = 0
    cells: int = 0

    def add(self, members: JsonMembers) -> None:
        self.records += 1
        self.cells += len(members)
        for name, value in members:
            column = clean_member_name(name)
            self.columns[column] = None
            if has_nested(value):
                self.nested.add(column)
            if has_text(value):
                self.texts.add(column)

    def make_table(self, name: str, member: str) -> RecordTable:
        only_objects = self.nameless - self.texts
        columns = tuple(column for column in self.columns if column not in only_objects)
        nested = frozenset(self.nested)
        return RecordTable(name, member, columns, nested, nested - self.nameless)

    @property
    def is_sparse(self) -> bool:
        columns = len(self.columns)
        return columns > MANY_MEMBERS and self.cells < _MIN_FILLED * columns * self.records


def find_record_tables(
    file: File, options: ReadOptions, by_line: bool, graph: JsonGraph
) -> list[RecordTable]:
    """The tables of ``file``; empty if it has another shape, or records that refer to each other.

    ``graph`` surveys what is nested in the records.
    """
    shapes: dict[str, _TableShape] = {}
    identities = Identities()
    nested = NestedReader(graph)
    try:
        for record in _read_records(file, options, by_line):
            if record.members is None:
                continue
            if any(isinstance(value, LargeValue) for _, value in record.members):
                return []
            if not identities.add(record.members) or identities.are_shared:
                return []
            shape = shapes.setdefault(record.table, _TableShape())
            shape.add(record.members)
            for column, value, place in _list_nested(record):
                deque(nested.read_facts(value, place), 0)
                if not nested.have_names(value, place):
                    shape.nameless.add(column)
    except _NoRecords:
        return []
    if any(shape.is_sparse for shape in shapes.values()):
        return []
    filled = {member: shape for member, shape in shapes.items() if shape.columns}
    tables = [
        shape.make_table(file.name if len(filled) == 1 else f"{file.name}#{member}", member)
        for member, shape in filled.items()
    ]
    return tables if all(table.columns for table in tables) else []


def _list_nested(record: _Record) -> Iterator[tuple[str, JsonValue, JsonPlace]]:
    # Column, value and place of the nested members of a record.
    for name, value in record.members or ():
        if has_nested(value):
            yield clean_member_name(name), value, record.place.member(name)


def read_record_tables(
    file: File,
    options: ReadOptions,
    by_line: bool,
    tables: Sequence[RecordTable],
    graph: JsonGraph,
) -> Iterator[InputTable]:
    """The tables of ``file`` with the notes that a CSV file gets; for each of them it is read again.

    ``graph`` declares the nodes in their cells.
    """
    for table in tables:
        records = _read_records(file, options, by_line)
        rows = _read_rows(table, records, options, file.name, NestedReader(graph))
        sample = list(islice(rows, SAMPLE_ROWS))
        plain = [row._replace(cells=[*map(_hide_values, row.cells)]) for row in sample]
        checked = TableSample(table.columns, (), plain, options, is_given=True)
        kinds = note_table(checked, table.columns, file.name)
        body = without_sums(chain(sample, rows), options, file.name, len(tables) == 1)
        body = without_last(body, options.table.skip_end or 0)
        cells = _read_body(body, table)
        yield InputTable(table.name, file.name, table.columns, cells, kinds, has_cell_values=True)


def _read_body(rows: Iterator[RawRow], table: RecordTable) -> Iterator[tuple[int, Sequence[str]]]:
    for row in rows:
        table.left_out.discard(row.line)
        table.rows += 1
        yield row.line, row.cells


def read_nested_facts(
    file: File,
    options: ReadOptions,
    by_line: bool,
    table: RecordTable,
    graph: JsonGraph,
    first_row: int,
) -> Iterator[Item]:
    """The facts of what is nested in the rows of ``table``; ``first_row`` is the position of the first."""
    relations = table.name_relations(options.table)
    nested = NestedReader(graph)
    source = options.part(table.name, file.name, "table").source
    position = first_row
    for record in _read_records(file, options, by_line):
        if record.members is None or record.table != table.member:
            continue
        if record.number in table.left_out:
            continue
        for column, value, place in _list_nested(record):
            if column in table.named and column in relations:
                yield from nested.read_facts(value, place)
            elif column in relations:
                row = make_row_key(source, position)
                yield from nested.read_facts(value, place, row, relations[column])
        position += 1


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
            hint="a list of records is a table; all else is a graph",
        )


def _hide_values(cell: str) -> str:
    return "" if isinstance(cell, CellValues) else cell


# Records of a file.


def _read_records(file: File, options: ReadOptions, by_line: bool) -> Iterator[_Record]:
    document = JsonPlace.of_document(file.name, options)
    with open_lines(file, options) as lines:
        if by_line:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _read_line(line, number, document.of_line(number))
        else:
            window = JsonWindow(file.name, lines)
            yield from _read_document(window, document, file.name, options)
            window.check_end()


def _read_line(line: str, number: int, place: JsonPlace) -> _Record:
    try:
        value = decode_json(line)
    except JsonError as error:
        return _Record("", number, place, None, str(error), LINE_HINT)
    return _make_record("", number, place, value, may_have_half_character(line))


def _read_document(
    window: JsonWindow, document: JsonPlace, file: str, options: ReadOptions
) -> Iterator[_Record]:
    value = window.take_value()
    if isinstance(value, list) or value is LargeValue.ARRAY:
        yield from _read_elements("", document, value, window)
    elif isinstance(value, tuple) or value is LargeValue.OBJECT:
        members = value if isinstance(value, tuple) else window.take_members()
        for name, member in members:
            if isinstance(member, list) or member is LargeValue.ARRAY:
                yield from _read_elements(name, document.member(name), member, window)
            elif name in NAMING_MEMBERS or (member != () and not _is_flat(name, member)):
                raise _NoRecords  # it is about one thing, which has these records
            elif member is not None and member != ():
                options.remark(BESIDE_RECORDS, f"{file}#/{name}")
    else:
        raise _NoRecords


def _is_flat(name: str, value: JsonValue | LargeValue) -> bool:
    # Members such as ``@id`` refer to other records.
    return not (name.startswith("@") or isinstance(value, (tuple, LargeValue)))


def _read_elements(
    table: str, place: JsonPlace, value: JsonValue | LargeValue, window: JsonWindow
) -> Iterator[_Record]:
    elements = value if isinstance(value, list) else window.take_elements(MAX_LINE_LENGTH)
    for index, element in enumerate(elements):
        if isinstance(element, (list, LargeValue)) or (table and not isinstance(element, tuple)):
            raise _NoRecords
        has_halves = window.may_have_half_character
        yield _make_record(table, index + 1, place.element(index), element, has_halves)


def _make_record(
    table: str, number: int, place: JsonPlace, value: JsonValue, may_have_halves: bool
) -> _Record:
    if not isinstance(value, tuple):
        return _Record(table, number, place, None, NO_OBJECT)
    if may_have_halves:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return _Record(table, number, place, None, HALF_CHARACTER)
    return _Record(table, number, place, value)


# Rows of a table.


def _read_rows(
    table: RecordTable,
    records: Iterator[_Record],
    options: ReadOptions,
    file: str,
    nested: NestedReader,
) -> Iterator[RawRow]:
    for record in records:
        if record.table != table.member:
            continue
        where = f"{file}:{record.number}"
        if record.members is None:
            options.malformed(record.error, where, record.hint)
            continue
        if table.nested:
            table.left_out.add(record.number)
        try:
            cells = _read_cells(record, table, options, where, nested)
        except JsonError as error:
            options.malformed(str(error), where, record.hint)
        else:
            yield RawRow(record.number, cells)


def _read_cells(
    record: _Record, table: RecordTable, options: ReadOptions, where: str, nested: NestedReader
) -> list[str]:
    values: dict[str, tuple[str, ...]] = dict.fromkeys(table.columns, ())
    nodes: dict[str, tuple[NodeDeclared, ...]] = {}
    for name, value in record.members or ():
        column = clean_member_name(name)
        if not name.strip():
            options.remark(UNNAMED_MEMBER, where)
        if values.get(column) or column in nodes:
            options.remark(REPEATED_MEMBER, where)
        texts = _read_values(value, options, where)
        if has_nested(value):
            cell, declared = nested.read_cell(value, record.place.member(name))
            if column in table.named:
                texts, nodes[column] = cell, (*nodes.get(column, ()), *declared)
        if column in values:
            values[column] += texts
    return [_make_cell(texts, nodes.get(column)) for column, texts in values.items()]


def _make_cell(texts: tuple[str, ...], nodes: tuple[NodeDeclared, ...] | None) -> str:
    if nodes is not None:
        return CellValues.of_nodes(texts, nodes)
    return texts[0] if len(texts) == 1 else CellValues.combine(texts)


def _read_values(value: JsonValue, options: ReadOptions, where: str) -> tuple[str, ...]:
    # The texts of a member; none for ``null`` and what is empty.
    if isinstance(value, list):
        if any(isinstance(part, list) for part in value) and not has_nested(value):
            options.remark(NESTED_ARRAY, where)
        return tuple(text for part in value for text in _read_values(part, options, where) if text)
    if value is None or isinstance(value, tuple):
        return ()
    if isinstance(value, JsonConstant):
        options.remark(CONSTANT_CELL, where)
        return () if value == "NaN" else (str(value),)
    return (format_scalar(value),)
