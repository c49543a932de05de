"""Tells by the facts of nodes whether a noun of the question names them: *ships* have a ship type.

Many graphs have no classes. A noun then names what a relation leads to (*port* and ``homePort``), what has
a type of this noun (*ship* and ``shipType``), or what the lexicon says has a relation (*film* and
``director``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .graph_links import GraphLinks, RelationMatch
from .graph_view import Hop, Neighbourhood

_MIN_STRENGTH = 0.75
_SAMPLE = 20  # nodes


def find_kind_positions(match: RelationMatch) -> frozenset[int]:
    """Return the positions of nouns for what has the relation."""
    named = (p for p, strength in match.domain.items() if strength >= _MIN_STRENGTH)
    return match.bearers | frozenset(named)


def find_kind_hops(links: GraphLinks, hood: Neighbourhood) -> dict[int, frozenset[Hop]]:
    """Return the hops by which nodes are of the kind that a word names, by the position of the word."""
    nouns, words = links.question.content, links.question.words
    kinds: dict[int, set[Hop]] = {}
    hops = {hop for by_hop in hood.edges.values() for hop in by_hop} if nouns else set[Hop]()
    for hop in hops:
        match = links.match(hop.relation)
        if hop.forward:
            positions = find_kind_positions(match)
        else:
            # In *the directors of films*, the noun is a step to the films, and no kind of the answer.
            positions = frozenset(
                p
                for p, strength in match.own.items()
                if strength >= _MIN_STRENGTH and words[p + 1 : p + 2] != ("of",)
            )
        for position in positions & nouns:
            kinds.setdefault(position, set()).add(hop)
    return {position: frozenset(hops) for position, hops in kinds.items()}


def match_kinds(
    kinds: Mapping[int, frozenset[Hop]], nodes: Iterable[int], hood: Neighbourhood
) -> frozenset[int]:
    """Return the positions of nouns that name most of ``nodes``, as far as their facts were read."""
    sample = [hood.edges[node].keys() for node in [*nodes][:_SAMPLE] if node in hood.edges]
    return frozenset(
        position
        for position, hops in kinds.items()
        if 2 * sum(not hops.isdisjoint(own) for own in sample) > len(sample)
    )
