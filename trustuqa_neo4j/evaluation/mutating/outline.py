"""What the operators know of the data: its facts, and what follows from them by counting.

Domains and ranges are sets of nodes, and classes are what ``type`` leads to. Whatever the check goes by
(what is declared, which ends meet) is left alone here, so that its mistakes are not made twice.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from ...exporting.manifest import NAME, from_json
from ...mapping import fold
from ...values import read_value

Triple: TypeAlias = tuple[str, str, str]
"""Key of the head, relation, key of the tail."""

TYPE = "type"
_MOSTLY = 0.9


@dataclass(frozen=True)
class Graph:
    """Facts by keys of nodes, and the names of nodes whose key is not their name; None: it has none.

    ``plain``: no fact has a time or qualifiers, which ``facts`` could not hold.
    """

    facts: tuple[Triple, ...]
    names: Mapping[str, str | None] = field(default_factory=dict)
    plain: bool = True

    def name(self, key: str) -> str | None:
        """What the node of ``key`` is called."""
        return self.names.get(key, key)


@dataclass(frozen=True)
class Relation:
    """A relation with what it starts from and leads to.

    ``ids``: it leads to nodes without a name. ``numbers``, ``dates``: nearly all that it leads to is one.
    """

    name: str
    heads: frozenset[str]
    tails: frozenset[str]
    ids: bool
    onward: bool
    numbers: bool
    dates: bool

    @property
    def text(self) -> bool:
        """Whether it leads to names that have no order and no sum."""
        return not (self.ids or self.onward or self.numbers or self.dates)

    @property
    def nodes(self) -> bool:
        """Whether it leads to what other relations start from."""
        return self.ids or self.onward


@dataclass(frozen=True)
class Outline:
    """Relations by name, and classes with their members."""

    graph: Graph
    relations: Mapping[str, Relation]
    classes: Mapping[str, frozenset[str]]

    @cached_property
    def _folded(self) -> dict[str, Relation]:
        return {fold(name): relation for name, relation in self.relations.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """All names of the data, folded."""
        keys = {end for head, _, tail in self.graph.facts for end in (head, tail)}
        named = (self.graph.name(key) for key in keys)
        return frozenset(fold(name) for name in named if name is not None)

    @cached_property
    def class_of(self) -> dict[str, set[str]]:
        """Node → its classes."""
        found: dict[str, set[str]] = defaultdict(set)
        for name, members in self.classes.items():
            for member in members:
                found[member].add(name)
        return found

    def relation(self, name: str) -> Relation | None:
        """The relation that a query calls ``name``; None for what is none, such as the time of a fact."""
        return self.relations.get(name) or self._folded.get(fold(name))

    def same_domain(self, one: Relation, other: Relation) -> bool:
        """Whether both start from things of one kind."""
        return self._alike(one.heads, other.heads)

    def same_range(self, one: Relation, other: Relation) -> bool:
        """Whether both lead to things of one kind."""
        if one.nodes or other.nodes:
            return one.nodes and other.nodes and self._alike(one.tails, other.tails)
        if one.tails & other.tails:
            return True
        kinds = (one.numbers, one.dates), (other.numbers, other.dates)
        # Names that nothing starts from may be things of any kind, unless things have ids instead.
        return kinds[0] == kinds[1] and (not one.text or self.has_ids)

    @cached_property
    def has_ids(self) -> bool:
        """Whether there are nodes without a name."""
        return any(relation.ids for relation in self.relations.values())

    def _alike(self, one: frozenset[str], other: frozenset[str]) -> bool:
        if one & other:
            return True
        return not self._classes(one).isdisjoint(self._classes(other))

    def _classes(self, nodes: frozenset[str]) -> set[str]:
        return {name for node in nodes for name in self.class_of.get(node, ())}

    @cached_property
    def inverses(self) -> dict[str, str]:
        """Relation → one that holds just the same facts the other way round."""
        pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for head, relation, tail in self.graph.facts:
            pairs[relation].add((head, tail))
        turned = {frozenset((t, h) for h, t in known): name for name, known in pairs.items()}
        found = {name: turned.get(frozenset(known)) for name, known in pairs.items()}
        return {name: other for name, other in found.items() if other is not None}


def outline(graph: Graph) -> Outline:
    """What follows from the facts of ``graph``."""
    heads: dict[str, set[str]] = defaultdict(set)
    tails: dict[str, set[str]] = defaultdict(set)
    for head, name, tail in graph.facts:
        heads[name].add(head)
        tails[name].add(tail)
    starting = {node for found in heads.values() for node in found}
    relations = {
        name: _relation(graph, name, frozenset(heads[name]), frozenset(tails[name]), starting)
        for name in heads
    }
    members: dict[str, set[str]] = defaultdict(set)
    for head, name, tail in graph.facts:
        if fold(name) == TYPE:
            members[graph.name(tail) or tail].add(head)
    return Outline(graph, relations, {name: frozenset(found) for name, found in members.items()})


def _relation(
    graph: Graph, name: str, heads: frozenset[str], tails: frozenset[str], starting: set[str]
) -> Relation:
    read = Counter[str]()
    for tail in tails:
        text = graph.name(tail)
        value = None if text is None else read_value(text)
        read["unnamed"] += text is None
        read["onward"] += tail in starting
        read["number"] += value is not None and value.number is not None
        read["date"] += value is not None and value.start is not None and not (text or "").isdigit()
    share = {what: count / len(tails) for what, count in read.items()}
    ids, onward = share["unnamed"] >= _MOSTLY, share["onward"] >= 1 - _MOSTLY
    plain = not (ids or onward)
    return Relation(
        name, heads, tails, ids, onward,
        plain and share["number"] >= _MOSTLY, plain and share["date"] >= _MOSTLY,
    )  # fmt: skip


def read_graph(folder: Path) -> Graph:
    """The facts of what ``tuqa export`` wrote to ``folder``; tables are left out."""
    manifest = from_json((folder / NAME).read_text(encoding="utf-8"))
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
    # In whatever order they lie in the database: what is drawn of them by a seed is to be the same.
    return Graph(tuple(sorted(facts)), names, plain)
