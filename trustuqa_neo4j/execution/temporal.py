"""Searches by the valid time and the qualifiers of facts.

``time op V`` holds if the fact was valid at *some* moment that is in ``op`` to V. This is the meaning of the
paper's yearly triples, without a triple for each year. ``duration op V`` compares how long the fact held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain
from operator import ge, gt, le, lt

from ..language.ast import ProblemKind
from ..language.selectors import EXTREMES
from ..planning.operations import Condition, Constant, Search
from ..reasoning.arithmetic import (
    count_days_and_months,
    estimate_open_end,
    measure_duration,
    read_year,
)
from ..reasoning.conditions import decisive_bound
from ..reasoning.notes import NoteCollector, NoteKind
from ..reasoning.results import Cell, Cells, EvaluationError, Nodes, StepOutcome
from ..values import OPEN, BadDate, Interval, Value, compare_values, get_years, read_date
from ..values.dates import get_days
from ..values.units import get_conversion_factor
from .context import ExecutionContext, literal_cell
from .derivation import Facts
from .fact_search import filter_facts
from .search import SearchRunner

_WHOLE = frozenset(("time", "date"))
"""Keys that mean the whole interval of a fact: its years, or its ends as they are written."""


@dataclass(frozen=True, slots=True)
class Validity:
    """The valid time of a fact: first and last day, and both as written."""

    start: int
    end: int
    start_text: str | None
    end_text: str | None


def search_in_time(runner: SearchRunner, search: Search) -> StepOutcome:
    return (_by_time if search.is_time else _by_qualifier)(runner, search)


def _by_time(runner: SearchRunner, search: Search) -> StepOutcome:
    if search.key == "duration":
        return _by_duration(runner, search)
    values = [(test, _bounds(runner, test)) for test in search.key_conditions]
    facts = _candidates(runner, search, values)
    validity = read_validity(runner, facts)
    places = [place for place, _ in enumerate(facts.ids) if place in validity]
    for test, days in values:
        assert search.key is not None
        if selected := _selects(test):
            places = _extreme(search.key, validity, places, EXTREMES[selected])
            _note_open_ends(runner, validity, places)
        else:
            candidates = places
            places = _filter_by_time(search.key, test, days, validity, candidates)
            _note_unknown_ends(runner, search.key, test, days, validity, candidates, places)
    cells: list[list[Cell]] = []
    _note_reversed(runner, validity, places)
    if search.output == "key":
        latest = _latest(runner) if search.key == "time" else 0
        if latest:
            _note_open_ends(runner, validity, places)
        cells_by_place = {p: _cells(search.key or "", validity[p], latest) for p in places}
        # A fact without the end that is asked for proves nothing.
        places = [place for place in places if cells_by_place[place]]
        cells = [cells_by_place[place] for place in places]
    return _select_output(runner, search, facts.keep(places), cells)


def _select_output(
    runner: SearchRunner, search: Search, facts: Facts, cells: Sequence[Sequence[Cell]]
) -> StepOutcome:
    """Select the output of a search in time; ``cells`` has those of each fact if a key is asked for."""
    runner.context.record_facts(facts)
    if search.output == "key":
        ends = accumulate(map(len, cells))
        produced = [range(end - len(of), end) for of, end in zip(cells, ends, strict=True)]
        runner.context.pending_derivations[-1].produced.append(produced)
        return Cells(tuple(chain.from_iterable(cells)))
    if search.output == "heads":
        return Nodes(facts.heads)
    return Nodes(facts.tails, facts.heads)


def _candidates(
    runner: SearchRunner, search: Search, values: Sequence[tuple[Condition, list[Cell]]]
) -> Facts:
    """Find facts of (h, r, t); with a moment alone, by the index of valid times."""
    if not search.relations:
        return _of_any_relation(runner, search)
    if search.heads is None and not search.conditions and search.key in _WHOLE:
        for test, bounds in values:
            days = [b.value for b in bounds if b.value is not None and b.value.start is not None]
            if test.operator == "=" and len(days) == 1 and len(bounds) == 1:
                first, last = days[0].start, days[0].end
                assert first is not None
                relations = runner.context.names.relations
                names = [
                    name
                    for relation in search.relations
                    for rung in relations.get(str(getattr(relation, "text", "")), ())[:1]
                    for name in rung.names
                ]
                if names:
                    return runner.context.facts_valid_between(names, first, last or first)
    return runner.facts(search)


def _of_any_relation(runner: SearchRunner, search: Search) -> Facts:
    """All facts out of heads, into tails, or between the two, of any relation."""
    heads, tails, at_ends = runner.relations_at_ends(search)
    relations = [relation for relation, _ in at_ends]
    if tails is None:
        return runner.context.facts_from(heads or (), relations)
    facts = runner.context.facts_to(tails, relations)
    if heads is None:
        return facts
    starts = set(heads)
    return facts.keep([place for place, head in enumerate(facts.heads) if head in starts])


def read_validity(runner: SearchRunner, facts: Facts) -> dict[int, Validity]:
    """Read the valid times by place; facts without one are left out."""
    ids = [fact for same in facts.ids for fact in same]
    if not ids:
        return {}
    rows = runner.context.reader.run("fact_intervals", facts=ids)
    by_id = {fact: Validity(*rest) for fact, *rest in rows[0]["facts"]}
    return {
        place: by_id[fact]
        for place, same in enumerate(facts.ids)
        for fact in same[:1]
        if fact in by_id
    }


def _selects(test: Condition) -> str | None:
    """Return the word that selects the first or last fact, if the condition has one."""
    names = [term.text.strip().casefold() for term in test.terms if isinstance(term, Constant)]
    return names[0] if len(test.terms) == 1 and names and names[0] in EXTREMES else None


def _extreme(
    key: str, validity: dict[int, Validity], places: Sequence[int], upper: bool
) -> list[int]:
    """The facts that held first or last, or whose end came so; ties kept."""
    if key in _WHOLE:
        moments = {p: validity[p].end if upper else validity[p].start for p in places}
    else:
        ends = {p: _end(key, validity[p]) for p in places}
        moments = {p: (when.end if upper else when.start) or 0 for p, when in ends.items()}
    extreme = (max if upper else min)(moments.values(), default=0)
    return [place for place, at in moments.items() if at == extreme]


def _filter_by_time(
    key: str,
    test: Condition,
    bounds: list[Cell],
    validity: dict[int, Validity],
    places: Sequence[int],
) -> list[int]:
    if test.operator in ("=", "!="):
        days = [b.value for b in bounds if b.value is not None and b.value.start is not None]
        if bounds and not days:
            raise EvaluationError(
                ProblemKind.NOT_COMPARABLE, f"{bounds[0].text[:60]!r} is not a date", test.position
            )
        periods = any if test.operator == "=" else all
        return [
            p
            for p in places
            if days and periods(_meets(key, test.operator, validity[p], d) for d in days)
        ]
    if test.operator in ("<", "<=", ">", ">="):
        bound = decisive_bound(test.operator, bounds, test.position)
        if bound is None:
            return []
        return [p for p in places if _meets(key, test.operator, validity[p], bound)]
    raise EvaluationError(
        ProblemKind.UNKNOWN_OPERATOR, f"{key} takes no {test.operator}", test.position
    )


def _note_unknown_ends(
    runner: SearchRunner,
    key: str,
    test: Condition,
    bounds: list[Cell],
    validity: dict[int, Validity],
    candidates: Sequence[int],
    places: Sequence[int],
) -> None:
    """Note the facts that another start or end, in place of an unknown one, would add or take away."""
    alternatives = {
        NoteKind.UNKNOWN_START: {
            p: replace(when, start=_EARLIEST)
            for p, when in validity.items()
            if not when.start_text and when.end_text
        },
        NoteKind.UNKNOWN_END: {
            p: replace(when, end=when.start)
            for p, when in validity.items()
            if when.start_text and not when.end_text and when.end >= OPEN
        },
    }
    notes, selected = NoteCollector(), set(places)
    for kind, by_place in alternatives.items():
        unknown = [place for place in candidates if place in by_place]
        passing = set(_filter_by_time(key, test, bounds, by_place, unknown))
        decided = [place for place in unknown if (place in passing) != (place in selected)]
        texts = [_format_validity(validity[place]) for place in decided]
        notes.add(kind, texts, len(candidates))
    runner.context.add_notes(notes)


def _note_open_ends(
    runner: SearchRunner, validity: dict[int, Validity], places: Sequence[int]
) -> None:
    """Note the facts without an end among those that decide, or whose years are listed."""
    open_ends = [place for place in places if validity[place].end >= OPEN]
    _note_places(runner, NoteKind.UNKNOWN_END, validity, open_ends)


def _note_reversed(
    runner: SearchRunner, validity: dict[int, Validity], places: Sequence[int]
) -> None:
    """Note the facts of the outcome whose end is before their start."""
    places = [place for place in places if _is_reversed(validity[place])]
    _note_places(runner, NoteKind.REVERSED, validity, places)


def _is_reversed(validity: Validity) -> bool:
    if not validity.start_text or not validity.end_text:
        return False
    first = _read_first_day(validity.start_text)
    return first is not None and first > validity.start


@lru_cache(maxsize=4_096)
def _read_first_day(text: str) -> int | None:
    try:
        days = read_date(text)
    except BadDate:
        return None
    return days[0] if days else None


def _note_places(
    runner: SearchRunner, kind: NoteKind, validity: dict[int, Validity], places: Sequence[int]
) -> None:
    notes = NoteCollector()
    notes.add(kind, [_format_validity(validity[place]) for place in places], len(validity))
    runner.context.add_notes(notes)


_EARLIEST = -99_999_999  # before any day that can be read


def _format_validity(validity: Validity) -> str:
    return f"{validity.start_text or '…'} – {validity.end_text or '…'}"


def _meets(key: str, operator: str, validity: Validity, bound: Value) -> bool:
    if bound.start is None:
        return False
    first, last = bound.start, bound.end if bound.end is not None else bound.start
    if key in _WHOLE:
        return {
            "=": validity.start <= last and validity.end >= first,
            "!=": validity.start < first or validity.end > last,
            "<": validity.start < first,
            "<=": validity.start <= last,
            ">": validity.end > last,
            ">=": validity.end >= first,
        }[operator]
    if key == "end time" and validity.end >= OPEN:
        return operator in (">", ">=", "!=")
    when = _end(key, validity)
    return compare_values(when, operator, Value(None, None, first, last)) is True


def _end(key: str, validity: Validity) -> Value:
    """Return the days of one end; an unknown start has the days of the fact's valid time."""
    text = validity.start_text if key == "start time" else validity.end_text
    fallback = (
        (validity.start, validity.start) if key == "start time" else (validity.end, validity.end)
    )
    try:
        days = read_date(text) if text else None
    except BadDate:
        days = None
    return Value(None, None, *(days or fallback))


def _cells(key: str, validity: Validity, latest: int) -> list[Cell]:
    if key == "time":
        spanned = get_years(Interval(validity.start, validity.end), latest // 10000)
        return [year_cell(year) for year in spanned]
    if key == "date":
        ends = (_cells(end, validity, latest) for end in ("start time", "end time"))
        return list({cell.text: cell for cells in ends for cell in cells}.values())
    text = validity.start_text if key == "start time" else validity.end_text
    if not text or (key == "end time" and validity.end >= OPEN):
        return []
    when = _end(key, validity)
    read = literal_cell(text).value
    number = read.number if read is not None else None
    return [Cell(text, Value(number, None, when.start, when.end))]


def year_cell(year: int) -> Cell:
    first = year * 10000
    return Cell(str(year), Value(float(year), None, first + 101, first + 1231))


def _latest(runner: SearchRunner) -> int:
    parameters = {"datasets": list(runner.context.scope.datasets)}
    rows = runner.context.reader.run("latest_fact_day", **parameters)
    return rows[0]["last"] or 0


@dataclass(frozen=True, slots=True)
class _Duration:
    """How long a fact held: in days, in months, and as the function ``duration`` writes it."""

    days: float
    months: float
    cell: Cell


_NO_DURATION = _Duration(0, 0, Cell("0 days", Value(0.0, "day")))


def _by_duration(runner: SearchRunner, search: Search) -> StepOutcome:
    conditions = [
        (test, [] if _selects(test) else _read_durations(runner, test))
        for test in search.key_conditions
    ]
    facts = _candidates(runner, search, ())
    validity = read_validity(runner, facts)
    open_ends = {place for place, when in validity.items() if when.end >= OPEN}
    latest = _latest(runner) if open_ends else 0
    durations = {
        place: _measure_validity(validity[place], latest, search.position)
        for place in sorted(validity)
        if validity[place].start_text
    }
    notes = NoteCollector()

    def add_note(kind: NoteKind, places: Sequence[int]) -> None:
        notes.add(kind, [_format_validity(validity[p]) for p in places], len(validity))

    if conditions:
        add_note(NoteKind.NOT_COMPARABLE, [p for p in validity if p not in durations])
    for test, bounds in conditions:
        places = _filter_by_duration(test, bounds, durations)
        # An unknown end may also be the start.
        shortest = {p: _NO_DURATION if p in open_ends else d for p, d in durations.items()}
        decided = set(places) ^ set(_filter_by_duration(test, bounds, shortest))
        add_note(NoteKind.UNKNOWN_END, sorted(decided & open_ends))
        durations = {place: durations[place] for place in places}
    add_note(NoteKind.REVERSED, [place for place in durations if _is_reversed(validity[place])])
    if search.output == "key":
        add_note(NoteKind.UNKNOWN_END, [place for place in durations if place in open_ends])
    runner.context.add_notes(notes)
    cells = [[duration.cell] for duration in durations.values()]
    return _select_output(runner, search, facts.keep([*durations]), cells)


def _measure_validity(validity: Validity, latest: int, position: int) -> _Duration:
    """Measure from start to end as the function ``duration`` does; without an end, to the day ``latest``."""
    start, end = _end("start time", validity), _end("end time", validity)
    first, last = start.start or 0, start.end or 0
    if validity.end >= OPEN:
        end = estimate_open_end(start, latest)
    elif validity.start_text == validity.end_text and _is_range(validity.start_text, start):
        is_of_years = (first % 10000, last % 10000) == (101, 1231)
        start, end = (
            read_year(day) if is_of_years else Value(None, None, day, day) for day in (first, last)
        )
    cell = measure_duration(Cell("", start), Cell("", end), None, position)
    return _Duration(*count_days_and_months(start, end), cell)


def _is_range(text: str | None, days: Value) -> bool:
    """Return whether one time, such as *1990–1995*, has two ends: it is not a day, month or year."""
    assert days.start is not None
    year, month = days.start // 10000, days.start // 100 % 100
    points = ((days.start, days.start), get_days(year, month), get_days(year))
    return "#" not in (text or "") and (days.start, days.end) not in points


def _read_durations(runner: SearchRunner, test: Condition) -> list[Cell]:
    """Read the values of a condition as durations; a number without a unit is in years."""
    if test.operator not in ("=", "!=", *_ORDERS):
        raise EvaluationError(
            ProblemKind.UNKNOWN_OPERATOR, f"duration takes no {test.operator}", test.position
        )
    cells: list[Cell] = []
    for bound in _values(runner, test):
        number = None if bound.value is None else bound.value.number
        unit = (bound.value.unit if bound.value else None) or "year"
        if number is None or get_conversion_factor(unit, "day") is None:
            raise EvaluationError(
                ProblemKind.NOT_COMPARABLE,
                f"{bound.text[:60]!r} is not a duration such as 5 (years), '5 years' or '90 days'",
                test.position,
            )
        cells.append(Cell(bound.text, Value(number, unit)))
    return cells


def _filter_by_duration(
    test: Condition, bounds: Sequence[Cell], durations: dict[int, _Duration]
) -> list[int]:
    if selected := _selects(test):
        days = [duration.days for duration in durations.values()]
        extreme = (max if EXTREMES[selected] else min)(days, default=0)
        return [p for p, duration in durations.items() if duration.days == extreme]
    if test.operator in ("=", "!="):
        is_wanted = test.operator == "="
        values = [bound.value for bound in bounds if bound.value is not None]
        return [
            p
            for p, duration in durations.items()
            if values and any(_is_as_long(duration, value) for value in values) == is_wanted
        ]
    decisive = decisive_bound(test.operator, bounds, test.position)
    if decisive is None:
        return []
    return [
        p
        for p, duration in durations.items()
        if _ORDERS[test.operator](*_compare_lengths(duration, decisive))
    ]


_ORDERS = {"<": lt, "<=": le, ">": gt, ">=": ge}


def _is_as_long(duration: _Duration, bound: Value) -> bool:
    """Return whether the duration is ``bound`` as it is written (*5 years*), or to the day."""
    length, bound_length = _compare_lengths(duration, bound)
    assert duration.cell.value is not None
    return length == bound_length or compare_values(duration.cell.value, "=", bound) is True


def _compare_lengths(duration: _Duration, bound: Value) -> tuple[float, float]:
    """Return both in months if ``bound`` is in months or years, else in days."""
    assert bound.number is not None
    if bound.unit in _MONTHS:
        return duration.months, bound.number * _MONTHS[bound.unit]
    return duration.days, bound.number * (get_conversion_factor(bound.unit or "", "day") or 0)


_MONTHS = {"month": 1, "year": 12}


def _bounds(runner: SearchRunner, test: Condition) -> list[Cell]:
    return [_as_time(cell) for cell in _values(runner, test)]


def _values(runner: SearchRunner, test: Condition) -> list[Cell]:
    terms = runner.terms(test.terms)
    cells = [*terms.cells, *(literal_cell(name.text) for name in terms.names)]
    return [*cells, *runner.context.values(terms.nodes.distinct).values()]


def _as_time(cell: Cell) -> Cell:
    """Read a cell as a time: ``850`` or ``-0047`` alone is a year here."""
    if cell.value is not None and cell.value.start is not None:
        return cell
    try:
        days = read_date(cell.text)
    except BadDate:
        return cell
    return cell if days is None else Cell(cell.text, Value(None, None, *days))


def search_by_qualifier_alone(runner: SearchRunner, search: Search) -> StepOutcome | None:
    """Search the qualifier K of facts of any relation, if no fact has K as its relation where it is searched.

    ``head_entity`` and K are asked for the K of the facts out of the head, ``tail_entity`` and K for that of
    the facts into the tail; a value of K selects the tails of these facts. None if K is not a qualifier.
    """
    context = runner.context
    relation = search.relations[0] if len(search.relations) == 1 else None
    if not isinstance(relation, Constant) or search.key is not None or context.names.is_table:
        return None
    names = [
        name for tier in context.names.relations.get(relation.text, ())[:1] for name in tier.names
    ]
    if not names or not _are_qualifiers(context, names):
        return None
    of_facts = replace(search, relations=(), key=relation.text, is_time=False, conditions=())
    with_tail = replace(of_facts, output="key", conditions=search.conditions)
    with_value = replace(of_facts, output="tails", key_conditions=search.conditions)
    of_any = [with_value, with_tail] if search.heads and search.conditions else [with_tail]
    for candidate in of_any:
        is_equal = all(test.operator == "=" for test in candidate.conditions)
        outcome = _by_qualifier(runner, candidate) if is_equal else Nodes()
        if len(outcome):
            # The ends of its facts are those of this search: H, K and V lead to heads elsewhere.
            context.pending_derivations[-1].operation = candidate
            return outcome
    return None


def _are_qualifiers(context: ExecutionContext, names: Sequence[str]) -> bool:
    """Return whether relations lead from facts that have qualifiers."""
    row = context.reader.run(
        "are_qualifiers",
        datasets=context.datasets,
        relations=names,
        source=context.scope.source,
    )[0]
    return bool(row["are"])


def _by_qualifier(runner: SearchRunner, search: Search) -> StepOutcome:
    context = runner.context
    assert search.key is not None
    names = tuple(n for rung in context.names.relations.get(search.key, ())[:1] for n in rung.names)
    facts = runner.facts(search) if search.relations else _of_any_relation(runner, search)
    qualifiers = _read_qualifiers(context, facts, names)
    for test in search.key_conditions:
        terms = runner.terms(test.terms)
        qualifiers = filter_facts(runner.fact_search, qualifiers, test, terms, names)
    places: Sequence[int] = qualifiers.heads
    # A qualifier is proved by its own fact and the one that it qualifies.
    proofs = [[*ids, *facts.ids[place]] for place, ids in zip(places, qualifiers.ids, strict=True)]
    if search.output == "key":
        heads = [facts.heads[place] for place in places]
        context.record_facts(Facts(heads, qualifiers.tails, proofs))
        return Nodes(qualifiers.tails, ())
    by_place: dict[int, list[int]] = {}
    for place, proof in zip(places, proofs, strict=True):
        by_place.setdefault(place, []).extend(proof)
    facts = facts.keep(sorted(by_place))
    context.record_facts(Facts(facts.heads, facts.tails, [by_place[p] for p in sorted(by_place)]))
    if search.output == "heads":
        return Nodes(facts.heads)
    return Nodes(facts.tails, facts.heads)


def _read_qualifiers(context: ExecutionContext, facts: Facts, names: tuple[str, ...]) -> Facts:
    """Read the qualifiers ``names`` of facts; as heads they have the places of the facts.

    A fact of several sources has each of its qualifiers once.
    """
    ids = [fact for same in facts.ids for fact in same]
    edges = dict(context.reader.run("qualifier_nodes", facts=ids)[0]["facts"])
    places = {
        edges[fact]: place for place, same in enumerate(facts.ids) for fact in same if fact in edges
    }
    stored = context.facts_from(list(places), names)
    merged: dict[tuple[int, int], list[int]] = {}
    for edge, value, same in zip(stored.heads, stored.tails, stored.ids, strict=True):
        merged.setdefault((places[edge], value), []).extend(same)
    heads, tails = [place for place, _ in merged], [value for _, value in merged]
    return Facts(heads, tails, list(merged.values()), names)
