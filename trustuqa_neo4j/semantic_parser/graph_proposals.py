"""Proposes typed plans for a question over a graph: paths from its names along facts that exist.

An operator is proposed only where a cue stands in the question. ``graph_time_proposals`` has the plans over
valid times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, pairwise, product

from ..deadline import count_each
from ..language.functions import SUMMARIES
from ..lexicon.forms import stem
from ..lexicon.lexicon import EXTREMES as CUES_OF_EXTREMES
from ..lexicon.lexicon import UPPER_EXTREMES, Cue
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..matching import split_words
from ..values import read_value
from .comparison_phrases import find_bounds, find_comparisons, is_range
from .graph_kinds import NodeKinds
from .graph_links import (
    SURE_STRENGTH,
    WRITTEN,
    GraphLinks,
    NameLink,
    asked_kind,
    is_said_twice,
    is_type_relation,
)
from .graph_plans import (
    BoundedMembers,
    ComparedNames,
    ComparedTimes,
    ComparisonTruth,
    EitherMembers,
    ExtremeMembers,
    Follow,
    GraphPlan,
    Intersection,
    MemberCount,
    MemberNames,
    Membership,
    MemberTotal,
    NamedNodes,
    NodePlan,
    Without,
)
from .graph_roles import is_symmetric, leads_to_parents
from .graph_view import Hop, Neighbourhood
from .question import PlainQuestion
from .row_plans import Denoted

MAX_HOPS, MAX_PATHS = 60, 70  # of one name
_MARGIN = 0.01  # by which one word says a relation more surely than another
_MAX_FIRST_HOPS, _MAX_COMBINED, _MAX_OPERATED, _MAX_EXTENDED = 25, 8, 10, 8
EXTREMES = {
    extreme: "highest" if extreme in UPPER_EXTREMES else "lowest" for extreme in CUES_OF_EXTREMES
}


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A plan that selects entities, with the names and hops that it is made of.

    ``positions`` are further words that it explains.
    """

    plan: NodePlan
    links: tuple[NameLink, ...]
    hops: tuple[Hop, ...]
    operators: tuple[str, ...]
    strength: float
    positions: frozenset[int] = frozenset()

    @property
    def selects_class(self) -> bool:
        return bool({"class", "of class"} & {*self.operators})


@dataclass(frozen=True, slots=True)
class GraphReading:
    """A plan with what of the question it explains, and its answer.

    ``hops`` lead from the first link to the answer, those from ``second_way`` on from another link.
    ``cues`` are the operators of the lexicon that the plan uses, ``positions`` further words that it
    explains, ``kinds`` nouns that name the members. ``leaves_facts_out`` is true if other relations of the
    same meaning may have further facts.
    """

    plan: GraphPlan
    links: tuple[NameLink, ...]
    hops: tuple[Hop, ...]
    operators: tuple[str, ...]
    cues: frozenset[str] = frozenset()
    positions: frozenset[int] = frozenset()
    members: tuple[Denoted, ...] = ()
    kinds: frozenset[int] = frozenset()
    second_way: int = 0
    leaves_facts_out: bool = False

    @property
    def selects_class(self) -> bool:
        return "of class" in self.operators


def named_nodes(link: NameLink) -> NamedNodes:
    return NamedNodes(link.name, link.nodes)


def is_class_hop(hop: Hop) -> bool:
    """True for the way from a class to its members."""
    return not hop.forward and is_type_relation(hop.relation)


def names_class(hood: Neighbourhood, link: NameLink) -> bool:
    return any(map(is_class_hop, hood.hops(link.nodes)))


def propose_paths(
    links: GraphLinks, hood: Neighbourhood, link: NameLink, kinds: NodeKinds
) -> list[GraphPath]:
    """Return paths of one and two hops from a name, those with most matched words first."""
    start = named_nodes(link)
    paths: list[GraphPath] = []
    counts = hood.hops(link.nodes)
    order = sorted(
        (hop for hop in counts if hop.relation not in links.lesser_acts),
        key=lambda hop: (-links.strength(hop, link), -counts[hop]),
    )
    for place, hop in enumerate(order[:MAX_HOPS]):
        ends = hood.follow(link.nodes, hop)
        strength = links.strength(hop, link)
        step = Follow(start, hop)
        if hood.is_named(ends):
            operator = "class" if is_class_hop(hop) else "one hop"
            is_symmetric_pair = hop.inverse in counts and is_symmetric(
                links.question.lexicon, hop.relation
            )
            plan = EitherMembers(step, Follow(start, hop.inverse)) if is_symmetric_pair else step
            paths.append(GraphPath(plan, (link,), (hop,), (operator,), strength))
            if place < _MAX_FIRST_HOPS:
                paths += _second_hops(links, hood, link, step, ends, kinds)
        else:
            paths += _hops_through_unnamed(links, hood, link, step, ends)
    paths.sort(key=lambda path: -path.strength)
    return [
        replace(path, plan=links.equivalents.widen(path.plan, hood)) for path in paths[:MAX_PATHS]
    ]


def extend_paths(
    links: GraphLinks, hood: Neighbourhood, paths: Sequence[GraphPath]
) -> list[GraphPath]:
    """Return the ways on from two hops that are said: *who wrote the films that share actors with Alien*."""
    said = [p for p in paths if len(p.hops) == 2 and _are_said_apart(links, *p.hops, p.links[0])]
    longer = [
        further for path in said[:_MAX_EXTENDED] for further in _extend_path(links, hood, path)
    ]
    return sorted(longer, key=lambda path: -path.strength)[:MAX_PATHS]


def _extend_path(links: GraphLinks, hood: Neighbourhood, path: GraphPath) -> Iterator[GraphPath]:
    ends = path.plan.nodes(hood)
    for hop in count_each(hood.hops(ends), len(ends)):
        positions = find_further_words(links, path.links[0], path.hops, hop.relation)
        if positions and hood.is_named(hood.follow(ends, hop)):
            own = links.match(hop.relation).own
            strength = path.strength + max(own[position] for position in positions)
            hops, operators = (*path.hops, hop), (*path.operators, "third hop")
            plan = Follow(path.plan, hop)
            yield replace(path, plan=plan, hops=hops, operators=operators, strength=strength)


def _are_said_apart(links: GraphLinks, first: Hop, second: Hop, link: NameLink) -> bool:
    """True if words surely say both hops: one word may say both only if another says one of them."""
    words, others = (find_sure_words(links, hop.relation, (link,)) for hop in (first, second))
    return bool(words and others) and (first.relation == second.relation or len(words | others) > 1)


def is_surely_said(links: GraphLinks, relation: str, named: Iterable[NameLink] = ()) -> bool:
    """True if a word that is in none of the names ``named`` has a relation's own word."""
    return bool(find_sure_words(links, relation, named))


def find_sure_words(
    links: GraphLinks, relation: str, named: Iterable[NameLink] = ()
) -> frozenset[int]:
    """Return the positions of words, in none of the names ``named``, that are a relation's own."""
    positions, own = collect_positions(named), links.match(relation).own
    return frozenset(p for p, strength in own.items() if p not in positions and strength >= WRITTEN)


def find_further_words(
    links: GraphLinks, link: NameLink, hops: Sequence[Hop], relation: str
) -> frozenset[int]:
    """Return the positions of words that surely say ``relation``, and none of the relations of ``hops``."""
    ways = [links.match(hop.relation).own for hop in hops]
    if relation in (hop.relation for hop in hops):
        return frozenset()
    return frozenset(
        p
        for p, strength in links.match(relation).own.items()
        if strength >= WRITTEN
        and p not in link.positions
        and all(strength > own.get(p, 0.0) for own in ways)
    )


def _second_hops(
    links: GraphLinks,
    hood: Neighbourhood,
    link: NameLink,
    step: Follow,
    ends: tuple[int, ...],
    kinds: NodeKinds,
) -> Iterator[GraphPath]:
    start, first = named_nodes(link), step.hop
    first_strength = links.strength(first, link)
    siblings = _find_siblings(links, first)
    is_mirror_cued = bool(siblings) or is_together(links, first)
    # *the mentor of Ann's mentor* goes on, *films by the director of Alien* go back.
    is_said_back = first not in hood.hops(ends) and is_said_twice(
        links, first.relation, link.positions
    )
    for second in hood.hops(ends):
        strength = links.strength(second, link)
        if second == first.inverse:
            if is_mirror_cued and (first_strength or siblings or _is_shared(links, first)):
                others = Without(Follow(step, second), start)
                strength = max(first_strength, float(bool(siblings)))
                hops = (first, second)
                yield GraphPath(others, (link,), hops, ("mirror",), strength, siblings)
            elif is_said_back:
                back = Follow(step, second)
                yield GraphPath(back, (link,), (first, second), ("two hops",), 2 * first_strength)
            continue
        are_acts = {first.relation, second.relation} <= links.acts and not links.has_clause
        if are_acts and not _are_said_apart(links, first, second, link):
            continue  # *who signed an agreement with Ann* is one event
        plan = Follow(step, second)
        members = plan.nodes(hood)
        is_said = strength or links.match(second.relation).fits_question_word(second.forward)
        # In *in which valley does Ann live*, Ann lives in a village, and this lies in a valley.
        if is_said or (first_strength and kinds.asked & kinds.match(members, hood)):
            total = first_strength + strength
            if hood.is_named(members):
                yield GraphPath(plan, (link,), (first, second), ("two hops",), total)


def _find_siblings(links: GraphLinks, hop: Hop) -> frozenset[int]:
    """Return the positions of *siblings* if the hop leads to the parents that they share."""
    question = links.question
    positions = frozenset(p for p, w in enumerate(question.words) if w in question.lexicon.siblings)
    is_way = positions and leads_to_parents(question.lexicon, hop)
    return positions if is_way else frozenset()


def is_together(links: GraphLinks, hop: Hop) -> bool:
    """*who shares a flat with Ann*; in *who holds shares*, the word says the relation.

    So does *with* if a relation is called *studied with*. In *films that share actors*, the word
    after it says what they share.
    """
    match, words = links.match(hop.relation), links.question.words
    own = match.own
    cues = [
        cue
        for cue in links.question.cues
        if cue.operator == "together" and words[cue.first : cue.last] != (match.preposition,)
    ]
    after = {p for cue in cues for p in links.question.content if p >= cue.last}
    shared = min(after, default=-1)
    is_other = links.says_other(
        shared, hop.relation, max(SURE_STRENGTH, own.get(shared, 0.0) + _MARGIN)
    )
    return not is_other and any(not cue.positions <= own.keys() for cue in cues)


def _is_shared(links: GraphLinks, hop: Hop) -> bool:
    """*in the same building*: the preposition of the relation stands before *the same*."""
    preposition = links.match(hop.relation).preposition
    return bool(preposition) and bool(links.question.find_phrase(preposition, "the", "same"))


def _hops_through_unnamed(
    links: GraphLinks, hood: Neighbourhood, link: NameLink, step: Follow, ends: tuple[int, ...]
) -> Iterator[GraphPath]:
    """Yield the paths through nodes that join the parts of one event, such as a marriage."""
    unnamed = [node for node in ends if hood.names.get(node) is None]
    first_strength = links.strength(step.hop, link)
    for second in hood.hops(unnamed):
        if second == step.hop.inverse:
            continue
        plan = Follow(step, second)
        members = plan.nodes(hood)
        if hood.is_named(members) and not set(members) <= set(link.nodes):
            strength = max(first_strength, links.strength(second, link))
            hops = (step.hop, second)
            yield GraphPath(plan, (link,), hops, ("through unnamed",), strength)


def propose_members(
    links: GraphLinks,
    hood: Neighbourhood,
    paths: dict[NameLink, list[GraphPath]],
    kinds: NodeKinds,
) -> Iterator[GraphReading]:
    question = links.question
    for link, link_paths in paths.items():
        for path in link_paths:
            yield _read(path, MemberNames(path.plan))
        best = [path for path in link_paths if path.strength or path.selects_class]
        direct = [path for path in link_paths if len(path.hops) == 1]
        # *how many people have been chancellor*, *which starter is the cheapest*
        if len(direct) == 1 and (not best or link.positions <= question.head):
            best = [*best, *(path for path in direct if path not in best)]
        # *how many ships does the line have*
        best += [
            path
            for path in direct
            if path not in best
            and (
                kinds.asked & kinds.match(path.plan.nodes(hood), hood)
                or (asked_kind(question) == "who" and _fits_question_word(links, path))
            )
        ]
        for path in best[:_MAX_OPERATED]:
            if question.has_cue("count") and not _is_number(hood, path):
                yield _read(path, MemberCount(path.plan), "count")
            yield from propose_extremes(links, hood, path)
            yield from propose_bounds(links, hood, path)
            yield from propose_totals(links, hood, path)


def _fits_question_word(links: GraphLinks, path: GraphPath) -> bool:
    hop = path.hops[-1]
    return links.match(hop.relation).fits_question_word(hop.forward)


def _is_number(hood: Neighbourhood, path: GraphPath) -> bool:
    """True for one number, which is the answer: *number of pages*."""
    texts = hood.texts(path.plan.nodes(hood))
    value = read_value(texts[0]) if len(texts) == 1 else None
    return value is not None and value.number is not None


def propose_totals(
    links: GraphLinks, hood: Neighbourhood, path: GraphPath, relation: str | None = None
) -> Iterator[GraphReading]:
    """*the average price of drugs*, *how many beds in all*: of what is said, or of ``relation``."""
    functions = [name for name in SUMMARIES if links.question.has_cue(name)]
    members = path.plan.nodes(hood) if functions else ()
    for hop in hood.hops(members):
        is_said = hop.forward and links.match(hop.relation).own
        if not is_said or relation not in (None, hop.relation):
            continue
        hops = (*path.hops, hop) if relation is None else (hop,)
        for function in functions:
            yield GraphReading(
                MemberTotal(path.plan, hop.relation, function), path.links, hops,
                (*path.operators, function), frozenset((function, "count")),
            )  # fmt: skip


def _read(path: GraphPath, plan: GraphPlan, *cues: str) -> GraphReading:
    operators = (*path.operators, *cues)
    used = frozenset(cues) | ({"together"} if "mirror" in operators else set())
    return GraphReading(plan, path.links, path.hops, operators, used, path.positions)


def propose_extremes(
    links: GraphLinks, hood: Neighbourhood, path: GraphPath, relation: str | None = None
) -> Iterator[GraphReading]:
    """*the oldest of …*: the members with the highest or lowest value of a relation, or of ``relation``."""
    cues = [cue for cue in links.question.cues if cue.operator in EXTREMES]
    if not cues:
        return
    members = path.plan.nodes(hood)
    if len(members) < 2:
        return
    for hop in _measures(links, hood, path, members):
        if relation in (None, hop.relation):
            fitting = (c.operator for c in cues if fits_extreme(links.question, c, hop.relation))
            for cue in dict.fromkeys(fitting):
                plan = MemberNames(ExtremeMembers(path.plan, hop.relation, EXTREMES[cue]))
                yield GraphReading(
                    plan, path.links, path.hops, (*path.operators, "extreme"), frozenset((cue,)),
                    _hop_positions(links, hop, path.links),
                )  # fmt: skip


def _measures(
    links: GraphLinks, hood: Neighbourhood, path: GraphPath, members: tuple[int, ...]
) -> Iterator[Hop]:
    """Yield the relations of the members that words outside the names say."""
    linked = collect_positions(path.links[:1])
    for hop in hood.hops(members):
        match = links.match(hop.relation)
        if hop.forward and (match.strength(linked) or match.context_strength(linked)):
            yield hop


def propose_bounds(
    links: GraphLinks, hood: Neighbourhood, path: GraphPath, relation: str | None = None
) -> Iterator[GraphReading]:
    """Yield the members with a number or date beyond a bound.

    *universities founded after 1900*, *towers lower than the Old Light*.
    """
    named = collect_positions(path.links)
    bounds = [bound for bound in _find_bounds(links) if not bound.positions & named]
    if not bounds:
        return
    members = path.plan.nodes(hood)
    for hop in _measures(links, hood, path, members):
        if relation not in (None, hop.relation):
            continue
        for bound in bounds:
            if bound.cue is not None and not fits_extreme(links.question, bound.cue, hop.relation):
                continue
            plan = BoundedMembers(path.plan, hop.relation, bound.operator, bound.value, bound.upper)
            explained = bound.positions | _hop_positions(links, hop, path.links)
            for cue, answer in (("", MemberNames(plan)), ("count", MemberCount(plan))):
                if not cue or links.question.has_cue(cue):
                    cues = frozenset((cue, *bound.cues)) - {""}
                    kind = "bounded" if bound.cue is None else "bounded by name"
                    operators = (*path.operators, kind, *((cue,) if cue else ()))
                    names = (*path.links, *bound.names)
                    yield GraphReading(answer, names, path.hops, operators, cues, explained)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A number of the question, or the number of a name, with the words that say it."""

    value: str | NamedNodes
    operator: str
    positions: frozenset[int]
    names: tuple[NameLink, ...] = ()
    cue: Cue | None = None
    upper: str | None = None

    @property
    def cues(self) -> tuple[str, ...]:
        return () if self.cue is None else (self.cue.operator, "more_than", "less_than")


def _find_bounds(links: GraphLinks) -> Iterator[_Bound]:
    question = links.question
    for number in question.numbers:
        if not (number.is_ordinal or number.is_month):
            for operator, positions in find_bounds(question, number):
                yield _Bound(number.text, operator, positions | number.positions)
    for first, last in pairwise(question.numbers):
        if is_range(question, first, last):
            positions = frozenset(range(first.first - 1, last.last))
            yield _Bound(first.text, ">=", positions, upper=last.text)
    for phrase in find_comparisons(question):
        for link in links.names:
            if links.find_word_before(link) == phrase.last - 1:
                cue = Cue(phrase.extreme, phrase.word, phrase.word + 1)
                positions = phrase.positions | link.positions
                yield _Bound(named_nodes(link), phrase.operator, positions, (link,), cue)


def propose_typed(
    hood: Neighbourhood, paths: dict[NameLink, list[GraphPath]]
) -> dict[NameLink, list[GraphPath]]:
    """Return the paths whose members are of a class that the question names, by their name.

    *museums in Sankt Ivo* do not say the relation: it is taken if it is the only one with such members.
    """
    typed: dict[NameLink, list[GraphPath]] = {}
    classes = [path for entries in paths.values() for path in entries if "class" in path.operators]
    for members in classes:
        for link, entries in paths.items():
            if link.overlaps(members.links[0]):
                continue
            selected = [
                GraphPath(plan, (link, *members.links), path.hops,
                          (*path.operators, "of class"), path.strength)
                for path in entries[:MAX_HOPS]
                if "class" not in path.operators
                for plan in (Intersection(path.plan, members.plan),)
                if plan.nodes(hood)
            ]  # fmt: skip
            matched = [path for path in selected if path.strength]
            unsaid = [path for path in selected if not path.strength and len(path.hops) == 1]
            typed.setdefault(link, []).extend([*matched, *(unsaid if len(unsaid) == 1 else ())])
    return typed


def fits_extreme(question: PlainQuestion, cue: Cue, relation: str) -> bool:
    """*oldest* is the earliest founding, and the highest age."""
    dimension = question.lexicon.dimensions.get(question.words[cue.first])
    extremes = dimension.extremes if dimension else {}
    words = {*split_words(relation), *map(stem, split_words(relation))}
    is_measured = any(words & measured for measured in extremes.values())
    return not is_measured or bool(words & extremes.get(cue.operator, frozenset()))


def _hop_positions(links: GraphLinks, hop: Hop, names: tuple[NameLink, ...]) -> frozenset[int]:
    linked = collect_positions(names)
    return frozenset(links.match(hop.relation).own) - linked


def propose_pairs(
    links: GraphLinks,
    hood: Neighbourhood,
    paths: dict[NameLink, list[GraphPath]],
    typed: dict[NameLink, list[GraphPath]],
) -> Iterator[GraphReading]:
    """Yield readings of two names: what both lead to, yes or no, and the larger of two."""
    question = links.question
    for first, second in combinations(links.names, 2):
        if first.overlaps(second):
            continue
        yield from _intersect_paths(links, hood, paths[first], paths[second])
        yield from _join_common(links, hood, first, second)
        if question.has_cue("and"):
            yield from _list_both(links, hood, first, second)
        if question.kind in WORDS.grammar.auxiliaries:
            yield from _propose_memberships(links, hood, first, second)
            if not question.has_cue("or"):
                yield from _compare_names(links, hood, first, second, is_truth=True)
        if question.has_cue("or"):
            yield from _compare_times(links, hood, first, second)
            for by_link in (paths, typed):
                yield from _unite_paths(hood, by_link.get(first, ()), by_link.get(second, ()))
            yield from _compare_names(links, hood, first, second)


def _intersect_paths(
    links: GraphLinks,
    hood: Neighbourhood,
    first_paths: list[GraphPath],
    second_paths: list[GraphPath],
) -> Iterator[GraphReading]:
    """*stops on both Line 2 and Line 7*: what the same hops lead to from both, if they lead to anything."""
    pairs = [
        (first, second)
        for first, second in product(first_paths[:_MAX_COMBINED], second_paths[:_MAX_COMBINED])
        if (first.strength and second.strength) or first.hops == second.hops
        if "mirror" not in first.operators
        if Intersection(first.plan, second.plan).nodes(hood)
    ]
    alike = [
        (first, second)
        for first, second in pairs
        if first.hops == second.hops and len(first.hops) == 1
        if is_surely_said(links, first.hops[0].relation, first.links)
    ]
    is_one_step = alike and _are_coordinated(links.question, *alike[0])
    for first, second in alike if is_one_step else pairs:
        common = Intersection(first.plan, second.plan)
        members = GraphReading(
            MemberNames(common),
            (*first.links, *second.links),
            (*first.hops, *second.hops),
            ("both",),
            frozenset(("and", "together")),
            second_way=len(first.hops),
        )
        yield members
        if links.question.has_cue("count"):
            yield replace(
                members,
                plan=MemberCount(common),
                operators=("both", "count"),
                cues=members.cues | {"count"},
            )


def _are_coordinated(question: PlainQuestion, first: GraphPath, second: GraphPath) -> bool:
    """True if only *and* stands between the two names."""
    between = question.words[first.links[-1].last : second.links[0].first]
    return between == ("and",)


def _join_common(
    links: GraphLinks, hood: Neighbourhood, first: NameLink, second: NameLink
) -> Iterator[GraphReading]:
    """*what do A and B have in common*: what any relation leads to from both."""
    positions = _find_common(links.question)
    if not positions:
        return
    shared: list[NodePlan] = []
    hops = sorted(hop for hop in hood.hops(first.nodes) if hop in hood.hops(second.nodes))
    for hop in hops:
        plan = Intersection(Follow(named_nodes(first), hop), Follow(named_nodes(second), hop))
        if hood.is_named(plan.nodes(hood)):
            shared.append(plan)
    if 0 < len(shared) <= _MAX_COMBINED:
        names = MemberNames(reduce(EitherMembers, shared))
        cues = frozenset(("and", "together"))
        yield GraphReading(names, (first, second), (), ("common",), cues, positions)


def _find_common(question: PlainQuestion) -> frozenset[int]:
    """Return the positions of *in common* after *have*, where no other noun is asked for."""
    positions = question.find_phrase("in", "common")
    is_of_verb = positions and {"have", "has"} & {*question.words[: min(positions)]}
    return positions if is_of_verb and not question.asked_noun else frozenset()


def _list_both(
    links: GraphLinks, hood: Neighbourhood, first: NameLink, second: NameLink
) -> Iterator[GraphReading]:
    """*where were A and B born*: what one relation leads to from each, if they lead to nothing together.

    *who is taught by both A and B* asks for what they have together.
    """
    question = links.question
    if question.kind not in WORDS.grammar.nounless_question_words or question.find_phrase("both"):
        return
    for hop in hood.hops(first.nodes):
        if not (hop.forward and links.strength(hop, first)):
            continue
        steps = (Follow(named_nodes(name), hop) for name in (first, second))
        plans = [links.equivalents.widen(step, hood) for step in steps]
        members = [set(plan.nodes(hood)) for plan in plans]
        if all(members) and members[0].isdisjoint(members[1]):
            names = MemberNames(EitherMembers(*plans))
            yield GraphReading(names, (first, second), (hop,), ("each",), frozenset(("and",)))


def _unite_paths(
    hood: Neighbourhood, first_paths: Sequence[GraphPath], second_paths: Sequence[GraphPath]
) -> Iterator[GraphReading]:
    """*films directed by A or B*: what the same hops lead to from either name."""
    seconds = {path.hops: path for path in second_paths[:_MAX_COMBINED]}
    for first in first_paths[:_MAX_COMBINED]:
        second = seconds.get(first.hops)
        if second is None or not first.strength or "mirror" in first.operators:
            continue
        plan, links = EitherMembers(first.plan, second.plan), (*first.links, *second.links)
        yield GraphReading(MemberNames(plan), links, first.hops, ("either",), frozenset(("or",)))
        if len(plan.nodes(hood)) > 1:
            count = (MemberCount(plan), links, first.hops, ("either", "count"))
            yield GraphReading(*count, frozenset(("or", "count")))


def _propose_memberships(
    links: GraphLinks, hood: Neighbourhood, first: NameLink, second: NameLink
) -> Iterator[GraphReading]:
    for subject, target in ((first, second), (second, first)):
        for hop in hood.hops(subject.nodes):
            if not hop.forward:
                continue
            is_fact = not set(hood.follow(subject.nodes, hop)).isdisjoint(target.nodes)
            is_said = links.strength(hop, subject) or links.has_preposition(hop.relation, target)
            if is_fact or is_said or is_type_relation(hop.relation):
                plan = Membership(Follow(named_nodes(subject), hop), named_nodes(target))
                yield GraphReading(plan, (subject, target), (hop,), ("truth",))


def _compare_names(
    links: GraphLinks,
    hood: Neighbourhood,
    first: NameLink,
    second: NameLink,
    *,
    is_truth: bool = False,
) -> Iterator[GraphReading]:
    """*which is longer, A or B*; with ``is_truth``, *is A longer than B*."""
    if is_truth and first.first > second.first:
        first, second = second, first
    names = (named_nodes(first), named_nodes(second))
    linked = first.positions | second.positions
    shared = [h for h in hood.hops(first.nodes) if h.forward and hood.follow(second.nodes, h)]
    dates = [hop for hop in shared if _is_dated(hood, first, hop)]
    for hop in shared:
        match = links.match(hop.relation)
        # *which came out first* says no relation, if the things have one date.
        if not (match.strength(linked) or match.context_strength(linked) or dates == [hop]):
            continue
        compared = set[str]()
        for cue in links.question.cues:
            operator = _comparison_operator(links.question, cue, hop.relation)
            if operator is not None and operator not in compared:
                compared.add(operator)
                comparison = ComparedNames(*names, hop.relation, operator)
                plan = ComparisonTruth(comparison) if is_truth else comparison
                cues = frozenset((cue.operator,) if is_truth else ("or", cue.operator))
                yield GraphReading(
                    plan, (first, second), (hop,), ("truth" if is_truth else "compare",), cues,
                    cue.positions | _than_positions(links.question, cue),
                )  # fmt: skip


def _is_dated(hood: Neighbourhood, link: NameLink, hop: Hop) -> bool:
    values = map(read_value, hood.texts(hood.follow(link.nodes, hop)))
    return any(value is not None and value.start is not None for value in values)


def _compare_times(
    links: GraphLinks, hood: Neighbourhood, first: NameLink, second: NameLink
) -> Iterator[GraphReading]:
    """*who ran the club longer, A or B*, *who came to power earlier*: by the times of one fact of each."""
    question = links.question
    linked = first.positions | second.positions
    cues = [cue for cue in question.cues if cue.operator in EXTREMES]
    targets = [link for link in links.names if not (link.overlaps(first) or link.overlaps(second))]
    for hop in hood.hops(first.nodes):
        if not links.match(hop.relation).strength(linked):
            continue
        for target in (*targets, None):
            ends = None if target is None else named_nodes(target)
            names = (first, second) if target is None else (first, second, target)
            for cue in cues:
                is_length = question.words[cue.first] in _LONGER
                plan = ComparedTimes(
                    named_nodes(first), named_nodes(second), hop, ends,
                    "duration" if is_length else "start time",
                    ">" if EXTREMES[cue.operator] == "highest" else "<",
                )  # fmt: skip
                used = frozenset(("or", cue.operator))
                yield GraphReading(plan, names, (hop,), ("compare times",), used, cue.positions)


_LONGER = WORDS.times.longer
_ORDERS = {"next": ">", "previous": "<"}  # *was A built before B*


def _comparison_operator(question: PlainQuestion, cue: Cue, relation: str) -> str | None:
    if cue.operator in EXTREMES and fits_extreme(question, cue, relation):
        return ">" if EXTREMES[cue.operator] == "highest" else "<"
    return _ORDERS.get(cue.operator)


def _than_positions(question: PlainQuestion, cue: Cue) -> frozenset[int]:
    return frozenset(p for p, word in enumerate(question.words) if word == "than" and p >= cue.last)
