"""Proposes plans over the valid times of facts: at a time, when, how long, first and last, before, while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ..language.words import AUXILIARIES
from ..values import read_value
from .graph_links import GraphLinks, NameLink
from .graph_plans import (
    EitherMembers,
    FactCount,
    FactDuration,
    FactTimes,
    Follow,
    GraphPlan,
    MemberCount,
    MemberNames,
    Membership,
    Moment,
    RelativeMembers,
    SimultaneousMembers,
    TimeCondition,
)
from .graph_proposals import EXTREMES, GraphReading, named_nodes
from .graph_view import Hop, Neighbourhood
from .question import PlainQuestion, QuestionNumber

_MAX_HOPS, _MAX_EVENT_HOPS = 12, 3
_CONDITION_CUES = {"=": "at", "<": "previous", ">": "next"}
_CHANGES = {"begin": "start time", "finish": "end time"}  # *the club that he joined in 1990*
_FIRST, _LAST = ("first", "earliest"), ("last", "latest")
_TIME_WORDS = frozenset(("when", "year", "years", "date", "dates", "time", "times", "day", "long"))
_LENGTHS = {
    ("how", "long"): "duration",
    ("how", "many", "years"): "year_difference",
    ("how", "many", "days"): "days_difference",
}
_LENGTH_EXTREMES = frozenset(("longest", "shortest"))
_TERMS = frozenset(
    ("time", "serving", "reign", "reigning", "ruling", "running", "spell", "stay", "stint", "tenure", "term",
     "period", "lasting", "spent", "served")
)  # fmt: skip
_PERIODS = {"between": "and", "from": "to"}  # *between 1960 and 1970*
_ADJACENT = frozenset(("right", "just", "directly", "immediately", "next"))
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
            yield from _propose_single_times(links, link, hop)
            yield from _propose_lengths(links, link, hop)
            yield from _propose_extremes(links, link, hop)
    if links.question.has_cue("while"):
        for source, event in pairs:
            yield from _propose_events(links, hood, source, event)
    for first, second in pairs:
        if links.question.has_cue("or") and first.first < second.first:
            yield from _propose_either(links, hood, first, second)
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


def _propose_moments(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    for condition, positions in _find_conditions(links, link.positions):
        members = Follow(named_nodes(link), hop, condition)
        cue = _CONDITION_CUES[condition.operator]
        reading = _read(MemberNames(members), (link,), hop, f"time {cue}", cue, positions)
        yield reading
        if links.question.has_cue("count"):
            operators = (*reading.operators, "count")
            yield replace(
                reading, plan=MemberCount(members), operators=operators,
                cues=reading.cues | {"count"},
            )  # fmt: skip
        for change, key in _CHANGES.items():
            if condition.operator == "=" and links.question.has_cue(change):
                changed = Follow(named_nodes(link), hop, replace(condition, key=key))
                yield _read(MemberNames(changed), (link,), hop, f"{key} at", change, positions)


def _propose_either(
    links: GraphLinks, hood: Neighbourhood, first: NameLink, second: NameLink
) -> Iterator[GraphReading]:
    """*who led A or B in 1970*."""
    others = frozenset(hood.hops(second.nodes))
    for hop in _timed_hops(links, hood, first):
        if hop not in others or not links.strength(hop, first):
            continue
        for condition, positions in _find_conditions(links, first.positions | second.positions):
            members = (Follow(named_nodes(link), hop, condition) for link in (first, second))
            cue = _CONDITION_CUES[condition.operator]
            plan = MemberNames(EitherMembers(*members))
            reading = _read(plan, (first, second), hop, f"time {cue}", cue, positions)
            yield replace(
                reading, operators=("either", *reading.operators), cues=reading.cues | {"or"}
            )


def _propose_memberships(
    links: GraphLinks, subject: NameLink, target: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    """*was Ann mayor in 1970*: yes if the fact held then."""
    if links.question.kind not in AUXILIARIES:
        return
    for condition, positions in _find_conditions(links, subject.positions | target.positions):
        plan = Membership(Follow(named_nodes(subject), hop, condition), named_nodes(target))
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
        plan = MemberNames(Follow(named_nodes(link), hop, condition))
        yield _read(plan, (link,), hop, "time extreme", cue)
        if _asks_time(links):
            keys = ("time",) if extreme == "min" else ("time", "start time")
            for key in keys:
                times = FactTimes(named_nodes(link), hop, None, key, extreme)
                yield _read(times, (link,), hop, f"extreme {key}", cue, _time_words(links))


def _propose_single_times(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    """*when did Sarn become the capital*: the times of all facts of a hop from one name."""
    question, words = links.question, _time_words(links)
    nodes = named_nodes(link), hop, None
    for phrase, function in _LENGTHS.items():
        positions = question.find_phrase(*phrase)
        if positions:
            plan = FactDuration(*nodes, function)
            yield _read(plan, (link,), hop, "duration of one", "", positions)
    if not words:
        return
    yield _read(FactTimes(*nodes, "time"), (link,), hop, "years of one", "", words)
    for cue, key in _CHANGES.items():
        if question.has_cue(cue):
            yield _read(FactTimes(*nodes, key), (link,), hop, f"{key} of one", cue, words)


def _propose_lengths(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    """*who was mayor the longest*, *longest serving manager*: by how long the facts held."""
    question = links.question
    for cue in question.cues:
        word = question.words[cue.first]
        if word in _LENGTH_EXTREMES and cue.operator in EXTREMES:
            condition = TimeCondition("duration", "=", word)
            plan = MemberNames(Follow(named_nodes(link), hop, condition))
            beside = {cue.first - 1, *range(cue.last, cue.last + 2)}
            words = {p for p in beside if question.words[p : p + 1] and question.words[p] in _TERMS}
            positions = cue.positions | words
            yield _read(plan, (link,), hop, "extreme duration", cue.operator, positions)


def _propose_times(
    links: GraphLinks, head: NameLink, tail: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    question = links.question
    nodes = named_nodes(head), hop, named_nodes(tail)
    words = _time_words(links)
    for phrase, function in _LENGTHS.items():
        positions = question.find_phrase(*phrase)
        if positions:
            plan = FactDuration(*nodes, function)
            yield _read(plan, (head, tail), hop, "duration", "", positions)
    yield _read(FactTimes(*nodes, "time"), (head, tail), hop, "years", "", words)
    if "year" in question.words:
        first = FactTimes(*nodes, "time", "min")
        yield _read(first, (head, tail), hop, "first year", "", words)
    if question.has_cue("count"):
        repeated = frozenset(p for p, word in enumerate(question.words) if word == "times")
        yield _read(FactCount(*nodes), (head, tail), hop, "times", "count", repeated)
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
            is_adjacent = succession is not None or _is_adjacent(links.question, cue)
            for is_nearest in (True,) if is_adjacent else (False, True):
                plan = RelativeMembers(
                    named_nodes(source), hop, named_nodes(other), operator, is_nearest
                )
                name = "nearest relative" if is_nearest else "relatives"
                yield _read(MemberNames(plan), (source, other), hop, name, cue)


def _is_adjacent(question: PlainQuestion, operator: str) -> bool:
    """*right before*, *directly after*."""
    return any(
        cue.operator == operator and {*question.words[max(0, cue.first - 1) : cue.last]} & _ADJACENT
        for cue in question.cues
    )


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
        is_other = source in (subject, target) and cue == "while"
        if (source.overlaps(subject) or source.overlaps(target)) and not (
            source == target or is_other
        ):
            continue
        for source_hop in _timed_hops(links, hood, source):
            if source == target and source_hop != hop.inverse and not is_other:
                continue
            if source == subject and source_hop == hop:
                continue
            plan = SimultaneousMembers(
                named_nodes(source), source_hop, named_nodes(subject), hop, named_nodes(target)
            )
            names = tuple(dict.fromkeys((source, subject, target)))
            verbs = frozenset(links.match(hop.relation).own)
            yield _read(MemberNames(plan), names, source_hop, "while", cue, verbs)


def _propose_events(
    links: GraphLinks, hood: Neighbourhood, source: NameLink, event: NameLink
) -> Iterator[GraphReading]:
    """*who was marshal at the time of the battle*: while the facts of another name held."""
    for event_hop in _timed_hops(links, hood, event)[:_MAX_EVENT_HOPS]:
        for hop in _timed_hops(links, hood, source):
            if links.strength(hop, source) or source.tier != "similar":
                plan = SimultaneousMembers(
                    named_nodes(source), hop, named_nodes(event), event_hop, None
                )
                verbs = frozenset(links.match(event_hop.relation).own)
                names = (source, event)
                yield _read(MemberNames(plan), names, hop, "while event", "while", verbs)


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
