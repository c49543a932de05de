"""Finds by grammar which end of a relation is asked for: *who trained Ann* is not *whom did Ann train*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import load_lexicon, strip_generation
from ..lexicon.words import WORDS
from ..matching import split_words
from .graph_kinds import find_kind_positions
from .graph_links import PREPOSITIONS, GraphLinks, NameLink, find_asked_classes
from .graph_plans import MemberCount, MemberNames, Membership
from .graph_proposals import GraphReading, is_class_hop
from .graph_roles import (
    Role,
    find_side,
    find_tail_side,
    is_active_verb,
    is_symmetric,
    may_be_verb,
)
from .graph_view import Hop, split_own_name
from .relation_words import FORM

_AGENT_ENDINGS = WORDS.endings.agents
_VERB_ENDINGS = ("s", "ed")
_OWNER_SIGNS = WORDS.grammar.owner_signs
_MIN_STRENGTH, _SAME_WORD = 0.6, 0.9
_LEARNED = frozenset(map(stem, WORDS.verbs.learning))
_CONVERSES = frozenset(map(stem, WORDS.verbs.converses))
_SUBJECT_WORDS = WORDS.grammar.relative_pronouns
_RELATIVE = WORDS.grammar.object_pronouns
_NOBODY = WORDS.grammar.indefinites & WORDS.grammar.negations | {"no"}
_AUXILIARIES = WORDS.grammar.auxiliaries
_ARTICLES, _BE, _HAVE = WORDS.grammar.articles, WORDS.grammar.be_forms, WORDS.grammar.have_forms


@dataclass(frozen=True, slots=True)
class NounUse:
    """A noun beside a name; ``is_asked`` if the noun of the name is asked for, not what the name is."""

    position: int
    is_asked: bool


def find_voice(links: GraphLinks, reading: GraphReading) -> bool | None:
    """Return whether the hops have the direction that the grammar asks for, None if it says nothing.

    A relation such as *trained by* or *trainer* leads to who acts, all others from there. Of two steps, the
    second begins at the noun of the first: *who manages Ann's teacher*.
    """
    if reading.operators == ("open", "time at") and links.question.kind == "who":
        hop = reading.hops[0]  # *who was chair in 2018*, of ``chairs``
        return not hop.forward if is_active_verb(links.question.lexicon, hop.relation) else None
    if reading.operators == ("open", "frequent"):
        return _find_voice_of_asked(links, reading.hops[0])
    if not reading.links or not reading.hops:
        return None
    if not isinstance(reading.plan, MemberNames | MemberCount | Membership):
        return None
    if "mirror" in reading.operators:
        # *the same coach as Ann* begins with her coach, *the co-directors of Ann* with what she directed.
        before = links.find_word_before(reading.links[0])
        is_shared = before > 0 and links.question.words[before] == "as"
        return find_voice_of_hop(links, reading.links[0], reading.hops[0]) if is_shared else None
    if "repeated" in reading.operators:
        return None
    if "without" in reading.operators:
        first, *further = reading.hops
        if is_class_hop(first) and further:
            return _find_voice_of_members(links, reading.links[0], further[0])
        return next(_find_voices(links, reading.links[0], reading.hops[:1]), None)
    link, start = reading.links[0], reading.second_way
    if start:
        link = replace(link, last=max(name.last for name in reading.links))  # *Ann and Bo*
    ways = (reading.hops[:start], reading.hops[start:]) if start else (reading.hops,)
    voices = [voice for hops in ways for voice in _find_voices(links, link, hops)]
    return False if False in voices else next(iter(voices), None)


def _find_voices(links: GraphLinks, link: NameLink, hops: Sequence[Hop]) -> Iterator[bool | None]:
    """Yield the voice of each hop; the members of a class stand where its noun stands."""
    phrase: NameLink | None = link
    for hop in hops:
        if is_class_hop(hop):
            continue
        if phrase is not None:
            yield find_voice_of_hop(links, phrase, hop)
            phrase = _join_noun(links, phrase, hop)


def find_voice_of_hop(links: GraphLinks, link: NameLink, hop: Hop) -> bool | None:
    """Return whether a hop from a name goes where the grammar asks for, None if it says nothing."""
    lexicon = links.question.lexicon
    if is_symmetric(lexicon, hop.relation):
        return None
    is_end = _is_end_of_whole(links, link, hop.relation)
    if is_end is not None:
        return hop.forward != is_end
    if hop.relation in links.acts and not _is_passive(links, split_words(hop.relation)[:1]):
        if _is_other_act(links, hop):
            return False
        does = _does(links, link)
        return None if does is None else hop.forward == does
    use = find_noun_use(links, link)
    names_tail = None if use is None else _names_tail(links, use.position, hop)
    if use is not None and names_tail is not None:
        return hop.forward == (names_tail == use.is_asked)
    role = _find_learner(links, link) or _find_actor(links, link) or _find_object(links, link)
    tail = None if role is None else find_tail_side(lexicon, role.pair, hop.relation)
    if role is not None and tail is not None:
        return hop.forward == (role.side == tail)
    is_actor = None if may_be_verb(lexicon, hop.relation) else _acts(links, link, hop)
    if is_actor is None:
        return None
    leads_to_actor = _leads_to_actor(links, hop)
    if is_actor or leads_to_actor:
        return hop.forward == (is_actor != leads_to_actor)
    return _find_voice_of_object(links, _find_verb_before(links, link, hop), hop)


def _is_end_of_whole(links: GraphLinks, link: NameLink, relation: str) -> bool | None:
    """Return whether a name is the end of a relation that is said whole, None if the relation is not.

    *who studied with Ann* asks for the start, *with whom did Ann study* for the end.
    """
    before, words = links.find_word_before(link), links.question.words
    relation_words = tuple(split_words(relation))
    size = len(relation_words)
    if size < 2 or words[link.last : link.last + 1] == ("s",):
        return None
    preposition = relation_words[-1]
    if preposition not in PREPOSITIONS:
        # *held the office of mayor*, of ``held office``
        words_before = [w for w in words[: link.first] if w not in WORDS.grammar.articles]
        is_whole = tuple(words_before[-size - 1 :]) == (*relation_words, "of")
        return True if is_whole and relation_words[0] in load_lexicon().verbs else None
    if words[max(0, before + 1 - size) : before + 1] == relation_words:
        return True
    is_fronted = words[0] == preposition and words[before] in _AUXILIARIES
    return False if is_fronted and links.match(relation).own else None


def _find_voice_of_asked(links: GraphLinks, hop: Hop) -> bool | None:
    """Return the voice of *which firm owns the most ships*, and of *which ship do the most firms own*."""
    words, own = links.question.words, links.match(hop.relation).own
    nouns = (words[position] for position in sorted(links.question.asked_noun))
    roles = (_plays_role_of_tail(links, noun, hop) for noun in nouns)
    role = next((role for role in roles if role is not None), None)
    if role is not None:
        return hop.forward == role  # *which teacher has the most pupils*
    is_who = links.question.kind == "who" and words[0] == "who"
    asked = links.question.asked_noun or frozenset((0,) if is_who else ())
    after = max(asked, default=len(words)) + 1
    is_object = {*words[after : after + 1]} <= WORDS.grammar.do_forms and any(
        p > after for p in own
    )
    leads_to_actor = _leads_to_actor(links, hop)
    is_deed = _is_word(hop.relation, (*_VERB_ENDINGS, *WORDS.endings.verbal_nouns))
    if not (is_object or after in own) or not (is_deed or leads_to_actor):
        return None
    return hop.forward == (is_object != leads_to_actor)


def _find_voice_of_members(links: GraphLinks, members: NameLink, hop: Hop) -> bool | None:
    """Return the voice of a hop to the members of a class, none of whom is meant.

    *which clerks never host anybody* and *do not host anybody* exclude hosts, *which clerks does no officer
    host* and *are hosted by no officer* exclude guests.
    """
    if not members.positions <= links.question.head:
        return False if find_asked_classes(links) else None
    role = _find_role_of_members(links, members.last)
    tail = role and find_tail_side(links.question.lexicon, role.pair, hop.relation)
    if role is None or tail is None:
        return None
    # *do not host any guard* leaves out the guard.
    is_of_all = not any(link.first > members.first for link in links.names)
    return hop.forward == (role.side == tail) and (is_of_all or None)


def _find_role_of_members(links: GraphLinks, start: int) -> Role | None:
    """Return the role of whom a negation is about, which stands before ``start``."""
    words = links.question.words
    auxiliary = "".join(words[start : start + 1]).removesuffix("nt")  # *arent*
    is_passive = auxiliary in _BE
    verb = negation = start + (is_passive or auxiliary in WORDS.grammar.do_forms)
    while {*words[verb : verb + 1]} & WORDS.grammar.negations:
        verb += 1
    if is_passive and not _is_passive(links, [*words[verb : verb + 1]]):
        return None  # *which nurses are not coaches*
    # *does no officer host*, *whom nobody hosts*
    is_object = is_passive or bool({*words[negation : negation + 1]} & _NOBODY)
    verb = len(words) - 1 if is_object and not is_passive else verb
    return _find_verb_role(links, verb, int(is_object)) if verb < len(words) else None


def _find_voice_of_object(links: GraphLinks, before: int, hop: Hop) -> bool | None:
    """Return the voice for a name after the word at ``before``, to which something may be done."""
    own, words = links.match(hop.relation).own, split_words(hop.relation)
    if words[-1:] == ["of"] and _is_agent(links, words[-2:][0]):
        return not hop.forward  # *who manages Ann*, by the relation *is manager of*
    stems, verb = links.question.stems, stem(words[0])
    is_said = any(s >= _SAME_WORD or stem_similarity(stems[p], verb) for p, s in own.items())
    if _is_word(hop.relation, _VERB_ENDINGS) and is_said:
        return not hop.forward  # *who manages Ann* and *by whom is Ann managed*: *manages*
    if before not in own:
        return None
    is_deed = _is_word(hop.relation, WORDS.endings.verbal_nouns) and _is_subject(links, before - 1)
    if is_deed and stem_similarity(links.question.stems[before], stem(words[-1])):
        return not hop.forward  # *who accuses Egypt*, by the relation *accusation*
    if (
        not PREPOSITIONS.isdisjoint(words[-1:])
        and links.question.kind != "where"
        and not _is_passive(links, words)
    ):
        return not hop.forward  # *what preys on the hare*, which is no subject of *preys on*
    return None  # *who heads the firm*: the relation *head* leads forward, *heads* backward


def _find_verb_before(links: GraphLinks, link: NameLink, hop: Hop) -> int:
    """Return the position of *reports* in *reports to Ann*, if the relation ends with *to* as well."""
    before = links.find_word_before(link)
    words, end = links.question.words, PREPOSITIONS.intersection(split_words(hop.relation)[-1:])
    is_possessor = words[link.last : link.last + 1] == ("s",)
    return before - (before > 0 and words[before] in end and not is_possessor)


def _is_word(relation: str, endings: tuple[str, ...]) -> bool:
    name = split_own_name(relation)
    return len(name) == 1 and name[0].endswith(endings)


def find_noun_use(links: GraphLinks, link: NameLink) -> NounUse | None:
    """Find the noun beside a name, and whether it is asked for.

    It is in *Ann's coach*, *the coach of Ann*, *the same coach as Ann*, *which coaches does Ann have* and
    *whom does Ann have as coach*; *whose coach is Ann* and *who has Ann as coach* ask for the other end.
    """
    words, before = links.question.words, links.find_word_before(link)

    def skip(place: int, skipped: frozenset[str]) -> int:
        return place + (words[place : place + 1] != () and words[place] in skipped)

    after = words[link.last : link.last + 1]
    preceding = words[before] if before >= 0 else ""
    if after == ("s",) and link.last + 1 < len(words):
        return NounUse(link.last + 1, is_asked=True)
    if preceding == "of" and before > 0:
        # In *the actors of Ann Lee directed films*, the noun is the films'.
        is_inside = link.last in links.relation_positions and _is_passive(links, [*after])
        return None if is_inside else NounUse(before - 1, is_asked=True)
    as_noun = skip(link.last + 1, _ARTICLES)
    if after == ("as",) and preceding in _HAVE and as_noun < len(words):
        return NounUse(as_noun, is_asked=False)
    if {*after} & _HAVE and words[link.last + 1 : link.last + 2] == ("as",):
        as_noun = skip(link.last + 2, _ARTICLES)
        return NounUse(as_noun, is_asked=True) if as_noun < len(words) else None
    if preceding in _BE and before > 1 and words[before - 2] in _OWNER_SIGNS:
        return NounUse(before - 1, is_asked=False)
    if preceding == "as" and before > 2 and words[before - 2] == "same":
        return NounUse(before - 1, is_asked=True)
    if {*after} & _HAVE and preceding in WORDS.grammar.do_forms and links.question.asked_noun:
        return NounUse(max(links.question.asked_noun), is_asked=True)
    noun = skip(skip(link.last, _BE), _ARTICLES)
    if noun > link.last and words[noun + 1 : noun + 2] == ("of",):
        return NounUse(noun, is_asked=False)  # *whom is Ann the coach of*
    return None


def _plays_role_of_tail(links: GraphLinks, noun: str, hop: Hop) -> bool | None:
    """Return whether a noun is the role of what the relation leads to, None if it has no such role."""
    lexicon = links.question.lexicon
    for pair in lexicon.roles:
        side, tail = find_side(pair, noun), find_tail_side(lexicon, pair, hop.relation)
        if side is not None and tail is not None:
            return side == tail
    return None


def _names_tail(links: GraphLinks, noun: int, hop: Hop) -> bool | None:
    """Return whether a noun names what the relation leads to, None if the relation does not say it."""
    lexicon, words = links.question.lexicon, split_own_name(hop.relation)
    word = strip_generation(links.question.words[noun])
    role = _plays_role_of_tail(links, word, hop)
    if role is not None:
        return role
    nouns = [name for name in words if name not in PREPOSITIONS]
    if not nouns or may_be_verb(lexicon, hop.relation):
        return None
    if stem(nouns[-1]) != stem(word):
        return _is_named_by_verb(links, noun, hop, words)
    if words[-1] in PREPOSITIONS:
        return {"of": False, "by": True}.get(words[-1])
    return not is_active_verb(lexicon, hop.relation)


def _is_named_by_verb(links: GraphLinks, noun: int, hop: Hop, words: Sequence[str]) -> bool | None:
    """Return whether the relation leads to who is named: to the owner by *owned by*, not by *owns*."""
    is_agent = stem(links.question.words[noun]).endswith(_AGENT_ENDINGS)
    is_said = links.match(hop.relation).own.get(noun, 0.0) >= _MIN_STRENGTH
    if not is_agent or not is_said or stem(words[0]).endswith(_AGENT_ENDINGS):
        return None
    is_verb = len(words) == 1 and (words[0].endswith("s") or _is_passive(links, [*words]))
    return True if words[-1] == "by" else False if is_verb else None


def _join_noun(links: GraphLinks, link: NameLink, hop: Hop) -> NameLink | None:
    """Return *Ann's teacher* as what the next hop begins at, if the noun says this hop."""
    use = find_noun_use(links, link)
    if use is None or not use.is_asked or not _says(links, use.position, hop):
        return None
    noun = use.position
    modifiers = links.match(hop.relation).own.keys() | links.question.present
    while noun - 1 in modifiers:
        noun -= 1  # *the present chief conductor of*
    first, last = min(link.first, noun), max(link.last, use.position + 1)
    return replace(link, first=first, last=last)


def _says(links: GraphLinks, noun: int, hop: Hop) -> bool:
    """Return whether a noun says a hop; *mentor* does not say *coached by* where *mentor* is a relation."""
    match = links.match(hop.relation)
    is_said = any(strength >= FORM for p, strength in match.own.items() if p != noun)
    if is_said and links.says_other(noun, hop.relation, FORM) and match.own.get(noun, FORM) < FORM:
        return False
    matched = match.own.keys() | match.context.keys() | match.bearers | find_kind_positions(match)
    return noun in matched or _names_tail(links, noun, hop) is not None


def skips_noun(links: GraphLinks, reading: GraphReading) -> bool:
    """True for a path from Ann that does not begin with her teacher, where *Ann's teacher* is said."""
    if not {"one hop", "two hops"} & {*reading.operators}:
        return False
    use = find_noun_use(links, reading.links[0])
    is_said = use is not None and use.is_asked and use.position in links.relation_positions
    return use is not None and is_said and not _says(links, use.position, reading.hops[0])


def contradicts_voice(links: GraphLinks, reading: GraphReading) -> bool:
    """True for a path in a direction that the question does not ask for, or past a noun that it says."""
    return find_voice(links, reading) is False or skips_noun(links, reading)


def says_converse(links: GraphLinks, hop: Hop) -> bool:
    """True if the verb says what the other end does: who works somewhere is employed there."""
    own = links.match(hop.relation).own
    stems = [stem(word) for word in split_words(hop.relation)]
    return any(
        links.question.stems[p] in _CONVERSES
        and not any(stem_similarity(links.question.stems[p], word) for word in stems)
        for p in own
    )


def _is_other_act(links: GraphLinks, hop: Hop) -> bool:
    """True for *host a visit* where only *visit* is said; *make a visit* says no more."""
    act, *noun = split_words(hop.relation)
    own = links.match(hop.relation).own
    is_light = act in links.question.lexicon.light_verbs
    is_said = any(stem_similarity(links.question.stems[p], stem(act)) for p in own)
    return bool(noun) and noun[0] in _ARTICLES and bool(own) and not (is_light or is_said)


def _does(links: GraphLinks, link: NameLink) -> bool | None:
    """True if the name is who acts in an event: *whom did Ann visit*, *visited by Ann*."""
    words, before = links.question.words, links.find_word_before(link)
    if before >= 0 and words[before] == "by":
        return True
    does = [p for p, word in enumerate(words) if word in WORDS.grammar.do_forms]
    if does:
        first = min((n.first for n in links.names if n.first > does[0]), default=link.first)
        return link.first == first
    asked = [
        p
        for p, word in enumerate(words)
        if word in _SUBJECT_WORDS or p in links.question.asked_noun
    ]
    return False if asked and max(asked) < link.first else None


def _find_learner(links: GraphLinks, link: NameLink) -> Role | None:
    """In *who studied under Ann*, a student is asked for."""
    words, before = links.question.words, links.find_word_before(link)
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


def _find_actor(links: GraphLinks, link: NameLink) -> Role | None:
    """In *who taught Ann* and *which clerks do not teach Ann*, a teacher is asked for."""
    words, before = links.question.words, links.find_word_before(link)
    subject = before - 1
    if words[subject:before] == ("not",):
        subject -= 1 + (words[subject - 1] in WORDS.grammar.do_forms)
    return _find_verb_role(links, before, 0) if _is_subject(links, subject) else None


def _is_subject(links: GraphLinks, place: int) -> bool:
    """True for *who* and the noun that is asked for, before a verb."""
    words, nouns = links.question.words, links.question.asked_noun
    return place >= 0 and (words[place] in _SUBJECT_WORDS or place in nouns)


def _find_object(links: GraphLinks, link: NameLink) -> Role | None:
    """In *whom did Ann teach* and *who is taught by Ann*, a pupil is asked for; not in *taught by whom*."""
    words, before = links.question.words, links.find_word_before(link)
    preceding = words[before] if before >= 0 else ""
    if preceding == "by" and before > 0:
        return _find_verb_role(links, before - 1, 1)
    verb = link.last + (words[link.last : link.last + 1] == ("not",))
    if preceding in WORDS.grammar.do_forms and verb < len(words):
        return _find_verb_role(links, verb, 1)
    if preceding in _BE and _is_by_whom(links, link):
        return _find_verb_role(links, link.last, 0)
    return None


def _is_by_whom(links: GraphLinks, link: NameLink) -> bool:
    """True for *who is Ann trained by* and *by whom is Ann trained*."""
    words = links.question.words
    return "by" in (words[0], *words[link.last + 1 : link.last + 2])


def _find_verb_role(links: GraphLinks, place: int, side: int) -> Role | None:
    """Return the role at one side of a verb such as *taught*, of which the teacher is at side 0."""
    lexicon, word = links.question.lexicon, links.question.words[place]
    verb = stem(lexicon.irregular.get(word, word))
    pairs = (p for p in lexicon.roles if any(stem_similarity(verb, stem(a)) for a in p[0]))
    return next((Role(pair, side) for pair in pairs), None)


def _is_passive(links: GraphLinks, words: list[str]) -> bool:
    """True for *built at*: the yard that built the ship is where it was built."""
    return any(word.endswith("ed") or word in links.question.lexicon.irregular for word in words)


def _leads_to_actor(links: GraphLinks, hop: Hop) -> bool:
    words = split_own_name(hop.relation)
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
    is_verb = before > 0 and words[before - 1] == "not"
    is_verb = is_verb or not link.nodes or before - 1 in links.question.asked_noun
    if before in verbs and _is_agent(links, preceding) and not is_verb:
        return True  # *the writer Ann*
    if preceding in _RELATIVE and link.last in verbs:
        return True  # *what the engine needs*
    if says_converse(links, hop):
        return None
    if preceding in WORDS.grammar.do_forms:
        return True if any(p >= link.last for p in verbs) else None
    if preceding in _BE and link.last in verbs and _is_by_whom(links, link):
        return False  # *who is Ann trained by*
    if preceding == "by":
        return True if before - 1 in verbs and _leads_to_actor(links, hop) else None
    is_possessor = words[link.last : link.last + 1] == ("s",) and link.last + 1 in verbs
    deed = _find_verb_before(links, link, hop)
    is_object = not verbs.isdisjoint((before, deed, before - (preceding == "of")))
    return False if is_object or (is_possessor and _leads_to_actor(links, hop)) else None
