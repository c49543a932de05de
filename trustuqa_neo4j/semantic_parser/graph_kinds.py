"""Tells by the facts of nodes whether a noun of the question names them: *ships* have a ship type.

A noun may name a class of the data. Many graphs have no classes. A noun then names what a relation leads to
(*port* and ``homePort``), what has a type of this noun (*ship* and ``shipType``), or what the lexicon says
has a relation (*film* and ``director``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .graph_links import GraphLinks, NameLink, RelationMatch, is_type_relation, names_head
from .graph_view import Hop, Neighbourhood

_MIN_STRENGTH = 0.75
_SAMPLE = 20  # nodes


def find_kind_positions(match: RelationMatch) -> frozenset[int]:
    """Return the positions of nouns for what has the relation."""
    named = (p for p, strength in match.domain.items() if strength >= _MIN_STRENGTH)
    return match.bearers | frozenset(named)


@dataclass(frozen=True, slots=True)
class NodeKinds:
    """The nodes and classes that nouns of the question name: nodes have one of ``hops``, by position.

    ``asked`` are the positions of the noun that is asked for.
    """

    hops: Mapping[int, frozenset[Hop]]
    classes: tuple[NameLink, ...]
    asked: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.hops or self.classes)

    def match(self, nodes: Iterable[int], hood: Neighbourhood) -> frozenset[int]:
        """Return the positions of nouns that name most of ``nodes``, and of classes of all of them.

        As far as their facts were read.
        """
        sample = [node for node in [*nodes][:_SAMPLE] if node in hood.edges]
        if not sample:
            return frozenset()
        own = [hood.edges[node].keys() for node in sample]
        matched = {
            position
            for position, hops in self.hops.items()
            if 2 * sum(not hops.isdisjoint(of_node) for of_node in own) > len(own)
        }
        for link in self.classes:
            if all(_has_class(hood, node, link.nodes) for node in sample):
                matched |= link.positions
        return frozenset(matched)


def _has_class(hood: Neighbourhood, node: int, classes: Collection[int]) -> bool:
    return any(
        edge.node in classes
        for hop, edges in hood.edges[node].items()
        if hop.forward and is_type_relation(hop.relation)
        for edge in edges
    )


def find_kinds(
    links: GraphLinks, hood: Neighbourhood, classes: Iterable[NameLink] = ()
) -> NodeKinds:
    """Find what the nouns of the question name; ``classes`` are the linked names of classes."""
    named = tuple(classes)
    question = links.question
    asked = links.nouns.union(*(link.positions & question.head for link in named))
    return NodeKinds(_find_kind_hops(links, hood), named, asked)


def _find_kind_hops(links: GraphLinks, hood: Neighbourhood) -> dict[int, frozenset[Hop]]:
    """Return the hops by which nodes are of the kind that a word names, by the position of the word."""
    nouns, words = links.question.content, links.question.words
    kinds: dict[int, set[Hop]] = {}
    hops = {hop for by_hop in hood.edges.values() for hop in by_hop} if nouns else set[Hop]()
    for hop in hops:
        match = links.match(hop.relation)
        positions = find_kind_positions(match) if hop.forward else frozenset[int]()
        if hop.forward == names_head(hop.relation):
            # In *the directors of films*, the noun is a step to the films, and no kind of the answer.
            positions |= {
                p
                for p, strength in match.own.items()
                if strength >= _MIN_STRENGTH and words[p + 1 : p + 2] != ("of",)
            }
        for position in positions & nouns:
            kinds.setdefault(position, set()).add(hop)
    return {position: frozenset(hops) for position, hops in kinds.items()}
