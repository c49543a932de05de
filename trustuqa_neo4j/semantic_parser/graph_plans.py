"""Typed plans of a question over a graph: nodes that select entities, and nodes that make the answer.

Each plan evaluates itself over a neighbourhood, and writes itself as steps of the query language, which mean
the same (``docs/language.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import TypeAlias

from ..language.functions import ENDS
from ..language.printer import quote_name
from ..reasoning.results import Cell
from ..values import OPEN, Interval, Value, format_month, get_years, read_value
from .graph_view import Edge, Hop, Members, Neighbourhood, ValueSelection
from .row_plans import COUNT_TESTS, Denoted, PlanFailure, StepWriter, apply_function, denote_cells
from .time_conditions import Moment, TimeCondition, count_days


def search_text(source: str, hop: Hop, *arguments: str) -> str:
    """Write the search that follows ``hop`` from ``source``, a quoted name or the result of a step."""
    relation = f"relation={quote_name(hop.relation)}"
    parts = (
        [f"head_entity={source}", relation] if hop.forward else [relation, f"tail_entity={source}"]
    )
    return f"get_information({', '.join((*parts, *arguments))})"


def select_facts(
    hood: Neighbourhood, source: NamedNodes, hop: Hop, target: NamedNodes | None
) -> list[Edge]:
    """Return the facts of a hop from ``source``, those to ``target`` if it is there."""
    edges = hood.select(source.members, hop)
    return edges if target is None else [edge for edge in edges if edge.node in target.members]


def select_timed_facts(
    hood: Neighbourhood, source: NamedNodes, hop: Hop, target: NamedNodes | None
) -> list[Edge]:
    """Return those of the facts of a hop that have a time."""
    return [edge for edge in select_facts(hood, source, hop, target) if edge.start is not None]


# Plans that select entities


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """The nodes of a name."""

    name: str
    members: Members

    def nodes(self, _hood: Neighbourhood) -> Members:
        return self.members

    def write(self, _steps: StepWriter) -> str:
        return quote_name(self.name)


@dataclass(frozen=True, slots=True)
class Follow:
    """The ends of a hop from ``source``, by facts that hold at a time if there is a condition.

    ``others`` are hops that mean the same.
    """

    source: NodePlan
    hop: Hop
    when: TimeCondition | None = None
    others: tuple[Hop, ...] = ()

    @property
    def can_join(self) -> bool:
        """True if facts are chosen one by one, and not the first or the longest of all."""
        return self.when is None or not isinstance(self.when.moment, str)

    def nodes(self, hood: Neighbourhood) -> Members:
        source = self.source.nodes(hood)
        edges = [edge for hop in (self.hop, *self.others) for edge in hood.select(source, hop)]
        if self.when is not None:
            edges = self.when.select(edges, hood.latest)
        return tuple(dict.fromkeys(edge.node for edge in edges))

    def write(self, steps: StepWriter) -> str:
        times = () if self.when is None else (self.when.write(),)
        source = self.source.write(steps)
        ends = steps.add(search_text(source, self.hop, *times))
        for hop in self.others:
            further = steps.add(search_text(source, hop, *times))
            ends = steps.add(f"set_union(set1={ends}, set2={further})")
        return ends


@dataclass(frozen=True, slots=True)
class HeadsOf:
    """All nodes that have a relation; with a selection only those that it can mean were read."""

    relation: str
    selection: ValueSelection | None = None

    def nodes(self, hood: Neighbourhood) -> Members:
        if self.selection is not None:
            return hood.selected.get(self.selection, ())
        return hood.whole.get(self.relation, ())

    def write(self, steps: StepWriter) -> str:
        relation = quote_name(self.relation)
        return steps.add(f"get_information(relation={relation}, tail_entity!='')")


@dataclass(frozen=True, slots=True)
class TailsOf:
    """All nodes that a relation leads to."""

    relation: str

    def nodes(self, hood: Neighbourhood) -> Members:
        return hood.follow(hood.whole.get(self.relation, ()), Hop(self.relation, True))

    def write(self, steps: StepWriter) -> str:
        return steps.add(f"get_information(relation={quote_name(self.relation)})")


@dataclass(frozen=True, slots=True)
class FrequentMembers:
    """The ends of a hop that most facts have: of the facts of ``source``, or of all facts of the relation."""

    source: NodePlan | None
    hop: Hop

    def starts(self, hood: Neighbourhood) -> Members:
        if self.source is not None:
            return self.source.nodes(hood)
        kind = HeadsOf if self.hop.forward else TailsOf
        return kind(self.hop.relation).nodes(hood)

    def nodes(self, hood: Neighbourhood) -> Members:
        counts = Counter(edge.node for edge in hood.select(self.starts(hood), self.hop))
        most = max(counts.values(), default=0)
        if most < 2:
            return ()
        return tuple(node for node, count in counts.items() if count == most)

    def write(self, steps: StepWriter) -> str:
        return steps.add(f"mode(set={self.write_ends(steps)})")

    def write_ends(self, steps: StepWriter) -> str:
        """Write the search for the ends, each as often as it has facts."""
        if self.source is not None:
            return steps.add(search_text(self.source.write(steps), self.hop))
        kind = TailsOf if self.hop.forward else HeadsOf
        return kind(self.hop.relation).write(steps)


@dataclass(frozen=True, slots=True)
class RepeatedMembers:
    """The ends of a hop that a given number of facts have: *who manages at least two people*.

    Facts of the same two at several times count only with ``is_of_times``: *who was mayor more than once*.
    """

    ends: FrequentMembers
    operator: str  # of the number of facts
    number: int
    is_of_times: bool = False

    def nodes(self, hood: Neighbourhood) -> Members:
        starts = self.ends.starts(hood)
        edges = [(node, e.node) for node in starts for e in hood.select((node,), self.ends.hop)]
        if len({*edges}) < len(edges) and not self.is_of_times:
            raise PlanFailure
        holds, counts = COUNT_TESTS[self.operator], Counter(end for _, end in edges)
        return tuple(node for node, count in counts.items() if holds(count, self.number))

    def write(self, steps: StepWriter) -> str:
        counts = steps.add(f"count_by(set={self.ends.write_ends(steps)})")
        kept = steps.add(f"keep(set={counts}, column='count', value{self.operator}{self.number})")
        return steps.add(f"group_by(set={kept}, by='member')")


@dataclass(frozen=True, slots=True)
class TimedEnds:
    """The ends of all facts of a hop's relation that hold at a time, or began first or last."""

    hop: Hop
    when: TimeCondition

    def nodes(self, hood: Neighbourhood) -> Members:
        kind = HeadsOf if self.hop.forward else TailsOf
        edges = hood.select(kind(self.hop.relation).nodes(hood), self.hop)
        return tuple(dict.fromkeys(edge.node for edge in self.when.select(edges, hood.latest)))

    def write(self, steps: StepWriter) -> str:
        relation = f"relation={quote_name(self.hop.relation)}"
        tail = () if self.hop.forward else ("tail_entity!=''",)
        return steps.add(f"get_information({', '.join((relation, *tail, self.when.write()))})")


@dataclass(frozen=True, slots=True)
class Without:
    """The members of ``source`` except those that have the name of one of ``excluded``."""

    source: NodePlan
    excluded: NodePlan

    def nodes(self, hood: Neighbourhood) -> Members:
        names = {hood.names.get(node) for node in self.excluded.nodes(hood)}
        return tuple(node for node in self.source.nodes(hood) if hood.names.get(node) not in names)

    def write(self, steps: StepWriter) -> str:
        source = self.source.write(steps)
        return steps.add(f"set_difference(set1={source}, set2={self.excluded.write(steps)})")


@dataclass(frozen=True, slots=True)
class Intersection:
    """The members that both plans select."""

    first: NodePlan
    second: NodePlan

    def nodes(self, hood: Neighbourhood) -> Members:
        second = set(self.second.nodes(hood))
        return tuple(node for node in self.first.nodes(hood) if node in second)

    def write(self, steps: StepWriter) -> str:
        first, second = self.first.write(steps), self.second.write(steps)
        return steps.add(f"set_intersection(set1={first}, set2={second})")


@dataclass(frozen=True, slots=True)
class EitherMembers:
    """The members that either plan selects."""

    first: NodePlan
    second: NodePlan

    def nodes(self, hood: Neighbourhood) -> Members:
        return tuple(dict.fromkeys((*self.first.nodes(hood), *self.second.nodes(hood))))

    def write(self, steps: StepWriter) -> str:
        first, second = self.first.write(steps), self.second.write(steps)
        return steps.add(f"set_union(set1={first}, set2={second})")


@dataclass(frozen=True, slots=True)
class ExtremeMembers:
    """The members with the highest or lowest number or date of a relation."""

    source: NodePlan
    relation: str
    extreme: str  # highest or lowest

    def nodes(self, hood: Neighbourhood) -> Members:
        choose = max if self.extreme == "highest" else min
        values = _read_values(self.source, self.relation, hood)
        keys = order_values([value for _, value in values])
        best = choose((key for key in keys if key is not None), default=None)
        if best is None:
            return ()
        nodes = (node for (node, _), key in zip(values, keys, strict=True) if key == best)
        return tuple(dict.fromkeys(nodes))

    def write(self, steps: StepWriter) -> str:
        condition = f"tail_entity={quote_name(self.extreme)}"
        return _write_selection(steps, self.source, self.relation, condition)


def _read_values(source: NodePlan, relation: str, hood: Neighbourhood) -> list[tuple[int, Value]]:
    """Return the members with each of their values of a relation."""
    hop = Hop(relation, True)
    return [
        (node, value)
        for node in source.nodes(hood)
        for text in hood.texts(hood.follow((node,), hop))
        if (value := read_value(text)) is not None
    ]


def _write_selection(steps: StepWriter, source: NodePlan, relation: str, condition: str) -> str:
    if isinstance(source, HeadsOf) and source.relation == relation:
        return steps.add(f"get_information(relation={quote_name(relation)}, {condition})")
    return steps.add(search_text(source.write(steps), Hop(relation, True), condition))


def order_values(values: Sequence[Value]) -> list[float | None]:
    """Return what orders values: their days if all have days, else their numbers; 1850 can be both."""
    if all(value.start is not None for value in values):
        return [float(value.start or 0) for value in values]
    return [value.number for value in values]


@dataclass(frozen=True, slots=True)
class BoundedMembers:
    """The members with a number or date of a relation beyond a bound, or beyond that of a name."""

    source: NodePlan
    relation: str
    operator: str  # <, >, <= or >=
    bound: str | NamedNodes
    upper: str | None = None  # the end of *between 1660 and 1690*

    def nodes(self, hood: Neighbourhood) -> Members:
        bounds = list(self._read_bounds(hood))
        values = _read_values(self.source, self.relation, hood)
        compared = [
            (node, [_is_beyond(value, operator, bound) for operator, bound in bounds])
            for node, value in values
        ]
        if all(None in results for _, results in compared):
            raise PlanFailure  # nothing can be compared
        return tuple(dict.fromkeys(node for node, results in compared if all(results)))

    def write(self, steps: StepWriter) -> str:
        if isinstance(self.bound, NamedNodes):
            bound = steps.add(search_text(self.bound.write(steps), Hop(self.relation, True)))
        else:
            bound = quote_name(self.bound)
        condition = f"tail_entity{self.operator}{bound}"
        if self.upper is not None:
            condition += f", tail_entity<={quote_name(self.upper)}"
        return _write_selection(steps, self.source, self.relation, condition)

    def _read_bounds(self, hood: Neighbourhood) -> Iterator[tuple[str, Value]]:
        texts: Sequence[str]
        if isinstance(self.bound, NamedNodes):
            texts = hood.texts(hood.follow(self.bound.members, Hop(self.relation, True)))
        else:
            texts = (self.bound,)
        bound = read_value(texts[0]) if len(texts) == 1 else None
        upper = read_value(self.upper) if self.upper is not None else None
        if bound is None:
            raise PlanFailure
        yield self.operator, bound
        if upper is not None:
            yield "<=", upper


def _is_beyond(value: Value, operator: str, bound: Value) -> bool | None:
    """Compare days if both have days, else numbers; None if they cannot be compared."""
    if value.start is not None and bound.start is not None:
        first, last = value.start, value.end or value.start
        lower, upper = bound.start, bound.end or bound.start
        return {
            ">": first > upper, ">=": first >= lower, "<": last < lower, "<=": last <= upper
        }[operator]  # fmt: skip
    if value.number is None or bound.number is None:
        return None
    compare = {">": gt, ">=": ge, "<": lt, "<=": le}[operator]
    return bool(compare(value.number, bound.number))


@dataclass(frozen=True, slots=True)
class RelativeMembers:
    """The ends of a hop from ``source`` by facts that begin before or after the fact with ``other``.

    Only the nearest of them if ``is_nearest``.
    """

    source: NamedNodes
    hop: Hop
    other: NamedNodes
    operator: str  # < or >
    is_nearest: bool

    def nodes(self, hood: Neighbourhood) -> Members:
        edges = [e for e in hood.select(self.source.members, self.hop) if e.start is not None]
        starts = [e.start for e in edges if e.node in self.other.members and e.start is not None]
        if not starts:
            return ()
        bound = min(starts) if self.operator == "<" else max(starts)
        condition = TimeCondition("start time", self.operator, _year_moment(bound))
        selected = condition.select(edges, hood.latest)
        if self.is_nearest:
            selected = self._nearest.select(selected, hood.latest)
        return tuple(dict.fromkeys(edge.node for edge in selected))

    @property
    def _nearest(self) -> TimeCondition:
        return TimeCondition("start time", "=", "latest" if self.operator == "<" else "earliest")

    def write(self, steps: StepWriter) -> str:
        source = self.source.write(steps)
        start = steps.add(search_fact_text(self.source, self.hop, self.other, "start time"))
        conditions = [f"key='start time', value{self.operator}{start}"]
        if self.is_nearest:
            conditions.append(f"value={quote_name(str(self._nearest.moment))}")
        return steps.add(search_text(source, self.hop, *conditions))


def _year_moment(day: int) -> Moment:
    """Return the days that a start means: all of its year, if it is the first day of a year."""
    last = day + 1130 if day % 10000 == 101 else day
    return Moment("", day, last)


def search_fact_text(source: NamedNodes, hop: Hop, target: NamedNodes, key: str) -> str:
    head, tail = (source, target) if hop.forward else (target, source)
    return (
        f"get_information(head_entity={quote_name(head.name)}, relation={quote_name(hop.relation)}, "
        f"tail_entity={quote_name(tail.name)}, key={quote_name(key)})"
    )


@dataclass(frozen=True, slots=True)
class SimultaneousMembers:
    """The ends of a hop from ``source`` while facts of ``subject`` held, to ``target`` if it is there.

    They are without ``subject``. With the key ``start time``, only when these facts began.
    """

    source: NamedNodes
    hop: Hop
    subject: NamedNodes
    subject_hop: Hop
    target: NamedNodes | None
    key: str = "time"

    def nodes(self, hood: Neighbourhood) -> Members:
        periods = select_timed_facts(hood, self.subject, self.subject_hop, self.target)
        edges = hood.select(self.source.members, self.hop)
        if self.key == "time":
            held = [
                edge
                for edge in edges
                if any(_overlap_in_years(edge, period, hood.latest) for period in periods)
            ]
        else:
            held = [
                edge for period in periods for edge in _select_at_start(edges, period, hood.latest)
            ]
        members = [edge.node for edge in held]
        excluded = self.subject.name
        return tuple(dict.fromkeys(n for n in members if hood.names.get(n) != excluded))

    def write(self, steps: StepWriter) -> str:
        years = FactTimes(self.subject, self.subject_hop, self.target, self.key).write(steps)
        members = steps.add(
            search_text(self.source.write(steps), self.hop, f"key='time', value={years}")
        )
        return steps.add(f"set_difference(set1={members}, set2={self.subject.write(steps)})")


def _select_at_start(edges: Sequence[Edge], period: Edge, latest: int) -> list[Edge]:
    """Return the facts that held when ``period`` began, to the day if this is known."""
    value = read_value(period.start_text) if period.start_text else None
    if value is None or value.start is None:
        return []
    moment = Moment("", value.start, value.end or value.start)
    return TimeCondition("time", "=", moment).select(edges, latest)


def _overlap_in_years(edge: Edge, period: Edge, latest: int) -> bool:
    if edge.start is None or edge.end is None or period.start is None or period.end is None:
        return False
    years = get_years(Interval(period.start, period.end), latest // 10000)
    return edge.start // 10000 <= years[-1] and edge.end // 10000 >= years[0]


NodePlan: TypeAlias = (
    NamedNodes | Follow | HeadsOf | TailsOf | TimedEnds | FrequentMembers | RepeatedMembers | Without
    | Intersection | EitherMembers | ExtremeMembers | BoundedMembers | RelativeMembers | SimultaneousMembers
)  # fmt: skip


# Plans that make the answer


@dataclass(frozen=True, slots=True)
class MemberNames:
    """The names of the members."""

    source: NodePlan

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        nodes = self.source.nodes(hood)
        if not hood.is_named(nodes):
            raise PlanFailure
        return hood.texts(nodes)

    def write(self, steps: StepWriter) -> str:
        return self.source.write(steps)


@dataclass(frozen=True, slots=True)
class MemberCount:
    """How many members there are."""

    source: NodePlan

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        return (float(len(self.source.nodes(hood))),)

    def write(self, steps: StepWriter) -> str:
        return steps.add(f"count(set={self.source.write(steps)})")


@dataclass(frozen=True, slots=True)
class MemberTotal:
    """The sum or the mean of the numbers of a relation of the members."""

    source: NodePlan
    relation: str
    function: str  # sum or mean

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        edges = hood.select(self.source.nodes(hood), Hop(self.relation, True))
        names = [hood.names.get(edge.node) for edge in edges]
        cells = tuple(Cell(name, read_value(name)) for name in names if name is not None)
        if len(cells) < 2:
            raise PlanFailure
        return denote_cells(apply_function(self.function, cells))

    def write(self, steps: StepWriter) -> str:
        if self.source == HeadsOf(self.relation):
            values = TailsOf(self.relation).write(steps)
        else:
            source = self.source.write(steps)
            values = steps.add(search_text(source, Hop(self.relation, True)))
        return steps.add(f"{self.function}(set={values})")


@dataclass(frozen=True, slots=True)
class Membership:
    """Yes if both plans have a member in common."""

    first: NodePlan
    second: NamedNodes

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        names = {hood.names.get(node) for node in self.first.nodes(hood)}
        return ("yes" if self.second.name in names else "no",)

    def write(self, steps: StepWriter) -> str:
        first = self.first.write(steps)
        return _write_membership(steps, first, self.second.write(steps))


def _write_membership(steps: StepWriter, members: str, name: str) -> str:
    common = steps.add(f"set_intersection(set1={members}, set2={name})")
    return steps.add(f"exists(set={common})")


@dataclass(frozen=True, slots=True)
class ComparedNames:
    """The one of two names with the larger (or smaller) number or date of a relation."""

    first: NamedNodes
    second: NamedNodes
    relation: str
    operator: str  # > or <

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        hop = Hop(self.relation, True)
        texts = [hood.texts(hood.follow(n.members, hop)) for n in (self.first, self.second)]
        values = [read_value(text[0]) if len(text) == 1 else None for text in texts]
        keys = order_values([value for value in values if value is not None])
        return _choose_name(self, keys)

    def write(self, steps: StepWriter) -> str:
        hop = Hop(self.relation, True)
        first, second = (search_text(n.write(steps), hop) for n in (self.first, self.second))
        return steps.add(f"compare({first}, {second}, operator='{self.operator}')")


@dataclass(frozen=True, slots=True)
class ComparedTimes:
    """The one of two names whose fact of a hop began first or last, or held longer or shorter.

    ``key`` is ``start time`` or ``duration``; the facts are those to ``target`` if it is there.
    """

    first: NamedNodes
    second: NamedNodes
    hop: Hop
    target: NamedNodes | None
    key: str
    operator: str  # > or <

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        keys = [self._find_key(hood, name) for name in (self.first, self.second)]
        return _choose_name(self, keys)

    def _find_key(self, hood: Neighbourhood, name: NamedNodes) -> float | None:
        edges = select_facts(hood, name, self.hop, self.target)
        if len(edges) != 1:
            return None
        return count_days(edges[0], hood.latest) if self.key == "duration" else edges[0].start

    def write(self, steps: StepWriter) -> str:
        first, second = (
            write_times(name, self.hop, self.target, self.key) for name in (self.first, self.second)
        )
        return steps.add(f"compare({first}, {second}, operator='{self.operator}')")


def _choose_name(
    compared: ComparedNames | ComparedTimes, keys: Sequence[float | None]
) -> tuple[Denoted, ...]:
    if len(keys) < 2 or keys[0] is None or keys[1] is None or keys[0] == keys[1]:
        raise PlanFailure
    is_first = (keys[0] > keys[1]) == (compared.operator == ">")
    return (compared.first.name if is_first else compared.second.name,)


@dataclass(frozen=True, slots=True)
class ComparisonTruth:
    """Yes if the first name is the one that is compared as larger (or smaller)."""

    comparison: ComparedNames

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        return ("yes" if self.comparison.evaluate(hood) == (self.comparison.first.name,) else "no",)

    def write(self, steps: StepWriter) -> str:
        name = self.comparison.write(steps)
        first = self.comparison.first.write(steps)
        return _write_membership(steps, name, first)


@dataclass(frozen=True, slots=True)
class FactCount:
    """How many times the fact of two names began."""

    source: NamedNodes
    hop: Hop
    target: NamedNodes

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        edges = select_facts(hood, self.source, self.hop, self.target)
        starts = {edge.start_text for edge in edges if edge.start_text}
        if not starts:
            raise PlanFailure
        return (float(len(starts)),)

    def write(self, steps: StepWriter) -> str:
        starts = steps.add(search_fact_text(self.source, self.hop, self.target, "start time"))
        return steps.add(f"count(set={starts})")


@dataclass(frozen=True, slots=True)
class FactTimes:
    """The times of the facts of a hop from ``source``, to ``target`` if it is there.

    ``key`` is ``time`` for all years, ``date`` for both ends, ``start time`` or ``end time``; ``upper`` keeps
    the last (True) or the first of them, and ``is_month`` only its month.
    """

    source: NamedNodes
    hop: Hop
    target: NamedNodes | None
    key: str
    upper: bool | None = None
    is_month: bool = False

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        texts: dict[int, str] = {}
        for edge in select_timed_facts(hood, self.source, self.hop, self.target):
            texts.update(self._texts(edge, hood.latest))
        if not texts:
            raise PlanFailure
        if self.upper is not None:
            day = (max if self.upper else min)(texts)
            texts = {day: texts[day]}
        if self.is_month:
            texts = {day: format_month(day) for day in texts}
            if len({*texts.values()}) > 1:
                raise PlanFailure
        return tuple(dict.fromkeys(texts.values()))

    def _texts(self, edge: Edge, latest: int) -> dict[int, str]:
        """Return the times of a fact by day."""
        assert edge.start is not None
        assert edge.end is not None
        if self.key == "time":
            years = get_years(Interval(edge.start, edge.end), latest // 10000)
            return {year * 10000: str(year) for year in years}
        start = {edge.start: edge.start_text} if edge.start_text else {}
        end = {edge.end: edge.end_text} if edge.end_text and edge.end < OPEN else {}
        return {"start time": start, "end time": end, "date": start | end}[self.key]

    def write(self, steps: StepWriter) -> str:
        times = steps.add(write_times(self.source, self.hop, self.target, self.key))
        times = times if self.upper is None else steps.add(f"{ENDS[self.upper]}(set={times})")
        return steps.add(f"month(set={times})") if self.is_month else times


def write_times(source: NamedNodes, hop: Hop, target: NamedNodes | None, key: str) -> str:
    if target is not None:
        return search_fact_text(source, hop, target, key)
    return search_text(quote_name(source.name), hop, f"key={quote_name(key)}")


@dataclass(frozen=True, slots=True)
class FactDuration:
    """How long the one fact of a hop from ``source`` was valid, or the one to ``target`` if it is there.

    ``function`` is ``duration``, ``year_difference`` or ``days_difference``.
    """

    source: NamedNodes
    hop: Hop
    target: NamedNodes | None
    function: str

    def evaluate(self, hood: Neighbourhood) -> tuple[Denoted, ...]:
        edges = select_facts(hood, self.source, self.hop, self.target)
        if len(edges) != 1 or not edges[0].start_text or not edges[0].end_text:
            raise PlanFailure
        ends = (edges[0].start_text, edges[0].end_text)
        return denote_cells(
            apply_function(self.function, *((Cell(t, read_value(t)),) for t in ends))
        )

    def write(self, steps: StepWriter) -> str:
        start, end = (
            write_times(self.source, self.hop, self.target, key)
            for key in ("start time", "end time")
        )
        return steps.add(f"{self.function}({start}, {end})")


GraphPlan: TypeAlias = (
    MemberNames | MemberCount | MemberTotal | Membership | ComparedNames | ComparedTimes | ComparisonTruth
    | FactTimes | FactDuration | FactCount
)  # fmt: skip


def write_graph_query(plan: GraphPlan) -> str:
    """Write ``plan`` as a query of the query language."""
    steps = StepWriter()
    plan.write(steps)
    return steps.text()
