"""One search: facts out of heads, of relations, into tails that pass tests.

Where a name stands for nothing that the search finds, the next rung is tried: exact, folded, alias; then
values that equal a number or date; then the nearest names of the pool, which is what the relation leads to.
Nothing is ever searched in the other direction than was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..compiling import Program, all_of, into, out_of, relations_of, rows_holding, Read
from ..looking import Pool, near_nodes
from ..mapping import Candidate, Mapped, Rung
from ..mapping.nearness import VALUE, VALUE_BY_LETTERS
from ..planning import Name, Operation, Result, Search, Test
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused
from ..reasoning.testing import EXTREMES, MOST, extremes, frequent, keep, within
from .world import Facts, World, literal, nodes_of

Evaluate: TypeAlias = Callable[[Operation], Program[Outcome]]


@dataclass
class Terms:
    """What stands in one place of a search: names, whose rung is still open, and results."""

    names: list[Name]
    nodes: Nodes
    cells: list[Cell]  # without nodes: computed or typed values

    @property
    def empty(self) -> bool:
        return not (self.names or self.nodes.ids or self.cells)


class Searching:
    """Runs searches; ``evaluate`` runs the operations inside them."""

    def __init__(self, world: World, evaluate: Evaluate) -> None:
        self.world = world
        self.evaluate = evaluate

    def search(self, search: Search) -> Program[Outcome]:
        """What ``search`` finds; its facts are noted as used."""
        from .rows import numbered
        from .timing import of_facts

        first = search.relations[0] if search.relations else None
        if isinstance(first, Name) and self.world.names.row_number(first.text):
            return (yield from numbered(self, search))
        if search.wanted == "relations":
            return (yield from self._relations(search))
        if search.key is not None:
            return (yield from of_facts(self, search))
        facts = yield from self.facts(search)
        self.world.use(facts.ids)
        if search.wanted == "tails":
            return Nodes(facts.tails, facts.heads)
        return Nodes(facts.heads, facts.tails if search.heads is not None else ())

    def facts(self, search: Search) -> Program[Facts]:
        """The facts that ``search`` is about, by the first rung that finds any."""
        terms = []
        for test in search.tests:
            terms.append((yield from self.terms(test.terms)))
        heads = None if search.heads is None else (yield from self.terms(search.heads))
        levels = yield from self._relation_levels(search.relations)
        facts = Facts()
        for relations, mapped in levels:
            facts = yield from self._with(search, relations, heads, terms)
            if facts.ids:
                self.world.names.mapped += mapped
                break
        return facts

    # Relations.

    def _relation_levels(
        self, relations: Sequence[Operation]
    ) -> Program[list[tuple[tuple[str, ...], list[Mapped]]]]:
        """Names of relations, by rung."""
        given: list[tuple[str, tuple[Rung, ...]]] = []
        for relation in relations:
            if isinstance(relation, Name):
                given.append((relation.text, self.world.names.relations.get(relation.text, ())))
                continue
            cells = yield from self.world.cells((yield from self.evaluate(relation)))
            for cell in cells:
                given.append((cell.text, (Rung("exact", (Candidate(cell.text),)),)))
        found = []
        for level in range(max((len(steps) for _, steps in given), default=0)):
            names: dict[str, None] = {}
            mapped: list[Mapped] = []
            for text, steps in given:
                if steps:
                    rung = steps[min(level, len(steps) - 1)]
                    names.update(dict.fromkeys(rung.names))
                    mapped += rung.mapped(text)
            found.append((tuple(names), mapped))
        return found

    def _relations(self, search: Search) -> Program[Outcome]:
        """The relations out of heads, into tails, or between the two."""
        heads = None if search.heads is None else (yield from self.all(search.heads))
        tails = None
        if search.tests:
            tails = []
            for test in search.tests:
                if test.operator != "=":
                    message = f"tail_entity takes = only without a relation, not {test.operator}"
                    raise Refused("unknown operator", message, test.position)
                tails += yield from self.all(test.terms)
        rows = yield from self.world.read(relations_of(self.world.scope, heads, tails))
        found = rows[0]["relations"]
        self.world.use(facts for _, facts in found)
        return Cells(tuple(Cell(relation) for relation, _ in found))

    def all(self, terms: Sequence[Operation]) -> Program[list[int]]:
        """The nodes that terms stand for, each name at its best rung."""
        found = yield from self.terms(terms)
        nodes = list(found.nodes.distinct)
        for name in found.names:
            for rung in self.world.names.things.get(name.text, ())[:1]:
                nodes += rung.nodes
                self.world.names.mapped += rung.mapped(name.text)
        return nodes

    # What stands in a place.

    def terms(self, operations: Sequence[Operation]) -> Program[Terms]:
        """Evaluate what stands in one place."""
        names: list[Name] = []
        ids: list[int] = []
        origins: list[int] = []
        cells: list[Cell] = []
        for operation in operations:
            if isinstance(operation, Name):
                names.append(operation)
                continue
            outcome = yield from self.evaluate(operation)
            nodes = nodes_of(outcome)
            ids += nodes.ids
            origins += nodes.origins
            if isinstance(outcome, Cells):
                cells += [cell for cell in outcome.members if cell.node is None]
        joined = Nodes(ids, origins if len(origins) == len(ids) else ())
        for cell in cells:
            yield from self.world.known(cell.text)
        return Terms(names, joined, cells)

    # Facts of relations.

    def _with(
        self, search: Search, relations: tuple[str, ...], heads: Terms | None, terms: list[Terms]
    ) -> Program[Facts]:
        """Facts of ``relations`` out of ``heads`` that pass the tests."""
        tests = list(zip(search.tests, terms, strict=True))
        if heads is not None:
            facts = yield from self._out_of(relations, heads)
        else:
            first = next((p for p in tests if p[0].operator == "=" and not self._selects(*p)), None)
            if first is None:
                facts = yield from self.world.facts(all_of(self.world.scope, relations))
            else:
                tests.remove(first)
                facts = yield from self._into(relations, first[1], len(tests) == 0)
                if not facts.ids and len(first[1].names) == 1 and _word(first[1].names[0]):
                    facts = yield from self.world.facts(all_of(self.world.scope, relations))
                    tests.insert(0, first)
        for test, given in tests:
            if facts.ids:
                facts = yield from self.passing(facts, test, given, relations)
        return facts

    def _selects(self, test: Test, given: Terms) -> bool:
        """Whether a test selects (``highest``): unless something is called so."""
        if len(given.names) != 1 or given.nodes.ids or given.cells or not _word(given.names[0]):
            return False
        return not any(
            r.how == "exact" for r in self.world.names.things.get(given.names[0].text, ())
        )

    def _out_of(self, relations: tuple[str, ...], heads: Terms) -> Program[Facts]:
        """Facts out of heads: of themselves, else of the rows they stand in."""
        scope = self.world.scope
        pending = list(heads.names)
        for level in range(3):
            start = list(heads.nodes.distinct) if level == 0 else []
            for name in pending:
                rungs = self.world.names.things.get(name.text, ())
                if level < len(rungs):
                    start += rungs[level].nodes
            if not start:
                continue
            facts = yield from self._facts_out(relations, start)
            if facts.ids:
                self._note(pending, level, facts.heads)
                return facts
        if heads.nodes.origins:
            rows = tuple(dict.fromkeys(heads.nodes.origins))
            facts = yield from self.world.facts(out_of(scope, rows, relations))
            if facts.ids:
                return facts
        return (yield from self._of_rows(relations, heads))

    def _facts_out(self, relations: tuple[str, ...], start: Sequence[int]) -> Program[Facts]:
        """Facts out of nodes; where several datasets are asked, of those of the same name too."""
        scope = self.world.scope
        facts = yield from self.world.facts(out_of(scope, start, relations))
        if len(scope.datasets) > 1:
            joined = yield from self._twins(start)
            if joined:
                more = yield from self.world.facts(out_of(scope, joined, relations))
                facts = _together(facts, more)
        return facts

    def _twins(self, nodes: Sequence[int]) -> Program[list[int]]:
        """Nodes of other datasets with the names of these: the very names, else but for their writing."""
        read = Read("twins", {"nodes": list(nodes), "datasets": list(self.world.scope.datasets)})
        rows = (yield from self.world.read(read))[0]["twins"]
        exact = {(node, dataset) for node, _, _, same, dataset in rows if same}
        found: dict[int, None] = {}
        for node, other, name, same, dataset in rows:
            if same or (node, dataset) not in exact:
                found[other] = None
                how = "joined by name" if same else "joined by folded name"
                self.world.remarks.append(f"{name!r} {how} in {dataset}")
        return list(found)

    def _of_rows(self, relations: tuple[str, ...], heads: Terms) -> Program[Facts]:
        """Facts of the rows that hold the heads, which are cells of tables."""
        world = self.world
        rows = yield from self.holding(heads.nodes.distinct, heads.names)
        if rows:
            facts = yield from world.facts(out_of(world.scope, rows, relations))
            if facts.ids:
                return facts
        return (yield from self._near_heads(relations, heads))

    def holding(self, nodes: Sequence[int], names: Sequence[Name]) -> Program[list[int]]:
        """The rows that hold cells, which are nodes or are named so."""
        world = self.world
        start = list(nodes)
        for name in names:
            for rung in world.names.things.get(name.text, ())[-1:]:
                start += rung.nodes
                world.names.mapped += rung.mapped(name.text)
        if not start:
            return []
        columns = tuple(world.names.columns)
        if world.names.table and columns:
            facts = yield from world.facts(into(world.scope, start, columns))
            return list(dict.fromkeys(facts.heads))
        found = yield from world.read(rows_holding(world.scope, start))
        return list(found[0]["rows"])

    def _near_heads(self, relations: tuple[str, ...], heads: Terms) -> Program[Facts]:
        """Facts out of the nearest heads of names that stand for nothing at all."""
        found = Facts()
        for name in heads.names:
            if self.world.names.things.get(name.text) or self.world.names.table:
                continue
            size = self._size(relations)
            near = yield from self._near(
                name, Pool(relations, "head", self.world.scope.source, size)
            )
            if near:
                more = yield from self.world.facts(out_of(self.world.scope, near, relations))
                found = _together(found, more)
        return found

    def _into(self, relations: tuple[str, ...], tails: Terms, alone: bool) -> Program[Facts]:  # noqa: FBT001
        """Facts into tails: the nodes that are meant, else equal values, else the nearest."""
        world = self.world
        pending = [*tails.names, *(Name(cell.text, 0) for cell in tails.cells)]
        facts = Facts()
        for level in range(3):
            start = list(tails.nodes.distinct) if level == 0 else []
            for name in pending:
                rungs = world.names.things.get(name.text, ())
                if level < len(rungs):
                    start += rungs[level].nodes
            if not start:
                continue
            more = yield from world.facts(into(world.scope, start, relations))
            if len(world.scope.datasets) > 1 and (joined := (yield from self._twins(start))):
                more = _together(
                    more, (yield from world.facts(into(world.scope, joined, relations)))
                )
            if more.ids:
                pending = self._note(pending, level, more.tails)
                facts = _together(facts, more)
            if not pending:
                return facts
        if tails.nodes.ids and not facts.ids:
            facts = yield from self._into_rows(relations, tails)
        for name in pending:
            more = yield from self._by_value(relations, name)
            if not more.ids and not _word(name):
                more = yield from self._into_near(relations, name)
            facts = _together(facts, more)
        return facts

    def _into_rows(self, relations: tuple[str, ...], tails: Terms) -> Program[Facts]:
        """Where rows stand for their cells: facts into what the relation leads to from them."""
        world = self.world
        rows = tails.nodes.distinct
        cells = yield from world.facts(out_of(world.scope, rows, relations))
        if not cells.ids and tails.nodes.origins:
            rows = tuple(dict.fromkeys(tails.nodes.origins))
            cells = yield from world.facts(out_of(world.scope, rows, relations))
        if not cells.ids:
            return cells
        start = tuple(dict.fromkeys(cells.tails))
        return (yield from world.facts(into(world.scope, start, relations)))

    def _note(self, pending: list[Name], level: int, found: Sequence[int]) -> list[Name]:
        """Note which names stood for something; the others are left."""
        there = set(found)
        left = []
        for name in pending:
            rungs = self.world.names.things.get(name.text, ())
            if level < len(rungs) and not there.isdisjoint(rungs[level].nodes):
                kept = [c for c in rungs[level].candidates if c.node in there]
                self.world.names.mapped += Rung(rungs[level].how, tuple(kept)).mapped(name.text)
            else:
                left.append(name)
        return left

    def _by_value(self, relations: tuple[str, ...], name: Name) -> Program[Facts]:
        """Facts into values that equal a number or date, else into texts that hold it as a word."""
        bound = literal(name.text)
        if bound.value is None or not self._small(relations):
            return Facts()
        facts = yield from self.world.facts(all_of(self.world.scope, relations))
        known = yield from self.world.values(tuple(dict.fromkeys(facts.tails)))
        cells = [known[tail] for tail in facts.tails]
        places = keep(cells, "=", (bound,), name.position).places
        how = "value"
        if not places:
            holds = within(name.text)
            places = [place for place, cell in enumerate(cells) if holds(cell.text)]
            how = "part"
        for used in dict.fromkeys(cells[place].text for place in places):
            self.world.names.mapped.append(Mapped(name.text, used, how, 1.0))
        return facts.keep(places)

    def _into_near(self, relations: tuple[str, ...], name: Name) -> Program[Facts]:
        """Facts into the nearest tail of a name that stands for nothing here."""
        world = self.world
        if world.names.things.get(name.text) and not world.names.table:
            return Facts()
        pool = Pool(relations, "tail", world.scope.source, self._size(relations))
        near = yield from self._near(name, pool)
        return (yield from world.facts(into(world.scope, near, relations))) if near else Facts()

    def _near(self, name: Name, pool: Pool) -> Program[list[int]]:
        """The nearest node of the pool, with all that share its name."""
        world = self.world
        if not name.text.strip() or literal(name.text).value is not None:
            return []
        near = yield from near_nodes(name.text, world.scope.datasets, pool, world.names.embedded)
        least = VALUE if world.names.embedded else VALUE_BY_LETTERS
        if not near or near[0].score < least:
            told = ", ".join(repr(one.name) for one in near[:3])
            world.remarks.append(f"{name.text!r} is unknown" + (f"; near: {told}" if near else ""))
            return []
        best = near[0]
        world.names.mapped.append(Mapped(name.text, best.name, "nearest", round(best.score, 3)))
        same = [one.node for one in near if one.name == best.name and one.node is not None]
        return list(dict.fromkeys(same))

    def _size(self, relations: Sequence[str]) -> int:
        """About how many facts the relations have in the scope."""
        wanted = set(relations)
        every = (*self.world.names.catalogue.values(), *self.world.names.columns.values())
        return max((known.facts for known in every if wanted & set(known.names)), default=0)

    def _small(self, relations: Sequence[str]) -> bool:
        return self._size(relations) <= SCANNED

    # Tests on tails.

    def passing(
        self, facts: Facts, test: Test, given: Terms, relations: tuple[str, ...]
    ) -> Program[Facts]:
        """The facts whose tails pass ``test``."""
        world = self.world
        selects = self._selects(test, given)
        if test.operator in ("=", "!=") and not selects:
            places = yield from self._equal(facts, given)
            if test.operator == "!=":
                equal = set(places)
                places = [place for place in range(len(facts)) if place not in equal]
            return facts.keep(places)
        word = _word(given.names[0]) if selects else None
        if word in MOST:
            return facts.keep(frequent(facts.tails, MOST[word]))
        known = yield from world.values(tuple(dict.fromkeys(facts.tails)))
        cells = [known[tail] for tail in facts.tails]
        if word is not None:
            places, warning = extremes(cells, EXTREMES[word])
            if warning:
                world.remarks.append(f"{word}: {warning}")
            return facts.keep(places)
        bounds = yield from self._bounds(given, relations)
        kept = keep(cells, test.operator, bounds, test.position)
        if kept.skipped:
            world.remarks.append(f"{kept.skipped} of {len(cells)} could not be compared")
        return facts.keep(kept.places)

    def _equal(self, facts: Facts, given: Terms) -> Program[list[int]]:
        """Places of the facts whose tails are meant: by node, else by value or text."""
        wanted = set(given.nodes.ids)
        for name in given.names:
            for rung in self.world.names.things.get(name.text, ()):
                wanted.update(rung.nodes)
        if len(self.world.scope.datasets) > 1 and given.nodes.ids:
            wanted.update((yield from self._twins(given.nodes.distinct)))
        places = [place for place, tail in enumerate(facts.tails) if tail in wanted]
        bounds = [*given.cells, *(literal(name.text) for name in given.names)]
        if places or not bounds:
            return places
        known = yield from self.world.values(tuple(dict.fromkeys(facts.tails)))
        cells = [known[tail] for tail in facts.tails]
        places = keep(cells, "=", bounds, 0).places
        if not places:
            for bound in bounds:
                if bound.value is not None:
                    holds = within(bound.text)
                    places += [p for p, cell in enumerate(cells) if holds(cell.text)]
        return sorted(set(places))

    def _bounds(self, given: Terms, relations: tuple[str, ...]) -> Program[list[Cell]]:
        """The values that an order comparison looks at; rows stand for their cells."""
        world = self.world
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


SCANNED = 50_000
"""Facts of a relation that are looked through for an equal value."""


def _word(name: Name) -> str | None:
    """The word by which ``name`` selects, if it does."""
    word = name.text.strip().casefold()
    return word if word in MOST or word in EXTREMES else None


def _together(one: Facts, other: Facts) -> Facts:
    """Facts of both, each once."""
    if not one.ids or not other.ids:
        return one if one.ids else other
    seen = {ids[0] for ids in one.ids}
    more = [place for place, ids in enumerate(other.ids) if ids[0] not in seen]
    rest = other.keep(more)
    return Facts([*one.heads, *rest.heads], [*one.tails, *rest.tails], [*one.ids, *rest.ids])
