"""A property graph in a Neo4j database that another program made, read as a stream.

``PropertyGraph`` reads the graph at an ``Address``, in the order in which the server scans it: the same
one as long as nobody writes. Sorting by id (the alternative) would read a list of all ids first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

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

# Addresses.

_SCHEME = re.compile(r"(bolt|neo4j)(\+s|\+ssc)?")
_ADDRESS_HINT = (
    "an address is bolt://user:password@host:7687/database?labels=A,B; only the host is needed"
)
_CONNECTION_HINTS: dict[type[DatabaseError], str] = {
    Unreachable: "start a server there, or correct the address",
    AuthenticationFailed: (
        "put user:password@ before the host (special characters as %XX), or set NEO4J_SOURCE_USERNAME "
        "and NEO4J_SOURCE_PASSWORD"
    ),
    UnknownDatabase: "correct the name of the database after the host",
}


@dataclass(frozen=True, slots=True)
class Address:
    # ``place`` is host and database, part of the keys of nodes. ``shown`` is the address in
    # messages, without its password. Without ``labels`` all are read.
    settings: Settings
    place: str
    labels: tuple[str, ...]
    shown: str

    @classmethod
    def parse(cls, address: str, shown: str) -> Address:
        try:
            split = urlsplit(address)
            split.port  # noqa: B018 # raises where it is not a number
        except ValueError as error:
            raise UsageError("not a server address", where=shown, hint=_ADDRESS_HINT) from error
        if not _SCHEME.fullmatch(split.scheme):
            what = f"not an address of Neo4j ({split.scheme}://)"
            raise UsageError(what, where=shown, hint=_ADDRESS_HINT)
        database = unquote(split.path.strip("/"))
        if not split.hostname or "/" in database:
            raise UsageError("not a server address", where=shown, hint=_ADDRESS_HINT)
        host = split.netloc.rpartition("@")[2]
        general = Settings.read()
        username = unquote(split.username or "") or general.source_username or "neo4j"
        password = general.source_password if split.password is None else unquote(split.password)
        settings = Settings(f"{split.scheme}://{host}", username, password, database or None)
        return cls(settings, f"{host}/{database}", _parse_labels(split, shown), shown)


def _parse_labels(split: SplitResult, shown: str) -> tuple[str, ...]:
    parameters = parse_qsl(split.query, keep_blank_values=True)
    labels = tuple(label.strip() for _, value in parameters for label in value.split(","))
    if any(name != "labels" for name, _ in parameters) or not all(labels):
        what = "the part after the ? is not labels=A,B"
        raise UsageError(what, where=shown, hint=_ADDRESS_HINT)
    return labels


# Values of properties.

ValueKind: TypeAlias = Literal["text", "number", "time", "point", "other", "bytes", "vector"]

VECTOR_LENGTH = 64
"""A list of at least this many floats and nothing else is a vector, which no person reads."""

_TRAILING_ZEROS = re.compile(r"\.(\d*?)0+(?=[Z+-]|$)")


class PropertyValue(NamedTuple):
    # A list is one text for each element; bytes and vectors have no text.
    texts: tuple[str, ...]
    kind: ValueKind


def convert_value(value: Any) -> PropertyValue:
    if isinstance(value, str):
        return PropertyValue((value,), "text")
    if isinstance(value, list):
        return _convert_list(value)
    kind = _value_kind(value)
    if kind in ("bytes", "vector"):
        return PropertyValue((), kind)
    return PropertyValue((_format_value(value),), kind)


def _convert_list(values: list[Any]) -> PropertyValue:
    if len(values) >= VECTOR_LENGTH and all(isinstance(value, float) for value in values):
        return PropertyValue((), "vector")
    kinds: set[ValueKind] = {_value_kind(value) for value in values}
    if "bytes" in kinds:
        return PropertyValue((), "bytes")
    kind: ValueKind = next(iter(kinds)) if len(kinds) == 1 else "other"
    return PropertyValue(tuple(map(_format_value, values)), kind)


def _value_kind(value: Any) -> ValueKind:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "other"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, (Date, DateTime, Time, Duration)):
        return "time"
    if isinstance(value, Point):
        return "point"
    if isinstance(value, (bytes, bytearray)):
        return "bytes"
    return "vector" if isinstance(value, Vector) else "other"


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _format_float(value)
    if isinstance(value, (Date, DateTime, Time, Duration)):
        return _TRAILING_ZEROS.sub(lambda m: f".{m[1]}" if m[1] else "", value.iso_format())
    if isinstance(value, Point):
        numbers = " ".join(map(_format_float, value))
        return f"POINT {'Z ' if len(value) == 3 else ''}({numbers})"
    return str(value)


def _format_float(value: float) -> str:
    if math.isfinite(value):
        return repr(value).removesuffix(".0")
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


# The graph.

MAX_DEGREE = 1_000
"""The relationships of a node come together up to this number, which is faster."""

OWN_LABELS = (
    "Node", "Entity", "Value", "Row", "Hyperedge", "Name", "Alias", "Synonym", "Dataset", "DatasetGroup",
    "GroupMember", "Source", "Relation", "Load", "Schema", "SchemaLock", "EmbeddingModel", "Demonstration",
    "Pattern", "Class", "Property", "Vocabulary", "Note", "Pending",
)  # fmt: skip
"""This package owns nodes with these labels."""

EXPORT_PROPERTY = "tuqa_export"
"""The name of the dataset on nodes that an export wrote; no property of the graph."""

_ID_PROPERTIES = ("id", "uuid", "key")


class NodeIdentity(NamedTuple):
    label: str
    properties: tuple[str, ...]


class NodeReference(NamedTuple):
    # ``properties`` are the identifying ones.
    element: str
    labels: tuple[str, ...]
    values: dict[str, PropertyValue]


class GraphNode(NamedTuple):
    reference: NodeReference
    properties: dict[str, PropertyValue]


class Relationship(NamedTuple):
    start: NodeReference
    type: str
    end: NodeReference
    properties: dict[str, PropertyValue]


class RelationshipType(NamedTuple):
    # ``starts`` and ``ends`` are labels.
    name: str
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    properties: tuple[str, ...] = ()


class PropertyGraph:
    # ``labels`` are those that the graph has, sorted. ``properties`` are those of nodes, each with the
    # labels of its nodes ('' for none).
    def __init__(self, connection: Connection, address: Address) -> None:
        self._connection = connection
        self._address = address
        has_own_data = bool(connection.read_one("get_schema_version"))
        self._label_parameters: dict[str, Any] = {
            "labels": list(address.labels),
            "own": list(OWN_LABELS) if has_own_data else [],
        }
        rows = self._stream_rows(
            "property_graph_labels", **self._label_parameters, properties=list(_ID_PROPERTIES)
        )
        sizes = {label: nodes for label, name, nodes, _ in rows if not name}
        self.labels: tuple[str, ...] = tuple(sorted(filter(None, sizes)))
        self.properties: dict[str, list[str]] = {}
        for label, name, *_ in sorted(rows):
            if name and name != EXPORT_PROPERTY:
                self.properties.setdefault(name, []).append(label)
        has_constraints, identities = self._read_constraints()
        self.has_constraints: bool = has_constraints
        distinct = {(label, name): count for label, name, _, count in rows}
        identities += [
            NodeIdentity(label, (name,))
            for name in _ID_PROPERTIES
            for label in sorted(sizes)
            if distinct.get((label, name)) == sizes[label]
        ]
        self.identities: tuple[NodeIdentity, ...] = tuple(identities)

    @classmethod
    @contextmanager
    def open(cls, address: Address) -> Iterator[PropertyGraph]:
        with translate_address_errors(address):
            connection = Connection.open(address.settings)
            try:
                yield cls(connection, address)
            finally:
                connection.close()

    def relationship_types(self) -> list[RelationshipType]:
        rows = self._stream_rows("property_graph_types", **self._label_parameters)
        return sorted(
            RelationshipType(
                name, _sorted_labels(starts), _sorted_labels(ends), tuple(sorted(properties))
            )
            for name, starts, ends, properties in rows
        )

    def count_left_out(self) -> int:
        if not self._address.labels:
            return 0
        ((count,),) = self._stream_rows(
            "property_graph_relationships_left_out", **self._label_parameters
        )
        return int(count)

    def nodes(self) -> Iterator[GraphNode]:
        names = self._identifying_names()
        with self._connection.iterate("property_graph_nodes", **self._label_parameters) as rows:
            for element, labels, properties in rows:
                properties.pop(EXPORT_PROPERTY, None)
                values = [properties.get(name) for name in names]
                reference = _make_reference(element, labels, names, values)
                yield GraphNode(reference, _convert_properties(properties))

    def relationships(self) -> Iterator[Relationship]:
        names = self._identifying_names()
        parameters = {"properties": names, "degree": MAX_DEGREE, **self._label_parameters}
        with self._connection.iterate("property_graph_relationships", **parameters) as rows:
            for element, labels, values, relationships in rows:
                start = _make_reference(element, labels, names, values)
                for kind, properties, *end in relationships:
                    end_element, end_labels, end_values = end
                    yield Relationship(
                        start,
                        kind,
                        _make_reference(end_element, end_labels, names, end_values),
                        _convert_properties(properties),
                    )

    def _identifying_names(self) -> list[str]:
        return sorted({name for identity in self.identities for name in identity.properties})

    def _stream_rows(self, name: str, **parameters: Any) -> list[list[Any]]:
        # No timeout: it reads the whole graph.
        return self._connection.stream(name, list, **parameters)

    def _read_constraints(self) -> tuple[bool, list[NodeIdentity]]:
        # The flag says whether there are constraints. Identities with the fewest properties come
        # first.
        try:
            rows = self._stream_rows("property_graph_constraints")
        except ReadOnlyServer:  # the account may not see constraints
            return False, []
        unique = sorted(
            (len(properties), label, tuple(properties))
            for kind, labels, properties in rows
            for label in labels
            if label in self.labels and ("UNIQUE" in kind or kind == "NODE_KEY")
        )
        return bool(rows), [NodeIdentity(label, properties) for _, label, properties in unique]


@contextmanager
def translate_address_errors(address: Address) -> Iterator[None]:
    # Errors of the database get the address as shown, and a hint that fits an address.
    try:
        yield
    except DatabaseError as error:
        hint = _CONNECTION_HINTS.get(type(error), error.hint)
        raise type(error)(error.what, where=address.shown, hint=hint) from error


def _make_reference(
    element: str, labels: Sequence[str], names: Sequence[str], values: Sequence[Any]
) -> NodeReference:
    # Without lists: the texts of a list may equal those of a single value.
    scalars = {
        name: convert_value(value)
        for name, value in zip(names, values, strict=True)
        if value is not None and not isinstance(value, list)
    }
    return NodeReference(element, _sorted_labels(labels), scalars)


def _convert_properties(properties: dict[str, Any]) -> dict[str, PropertyValue]:
    return {
        name: convert_value(properties[name])
        for name in sorted(properties)
        if properties[name] is not None
    }


def _sorted_labels(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(labels)) if len(labels) > 1 else tuple(labels)
