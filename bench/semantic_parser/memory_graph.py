"""A graph in memory, read by the loaders: the training kit proposes readings over it without a server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.matching import normalize_name, score_names
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared
from trustuqa_neo4j.semantic_parser.graph_plans import order_values
from trustuqa_neo4j.semantic_parser.graph_view import (
    Edge,
    EdgeGroup,
    NodeName,
    RelationProfile,
    ValueSelection,
)
from trustuqa_neo4j.values import OPEN, read_value

_NODES_OF_NAME, _SCANNED = 20, 3000
_TIERS: tuple[tuple[Literal["name", "alias"], str], ...] = (
    ("name", "by_name"),
    ("alias", "by_alias"),
)
_SIMILAR = 200  # names that are scored
_VALUES = 300  # tails of a relation that say whether its tails are numbers or dates


@dataclass
class MemoryGraph:
    """Implements ``GraphView`` over the items of a loader."""

    keys: dict[str, int] = field(default_factory=dict)
    names: list[str | None] = field(default_factory=list)
    by_name: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_alias: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    forward: dict[int, dict[str, list[Edge]]] = field(default_factory=dict)
    backward: dict[int, dict[str, list[Edge]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    held: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    samples: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    latest: int = 0

    def add(self, items: Iterable[Item]) -> None:
        for item in items:
            if isinstance(item, NodeDeclared):
                node = self._node(item.key, item.name)
                for alias in item.aliases:
                    self.by_alias[normalize_name(alias)].append(node)
            elif isinstance(item, Fact):
                self._add_fact(item)

    def _node(self, key: str, name: str | None) -> int:
        node = self.keys.get(key)
        if node is None:
            node = self.keys[key] = len(self.names)
            self.names.append(name)
            if name is not None:
                self.by_name[normalize_name(name)].append(node)
        return node

    def _add_fact(self, fact: Fact) -> None:
        head, tail = self._node(fact.head, fact.head), self._node(fact.tail, fact.tail)
        held = fact.held or (None, None, None, None)
        edges = self.forward.setdefault(head, {}).setdefault(fact.relation, [])
        edges.append(Edge(tail, *held))
        self.backward.setdefault(tail, {}).setdefault(fact.relation, []).append(Edge(head, *held))
        self.counts[fact.relation] += 1
        if len(self.samples[fact.relation]) < _VALUES:
            self.samples[fact.relation].append(tail)
        if fact.held is not None:
            self.held[fact.relation] += 1
            end = fact.held.end if fact.held.end < OPEN else fact.held.start
            self.latest = max(self.latest, end)

    @cached_property
    def relations(self) -> Mapping[str, RelationProfile]:
        return {name: self._profile(name) for name in self.counts}

    def _profile(self, name: str) -> RelationProfile:
        values = [read_value(self.names[node] or "") for node in self.samples[name]]
        share = self.counts[name] / len(values)
        numbers = sum(value is not None and value.number is not None for value in values)
        dates = sum(value is not None and value.start is not None for value in values)
        facts, held = self.counts[name], self.held[name]
        return RelationProfile(name, facts, int(numbers * share), int(dates * share), held)

    def find_names(self, texts: Sequence[str]) -> Sequence[NodeName]:
        matches: list[NodeName] = []
        for text in texts:
            for tier, index in _TIERS:
                nodes = dict.fromkeys(getattr(self, index).get(text, ())[:_NODES_OF_NAME])
                matches += [
                    NodeName(text, tier, node, name)
                    for node in nodes
                    if (name := self.names[node]) is not None
                ]
        return matches

    @cached_property
    def _by_word(self) -> dict[str, list[tuple[str, int]]]:
        index: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for table in (self.by_name, self.by_alias):
            for text, nodes in table.items():
                for key in _word_keys(text):
                    index[key].extend((text, node) for node in nodes[:3])
        return index

    def find_similar_names(self, text: str) -> Sequence[NodeName]:
        shared: dict[tuple[str, int], float] = defaultdict(float)
        for key in _word_keys(normalize_name(text)):
            entries = self._by_word.get(key, ())
            for entry in entries:
                shared[entry] += 1 / (1 + len(entries))
        best = sorted(shared, key=lambda entry: -shared[entry])[:_SIMILAR]
        pool: list[tuple[int | None, str]] = [(node, name) for name, node in best]
        matches: dict[int, NodeName] = {}
        for near in score_names(text, pool):
            assert near.node is not None
            name = self.names[near.node]
            if name is not None:
                matches.setdefault(
                    near.node, NodeName(text, "similar", near.node, name, near.score)
                )
        return list(matches.values())

    def read_edges(
        self, nodes: Sequence[int], _relations: Sequence[str], limit: int
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        groups = [
            EdgeGroup(node, forward, relation, len(edges) > limit, edges[:limit])
            for node in nodes
            for forward, table in ((True, self.forward), (False, self.backward))
            for relation, edges in table.get(node, {}).items()
        ]
        names = {edge.node: self.names[edge.node] for group in groups for edge in group.edges}
        return groups, names

    def read_relations(
        self, relations: Sequence[str], limit: int
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        sought = frozenset(relations)
        groups = [
            EdgeGroup(node, forward, relation, len(edges) > limit, edges)
            for forward, table in ((True, self.forward), (False, self.backward))
            for node, by_relation in table.items()
            for relation, edges in by_relation.items()
            if relation in sought
        ]
        names = {
            node: self.names[node]
            for group in groups
            for node in (group.node, *(edge.node for edge in group.edges))
        }
        return groups, names

    def read_values(
        self, selection: ValueSelection, limit: int, /
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        sign = -1 if selection.is_upper else 1
        valued = [
            (head, edge, value)
            for head, by_relation in self.forward.items()
            for edge in by_relation.get(selection.relation, ())
            if (value := read_value(self.names[edge.node] or "")) is not None
        ]
        limits = [value] if (value := read_value(selection.bound or "")) is not None else []
        orders = order_values([*(value for *_, value in valued), *limits])
        bound = orders.pop() if limits else None
        facts = [
            (sign * order, head, edge)
            for (head, edge, _), order in zip(valued, orders, strict=True)
            if order is not None and (bound is None or sign * order <= sign * bound)
        ]
        facts.sort(key=lambda fact: fact[0])
        edges: dict[int, list[Edge]] = {}
        for _, head, edge in facts[:limit]:
            edges.setdefault(head, []).append(edge)
        groups = [
            EdgeGroup(head, True, selection.relation, False, ends) for head, ends in edges.items()
        ]
        nodes = {*edges, *(edge.node for ends in edges.values() for edge in ends)}
        return groups, {node: self.names[node] for node in nodes}


def _word_keys(text: str) -> set[str]:
    """Return the words, and for misspelt ones the words without one letter."""
    words = text.split()
    keys = set(words)
    for word in words:
        if len(word) >= 5:
            keys.update(word[:cut] + word[cut + 1 :] for cut in range(len(word)))
    return keys


def load_graph(format_name: str, paths: Sequence[Path]) -> MemoryGraph:
    """Read files by the loader of a format; a folder is expanded as by ``tuqa-load``."""
    loader = get_loader(format_name)
    files: list[File] = []
    for path in paths:
        expanded = loader.expand(path) if path.is_dir() and loader.expand else [path]
        files += [File(file, file.name) for file in expanded]
    graph = MemoryGraph()
    graph.add(loader.read(files, ReadOptions(skip_bad=1000)))
    return graph
