"""Reads a question over a graph: links, the facts around them, proposals, ranking, and the gate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice, permutations

from ..deadline import Workload, count_each, count_steps
from .graph_account import GraphAccount, find_names_left_out, leaves_out_class
from .graph_equivalents import EquivalentHops, confirm_equivalents
from .graph_features import extract_graph_features
from .graph_kinds import NodeKinds, find_kinds
from .graph_links import (
    GraphLinks,
    NameLink,
    is_common_noun,
    is_said_twice,
    link_graph,
    link_partial_names,
)
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
    extend_paths,
    find_further_words,
    is_surely_said,
    is_together,
    names_class,
    propose_members,
    propose_pairs,
    propose_paths,
    propose_typed,
)
from .graph_time_proposals import propose_time_readings, states_time
from .graph_view import GraphView, Hop, Neighbourhood, RelationProfile
from .question import PlainQuestion
from .question_links import select_graph_links
from .ranker import RankerWeights, answer_key, load_weights, rank
from .reading import MAX_RANKED, ParsedQuestion, QuestionReading, write_words
from .relation_forms import find_equivalents
from .row_plans import PlanFailure
from .word_account import WeighedReading

MAX_READINGS = 800
MAX_STEPS = 1_500_000  # a few seconds
_FIRST_RING, _SECOND_RING = 400, 60  # facts of a node, relation and direction
_EQUIVALENT_FACTS = 500  # of each relation that may mean the same as another
_TIMED_RING = 6_000  # where the question states a time, or an order of times
_MAX_START_NODES, _MAX_RING_NODES, _NODES_OF_HOP = 80, 600, 40
_HUB_RELATIONS = 60
_EXPANDED_HOPS = 14  # of a name
_SELECTED_HEADS = 40  # of a large relation whose facts are read


def parse_for_graph(
    question: PlainQuestion,
    view: GraphView,
    source: str | None = None,
    weights: RankerWeights | None = None,
) -> ParsedQuestion:
    """Read a question over a graph.

    Raises:
        QuestionTooLong: it has too many names and conditions.
        TimedOut, Cancelled
    """
    weights = weights or load_weights("graph")
    size = f"{len(question.words):,} words over {len(view.relations):,} relations"
    with Workload(size, MAX_STEPS).applied():
        links, hood = link_neighbourhood(question, view)
        readings = tuple(
            _describe(links, entry, weights, source)
            for entry in rank_for_graph(links, hood, view.relations, weights)
        )
    return ParsedQuestion(readings, select_graph_links(links, hood))


def rank_for_graph(
    links: GraphLinks,
    hood: Neighbourhood,
    relations: Mapping[str, RelationProfile],
    weights: RankerWeights,
) -> Iterator[WeighedReading[GraphReading]]:
    """Yield the best readings, the most probable first, and those that cannot be meant last."""
    scored = [
        (weighed, weighed.features, answer_key(weighed.reading.members))
        for weighed in weigh_graph_readings(links, hood, relations)
    ]
    ranked = rank(scored, weights)[:MAX_RANKED]
    for entry in sorted(ranked, key=lambda entry: bool(entry.reading.explanation.refusal)):
        reading, explanation, _ = entry.reading
        evidence = {**entry.evidence, **explanation.evidence}
        if explanation.unexplained:
            evidence["lead, words left out"] = entry.lead
        yield WeighedReading(reading, explanation, evidence)


def weigh_graph_readings(
    links: GraphLinks, hood: Neighbourhood, relations: Mapping[str, RelationProfile]
) -> Iterator[WeighedReading[GraphReading]]:
    """Yield every reading with what the ranker weighs: its features, and what it leaves out.

    If some readings use all names, or lead to the class that is asked for, only those.
    """
    readings = count_each(propose_graph_readings(links, hood), 500)
    accounts = [GraphAccount(links, reading) for reading in readings]
    named = [a for a in accounts if links.question.names.isdisjoint(a.unexplained)]
    of_class = [a for a in named or accounts if not leaves_out_class(links, a.unexplained)]
    for account in count_each(of_class or named or accounts, 500):
        explanation = account.explain()
        features = extract_graph_features(account, explanation, relations)
        yield WeighedReading(account.reading, explanation, features)


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
    links.acts = hood.list_events(hood.edges)
    return links, hood


def _find_equivalents(links: GraphLinks, view: GraphView) -> Mapping[Hop, tuple[Hop, ...]]:
    """Find the relations of entities that mean the same as one that the question says."""
    entities = (n for n, p in view.relations.items() if 2 * (p.numbers + p.dates) <= p.facts)
    hops = find_equivalents(tuple(entities))
    said = {
        name: None
        for hop, others in hops.items()
        if links.match(hop.relation).own
        for name in (hop.relation, *(other.relation for other in others))
    }
    if not said:
        return {}
    groups, _ = view.read_relations([*said], _EQUIVALENT_FACTS)
    return confirm_equivalents(hops, groups)


def _read_linked(links: GraphLinks, view: GraphView, hood: Neighbourhood) -> None:
    linked = dict.fromkeys(node for link in links.names for node in link.nodes)
    start = [node for node in linked if node not in hood.edges]
    hood.names.update((node, link.name) for link in links.names for node in link.nodes)
    if start:
        names = sorted(view.relations, key=lambda name: -_relation_strength(links, name))
        sought = [name for name in names[:_HUB_RELATIONS] if _relation_strength(links, name) > 0]
        limit = _TIMED_RING if states_time(links.question) else _FIRST_RING
        hood.add(*view.read_edges(start[:_MAX_START_NODES], sought, limit))
        links.acts = hood.list_events(start)


def _read_rings(links: GraphLinks, view: GraphView, hood: Neighbourhood) -> None:
    ring = islice(_second_ring(links, hood), _MAX_RING_NODES)
    nodes = [node for node in dict.fromkeys(ring) if node not in hood.edges]
    if nodes:
        hood.add(*view.read_edges(nodes, (), _SECOND_RING))
    nodes = [*islice(dict.fromkeys(_third_ring(links, view, hood)), _MAX_RING_NODES)]
    if nodes:
        hood.add(*view.read_edges(nodes, (), _SECOND_RING))
    equivalents = _find_equivalents(links, view)
    links.equivalents = EquivalentHops(equivalents, hood.whole.keys())
    relations = choose_open_relations(links, view.relations)
    if relations:
        named = {hop.relation: [o.relation for o in others] for hop, others in equivalents.items()}
        relations = [*dict.fromkeys(r for name in relations for r in (name, *named.get(name, ())))]
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


def _third_ring(links: GraphLinks, view: GraphView, hood: Neighbourhood) -> Iterator[int]:
    """Yield nodes two hops from the names, where words say both hops, and others a third relation."""
    said = [
        name
        for name in view.relations
        if is_surely_said(links, name) and (links.has_clause or name not in links.acts)
    ]
    for link in links.names if len(said) > 1 else ():
        for first in count_each(hood.hops(link.nodes), 5):
            if not links.strength(first, link):
                continue
            ends = hood.follow(link.nodes, first)
            is_back = is_together(links, first) or is_said_twice(
                links, first.relation, link.positions
            )
            for second in count_each(hood.hops(ends), len(said)):
                hops = (first, second)
                is_said = is_back if second == first.inverse else links.strength(second, link)
                if is_said and any(find_further_words(links, link, hops, name) for name in said):
                    yield from (n for n in hood.follow(ends, second) if n not in hood.edges)


def propose_graph_readings(links: GraphLinks, hood: Neighbourhood) -> list[GraphReading]:
    """Return the readings of the question that have an answer, at most ``MAX_READINGS``."""
    names = [link for link in links.names if not link.is_plural or _may_be_plural(hood, link)]
    links = replace(links, names=tuple(names))
    kinds = find_kinds(links, hood, (link for link in names if names_class(hood, link)))
    paths = {link: propose_paths(links, hood, link, kinds) for link in links.names}
    typed = propose_typed(hood, paths)
    longer = {link: extend_paths(links, hood, entries) for link, entries in paths.items()}
    every = {link: [*entries, *typed.get(link, ())] for link, entries in paths.items()}
    count_steps(len(links.names) ** 2)
    pairs = [pair for pair in permutations(links.names, 2) if not pair[0].overlaps(pair[1])]
    proposed = chain(
        propose_time_readings(links, hood, pairs, paths),
        propose_pairs(links, hood, paths, typed),
        propose_open_readings(links, hood, every),
        propose_members(links, hood, paths, kinds),
        propose_members(links, hood, typed, kinds),
        propose_members(links, hood, longer, kinds),
    )
    evaluated = _evaluate(list(count_each(proposed, 20)), hood, kinds, links.equivalents)
    return list(islice(evaluated, MAX_READINGS))


def _may_be_plural(hood: Neighbourhood, link: NameLink) -> bool:
    """True for the plural of a class, and of a common noun: *tarn otters*."""
    return names_class(hood, link) or is_common_noun(link.name)


def _evaluate(
    readings: Iterable[GraphReading],
    hood: Neighbourhood,
    kinds: NodeKinds,
    equivalents: EquivalentHops,
) -> Iterator[GraphReading]:
    for reading in count_each(readings, 100):
        plan, widened = reading.plan, equivalents.widen(reading.plan, hood)
        try:
            members = widened.evaluate(hood)
        except PlanFailure:
            continue
        if members:
            reading = replace(reading, members=members, plan=widened)
            if equivalents.leaves_out(widened):
                reading = replace(reading, leaves_facts_out=True)
            if kinds and isinstance(plan, MemberNames | MemberCount | MemberTotal):
                reading = _add_kinds(hood, reading, plan, kinds)
            yield reading


def _add_kinds(
    hood: Neighbourhood,
    reading: GraphReading,
    plan: MemberNames | MemberCount | MemberTotal,
    kinds: NodeKinds,
) -> GraphReading:
    """Add the nouns that name the members, and those for what is counted, or led to them."""
    source, positions = plan.source, reading.positions
    if isinstance(plan, MemberTotal):
        positions |= kinds.match(source.nodes(hood), hood)
        return replace(reading, positions=positions)
    named = kinds.match(source.nodes(hood), hood) & kinds.asked
    if isinstance(source, FrequentMembers) and source.source is None:
        positions |= kinds.match(source.starts(hood), hood)
    elif isinstance(source, Follow) and not isinstance(source.source, NamedNodes):
        positions |= kinds.match(source.source.nodes(hood), hood) - kinds.asked
    return replace(reading, kinds=named, positions=positions)


def _describe(
    links: GraphLinks,
    entry: WeighedReading[GraphReading],
    weights: RankerWeights,
    source: str | None,
) -> QuestionReading:
    question = links.question
    unexplained = entry.explanation.unexplained
    light = {p for p in unexplained if question.words[p] in question.lexicon.light_verbs}
    return QuestionReading(
        write_graph_query(entry.reading.plan),
        weights.calibrate(entry.features),
        source,
        entry.reading.members,
        write_words(question, unexplained),
        entry.explanation.refusal,
        write_words(question, find_names_left_out(links, unexplained)),
        left_out=write_words(question, unexplained - question.fillers - light),
    )
