"""Proposes plans over how many facts a member has: *who manages at least two people*.

The question names no other end of the facts: words such as *two people* stand in its place, and grammar says
by them which end is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import BOUND_OPERATORS
from ..lexicon.words import WORDS
from .comparison_phrases import find_counts
from .graph_links import PREPOSITIONS, GraphLinks, NameLink
from .graph_plans import (
    FrequentMembers,
    Intersection,
    MemberCount,
    MemberNames,
    NodePlan,
    RepeatedMembers,
)
from .graph_proposals import GraphPath, GraphReading
from .graph_view import Hop, Neighbourhood, split_own_name
from .graph_voice import find_voice_of_hop
from .question import PlainQuestion

_INDEFINITES = [tuple(phrase.split()) for phrase in sorted(WORDS.grammar.indefinites)]


def counts_members(question: PlainQuestion) -> bool:
    """True if a number of the question may count what facts a member has."""
    return any(_find_numbers(question))


def propose_quantities(
    links: GraphLinks, hood: Neighbourhood, classes: Sequence[GraphPath]
) -> Iterator[GraphReading]:
    """*companies that supply exactly two companies*, *officers who report to at least two clerks*."""
    asked = find_asked_classes(links.question, classes)
    for operator, number, phrase in _find_numbers(links.question):
        counted = [p for p in classes if p.links[0].first == phrase.last - 1 and p not in asked]
        sources: list[GraphPath | None] = [*counted] or [None]
        for hop in _find_asked_hops(links, hood, phrase):
            for source in sources:
                ends = FrequentMembers(source.plan if source else None, hop)
                repeated = RepeatedMembers(ends, operator, number)
                used = [source] if source else []
                if not asked:
                    yield from _read(links, repeated, hop, used, phrase)
                for members in asked:
                    plan = Intersection(members.plan, repeated)
                    yield from _read(links, plan, hop, [members, *used], phrase)


def find_asked_classes(question: PlainQuestion, classes: Sequence[GraphPath]) -> list[GraphPath]:
    """Return the paths to members of the first class that the question asks for."""
    asked = [path for path in classes if path.links[0].positions & question.head]
    first = min((path.links[0].first for path in asked), default=0)
    return [path for path in asked if path.links[0].first == first]


def _find_numbers(question: PlainQuestion) -> Iterator[tuple[str, int, NameLink]]:
    """Yield the operator, the number and the words of *at least two people*."""
    for number in question.numbers:
        value = number.value.number
        is_count = value is not None and value.is_integer() and not number.is_ordinal
        if is_count and number.value.unit is None and number.last in question.content:
            for operator, positions in find_counts(question, number):
                first = min(positions | number.positions)
                yield operator, int(value or 0), _make_phrase(first, number.last + 1)


def find_indefinites(question: PlainQuestion) -> Iterator[NameLink]:
    """Yield *nobody* and *anyone*, which stand where a name could stand."""
    for phrase in _INDEFINITES:
        for first in range(len(question.words)):
            if question.words[first : first + len(phrase)] == phrase:
                yield _make_phrase(first, first + len(phrase))


def _make_phrase(first: int, last: int) -> NameLink:
    """Make words without nodes that stand where a name could stand."""
    return NameLink(first, last, "", (), "phrase", 1.0)


def _find_asked_hops(links: GraphLinks, hood: Neighbourhood, phrase: NameLink) -> Iterator[Hop]:
    """Yield the hops from what stands in place of the phrase to what is asked for.

    Where two relations may be meant, such as *coach of* and *coached by*, neither has all the facts.
    """
    said = [relation for relation in hood.whole if links.match(relation).own]
    for relation in said if len(said) == 1 else ():
        if any(_are_alike(relation, other) for other in links.relations if other != relation):
            continue
        for forward in (False, True):
            hop = Hop(relation, forward)
            if find_voice_of_hop(links, phrase, hop):
                yield hop


def _are_alike(first: str, second: str) -> bool:
    """True for *manages* and *manager of*."""
    words = [{*map(stem, split_own_name(name))} - PREPOSITIONS for name in (first, second)]
    return any(stem_similarity(a, b) for a in words[0] for b in words[1])


def _read(
    links: GraphLinks,
    plan: NodePlan,
    hop: Hop,
    paths: Sequence[GraphPath],
    phrase: NameLink,
) -> Iterator[GraphReading]:
    names = tuple(link for path in paths for link in path.links)
    hops = (*(hop for path in paths for hop in path.hops), hop)
    operators = ("class" if paths else "open", "repeated")
    cues = frozenset(BOUND_OPERATORS)
    for cue, answer in (("", MemberNames(plan)), ("count", MemberCount(plan))):
        if not cue or links.question.has_cue(cue):
            used = cues | {cue} if cue else cues
            yield GraphReading(answer, names, hops, operators, used, phrase.positions)
