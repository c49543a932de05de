"""Items of a loader → batches, as both ways into the database take them.

What costs time on this side (folding names, reading values) is done here, away from the database, so that
the next batch is made while the server writes the one before. Batches are limited by facts and by bytes:
by facts alone, twenty thousand names of a megabyte would be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from ..mapping import fold
from ..triples import KEY_LENGTH, Declared, Fact, Held, Item, Kind, Part, Thing, key
from ..values import ValueOptions
from .batched import Batch, Facts, Group, Hyperedge, Row, SourceSeen, identity

FACTS = 20_000
"""Facts of a batch."""

LETTERS = 4_000_000
"""Letters of the names in a batch, about."""

REMEMBERED = 200_000
"""Keys that are remembered to be in the database already, so that they are not sent again."""


class Stopped(Exception):  # a signal between two threads, never seen outside
    """The reading was told to stop."""


class Batcher:
    """Makes batches of ``items``; those before ``skip`` are in the database already.

    ``bare``: ends are not made into nodes here, since who takes the batches knows which of them are new.
    """

    def __init__(
        self,
        items: Iterator[Item],
        values: ValueOptions,
        size: int = FACTS,
        skip: int = 0,
        bare: bool = False,
    ) -> None:
        self._items = items
        self._values = values
        self._size = size
        self._position = 0
        self._skip = skip
        self._bare = bare
        self._sources: dict[str, SourceSeen] = {}
        self._source = SourceSeen("", "kg")
        self._file = 0
        self._known: set[str] = set()
        self._relations: set[str] = set()
        self._batch = Batch()
        self._places: dict[str, int] = {}
        self._seen: dict[str, tuple[Facts, set[Any]]] = {}
        self._ended = False
        self.stopped = False

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
        batch = self._begin()
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
                self._add(item)
                if batch.read >= self._size or letters > LETTERS:
                    return self._cut(batch, f"{self._file_name}:{item.line}")
            elif isinstance(item, Thing):
                if self._position > self._skip:
                    self._declare(batch, item)
            elif self._other(batch, item) >= self._size:
                return self._cut(batch, f"what {self._file_name} declares")
        self._ended = True
        return self._cut(batch, "the end") if batch.holds else None

    def _other(self, batch: Batch, item: Part | Declared) -> int:
        """A part, or what its source declares; how many declarations the batch holds."""
        if isinstance(item, Part):
            self._part(batch, item)
        elif self._position > self._skip:
            batch.declare(self._source.name, item)
        return len(batch.classes) + len(batch.properties)

    def _begin(self) -> Batch:
        forget = len(self._known) > REMEMBERED
        if forget:
            self._known.clear()
        self._seen.clear()
        self._places.clear()
        self._batch = Batch(forget=forget)
        return self._batch

    @property
    def _file_name(self) -> str:
        return self._source.files[self._file]

    def _cut(self, batch: Batch, at: str) -> Batch:
        batch.position = self._position
        batch.at = at
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
        for rows in batch.nodes.values():
            rows.pop(name, None)
        self._known.add(name)
        if thing.position is not None:
            batch.add_node("write_rows", [name, thing.name, self._source.name, thing.position])
        elif thing.name is None:
            batch.add_node("write_nameless", [name])
        else:
            batch.add_node("write_names", [name, thing.name, fold(thing.name)])
        batch.aliases += [(name, alias, fold(alias)) for alias in thing.aliases]

    def _add(self, fact: Fact) -> None:
        head_name, relation, tail_name, line, held, qualifiers = fact
        head = self._places.get(head_name)
        if head is None:
            head = self._end(head_name, False)
        tail = self._places.get(tail_name)
        if tail is None:
            tail = self._end(tail_name, self._source.kind == "table")
        facts, seen = self._seen.get(relation) or self._group(relation)
        if held is None and not qualifiers:
            pair = head << 32 | tail  # as Facts.identities has it
            if pair not in seen:
                seen.add(pair)
                facts.heads.append(head)
                facts.tails.append(tail)
                facts.lines.append(line)
            return
        edge = self._qualified(fact, head, tail) if qualifiers else None
        row = [head, tail, line, *_held(held), edge]
        told = identity(row)
        if told not in seen:
            seen.add(told)
            facts.held.append(row)

    def _group(self, relation: str) -> tuple[Facts, set[Any]]:
        """The facts of a relation in the file that is being read, and which facts they are."""
        self._relation(self._batch, relation)
        facts = self._facts(relation)
        found = self._seen[relation] = (facts, facts.identities())
        return found

    def _facts(self, relation: str) -> Facts:
        group = Group(self._source.name, self._file, relation)
        found = self._batch.facts.get(group)
        if found is None:
            found = self._batch.facts[group] = Facts()
        return found

    def _end(self, name: str, cell: bool) -> int:
        """The place of a fact's end that is new in the batch, noted to be written unless it is known."""
        batch = self._batch
        found = name if len(name) <= KEY_LENGTH else key(name)
        place = self._place(name, found)
        if found is not name:
            batch.long[place] = name
        if cell:
            batch.cells.add(place)
        if not self._bare and found not in self._known:
            self._known.add(found)
            batch.add_node(*batch.end(place, self._values))
        return place

    def _place(self, name: str, found: str) -> int:
        keys = self._batch.keys
        place = self._places[name] = len(keys)
        keys.append(found)
        return place

    def _qualified(self, fact: Fact, head: int, tail: int) -> str:
        """The key of the hyperedge that a fact with qualifiers gets beside its edge."""
        batch, relation = self._batch, fact.relation
        told = (self._source.name, fact.head, relation, fact.tail, fact.held, fact.qualifiers)
        edge = "fact\x1f" + sha256(repr(told).encode()).hexdigest()
        name = f"{fact.head[:100]} {relation[:100]} {fact.tail[:100]}"
        batch.beside += len(fact.qualifiers)
        if edge in batch.hyperedges:  # what a transaction has made, its statements do not see
            return edge
        batch.hyperedges[edge] = Hyperedge(edge, head, relation, tail, name)
        self._known.add(edge)
        place = self._place(edge, edge)
        group = Group(self._source.name, self._file, relation)
        for qualifier, value in dict.fromkeys(fact.qualifiers):
            batch.qualifiers.setdefault(group, set()).add(qualifier)
            self._relation(batch, qualifier)
            end = self._places.get(value)
            facts = self._facts(qualifier)
            facts.heads.append(place)
            facts.tails.append(self._end(value, False) if end is None else end)
            facts.lines.append(fact.line)
        return edge


def _held(held: Held | None) -> Row:
    """First day, last day, span, and both as written; nulls for a fact without an interval."""
    if held is None:
        return [None] * 5
    start, end, start_text, end_text = held
    return [start, end, span(start, end), start_text or None, end_text or None]


def span(start: int, end: int) -> int:
    """The class of an interval's length: ``end`` is less than ``start`` + 2 to the power of it.

    Facts that hold at a moment are sought class by class, each from so far back: by the start alone, all
    that ever began before would be looked at.
    """
    return (end - start).bit_length() if end > start else 0
