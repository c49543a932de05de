"""Searches about facts themselves: when they held, and their qualifiers.

``time op V`` holds when the fact held at *some* moment that stands in ``op`` to V: the paper's yearly
triples mean this, and no year is ever expanded to find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..compiling import Program, Read, held_in, out_of, relations_of
from ..planning import Name, Search, Test
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused
from ..reasoning.testing import EXTREMES, decisive
from ..values import OPEN, BadDate, Interval, Value, compare, read_date, years
from .passing import passing
from .world import Facts, literal

if TYPE_CHECKING:
    from .searching import Searching


@dataclass(frozen=True, slots=True)
class Held:
    """When a fact held: first and last day, and both as written."""

    start: int
    end: int
    start_text: str | None
    end_text: str | None


def of_facts(searching: Searching, search: Search) -> Program[Outcome]:
    """What ``search`` finds by a time or a qualifier of facts."""
    if search.time:
        return (yield from _by_time(searching, search))
    return (yield from _by_qualifier(searching, search))


def _by_time(searching: Searching, search: Search) -> Program[Outcome]:
    world = searching.world
    bounds = yield from _all_bounds(searching, search.values)
    values = list(zip(search.values, bounds, strict=True))
    if not search.relations:
        ids = yield from _of_any_relation(searching, search)
        facts = Facts([0] * len(ids), [0] * len(ids), ids)
    else:
        facts = yield from _candidates(searching, search, values)
    held = yield from held_of(searching, facts)
    places = [place for place, _ in enumerate(facts.ids) if place in held]
    for test, days in values:
        assert search.key is not None
        if selected := _selects(test):
            places = _extreme(search.key, held, places, EXTREMES[selected])
        else:
            places = _passing(search.key, test, days, held, places)
    facts, times = facts.keep(places), [held[place] for place in places]
    world.use(facts.ids)
    if search.wanted == "key":
        latest = (yield from _latest(searching)) if search.key == "time" else 0
        return Cells(
            tuple(cell for when in times for cell in _cells(search.key or "", when, latest))
        )
    if search.wanted == "heads":
        return Nodes(facts.heads)
    return Nodes(facts.tails, facts.heads)


def _candidates(
    searching: Searching, search: Search, values: Sequence[tuple[Test, list[Cell]]]
) -> Program[Facts]:
    """Facts of (h, r, t); where only a moment is given, those that held then, by their index."""
    plain = Search("tails", search.position, search.relations, search.heads, search.tests)
    if search.heads is None and not search.tests and search.key == "time":
        for test, bounds in values:
            days = [b.value for b in bounds if b.value is not None and b.value.start is not None]
            if test.operator == "=" and len(days) == 1 and len(bounds) == 1:
                first, last = days[0].start, days[0].end
                assert first is not None
                relations = searching.world.names.relations
                names = [
                    name
                    for relation in search.relations
                    for rung in relations.get(str(getattr(relation, "text", "")), ())[:1]
                    for name in rung.names
                ]
                if names:
                    read = held_in(searching.world.scope, names, first, last or first)
                    return (yield from searching.world.facts(read))
    return (yield from searching.facts(plain))


def _of_any_relation(searching: Searching, search: Search) -> Program[list[list[int]]]:
    """The ids of all facts out of, into or between what is given, whatever their relation."""
    heads = None if search.heads is None else (yield from searching.all(search.heads))
    tails = None
    if search.tests:
        tails = []
        for test in search.tests:
            tails += yield from searching.all(test.terms)
    rows = yield from searching.world.read(relations_of(searching.world.scope, heads, tails))
    return [[fact] for _, facts in rows[0]["relations"] for fact in facts]


def held_of(searching: Searching, facts: Facts) -> Program[dict[int, Held]]:
    """When facts held, by their place; those that never say so are left out."""
    ids = [fact for same in facts.ids for fact in same]
    if not ids:
        return {}
    rows = yield from searching.world.read(Read("held_of", {"facts": ids}))
    by_id = {fact: Held(*rest) for fact, *rest in rows[0]["facts"]}
    return {
        place: by_id[fact]
        for place, same in enumerate(facts.ids)
        for fact in same[:1]
        if fact in by_id
    }


def _selects(test: Test) -> str | None:
    """The word by which a test takes the first or the last, if it does."""
    names = [term.text.strip().casefold() for term in test.terms if isinstance(term, Name)]
    return names[0] if len(test.terms) == 1 and names and names[0] in EXTREMES else None


def _extreme(key: str, held: dict[int, Held], places: Sequence[int], upper: bool) -> list[int]:
    """The facts that held first or last, or whose end came so; ties kept."""
    if key == "time":
        moments = {p: held[p].end if upper else held[p].start for p in places}
    else:
        ends = {p: _end(key, held[p]) for p in places}
        moments = {p: (when.end if upper else when.start) or 0 for p, when in ends.items()}
    wanted = (max if upper else min)(moments.values(), default=0)
    return [place for place, at in moments.items() if at == wanted]


def _passing(
    key: str, test: Test, bounds: list[Cell], held: dict[int, Held], places: Sequence[int]
) -> list[int]:
    if test.operator in ("=", "!="):
        days = [b.value for b in bounds if b.value is not None and b.value.start is not None]
        if bounds and not days:
            raise Refused("not comparable", f"{bounds[0].text[:60]!r} is no date", test.position)
        wanted = any if test.operator == "=" else all
        return [
            p
            for p in places
            if days and wanted(_holds(key, test.operator, held[p], d) for d in days)
        ]
    if test.operator in ("<", "<=", ">", ">="):
        bound = decisive(test.operator, bounds, test.position)
        if bound is None:
            return []
        return [p for p in places if _holds(key, test.operator, held[p], bound)]
    raise Refused("unknown operator", f"{key} takes no {test.operator}", test.position)


def _holds(key: str, operator: str, held: Held, bound: Value) -> bool:
    """Whether a time of a fact stands in ``operator`` to ``bound``."""
    if bound.start is None:
        return False
    first, last = bound.start, bound.end if bound.end is not None else bound.start
    if key == "time":
        return {
            "=": held.start <= last and held.end >= first,
            "!=": held.start < first or held.end > last,
            "<": held.start < first,
            "<=": held.start <= last,
            ">": held.end > last,
            ">=": held.end >= first,
        }[operator]
    if key == "end time" and held.end >= OPEN:
        return operator in (">", ">=", "!=")
    when = _end(key, held)
    return compare(when, operator, Value(None, None, first, last)) is True


def _end(key: str, held: Held) -> Value:
    """The days that one end of an interval means; an unknown start is known as the fact's end."""
    text = held.start_text if key == "start time" else held.end_text
    fallback = (held.start, held.start) if key == "start time" else (held.end, held.end)
    try:
        days = read_date(text) if text else None
    except BadDate:
        days = None
    return Value(None, None, *(days or fallback))


def _cells(key: str, held: Held, latest: int) -> list[Cell]:
    if key == "time":
        spanned = years(Interval(held.start, held.end), latest // 10000)
        return [year_cell(year) for year in spanned]
    text = held.start_text if key == "start time" else held.end_text
    if not text or (key == "end time" and held.end >= OPEN):
        return []
    when = _end(key, held)
    read = literal(text).value
    number = read.number if read is not None else None
    return [Cell(text, Value(number, None, when.start, when.end))]


def year_cell(year: int) -> Cell:
    """A year as a time."""
    first = year * 10000
    return Cell(str(year), Value(float(year), None, first + 101, first + 1231))


def _latest(searching: Searching) -> Program[int]:
    given = {"datasets": list(searching.world.scope.datasets)}
    rows = yield from searching.world.read(Read("latest_held", given))
    return rows[0]["last"] or 0


def _all_bounds(searching: Searching, tests: Sequence[Test]) -> Program[list[list[Cell]]]:
    found: list[list[Cell]] = []
    for test in tests:
        bounds = yield from _bounds(searching, test)
        found.append(bounds)
    return found


def _bounds(searching: Searching, test: Test) -> Program[list[Cell]]:
    """The times that a test looks at."""
    terms = yield from searching.terms(test.terms)
    cells = [*terms.cells, *(literal(name.text) for name in terms.names)]
    known = yield from searching.world.values(terms.nodes.distinct)
    cells += known.values()
    return [_as_time(cell) for cell in cells]


def _as_time(cell: Cell) -> Cell:
    """A cell as a time: ``850`` or ``-0047`` alone is a number, here it is a year."""
    if cell.value is not None and cell.value.start is not None:
        return cell
    try:
        days = read_date(cell.text)
    except BadDate:
        return cell
    return cell if days is None else Cell(cell.text, Value(None, None, *days))


def _by_qualifier(searching: Searching, search: Search) -> Program[Outcome]:
    world = searching.world
    plain = Search("tails", search.position, search.relations, search.heads, search.tests)
    facts = yield from searching.facts(plain)
    ids = [fact for same in facts.ids for fact in same]
    rows = yield from world.read(Read("hyperedges_of", {"facts": ids}))
    edges = dict(rows[0]["facts"])
    assert search.key is not None
    names = [n for rung in world.names.relations.get(search.key, ())[:1] for n in rung.names]
    said = yield from world.facts(out_of(world.scope, list(edges.values()), names))
    for test in search.values:
        given = yield from searching.terms(test.terms)
        said = yield from passing(searching.finding, said, test, given, tuple(names))
    kept = set(said.heads)
    places = [
        place for place, same in enumerate(facts.ids) if any(edges.get(f) in kept for f in same)
    ]
    facts = facts.keep(places)
    world.use(facts.ids)
    world.use(said.ids)
    if search.wanted == "key":
        return Nodes(said.tails, ())
    if search.wanted == "heads":
        return Nodes(facts.heads)
    return Nodes(facts.tails, facts.heads)
