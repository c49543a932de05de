"""Proposes plans over the valid times of facts: at a time, when, how long, first and last, before, while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ..language.words import AUXILIARIES
from ..values import read_value
from .graph_links import GraphLinks, NameLink
from .graph_plans import (
    FactDuration,
    FactTimes,
    Follow,
    GraphPlan,
    MemberNames,
    Membership,
    Moment,
    NamedNodes,
    RelativeMembers,
    SimultaneousMembers,
    TimeCondition,
)
from .graph_proposals import GraphReading
from .graph_view import Hop, Neighbourhood
from .question import PlainQuestion, QuestionNumber

_MAX_HOPS = 12
_CONDITION_CUES = {"=": "at", "<": "previous", ">": "next"}
_FIRST, _LAST = ("first", "earliest"), ("last", "latest")
_TIME_WORDS = frozenset(("when", "year", "years", "date", "dates", "time", "times", "day", "long"))
_LENGTHS = {
    ("how", "long"): "duration",
    ("how", "many", "years"): "year_difference",
    ("how", "many", "days"): "days_difference",
}
_PERIODS = {"between": "and", "from": "to"}  # *between 1960 and 1970*
# A person has one successor, but many came after; the name follows: *who succeeded Ann as mayor*.
_SUCCESSIONS = {
    "next": frozenset(("followed", "follows", "succeeded", "succeeds", "replaced", "successor")),
    "previous": frozenset(("preceded", "precedes", "predecessor")),
}


def propose_time_readings(
    links: GraphLinks, hood: Neighbourhood, pairs: Sequence[tuple[NameLink, NameLink]]
) -> Iterator[GraphReading]:
    for link in links.names:
        for hop in _timed_hops(links, hood, link):
            yield from _propose_moments(links, link, hop)
            yield from _propose_extremes(links, link, hop)
    for first, second in pairs:
        hops = [
            hop
            for hop in _timed_hops(links, hood, first)
            if set(hood.follow(first.nodes, hop)) & set(second.nodes)
        ]
        for hop in hops:
            if hop.forward:
                yield from _propose_times(links, first, second, hop)
            yield from _propose_memberships(links, first, second, hop)
            yield from _propose_relatives(links, first, second, hop)
            yield from _propose_simultaneous(links, hood, first, second, hop)


def _timed_hops(links: GraphLinks, hood: Neighbourhood, link: NameLink) -> list[Hop]:
    hops = [
        hop
        for hop in hood.hops(link.nodes)
        if any(edge.start is not None for edge in hood.select(link.nodes, hop))
    ]
    return sorted(hops, key=lambda hop: -links.strength(hop, link))[:_MAX_HOPS]


def _nodes(link: NameLink) -> NamedNodes:
    return NamedNodes(link.name, link.nodes)


def _propose_moments(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    for condition, positions in _find_conditions(links, link.positions):
        plan = MemberNames(Follow(_nodes(link), hop, condition))
        cue = _CONDITION_CUES[condition.operator]
        yield _read(plan, (link,), hop, f"time {cue}", cue, positions)


def _propose_memberships(
    links: GraphLinks, subject: NameLink, target: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    """*was Ann mayor in 1970*: yes if the fact held then."""
    if links.question.kind not in AUXILIARIES:
        return
    for condition, positions in _find_conditions(links, subject.positions | target.positions):
        plan = Membership(Follow(_nodes(subject), hop, condition), _nodes(target))
        cue = _CONDITION_CUES[condition.operator]
        reading = _read(plan, (subject, target), hop, f"time {cue}", cue, positions)
        yield replace(reading, operators=("truth", *reading.operators))


def _find_conditions(
    links: GraphLinks, excluded: frozenset[int]
) -> Iterator[tuple[TimeCondition, frozenset[int]]]:
    """Yield the conditions on a time that the question may state, with the words that state them."""
    question = links.question
    numbers = [
        number
        for number in question.numbers
        if not number.is_ordinal and number.value.start is not None
    ]
    for number in numbers:
        value = number.value
        if value.start is None or number.positions & excluded:
            continue
        moment = Moment(number.text, value.start, value.end or value.start)
        yield TimeCondition("time", "=", moment), number.positions
        if question.has_cue("previous"):
            yield TimeCondition("time", "<", moment), number.positions
        if question.has_cue("next"):
            yield TimeCondition("time", ">", moment), number.positions
    for first, last in pairwise(numbers):
        period = _read_period(question, first, last)
        if period is not None and not period[1] & excluded:
            yield TimeCondition("time", "=", period[0]), period[1]


def _read_period(
    question: PlainQuestion, first: QuestionNumber, last: QuestionNumber
) -> tuple[Moment, frozenset[int]] | None:
    """Read *between 1960 and 1970*, from the first day of the one to the last day of the other."""
    preposition = question.words[first.first - 1] if first.first else ""
    between = question.words[first.last : last.first]
    text = f"{first.text} – {last.text}"
    value = read_value(text)
    if between != (_PERIODS.get(preposition),) or value is None or value.start is None:
        return None
    positions = frozenset(range(first.first - 1, last.last))
    return Moment(text, value.start, value.end or value.start), positions


def _propose_extremes(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    question = links.question
    for cues, moment, extreme in ((_FIRST, "earliest", "min"), (_LAST, "latest", "max")):
        cue = next((cue for cue in cues if question.has_cue(cue)), None)
        if cue is None:
            continue
        condition = TimeCondition("start time", "=", moment)
        plan = MemberNames(Follow(_nodes(link), hop, condition))
        yield _read(plan, (link,), hop, "time extreme", cue)
        if _asks_time(links):
            keys = ("time",) if extreme == "min" else ("time", "start time")
            for key in keys:
                times = FactTimes(_nodes(link), hop, None, key, extreme)
                yield _read(times, (link,), hop, f"extreme {key}", cue, _time_words(links))


def _propose_times(
    links: GraphLinks, head: NameLink, tail: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    question = links.question
    nodes = _nodes(head), hop, _nodes(tail)
    words = _time_words(links)
    for phrase, function in _LENGTHS.items():
        positions = question.find_phrase(*phrase)
        if positions:
            plan = FactDuration(*nodes, function)
            yield _read(plan, (head, tail), hop, "duration", "", positions)
    yield _read(FactTimes(*nodes, "time"), (head, tail), hop, "years", "", words)
    for cues, key, extreme in (
        (("begin", *_FIRST), "start time", "min"),
        (("finish", *_LAST), "end time", "max"),
    ):
        cue = next((cue for cue in cues if question.has_cue(cue)), None)
        if cue is None:
            continue
        yield _read(FactTimes(*nodes, key), (head, tail), hop, key, cue, words)
        times = FactTimes(*nodes, "time", extreme)
        yield _read(times, (head, tail), hop, "extreme year", cue, words)


def _propose_relatives(
    links: GraphLinks, source: NameLink, other: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    for cue, operator in (("previous", "<"), ("next", ">")):
        if links.question.has_cue(cue):
            succession = _find_succession(links.question, cue)
            if succession is not None and not succession < other.first < source.first:
                continue
            for is_nearest in (True,) if succession is not None else (False, True):
                plan = RelativeMembers(_nodes(source), hop, _nodes(other), operator, is_nearest)
                name = "nearest relative" if is_nearest else "relatives"
                yield _read(MemberNames(plan), (source, other), hop, name, cue)


def _find_succession(question: PlainQuestion, cue: str) -> int | None:
    """Return the position of a word that means the next or the previous alone, if it is no passive."""
    words = question.words
    places = (p for p, word in enumerate(words) if word in _SUCCESSIONS[cue])
    return next((p for p in places if words[p + 1 : p + 2] != ("by",)), None)


def _propose_simultaneous(
    links: GraphLinks, hood: Neighbourhood, subject: NameLink, target: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    cue = next((c for c in ("while", "together") if links.question.has_cue(c)), None)
    if cue is None:
        return
    for source in links.names:
        if source.overlaps(subject) or (source.overlaps(target) and source != target):
            continue
        for source_hop in _timed_hops(links, hood, source):
            if source == target and source_hop != hop.inverse:
                continue
            plan = SimultaneousMembers(
                _nodes(source), source_hop, _nodes(subject), hop, _nodes(target)
            )
            names = (source, subject) if source == target else (source, subject, target)
            yield _read(MemberNames(plan), names, source_hop, "while", cue)


def _asks_time(links: GraphLinks) -> bool:
    return bool(_time_words(links))


def _time_words(links: GraphLinks) -> frozenset[int]:
    return frozenset(p for p, word in enumerate(links.question.words) if word in _TIME_WORDS)


def _read(
    plan: GraphPlan,
    names: tuple[NameLink, ...],
    hop: Hop,
    operator: str,
    cue: str,
    positions: frozenset[int] = frozenset(),
) -> GraphReading:
    cues = frozenset((cue,)) if cue else frozenset[str]()
    return GraphReading(plan, names, (hop,), (operator,), cues, positions)
