"""Finds by grammar which end of a relation is asked for: *who trained Ann* is not *whom did Ann train*."""

from __future__ import annotations

from ..language.words import DO_FORMS, stem
from ..matching import split_words
from .graph_links import PREPOSITIONS, GraphLinks, NameLink
from .graph_plans import MemberCount, MemberNames
from .graph_proposals import GraphReading
from .graph_view import Hop

_AGENT_ENDINGS = ("er", "ers", "or", "ors")
_MIN_STRENGTH = 0.6


def find_voice(links: GraphLinks, reading: GraphReading) -> bool | None:
    """Return whether the first hop has the direction that the grammar asks for, None if it says nothing.

    A relation such as *trained by* or *trainer* leads to who acts, all others from there.
    """
    if not reading.links or not reading.hops or "mirror" in reading.operators:
        return None
    if not isinstance(reading.plan, MemberNames | MemberCount):
        return None
    link, hop = reading.links[0], reading.hops[0]
    if _is_possession(links, link, hop):
        return hop.forward
    is_actor = _acts(links, link, hop)
    if is_actor is None:
        return None
    leads_to_actor = _leads_to_actor(links, hop)
    if is_actor or leads_to_actor:
        return hop.forward == (is_actor != leads_to_actor)
    return None  # *who heads the firm*: the relation *head* leads forward, *heads* backward


def contradicts_voice(links: GraphLinks, reading: GraphReading) -> bool:
    """True for a path that begins in the direction that the question does not ask for."""
    return find_voice(links, reading) is False


def _is_possession(links: GraphLinks, link: NameLink, hop: Hop) -> bool:
    """*the parent company of Ann's*, *Ann's parent company*: the noun is the relation itself."""
    last = split_words(hop.relation.rpartition(".")[2])[-1:]
    if not last or last[0] in PREPOSITIONS:
        return False
    words, stems = links.question.words, links.question.stems
    before = links.find_word_before(link)
    if before > 0 and words[before] == "of":
        return stems[before - 1] == stem(last[0])
    return (
        words[link.last : link.last + 1] == ("s",)
        and stem(last[0]) in stems[link.last + 1 : link.last + 4]
    )


def _leads_to_actor(links: GraphLinks, hop: Hop) -> bool:
    words = split_words(hop.relation.rpartition(".")[2])
    if words[-1:] in (["by"], ["of"]):
        return words[-1] == "by"  # *director of* leads away from the director
    nouns = [word for word in words if word not in PREPOSITIONS]
    return bool(nouns) and _is_agent(links, nouns[-1])


def _is_agent(links: GraphLinks, noun: str) -> bool:
    return noun.endswith(_AGENT_ENDINGS) or noun in links.question.lexicon.answer_types["who"]


def _acts(links: GraphLinks, link: NameLink, hop: Hop) -> bool | None:
    """True if the name acts (*did Ann train*, *trained by Ann*), False if something is done to it."""
    words, before = links.question.words, links.find_word_before(link)
    preceding = words[before] if before >= 0 else ""
    own = links.match(hop.relation).own
    verbs = {p for p, strength in own.items() if strength >= _MIN_STRENGTH} - link.positions
    if before in verbs and _is_agent(links, preceding):
        return True  # *the writer Ann*
    if preceding in DO_FORMS:
        return True if any(p >= link.last for p in verbs) else None
    if preceding == "by":
        return True if before - 1 in verbs and _leads_to_actor(links, hop) else None
    is_possessor = words[link.last : link.last + 1] == ("s",) and link.last + 1 in verbs
    is_object = before in verbs or (preceding == "of" and before - 1 in verbs)
    return False if is_object or (is_possessor and _leads_to_actor(links, hop)) else None
