"""Tables as items: the start of a source with its columns, then a node for each row and a fact for each cell.

``InputTable`` is a table as a reader gives it. ``read_json_tables`` reads tables as JSON lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from trustuqa_neo4j.errors import UnreadableFile, UsageError
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import TableOptions, check_names
from trustuqa_neo4j.model.facts import (
    Fact,
    Item,
    NodeDeclared,
    Readings,
    SourceStart,
    make_label,
    make_row_node,
)
from trustuqa_neo4j.values import ValueKind
from trustuqa_neo4j.wording import CallOption

from ._inputs import Content, open_content_lines
from ._text import SKIP_BAD_LINES, count_noun

ROW_HINT = (
    "each row needs as many cells as the header; "
    f"{CallOption.SKIP_BAD.with_value('N')} skips up to N bad rows, "
    f"{CallOption.HEADER.with_value('N')} names the line of the header"
)

QUOTE_HINT = (
    "a quote within quotes is written twice, and one that ends them stands before the delimiter; "
    f"{CallOption.SKIP_BAD.with_value('N')} skips up to N bad rows"
)

MAX_NOTED_NAMES = 20
"""Repeated names of columns with a note; the others are counted."""

_JSON_HINT = f"each line is an object with id, header and rows; {SKIP_BAD_LINES}"
_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")
_JSON_WORDS = {None: "", True: "true", False: "false"}


class InputTable(NamedTuple):
    """``name`` names the source; lines are counted in ``place``: a file, archive member or sheet.

    ``kinds``: the only kind of value in a column, by its number, if its reader is sure.
    ``has_cell_values``: some cells may be ``CellValues``.
    """

    name: str
    place: str
    header: Sequence[str]
    rows: Iterator[tuple[int, Sequence[str]]]
    kinds: Mapping[int, ValueKind] = MappingProxyType({})
    has_cell_values: bool = False


class CellValues(str):
    """A cell of several values, or of keys of nodes, which are declared before their facts.

    ``whole`` is the cell in its facts.
    """

    __slots__ = ("nodes", "values", "whole")
    values: tuple[str, ...]
    nodes: tuple[NodeDeclared, ...]
    whole: str

    @classmethod
    def combine(cls, values: tuple[str, ...]) -> CellValues:
        """The cell with these values, which people see with ``; `` between them."""
        cell = cls("; ".join(values))
        cell.values, cell.nodes, cell.whole = values, (), str(cell)
        return cell

    @classmethod
    def of_nodes(cls, values: tuple[str, ...], nodes: tuple[NodeDeclared, ...]) -> CellValues:
        """The cell with these values, of which some are keys; ``nodes`` are not declared yet."""
        labels = {node.key: make_label(node) if node.name is None else node.name for node in nodes}
        cell = cls("; ".join(labels.get(value, value) for value in values))
        cell.values, cell.nodes, cell.whole = values, nodes, ""
        return cell


class _CellReading(NamedTuple):
    # ``number`` is the position in the row; ``separator`` is empty for a single value.
    number: int
    column: str
    separator: str


class _LoadedTable(NamedTuple):
    # ``rows`` counts the rows of the source so far.
    start: SourceStart
    rows: int


def table_items(
    tables: Iterable[InputTable], options: ReadOptions, *, merge_repeated: bool = False
) -> Iterator[Item]:
    # Each table is read to its end before the next. Benchmarks merge columns of one name, as in the
    # graphs that their queries were recorded with.
    loaded: dict[str, _LoadedTable] = {}
    seen_names: set[str] = set()
    for table in tables:
        width = len(table.header)
        cells_to_read = _choose_cells(table, options, seen_names, merge_repeated)
        if not cells_to_read:
            options.remark("none of the columns that are read, so it is left out", table.place)
            deque(table.rows, 0)
            continue
        is_plain = len(cells_to_read) == width and not (
            options.table.split or table.has_cell_values
        )
        columns = tuple(cell.column for cell in cells_to_read)
        start = options.part(table.name, table.place, "table", columns)
        if table.kinds:
            start = start._replace(readings=_kind_readings(table.kinds, cells_to_read, options))
        previous = loaded.get(start.source)
        if previous is not None:
            _check_same_source(previous.start, start, options)
        yield start
        position = previous_rows = previous.rows if previous else 0
        for line, cells in table.rows:
            if len(cells) != width:
                what = f"{count_noun(len(cells), 'cell')} in this row, but the header has {width}"
                options.malformed(what, f"{start.file}:{line}", ROW_HINT)
                continue
            position += 1
            node = make_row_node(start.source, position)
            yield node
            key = node.key
            if is_plain:
                for column, cell in zip(columns, cells, strict=True):
                    yield Fact(key, column, cell, line)
            else:
                yield from _chosen_facts(key, cells, cells_to_read, line)
        if position == previous_rows:
            options.remark("no data row", table.place)
        loaded[start.source] = _LoadedTable(previous.start if previous else start, position)
    _check_columns(options.table, seen_names)


def _choose_cells(
    input_table: InputTable, options: ReadOptions, seen_names: set[str], merge_repeated: bool
) -> list[_CellReading]:
    # The cells of a row that are read. The old and new names are added to ``seen_names``.
    table, place = options.table, input_table.place
    columns = column_names(input_table.header)
    if not merge_repeated:
        columns = unique_names(columns, options, place, str, table.rename)
    seen_names.update(columns)
    names = [table.rename.get(name, name).strip() for name in columns]
    seen_names.update(names)
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None and table.rename:
        hint = "choose another new name"
        raise UsageError(
            f"two columns are called {repeated!r} by {CallOption.RENAME}", where=place, hint=hint
        )
    chosen = choose_columns(names, table)
    return [
        _CellReading(number, name, table.split.get(name, ""))
        for number, name in enumerate(names)
        if name in chosen
    ]


def choose_columns(names: Collection[str], table: TableOptions) -> set[str]:
    # Of the new ``names`` of columns those that are read.
    chosen = set(table.columns) or set(names)
    is_elsewhere = chosen <= table.optional_names and not chosen & set(names)
    return set(names) if is_elsewhere else chosen


def _kind_readings(
    kinds: Mapping[int, ValueKind], cells_to_read: Sequence[_CellReading], options: ReadOptions
) -> Readings:
    # A reading for each column whose kind is known.
    return tuple(
        (
            cell.column,
            replace(options.values.of_column(cell.column), kind=kinds[cell.number]).reading,
        )
        for cell in cells_to_read
        if cell.number in kinds
    )


def _check_columns(table: TableOptions, seen_names: set[str]) -> None:
    # ``--columns`` and the like with names that no table has, or that it had before it was renamed.
    for option, names in (
        (CallOption.RENAME, table.rename),
        (CallOption.COLUMNS, table.columns),
        (CallOption.SPLIT, table.split),
    ):
        required = [name for name in names if name not in table.optional_names]
        for name in required:
            if option is not CallOption.RENAME and name in table.rename:
                hint = f"write {table.rename[name]!r}: options have the new names of columns"
                raise UsageError(f"{option}: {name!r} is renamed", hint=hint)
        check_names(f"{option}: no column", required, seen_names)


def _chosen_facts(
    key: str, cells: Sequence[str], cells_to_read: Sequence[_CellReading], line: int
) -> Iterator[Item]:
    for number, column, separator in cells_to_read:
        cell = whole = cells[number]
        values = [cell]
        if isinstance(cell, CellValues):
            yield from cell.nodes
            values, whole = [*cell.values] or [""], cell.whole
        elif separator:
            values = [*filter(None, map(str.strip, cell.split(separator)))] or [""]
        for value in dict.fromkeys(values):
            yield Fact(key, column, value, line, cell="" if value == whole else whole)


def column_names(header: Sequence[str]) -> tuple[str, ...]:
    trimmed = (_LINE_BREAK.sub(" ", name).strip() for name in header)
    return tuple(name or f"column {number}" for number, name in enumerate(trimmed, 1))


def unique_names(
    names: Sequence[str],
    options: ReadOptions,
    place: str,
    normalize: Callable[[str], str] = str,
    renamed: Collection[str] | None = None,
) -> tuple[str, ...]:
    # Number the names that repeat: ``total``, ``total_2``; names with the same ``normalize`` are equal.
    # A note on each of them says how to rename it, unless it is ``renamed`` or cannot be (None).
    used = set(map(normalize, names))
    unique: dict[str, str] = {}
    last_numbers: dict[str, int] = {}
    noted = 0
    for original in names:
        name, number = original, 1
        if normalize(name) in unique:
            number = last_numbers.get(original, 1)
        while normalize(name) in unique or (number > 1 and normalize(name) in used):
            number += 1
            name = f"{original}_{number}"
        last_numbers[original] = number
        noted += number > 1 and name not in (renamed or ())
        if number > 1 and name not in (renamed or ()) and noted <= MAX_NOTED_NAMES:
            what = f"repeated column name, read as {name!r}"
            if renamed is not None:
                what += f"; {CallOption.RENAME.with_value(name, 'NAME')} gives it a better one"
            options.remark(what, place)
        unique[normalize(name)] = name
    if noted > MAX_NOTED_NAMES:
        options.remark(
            f"{noted - MAX_NOTED_NAMES:,} more repeated names of columns, numbered in the same way",
            place,
        )
    return tuple(unique.values())


def _check_same_source(first: SourceStart, second: SourceStart, options: ReadOptions) -> None:
    where = f"{first.file} and {second.file}"
    if options.source is None:
        raise UnreadableFile(
            f"a second table called {second.source!r}",
            where=where,
            hint="give one of them, or load them as two datasets",
        )
    if first.columns != second.columns:
        raise UsageError(
            f"tables with different columns cannot be one source: {_difference(first, second)}",
            where=where,
            hint=f"load them without {CallOption.SOURCE}: then each table is a source",
        )


def _difference(first: SourceStart, second: SourceStart) -> str:
    if len(first.columns) != len(second.columns):
        return f"{len(first.columns)} and {len(second.columns)} columns"
    pairs = zip(first.columns, second.columns, strict=True)
    number, (name, second_name) = next(
        (n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1]
    )
    return f"column {number} is {name!r} and {second_name!r}"


# Tables as JSON lines: each line is an object with id, header and rows; other members are ignored.
# All facts of a table have the line of its object.


def read_json_tables(content: Content, options: ReadOptions) -> Iterator[InputTable]:
    with open_content_lines(content, options) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                name, header, rows = _parse_json_table(line)
            except _JsonTableError as error:
                options.malformed(str(error), f"{content.place}:{number}", _JSON_HINT)
                continue
            yield InputTable(name, content.place, header, ((number, cells) for cells in rows))


class _JsonTableError(Exception):
    pass


def _parse_json_table(line: str) -> tuple[str, list[str], list[list[str]]]:
    table = _parse_json_object(line)
    name, header, rows = (table.get(key) for key in ("id", "header", "rows"))
    if not isinstance(name, str) or not name.strip():
        raise _JsonTableError("the id is missing or not a text")
    if not isinstance(header, list) or not header:
        raise _JsonTableError("the header is missing or not a list of names")
    if not isinstance(rows, list) or not all(isinstance(cells, list) for cells in rows):
        raise _JsonTableError("the rows are missing or not lists of cells")
    return name, _cell_texts(header), [_cell_texts(cells) for cells in rows]


def _parse_json_object(line: str) -> dict[str, Any]:
    try:
        # Numbers stay texts as they are written: 1.0 is not 1, and 1e3 is not 1000.
        table = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
        json.dumps(table, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _JsonTableError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except UnicodeEncodeError as error:
        raise _JsonTableError("an escape sequence for half a character") from error
    except RecursionError as error:
        raise _JsonTableError("nested too deep") from error
    if not isinstance(table, dict):
        raise _JsonTableError("not an object")
    return table


def _cell_texts(values: list[Any]) -> list[str]:
    return [value if isinstance(value, str) else _word_text(value) for value in values]


def _word_text(value: object) -> str:
    if isinstance(value, (list, dict)):
        raise _JsonTableError("a cell that is a list or an object")
    return _JSON_WORDS[value]  # type: ignore[index]  # JSON has no other values
