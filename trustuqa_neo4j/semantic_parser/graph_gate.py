"""The gate of readings of graphs: which words a reading explains, and whether it may be what is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from ..lexicon.forms import stem
from ..lexicon.lexicon import Cue, skips_generation
from ..lexicon.words import WORDS
from ..matching import split_words
from ..values import read_value
from .graph_kinds import find_kind_positions
from .graph_links import (
    ARTICLES,
    ORGANISATIONS,
    PERSONS,
    SURE_STRENGTH,
    THINGS,
    GraphLinks,
    NameLink,
    collect_positions,
    find_mentions,
    is_said_twice,
    names_head,
)
from .graph_plans import FactCount, FactDuration, FactTimes, MemberCount, Membership, MemberTotal
from .graph_proposals import EXTREMES, GraphReading, is_class_hop
from .graph_view import Hop
from .graph_voice import contradicts_voice, find_noun_use, says_converse
from .question import PlainQuestion
from .reading import NUMBER_KINDS, explains_enough, fits_question_word
from .row_plans import Denoted
from .spelling import is_misspelt

MIN_PLAIN_EXPLAINED = 0.55  # of the content words that are no names and times
_COMPARATIVES = WORDS.times.earlier_or_later
_YEARS = WORDS.times.years
_VALUE_NOUNS = WORDS.nouns.values
_ORDER_CUES = frozenset((*EXTREMES, "first", "last", "frequent"))
MIN_STRENGTH = 0.35
_PLAIN = frozenset(("one hop", "two hops", "class", "of class", "count", "time at"))
_BEFORE_RELATIONS = WORDS.grammar.before_relations
_CLAUSES = WORDS.grammar.clause_starts
_NUMBER_WORDS = (WORDS.numbers.cardinals.keys() | WORDS.numbers.ordinals.keys()) - {"one", "first"}
_BE_FORMS = WORDS.grammar.be_forms
_MEMBERSHIP = WORDS.nouns.memberships


def explained_positions(links: GraphLinks, reading: GraphReading) -> frozenset[int]:
    """Return the positions of words that the reading uses."""
    question = links.question
    linked = linked_positions(reading)
    relational = {p for p in reading.kinds if _says_relation_by_place(links, p)}
    positions = set(linked | reading.positions | (reading.kinds - relational))
    is_class = bool(reading.kinds) or reading.selects_class
    is_free = links.free_nouns and not is_class and _leads_to_bearers(links, reading)
    if is_free and _says_relation(links, reading):
        positions |= {p for p in links.free_nouns if not _is_relational(links, p)}
    for hop in reading.hops:
        match = links.match(hop.relation)
        for matches in (match.own, match.context):
            positions.update(p for p, strength in matches.items() if strength >= MIN_STRENGTH)
        positions.update(find_kind_positions(match))
    if isinstance(reading.plan, MemberCount) or not all(map(_is_value, reading.members)):
        generic = PERSONS | THINGS | ORGANISATIONS
        positions.update(p for p, word in enumerate(question.words) if word in generic)
    for cue in question.cues:
        if cue.operator in reading.cues and not _is_event(links, cue, positions):
            positions |= cue.positions
    return frozenset(positions)


def _says_relation_by_place(links: GraphLinks, position: int) -> bool:
    """True in *whose host is …*, *managed by …*, *who hosts …*, *Ann's host* and *which firm owns …*.

    The word does not say what the answers are.
    """
    words, before = links.question.words, links.question.words[position - 1 : position]
    is_verb = position in links.question.asked_verb or words[position + 1 : position + 2] == ("by",)
    is_after_noun = position in links.named_relations and position - 1 in links.question.asked_noun
    return is_verb or is_after_noun or not _BEFORE_RELATIONS.isdisjoint(before)


def _is_event(links: GraphLinks, cue: Cue, explained: Collection[int]) -> bool:
    """True for *married* if the relation of the reading does not say it."""
    words = {links.question.words[p] for p in cue.positions}
    is_event = not words.isdisjoint(links.question.lexicon.event_verbs)
    return is_event and cue.positions.isdisjoint(explained)


def _is_relational(links: GraphLinks, noun: int) -> bool:
    """True for *the master of the person who …*: the noun is a step from what follows, no kind of it."""
    words = links.question.words
    start = noun + 2 + (not ARTICLES.isdisjoint(words[noun + 2 : noun + 3]))
    return words[noun + 1 : noun + 2] == ("of",) and not PERSONS.isdisjoint(
        words[start : start + 1]
    )


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
    sure = _find_sure_positions(links, reading.hops[-1])
    if sure - links.nouns - linked_positions(reading):
        return True
    # *the price of the game* does not say *expansion of*.
    says_more = names_head(reading.hops[-1].relation) and not _is_membership(reading.hops[-1])
    return len(reading.hops) == 1 and has_preposition(links, reading) and not says_more


def _is_membership(hop: Hop) -> bool:
    return not _MEMBERSHIP.isdisjoint(split_words(hop.relation))


def _find_sure_positions(links: GraphLinks, hop: Hop) -> frozenset[int]:
    """Return the positions of words that surely say the relation."""
    own = links.match(hop.relation).own
    return frozenset(p for p, strength in own.items() if strength >= SURE_STRENGTH)


@dataclass(frozen=True, slots=True)
class GraphExplanation:
    """The words of a question that a reading uses and leaves out.

    ``explained`` are the positions of words that it uses, ``unexplained`` those of the other content words;
    ``is_possible`` is False if it cannot be what is asked. ``evidence`` is what the calibration weighs.
    """

    explained: frozenset[int]
    unexplained: frozenset[int]
    is_possible: bool
    evidence: Mapping[str, float]


def explain_reading(links: GraphLinks, reading: GraphReading) -> GraphExplanation:
    question = links.question
    explained = explained_positions(links, reading)
    unexplained = question.content - explained
    sums = _sums_of_counts(links, reading)
    left_out = unexplained - (question.fillers - links.named_beside_head) - sums
    is_timeless = links.timed_relations.isdisjoint(hop.relation for hop in reading.hops)
    is_possible = (
        not left_out & (question.names | links.written_positions)
        and question.decisive - sums <= explained
        and (is_timeless or len(reading.members) == 1 or question.present <= explained)
        and not _leaves_out_number(links, left_out)
        and _uses_superlative(links, reading)
        and not contradicts_voice(links, reading)
        and not _answers_other_class(links, reading)
        and not ("class" in reading.operators and _asks_for_definition(links.question))
        and not _leaves_step_out(links, reading)
        and _uses_mentions(links, reading)
        and _names_steps(links, reading)
        and _uses_clause(links, reading)
        and _fits_question_word(links, reading)
        and not _replaces_words(links, reading, left_out)
    )
    evidence = {
        **dict(_weigh_words(links, reading, left_out)),
        "impossible": float(not is_possible),
    }
    return GraphExplanation(explained, unexplained, is_possible, evidence)


def _answers_other_class(links: GraphLinks, reading: GraphReading) -> bool:
    """True if *which clerks mentor an officer* would be answered by officers."""
    asked = [bool(link.positions & links.question.head) for link in reading.links]
    return "of class" in reading.operators and asked[0] and not asked[-1]


def _asks_for_definition(question: PlainQuestion) -> bool:
    """*what is a tree* is not answered by the trees."""
    articles = WORDS.grammar.indefinite_articles
    return question.words[:1] == ("what",) and any(
        question.words[p - 1] in articles and question.words[p - 2] in _BE_FORMS
        for p in question.head
        if p > 1
    )


def _leaves_step_out(links: GraphLinks, reading: GraphReading) -> bool:
    """True if *who teaches Ann's coach* would be answered by her coach: *teaches* says another relation."""
    if "one hop" not in reading.operators or len(reading.hops) != 1 or not reading.links:
        return False
    use, hop = find_noun_use(links, reading.links[0]), reading.hops[0]
    own = links.match(hop.relation).own
    if use is None or not use.is_asked or own.get(use.position, 0.0) < SURE_STRENGTH:
        return False
    asked = frozenset(sorted(links.question.asked_noun)[:1])
    phrase = _noun_phrase(links.question, use.position + 1)
    others = links.question.content - linked_positions(reading) - phrase - asked
    return any(
        links.says_other(p, hop.relation, max(SURE_STRENGTH, own.get(p, 0.0))) for p in others
    )


def _replaces_words(links: GraphLinks, reading: GraphReading, left_out: frozenset[int]) -> bool:
    """True if what is left out says another relation, or another kind of thing.

    *the president of NASA* is no administrator, *where did Ann study* no birthplace, and what the question
    asks for by an unknown noun is found only if a verb says how.
    """
    question, words = links.question, links.question.words
    if leaves_out_class(links, left_out):
        return True
    left_out = frozenset(p for p in left_out if not is_misspelt(words[p]))
    if any(_names_other_relation(links, link, left_out) for link in reading.links):
        return True
    if not left_out or not {*reading.operators} <= _PLAIN:
        return False
    sure = frozenset[int]().union(*(_find_sure_positions(links, hop) for hop in reading.hops))
    sure -= linked_positions(reading)
    verbs = {
        p
        for p in sure
        if words[p + 1 : p + 2] != ("of",)
        or not WORDS.grammar.object_pronouns.isdisjoint(words[p + 2 : p + 3])  # *south of which*
        or _is_predicate(links, p)
    }
    verbs -= links.nouns
    if question.asked_noun and question.asked_noun <= left_out and not verbs:
        return True
    return not sure and bool(left_out - links.nouns - question.asked_noun)


def _names_other_relation(links: GraphLinks, link: NameLink, left_out: frozenset[int]) -> bool:
    """True for *the president of NASA* and *Ann's salary*, but not for *the village of Osmery*."""
    words, before = links.question.words, links.find_word_before(link)
    if before > 0 and words[before] == "of":
        noun = _noun_phrase(links.question, before)
        is_kind = (
            stem(words[before - 1]) in links.question.lexicon.places
            or words[before - 1] in ORGANISATIONS
        )
        return bool(noun) and noun <= left_out and not is_kind
    possessed = link.last + 1
    return words[link.last : possessed] == ("s",) and possessed in left_out


def _is_predicate(links: GraphLinks, noun: int) -> bool:
    """True for *capital* in *which towns have been the capital of …*."""
    asked = max(links.question.asked_noun, default=noun)
    return asked < noun and not _BE_FORMS.isdisjoint(links.question.words[asked + 1 : noun])


def _sums_of_counts(links: GraphLinks, reading: GraphReading) -> frozenset[int]:
    """Return the position of *total* in *how many are there in total*."""
    words = links.question.words
    if not isinstance(reading.plan, MemberCount):
        return frozenset()
    return frozenset(p for p in range(1, len(words)) if words[p - 1 : p + 1] == ("in", "total"))


def _leaves_out_number(links: GraphLinks, left_out: frozenset[int]) -> bool:
    """True for *at two different stations* and *the second husband*."""
    return any(links.question.words[p] in _NUMBER_WORDS for p in left_out)


def leaves_out_class(links: GraphLinks, left_out: frozenset[int]) -> bool:
    """True for *in which county does the mill lie*, if counties are in the data."""
    classes = (link.positions for link in links.names if link.tier == "name" or link.is_plural)
    return any(positions <= left_out & links.question.head for positions in classes)


def _noun_phrase(question: PlainQuestion, end: int) -> frozenset[int]:
    """Return the positions of the content words right before ``end``."""
    before = takewhile(question.content.__contains__, range(end - 1, -1, -1))
    return frozenset(before)


def is_refused(evidence: Mapping[str, float]) -> bool:
    """True if words are left out, or relations unsaid, that mostly mean something else."""
    return any(evidence.get(name) for name in _REFUSING)


_REFUSING = (
    "impossible", "relation unsaid", "relation words left out", "noun left out", "half left out",
)  # fmt: skip


def _weigh_words(
    links: GraphLinks, reading: GraphReading, left_out: frozenset[int]
) -> Iterator[tuple[str, float]]:
    """Yield what is left out, by kind of word, and how surely the relations are said."""
    question = links.question
    of_relations = left_out & links.relation_positions
    light = _light_positions(links, left_out - of_relations)
    nouns = left_out & (links.nouns | question.asked_noun)
    left_out -= light
    plain = question.content - linked_positions(reading) - reading.positions - light
    is_half = not explains_enough(question, left_out) or (
        len(plain & left_out) > (1 - MIN_PLAIN_EXPLAINED) * len(plain)
    )
    yield "relation words left out", min(len(of_relations), 3) / 2
    asked = question.asked_noun - question.fillers
    yield "noun left out", float(bool(asked) and asked <= left_out)
    yield "half left out", float(is_half)
    yield "light verb left out", float(bool(light))
    yield "other nouns left out", min(len(nouns), 3) / 2
    yield "other words left out", min(len(left_out - nouns - of_relations), 3) / 2
    yield "relation unsaid", float(not _names_relations(links, reading))
    linked = linked_positions(reading)
    strengths = [
        max((s for p, s in links.match(hop.relation).own.items() if p not in linked), default=0.0)
        for hop in reading.hops
    ]
    if strengths:
        yield "least said relation", min(strengths)
        yield "relation unsaid, words left out", float(min(strengths) == 0 and bool(left_out))
    if reading.kinds or reading.selects_class:
        yield "kind of the answer named", 1.0


def _light_positions(links: GraphLinks, positions: frozenset[int]) -> frozenset[int]:
    question = links.question
    return frozenset(p for p in positions if question.words[p] in question.lexicon.light_verbs)


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
    if any(map(skips_generation, links.question.words)):
        return len(reading.hops) == 2 and reading.hops[0] == reading.hops[1]
    relations = [hop.relation for hop in reading.hops]
    named = linked_positions(reading)
    for relation in relations:
        is_once = relations.count(relation) == 1
        if is_once and is_said_twice(links, relation, named):
            return False
        # *what needs the engine* is one step, though *needs* would say two.
        if not is_once and len(find_mentions(links, relation, named)) == 1:
            return False
    return True


def _uses_clause(links: GraphLinks, reading: GraphReading) -> bool:
    """*where did Ann live when she won the prize* asks for a place at that time."""
    question = links.question
    has_clause = question.kind != "when" and not _CLAUSES.isdisjoint(question.words[1:])
    return not has_clause or "while" in reading.cues


def _names_steps(links: GraphLinks, reading: GraphReading) -> bool:
    """Each of several steps is said, or a noun names what the first leads to."""
    if "two hops" not in reading.operators or reading.positions:
        return True
    return all(_is_said(links, reading, hop) for hop in reading.hops)


def _is_said(links: GraphLinks, reading: GraphReading, hop: Hop) -> bool:
    match = links.match(hop.relation)
    words = match.own.keys() | match.context.keys() | find_kind_positions(match)
    return is_class_hop(hop) or bool(words - linked_positions(reading))


def _fits_question_word(links: GraphLinks, reading: GraphReading) -> bool:
    if isinstance(reading.plan, FactTimes) and (
        links.question.kind in (*NUMBER_KINDS, "where", "who") or not reading.positions
    ):
        return False  # *how long*: the years of a period are no number; *where did they move*
    if isinstance(reading.plan, FactTimes) and reading.plan.key == "time" and _asks_date(links):
        return False
    relations = [hop.relation for hop in reading.hops]
    last = reading.hops[-1] if reading.hops else None
    # *painted by* leads to who did it, never to a place or time.
    names_agent = last is not None and last.forward and split_words(last.relation)[-1:] == ["by"]
    asks_circumstance = links.question.kind in ("where", "when", "how many", "how much")
    is_path = not isinstance(
        reading.plan, FactTimes | FactDuration | FactCount | MemberCount | MemberTotal
    )
    is_agent_place = names_agent and last is not None and says_converse(links, last)
    if names_agent and (asks_circumstance or links.asks_place) and is_path and not is_agent_place:
        return False
    are_values = all(map(_is_value, reading.members))
    if is_path and are_values and _asks_no_value(links):
        return False
    if is_path and not are_values and _YEARS & {links.question.words[p] for p in links.nouns}:
        return False
    return fits_question_word(links.question, reading.members, relations)


def _asks_date(links: GraphLinks) -> bool:
    """True for *on which date* and *which day*, to which a year is no answer."""
    return not WORDS.times.days.isdisjoint(links.question.words[p] for p in links.question.head)


def _asks_no_value(links: GraphLinks) -> bool:
    """True for *where* and for a noun that no relation says: *which shipyard built it* asks for no year."""
    question = links.question
    if question.kind == "where":
        return True
    nouns = {question.words[p] for p in question.asked_noun}
    is_plain = question.kind in ("which", "what") and not nouns & (_VALUE_NOUNS | PERSONS)
    return bool(nouns) and is_plain and question.asked_noun <= links.free_nouns


def _is_value(member: Denoted) -> bool:
    return not isinstance(member, str) or read_value(member) is not None


def _names_relations(links: GraphLinks, reading: GraphReading) -> bool:
    """A path needs one relation that is said; two names need none, if one fact joins them."""
    named = [_is_named(links, reading, hop) for hop in reading.hops]
    if "two hops" in reading.operators and _is_said_once(links, reading):
        return False
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


def _is_said_once(links: GraphLinks, reading: GraphReading) -> bool:
    """True if one hop has no words but those that say the other better.

    *programme director of* is one relation, though *director* is a manager too.
    """
    linked = linked_positions(reading)
    first, second = (
        {p: s for p, s in links.match(hop.relation).own.items() if p not in linked}
        for hop in reading.hops[:2]
    )
    return bool(first and second) and (
        (first.keys() == second.keys() and len(first) == 1)
        or all(strength < second.get(p, 0) for p, strength in first.items())
        or all(strength < first.get(p, 0) for p, strength in second.items())
    )


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
