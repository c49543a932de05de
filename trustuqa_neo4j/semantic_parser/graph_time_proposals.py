"""Proposes plans over the valid times of facts: at a time, when, how long, first and last, before, while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ..lexicon.words import WORDS
from ..values import read_value
from .comparison_phrases import is_range
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
    NamedNodes,
    NodePlan,
    RelativeMembers,
    SimultaneousMembers,
    TimedEnds,
    select_facts,
    select_timed_facts,
)
from .graph_proposals import EXTREMES, GraphPath, GraphReading, named_nodes
from .graph_view import Hop, Neighbourhood
from .question import PlainQuestion, QuestionNumber
from .time_conditions import Moment, TimeCondition

_MAX_HOPS, _MAX_EVENT_HOPS = 12, 3
_CONDITION_CUES = {"=": "at", "<": "previous", ">": "next"}


class TimeEnd(NamedTuple):
    """The first or the last of times: its cues, its moment, and the change there with the key of its time."""

    is_upper: bool
    cues: tuple[str, str]
    moment: str
    change: str
    key: str


_ENDS = (
    TimeEnd(False, ("first", "earliest"), "earliest", "begin", "start time"),
    TimeEnd(True, ("last", "latest"), "latest", "finish", "end time"),
)
_FIRST, _LAST = (end.cues for end in _ENDS)
_CHANGES = {end.change: end.key for end in _ENDS}  # *the club that he joined in 1990*
_RETURNS = WORDS.verbs.returns
_MOVES = WORDS.verbs.moves  # at a time: then
_TIME_WORDS = WORDS.times.time_words
_LENGTHS = {"years": "year_difference", "days": "days_difference"}
_LENGTH_EXTREMES = WORDS.times.longest
_TERMS = WORDS.times.terms
_SUBJECTS = WORDS.grammar.subject_pronouns | WORDS.grammar.possessives
_ADJACENT = WORDS.times.adjacent
# A person has one successor, but many came after; the name follows: *who succeeded Ann as mayor*.
_SUCCESSIONS = {"next": WORDS.verbs.following, "previous": WORDS.verbs.preceding}

_SUCCESSION_PHRASES = {tuple(verb.split()) for verb in WORDS.verbs.successions}


def propose_time_readings(
    links: GraphLinks,
    hood: Neighbourhood,
    pairs: Sequence[tuple[NameLink, NameLink]],
    paths: Mapping[NameLink, Sequence[GraphPath]],
) -> Iterator[GraphReading]:
    yield from _propose_open_moments(links, hood)
    for link in links.names:
        yield from _propose_second_moments(links, hood, link, paths[link])
        yield from _propose_unnamed_sources(links, hood, link)
        for hop in _timed_hops(links, hood, link):
            yield from _propose_moments(links, link, hop)
            yield from _propose_single_times(links, link, hop)
            yield from _propose_lengths(links, link, hop)
            yield from _propose_extremes(links, link, hop)
    if links.question.has_cue("while"):
        own = [(link, link) for link in links.names] if _has_pronoun(links) else []
        for source, event in (*pairs, *own):
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
                yield from _propose_times(links, hood, first, second, hop)
            yield from _propose_memberships(links, first, second, hop)
            yield from _propose_orders(links, hood, first, second, hop)
            yield from _propose_relatives(links, first, second, hop)
            yield from _propose_simultaneous(links, hood, first, second, hop)


def states_time(question: PlainQuestion) -> bool:
    """True if the question has a date, or words for an order of times."""
    return question.is_dated or any(map(question.has_cue, (*_FIRST, *_LAST, "previous", "next")))


def _timed_hops(links: GraphLinks, hood: Neighbourhood, link: NameLink) -> list[Hop]:
    hops = [
        hop
        for hop in hood.hops(link.nodes)
        if hop.relation not in links.lesser_acts
        and any(edge.start is not None for edge in hood.select(link.nodes, hop))
    ]
    return sorted(hops, key=lambda hop: -links.strength(hop, link))[:_MAX_HOPS]


def _propose_moments(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    for condition, positions in _find_conditions(links, link.positions):
        members = Follow(named_nodes(link), hop, condition)
        cue = _CONDITION_CUES[condition.operator]
        reading = _read(MemberNames(members), (link,), hop, f"time {cue}", cue, positions)
        if condition.operator != "=" or _MOVES.isdisjoint(links.question.words):
            yield reading
        if links.question.has_cue("count"):
            yield _count_members(reading, members)
        for change, key in _CHANGES.items():
            if condition.operator == "=" and links.question.has_cue(change):
                changed = Follow(named_nodes(link), hop, replace(condition, key=key))
                yield _read(MemberNames(changed), (link,), hop, f"{key} at", change, positions)


def _propose_open_moments(links: GraphLinks, hood: Neighbourhood) -> Iterator[GraphReading]:
    """*which mayors took office between 1960 and 1980*: ends of all facts of a relation by their times."""
    conditions = list(_find_open_conditions(links))
    is_counted = links.question.has_cue("count")
    for relation in hood.whole if conditions else ():
        if not links.match(relation).own or not _has_times(hood, relation):
            continue
        for hop in (Hop(relation, True), Hop(relation, False)):
            for condition, cue, positions in conditions:
                plan = TimedEnds(hop, condition)
                changes = _CHANGES if condition.key != "time" else ()
                reading = GraphReading(
                    MemberNames(plan), (), (hop,), ("open", f"time {cue}"),
                    frozenset((cue, *changes)), positions,
                )  # fmt: skip
                yield reading
                if is_counted:
                    yield _count_members(reading, plan)


def _count_members(reading: GraphReading, members: NodePlan) -> GraphReading:
    return replace(
        reading, plan=MemberCount(members), operators=(*reading.operators, "count"),
        cues=reading.cues | {"count"},
    )  # fmt: skip


def _has_times(hood: Neighbourhood, relation: str) -> bool:
    facts = hood.select(hood.whole[relation], Hop(relation, True))
    return any(edge.start is not None for edge in facts)


def _find_open_conditions(
    links: GraphLinks,
) -> Iterator[tuple[TimeCondition, str, frozenset[int]]]:
    """Yield conditions on times with the cue and the words that state them."""
    question = links.question
    keys = ("time", *(key for change, key in _CHANGES.items() if question.has_cue(change)))
    for condition, positions in _find_conditions(links, frozenset()):
        for key in keys:
            yield replace(condition, key=key), _CONDITION_CUES[condition.operator], positions
    for end in _ENDS:
        cue = _find_cue(question, end.cues)
        if cue is not None:
            yield TimeCondition("start time", "=", end.moment), cue, frozenset()


def _find_cue(question: PlainQuestion, cues: Iterable[str]) -> str | None:
    return next((cue for cue in cues if question.has_cue(cue)), None)


def _propose_unnamed_sources(
    links: GraphLinks, hood: Neighbourhood, other: NameLink
) -> Iterator[GraphReading]:
    """*who succeeded Ann as mayor* says of no city, but Ann was mayor of one."""
    for hop in _timed_hops(links, hood, other):
        nodes = hood.follow(other.nodes, hop)
        name = hood.names.get(nodes[0]) if len(nodes) == 1 else None
        if name is None or not links.strength(hop, other):
            continue
        end = len(links.question.words)
        source = NameLink(end, end, name, nodes, "name", 1.0)
        for reading in (
            *_propose_relatives(links, source, other, hop.inverse),
            *_propose_orders(links, hood, source, other, hop.inverse),
        ):
            names = tuple(link for link in reading.links if link != source)
            yield replace(reading, links=names, operators=(*reading.operators, "unnamed source"))


def _propose_second_moments(
    links: GraphLinks, hood: Neighbourhood, link: NameLink, paths: Sequence[GraphPath]
) -> Iterator[GraphReading]:
    """*which station did the wife of Bob manage in 1974*: the second fact held then."""
    for path in [path for path in paths if len(path.hops) == 2][:_MAX_EVENT_HOPS]:
        plan = path.plan
        own = links.match(path.hops[1].relation).own.keys() - links.nouns - link.positions
        if not isinstance(plan, Follow) or not own or not links.strength(path.hops[0], link):
            continue
        edges = hood.select(plan.source.nodes(hood), plan.hop)
        if not any(edge.start is not None for edge in edges):
            continue
        for condition, positions in _find_conditions(links, link.positions):
            cue = _CONDITION_CUES[condition.operator]
            yield GraphReading(
                MemberNames(replace(plan, when=condition)), path.links, path.hops,
                (*path.operators, f"time {cue}"), frozenset((cue,)), positions,
            )  # fmt: skip


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
    if links.question.kind not in WORDS.grammar.auxiliaries:
        return
    for condition, positions in _find_conditions(links, subject.positions | target.positions):
        plan = Membership(Follow(named_nodes(subject), hop, condition), named_nodes(target))
        cue = _CONDITION_CUES[condition.operator]
        reading = _read(plan, (subject, target), hop, f"time {cue}", cue, positions)
        yield replace(reading, operators=("truth", *reading.operators))


def _propose_orders(
    links: GraphLinks, hood: Neighbourhood, source: NameLink, other: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    """*did Ann run the firm before Bob*: yes if the one fact began before the other."""
    question = links.question
    if question.kind not in WORDS.grammar.auxiliaries:
        return
    ends = frozenset(hood.follow(source.nodes, hop))
    for cue in question.cues:
        operator = {"previous": "<", "next": ">"}.get(cue.operator)
        if operator is None or other.first < cue.last:
            continue
        for target in links.names:
            is_before = target.last <= cue.first and not ends.isdisjoint(target.nodes)
            if is_before and not target.overlaps(source):
                facts = RelativeMembers(
                    named_nodes(source), hop, named_nodes(other), operator, is_nearest=False
                )
                plan = Membership(facts, named_nodes(target))
                yield _read(plan, (source, other, target), hop, "truth of order", cue.operator)


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
    text = f"{first.text} – {last.text}"
    value = read_value(text)
    if not is_range(question, first, last) or value is None or value.start is None:
        return None
    positions = frozenset(range(first.first - 1, last.last))
    return Moment(text, value.start, value.end or value.start), positions


def _propose_extremes(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    question = links.question
    for end in _ENDS:
        cue = _find_cue(question, end.cues)
        if cue is None:
            continue
        condition = TimeCondition("start time", "=", end.moment)
        plan = MemberNames(Follow(named_nodes(link), hop, condition))
        yield _read(plan, (link,), hop, "time extreme", cue)
        if _time_words(links):
            keys = ("time", "start time") if end.is_upper else ("time",)
            for key in keys:
                times = FactTimes(named_nodes(link), hop, None, key, end.is_upper)
                yield _read(times, (link,), hop, f"extreme {key}", cue, _time_words(links))


def _propose_single_times(links: GraphLinks, link: NameLink, hop: Hop) -> Iterator[GraphReading]:
    """*when did Sarn become the capital*: the times of all facts of a hop from one name."""
    question, words = links.question, _time_words(links)
    nodes = named_nodes(link), hop, None
    for function, positions in _find_lengths(question):
        plan = FactDuration(*nodes, function)
        yield _read(plan, (link,), hop, "duration of one", "", positions)
    if not words:
        return
    yield _read(
        FactTimes(*nodes, _choose_year_key(question)), (link,), hop, "years of one", "", words
    )
    for cue, key in _CHANGES.items():
        if question.has_cue(cue):
            yield _read(FactTimes(*nodes, key), (link,), hop, f"{key} of one", cue, words)
        elif cue == "begin" and _asks_event(question):
            yield _read(FactTimes(*nodes, key), (link,), hop, "event of one", "", words)


def _choose_year_key(question: PlainQuestion) -> str:
    """Choose the key of both ends for *from when to when*, else that of all years."""
    return "date" if question.asks_both_ends else "time"


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
    links: GraphLinks, hood: Neighbourhood, head: NameLink, tail: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    question = links.question
    nodes = named_nodes(head), hop, named_nodes(tail)
    words = _time_words(links)
    if hop.relation in links.acts and words and not question.has_cue("count"):
        yield from _propose_days(links, (head, tail), hop, nodes)
        return
    for function, positions in _find_lengths(question):
        plan = FactDuration(*nodes, function)
        yield _read(plan, (head, tail), hop, "duration", "", positions)
    yield _read(
        FactTimes(*nodes, _choose_year_key(question)), (head, tail), hop, "years", "", words
    )
    if _asks_event(question):
        start = FactTimes(*nodes, "start time")
        yield _read(start, (head, tail), hop, "event", "", words)
    if "year" in question.words:
        first = FactTimes(*nodes, "time", upper=False)
        yield _read(first, (head, tail), hop, "first year", "", words)
    if question.has_cue("count"):
        repeated = frozenset(p for p, word in enumerate(question.words) if word == "times")
        yield _read(FactCount(*nodes), (head, tail), hop, "times", "count", repeated)
    returns = frozenset(p for p, word in enumerate(question.words) if word in _RETURNS)
    if returns and len({edge.start for edge in select_facts(hood, *nodes)}) > 1:
        again = FactTimes(*nodes, "start time", upper=True)
        yield _read(again, (head, tail), hop, "return", "", words | returns)
    for end in _ENDS:
        cue = _find_cue(question, (end.change, *end.cues))
        if cue is None:
            continue
        yield _read(FactTimes(*nodes, end.key), (head, tail), hop, end.key, cue, words)
        if cue in end.cues:
            once = FactTimes(*nodes, end.key, end.is_upper)
            yield _read(once, (head, tail), hop, f"extreme {end.key}", cue, words)
        times = FactTimes(*nodes, "time", end.is_upper)
        yield _read(times, (head, tail), hop, "extreme year", cue, words)


def _propose_days(
    links: GraphLinks,
    names: tuple[NameLink, ...],
    hop: Hop,
    nodes: tuple[NamedNodes, Hop, NamedNodes | None],
) -> Iterator[GraphReading]:
    """*in which month did Ann last visit Bonn*: of events, by the unit of time that is asked for."""
    question, words = links.question, _time_words(links)
    cues = ((end.is_upper, _find_cue(question, end.cues)) for end in _ENDS)
    upper, cue = next(((upper, cue) for upper, cue in cues if cue), (None, ""))
    is_year, is_month = "year" in question.stems, "month" in question.stems
    key = "time" if is_year else "start time"
    operator = "event" if upper is None else f"extreme {'year' if is_year else key}"
    plan = FactTimes(*nodes, key, upper, is_month and not is_year)
    yield _read(plan, names, hop, operator, cue, words)


def _propose_relatives(
    links: GraphLinks, source: NameLink, other: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    for cue, operator in (("previous", "<"), ("next", ">")):
        if links.question.has_cue(cue):
            succession = _find_succession(links.question, cue)
            if succession is not None and not succession < other.first < source.first:
                continue
            if succession is None and not _follows_cue(links, cue, other, source):
                continue
            # *who was mayor before Ann* asks for one, *which mayors were before Ann* for all.
            is_one = (
                succession is not None
                or _is_adjacent(links.question, cue)
                or not links.question.asks_several
            )
            orders = _FIRST if operator == ">" else _LAST
            order = _find_cue(links.question, orders) or ""
            for is_nearest in (True,) if is_one or order else (False, True):
                plan = RelativeMembers(
                    named_nodes(source), hop, named_nodes(other), operator, is_nearest
                )
                name = "nearest relative" if is_nearest else "relatives"
                reading = _read(MemberNames(plan), (source, other), hop, name, cue)
                yield replace(reading, cues=reading.cues | {order} if order else reading.cues)


def _follows_cue(links: GraphLinks, operator: str, other: NameLink, source: NameLink) -> bool:
    """True if *before* or *after* stands before the name, and no other name between."""
    return any(
        cue.last <= other.first and not cue.last <= source.first < other.first
        for cue in links.question.cues
        if cue.operator == operator
    )


def _is_adjacent(question: PlainQuestion, operator: str) -> bool:
    """*right before*, *directly after*."""
    return any(
        cue.operator == operator and {*question.words[max(0, cue.first - 1) : cue.last]} & _ADJACENT
        for cue in question.cues
    )


def _find_succession(question: PlainQuestion, cue: str) -> int | None:
    """Return the position of a word that means the next or the previous alone, if it is no passive."""
    words = question.words
    places = [p for p, word in enumerate(words) if word in _SUCCESSIONS[cue]]
    places += [
        phrase.first
        for phrase in question.cues
        if phrase.operator == cue and words[phrase.first : phrase.last] in _SUCCESSION_PHRASES
    ]
    return next((p for p in places if words[p + 1 : p + 2] != ("by",)), None)


def _propose_simultaneous(
    links: GraphLinks, hood: Neighbourhood, subject: NameLink, target: NameLink, hop: Hop
) -> Iterator[GraphReading]:
    cue = next((c for c in ("while", "together") if links.question.has_cue(c)), None)
    if cue is None:
        return
    is_same_time = bool(links.question.find_phrase("same", "time", "as"))
    for source in links.names:
        is_other = source in (subject, target) and cue == "while"
        if (source.overlaps(subject) or source.overlaps(target)) and not (
            source == target or is_other
        ):
            continue
        if not is_other and not _is_clause(links, (subject, target), source):
            continue
        for source_hop in _timed_hops(links, hood, source):
            if source == target and source_hop != hop.inverse and not is_other:
                continue
            if source == subject and (source_hop == hop or is_same_time):
                continue
            plan = SimultaneousMembers(
                named_nodes(source), source_hop, named_nodes(subject), hop, named_nodes(target)
            )
            names = tuple(dict.fromkeys((source, subject, target)))
            verbs = frozenset(links.match(hop.relation).own)
            reading = _read(MemberNames(plan), names, source_hop, "while", cue, verbs)
            yield from _time_event(links, hood, reading, plan)


def _propose_events(
    links: GraphLinks, hood: Neighbourhood, source: NameLink, event: NameLink
) -> Iterator[GraphReading]:
    """*who was marshal at the time of the battle*: while the facts of another name held."""
    if not _is_clause(links, (event,), source):
        return
    for event_hop in _event_hops(links, hood, event):
        for hop in _timed_hops(links, hood, source):
            if source == event and (hop == event_hop or not links.strength(hop, source)):
                continue
            if not _says_in_order(links, hop, event_hop, source.positions | event.positions):
                continue
            if links.strength(hop, source) or source.tier != "similar":
                plan = SimultaneousMembers(
                    named_nodes(source), hop, named_nodes(event), event_hop, None
                )
                verbs = frozenset(links.match(event_hop.relation).own)
                reading = _read(
                    MemberNames(plan), (source, event), hop, "while event", "while", verbs
                )
                yield from _time_event(links, hood, reading, plan)


def _has_pronoun(links: GraphLinks) -> bool:
    """True for *where did Ann live when she won the prize*."""
    return not _SUBJECTS.isdisjoint(links.question.words)


def _event_hops(links: GraphLinks, hood: Neighbourhood, event: NameLink) -> list[Hop]:
    """Return the hops that the question says, or the only one."""
    hops = _timed_hops(links, hood, event)
    named = [hop for hop in hops if links.strength(hop, event)]
    return named[:_MAX_EVENT_HOPS] if named or len(hops) > 1 else hops


def _find_clause(question: PlainQuestion) -> int | None:
    """Return where the clause after *when* or *while* begins, unless the question begins with it."""
    cues = (cue for cue in question.cues if cue.operator == "while" and cue.first > 0)
    return min((cue.first for cue in cues), default=None)


def _says_in_order(links: GraphLinks, hop: Hop, event_hop: Hop, linked: frozenset[int]) -> bool:
    """True if the words for what is asked for stand before *when* or *while*, and those for the event after.

    *which party did Ann belong to while she was president* asks for no offices.
    """
    start = _find_clause(links.question)
    if start is None:
        return True
    asked = links.match(hop.relation).own.keys() - linked
    event = links.match(event_hop.relation).own.keys() - linked
    is_asked = not asked or any(p < start for p in asked)
    return is_asked and (not event or any(p > start for p in event))


def _is_clause(links: GraphLinks, event: tuple[NameLink, ...], source: NameLink) -> bool:
    """True if the clause after *when* or *while* names the event, and not what is asked for."""
    start = _find_clause(links.question)
    if start is None or source in event:
        return True
    first = min(link.first for link in event)
    return first > start and (source.last <= start or source.first > first)


def _time_event(
    links: GraphLinks, hood: Neighbourhood, reading: GraphReading, plan: SimultaneousMembers
) -> Iterator[GraphReading]:
    """Yield the reading at the time of an event, or also when a longer fact began: *when she took over*.

    The years of the event, which the question may state, are explained.
    """
    edges = select_timed_facts(hood, plan.subject, plan.subject_hop, plan.target)
    is_event = all(edge.start_text == edge.end_text for edge in edges)
    stated = [
        (condition.moment, positions)
        for condition, positions in _find_conditions(links, frozenset())
        if condition.operator == "=" and isinstance(condition.moment, Moment)
    ]
    for moment, positions in stated:
        if len(edges) == 1 and moment.first <= (edges[0].start or 0) <= moment.last:
            reading = replace(reading, positions=reading.positions | positions)
    at_start = replace(reading, plan=MemberNames(replace(plan, key="start time")))
    if is_event:
        yield at_start
        return
    yield reading
    if links.question.has_cue("begin"):
        yield replace(
            at_start, cues=reading.cues | {"begin"}, operators=(*reading.operators, "at start")
        )


def _find_lengths(question: PlainQuestion) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the functions that *how long*, *how many years* and *how long in days* may mean."""
    asked = question.find_phrase("how", "long")
    units = [p for p, word in enumerate(question.words) if word in _LENGTHS]
    if asked and not units:
        yield "duration", asked
    asked = asked or question.find_phrase("how", "many")
    for place in units if asked else ():
        yield _LENGTHS[question.words[place]], asked | {place}


def _asks_event(question: PlainQuestion) -> bool:
    """*when did Ann marry Bob* asks when it began, *the date of the treaty* for a day."""
    words = question.words
    return "date" in words or ("when", "did") in pairwise(words)


def _time_words(links: GraphLinks) -> frozenset[int]:
    words = links.question.words
    return frozenset(
        p
        for p, word in enumerate(words)
        if word in _TIME_WORDS and "over" not in words[max(0, p - 2) : p]  # *over the years*
    )


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
