"""Proposes plans that begin with all facts of a relation: *the oldest ship*, *ships without a captain*.

The relation is one that words of the question say. It is no column of a table of the dataset, since the query
would ask rows too. ``graph_proposals`` has the plans that begin with a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, pairwise, permutations

from ..language.functions import SUMMARIES
from ..lexicon.lexicon import BOUND_OPERATORS
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from .comparison_phrases import find_bounds, find_comparisons, find_frequencies, is_range
from .graph_kinds import find_kind_positions
from .graph_links import GraphLinks, NameLink, is_type_relation
from .graph_plans import (
    BoundedMembers,
    ExtremeMembers,
    Follow,
    FrequentMembers,
    HeadsOf,
    MemberCount,
    MemberNames,
    NodePlan,
    RepeatedMembers,
    TailsOf,
    Without,
)
from .graph_proposals import (
    EXTREMES,
    GraphPath,
    GraphReading,
    fits_extreme,
    named_nodes,
    propose_bounds,
    propose_extremes,
    propose_totals,
)
from .graph_quantity_proposals import (
    counts_members,
    find_asked_classes,
    find_indefinites,
    propose_quantities,
)
from .graph_view import Hop, Neighbourhood, RelationProfile, ValueSelection
from .graph_voice import find_voice_of_hop

MAX_FACTS = 3_000  # of a relation that is read as a whole
MAX_RELATIONS = 8
MAX_EXTREMES = 200  # facts that are read for an extreme of a larger relation
_MAX_LARGE, _MAX_SELECTIONS = 2, 3
_CUES = (*EXTREMES, "frequent", "not", *SUMMARIES)
_MAX_PATHS = 6
_PRONOUNS = WORDS.grammar.references


def choose_open_relations(links: GraphLinks, relations: Mapping[str, RelationProfile]) -> list[str]:
    """Return the relations that the question may mean as a whole, best matched first."""
    if not (asks_of_all(links) or not links.names):
        return []
    # *keepers* can name a class, and the relation *keptBy*.
    linked = collect_positions(link for link in links.names if not link.is_plural)
    strengths = {
        name: _match_strength(links, name, linked)
        for name, profile in relations.items()
        if profile.facts <= MAX_FACTS and not profile.is_column
    }
    named = [name for name, strength in strengths.items() if strength > 0]
    return sorted(named, key=lambda name: (-strengths[name], name))[:MAX_RELATIONS]


def choose_selections(
    links: GraphLinks, relations: Mapping[str, RelationProfile]
) -> list[ValueSelection]:
    """Return what the question may ask of the values of relations that are too large to be read."""
    question = links.question
    linked = collect_positions(links.names) - _bound_positions(links)
    strengths = {
        name: links.match(name).strength(linked)
        for name, profile in relations.items()
        if profile.facts > MAX_FACTS
        and 2 * (profile.numbers + profile.dates) > profile.facts
        and not profile.is_column
    }
    named = sorted(
        (name for name, value in strengths.items() if value), key=lambda n: -strengths[n]
    )
    selections: list[ValueSelection] = []
    extremes = [cue for cue in question.cues if cue.operator in EXTREMES]
    for name in named[:_MAX_LARGE]:
        fitting = (EXTREMES[cue.operator] for cue in extremes if fits_extreme(question, cue, name))
        selections += [ValueSelection(name, extreme) for extreme in dict.fromkeys(fitting)]
        selections += [
            ValueSelection(name, operator, number.text)
            for number in question.numbers
            for operator, _ in find_bounds(question, number)
        ]
    return selections[:_MAX_SELECTIONS]


def _bound_positions(links: GraphLinks) -> frozenset[int]:
    numbers = (n for n in links.question.numbers if any(find_bounds(links.question, n)))
    return collect_positions(numbers)


def asks_of_all(links: GraphLinks) -> bool:
    """True if the question ranks, compares or excludes things that it may not name."""
    question = links.question
    return (
        any(map(question.has_cue, _CUES))
        or counts_members(question)
        or any(find_bounds(question, number) for number in question.numbers)
        or any(find_comparisons(question))
        or any(is_range(question, *pair) for pair in pairwise(question.numbers))
    )


def _match_strength(links: GraphLinks, relation: str, linked: frozenset[int]) -> float:
    match = links.match(relation)
    kinds = find_kind_positions(match) - linked
    return match.strength(linked) + match.context_strength(linked) + 0.5 * bool(kinds)


def propose_open_readings(
    links: GraphLinks, hood: Neighbourhood, paths: Mapping[NameLink, list[GraphPath]]
) -> Iterator[GraphReading]:
    question = links.question
    yield from _propose_selected(links, hood)
    for relation in hood.whole:
        if links.match(relation).own:
            path = _open_path(HeadsOf(relation))
            yield from propose_totals(links, hood, path, relation)
            for reading in _propose_values(links, hood, path, relation):
                yield reading
                yield from _follow_members(links, hood, reading)
    if question.has_cue("frequent"):
        yield from _propose_frequent(links, hood, paths)
    yield from _propose_repeated(links, paths)
    kinds = list(_propose_kinds(links, hood))
    for kind in kinds:
        yield _read(kind, MemberNames(kind.plan))
        if question.has_cue("count"):
            yield _read(kind, MemberCount(kind.plan), "count")
    classes = [path for entries in paths.values() for path in entries if path.selects_class]
    whole = [path for path in classes if path.operators == ("class",)]
    yield from propose_quantities(links, hood, whole)
    yield from _propose_class_readings(links, hood, whole)
    if question.has_cue("not"):
        named = list(_named_before(links, paths))
        yield from _propose_exclusions(links, hood, [*kinds, *classes, *named], paths)
        yield from _propose_pair_exclusions(links, hood, paths)


def _propose_selected(links: GraphLinks, hood: Neighbourhood) -> Iterator[GraphReading]:
    for selection in hood.selected:
        path = _open_path(HeadsOf(selection.relation, selection))
        for reading in _propose_values(links, hood, path, selection.relation):
            plan = reading.plan
            if isinstance(plan, MemberNames | MemberCount) and selection == _find_selection(plan):
                yield reading


def _find_selection(plan: MemberNames | MemberCount) -> ValueSelection | None:
    source = plan.source
    if isinstance(source, BoundedMembers) and isinstance(source.bound, str):
        return ValueSelection(source.relation, source.operator, source.bound)
    if isinstance(source, ExtremeMembers):
        return ValueSelection(source.relation, source.extreme)
    return None


def _open_path(heads: HeadsOf, *operators: str) -> GraphPath:
    hops = (Hop(heads.relation, False),)
    return GraphPath(heads, (), hops, ("open", *operators), 1.0)


def _propose_values(
    links: GraphLinks, hood: Neighbourhood, path: GraphPath, relation: str
) -> Iterator[GraphReading]:
    yield from propose_extremes(links, hood, path, relation)
    yield from propose_bounds(links, hood, path, relation)


def _read(path: GraphPath, plan: MemberNames | MemberCount, *cues: str) -> GraphReading:
    operators = (*path.operators, *cues)
    return GraphReading(plan, path.links, path.hops, operators, frozenset(cues))


def _follow_members(
    links: GraphLinks, hood: Neighbourhood, reading: GraphReading
) -> Iterator[GraphReading]:
    """*in which year was the shortest ship built*: what another relation says of the members."""
    if not isinstance(reading.plan, MemberNames):
        return
    source, first = reading.plan.source, reading.hops[0]
    typed = _typed_positions(links, hood)
    for relation in hood.whole:
        words = links.match(relation).own.keys()
        own = words - reading.positions - typed - links.question.fillers
        if relation != first.relation and own:
            hop = Hop(relation, True)
            yield GraphReading(
                MemberNames(Follow(source, hop)), (), (first, hop),
                (*reading.operators, "then"), reading.cues, reading.positions,
            )  # fmt: skip


def _propose_frequent(
    links: GraphLinks, hood: Neighbourhood, paths: Mapping[NameLink, list[GraphPath]]
) -> Iterator[GraphReading]:
    """*which ship visits the most ports*, *which club won the league most often*."""
    cues = frozenset(("frequent", "highest"))
    counted = _counted_nouns(links)
    for relation in hood.whole:
        if links.match(relation).own:
            for forward in (False, True):
                hop = Hop(relation, forward)
                names = MemberNames(FrequentMembers(None, hop))
                yield GraphReading(names, (), (hop,), ("open", "frequent"), cues, counted)
    for link, entries in paths.items():
        for path in _one_hop_paths(entries):
            plan = MemberNames(FrequentMembers(named_nodes(link), path.hops[0]))
            yield GraphReading(plan, path.links, path.hops, (*path.operators, "frequent"), cues)


def _propose_repeated(
    links: GraphLinks, paths: Mapping[NameLink, list[GraphPath]]
) -> Iterator[GraphReading]:
    """*who was mayor of Oslo more than once*."""
    bounds = frozenset(BOUND_OPERATORS)
    for operator, number, positions in find_frequencies(links.question):
        for link, entries in paths.items():
            for path in _one_hop_paths(entries):
                ends = FrequentMembers(named_nodes(link), path.hops[0])
                plan = MemberNames(RepeatedMembers(ends, operator, number, is_of_times=True))
                operators = (*path.operators, "repeated")
                yield GraphReading(plan, path.links, path.hops, operators, bounds, positions)


def _counted_nouns(links: GraphLinks) -> frozenset[int]:
    """Return the positions right after *the most*, of nouns that no relation has: *the most ports*."""
    ends = {cue.last for cue in links.question.cues if cue.operator == "frequent"}
    return (links.question.content & ends) - links.relation_positions


def _one_hop_paths(paths: list[GraphPath]) -> Iterator[GraphPath]:
    direct = (path for path in paths if len(path.hops) == 1 and path.strength)
    yield from islice(direct, _MAX_PATHS)


def _propose_kinds(links: GraphLinks, hood: Neighbourhood) -> Iterator[GraphPath]:
    """*ships* have a ship type, *ports* are what the relation *home port* leads to."""
    nouns = links.nouns
    typed = _typed_positions(links, hood)
    bearing: list[str] = []
    for relation in hood.whole:
        match = links.match(relation)
        if nouns & find_kind_positions(match):
            bearing.append(relation)
        elif any(match.own.get(p, 0) >= 0.99 for p in nouns - typed):
            hop = Hop(relation, True)
            yield GraphPath(TailsOf(relation), (), (hop,), ("open", "kind"), 1.0)
    # Of several relations that missions have, the one that most have lists them.
    bearing.sort(key=lambda relation: (not is_type_relation(relation), -len(hood.whole[relation])))
    for relation in bearing[:1]:
        yield _open_path(HeadsOf(relation), "kind")


def _typed_positions(links: GraphLinks, hood: Neighbourhood) -> frozenset[int]:
    """Return the positions of nouns for what has a type."""
    matches = (links.match(relation) for relation in hood.whole if is_type_relation(relation))
    return frozenset[int]().union(*map(find_kind_positions, matches))


def _named_before(
    links: GraphLinks, paths: Mapping[NameLink, list[GraphPath]]
) -> Iterator[GraphPath]:
    """Yield the paths from names before *not*: *presenters of the show who never won a prize*."""
    place = _find_negation(links)
    for link, entries in paths.items():
        if link.last <= place:
            yield from (path for path in _one_hop_paths(entries) if not path.selects_class)


def _find_negation(links: GraphLinks) -> int:
    """Return the position of the first *not* of a question that has one."""
    return min(cue.first for cue in links.question.cues if cue.operator == "not")


def _propose_exclusions(
    links: GraphLinks,
    hood: Neighbourhood,
    kinds: list[GraphPath],
    paths: Mapping[NameLink, list[GraphPath]],
) -> Iterator[GraphReading]:
    """*ships without a captain*, *tankers that do not carry oil*, *clubs that never won the cup*."""
    ends = [*_find_ends(links, hood)]
    for kind in kinds:
        members = frozenset(kind.plan.nodes(hood))
        said = links.match(kind.hops[0].relation).own
        for hop, excluded in ends:
            own = links.match(hop.relation).own
            # In *which clerks did Ann not hire*, one word does not say two relations.
            is_other = hop.relation != kind.hops[0].relation and own.keys() != said.keys()
            if is_other and not members.isdisjoint(excluded.nodes(hood)):
                yield _exclude(kind, excluded, (hop,), ())
        for link, entries in paths.items():
            if not any(link.overlaps(class_link) for class_link in kind.links):
                for path in _excluded_paths(hood, entries, members):
                    if find_voice_of_hop(links, link, path.hops[0]) is not False:
                        yield _exclude(kind, path.plan, path.hops, path.links)


def _find_ends(links: GraphLinks, hood: Neighbourhood) -> Iterator[tuple[Hop, NodePlan]]:
    """Yield the heads and the tails of relations that are said; those of one end in *manages nobody*."""
    phrases = [*find_indefinites(links.question)]
    ends: tuple[tuple[bool, type[HeadsOf | TailsOf]], ...] = ((False, HeadsOf), (True, TailsOf))
    for relation in hood.whole:
        if links.match(relation).own:
            for forward, kind in ends:
                hop = Hop(relation, forward)
                if all(find_voice_of_hop(links, phrase, hop) is not False for phrase in phrases):
                    yield hop, kind(relation)


def _excluded_paths(
    hood: Neighbourhood, entries: list[GraphPath], members: frozenset[int]
) -> list[GraphPath]:
    """Return the paths that say a relation; for *towns without a castle*, the only one to such members."""
    named = list(_one_hop_paths(entries))
    if named:
        return named
    unsaid = [
        path
        for path in entries
        if path.operators == ("one hop",) and not members.isdisjoint(path.plan.nodes(hood))
    ]
    return unsaid if len(unsaid) == 1 else []


def _propose_pair_exclusions(
    links: GraphLinks, hood: Neighbourhood, paths: Mapping[NameLink, list[GraphPath]]
) -> Iterator[GraphReading]:
    """*devices from Ann that are not used in Rome*: some of them are used there."""
    place = _find_negation(links)
    before = [path for link in paths if link.last <= place for path in _one_hop_paths(paths[link])]
    after = [path for link in paths if link.first > place for path in _one_hop_paths(paths[link])]
    for path in before:
        members = frozenset(path.plan.nodes(hood))
        for excluded in after:
            if not members.isdisjoint(excluded.plan.nodes(hood)):
                yield _exclude(path, excluded.plan, excluded.hops, excluded.links)
        if _PRONOUNS & {
            *links.question.words[place:]
        }:  # *worked on the film but did not direct it*
            for excluded in _one_hop_paths(paths[path.links[0]]):
                if excluded.hops != path.hops and not members.isdisjoint(excluded.plan.nodes(hood)):
                    yield _exclude(path, excluded.plan, excluded.hops, ())


def _propose_class_readings(
    links: GraphLinks, hood: Neighbourhood, classes: list[GraphPath]
) -> Iterator[GraphReading]:
    """*which island has no lighthouse*, *which island has the most lighthouses*: by facts of two classes."""
    question = links.question
    is_excluded, is_frequent = question.has_cue("not"), question.has_cue("frequent")
    if not (is_excluded or is_frequent):
        return
    asked_classes = find_asked_classes(question, classes)
    for asked, other in permutations(classes, 2):
        if asked not in asked_classes or asked.links == other.links:
            continue
        members = other.plan.nodes(hood)
        ends = frozenset(asked.plan.nodes(hood))
        hops = [
            hop
            for hop in hood.hops(members)
            if ends & frozenset(hood.follow(members, hop))
            and hop != other.hops[0].inverse
            and find_voice_of_hop(links, other.links[0], hop) is not False
        ]
        if not all(node in hood.edges for node in members):
            continue
        for hop in hops:
            if is_excluded:
                yield _exclude(asked, Follow(other.plan, hop), (hop,), other.links)
            if is_frequent:
                yield GraphReading(
                    MemberNames(FrequentMembers(other.plan, hop)), (*asked.links, *other.links),
                    (hop,), ("class", "frequent"), frozenset(("frequent", "highest")),
                )  # fmt: skip


def _exclude(
    kind: GraphPath, excluded: NodePlan, hops: tuple[Hop, ...], links: tuple[NameLink, ...]
) -> GraphReading:
    plan = MemberNames(Without(kind.plan, excluded))
    return GraphReading(
        plan, (*kind.links, *links), (*kind.hops, *hops), (*kind.operators, "without"),
        frozenset(("not",)),
    )  # fmt: skip
