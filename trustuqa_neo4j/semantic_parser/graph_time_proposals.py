"""Proposes plans over the valid times of facts: at a time, when, first and last, before and after, while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .graph_links import GraphLinks, NameLink
from .graph_plans import (
    FactTimes,
    Follow,
    GraphPlan,
    MemberNames,
    Moment,
    NamedNodes,
    RelativeMembers,
    SimultaneousMembers,
    TimeCondition,
)
from .graph_proposals import GraphReading
from .graph_view import Hop, Neighbourhood

_MAX_HOPS = 12
_FIRST, _LAST = ("first", "earliest"), ("last", "latest")
_TIME_WORDS = frozenset(("when", "year", "years", "date", "dates", "time", "times", "day", "long"))


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
    question = links.question
    for number in question.numbers:
        value = number.value
        if number.is_ordinal or value.start is None or number.positions & link.positions:
            continue
        moment = Moment(number.text, value.start, value.end or value.start)
        conditions = [TimeCondition("time", "=", moment)]
        if question.has_cue("previous"):
            conditions.append(TimeCondition("time", "<", moment))
        if question.has_cue("next"):
            conditions.append(TimeCondition("time", ">", moment))
        for condition in conditions:
            plan = MemberNames(Follow(_nodes(link), hop, condition))
            cue = {"=": "at", "<": "previous", ">": "next"}[condition.operator]
            yield _read(plan, (link,), hop, f"time {cue}", cue, number.positions)


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
            for is_nearest in (False, True):
                plan = RelativeMembers(_nodes(source), hop, _nodes(other), operator, is_nearest)
                name = "nearest relative" if is_nearest else "relatives"
                yield _read(MemberNames(plan), (source, other), hop, name, cue)


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
