"""``export_graph``: one dataset as a property graph in another Neo4j database.

Classes become labels, facts that lead to values become properties, and other facts become relationships with
their relation as type. Names are parameters only. The target gets no indexes: the client remembers the ids of
the nodes that it wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from time import perf_counter
from typing import Any, TypeAlias

from ..errors import DataError, UsageError
from ..graph import catalog
from ..graph.class_labels import is_label
from ..graph.connection import Connection
from ..graph.interrupts import defer_interrupts
from ..graph.property_graph import EXPORT_PROPERTY, Address, translate_address_errors
from ..graph.statements import ADDING, HIDING
from ..loading.addresses import mask_secrets
from ..loading.request import Progress
from ..model.facts import format_key
from ..wording import CallOption

BATCH = 5_000
"""Nodes or relationships of a transaction."""

_KEY_PROPERTY = "key"
_NAME_PROPERTY = "name"
_LEADING_ZERO = re.compile(r"[+-]?0\d")

PropertyValue: TypeAlias = "str | int | float | date"


@dataclass(frozen=True, slots=True)
class GraphExportReport:
    """The size and the address of an export; ``address`` is without its password."""

    dataset: str
    address: str
    nodes: int
    relationships: int
    seconds: float

    def summary(self) -> str:
        """Format as one line."""
        counts = f"{self.nodes:,} nodes and {self.relationships:,} relationships"
        return f"{self.dataset}: {counts} to {self.address} in {self.seconds:.1f} s"


def export_graph(
    connection: Connection, dataset: str, address: str, progress: Progress, *, replace: bool = False
) -> GraphExportReport:
    """Write ``dataset`` to the database at ``address``; ``replace`` deletes an earlier export of it there.

    Raises:
        UnknownDataset, IncompleteDataset, DatabaseError
        UsageError: the address cannot be used, or the database there has datasets.
        DataError: an export of the dataset is there already.
    """
    started = perf_counter()
    target = Address.parse(address, mask_secrets(address))
    if target.labels:
        raise UsageError(
            "an export has no ?labels", where=target.shown, hint="leave out the ?labels"
        )
    types, sources, facts = _describe(connection, dataset)
    with translate_address_errors(target), closing(Connection.open(target.settings)) as written:
        _prepare_target(written, dataset, target.shown, replace=replace)
        with defer_interrupts() as guard:
            writer = _GraphWriter(connection, written, dataset, types, guard.raise_pending)
            progress.begin(f"export {dataset}", facts, "facts")
            writer.write_nodes(progress)
            for source in sources:
                writer.write_relationships(source, progress)
    seconds = perf_counter() - started
    return GraphExportReport(dataset, target.shown, len(writer.ids), writer.relationships, seconds)


def _describe(connection: Connection, dataset: str) -> tuple[list[str], list[str], int]:
    # The relations that lead to classes, the sources, and the number of facts.
    description = catalog.describe_complete_dataset(connection, dataset)
    (graph,) = connection.read(
        lambda reader: reader.run("graph_sources", dataset=dataset, without=None)
    )
    sources = connection.read(
        lambda reader: reader.run("describe_sources", dataset=dataset, sources=None)
    )
    types = graph["types"] if graph["graphs"] else []
    return types, [source["name"] for source in sources], description["facts"]


def _prepare_target(target: Connection, dataset: str, shown: str, *, replace: bool) -> None:
    if target.read_one("get_schema_version"):
        raise UsageError(
            "this database has datasets, and an export would mix with them",
            where=shown,
            hint="give another database, bolt://host:7687/database",
        )
    count = target.stream("count_exported_nodes", list, dataset=dataset)[0][0]
    if count and not replace:
        raise DataError(
            f"{count:,} nodes of an export of {dataset!r} are there already",
            where=shown,
            hint=f"{CallOption.REPLACE_EXPORT} deletes them first",
        )
    if count:
        target.run_alone("delete_exported_nodes", dataset=dataset)


@dataclass
class _GraphWriter:
    # ``ids`` are ids of nodes here → there. Ctrl-C interrupts only at ``check_interrupt``.
    source: Connection
    target: Connection
    dataset: str
    types: list[str]
    check_interrupt: Callable[[], None]
    ids: dict[int, int] = field(default_factory=dict)
    relationships: int = 0
    done: int = 0

    def write_nodes(self, progress: Progress) -> None:
        # What a load adds meanwhile is hidden.
        version = self.source.find_version(self.dataset)
        statement, parameters = "export_graph_nodes", {"dataset": version.storage}
        hidden = {} if version.adding is None else {ADDING: {version.storage: version.adding}}
        statement += HIDING if hidden else ""
        with self.source.iterate(statement, **parameters, **hidden, types=self.types) as rows:
            for batch in _split(rows):
                nodes = [self._make_node(*row[1:]) for row in batch]
                ids = self.target.write(
                    lambda tx, nodes=nodes: tx.run("create_exported_nodes", nodes=nodes).rows[0][
                        "ids"
                    ]  # type: ignore[misc]
                )
                self.ids.update(zip((row[0] for row in batch), ids, strict=True))
                self._advance(progress, sum(len(row[3]) + len(row[5]) for row in batch))

    def write_relationships(self, source: str, progress: Progress) -> None:
        storage = self.source.find_version(self.dataset).storage
        parameters = {"dataset": storage, "source": source, "types": self.types}
        with self.source.iterate("export_graph_relationships", **parameters) as rows:
            for batch in _split(rows):
                relationships = [self._make_relationship(*row) for row in batch]
                self.relationships += self.target.write(
                    lambda tx, rows=relationships: tx.run(  # type: ignore[misc]
                        "create_exported_relationships", relationships=rows
                    ).rows[0]["relationships"]
                )
                self._advance(progress, len(batch))

    def _advance(self, progress: Progress, facts: int) -> None:
        self.done += facts
        progress.advance(self.done)
        self.check_interrupt()

    def _make_node(
        self,
        key: str,
        name: str | None,
        classes: Sequence[str],
        source: str | None,
        values: Sequence[Sequence[Any]],
    ) -> list[Any]:
        # A row of a table has its source as label.
        labels = [label for label in (*classes, *([source] if source else ())) if is_label(label)]
        properties: dict[str, Any] = {EXPORT_PROPERTY: self.dataset}
        if name is not None:
            properties[_NAME_PROPERTY] = name
        if key != name:
            properties[_KEY_PROPERTY] = format_key(key)
        return [labels, properties | _make_properties(values, properties.keys())]

    def _make_relationship(
        self,
        head: int,
        tail: int,
        relation: str,
        start: str | None,
        end: str | None,
        qualifiers: Sequence[Sequence[Any]],
    ) -> list[Any]:
        times = {name: text for name, text in (("start", start), ("end", end)) if text}
        properties = {**times, **_make_properties(qualifiers, times.keys())}
        return [self.ids[head], relation, self.ids[tail], properties]


def _split(rows: Iterator[list[Any]]) -> Iterator[list[list[Any]]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _make_properties(rows: Sequence[Sequence[Any]], reserved: Iterable[str]) -> dict[str, Any]:
    # Several values are a list, of texts unless all are of one type.
    by_name: dict[str, list[Sequence[Any]]] = {}
    for relation, *value in rows:
        name = f"{relation}_" if relation in reserved else relation
        by_name.setdefault(name, []).append(value)
    properties: dict[str, Any] = {}
    for name, values in by_name.items():
        typed = [convert_value(*value) for value in values]
        if len({type(value) for value in typed}) > 1:
            typed = [str(value[0]) for value in values]
        properties[name] = typed[0] if len(typed) == 1 else typed
    return properties


def convert_value(
    text: str, number: float | None, unit: str | None, start: int | None, end: int | None
) -> PropertyValue:
    # A number, or a day, if nothing of the text is lost: no unit, time of day or leading zero.
    if start is not None and start == end and ":" not in text:
        return date(start // 10000, start // 100 % 100, start % 100)
    if number is None or unit is not None or start is not None or _LEADING_ZERO.match(text):
        return text
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
