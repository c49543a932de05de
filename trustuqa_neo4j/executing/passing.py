"""Whether the tails of facts pass a test: equality, order, and words that select (``highest``)."""

from __future__ import annotations

from collections.abc import Sequence

from ..compiling import Program, out_of
from ..planning import Apply, Search, Test
from ..reasoning.results import Cell, Refused
from ..reasoning.testing import EXTREMES, MOST, extremes, frequent, holding, keep
from .finding import Finding, Terms, word
from .world import Facts, World, literal


def selects(world: World, given: Terms, tails: Sequence[int] | None = None) -> bool:
    """Whether a test selects (``highest``): unless something, or one of ``tails``, is called so."""
    if len(given.names) != 1 or given.nodes.ids or given.cells or not word(given.names[0]):
        return False
    rungs = world.names.things.get(given.names[0].text, ())
    called = {node for rung in rungs if rung.how == "exact" for node in rung.nodes}
    return not called or (tails is not None and called.isdisjoint(tails))


def selective(world: World, search: Search) -> None:
    """See that no test is for any of all values there are, sorted or each once.

    Raises:
        Refused: one is; a search takes any member, in whatever order.
    """
    told = [str(relation) for relation in search.relations]
    for test in search.tests:
        for term in test.terms if test.operator == "=" else ():
            made = world.origin(term)
            if not isinstance(made, Apply) or made.function not in ("sort", "distinct"):
                continue
            every = world.origin(made.operands[0])
            if not isinstance(every, Search):
                continue
            same = told == [str(relation) for relation in every.relations]
            if same and every == Search("tails", every.position, every.relations):
                message = (
                    f"whatever has {', '.join(told)} has one of all its values: take first or last"
                )
                raise Refused("unknown combination", message, test.position)


def passing(
    finding: Finding, facts: Facts, test: Test, given: Terms, relations: tuple[str, ...]
) -> Program[Facts]:
    """The facts whose tails pass ``test``."""
    world = finding.world
    selecting = selects(world, given, facts.tails)
    if test.operator in ("=", "!=") and not selecting:
        places = yield from _equal(finding, facts, given)
        if test.operator == "!=":
            equal = set(places)
            places = [place for place in range(len(facts)) if place not in equal]
        return facts.keep(places)
    selected = word(given.names[0]) if selecting else None
    if selected in MOST:
        return facts.keep(frequent(facts.tails, MOST[selected]))
    known = yield from world.values(tuple(dict.fromkeys(facts.tails)))
    cells = [known[tail] for tail in facts.tails]
    if selected is not None:
        if cells and not any(cell.value is not None for cell in cells):
            seen = next((cell.text for cell in cells if cell.text), "")
            message = f"{selected} needs numbers or dates, and {seen[:60]!r} is none"
            raise Refused("not comparable", message, test.position)
        places, warning = extremes(cells, EXTREMES[selected])
        if warning:
            world.remarks.append(f"{selected}: {warning}")
        return facts.keep(places)
    bounds = yield from _bounds(world, given, relations)
    kept = keep(cells, test.operator, bounds, test.position)
    if kept.skipped:
        world.remarks.append(f"{kept.skipped} of {len(cells)} could not be compared")
    return facts.keep(kept.places)


def _equal(finding: Finding, facts: Facts, given: Terms) -> Program[list[int]]:
    """Places of the facts whose tails are meant: by node, else by value or text."""
    wanted = set(given.nodes.ids)
    for name in given.names:
        for rung in finding.world.names.things.get(name.text, ()):
            wanted.update(rung.nodes)
    if len(finding.world.scope.datasets) > 1 and given.nodes.ids:
        wanted.update((yield from finding.twins(given.nodes.distinct)))
    places = [place for place, tail in enumerate(facts.tails) if tail in wanted]
    bounds = [*given.cells, *(literal(name.text) for name in given.names)]
    if places or not bounds:
        return places
    known = yield from finding.world.values(tuple(dict.fromkeys(facts.tails)))
    cells = [known[tail] for tail in facts.tails]
    places = keep(cells, "=", bounds, 0).places
    if not places:
        for bound in bounds:
            places += holding(cells, bound)
    return sorted(set(places))


def _bounds(world: World, given: Terms, relations: tuple[str, ...]) -> Program[list[Cell]]:
    """The values that an order comparison looks at; rows stand for their cells."""
    cells = list(given.cells) + [literal(name.text) for name in given.names]
    if given.nodes.ids:
        known = yield from world.values(given.nodes.distinct)
        found = list(known.values())
        if any(cell.position is not None for cell in found):
            rows = given.nodes.distinct
            facts = yield from world.facts(out_of(world.scope, rows, relations))
            known = yield from world.values(tuple(dict.fromkeys(facts.tails)))
            found = list(known.values())
        cells += found
    return cells
