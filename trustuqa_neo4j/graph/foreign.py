"""A property graph in a Neo4j database that something else made, read page by page.

Ids are read first and sorted, eight bytes each, so that pages are found by id and come in the same order
each time. Ordering in the database (the alternative) would read all of it for every page.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ..compiling import Row
from ..errors import (
    AuthenticationFailed,
    DatabaseError,
    ReadOnlyServer,
    UnknownDatabase,
    Unreachable,
    UsageError,
)
from ..settings import Settings
from .connection import Connection
from .foreign_values import Told, told

PAGE = 2000
"""Nodes or relationships of a transaction."""

OWN = (
    "Node", "Entity", "Value", "Row", "Hyperedge", "Name", "Alias", "Dataset", "Source", "Relation",
    "Load", "Schema", "Demonstration", "Pattern", "Class", "Property", "Vocabulary",
)  # fmt: skip
"""The labels of this package, whose nodes are no property graph."""

_IDS = ("id", "uuid", "key")
"""Properties that tell nodes apart where no constraint does, if each node of a label has another value."""

_SCHEME = re.compile(r"(bolt|neo4j)(\+s|\+ssc)?")
_FORM = "an address is bolt://user:password@host:7687/database?labels=A,B; all but the host may be left out"
_HINTS: dict[type[DatabaseError], str] = {
    Unreachable: "start a server there, or correct the address",
    AuthenticationFailed: (
        "put user:password@ before the host (signs as %XX), or set NEO4J_SOURCE_USERNAME and "
        "NEO4J_SOURCE_PASSWORD"
    ),
    UnknownDatabase: "correct the database's name behind the host",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a property graph is, which of its labels are wanted (all if none), and how it is shown.

    ``settings`` say how to connect. ``place`` is host and database, which things in it are known by.
    """

    settings: Settings
    place: str
    labels: tuple[str, ...]
    shown: str

    @classmethod
    def read(cls, address: str, shown: str) -> Address:
        """The address that a user gave; ``shown`` is what messages call it, without the password.

        Raises:
            UsageError
        """
        try:
            split = urlsplit(address)
            split.port  # noqa: B018 # raises where it is no number
        except ValueError as error:
            raise UsageError("no address of a server", where=shown, hint=_FORM) from error
        if not _SCHEME.fullmatch(split.scheme):
            raise UsageError(f"no address of Neo4j ({split.scheme}://)", where=shown, hint=_FORM)
        database = unquote(split.path.strip("/"))
        if not split.hostname or "/" in database:
            raise UsageError("no address of a server", where=shown, hint=_FORM)
        host = split.netloc.rpartition("@")[2]
        return cls(
            _settings(split, host, database), f"{host}/{database}", _labels(split, shown), shown
        )


def _settings(split: SplitResult, host: str, database: str) -> Settings:
    general = Settings.read()
    username = unquote(split.username or "") or general.source_username or "neo4j"
    password = general.source_password if split.password is None else unquote(split.password)
    return Settings(f"{split.scheme}://{host}", username, password, database or None)


def _labels(split: SplitResult, shown: str) -> tuple[str, ...]:
    given = parse_qsl(split.query, keep_blank_values=True)
    labels = tuple(label.strip() for name, value in given for label in value.split(","))
    if any(name != "labels" for name, _ in given) or not all(labels):
        raise UsageError("behind the ? is labels=A,B and nothing else", where=shown, hint=_FORM)
    return labels


class Identity(NamedTuple):
    """By which properties the nodes of a label are known."""

    label: str
    properties: tuple[str, ...]


class End(NamedTuple):
    """What tells which node this is."""

    element: str
    labels: tuple[str, ...]
    values: dict[str, Told]


class Node(NamedTuple):
    """A node; ``end`` tells which."""

    end: End
    properties: dict[str, Told]


class Relationship(NamedTuple):
    """A relationship."""

    start: End
    type: str
    end: End
    properties: dict[str, Told]


class Type(NamedTuple):
    """A type of relationships, and labels of nodes that one leads from and to."""

    name: str
    starts: tuple[str, ...]
    ends: tuple[str, ...]


class Foreign:
    """A property graph that is read; ``labels`` are those it has, sorted."""

    def __init__(self, connection: Connection, address: Address) -> None:
        self._connection = connection
        self._address = address
        ours = bool(connection.read_one("schema_version"))
        self._which: dict[str, Any] = {
            "labels": list(address.labels), "own": list(OWN) if ours else [],
        }  # fmt: skip
        rows = self._rows("foreign_labels", **self._which, properties=list(_IDS))
        self.labels = tuple(sorted({label for label, *_ in rows if label}))
        self.constrained, constraints = self._constraints()
        found = [
            Identity(label, (name,))
            for label, name, nodes, different in sorted(rows, key=lambda r: _IDS.index(r[1]))
            if nodes == different
        ]
        self.identities = tuple(constraints + found)

    @classmethod
    @contextmanager
    def open(cls, address: Address) -> Iterator[Foreign]:
        """Connect to ``address`` as long as the context lasts.

        Raises:
            Unreachable, AuthenticationFailed, UnknownDatabase, ServerTooOld, DatabaseError
        """
        with _told_of(address):
            connection = Connection.open(address.settings)
            try:
                yield cls(connection, address)
            finally:
                connection.close()

    def types(self) -> list[Type]:
        """The types of its relationships, sorted."""
        rows = self._rows("foreign_types", **self._which)
        return sorted(Type(name, _sorted(starts), _sorted(ends)) for name, starts, ends in rows)

    def left_out(self) -> int:
        """How many relationships lead to or from nodes of labels that are not wanted."""
        if not self._address.labels:
            return 0
        ((count,),) = self._rows("foreign_relationships_out", **self._which)
        return int(count)

    def nodes(self) -> Iterator[Node]:
        """Its nodes, in the order of their ids."""
        names = {name for identity in self.identities for name in identity.properties}
        for row in self._pages("foreign_nodes", "foreign_page_of_nodes"):
            given = row["properties"]
            known = {name: given[name] for name in names & given.keys()}
            yield Node(_end(row["element"], row["labels"], known), _properties(given))

    def relationships(self) -> Iterator[Relationship]:
        """Its relationships between the nodes that are read, in the order of their ids."""
        names = sorted({name for identity in self.identities for name in identity.properties})

        def end(given: list[Any]) -> End:
            element, labels, values = given
            return _end(element, labels, dict(zip(names, values, strict=True)))

        pages = self._pages(
            "foreign_relationships", "foreign_page_of_relationships", properties=names
        )
        for row in pages:
            properties = _properties(row["properties"])
            yield Relationship(end(row["start"]), row["type"], end(row["end"]), properties)

    def _pages(self, all_of: str, page_of: str, **more: Any) -> Iterator[Row]:
        ids = self._connection.stream(
            all_of, lambda rows: array("q", (row[0] for row in rows)), **self._which
        )
        ids = array("q", sorted(ids))
        for start in range(0, len(ids), PAGE):
            page = self._connection.read_one(
                page_of, ids=ids[start : start + PAGE].tolist(), **more
            )
            yield from sorted(page, key=lambda row: int(row["id"]))

    def _rows(self, name: str, **parameters: Any) -> list[list[Any]]:
        """The rows of a statement that looks at everything, and may take as long as it takes."""
        return self._connection.stream(name, list, **parameters)

    def _constraints(self) -> tuple[bool, list[Identity]]:
        """Whether there are constraints, and by which properties they tell nodes apart, fewest first."""
        try:
            rows = self._rows("foreign_constraints")
        except ReadOnlyServer:  # an account that may not see them
            return False, []
        found = sorted(
            (len(properties), label, tuple(properties))
            for kind, labels, properties in rows
            for label in labels
            if label in self.labels and ("UNIQUE" in kind or kind == "NODE_KEY")
        )
        return bool(rows), [Identity(label, properties) for _, label, properties in found]


@contextmanager
def _told_of(address: Address) -> Iterator[None]:
    """Errors of the driver with the address as it is shown, and hints that fit one."""
    try:
        yield
    except DatabaseError as error:
        hint = _HINTS.get(type(error), error.hint)
        raise type(error)(error.what, where=address.shown, hint=hint) from error


def _end(element: str, labels: Sequence[str], known: dict[str, Any]) -> End:
    """A list tells nothing apart: its texts may be those of a value that is none."""
    values = {name: value for name, value in known.items() if not isinstance(value, list)}
    return End(element, _sorted(labels), _properties(values))


def _properties(given: dict[str, Any]) -> dict[str, Told]:
    return {name: told(given[name]) for name in sorted(given) if given[name] is not None}


def _sorted(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(labels))
