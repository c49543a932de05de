"""What one transaction writes.

Facts name their ends by places in the batch's list of keys, in arrays: a batch takes little room, goes
quickly from one process to another, and whoever takes it asks for each key once.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from ..mapping import fold
from ..triples import ClassDeclared, Declared, Kind
from ..values import ValueOptions, read_value

Row: TypeAlias = list[Any]

UNION = "\x1f"
"""Between the classes of a union, as the database keeps one."""


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
    """A fact that has qualifiers, as a node: its key, its ends as places, and its name."""

    key: str
    head: int
    relation: str
    tail: int
    name: str


@dataclass(slots=True)
class Facts:
    """Facts of a group. Their ends are places among the batch's keys.

    Those with an interval or qualifiers stand apart, each as head, tail, line, first day, last day, span,
    both days as written, and the key of its hyperedge.
    """

    heads: array[int] = field(default_factory=lambda: array("I"))
    tails: array[int] = field(default_factory=lambda: array("I"))
    lines: array[int] = field(default_factory=lambda: array("Q"))
    held: list[Row] = field(default_factory=list)

    def identities(self) -> set[Any]:
        """What tells them apart, for a file that is gone on with or has facts of qualifiers."""
        plain = (head << 32 | tail for head, tail in zip(self.heads, self.tails, strict=True))
        return {*plain, *map(identity, self.held)}


@dataclass
class Batch:
    """What one transaction writes.

    ``keys`` are those of all ends; those of ``cells`` are met first as cells of a table, and ``long`` tells
    names that are longer than their keys. New ``nodes`` are by statement, rows as that takes them; a Thing
    goes before what is known by its key alone. ``classes`` and ``properties`` are what sources declare.
    ``position`` is the number of items read when it ends, ``at`` the file and line. ``read`` counts
    facts as read, ``beside`` those that stand for their qualifiers. ``forget``: keys remembered so far
    are no longer.
    """

    position: int = 0
    at: str = ""
    forget: bool = False
    read: int = 0
    beside: int = 0
    sources: dict[str, SourceSeen] = field(default_factory=dict)
    relations: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    cells: set[int] = field(default_factory=set)
    long: dict[int, str] = field(default_factory=dict)
    nodes: dict[str, dict[str, Row]] = field(default_factory=dict)
    aliases: list[tuple[str, str, str]] = field(default_factory=list)
    hyperedges: dict[str, Hyperedge] = field(default_factory=dict)
    facts: dict[Group, Facts] = field(default_factory=dict)
    qualifiers: dict[Group, set[str]] = field(default_factory=dict)
    classes: list[Row] = field(default_factory=list)
    properties: list[Row] = field(default_factory=list)

    def declare(self, source: str, item: Declared) -> None:
        """Note a class or a relation as ``source`` declares it."""
        labels, comment = list(item.labels), item.comment
        if isinstance(item, ClassDeclared):
            parents, disjoint = list(item.parents), list(item.disjoint)
            self.classes.append(
                [source, item.name, fold(item.name), parents, disjoint, labels, comment]
            )
            return
        ends = ([UNION.join(union) for union in unions] for unions in (item.domains, item.ranges))
        more = [list(names) for names in (item.datatypes, item.inverses, item.parents)]
        self.properties.append(
            [source, item.name, fold(item.name), *ends, item.values, *more, labels, comment]
        )

    @property
    def holds(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.read or self.sources or self.classes or self.properties)

    def add_node(self, statement: str, row: Row) -> None:
        """A node for ``statement`` to write; its key is the row's first member."""
        self.nodes.setdefault(statement, {})[row[0]] = row

    def end(self, place: int, values: ValueOptions) -> tuple[str, Row]:
        """The node that the key at ``place`` stands for where nothing else is said: statement and row."""
        found = self.keys[place]
        name = self.long.get(place, found)
        value = read_value(name, values)
        folded = fold(name)
        if value is not None:
            row = [found, name, folded, value.number, value.unit, value.start, value.end]
            return "write_values", row
        if not name:
            return "write_values", [found, name, folded, None, None, None, None]
        return "write_texts" if place in self.cells else "write_names", [found, name, folded]


def identity(row: Row) -> tuple[Any, ...]:
    """What tells a fact with an interval or qualifiers from others of its group."""
    head, tail, _line, start, end, *_, edge = row
    return (head, tail, None if start is None else (start, end), edge)
