"""Features of a reading of a graph: how well it explains the question, and how its answer fits.

They are few and say nothing of single words or relations, so that weights carry to other graphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log

from ..lexicon.lexicon import skips_generation
from ..lexicon.words import WORDS
from ..matching import normalize_name
from .graph_account import MIN_STRENGTH, GraphAccount, is_refused
from .graph_links import (
    GraphLinks,
    NameLink,
    RelationMatch,
    asked_kind,
    names_head,
)
from .graph_persons import leads_to_persons, names_person
from .graph_plans import (
    ComparedNames,
    ComparedTimes,
    FactCount,
    FactDuration,
    FactTimes,
    MemberCount,
    MemberNames,
    Membership,
)
from .graph_proposals import GraphReading
from .graph_view import Hop, RelationProfile
from .graph_voice import find_voice
from .question import PlainQuestion
from .reading import NUMBER_KINDS
from .word_account import Explanation

_TIME_KINDS = frozenset(("when",))
_TIME_NOUNS = WORDS.times.years
_CUES = {
    "count": "count", "together": "together", "first": "first", "last": "last", "previous": "before",
    "next": "after", "or": "or", "while": "while", "begin": "begin", "finish": "end",
}  # fmt: skip


def extract_graph_features(
    account: GraphAccount, explanation: Explanation, relations: Mapping[str, RelationProfile]
) -> dict[str, float]:
    """Return name → value; names that are not there are 0."""
    features: dict[str, float] = {}
    for name, value in _features(account, relations):
        features[name] = features.get(name, 0.0) + value
    features["refused"] = float(is_refused(explanation.evidence))
    return features


def _features(
    account: GraphAccount, relations: Mapping[str, RelationProfile]
) -> Iterator[tuple[str, float]]:
    question, links, reading = account.question, account.links, account.reading
    unexplained = question.content - question.fillers - account.explained
    yield "content words unexplained", min(len(unexplained), 6) / 3
    for operator in reading.operators:
        yield f"operator {operator}", 1.0
    for link in reading.links:
        yield from _link_features(links, link)
    yield from _relation_features(account)
    yield from _order_features(links, reading)
    yield from _pair_features(reading)
    yield from _type_features(links, reading, relations)
    yield from _noun_features(account)
    yield from _person_features(account)
    voice = find_voice(links, reading)
    if voice is not None:
        yield "voice fits" if voice else "voice does not fit", 1.0
    yield from _cue_features(account)
    yield from _answer_features(question, reading)
    yield from _number_features(question, reading, relations)


def _link_features(links: GraphLinks, link: NameLink) -> Iterator[tuple[str, float]]:
    question = links.question
    words = [question.words[p] for p in link.positions if p in question.content]
    yield "words of names", min(len(words), 4) / 2
    yield "letters of names", min(sum(map(len, words)), 20) / 10
    if link.is_marked:
        yield "name in brackets", 1.0
    if link.is_inside:
        yield "part of a longer name", 1.0
    if link.tier == "alias":
        yield "alias", 1.0
    if link.tier == "similar":
        yield "similar name", 1.0
        yield "dissimilarity", 1.0 - link.score


def _relation_features(account: GraphAccount) -> Iterator[tuple[str, float]]:
    links, reading, linked = account.links, account.reading, account.linked
    matches = [links.match(hop.relation) for hop in reading.hops]
    strengths = [min(match.strength(linked), 2.0) for match in matches]
    if not matches:
        return
    joined: dict[int, float] = {}
    context: dict[int, float] = {}
    for match in matches:
        _join(joined, match.own, linked)
        _join(context, match.context, linked)
    yield "relation words matched", min(sum(joined.values()), 3.0)
    only_context = [value for p, value in context.items() if p not in joined]
    yield "context words matched", min(sum(only_context), 2.0)
    is_event = "through unnamed" in reading.operators
    if max(strengths) == 0:
        yield "no relation matched", 1.0
    elif min(strengths) == 0 and not is_event:
        yield "a relation unmatched", 1.0
    if account.has_preposition:
        yield "preposition before the name", 1.0
    shares = [match.share for match in matches]
    yield "share of relation words matched", max(shares) if is_event else min(shares)
    if any(value >= 0.99 for value in joined.values()):
        yield "relation word as written", 1.0


def _join(joined: dict[int, float], matches: Mapping[int, float], linked: frozenset[int]) -> None:
    for position, strength in matches.items():
        if position not in linked:
            joined[position] = max(joined.get(position, 0.0), strength)


def _order_features(links: GraphLinks, reading: GraphReading) -> Iterator[tuple[str, float]]:
    """The first of two hops stands nearer to the name: *who directed the films written by Ann*."""
    if "two hops" in reading.operators and len(reading.hops) == 2:
        near, far = (_distance(links, hop, reading.links[0]) for hop in reading.hops)
        if near is not None and far is not None and near != far:
            yield "first hop is nearer" if near < far else "second hop is nearer", 1.0
        words = [_best_positions(links.match(hop.relation)) for hop in reading.hops]
        skips = any(map(skips_generation, links.question.words))
        if words[0] and words[0] == words[1] and not skips:
            yield "one word for two hops", 1.0
    elif "both" in reading.operators and len(reading.hops) == 2:
        for link, hop in zip(reading.links, reading.hops, strict=True):
            distance = _distance(links, hop, link)
            if distance is not None:
                yield "distance of both", min(distance, 6) / 6


def _pair_features(reading: GraphReading) -> Iterator[tuple[str, float]]:
    """The subject stands before the object: *when was Ann married to Bob*."""
    is_of_fact = isinstance(reading.plan, FactTimes | FactDuration | FactCount | Membership)
    if is_of_fact and len(reading.links) == 2:
        first, second = reading.links
        yield "subject before object", 1.0 if first.first < second.first else -1.0


def _best_positions(match: RelationMatch) -> frozenset[int]:
    best = max(match.own.values(), default=0.0)
    return frozenset(p for p, strength in match.own.items() if strength == best)


def _distance(links: GraphLinks, hop: Hop, link: NameLink) -> int | None:
    own = links.match(hop.relation).own
    distances = [
        min(abs(position - link.first), abs(position - link.last + 1))
        for position, strength in own.items()
        if strength >= MIN_STRENGTH and position not in link.positions
    ]
    return min(distances, default=None)


def _type_features(
    links: GraphLinks, reading: GraphReading, relations: Mapping[str, RelationProfile]
) -> Iterator[tuple[str, float]]:
    """Compare the kind of the answer with the kind that the question word asks for."""
    question = links.question
    if not reading.hops or not isinstance(reading.plan, MemberNames | MemberCount | FactTimes):
        return
    last = reading.hops[-1]
    match, profile = links.match(last.relation), relations.get(last.relation)
    is_time = isinstance(reading.plan, FactTimes)
    is_date = is_time or (last.forward and _is_date(profile))
    asks_time = question.kind in _TIME_KINDS or bool(
        _TIME_NOUNS & {question.words[p] for p in question.head}
    )
    if asks_time:
        yield "time asked" if is_date else "time asked, other answer", 1.0
    elif is_date:
        yield "time not asked", 1.0
    kind = asked_kind(question)
    if kind in ("who", "where"):
        fits = match.fits_question_word(last.forward) and not is_date
        yield f"{kind} fits" if fits else f"{kind} does not fit", 1.0


def _noun_features(account: GraphAccount) -> Iterator[tuple[str, float]]:
    """Compare what the noun that is asked for names with what is answered or counted."""
    links, reading = account.links, account.reading
    head = links.nouns - account.linked
    if not head or not reading.hops or not isinstance(reading.plan, MemberNames | MemberCount):
        return
    last = reading.hops[-1]
    match = links.match(last.relation)
    tail_noun = max((match.own.get(position, 0.0) for position in head), default=0.0)
    head_noun = max((match.domain.get(position, 0.0) for position in head), default=0.0)
    if head & match.bearers:
        head_noun = 1.0
    if names_head(last.relation):
        head_noun, tail_noun = max(head_noun, tail_noun), 0.0
    answer, start = (tail_noun, head_noun) if last.forward else (head_noun, tail_noun)
    if head & reading.kinds:
        answer = 1.0
    yield "head noun is the answer", answer
    if answer < start:
        yield "head noun is the other end", start
    is_unmatched = answer == start == 0
    is_free = is_unmatched and head <= links.free_nouns
    yield "head noun unmatched", float(is_unmatched and not is_free)
    yield "head noun of no relation", float(is_free)


def _person_features(account: GraphAccount) -> Iterator[tuple[str, float]]:
    question, reading = account.question, account.reading
    head = account.links.nouns - account.linked
    asks_persons = names_person(question.lexicon, question.words[max(head)]) if head else None
    if question.kind == "who" and not head:
        asks_persons = True
    if (
        asks_persons is None
        or not reading.hops
        or not isinstance(reading.plan, MemberNames | MemberCount)
    ):
        return
    # In *clubs that never won*, the first relation begins at the clubs.
    hop = reading.hops[0] if "without" in reading.operators else reading.hops[-1]
    if leads_to_persons(question.lexicon, hop):
        yield "persons asked" if asks_persons else "things asked, persons answered", 1.0
    elif asks_persons:
        yield "persons asked, maybe things answered", 1.0


def _is_date(profile: RelationProfile | None) -> bool:
    return profile is not None and profile.dates > 0.5 * profile.facts


def _number_features(
    question: PlainQuestion, reading: GraphReading, relations: Mapping[str, RelationProfile]
) -> Iterator[tuple[str, float]]:
    """*how many beds does it have* asks for the number in the data, if there is one."""
    if question.kind not in NUMBER_KINDS or not reading.hops:
        return
    last = reading.hops[-1]
    profile = relations.get(last.relation)
    is_number = last.forward and profile is not None and profile.numbers > 0.5 * profile.facts
    if isinstance(reading.plan, MemberCount):
        yield "numbers counted" if is_number else "members counted", 1.0
    elif isinstance(reading.plan, MemberNames):
        yield "number asked, number in the data" if is_number else "number asked, names", 1.0


def _cue_features(account: GraphAccount) -> Iterator[tuple[str, float]]:
    question, reading = account.question, account.reading
    for cue, name in _CUES.items():
        if question.has_cue(cue):
            yield f"cue {name} used" if cue in reading.cues else f"cue {name} unused", 1.0
    numbers = [n for n in question.numbers if not n.is_ordinal and n.value.start is not None]
    for number in numbers:
        if not number.positions & (account.linked | reading.positions):
            yield "date unused", 1.0


def _answer_features(question: PlainQuestion, reading: GraphReading) -> Iterator[tuple[str, float]]:
    members = reading.members
    yield "size of the answer", log(1 + min(len(members), 200)) / 3
    if len(members) > 1 and not question.asks_several:
        yield "several answers to one", 1.0
    texts = [member for member in members if isinstance(member, str)]
    words = f" {' '.join(question.words)} "
    if texts and not isinstance(reading.plan, ComparedNames | ComparedTimes):
        inside = sum(f" {normalize_name(text)} " in words for text in texts[:5])
        yield "answer stands in the question", inside / min(len(texts), 5)
