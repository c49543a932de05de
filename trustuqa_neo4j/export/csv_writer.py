"""CSV files of an export: nodes with names, facts, and tables.

The columns of facts are head, relation, tail, then times, qualifiers and file where needed, then line.
Qualifiers are JSON, a list of [name, value], in one column: a column for each would lose their order, could
not hold a repeated one, and there may be thousands.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, permutations
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import DataError
from ..loading.batch import Batcher
from ..model.facts import (
    MAX_KEY_LENGTH,
    Fact,
    SourceStart,
    ValidTime,
    is_value_key,
    make_node_key,
    make_row_key,
)
from ..values import DEFAULT_VALUE_OPTIONS, ValueOptions, read_value
from .manifest import LINE_COLUMNS, ExportedSource


class CsvWriter:
    # UTF-8 with commas, doubled quotes and a header.
    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.path = path
        self._file = path.open("w", encoding="utf-8", newline="")
        self._plain = csv.writer(self._file, lineterminator="\n")
        # Before Python 3.13 a carriage return is not quoted unless everything is.
        self._quoted = csv.writer(self._file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        self.row_count: int = -1
        self.write(header)

    def __enter__(self) -> CsvWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, row: Sequence[str]) -> None:
        letters = "".join(row)
        if "\0" in letters:
            raise DataError(
                "a name contains a NUL character, which is not allowed in a text file",
                where=repr(next(cell for cell in row if "\0" in cell)[:100]),
                hint="load the data again without it",
            )
        (self._quoted if "\r" in letters else self._plain).writerow(row)
        self.row_count += 1

    def mark(self) -> tuple[int, int]:
        return self._file.tell(), self.row_count

    def truncate(self, mark: tuple[int, int]) -> None:
        # Remove all rows after ``mark``.
        self._file.seek(mark[0])
        self._file.truncate()
        self.row_count = mark[1]


# Nodes: a loader creates most of them from their keys; the others have a line in the file of names.
#
# The lines stand in the order in which facts first use the nodes, so that a loader holds one line at a time.
# A node that is both a cell and an entity counts as its first use. Tables are exported first, so a cell needs
# no line, and an entity in a table gets one.


_PAGE_SIZE = 1 << 16  # node ids to one bit field


class ExportedNode(NamedTuple):
    # ``other`` is its name if that is not the key, or the position of a table row of the source.
    # ``what`` is ``value`` for all other nodes.
    id: int
    key: str
    what: Literal["row", "unnamed", "entity", "value"]
    other: str | None
    aliases: list[str] | None

    def text(self, source: str) -> str:
        # The name that a loader uses: the key, or the full name if the key was cut.
        if self.other is None:
            return self.key
        if self.what == "row":
            return make_row_key(source, int(self.other))
        if self.what == "value" and is_value_key(self.key, self.other):
            return self.other  # the reading of its relation gives it this key again
        is_cut = len(self.key) > MAX_KEY_LENGTH and make_node_key(self.other) == self.key
        return self.other if is_cut else self.key


class NodeNameWriter:
    # Nodes that a loader could not create from their key alone, each once.
    def __init__(self, file: CsvWriter, values: ValueOptions) -> None:
        self._file = file
        self._values = values
        self._seen: dict[int, bytearray] = {}
        self._added: list[int] | None = None
        self._mark = file.mark()

    def add(self, node: ExportedNode, text: str, is_cell: bool) -> None:
        # ``is_cell``: a loader reads the node first in a table.
        if (node.what == "value" and not node.aliases) or not self._is_new(node.id):
            return
        if node.what == "row":
            self._write(text, "row", node.other or "", None)
        elif node.what == "unnamed":
            self._write(text, "unnamed", node.other or "", node.aliases)
        else:
            name = text if node.other is None else node.other
            if (
                node.aliases
                or name != text
                or is_cell
                or not text
                or read_value(text, self._values)
            ):
                self._write(text, "named", name, node.aliases)

    def begin(self) -> None:
        # Later additions are reversible until ``commit``.
        self._mark = self._file.mark()
        self._added = []

    def roll_back(self) -> None:
        self._file.truncate(self._mark)
        for node_id in self._added or ():
            page, place = divmod(node_id, _PAGE_SIZE)
            self._seen[page][place >> 3] &= ~(1 << (place & 7))
        self.commit()

    def commit(self) -> None:
        self._added = None

    def _is_new(self, node_id: int) -> bool:
        # A bit for each node, since there may be many millions.
        page, place = divmod(node_id, _PAGE_SIZE)
        bits = self._seen.get(page)
        if bits is None:
            bits = self._seen[page] = bytearray(_PAGE_SIZE >> 3)
        bit = 1 << (place & 7)
        if bits[place >> 3] & bit:
            return False
        bits[place >> 3] |= bit
        if self._added is not None:
            self._added.append(node_id)
        return True

    def _write(self, text: str, kind: str, name: str, aliases: list[str] | None) -> None:
        for alias in aliases or ("",):
            self._file.write((text, kind, name, alias))


Pairs: TypeAlias = tuple[tuple[str, str], ...]

_MAX_PERMUTED = 6  # qualifiers of a fact of which all orders are tried


def write_facts(
    facts: Iterable[list[Any]], source: ExportedSource, folder: Path, names: NodeNameWriter
) -> ExportedSource:
    # ``facts`` are sorted. Returns the header and the number of facts.
    orders = QualifierOrder(source.name)
    is_table = source.kind == "table"
    with CsvWriter(folder / source.file, source.header) as rows:
        for values in facts:
            fact = _read_fact(values, source.name, orders, names, is_table)
            row = [fact.head, fact.relation, fact.tail]
            if source.held:
                row += _time_columns(fact.held)
            if source.qualified:
                row.append(
                    json.dumps(fact.qualifiers, ensure_ascii=False) if fact.qualifiers else ""
                )
            if source.split:
                row.append(fact.cell)
            if len(source.files) > 1:
                row.append(source.files[values[0]])
            row.append(str(fact.line))
            rows.write(row)
        return replace(source, rows=rows.row_count)


def _read_fact(
    values: list[Any], source: str, orders: QualifierOrder, names: NodeNameWriter, is_table: bool
) -> Fact:
    # Nodes are added in the order of the loader.
    _, line, _, *nodes, start, end, start_text, end_text, edge, pairs, cell = values
    head_node, relation, tail_node = ExportedNode(*nodes[0]), nodes[1], ExportedNode(*nodes[2])
    head, tail = head_node.text(source), tail_node.text(source)
    names.add(head_node, head, False)
    names.add(tail_node, tail, is_table)
    valid_time = None if start is None else ValidTime(start, end, start_text or "", end_text or "")
    if not pairs:
        return Fact(head, relation, tail, line, valid_time, cell=cell or "")
    nodes_by_text = {}
    qualifiers = []
    for _, name, value in sorted(pairs):
        node = ExportedNode(*value)
        text = node.text(source)
        nodes_by_text[text] = node
        qualifiers.append((name, text))
    fact = Fact(head, relation, tail, line, valid_time, tuple(qualifiers), cell or "")
    fact = fact._replace(qualifiers=orders.find(edge, fact))
    for _, text in fact.qualifiers:
        names.add(nodes_by_text[text], text, False)
    return fact


def _time_columns(time: ValidTime | None) -> Sequence[str]:
    if time is None:
        return ("", "", "", "")
    return (time.start_text, time.end_text, str(time.start), str(time.end))


class QualifierOrder:
    """Finds the original order of qualifiers: the key of their fact's node depends on it.

    The database stores them as facts without an order. In most sources they follow the order of columns, so
    the last order is tried first.
    """

    def __init__(self, source: str) -> None:
        self._part = SourceStart(source, "", "kg")
        self._last_order: list[str] = []

    def find(self, edge: str | None, fact: Fact) -> Pairs:
        # In the order that gives the fact's node the key ``edge``, or unchanged.
        pairs = fact.qualifiers
        if edge is None or len(pairs) < 2:
            return pairs
        places = {name: place for place, name in enumerate(self._last_order)}
        likely = tuple(sorted(pairs, key=lambda pair: places.get(pair[0], len(places))))
        orders: Iterable[Pairs] = permutations(pairs) if len(pairs) <= _MAX_PERMUTED else ()
        for order in (likely, *orders):
            if self._key(fact._replace(qualifiers=order)) == edge:
                names = [name for name, _ in order]
                self._last_order = [
                    *names,
                    *(name for name in self._last_order if name not in names),
                ]
                return order
        return pairs

    def _key(self, fact: Fact) -> str:
        batch = Batcher(iter((self._part, fact)), DEFAULT_VALUE_OPTIONS).next()
        assert batch is not None
        return next(iter(batch.qualified_facts))


# Tables: the header, and a line for each row.
#
# The places of rows are in a file of their own, and only if they are not the obvious ones: in one source
# file, below the header, a line each. A column for them would be one more column of the table.


class NotATable(Exception):  # caught in export.py
    """A cell is missing, split, or has a time or qualifiers."""


def to_table_cell(fact: list[Any], columns: frozenset[str]) -> list[Any]:
    # Sorts by position.
    file, line, number, head, relation, tail, start, _, _, _, hyperedge, _, whole_cell = fact
    is_plain = start is None and hyperedge is None and whole_cell is None
    if head[2] != "row" or not is_plain or relation not in columns:
        raise NotATable
    return [int(head[3]), number, file, line, relation, tail]


def write_table(
    facts: Iterable[list[Any]], source: ExportedSource, folder: Path, names: NodeNameWriter
) -> ExportedSource:
    # ``facts`` are sorted. Returns the source with its rows, and its file of lines if it needs one.
    with CsvWriter(folder / source.file, source.header) as rows:
        places = _unexpected_places(_write_rows(facts, source, rows, names))
        first, second = next(places, None), next(places, None)
        lines = None
        if first and (second or first != (1, 0, 2)):
            lines = f"{source.file.removesuffix('.csv')}.lines.csv"
            with CsvWriter(folder / lines, LINE_COLUMNS) as line_file:
                for position, file, line in chain((first,), (second,) if second else (), places):
                    line_file.write((str(position), source.files[file], str(line)))
        return replace(source, rows=rows.row_count, lines=lines)


def _write_rows(
    facts: Iterable[list[Any]], source: ExportedSource, rows: CsvWriter, names: NodeNameWriter
) -> Iterator[tuple[int, int, int]]:
    # Position, file and line of each row.
    for position, facts_of_row in groupby(facts, key=lambda fact: int(fact[0])):
        group = list(facts_of_row)
        places = {(fact[2], fact[3]) for fact in group}
        if position != rows.row_count + 1 or len(places) > 1:
            raise NotATable
        cells = _order_cells(group, source.columns)
        texts = [cell.text(source.name) for cell in cells]
        for cell, text in zip(cells, texts, strict=True):
            names.add(cell, text, True)
        rows.write(texts)
        yield (position, *places.pop())


def _order_cells(facts: Sequence[list[Any]], columns: Sequence[str]) -> list[ExportedNode]:
    # Two columns of one name share a fact if their cells are equal: then the last one serves for
    # all.
    by_column: dict[str, list[ExportedNode]] = {}
    for *_, relation, tail in reversed(facts):
        by_column.setdefault(relation, []).append(ExportedNode(*tail))
    cells = []
    for column in columns:
        nodes = by_column.get(column)
        if not nodes:
            raise NotATable
        cells.append(nodes.pop() if len(nodes) > 1 else nodes[0])
    if len({(column, cell.id) for column, cell in zip(columns, cells, strict=True)}) != len(facts):
        raise NotATable
    return cells


def _unexpected_places(rows: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    # Rows that are not one line below the row before.
    expected = (0, 0)
    for position, file, line in rows:
        if (file, line) != expected:
            yield position, file, line
        expected = (file, line + 1)
