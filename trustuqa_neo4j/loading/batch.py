"""Batches of a loader's items, for both ways into the database.

The slow work of the client (normalized names, values) happens here, while the server writes the batch
before. A batch has limits for facts and for bytes: twenty thousand names of a megabyte each would not fit
into one. Facts refer to their ends by positions in the batch's list of keys, in arrays: a batch takes
little memory, passes quickly between processes, and each key is looked up once.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from ..embedding import is_name
from ..matching import normalize_name
from ..model.facts import (
    ALL_RELATIONS,
    UNION_SEPARATOR,
    ClassDeclared,
    Declaration,
    Fact,
    Item,
    NodeDeclared,
    Readings,
    RelationDeclared,
    SourceKind,
    SourceStart,
    ValidTime,
    format_key,
    make_label,
    make_node_key,
    make_value_key,
)
from ..values import ValueOptions, parse_value_options, read_value

Row: TypeAlias = list[Any]

BATCH_FACTS = 20_000

MAX_BATCH_LETTERS = 4_000_000
"""Letters of the names in a batch, about."""

MAX_REMEMBERED_KEYS = 200_000
"""These keys are in the database and are not sent again."""


class FactGroup(NamedTuple):
    # The common part of a group of facts; ``file`` is the index among the source's files.
    source: str
    file: int
    relation: str


@dataclass(slots=True)
class LoadedSource:
    name: str
    kind: SourceKind
    files: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    readings: Readings = ()

    def row(self) -> Row:
        """The source as a row of ``write_sources``."""
        readings = json.dumps(dict(self.readings), ensure_ascii=False) if self.readings else None
        return [self.name, self.kind, self.files, list(self.columns), readings]


class QualifiedFact(NamedTuple):
    # A fact with qualifiers is a node: its key, its ends as positions, and its name.
    key: str
    head: int
    relation: str
    tail: int
    name: str


@dataclass(slots=True)
class GroupFacts:
    # Ends are positions among the batch's keys. Facts with an interval, qualifiers or a whole cell are in
    # ``detailed``: head, tail, line, first day, last day, span class, both days as written, the key of the
    # qualified fact, and the whole cell.
    heads: array[int] = field(default_factory=lambda: array("I"))
    tails: array[int] = field(default_factory=lambda: array("I"))
    lines: array[int] = field(default_factory=lambda: array("Q"))
    detailed: list[Row] = field(default_factory=list)

    def identities(self) -> set[Any]:
        # To find repeated facts.
        plain = (head << 32 | tail for head, tail in zip(self.heads, self.tails, strict=True))
        return {*plain, *map(row_identity, self.detailed)}


def row_identity(row: Row) -> tuple[Any, ...]:
    head, tail, _line, start, end, *_, qualified_key, _cell = row
    return (head, tail, None if start is None else (start, end), qualified_key)


@dataclass
class Batch:
    """The rows that one transaction writes.

    ``keys`` are those of all ends; the positions in ``cells`` are first seen as cells of a table, those
    in ``values`` as values of a relation that is declared to lead to values, ``names`` are names that are not
    the keys, and ``readings`` options of values that are not those of the dataset.
    New ``nodes`` are rows by statement; declared nodes
    come before those known only by key. ``classes`` and ``properties`` are rows of declarations.
    ``position`` is the number of items read at the end of the batch, ``at`` their file and line. ``read``
    counts the facts read, ``qualifier_facts`` those made of qualifiers. ``forget_keys``: the database may
    not have earlier keys. ``hubs`` are keys of end nodes that will have very many facts.
    """

    position: int = 0
    at: str = ""
    forget_keys: bool = False
    read: int = 0
    qualifier_facts: int = 0
    sources: dict[str, LoadedSource] = field(default_factory=dict)
    relations: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    cells: set[int] = field(default_factory=set)
    values: set[int] = field(default_factory=set)
    names: dict[int, str] = field(default_factory=dict)
    readings: dict[int, ValueOptions] = field(default_factory=dict)
    nodes: dict[str, dict[str, Row]] = field(default_factory=dict)
    aliases: list[tuple[str, str, str]] = field(default_factory=list)
    qualified_facts: dict[str, QualifiedFact] = field(default_factory=dict)
    facts: dict[FactGroup, GroupFacts] = field(default_factory=dict)
    qualifiers: dict[FactGroup, set[str]] = field(default_factory=dict)
    classes: list[Row] = field(default_factory=list)
    properties: list[Row] = field(default_factory=list)
    hubs: list[str] = field(default_factory=list)

    def add_declaration(self, source: str, item: Declaration) -> None:
        name, labels = [source, item.name, normalize_name(item.name)], [*item.labels]
        if isinstance(item, ClassDeclared):
            parents, disjoint = [*item.parents], [*item.disjoint]
            self.classes.append([*name, parents, disjoint, labels, item.comment])
            return
        ends = (
            [UNION_SEPARATOR.join(union) for union in unions]
            for unions in (item.domains, item.ranges)
        )
        lists = (list(names) for names in (item.datatypes, item.inverses, item.parents))
        self.properties.append(
            [*name, *ends, item.values, *lists, labels, item.comment, item.is_transitive]
        )

    @property
    def has_content(self) -> bool:
        return bool(self.read or self.sources or self.classes or self.properties)

    def relation_pairs(self) -> Iterator[tuple[str, str]]:
        # Source and relation of facts and columns.
        for source in self.sources.values():
            for column in source.columns:
                yield source.name, column
        for group in self.facts:
            yield group.source, group.relation

    def add_node(self, statement: str, row: Row) -> None:
        self.nodes.setdefault(statement, {})[row[0]] = row

    def make_end_node(self, position: int, values: ValueOptions) -> tuple[str, Row]:
        # A key that is not declared: statement and row.
        node_key = self.keys[position]
        name = self.names.get(position, node_key)
        value = read_value(name, self.readings.get(position, values))
        normalized = normalize_name(name)
        if value is not None:
            numbers = [value.number, value.unit, value.start, value.end]
            return "write_values", [node_key, name, normalized, *numbers]
        if not name or (position in self.values and not is_name(name)):
            return "write_values", [node_key, name, normalized, None, None, None, None]
        is_value = position in self.cells or position in self.values
        statement = "write_texts" if is_value else "write_names"
        return statement, [node_key, name, normalized]


class ReadingStopped(Exception):  # a signal between two threads, never seen outside
    pass


class Batcher:
    """Makes batches of ``items``; the first ``skip`` items are in the database already.

    ``bare``: ends do not become nodes here, since the consumer knows which of them are new. ``frequent`` are
    texts of very many cells, by source and column.
    """

    def __init__(
        self,
        items: Iterator[Item],
        values: ValueOptions,
        size: int = BATCH_FACTS,
        skip: int = 0,
        bare: bool = False,
        frequent: Mapping[str, Mapping[str, frozenset[str]]] = MappingProxyType({}),
    ) -> None:
        self._items = items
        self._all_frequent = frequent
        self._frequent: Mapping[str, frozenset[str]] = {}
        self._values = values.without_columns()
        self._readings: dict[str, ValueOptions] = {}
        self._size = size
        self._position = 0
        self._skip = skip
        self._bare = bare
        self._sources: dict[str, LoadedSource] = {}
        self._source = LoadedSource("", "kg")
        self._file = 0
        self._written_keys: set[str] = set()
        self._value_relations: set[str] = set()
        self._relations: set[str] = set()
        self._batch = Batch()
        self._key_positions: dict[str, int] = {}
        self._groups: dict[str, tuple[GroupFacts, set[Any]]] = {}
        self._is_finished = False
        self.is_stopped = False

    @property
    def kinds(self) -> set[SourceKind]:
        return {source.kind for source in self._sources.values()}

    @property
    def sources(self) -> Sequence[str]:
        return tuple(self._sources)

    def next(self) -> Batch | None:
        # None at the end.
        if self._is_finished:
            return None
        batch = self._start_batch()
        letters = 0
        for item in self._items:
            if self.is_stopped:
                raise ReadingStopped
            self._position += 1
            if isinstance(item, Fact):
                if self._position <= self._skip:
                    continue
                batch.read += 1
                letters += len(item.head) + len(item.tail) + 8
                self._add_fact(item)
                if batch.read >= self._size or letters > MAX_BATCH_LETTERS:
                    return self._finish_batch(batch, f"{self._file_name}:{item.line}")
            elif isinstance(item, NodeDeclared):
                if self._position > self._skip:
                    self._add_declared_node(batch, item)
            elif self._add_source_or_declaration(batch, item) >= self._size:
                return self._finish_batch(batch, f"what {self._file_name} declares")
        self._is_finished = True
        return self._finish_batch(batch, "the end") if batch.has_content else None

    def _add_source_or_declaration(self, batch: Batch, item: SourceStart | Declaration) -> int:
        # Returns the number of declarations in the batch.
        if isinstance(item, SourceStart):
            self._start_source(batch, item)
            return len(batch.classes) + len(batch.properties)
        if isinstance(item, RelationDeclared) and item.values:
            self._value_relations.add(item.name)
        if self._position > self._skip:
            batch.add_declaration(self._source.name, item)
        return len(batch.classes) + len(batch.properties)

    def _start_batch(self) -> Batch:
        forget_keys = len(self._written_keys) > MAX_REMEMBERED_KEYS
        if forget_keys:
            self._written_keys.clear()
        self._groups.clear()
        self._key_positions.clear()
        self._batch = Batch(forget_keys=forget_keys)
        return self._batch

    @property
    def _file_name(self) -> str:
        return self._source.files[self._file]

    def _finish_batch(self, batch: Batch, at: str) -> Batch:
        batch.position = self._position
        batch.at = at
        return batch

    def _start_source(self, batch: Batch, start: SourceStart) -> None:
        source = self._sources.setdefault(start.source, LoadedSource(start.source, start.kind))
        if start.file not in source.files:
            source.files.append(start.file)
        self._file = source.files.index(start.file)
        source.columns = source.columns or start.columns
        source.readings = source.readings or start.readings
        self._readings = {relation: parse_value_options(text) for relation, text in source.readings}
        self._source = source
        self._frequent = self._all_frequent.get(start.source, {})
        self._groups.clear()
        if self._position > self._skip:
            batch.sources[start.source] = source
            for column in start.columns:
                self._add_relation(batch, column)

    def _add_relation(self, batch: Batch, relation: str) -> None:
        if relation not in self._relations:
            self._relations.add(relation)
            batch.relations[relation] = normalize_name(relation)

    def _add_declared_node(self, batch: Batch, node: NodeDeclared) -> None:
        node_key = make_node_key(node.key)
        for rows in batch.nodes.values():
            rows.pop(node_key, None)
        self._written_keys.add(node_key)
        if node.position is not None:
            batch.add_node("write_rows", [node_key, node.name, self._source.name, node.position])
        elif node.name is None:
            label = make_label(node)
            names = [None, None] if label == node_key else [label, normalize_name(label)]
            batch.add_node("write_nameless", [node_key, *names])
        else:
            batch.add_node("write_names", [node_key, node.name, normalize_name(node.name)])
        batch.aliases += [(node_key, alias, normalize_name(alias)) for alias in node.aliases]

    def _add_fact(self, fact: Fact) -> None:
        head_name, relation, tail_name, line, valid_time, qualifiers, cell = fact
        head = self._key_positions.get(head_name)
        if head is None:
            head = self._add_end(head_name)
        if self._readings:
            tail_key = self._make_value_key(relation, tail_name)
            tail = self._key_positions.get(tail_key)
        else:
            tail_key, tail = tail_name, self._key_positions.get(tail_name)
        if tail is None:
            tail = self._add_end(tail_name, relation, tail_key, self._get_reading(relation))
        facts, identities = self._groups.get(relation) or self._open_group(relation)
        if valid_time is None and not qualifiers and not cell:
            pair = head << 32 | tail  # as in GroupFacts.identities
            if pair not in identities:
                identities.add(pair)
                facts.heads.append(head)
                facts.tails.append(tail)
                facts.lines.append(line)
            return
        qualified_key = self._add_qualified_fact(fact, head, tail) if qualifiers else None
        row = [head, tail, line, *_interval_cells(valid_time), qualified_key, cell or None]
        identity = row_identity(row)
        if identity not in identities:
            identities.add(identity)
            facts.detailed.append(row)

    def _open_group(self, relation: str) -> tuple[GroupFacts, set[Any]]:
        self._add_relation(self._batch, relation)
        facts = self._group_facts(relation)
        group = self._groups[relation] = (facts, facts.identities())
        return group

    def _group_facts(self, relation: str) -> GroupFacts:
        group = FactGroup(self._source.name, self._file, relation)
        facts = self._batch.facts.get(group)
        if facts is None:
            facts = self._batch.facts[group] = GroupFacts()
        return facts

    def _get_reading(self, relation: str) -> ValueOptions | None:
        # The options for values of ``relation`` in the current source, unless they are the dataset's.
        return self._readings.get(relation) or self._readings.get(ALL_RELATIONS)

    def _make_value_key(self, relation: str, name: str) -> str:
        # ``name``, or a key of its own if ``relation`` reads it otherwise than the dataset does.
        options = self._get_reading(relation)
        if options is None:
            return name
        value = read_value(name, options)
        if value == read_value(name, self._values):
            return name
        fields = () if value is None else (value.number, value.unit, value.start, value.end)
        return make_value_key(name, " ".join(str(part) for part in fields if part is not None))

    def _add_end(
        self, name: str, relation: str = "", key: str = "", reading: ValueOptions | None = None
    ) -> int:
        """Add an end that is new in the batch, and its node unless it is written; returns its position.

        ``relation`` leads to it; a head has none. A ``key`` other than the name is that of a
        value with a ``reading`` of its own.
        """
        batch = self._batch
        key = key or name
        node_key = make_node_key(key)
        position = self._add_key(key, node_key)
        if node_key is not name:
            batch.names[position] = name
        if key is not name and reading is not None:
            batch.readings[position] = reading
        if relation and self._source.kind == "table":
            batch.cells.add(position)
        if relation in self._value_relations:
            batch.values.add(position)
        if not self._bare and node_key not in self._written_keys:
            self._written_keys.add(node_key)
            batch.add_node(*batch.make_end_node(position, self._values))
            if name in self._frequent.get(relation, ()):
                batch.hubs.append(node_key)
        return position

    def _add_key(self, name: str, node_key: str) -> int:
        keys = self._batch.keys
        position = self._key_positions[name] = len(keys)
        keys.append(node_key)
        return position

    def _add_qualified_fact(self, fact: Fact, head: int, tail: int) -> str:
        # The fact becomes a node with a fact for each qualifier; returns its key.
        batch, relation = self._batch, fact.relation
        # The key is stored, so its text must stay as it is: "Held" is an earlier name of ValidTime.
        time = None
        if fact.held is not None:
            fields = ", ".join(f"{name}={cell!r}" for name, cell in fact.held._asdict().items())
            time = f"Held({fields})"
        ends = f"{fact.head!r}, {relation!r}, {fact.tail!r}"
        identity = f"({self._source.name!r}, {ends}, {time}, {fact.qualifiers!r})"
        node_key = "fact\x1f" + sha256(identity.encode()).hexdigest()
        head_label, tail_label = format_key(fact.head)[:100], format_key(fact.tail)[:100]
        name = f"{head_label} {relation[:100]} {tail_label}"
        batch.qualifier_facts += len(fact.qualifiers)
        if node_key in batch.qualified_facts:  # a statement does not see what its transaction made
            return node_key
        batch.qualified_facts[node_key] = QualifiedFact(node_key, head, relation, tail, name)
        self._written_keys.add(node_key)
        position = self._add_key(node_key, node_key)
        group = FactGroup(self._source.name, self._file, relation)
        for qualifier, value in dict.fromkeys(fact.qualifiers):
            batch.qualifiers.setdefault(group, set()).add(qualifier)
            self._add_relation(batch, qualifier)
            end = self._key_positions.get(value)
            facts = self._group_facts(qualifier)
            facts.heads.append(position)
            facts.tails.append(self._add_end(value, qualifier) if end is None else end)
            facts.lines.append(fact.line)
        return node_key


def _interval_cells(valid_time: ValidTime | None) -> Row:
    # First day, last day, span class, and both as written; nulls for a fact without an interval.
    if valid_time is None:
        return [None] * 5
    start, end, start_text, end_text = valid_time
    return [start, end, span_class(start, end), start_text or None, end_text or None]


def span_class(start: int, end: int) -> int:
    # ``end`` is less than ``start`` + 2 to the power of the span class. Facts valid at a moment are
    # searched class by class, each from a bounded start. An index on the start alone would scan all
    # facts that started before the moment.
    return (end - start).bit_length() if end > start else 0
