"""The graph of a dataset as the semantic parser reads it: names, similar names and facts around nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..matching import build_name_query, score_names
from ..ontology.entailment import Entailments
from ..reads.reader import Reader
from ..semantic_parser.graph_view import Edge, EdgeGroup, NodeName, RelationProfile
from .dataset_contents import DatasetContents

_NODES_OF_NAME = 20
_SCANNED = (
    3_000  # facts of a node in each direction; of hubs, more by the relations that are sought
)
_SIMILAR = 60  # names from the full-text index


@dataclass(frozen=True)
class DatabaseGraph:
    """Implements ``GraphView`` for a dataset, or one of its sources."""

    reader: Reader
    contents: DatasetContents

    @property
    def relations(self) -> Mapping[str, RelationProfile]:
        return self.contents.relations

    @property
    def latest(self) -> int:
        return self.contents.latest

    def find_names(self, texts: Sequence[str]) -> Sequence[NodeName]:
        rows = self.reader.run(
            "find_graph_names",
            dataset=self.contents.dataset,
            names=list(texts),
            limit=_NODES_OF_NAME,
        )
        return [NodeName(*entry) for entry in rows[0]["names"]]

    def find_similar_names(self, text: str) -> Sequence[NodeName]:
        query = build_name_query(text, (self.contents.dataset,))
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
            datasets=[self.contents.dataset],
            nodes=list(nodes),
            source=self.contents.source,
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
        entailments = self.contents.entailments
        return (groups if entailments is None else _add_inferred(groups, entailments)), names


def _add_inferred(groups: Sequence[EdgeGroup], entailments: Entailments) -> list[EdgeGroup]:
    # Facts of subrelations and inverses. Chains and classes are left to the execution.
    merged = {(group.node, group.forward, group.relation): group for group in groups}
    for group in groups:
        for use in entailments.conclusions(group.relation):
            key = (group.node, group.forward != use.is_inverted, use.relation)
            stored = merged.get(key, EdgeGroup(*key, is_partial=False, edges=()))
            nodes = {edge.node for edge in stored.edges}
            edges = [*stored.edges, *(edge for edge in group.edges if edge.node not in nodes)]
            merged[key] = stored._replace(
                is_partial=stored.is_partial or group.is_partial, edges=edges
            )
    return list(merged.values())
