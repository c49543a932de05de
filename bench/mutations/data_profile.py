"""What the mutation operators know of the data: its facts, and counts of them.

Domains and ranges are sets of nodes, and classes are the tails of ``type``. The validation's own knowledge
(declarations, join statistics) is not used, so that its errors are not repeated here.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from trustuqa_neo4j.export.manifest import MANIFEST_FILE, parse_manifest
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.values import read_value

Triple: TypeAlias = tuple[str, str, str]
"""Key of the head, relation, key of the tail."""

TYPE = "type"
_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class Graph:
    """Facts by keys of nodes; ``names`` has the nodes whose name is not their key (None: no name).

    ``plain``: no fact has a time or qualifiers, which ``facts`` cannot hold.
    """

    facts: tuple[Triple, ...]
    names: Mapping[str, str | None] = field(default_factory=dict)
    plain: bool = True

    def name(self, key: str) -> str | None:
        return self.names.get(key, key)


@dataclass(frozen=True)
class RelationProfile:
    """The heads and tails of a relation, and what nearly all tails are.

    ``leads_to_ids``: nodes without a name. ``leads_onward``: heads of other relations.
    """

    name: str
    heads: frozenset[str]
    tails: frozenset[str]
    leads_to_ids: bool
    leads_onward: bool
    is_numeric: bool
    is_dated: bool

    @property
    def is_text(self) -> bool:
        """Whether the tails are names, which have no order and no sum."""
        return not (self.leads_to_nodes or self.is_numeric or self.is_dated)

    @property
    def leads_to_nodes(self) -> bool:
        return self.leads_to_ids or self.leads_onward


@dataclass(frozen=True)
class DataProfile:
    """Relations by name, and classes with their members."""

    graph: Graph
    relations: Mapping[str, RelationProfile]
    classes: Mapping[str, frozenset[str]]

    @cached_property
    def _by_normalized_name(self) -> dict[str, RelationProfile]:
        return {normalize_name(name): relation for name, relation in self.relations.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """All names of the data, normalized."""
        keys = {end for head, _, tail in self.graph.facts for end in (head, tail)}
        names = (self.graph.name(key) for key in keys)
        return frozenset(normalize_name(name) for name in names if name is not None)

    @cached_property
    def class_of(self) -> dict[str, set[str]]:
        """Node → its classes."""
        classes: dict[str, set[str]] = defaultdict(set)
        for name, members in self.classes.items():
            for member in members:
                classes[member].add(name)
        return classes

    def relation(self, name: str) -> RelationProfile | None:
        """The relation of this name; None if there is none, as for the time of a fact."""
        return self.relations.get(name) or self._by_normalized_name.get(normalize_name(name))

    def same_domain(self, left: RelationProfile, right: RelationProfile) -> bool:
        """Whether the heads share a node or a class."""
        return self._are_similar(left.heads, right.heads)

    def same_range(self, left: RelationProfile, right: RelationProfile) -> bool:
        """Whether the tails share a node, a class or a kind of value."""
        if left.leads_to_nodes or right.leads_to_nodes:
            return (
                left.leads_to_nodes
                and right.leads_to_nodes
                and self._are_similar(left.tails, right.tails)
            )
        if left.tails & right.tails:
            return True
        kinds = (left.is_numeric, left.is_dated), (right.is_numeric, right.is_dated)
        # Names without facts of their own can be things of any kind, unless things have ids.
        return kinds[0] == kinds[1] and (not left.is_text or self.has_ids)

    @cached_property
    def has_ids(self) -> bool:
        """Whether there are nodes without a name."""
        return any(relation.leads_to_ids for relation in self.relations.values())

    def _are_similar(self, left: frozenset[str], right: frozenset[str]) -> bool:
        if left & right:
            return True
        return not self._classes(left).isdisjoint(self._classes(right))

    def _classes(self, nodes: frozenset[str]) -> set[str]:
        return {name for node in nodes for name in self.class_of.get(node, ())}

    @cached_property
    def inverses(self) -> dict[str, str]:
        """Relation → the relation that has the same facts in the other direction."""
        pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for head, relation, tail in self.graph.facts:
            pairs[relation].add((head, tail))
        inverted = {
            frozenset((tail, head) for head, tail in own): name for name, own in pairs.items()
        }
        inverses = {name: inverted.get(frozenset(own)) for name, own in pairs.items()}
        return {name: inverse for name, inverse in inverses.items() if inverse is not None}


def profile_graph(graph: Graph) -> DataProfile:
    """Count the facts of a graph."""
    heads: dict[str, set[str]] = defaultdict(set)
    tails: dict[str, set[str]] = defaultdict(set)
    for head, name, tail in graph.facts:
        heads[name].add(head)
        tails[name].add(tail)
    all_heads = {node for nodes in heads.values() for node in nodes}
    relations = {
        name: _relation(graph, name, frozenset(heads[name]), frozenset(tails[name]), all_heads)
        for name in heads
    }
    members: dict[str, set[str]] = defaultdict(set)
    for head, name, tail in graph.facts:
        if normalize_name(name) == TYPE:
            members[graph.name(tail) or tail].add(head)
    return DataProfile(
        graph, relations, {name: frozenset(nodes) for name, nodes in members.items()}
    )


def _relation(
    graph: Graph, name: str, heads: frozenset[str], tails: frozenset[str], all_heads: set[str]
) -> RelationProfile:
    counts = Counter[str]()
    for tail in tails:
        text = graph.name(tail)
        value = None if text is None else read_value(text)
        counts["unnamed"] += text is None
        counts["onward"] += tail in all_heads
        counts["number"] += value is not None and value.number is not None
        counts["date"] += (
            value is not None and value.start is not None and not (text or "").isdigit()
        )
    share = {kind: count / len(tails) for kind, count in counts.items()}
    ids, onward = share["unnamed"] >= _NEARLY_ALL, share["onward"] >= 1 - _NEARLY_ALL
    is_value = not (ids or onward)
    return RelationProfile(
        name, heads, tails, ids, onward,
        is_value and share["number"] >= _NEARLY_ALL, is_value and share["date"] >= _NEARLY_ALL,
    )  # fmt: skip


def read_graph(folder: Path) -> Graph:
    """Read the facts that ``tuqa export`` wrote to ``folder``, without tables."""
    manifest = parse_manifest((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    facts: list[Triple] = []
    plain = True
    for source in manifest.sources:
        if source.form != "facts":
            continue
        plain = plain and not (source.held or source.qualified)
        with (folder / source.file).open(encoding="utf-8", newline="") as file:
            facts += [(row["head"], row["relation"], row["tail"]) for row in csv.DictReader(file)]
    names: dict[str, str | None] = {}
    if manifest.names is not None:
        with (folder / manifest.names).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                names.setdefault(row["key"], row["name"] if row["kind"] == "named" else None)
    # Sorted, since a seed must give the same sample for any order in the database.
    return Graph(tuple(sorted(facts)), names, plain)
