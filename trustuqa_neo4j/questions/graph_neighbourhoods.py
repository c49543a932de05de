"""The graph of a dataset as the semantic parser reads it: names, similar names and facts around nodes.

The catalogs used last are kept; their key has the time of the last load.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from ..matching import build_name_query, score_names
from ..reads.reader import Reader
from ..semantic_parser.graph_view import Edge, EdgeGroup, NodeName, RelationProfile

_NODES_OF_NAME = 20
_SCANNED = (
    3_000  # facts of a node in each direction; of hubs, more by the relations that are sought
)
_SIMILAR = 60  # names from the full-text index
_CATALOGS = 16  # kept in memory


@dataclass(frozen=True, slots=True)
class GraphCatalog:
    """The relations of the graphs of a dataset, and the last day in them."""

    relations: Mapping[str, RelationProfile]
    latest: int


_cached: OrderedDict[tuple[Any, ...], GraphCatalog] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True)
class DatabaseGraph:
    """Implements ``GraphView`` for a dataset, or one of its sources."""

    reader: Reader
    dataset: str
    source: str | None
    catalog: GraphCatalog

    @property
    def relations(self) -> Mapping[str, RelationProfile]:
        return self.catalog.relations

    @property
    def latest(self) -> int:
        return self.catalog.latest

    def find_names(self, texts: Sequence[str]) -> Sequence[NodeName]:
        rows = self.reader.run(
            "find_graph_names", dataset=self.dataset, names=list(texts), limit=_NODES_OF_NAME
        )
        return [NodeName(*entry) for entry in rows[0]["names"]]

    def find_similar_names(self, text: str) -> Sequence[NodeName]:
        query = build_name_query(text, (self.dataset,))
        if not query:
            return []
        rows = self.reader.run("similar_graph_names", text=query, limit=_SIMILAR)
        names = {(node, alias): name for node, alias, name in rows[0]["names"]}
        matches: dict[int, NodeName] = {}
        for near in score_names(text, list(names)):
            assert near.node is not None
            name = names[near.node, near.name]
            matches.setdefault(near.node, NodeName(text, "similar", near.node, name, near.score))
        return list(matches.values())

    def read_edges(
        self, nodes: Sequence[int], relations: Sequence[str], limit: int
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        rows = self.reader.run(
            "graph_neighbourhood",
            nodes=list(nodes),
            source=self.source,
            relations=list(relations),
            scanned=_SCANNED if relations else limit * 4,
            limit=limit,
        )
        groups: list[EdgeGroup] = []
        names: dict[int, str | None] = {}
        for node, forward, relation, is_partial, ends in rows[0]["facts"]:
            edges = [Edge(end, *times) for end, _, *times in ends]
            names.update((end, name) for end, name, *_ in ends)
            groups.append(EdgeGroup(node, forward, relation, is_partial, edges))
        return groups, names


def open_graph(reader: Reader, dataset: str, source: str | None) -> DatabaseGraph | None:
    """Return the graph of a dataset or of its ``source``; None if it has only tables."""
    rows = reader.run("describe_dataset", dataset=dataset)
    if not rows or rows[0]["kind"] == "table":
        return None
    key = (dataset, source, rows[0]["loaded"], rows[0]["nodes"], rows[0]["facts"])
    with _lock:
        catalog = _cached.get(key)
        if catalog is not None:
            _cached.move_to_end(key)
    if catalog is None:
        catalog = _read_catalog(reader, dataset, source)
        with _lock:
            _cached[key] = catalog
            while len(_cached) > _CATALOGS:
                _cached.popitem(last=False)
    if not catalog.relations:
        return None
    return DatabaseGraph(reader, dataset, source, catalog)


def _read_catalog(reader: Reader, dataset: str, source: str | None) -> GraphCatalog:
    relations: dict[str, RelationProfile] = {}
    latest = 0
    for row in reader.run("describe_sources", dataset=dataset, source=source):
        if row["kind"] == "table":
            continue
        for has in row["relations"]:
            name = has["relation"]
            profile = relations.get(name, RelationProfile(name, 0))
            relations[name] = RelationProfile(
                name,
                profile.facts + has["facts"],
                profile.numbers + (has.get("numbers") or 0),
                profile.dates + (has.get("dates") or 0),
                profile.held + (has.get("held") or 0),
            )
            latest = max(latest, has.get("last") or 0)
    return GraphCatalog(relations, latest)
