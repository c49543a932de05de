"""Lists of JSON records as tables: a column for each member, as in a CSV file with these columns.

A file has tables if it is a list of records: a record a line, an array, an object of such arrays that has no
name of its own, or an object whose members are alike. An object in a record that is only a part of it
(``{"medals": {"gold": 2}}``) has columns too (``medals gold``); what else is nested in a record is a graph
beside the table (``_json_nested``).
A file is read to its end before its first row, since the last record may have a column of its own.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.loading.table_options import DEFAULT_TABLE_OPTIONS, TableOptions
from trustuqa_neo4j.model.facts import Item, NodeDeclared, make_row_key
from trustuqa_neo4j.wording import CallOption

from ._json_graph import (
    DESCRIBING_MEMBERS,
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

_MIN_ALIKE = 0.5
"""The least share of filled cells where only the members show that objects are alike."""

_MIN_KEYED = 3
"""Members of an object that are records, at least."""

_KEY_COLUMNS = ("key", "record key", "record name")
_MAX_PART_DEPTH, _MAX_PART_COLUMNS = 2, 50


@dataclass(slots=True)
class RecordTable:
    """The records below ``member`` of a document; it is empty for those of a document or of lines.

    ``key_column`` has the names of records that are members of an object, unless each record has its name in
    a member. ``parts`` are the members whose own members are columns. ``nested`` are the other members with
    objects, which are ``named`` if all of them have names. ``rows`` are the records that were rows, and
    ``left_out`` the others.
    """

    name: str
    member: str
    columns: tuple[str, ...]
    key_column: str = ""
    parts: frozenset[str] = frozenset()
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
    key: str | None = None  # of a member of an object

    def spread(self, parts: Container[str], key_column: str = "") -> _Record:
        """The record with the members of its parts in place of the parts, and its key in a column."""
        if self.members is None or not (parts or key_column):
            return self
        keyed = [(key_column, self.key)] if key_column and self.key is not None else []
        return self._replace(members=(*keyed, *_spread(self.members, parts)))

    def list_nested(self) -> Iterator[tuple[str, JsonValue, JsonPlace]]:
        """Column, value and place of the nested members."""
        for name, value in self.members or ():
            if has_nested(value):
                yield clean_member_name(name), value, self.place.member(name)


def _spread(members: JsonMembers, parts: Container[str]) -> Iterator[tuple[str, JsonValue]]:
    for name, value in members:
        if isinstance(value, tuple) and clean_member_name(name) in parts:
            yield from _list_leaves(name, value)
        else:
            yield name, value


def _list_leaves(name: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, tuple):
        for inner, part in value:
            yield from _list_leaves(f"{name} {inner}", part)
    else:
        yield name, value


def _is_part(value: JsonValue, depth: int = 0) -> bool:
    # Whether an object only says more of its record: it does not name a thing, and nothing in it does.
    if not isinstance(value, tuple):
        return not has_nested(value)
    if depth == _MAX_PART_DEPTH or any(name in DESCRIBING_MEMBERS for name, _ in value):
        return False
    return all(_is_part(part, depth + 1) for _, part in value)


@dataclass(slots=True)
class _Part:
    # A member with objects: the columns of their members, and how many of these are filled.
    columns: dict[str, None] = field(default_factory=dict)
    records: int = 0
    cells: int = 0

    def add(self, name: str, value: JsonValue) -> None:
        leaves = [clean_member_name(leaf) for leaf, _ in _list_leaves(name, value)]
        self.columns.update(dict.fromkeys(leaves))
        self.records += 1
        self.cells += len(leaves)

    @property
    def is_alike(self) -> bool:
        if len(self.columns) > _MAX_PART_COLUMNS:
            return False
        return self.cells >= _MIN_ALIKE * len(self.columns) * self.records


@dataclass(slots=True)
class _TableShape:
    columns: dict[str, None] = field(default_factory=dict)
    nested: set[str] = field(default_factory=set)
    things: set[str] = field(default_factory=set)
    nameless: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    records: int = 0
    cells: int = 0
    objects: dict[str, _Part] = field(default_factory=dict)
    key_members: set[str] | None = None  # that have the key of each record

    def add(self, members: JsonMembers, key: str | None = None) -> None:
        self.records += 1
        self.cells += len(members)
        if key is not None:
            same = {clean_member_name(name) for name, value in members if value == key}
            self.key_members = same if self.key_members is None else self.key_members & same
        for name, value in members:
            column = clean_member_name(name)
            self.columns[column] = None
            if has_nested(value):
                self.nested.add(column)
                if isinstance(value, tuple) and _is_part(value):
                    self.objects.setdefault(column, _Part()).add(name, value)
                else:
                    self.things.add(column)
            if has_text(value):
                self.texts.add(column)

    @property
    def parts(self) -> frozenset[str]:
        others = self.things | self.texts
        parts = {
            name: part.columns
            for name, part in self.objects.items()
            if part.is_alike and name not in others and part.columns.keys().isdisjoint(self.columns)
        }
        if sum(map(len, parts.values())) + len(self.columns) > MANY_MEMBERS:
            return frozenset()
        return frozenset(parts)

    def make_table(self, name: str, member: str) -> RecordTable:
        parts = self.parts
        only_objects = self.nameless - self.texts
        columns = dict.fromkeys(
            inner
            for column in self.columns
            if column not in only_objects
            for inner in (self.objects[column].columns if column in parts else (column,))
        )
        nested = frozenset(self.nested - parts)
        named = nested - self.nameless
        key = ""
        if self.key_members is not None and not self.key_members:
            key = next((column for column in _KEY_COLUMNS if column not in columns), "")
            columns = {key: None, **columns} if key else columns
        return RecordTable(name, member, tuple(columns), key, parts, nested, named)

    @property
    def is_sparse(self) -> bool:
        return len(self.columns) > MANY_MEMBERS and not self.is_filled(_MIN_FILLED)

    def is_filled(self, share: float) -> bool:
        return self.cells >= share * len(self.columns) * self.records


def find_record_tables(
    file: File, options: ReadOptions, by_line: bool, graph: JsonGraph
) -> list[RecordTable]:
    """The tables of ``file``; empty if it has another shape, or records that refer to each other.

    ``graph`` surveys what is nested in the records.
    """
    shapes: dict[str, _TableShape] = {}
    identities = Identities()
    is_keyed = False
    try:
        for record in _read_records(file, options, by_line):
            if record.members is None:
                continue
            if any(isinstance(value, LargeValue) for _, value in record.members):
                return []
            if not identities.add(record.members) or identities.are_shared:
                return []
            is_keyed = is_keyed or record.key is not None
            shapes.setdefault(record.table, _TableShape()).add(record.members, record.key)
    except _NoRecords:
        return []
    if any(shape.is_sparse for shape in shapes.values()):
        return []
    if is_keyed and not _are_records(shapes[""]):
        return []
    if any(shape.nested - shape.parts for shape in shapes.values()):
        _survey_nested(_read_records(file, options, by_line), shapes, NestedReader(graph))
    filled = {member: shape for member, shape in shapes.items() if shape.columns}
    tables = [
        shape.make_table(file.name if len(filled) == 1 else f"{file.name}#{member}", member)
        for member, shape in filled.items()
    ]
    return tables if all(table.columns for table in tables) else []


def _are_records(shape: _TableShape) -> bool:
    # Pandas writes a column as an object of its rows, by numbers.
    are_rows = all(map(str.isdecimal, shape.columns))
    return shape.records >= _MIN_KEYED and shape.is_filled(_MIN_ALIKE) and not are_rows


def _survey_nested(
    records: Iterable[_Record], shapes: Mapping[str, _TableShape], nested: NestedReader
) -> None:
    parts = {member: shape.parts for member, shape in shapes.items()}
    for record in records:
        for column, value, place in record.spread(parts.get(record.table, ())).list_nested():
            deque(nested.read_facts(value, place), 0)
            if not nested.have_names(value, place):
                shapes[record.table].nameless.add(column)


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
        records = _read_records_of(table, file, options, by_line)
        rows = _read_rows(table, records, options, file.name, NestedReader(graph))
        sample = list(islice(rows, SAMPLE_ROWS))
        plain = [
            row._replace(cells=["" if isinstance(cell, CellValues) else cell for cell in row.cells])
            for row in sample
        ]
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
    for record in _read_records_of(table, file, options, by_line):
        if record.members is None or record.number in table.left_out:
            continue
        for column, value, place in record.list_nested():
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


# Records of a file.


def _read_records_of(
    table: RecordTable, file: File, options: ReadOptions, by_line: bool
) -> Iterator[_Record]:
    for record in _read_records(file, options, by_line):
        if record.table == table.member:
            yield record.spread(table.parts, table.key_column)


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
        members = iter(value if isinstance(value, tuple) else window.take_members())
        first = next((member for member in members if member[1] != ()), None)
        if first is None:
            return
        members = chain((first,), members)
        if isinstance(first[1], tuple) and not first[0].startswith("@"):
            yield from _read_keyed(members, document, window)
            return
        for name, member in members:
            if isinstance(member, list) or member is LargeValue.ARRAY:
                yield from _read_elements(name, document.member(name), member, window)
            elif name in NAMING_MEMBERS or (member != () and not _is_flat(name, member)):
                raise _NoRecords  # it is about one thing, which has these records
            elif member is not None and member != ():
                options.remark(BESIDE_RECORDS, f"{file}#/{name}")
    else:
        raise _NoRecords


def _read_keyed(
    members: Iterable[tuple[str, JsonValue | LargeValue]], document: JsonPlace, window: JsonWindow
) -> Iterator[_Record]:
    # The records are members of an object.
    for number, (key, value) in enumerate(members, 1):
        if not isinstance(value, tuple):
            raise _NoRecords
        place = document.member(key)._replace(record=number)
        record = _make_record("", number, place, value, window.may_have_half_character)
        yield record._replace(key=key)


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
