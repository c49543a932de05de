"""One search: facts out of heads, of relations, into tails that pass tests.

Where a name stands for nothing that the search finds, the next rung is tried. Nothing is ever searched in
the other direction than was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..compiling import Program, relations_of
from ..mapping import Candidate, Mapped, Rung
from ..planning import Name, Operation, Search
from ..reasoning.results import Cell, Cells, Nodes, Outcome, Refused
from .finding import Finding, Terms, word
from .passing import passing, selective, selects
from .rows import numbered
from .timing import of_facts
from .world import Facts, World, nodes_of

Evaluate: TypeAlias = Callable[[Operation], Program[Outcome]]


class Searching:
    """Runs searches; ``evaluate`` runs the operations inside them."""

    def __init__(self, world: World, evaluate: Evaluate) -> None:
        self.world = world
        self.evaluate = evaluate
        self.finding = Finding(world)

    def search(self, search: Search) -> Program[Outcome]:
        """What ``search`` finds; its facts are noted as used.

        Raises:
            Refused: a bound that is no number, a test that everything passes.
        """
        selective(self.world, search)
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
        terms = yield from self.all_terms([test.terms for test in search.tests])
        heads = None if search.heads is None else (yield from self.terms(search.heads))
        levels = yield from self._relation_levels(search.relations)
        facts = Facts()
        for relations, mapped in levels:
            facts = yield from self._with(search, relations, heads, terms)
            if facts.ids:
                self.world.names.mapped += mapped
                break
        return facts

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
            given += [(cell.text, (Rung("exact", (Candidate(cell.text),)),)) for cell in cells]
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
        scope = self.world.scope
        found = (yield from self.world.read(relations_of(scope, heads, tails)))[0]["relations"]
        if heads and not found:
            # Cells lead nowhere; the rows that hold them do.
            rows = yield from self.finding.holding(heads, ())
            if rows:
                found = (yield from self.world.read(relations_of(scope, rows, tails)))[0][
                    "relations"
                ]
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

    def _with(
        self, search: Search, relations: tuple[str, ...], heads: Terms | None, terms: list[Terms]
    ) -> Program[Facts]:
        """Facts of ``relations`` out of ``heads`` that pass the tests."""
        tests = list(zip(search.tests, terms, strict=True))
        if heads is not None:
            facts = yield from self.finding.out_of(relations, heads)
        else:
            first = next(
                (p for p in tests if p[0].operator == "=" and not selects(self.world, p[1])), None
            )
            if first is None:
                facts = yield from self.world.every(relations)
            else:
                tests.remove(first)
                facts = yield from self.finding.into(relations, first[1])
                if not facts.ids and len(first[1].names) == 1 and word(first[1].names[0]):
                    facts = yield from self.world.every(relations)
                    tests.insert(0, first)
        for test, given in tests:
            if facts.ids:
                facts = yield from passing(self.finding, facts, test, given, relations)
        return facts

    def all_terms(self, places: Sequence[Sequence[Operation]]) -> Program[list[Terms]]:
        """What stands in each of several places."""
        found: list[Terms] = []
        for operations in places:
            terms = yield from self.terms(operations)
            found.append(terms)
        return found
