"""The part of a graph that a question is about: facts around its names, read ring by ring.

``GraphView`` reads it, from the database or from memory. Proposals are evaluated over the facts read, so a
question costs a few statements, however many readings it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, TypeAlias

from ..matching import split_words

Members: TypeAlias = "tuple[int, ...]"

_SAMPLE = 5  # facts of a node and hop that say whether they hold one day


@dataclass(frozen=True, slots=True)
class RelationProfile:
    """A relation of the catalog: its facts, how many tails are numbers or dates, and how many have a time.

    ``is_column`` is true if a table of the dataset has a column of this name.
    """

    name: str
    facts: int
    numbers: int = 0
    dates: int = 0
    held: int = 0
    is_column: bool = False


class NodeName(NamedTuple):
    """A node that ``text`` names; ``name`` is the name in the data."""

    text: str
    tier: Literal["name", "alias", "similar"]
    node: int
    name: str
    score: float = 1.0


class Edge(NamedTuple):
    """The other end of a fact, with the valid time of the fact."""

    node: int
    start: int | None = None
    end: int | None = None
    start_text: str | None = None
    end_text: str | None = None


class EdgeGroup(NamedTuple):
    """Facts of a node by one relation: ``forward`` from the node; not all of them if ``is_partial``."""

    node: int
    forward: bool
    relation: str
    is_partial: bool
    edges: Sequence[Edge]


class ValueSelection(NamedTuple):
    """The facts of a relation with the highest or the lowest value, or with those beyond a bound."""

    relation: str
    operator: str  # highest, lowest, <, <=, > or >=
    bound: str = ""

    @property
    def is_upper(self) -> bool:
        return self.operator == "highest" or self.operator.startswith(">")


class GraphView(Protocol):
    """Reads a graph; ``latest`` is the last day in it."""

    @property
    def relations(self) -> Mapping[str, RelationProfile]: ...

    @property
    def latest(self) -> int: ...

    def find_names(self, texts: Sequence[str]) -> Sequence[NodeName]:
        """Find nodes whose folded name or alias is one of ``texts``."""
        ...

    def find_similar_names(self, text: str) -> Sequence[NodeName]:
        """Find nodes whose names have words of ``text`` or similar ones, most similar first."""
        ...

    def read_edges(
        self, nodes: Sequence[int], relations: Sequence[str], limit: int, /
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        """Return facts of nodes, and the names of their other ends; None for a node without a name.

        Where a node has very many facts, those of ``relations`` are read in any case.
        """
        ...

    def read_relations(
        self, relations: Sequence[str], limit: int, /
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        """Return the facts of relations, at most ``limit`` of each, by their heads and by their tails."""
        ...

    def read_values(
        self, selection: ValueSelection, limit: int, /
    ) -> tuple[Sequence[EdgeGroup], Mapping[int, str | None]]:
        """Return facts that a selection can mean, by their heads: from one end of the order of their values.

        With a bound, all facts beyond it are among them, if these are not more than ``limit``.
        """
        ...


class Hop(NamedTuple):
    """A relation in one direction."""

    relation: str
    forward: bool

    @property
    def inverse(self) -> Hop:
        return Hop(self.relation, not self.forward)


@lru_cache(maxsize=1 << 12)
def split_own_name(relation: str) -> tuple[str, ...]:
    """Return the words of the last part of a name: ``person``, ``spouse`` of ``marriage.person spouse``."""
    return tuple(split_words(relation.rpartition(".")[2]))


@dataclass
class Neighbourhood:
    """Facts around nodes, by node and hop."""

    latest: int = 0
    names: dict[int, str | None] = field(default_factory=dict)
    edges: dict[int, dict[Hop, Sequence[Edge]]] = field(default_factory=dict)
    partial: set[tuple[int, Hop]] = field(default_factory=set)
    whole: dict[str, Members] = field(default_factory=dict)
    """The heads of the relations that were read as a whole."""
    selected: dict[ValueSelection, Members] = field(default_factory=dict)
    """The heads of the facts that a selection of a larger relation can mean."""

    def add(self, groups: Iterable[EdgeGroup], names: Mapping[int, str | None]) -> None:
        self.names.update(names)
        for group in groups:
            hop = Hop(group.relation, group.forward)
            self.edges.setdefault(group.node, {})[hop] = group.edges
            if group.is_partial:
                self.partial.add((group.node, hop))

    def add_relations(
        self,
        relations: Iterable[str],
        groups: Sequence[EdgeGroup],
        names: Mapping[int, str | None],
    ) -> None:
        """Add all facts of ``relations``."""
        self.add(groups, names)
        for relation in relations:
            self.whole[relation] = tuple(
                group.node for group in groups if group.forward and group.relation == relation
            )

    def add_selection(
        self,
        selection: ValueSelection,
        groups: Sequence[EdgeGroup],
        names: Mapping[int, str | None],
    ) -> None:
        """Add the facts that a selection can mean."""
        self.names.update(names)
        hop = Hop(selection.relation, True)
        for group in groups:
            self.edges.setdefault(group.node, {}).setdefault(hop, group.edges)
        self.selected[selection] = tuple(group.node for group in groups)

    def hops(self, nodes: Iterable[int]) -> dict[Hop, int]:
        """Count the facts of ``nodes`` by hop."""
        counts: dict[Hop, int] = {}
        for node in nodes:
            for hop, edges in self.edges.get(node, {}).items():
                counts[hop] = counts.get(hop, 0) + len(edges)
        return counts

    def list_events(self, nodes: Iterable[int]) -> frozenset[str]:
        """Return the relations of ``nodes`` of which each fact holds one day."""
        lasting: dict[str, bool] = {}
        for node in nodes:
            for hop, edges in self.edges.get(node, _NO_EDGES).items():
                is_lasting = any(e.start is None or e.start != e.end for e in edges[:_SAMPLE])
                lasting[hop.relation] = lasting.get(hop.relation, False) or is_lasting
        return frozenset(relation for relation, is_lasting in lasting.items() if not is_lasting)

    def select(self, nodes: Iterable[int], hop: Hop) -> list[Edge]:
        return [edge for node in nodes for edge in self.edges.get(node, _NO_EDGES).get(hop, ())]

    def follow(self, nodes: Iterable[int], hop: Hop) -> Members:
        return tuple(dict.fromkeys(edge.node for edge in self.select(nodes, hop)))

    def is_named(self, nodes: Collection[int]) -> bool:
        return bool(nodes) and all(self.names.get(node) is not None for node in nodes)

    def texts(self, nodes: Iterable[int]) -> tuple[str, ...]:
        """Return the names of ``nodes`` without repetition."""
        names = (self.names.get(node) for node in nodes)
        return tuple(dict.fromkeys(name for name in names if name is not None))


_NO_EDGES: Mapping[Hop, Sequence[Edge]] = {}
