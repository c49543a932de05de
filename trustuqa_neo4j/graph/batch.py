"""Items of a loader → batches, as both ways into the database take them.

What costs time on this side (folding names, reading values) is done here, away from the database, so that
the next batch is made while the server writes the one before. Batches are limited by facts and by bytes:
by facts alone, twenty thousand names of a megabyte would be one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from ..mapping import fold
from ..triples import KEY_LENGTH, Fact, Held, Item, Kind, Part, Thing, key
from ..values import ValueOptions, read_value

FACTS = 20_000
"""Facts of a batch."""

LETTERS = 4_000_000
"""Letters of the names in a batch, about."""

REMEMBERED = 200_000
"""Keys that are remembered to be in the database already, so that they are not sent again."""

Row: TypeAlias = list[Any]


class Group(NamedTuple):
    """What facts of a batch have in common: source, place of the file among its files, relation."""

    source: str
    file: int
    relation: str


@dataclass(slots=True)
class SourceSeen:
    """A source as far as it has been read."""

    name: str
    kind: Kind
    files: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()

    def row(self) -> Row:
        """As ``write_sources`` takes it."""
        return [self.name, self.kind, self.files, list(self.columns)]


class Hyperedge(NamedTuple):
    """A fact that has qualifiers, as a node: its key, and keys of its ends."""

    key: str
    head: str
    relation: str
    tail: str
    name: str


@dataclass
class Batch:
    """What one transaction writes, rows as the statements take them.

    New nodes are by statement; ``facts`` have keys for their ends. ``position`` is the number of items
    read when it ends, ``at`` the file and line. ``read`` counts facts as read, ``beside`` those that
    stand for their qualifiers. ``forget``: keys remembered so far are no longer.
    """

    position: int = 0
    at: str = ""
    forget: bool = False
    read: int = 0
    beside: int = 0
    sources: dict[str, SourceSeen] = field(default_factory=dict)
    relations: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, dict[str, Row]] = field(default_factory=dict)
    aliases: list[tuple[str, str, str]] = field(default_factory=list)
    hyperedges: dict[str, Hyperedge] = field(default_factory=dict)
    facts: dict[Group, list[Row]] = field(default_factory=dict)
    qualifiers: dict[Group, set[str]] = field(default_factory=dict)

    def add_node(self, statement: str, row: Row) -> None:
        """A node for ``statement`` to write; its key is the row's first member."""
        self.nodes.setdefault(statement, {})[row[0]] = row


class Stopped(Exception):  # a signal between two threads, never seen outside
    """The reading was told to stop."""


class Batcher:
    """Makes batches of ``items``; those before ``skip`` are in the database already."""

    def __init__(
        self, items: Iterator[Item], values: ValueOptions, size: int = FACTS, skip: int = 0
    ) -> None:
        self._items = items
        self._values = values
        self._size = size
        self._position = 0
        self._skip = skip
        self._sources: dict[str, SourceSeen] = {}
        self._source = SourceSeen("", "kg")
        self._file = 0
        self._known: set[str] = set()
        self._relations: set[str] = set()
        self._seen: dict[str, tuple[list[Row], set[tuple[Any, ...]]]] = {}
        self._ended = False
        self.stopped = False
        self.recall: Callable[[str], bool] = _never
        """Whether a key that is no longer remembered here is known to be in the database."""

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of the sources met so far."""
        return {source.kind for source in self._sources.values()}

    @property
    def sources(self) -> Sequence[str]:
        """The names of the sources met so far."""
        return tuple(self._sources)

    def next(self) -> Batch | None:
        """The next batch, or None at the end.

        Raises:
            Stopped, and what the loader raises
        """
        if self._ended:
            return None
        batch = self._begun()
        letters = 0
        for item in self._items:
            if self.stopped:
                raise Stopped
            self._position += 1
            if isinstance(item, Fact):
                if self._position <= self._skip:
                    continue
                batch.read += 1
                letters += len(item.head) + len(item.tail) + 8
                self._add(batch, item)
                if batch.read >= self._size or letters > LETTERS:
                    return self._cut(batch, item.line)
            elif isinstance(item, Thing):
                if self._position > self._skip:
                    self._declare(batch, item)
            else:
                self._part(batch, item)
        self._ended = True
        return self._cut(batch, 0) if batch.read or batch.sources else None

    def _begun(self) -> Batch:
        forget = len(self._known) > REMEMBERED
        if forget:
            self._known.clear()
        self._seen.clear()
        return Batch(forget=forget)

    def _cut(self, batch: Batch, line: int) -> Batch:
        batch.position = self._position
        files = self._source.files
        batch.at = f"{files[self._file]}:{line}" if line else "the end"
        return batch

    def _part(self, batch: Batch, part: Part) -> None:
        source = self._sources.setdefault(part.source, SourceSeen(part.source, part.kind))
        if part.file not in source.files:
            source.files.append(part.file)
        self._file = source.files.index(part.file)
        source.columns = source.columns or part.columns
        self._source = source
        self._seen.clear()
        if self._position > self._skip:
            batch.sources[part.source] = source
            for column in part.columns:
                self._relation(batch, column)

    def _relation(self, batch: Batch, relation: str) -> None:
        if relation not in self._relations:
            self._relations.add(relation)
            batch.relations[relation] = fold(relation)

    def _declare(self, batch: Batch, thing: Thing) -> None:
        """A node that its key alone does not describe."""
        name = thing.key if len(thing.key) <= KEY_LENGTH else key(thing.key)
        self._known.add(name)
        if thing.position is not None:
            batch.add_node("write_rows", [name, thing.name, self._source.name, thing.position])
        elif thing.name is None:
            batch.add_node("write_nameless", [name])
        else:
            batch.add_node("write_names", [name, thing.name, fold(thing.name)])
        batch.aliases += [(name, alias, fold(alias)) for alias in thing.aliases]

    def _add(self, batch: Batch, fact: Fact) -> None:
        head = self._end(batch, fact.head, False)
        tail = self._end(batch, fact.tail, self._source.kind == "table")
        relation, held = fact.relation, fact.held
        group = self._seen.get(relation)
        rows, seen = self._group(batch, relation) if group is None else group
        if held is None and not fact.qualifiers:
            if (head, tail) not in seen:
                seen.add((head, tail))
                rows.append([head, tail, fact.line])
            return
        edge = self._qualified(batch, fact, head, tail) if fact.qualifiers else None
        identity = (head, tail, held and held[:2], edge)
        if identity not in seen:
            seen.add(identity)
            rows.append([head, tail, fact.line, *_held(held), edge])

    def _group(self, batch: Batch, relation: str) -> tuple[list[Row], set[tuple[Any, ...]]]:
        """Rows of the facts of a relation in the file that is being read, and which facts they are."""
        self._relation(batch, relation)
        group = Group(self._source.name, self._file, relation)
        rows = batch.facts.setdefault(group, [])
        found = self._seen[relation] = (rows, _identities(rows))
        return found

    def _end(self, batch: Batch, name: str, cell: bool) -> str:
        """The key of a fact's end, which is noted to be written unless it is known."""
        found = name if len(name) <= KEY_LENGTH else key(name)
        if found in self._known:
            return found
        self._known.add(found)
        if self.recall(found):
            return found
        value = read_value(name, self._values)
        folded = fold(name)
        if value is not None:
            row = [found, name, folded, value.number, value.unit, value.start, value.end]
            batch.add_node("write_values", row)
        elif not name:
            batch.add_node("write_values", [found, name, folded, None, None, None, None])
        else:
            batch.add_node("write_texts" if cell else "write_names", [found, name, folded])
        return found

    def _qualified(self, batch: Batch, fact: Fact, head: str, tail: str) -> str:
        """The key of the hyperedge that a fact with qualifiers gets beside its edge."""
        told = (self._source.name, fact.head, fact.relation, fact.tail, fact.held, fact.qualifiers)
        edge = "fact\x1f" + sha256(repr(told).encode()).hexdigest()
        name = f"{fact.head[:100]} {fact.relation[:100]} {fact.tail[:100]}"
        batch.beside += len(fact.qualifiers)
        if edge in batch.hyperedges:  # what a transaction has made, its statements do not see
            return edge
        batch.hyperedges[edge] = Hyperedge(edge, head, fact.relation, tail, name)
        self._known.add(edge)
        group = Group(self._source.name, self._file, fact.relation)
        for qualifier, value in dict.fromkeys(fact.qualifiers):
            batch.qualifiers.setdefault(group, set()).add(qualifier)
            self._relation(batch, qualifier)
            of_value = Group(self._source.name, self._file, qualifier)
            row = [edge, self._end(batch, value, False), fact.line]
            batch.facts.setdefault(of_value, []).append(row)
        return edge


def _identities(rows: list[Row]) -> set[tuple[Any, ...]]:
    """What tells the facts of a group apart, where a file is gone on with or has facts of qualifiers."""
    return {
        (row[0], row[1])
        if len(row) == 3
        else (row[0], row[1], None if row[3] is None else (row[3], row[4]), row[8])
        for row in rows
    }


def _never(_key: str) -> bool:
    return False


def _held(held: Held | None) -> Row:
    """First day, last day, span, and both as written; nulls for a fact without an interval."""
    if held is None:
        return [None] * 5
    start, end, start_text, end_text = held
    return [start, end, span(start, end), start_text or None, end_text or None]


def span(start: int, end: int) -> int:
    """The class of an interval's length: ``end`` is less than ``start`` + 2 to the power of it.

    Facts that hold at a moment are sought class by class, each from so far back: by the start alone, all
    that ever began before would be looked at. A reversed interval holds at no moment and has class 0.
    """
    return (end - start).bit_length() if end > start else 0
