"""Nested members of records: a record is a row, and an object in it is a node that the row leads to.

What an object has, and what is nested in it, are facts of a graph, a source of its own. If all objects of a
column have names, they are its cells, and are declared with the row; a cell without a name would answer
nothing. Otherwise the facts from the rows to them are in the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart

from ._json_graph import (
    MAX_DEPTH,
    JsonError,
    JsonGraph,
    JsonMembers,
    JsonPlace,
    JsonValue,
    LargeValue,
    format_scalar,
    read_classes,
)

GRAPH_SUFFIX = "#nested"
"""After the name of a table: the source with the graph of its nested members."""

_RECORD_IDS = ("id", "_id")


def has_nested(value: JsonValue | LargeValue) -> bool:
    """Return whether a member is an object with members, or a list that has one."""
    if isinstance(value, list):
        return any(has_nested(element) for element in value)
    return isinstance(value, tuple) and bool(value)


def has_text(value: JsonValue) -> bool:
    """Return whether a member has a text, number or truth outside of objects."""
    if isinstance(value, list):
        return any(has_text(element) for element in value)
    return value is not None and not isinstance(value, tuple) and value != ""


@dataclass
class Identities:
    """The classes of objects with ids, among records and among what is nested in them."""

    of_records: set[str] = field(default_factory=set)
    of_nested: set[str] = field(default_factory=set)

    def add(self, members: JsonMembers, depth: int = 0) -> bool:
        """Add those of an object, and return True unless it refers to others by members such as ``@id``."""
        if depth > MAX_DEPTH:
            return True  # malformed
        by_name = dict(members)
        if any(name.startswith("@") for name in by_name):
            return False
        if any(by_name.get(name) is not None for name in _RECORD_IDS):
            classes = read_classes(by_name.get("type"))
            (self.of_nested if depth else self.of_records).update(classes)
        return all(self._add_value(value, depth + 1) for value in by_name.values())

    def _add_value(self, value: JsonValue, depth: int) -> bool:
        if isinstance(value, tuple):
            return self.add(value, depth)
        if isinstance(value, list) and depth <= MAX_DEPTH:
            return all(self._add_value(element, depth + 1) for element in value)
        return True

    @property
    def are_shared(self) -> bool:
        """Return whether a nested object may be one of the records."""
        return not self.of_records.isdisjoint(self.of_nested)


class NestedReader:
    """Reads nested members with one pass of ``graph``: the survey, the nodes, or the facts."""

    def __init__(self, graph: JsonGraph) -> None:
        self.graph = graph

    def have_names(self, value: JsonValue, place: JsonPlace) -> bool:
        """Return whether all objects in a member have a name."""
        if isinstance(value, list):
            return all(self.have_names(element, place) for element in value)
        if not isinstance(value, tuple) or not value:
            return True
        return self.graph.make_node(dict(value), place).name is not None

    def read_cell(
        self, value: JsonValue, place: JsonPlace
    ) -> tuple[tuple[str, ...], tuple[NodeDeclared, ...]]:
        """Texts and keys of nodes in the member at ``place``, and the new nodes in it, at any depth.

        Raises:
            JsonError
        """
        values: list[str] = []
        items: list[Item] = []
        self._add(value, place, values, [], items)
        return tuple(values), tuple(item for item in items if isinstance(item, NodeDeclared))

    def read_facts(
        self, value: JsonValue, place: JsonPlace, row: str = "", relation: str = ""
    ) -> Iterator[Item]:
        """The facts of the objects in a member; what cannot be read is left out with its record.

        With a ``row`` its facts and the nodes are among them; without, both are in its cell.
        """
        keys: list[str] = []
        items: list[Item] = []
        try:
            self._add(value, place, [], keys, items)
        except JsonError:
            self.graph.discard(items)
            return
        yield from (item for item in items if row or not isinstance(item, NodeDeclared))
        if row:
            yield from (Fact(row, relation, key, place.line) for key in dict.fromkeys(keys))

    def _add(
        self,
        value: JsonValue,
        place: JsonPlace,
        values: list[str],
        keys: list[str],
        items: list[Item],
    ) -> None:
        if isinstance(value, tuple):
            if value:
                keys.append(self.graph.add_object(value, place, items))
                values.append(keys[-1])
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if isinstance(element, list):
                    self.graph.remark_nested_array(place.line)
                self._add(element, place.element(index), values, keys, items)
        elif value is not None and value != "":
            values.append(format_scalar(value))


def start_graph(table: str, file: str, options: ReadOptions) -> SourceStart:
    """The start of the graph beside ``table``."""
    source = options.part(table, file, "table").source
    return SourceStart(f"{source}{GRAPH_SUFFIX}", file, "kg")
