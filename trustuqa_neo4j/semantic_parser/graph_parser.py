"""Reads a question over a graph: links, the facts around them, proposals, ranking, and the gate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, permutations

from .graph_features import extract_graph_features
from .graph_gate import explained_positions, is_explained
from .graph_kinds import find_kind_hops, match_kinds
from .graph_links import GraphLinks, NameLink, link_graph, link_partial_names
from .graph_open_proposals import (
    MAX_EXTREMES,
    MAX_FACTS,
    choose_open_relations,
    choose_selections,
    propose_open_readings,
)
from .graph_plans import (
    Follow,
    FrequentMembers,
    MemberCount,
    MemberNames,
    MemberTotal,
    NamedNodes,
    write_graph_query,
)
from .graph_proposals import (
    GraphReading,
    names_class,
    propose_members,
    propose_pairs,
    propose_paths,
    propose_typed,
)
from .graph_time_proposals import propose_time_readings
from .graph_view import GraphView, Hop, Neighbourhood
from .plans import PlanFailure
from .question import PlainQuestion
from .question_links import select_graph_links
from .ranker import RankerWeights, answer_key, load_weights, rank
from .reading import MAX_RANKED, ParsedQuestion, QuestionReading, write_words

MAX_READINGS = 800
_FIRST_RING, _SECOND_RING = 400, 60  # facts of a node, relation and direction
_MAX_START_NODES, _MAX_RING_NODES, _NODES_OF_HOP = 80, 600, 40
_HUB_RELATIONS = 60
_EXPANDED_HOPS = 14  # of a name
_SELECTED_HEADS = 40  # of a large relation whose facts are read
_REFUSAL = "the words left out can ask for something else"


def parse_for_graph(
    question: PlainQuestion,
    view: GraphView,
    source: str | None = None,
    weights: RankerWeights | None = None,
) -> ParsedQuestion:
    links, hood = link_neighbourhood(question, view)
    scored = [
        (
            reading,
            extract_graph_features(links, reading, view.relations),
            answer_key(reading.members),
        )
        for reading in propose_graph_readings(links, hood)
    ]
    weights = weights or load_weights("graph")
    readings = (
        _describe(links, entry.reading, weights.calibrate(entry.evidence), source)
        for entry in rank(scored, weights)[:MAX_RANKED]
    )
    return ParsedQuestion(tuple(readings), select_graph_links(links, hood))


def link_neighbourhood(
    question: PlainQuestion, view: GraphView
) -> tuple[GraphLinks, Neighbourhood]:
    """Link the question, and read the facts of the linked nodes and of the nodes that they lead to.

    Names that are found beside the linked ones are added to the links.
    """
    links = link_graph(question, view)
    hood = Neighbourhood(view.latest)
    _read_linked(links, view, hood)
    partial = link_partial_names(links, hood)
    if partial:
        links = replace(links, names=(*links.names, *partial))
        _read_linked(links, view, hood)
    _read_rings(links, view, hood)
    return links, hood


def _read_linked(links: GraphLinks, view: GraphView, hood: Neighbourhood) -> None:
    linked = dict.fromkeys(node for link in links.names for node in link.nodes)
    start = [node for node in linked if node not in hood.edges]
    hood.names.update((node, link.name) for link in links.names for node in link.nodes)
    if start:
        names = sorted(view.relations, key=lambda name: -_relation_strength(links, name))
        sought = [name for name in names[:_HUB_RELATIONS] if _relation_strength(links, name) > 0]
        hood.add(*view.read_edges(start[:_MAX_START_NODES], sought, _FIRST_RING))


def _read_rings(links: GraphLinks, view: GraphView, hood: Neighbourhood) -> None:
    ring = islice(_second_ring(links, hood), _MAX_RING_NODES)
    nodes = [node for node in dict.fromkeys(ring) if node not in hood.edges]
    if nodes:
        hood.add(*view.read_edges(nodes, (), _SECOND_RING))
    relations = choose_open_relations(links, view.relations)
    if relations:
        hood.add_relations(relations, *view.read_relations(relations, MAX_FACTS))
    for selection in choose_selections(links, view.relations):
        limit = MAX_FACTS if selection.bound else MAX_EXTREMES
        groups, names = view.read_values(selection, limit + 1)
        if not selection.bound or sum(len(group.edges) for group in groups) <= limit:
            hood.add_selection(selection, groups, names)
            heads = [group.node for group in groups[:_SELECTED_HEADS]]
            hood.add(*view.read_edges(heads, (), _SECOND_RING))  # they say what the heads are


def _relation_strength(links: GraphLinks, name: str) -> float:
    match = links.match(name)
    return sum(match.own.values()) + 0.5 * sum(match.context.values())


def _second_ring(links: GraphLinks, hood: Neighbourhood) -> Iterator[int]:
    """Yield nodes one hop from the names: those without a name, and those by the best matched relations."""
    for link in links.names:
        counts = hood.hops(link.nodes)

        def order(hop: Hop, link: NameLink = link) -> tuple[bool, float, int]:
            ends = hood.follow(link.nodes, hop)
            return hood.is_named(ends[:3]), -links.strength(hop, link), len(ends)

        for hop in sorted(counts, key=order)[:_EXPANDED_HOPS]:
            yield from hood.follow(link.nodes, hop)[:_NODES_OF_HOP]


def propose_graph_readings(links: GraphLinks, hood: Neighbourhood) -> list[GraphReading]:
    """Return the readings of the question that have an answer, at most ``MAX_READINGS``."""
    names = [link for link in links.names if not link.is_plural or names_class(hood, link)]
    links = replace(links, names=tuple(names))
    paths = {link: propose_paths(links, hood, link) for link in links.names}
    typed = propose_typed(hood, paths)
    pairs = [pair for pair in permutations(links.names, 2) if not pair[0].overlaps(pair[1])]
    proposals = [
        *propose_time_readings(links, hood, pairs),
        *propose_pairs(links, hood, paths),
        *propose_open_readings(links, hood, paths | typed),
        *propose_members(links, hood, paths),
        *propose_members(links, hood, typed),
    ]
    return list(islice(_evaluate(links, proposals, hood), MAX_READINGS))


def _evaluate(
    links: GraphLinks, readings: Iterable[GraphReading], hood: Neighbourhood
) -> Iterator[GraphReading]:
    kind_hops = find_kind_hops(links, hood)
    for reading in readings:
        plan = reading.plan
        try:
            members = plan.evaluate(hood)
        except PlanFailure:
            continue
        if members:
            reading = replace(reading, members=members)
            if kind_hops and isinstance(plan, MemberNames | MemberCount | MemberTotal):
                reading = _add_kinds(links, hood, reading, plan, kind_hops)
            yield reading


def _add_kinds(
    links: GraphLinks,
    hood: Neighbourhood,
    reading: GraphReading,
    plan: MemberNames | MemberCount | MemberTotal,
    kind_hops: Mapping[int, frozenset[Hop]],
) -> GraphReading:
    """Add the nouns that name the members, and those for what is counted, or led to them."""
    source, positions = plan.source, reading.positions
    if isinstance(plan, MemberTotal):
        positions |= match_kinds(kind_hops, source.nodes(hood), hood)
        return replace(reading, positions=positions)
    kinds = match_kinds(kind_hops, source.nodes(hood), hood) & links.nouns
    if isinstance(source, FrequentMembers) and source.source is None:
        positions |= match_kinds(kind_hops, source.starts(hood), hood)
    elif isinstance(source, Follow) and not isinstance(source.source, NamedNodes):
        positions |= match_kinds(kind_hops, source.source.nodes(hood), hood) - links.nouns
    return replace(reading, kinds=kinds, positions=positions)


def _describe(
    links: GraphLinks, reading: GraphReading, probability: float, source: str | None
) -> QuestionReading:
    unexplained = links.question.content - explained_positions(links, reading)
    return QuestionReading(
        write_graph_query(reading.plan),
        probability,
        source,
        reading.members,
        write_words(links.question, unexplained),
        "" if is_explained(links, reading) else _REFUSAL,
    )
