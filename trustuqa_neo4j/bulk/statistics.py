"""Statistics of relations, added up while facts are read.

``write_facts`` adds up the same statistics in the database, batch by batch in the same order. To let the
server count them after an import (the alternative) would read every fact once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..loading.batch import LoadedSource, Row
from ..model.dataset import SAMPLES
from ..values import OPEN

if TYPE_CHECKING:
    from .node_ids import Ints, NodeData


@dataclass
class RelationStatistics:
    # ``number`` stands on the facts; ``samples`` are nodes.
    number: int
    facts: int = 0
    numbers: int = 0
    dates: int = 0
    values: int = 0
    held: int = 0
    lowest: float | None = None
    highest: float | None = None
    earliest: int | None = None
    latest: int | None = None
    first: int | None = None
    last: int | None = None
    qualifiers: list[str] | None = None
    samples: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        # The properties in the catalog, without the samples.
        properties = dict(vars(self))
        del properties["samples"]
        return properties

    def add_facts(
        self,
        nodes: NodeData,
        tails: Ints,
        value_indexes: Ints,
        intervals: Sequence[tuple[int, int]],
    ) -> None:
        # ``value_indexes`` of the tails, and intervals.
        self.facts += len(tails)
        if (value_indexes >= 0).any():
            self._add_values(nodes, value_indexes[value_indexes >= 0])
        if intervals:
            self.held += len(intervals)
            self.first = _minimum(self.first, [start for start, _ in intervals])
            self.last = _maximum(
                self.last, [end if end < OPEN else start for start, end in intervals]
            )
        if len(self.samples) < SAMPLES:
            self._add_samples(nodes, tails.tolist())

    def add_qualifiers(self, names: Iterable[str]) -> None:
        qualifiers = self.qualifiers or []
        new = [name for name in sorted(names) if name not in qualifiers]
        self.qualifiers = [*qualifiers, *new] or None

    def _add_values(self, nodes: NodeData, value_indexes: Ints) -> None:
        numbers, (starts, ends) = nodes.numbers(value_indexes), nodes.days(value_indexes)
        self.values += len(value_indexes)
        self.numbers += len(numbers)
        self.dates += len(starts)
        self.lowest, self.highest = (
            _minimum(self.lowest, numbers),
            _maximum(self.highest, numbers),
        )
        self.earliest = _minimum(self.earliest, starts)
        self.latest = _maximum(self.latest, ends)

    def _add_samples(self, nodes: NodeData, tails: Sequence[int]) -> None:
        # The first distinct tails of a batch; the empty value counts among them and is left out.
        named = (node for node in dict.fromkeys(tails) if nodes.has_name(node))
        first = islice(named, SAMPLES)
        new = [node for node in first if node != nodes.empty and node not in self.samples]
        self.samples = [*self.samples, *new][:SAMPLES]


@dataclass
class ImportCatalog:
    relations: dict[str, str] = field(default_factory=dict)
    sources: dict[str, LoadedSource] = field(default_factory=dict)
    statistics: dict[tuple[str, str], RelationStatistics] = field(default_factory=dict)
    aliases: list[tuple[int, str, str]] = field(default_factory=list)
    classes: list[Row] = field(default_factory=list)
    properties: list[Row] = field(default_factory=list)
    hubs: list[int] = field(default_factory=list)
    nodes: int = 0
    facts: int = 0
    position: int = 0

    def statistics_of(self, source: str, relation: str) -> RelationStatistics:
        statistics = self.statistics.get((source, relation))
        if statistics is None:
            statistics = RelationStatistics(number=len(self.statistics) + 1)
            self.statistics[source, relation] = statistics
        return statistics


def _minimum(current: Any, values: Sequence[Any]) -> Any:
    return min(values if current is None else [current, *values], default=None)


def _maximum(current: Any, values: Sequence[Any]) -> Any:
    return max(values if current is None else [current, *values], default=None)
