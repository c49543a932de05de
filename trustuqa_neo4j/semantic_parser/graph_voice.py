"""Finds by grammar which end of a relation is asked for: *who trained Ann* is not *whom did Ann train*."""

from __future__ import annotations

from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import strip_generation
from ..lexicon.words import WORDS
from ..matching import split_words
from .graph_links import PREPOSITIONS, GraphLinks, NameLink
from .graph_plans import MemberCount, MemberNames
from .graph_proposals import GraphReading
from .graph_roles import Role, find_side, find_tail_side
from .graph_view import Hop

_AGENT_ENDINGS = WORDS.endings.agents
_MIN_STRENGTH = 0.6
_LEARNED = frozenset(map(stem, WORDS.verbs.learning))
_CONVERSES = frozenset(map(stem, WORDS.verbs.converses))
_SUBJECT_WORDS = WORDS.grammar.relative_pronouns
_RELATIVE = WORDS.grammar.object_pronouns


def find_voice(links: GraphLinks, reading: GraphReading) -> bool | None:
    """Return whether the first hop has the direction that the grammar asks for, None if it says nothing.

    A relation such as *trained by* or *trainer* leads to who acts, all others from there.
    """
    if not reading.links or not reading.hops or "mirror" in reading.operators:
        return None
    if not isinstance(reading.plan, MemberNames | MemberCount):
        return None
    link, hop = reading.links[0], reading.hops[0]
    role = _find_role(links, link)
    tail = (
        find_tail_side(links.question.lexicon, role.pair, hop.relation)
        if role is not None
        else None
    )
    if role is not None and tail is not None:
        return hop.forward == (role.side == tail)
    if _is_possession(links, link, hop):
        return hop.forward
    is_actor = _acts(links, link, hop)
    if is_actor is None:
        return None
    leads_to_actor = _leads_to_actor(links, hop)
    if is_actor or leads_to_actor:
        return hop.forward == (is_actor != leads_to_actor)
    before = links.find_word_before(link)
    is_object = before in links.match(hop.relation).own
    words = split_words(hop.relation)
    if (
        is_object
        and not PREPOSITIONS.isdisjoint(words[-1:])
        and links.question.kind != "where"
        and not _is_passive(links, words)
    ):
        return not hop.forward  # *what preys on the hare*, which is no subject of *preys on*
    return None  # *who heads the firm*: the relation *head* leads forward, *heads* backward


def contradicts_voice(links: GraphLinks, reading: GraphReading) -> bool:
    """True for a path that begins in the direction that the question does not ask for."""
    return find_voice(links, reading) is False


def says_converse(links: GraphLinks, hop: Hop) -> bool:
    """True if the verb says what the other end does: who works somewhere is employed there."""
    own = links.match(hop.relation).own
    stems = [stem(word) for word in split_words(hop.relation)]
    return any(
        links.question.stems[p] in _CONVERSES
        and not any(stem_similarity(links.question.stems[p], word) for word in stems)
        for p in own
    )


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


def _find_role(links: GraphLinks, link: NameLink) -> Role | None:
    """Find what is asked for: *pupils of Ann*, *Ann's mentor*, *who taught Ann*."""
    words = links.question.words
    before = links.find_word_before(link)
    if before > 0 and words[before] == "of":
        noun = strip_generation(words[before - 1])
    elif words[link.last : link.last + 1] == ("s",) and link.last + 1 < len(words):
        noun = strip_generation(words[link.last + 1])
    else:
        return _find_learner(links, before) or _find_actor(links, before)
    sides = ((pair, find_side(pair, noun)) for pair in links.question.lexicon.roles)
    return next((Role(pair, side) for pair, side in sides if side is not None), None)


def _find_learner(links: GraphLinks, before: int) -> Role | None:
    """In *who studied under Ann*, a student is asked for."""
    words = links.question.words
    if (
        before < 2
        or words[before] not in ("under", "from")
        or words[before - 2] not in _SUBJECT_WORDS
    ):
        return None
    verb = stem(words[before - 1])
    pairs = (p for p in links.question.lexicon.roles if any(verb == stem(word) for word in p[1]))
    is_learned = verb in _LEARNED
    pair = next(pairs, None) or (links.question.lexicon.roles[0] if is_learned else None)
    return Role(pair, 1) if pair is not None else None


def _find_actor(links: GraphLinks, before: int) -> Role | None:
    """In *who taught Ann*, a teacher is asked for."""
    lexicon, words = links.question.lexicon, links.question.words
    if before < 1 or words[before - 1] not in _SUBJECT_WORDS:
        return None
    verb = stem(lexicon.irregular.get(words[before], words[before]))
    pairs = (p for p in lexicon.roles if any(stem_similarity(verb, stem(a)) for a in p[0]))
    return next((Role(pair, 0) for pair in pairs), None)


def _is_passive(links: GraphLinks, words: list[str]) -> bool:
    """True for *built at*: the yard that built the ship is where it was built."""
    return any(word.endswith("ed") or word in links.question.lexicon.irregular for word in words)


def _leads_to_actor(links: GraphLinks, hop: Hop) -> bool:
    words = split_words(hop.relation.rpartition(".")[2])
    if not PREPOSITIONS.isdisjoint(words[-1:]):
        return words[-1] == "by"  # *director of* and *professor at* lead away from the person
    nouns = [word for word in words if word not in PREPOSITIONS]
    return any(_is_agent(links, noun) for noun in (*nouns[:1], *nouns[-1:]))


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
    if preceding in _RELATIVE and link.last in verbs:
        return True  # *what the engine needs*
    if says_converse(links, hop):
        return None
    if preceding in WORDS.grammar.do_forms:
        return True if any(p >= link.last for p in verbs) else None
    if preceding == "by":
        return True if before - 1 in verbs and _leads_to_actor(links, hop) else None
    is_possessor = words[link.last : link.last + 1] == ("s",) and link.last + 1 in verbs
    is_object = before in verbs or (preceding == "of" and before - 1 in verbs)
    return False if is_object or (is_possessor and _leads_to_actor(links, hop)) else None
