"""The gate of readings of graphs: which words a reading explains, and whether it may be what is asked."""

from __future__ import annotations

from ..matching import split_words
from .graph_kinds import find_kind_positions
from .graph_links import PERSONS, GraphLinks, asked_kind, collect_positions
from .graph_plans import FactCount, FactDuration, FactTimes, MemberCount, Membership, MemberTotal
from .graph_proposals import EXTREMES, GraphReading, is_class_hop
from .graph_view import Hop
from .graph_voice import contradicts_voice
from .reading import NUMBER_KINDS, explains_enough, fits_question_word

MIN_PLAIN_EXPLAINED = 0.55  # of the content words that are no names and times
_COMPARATIVES = frozenset(("earlier", "later"))
_ORDER_CUES = frozenset((*EXTREMES, "first", "last", "frequent"))
MIN_STRENGTH, _SURE_STRENGTH = 0.35, 0.7


def explained_positions(links: GraphLinks, reading: GraphReading) -> frozenset[int]:
    """Return the positions of words that the reading uses."""
    question = links.question
    linked = linked_positions(reading)
    positions = set(linked | reading.positions | reading.kinds)
    if links.free_nouns and _leads_to_bearers(links, reading) and _says_relation(links, reading):
        positions |= links.free_nouns
    for hop in reading.hops:
        match = links.match(hop.relation)
        for matches in (match.own, match.context):
            positions.update(p for p, strength in matches.items() if strength >= MIN_STRENGTH)
        positions.update(find_kind_positions(match))
        if asked_kind(question) == "who" and match.fits_question_word(hop.forward):
            positions.update(p for p, word in enumerate(question.words) if word in PERSONS)
    for cue in question.cues:
        if cue.operator in reading.cues:
            positions |= cue.positions
    return frozenset(positions)


def _leads_to_bearers(links: GraphLinks, reading: GraphReading) -> bool:
    """True if the relation need not say what is asked for: its heads, or who did something.

    In *which hobbies has the crew of missions*, another noun names the heads.
    """
    if not reading.hops:
        return False
    last = reading.hops[-1]
    if find_kind_positions(links.match(last.relation)) - links.nouns:
        return False
    return not last.forward or split_words(last.relation)[-1:] == ["by"]


def _says_relation(links: GraphLinks, reading: GraphReading) -> bool:
    """True if words beside the noun that is asked for say the relation that leads to the answer."""
    if not reading.hops:
        return False
    match = links.match(reading.hops[-1].relation)
    sure = {p for p, strength in match.own.items() if strength >= _SURE_STRENGTH}
    return bool(sure - links.nouns - linked_positions(reading)) or (
        len(reading.hops) == 1 and has_preposition(links, reading)
    )


def is_explained(links: GraphLinks, reading: GraphReading) -> bool:
    """The gate: the reading explains every name, number and word of a relation, and most other words."""
    question = links.question
    explained = explained_positions(links, reading)
    unexplained = question.content - explained - question.fillers
    plain = question.content - linked_positions(reading) - reading.positions
    return (
        not unexplained & (question.names | links.relation_positions)
        and explains_enough(question, unexplained)
        and len(plain & unexplained) <= (1 - MIN_PLAIN_EXPLAINED) * len(plain)
        and question.decisive <= explained
        and not (question.asked_noun and question.asked_noun <= unexplained)
        and _uses_superlative(links, reading)
        and not contradicts_voice(links, reading)
        and _uses_mentions(links, reading)
        and _names_relations(links, reading)
        and _fits_question_word(links, reading)
    )


def _uses_superlative(links: GraphLinks, reading: GraphReading) -> bool:
    """*the tallest mountain* asks for one of them, though *tallest* also names the relation of heights."""
    words = links.question.words
    comparable = links.question.lexicon.dimensions.keys() | _COMPARATIVES
    compared = {
        cue.first
        for cue in links.question.cues
        if cue.operator in EXTREMES
        and words[cue.first] in comparable
        and words[cue.first].endswith(("est", "er"))
    }
    return bool(reading.cues & _ORDER_CUES) or compared <= reading.positions


def _uses_mentions(links: GraphLinks, reading: GraphReading) -> bool:
    """*films directed by the director of Alien* say a relation twice: one step by it is not enough."""
    if not {"one hop", "two hops"} & {*reading.operators}:
        return True
    relations = [hop.relation for hop in reading.hops]
    named = linked_positions(reading) | links.nouns
    for relation in relations:
        own = links.match(relation).own.items()
        mentions = sorted({p for p, strength in own if strength >= _SURE_STRENGTH} - named)
        is_repeated = len(mentions) > relations.count(relation)
        if is_repeated and mentions[-1] - mentions[0] > len(mentions):
            return False
    return True


def _fits_question_word(links: GraphLinks, reading: GraphReading) -> bool:
    if isinstance(reading.plan, FactTimes) and (
        links.question.kind in (*NUMBER_KINDS, "where", "who") or not reading.positions
    ):
        return False  # *how long*: the years of a period are no number; *where did they move*
    relations = [hop.relation for hop in reading.hops]
    last = reading.hops[-1] if reading.hops else None
    # *painted by* leads to who did it, never to a place or time.
    names_agent = last is not None and last.forward and split_words(last.relation)[-1:] == ["by"]
    asks_circumstance = links.question.kind in ("where", "when", "how many", "how much")
    is_path = not isinstance(
        reading.plan, FactTimes | FactDuration | FactCount | MemberCount | MemberTotal
    )
    if names_agent and asks_circumstance and is_path:
        return False
    return fits_question_word(links.question, reading.members, relations)


def _names_relations(links: GraphLinks, reading: GraphReading) -> bool:
    """A path needs one relation that is said; two names need none, if one fact joins them."""
    named = [_is_named(links, reading, hop) for hop in reading.hops]
    if "both" in reading.operators:
        return all(named)
    if "common" in reading.operators:
        return True
    if reading.kinds and len(reading.hops) == 1 and has_preposition(links, reading):
        return True
    if "two hops" in reading.operators and not named[0]:
        # The first step may be unsaid if a noun names what it leads to: *who directed the films of Ann*.
        return bool(reading.positions)
    return len(reading.links) > 1 or any(named)


def _is_named(links: GraphLinks, reading: GraphReading, hop: Hop) -> bool:
    """True if words of the question or its question word say the relation; a class says its own."""
    if is_class_hop(hop):
        return True
    match = links.match(hop.relation)
    words = frozenset(match.own) | frozenset(match.context) | match.bearers
    return bool(words - linked_positions(reading)) or match.fits_question_word(hop.forward)


def linked_positions(reading: GraphReading) -> frozenset[int]:
    return collect_positions(reading.links)


def has_preposition(links: GraphLinks, reading: GraphReading) -> bool:
    """True if the name of the reading stands after the preposition of the relation that leads to it."""
    if not reading.links or not reading.hops:
        return False
    name = reading.links[-1] if isinstance(reading.plan, Membership) else reading.links[0]
    leads_to_name = reading.hops[0].forward == isinstance(reading.plan, Membership)
    return leads_to_name and links.has_preposition(reading.hops[0].relation, name)
