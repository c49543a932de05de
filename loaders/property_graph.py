"""``neo4j``: a property graph in a Neo4j database: nodes, their labels and properties, relationships."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trustuqa_neo4j.errors import UnreadableDatabase, UsageError
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import ClassDeclared, Fact, Held, Item, RelationDeclared, Thing
from trustuqa_neo4j.values import BadDate, Days, between, read_date

from .times import when

if TYPE_CHECKING:
    from trustuqa_neo4j.graph.foreign import End, Foreign, Relationship, Type
    from trustuqa_neo4j.graph.foreign_values import Told

_BETWEEN = (
    "\x1f"  # as in the keys of rows: what is written in properties is the key of no such node
)
_NAMES = ("name", "title", "label")
_NOT_KEPT = "constraints, indexes and the order of relationships are not carried over"
_NO_ID = "nodes that no property tells apart, known by the id that the database gave them"
_REVERSED = "the end precedes the start"
_FIRST_YEAR = 1000
"""Numbers below are no years, however a text of them is read."""
_LEFT = {
    "bytes": "bytes, left out",
    "vector": "a vector, left out",
    "point": "a point, kept as text without its system of coordinates",
}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOLD_EVERY = 1000


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each property graph, in its order.

    Raises:
        UsageError, UnreadableDatabase, DatabaseError
    """
    from trustuqa_neo4j.graph.foreign import Address, Foreign  # the driver, which few formats need

    for file in files:
        if file.address is None:
            hint = "give bolt://host:7687"
            raise UsageError(
                "neo4j reads addresses, and this is a file", where=file.name, hint=hint
            )
        address = Address.read(file.address, file.name)
        with Foreign.open(address) as found:
            yield reading.part(file.name, file.name, "kg")
            yield from _Graph(file, reading, found, address.place).items()


class _Graph:
    """One property graph as items."""

    def __init__(self, file: File, reading: Reading, found: Foreign, place: str) -> None:
        self._file = file
        self._reading = reading
        self._found = found
        self._place = place
        self._line = 0

    def items(self) -> Iterator[Item]:
        """Classes and relations, nodes with their properties, relationships.

        Raises:
            UnreadableDatabase, DatabaseError
        """
        if self._found.constrained:
            self._reading.remark(_NOT_KEPT, self._file.name)
        if left_out := self._found.left_out():
            what = f"{left_out:,} relationships with nodes of labels that are not read, left out"
            self._reading.remark(what, self._file.name)
        for label in self._found.labels:
            yield ClassDeclared(label)
            yield Thing(label, label)
        yield from _declared(self._found.types())
        for node in self._found.nodes():
            yield from self._node(node.end, node.properties)
        if not self._line:
            raise UnreadableDatabase(
                "no node in it that is to be read",
                where=self._file.name,
                hint="check the database's name behind the host, and the labels behind the ?",
            )
        for relationship in self._found.relationships():
            yield self._relationship(relationship)

    def _node(self, end: End, properties: Mapping[str, Told]) -> Iterator[Item]:
        self._count()
        key, element = self._key(end)
        if element:
            self._remark(_NO_ID)
        yield Thing(key, _name(properties))
        for label in end.labels:
            yield Fact(key, "type", label, self._line)
        for name, text in self._texts(properties):
            yield Fact(key, name, text, self._line)

    def _relationship(self, found: Relationship) -> Fact:
        self._count()
        interval = _interval(found.properties, self._reading)
        held = None
        others = found.properties
        if interval is not None:
            held = interval.held
            others = {name: told for name, told in others.items() if name not in interval.names}
            if interval.reversed:
                self._remark(_REVERSED)
        qualifiers = tuple((name, text) for name, text in self._texts(others) if text.strip())
        start, end = self._key(found.start)[0], self._key(found.end)[0]
        return Fact(start, found.type, end, self._line, held, qualifiers)

    def _key(self, end: End) -> tuple[str, bool]:
        """What a node is known by, and whether that is only what the database calls it."""
        for label, names in self._found.identities:
            if label not in (end.labels or ("",)):
                continue
            values = [end.values.get(name) for name in names]
            told = [
                f"{name}{'=' if value.kind == 'text' else ':'}{value.texts[0]}"
                for name, value in zip(names, values, strict=True)
                if value is not None and len(value.texts) == 1
            ]
            if len(told) == len(names):
                return _BETWEEN.join((self._place, label, *told)), False
        return _BETWEEN.join((self._place, end.element)), True

    def _texts(self, properties: Mapping[str, Told]) -> Iterator[tuple[str, str]]:
        for name, told in properties.items():
            if told.kind in _LEFT:
                self._remark(_LEFT[told.kind])
            for text in told.texts:
                yield name, text

    def _count(self) -> None:
        self._line += 1
        if not self._line % _TOLD_EVERY:
            self._reading.progress(self._file, self._line)

    def _remark(self, what: str) -> None:
        self._reading.remark(what, f"{self._file.name}:{self._line}")


def _declared(types: Sequence[Type]) -> Iterator[RelationDeclared]:
    """Relations with the labels that they lead from and to: none where an end has no label."""
    for name in dict.fromkeys(found.name for found in types):
        starts = [found.starts for found in types if found.name == name]
        ends = [found.ends for found in types if found.name == name]
        yield RelationDeclared(name, domains=_union(starts), ranges=_union(ends), values=False)


def _union(labels: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    if not all(labels):
        return ()
    return (tuple(sorted({label for each in labels for label in each})),)


def _name(properties: Mapping[str, Told]) -> str | None:
    for name in _NAMES:
        told = properties.get(name)
        if (
            told is not None
            and told.kind == "text"
            and len(told.texts) == 1
            and told.texts[0].strip()
        ):
            return told.texts[0]
    return None


class _Interval(NamedTuple):
    """When a relationship held, and the properties that say so."""

    held: Held
    names: frozenset[str]
    reversed: bool


def _interval(properties: Mapping[str, Told], reading: Reading) -> _Interval | None:
    """When a relationship held, if properties called as a start and an end are are dates."""
    by_role = {when(_HUMP.sub(" ", name)): name for name in reversed(list(properties))}
    names = [by_role.get("start"), by_role.get("end")]
    days: list[Days | None] = []
    texts: list[str] = []
    for name in names:
        told = None if name is None else properties[name]
        try:
            days.append(None if told is None else _days(told, reading))
        except BadDate:
            return None
        texts.append("" if told is None or days[-1] is None else told.texts[0].strip())
    found = between(*days)
    if found is None:
        return None
    held = Held(found.start, found.end, *texts)
    return _Interval(held, frozenset(name for name in names if name), found.reversed)


def _days(told: Told, reading: Reading) -> Days | None:
    """The days that a property says.

    Raises:
        BadDate: it is no date.
    """
    text = told.texts[0] if len(told.texts) == 1 else ""
    early = told.kind == "number" and (not text.isdecimal() or int(text) < _FIRST_YEAR)
    if not text or early or told.kind not in ("text", "number", "time"):
        raise BadDate(text, "is no date")
    return read_date(text, reading.values.dates)


LOADER = Loader(
    name="neo4j",
    summary="a property graph in a Neo4j database: bolt://host:7687/database?labels=A,B",
    kind="kg",
    read=read,
    addresses=True,
)
