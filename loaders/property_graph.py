"""``neo4j``: a property graph in a Neo4j database: nodes, their labels and properties, relationships.

Properties are declared as relations that lead to values, so that their texts are values and no entities. The
property that names a node is not a fact: it would lead to a second node of the same name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from trustuqa_neo4j.errors import UnreadableDatabase, UsageError
from trustuqa_neo4j.loading.fact_columns import time_role
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions, Remark
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    ValidTime,
    make_record_key,
)
from trustuqa_neo4j.values import BadDate, Days, make_interval, read_date

from ._text import PROGRESS_INTERVAL
from ._triples import REVERSED

if TYPE_CHECKING:
    from trustuqa_neo4j.graph.property_graph import (
        NodeReference,
        PropertyGraph,
        PropertyValue,
        Relationship,
        RelationshipType,
    )

_TYPE = "type"
_NAME_PROPERTIES = ("name", "title", "label")
_CONSTRAINTS_REMARK = "constraints, indexes and the order of relationships are not loaded"
_FIRST_YEAR = 1000
"""A smaller number is not a year, though a text of it may be."""
_KIND_REMARKS = {
    "bytes": "bytes, left out",
    "vector": "vectors, left out",
    "point": "points, stored as text without their coordinate system",
}
_CAMEL_CASE_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    # Here, since few formats need the driver.
    from trustuqa_neo4j.graph.property_graph import Address, PropertyGraph

    for file in files:
        if file.address is None:
            raise UsageError(
                "neo4j reads addresses, and this is a file",
                where=file.name,
                hint="give bolt://host:7687",
            )
        address = Address.parse(file.address, file.name)
        with PropertyGraph.open(address) as graph:
            yield options.part(file.name, file.name, "kg")
            yield from _GraphConverter(file, options, graph, address.place).items()


class _GraphConverter:
    # A line is the number of a node or relationship. ``_by_element`` counts the nodes of a label that only
    # their database can tell apart, and ``_kinds`` the values of a kind that a property has.
    def __init__(self, file: File, options: ReadOptions, graph: PropertyGraph, place: str) -> None:
        self._file = file
        self._options = options
        self._graph = graph
        self._place = place
        self._line = 0
        self._by_element: Counter[str] = Counter()
        self._kinds: Counter[tuple[str, str]] = Counter()

    def items(self) -> Iterator[Item]:
        if self._graph.has_constraints:
            self._options.remark(_CONSTRAINTS_REMARK, self._file.name)
        if left_out := self._graph.count_left_out():
            what = f"{left_out:,} relationships with nodes of labels that are not read, left out"
            self._options.remark(what, self._file.name)
        for label in self._graph.labels:
            yield ClassDeclared(label)
            yield NodeDeclared(label, label)
        yield from _declare_relations(self._graph.relationship_types(), self._graph.properties)
        for node in self._graph.nodes():
            yield from self._node_items(node.reference, node.properties)
        if not self._line:
            raise UnreadableDatabase(
                "no node to read",
                where=self._file.name,
                hint="check the name of the database after the host, and the labels after the ?",
            )
        for label, count in sorted(self._by_element.items()):
            nodes = f"{count:,} nodes {f'of label {label}' if label else 'without a label'}"
            what = f"{nodes} that no property tells apart, identified by their element id"
            self._options.remark(what, self._file.name)
        for relationship in self._graph.relationships():
            yield self._relationship_fact(relationship)
        for (kind, name), count in sorted(self._kinds.items()):
            remark = self._options.remarks.setdefault(_KIND_REMARKS[kind], Remark())
            remark.times += 1
            remark.places.append(f"{name} ({count:,})")

    def _node_items(
        self, reference: NodeReference, properties: Mapping[str, PropertyValue]
    ) -> Iterator[Item]:
        self._advance()
        key, is_element_id = self._node_key(reference)
        if is_element_id:
            self._by_element[reference.labels[0] if reference.labels else ""] += 1
        name_property = _find_name_property(properties)
        yield NodeDeclared(key, properties[name_property].texts[0] if name_property else None)
        for label in reference.labels:
            yield Fact(key, _TYPE, label, self._line)
        for name, text in self._property_texts(properties):
            if name != name_property:
                yield Fact(key, name, text, self._line)

    def _relationship_fact(self, relationship: Relationship) -> Fact:
        self._advance()
        interval = _read_interval(relationship.properties, self._options)
        valid_time = None
        properties = relationship.properties
        if interval is not None:
            valid_time = interval.valid_time
            properties = {
                name: value for name, value in properties.items() if name not in interval.properties
            }
            if interval.is_reversed:
                self._options.remark(REVERSED, f"{self._file.name}:{self._line}")
        qualifiers = tuple(
            (name, text) for name, text in self._property_texts(properties) if text.strip()
        )
        start, _ = self._node_key(relationship.start)
        end, _ = self._node_key(relationship.end)
        return Fact(start, relationship.type, end, self._line, valid_time, qualifiers)

    def _node_key(self, reference: NodeReference) -> tuple[str, bool]:
        # The flag is true where the key is only the element id.
        for label, names in self._graph.identities:
            if label not in (reference.labels or ("",)):
                continue
            values = [reference.values.get(name) for name in names]
            parts = [
                f"{name}{'=' if value.kind == 'text' else ':'}{value.texts[0]}"
                for name, value in zip(names, values, strict=True)
                if value is not None and len(value.texts) == 1
            ]
            if len(parts) == len(names):
                return make_record_key((label, *parts), self._place), False
        element = f"elementId={reference.element}"
        return make_record_key((*reference.labels[:1], element), self._place), True

    def _property_texts(self, properties: Mapping[str, PropertyValue]) -> Iterator[tuple[str, str]]:
        for name, value in properties.items():
            if value.kind in _KIND_REMARKS:
                self._kinds[value.kind, name] += 1
            for text in value.texts:
                yield name, text

    def _advance(self) -> None:
        self._line += 1
        if not self._line % PROGRESS_INTERVAL:
            self._options.progress(self._file, self._line)


def _declare_relations(
    types: Sequence[RelationshipType], properties: Mapping[str, Sequence[str]]
) -> Iterator[RelationDeclared]:
    # Where an end has no label, or is a relationship, the relation has no classes. A name of both a
    # type and a property leads to nodes and values, so nothing is declared of its ends.
    qualifiers = {name for kind in types for name in kind.properties}
    names = dict.fromkeys(kind.name for kind in types)
    for name in names:
        if name in properties or name in qualifiers:
            continue
        starts = [kind.starts for kind in types if kind.name == name]
        ends = [kind.ends for kind in types if kind.name == name]
        yield RelationDeclared(
            name, domains=_unite_labels(starts), ranges=_unite_labels(ends), values=False
        )
    for name in sorted({*properties, *qualifiers} - {*names, _TYPE}):
        labels = () if name in qualifiers else properties[name]
        domains = _unite_labels([(label,) if label else () for label in labels])
        yield RelationDeclared(name, domains=domains if labels else (), values=True)


def _unite_labels(label_sets: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    if not all(label_sets):
        return ()
    return (tuple(sorted(set().union(*label_sets))),)


def _find_name_property(properties: Mapping[str, PropertyValue]) -> str | None:
    for name in _NAME_PROPERTIES:
        value = properties.get(name)
        if value is None or value.kind != "text" or len(value.texts) != 1:
            continue
        if value.texts[0].strip():
            return name
    return None


@cache
def _time_role(name: str) -> str | None:
    return time_role(_CAMEL_CASE_BREAK.sub(" ", name))


class _ValidInterval(NamedTuple):
    valid_time: ValidTime
    properties: frozenset[str]
    is_reversed: bool


def _read_interval(
    properties: Mapping[str, PropertyValue], options: ReadOptions
) -> _ValidInterval | None:
    # None unless its start and end properties are dates.
    by_role = {_time_role(name): name for name in reversed(list(properties))}
    names = [by_role.get("start"), by_role.get("end")]
    days: list[Days | None] = []
    texts: list[str] = []
    for name in names:
        value = None if name is None else properties[name]
        try:
            days.append(None if value is None else _read_days(value, options))
        except BadDate:
            return None
        texts.append("" if value is None or days[-1] is None else value.texts[0].strip())
    interval = make_interval(*days)
    if interval is None:
        return None
    valid_time = ValidTime(interval.start, interval.end, *texts)
    date_names = frozenset(name for name in names if name)
    return _ValidInterval(valid_time, date_names, interval.reversed)


def _read_days(value: PropertyValue, options: ReadOptions) -> Days | None:
    text = value.texts[0] if len(value.texts) == 1 else ""
    is_small = value.kind == "number" and (not text.isdecimal() or int(text) < _FIRST_YEAR)
    if not text or is_small or value.kind not in ("text", "number", "time"):
        raise BadDate(text, "is not a date")
    return read_date(text, options.values.dates)


LOADER = Loader(
    name="neo4j",
    summary="a property graph in a Neo4j database: bolt://host:7687/database?labels=A,B",
    kind="kg",
    read=read_items,
    addresses=True,
    aliases=("bolt", "property-graph"),
    reads=frozenset(),
)
