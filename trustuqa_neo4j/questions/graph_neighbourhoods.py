"""The graph of a dataset as the semantic parser reads it: names, similar names and facts around nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..matching import build_name_query, normalize_name, score_names
from ..ontology.entailment import Entailments
from ..reads.reader import Reader, Row
from ..semantic_parser.graph_proposals import is_class_hop
from ..semantic_parser.graph_view import (
    Edge,
    EdgeGroup,
    Hop,
    NodeName,
    RelationProfile,
    ValueSelection,
)
from ..values import Value, read_value
from .dataset_contents import DatasetContents

_NODES_OF_NAME = 20
_SCANNED = (
    3_000  # facts of a node in each direction; of hubs, more by the relations that are sought
)
_SIMILAR = 60  # names from the full-text index
_SUBCLASSES = 200  # whose members are read


@dataclass(frozen=True)
class DatabaseGraph:
    """Implements ``GraphView`` for a dataset, or one of its sources."""

    reader: Reader
    contents: DatasetContents
    _node_names: dict[int, str] = field(default_factory=dict)

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
        matches = [NodeName(*entry) for entry in rows[0]["names"]]
        self._node_names.update((match.node, match.name) for match in matches)
        return matches

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
        self._node_names.update((node, match.name) for node, match in matches.items())
        return list(matches.values())

    def read_edges(
        self, nodes: Sequence[int], relations: Sequence[str], limit: int
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        groups, names = _read_groups(self._read_facts(nodes, relations, limit))
        entailments = self.contents.entailments
        if entailments is None:
            return groups, names
        members, member_names = self._read_members_of_subclasses(nodes, limit, entailments)
        return _add_inferred([*groups, *members], entailments), member_names | names

    def read_relations(
        self, relations: Sequence[str], limit: int
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        entailments = self.contents.entailments
        premises = [
            use.relation
            for relation in relations
            for use in (entailments.premises(relation) if entailments else ())
        ]
        rows = self.reader.run(
            "graph_relations",
            dataset=self.contents.dataset,
            source=self.contents.source,
            relations=sorted({*relations, *premises}),
            limit=limit,
        )
        groups, names = _group_facts(rows)
        return (_add_inferred(groups, entailments) if entailments else groups), names

    def read_values(
        self, selection: ValueSelection, limit: int, /
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        bound = read_value(selection.bound) or Value(None, None)
        day = bound.start if selection.is_upper else bound.end or bound.start
        rows = self.reader.run(
            "graph_relation_values",
            dataset=self.contents.dataset,
            source=self.contents.source,
            relation=selection.relation,
            is_upper=selection.is_upper,
            number=bound.number,
            day=day,
            limit=limit,
        )
        groups, names = _group_facts(rows)
        return [group for group in groups if group.forward], names

    def _read_members_of_subclasses(
        self, nodes: Sequence[int], limit: int, entailments: Entailments
    ) -> tuple[list[EdgeGroup], dict[int, str | None]]:
        # The class facts of the subclasses of classes among ``nodes``, as facts of these classes.
        superclasses: dict[str, list[int]] = {}
        for node in nodes:
            for name in entailments.subclasses(self._node_names.get(node, "")):
                superclasses.setdefault(name, []).append(node)
        if not superclasses:
            return [], {}
        names_to_read = sorted(superclasses)[:_SUBCLASSES]
        is_partial = len(names_to_read) < len(superclasses)
        subclass_nodes = {
            match.node: match.name
            for match in self.find_names([*map(normalize_name, names_to_read)])
            if match.tier == "name" and match.name in superclasses
        }
        groups, names = _read_groups(self._read_facts([*subclass_nodes], (), limit))
        return [
            group._replace(node=node, is_partial=is_partial or group.is_partial)
            for group in groups
            if is_class_hop(Hop(group.relation, group.forward))
            for node in superclasses[subclass_nodes[group.node]]
        ], names

    def _read_facts(
        self, nodes: Sequence[int], relations: Sequence[str], limit: int
    ) -> Sequence[Row]:
        return self.reader.run(
            "graph_neighbourhood",
            datasets=[self.contents.dataset],
            nodes=list(nodes),
            source=self.contents.source,
            relations=list(relations),
            scanned=_SCANNED if relations else limit * 4,
            limit=limit,
        )


def _group_facts(rows: Sequence[Row]) -> tuple[list[EdgeGroup], dict[int, str | None]]:
    # Facts by their heads and by their tails.
    edges: dict[tuple[int, bool, str], list[Edge]] = {}
    names: dict[int, str | None] = {}
    for row in rows:
        for head, head_name, tail, tail_name, *times in row["facts"]:
            names |= {head: head_name, tail: tail_name}
            edges.setdefault((head, True, row["relation"]), []).append(Edge(tail, *times))
            edges.setdefault((tail, False, row["relation"]), []).append(Edge(head, *times))
    return [EdgeGroup(*key, is_partial=False, edges=ends) for key, ends in edges.items()], names


def _read_groups(rows: Sequence[Row]) -> tuple[list[EdgeGroup], dict[int, str | None]]:
    groups: list[EdgeGroup] = []
    names: dict[int, str | None] = {}
    for node, forward, relation, is_partial, ends in rows[0]["facts"]:
        edges = [Edge(end, *times) for end, _, *times in ends]
        names.update((end, name) for end, name, *_ in ends)
        groups.append(EdgeGroup(node, forward, relation, is_partial, edges))
    return groups, names


def _add_inferred(groups: Sequence[EdgeGroup], entailments: Entailments) -> list[EdgeGroup]:
    # Facts of subrelations and inverses. Chains are left to the execution.
    merged: dict[tuple[int, bool, str], EdgeGroup] = {}
    for group in groups:
        _merge_group(merged, group)
    for group in list(merged.values()):
        for use in entailments.conclusions(group.relation):
            is_forward = group.forward != use.is_inverted
            _merge_group(merged, group._replace(forward=is_forward, relation=use.relation))
    return list(merged.values())


def _merge_group(merged: dict[tuple[int, bool, str], EdgeGroup], group: EdgeGroup) -> None:
    key = (group.node, group.forward, group.relation)
    stored = merged.get(key, EdgeGroup(*key, is_partial=False, edges=()))
    nodes = {edge.node for edge in stored.edges}
    edges = [*stored.edges, *(edge for edge in group.edges if edge.node not in nodes)]
    merged[key] = group._replace(is_partial=stored.is_partial or group.is_partial, edges=edges)
