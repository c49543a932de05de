"""Facts of relations by what stands in their places: names, at the first rung that finds any, and results.

Where a name stands for nothing: values that equal a number or date, then the nearest names of the pool, which
is what the relation leads to. Cells stand for the rows that they came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compiling import Program, Read, into, out_of, rows_holding, values_like
from ..looking import Pool, near_nodes
from ..mapping import Mapped, Rung
from ..mapping.nearness import CELL, VALUE, VALUE_BY_LETTERS
from ..planning import Name
from ..reasoning.results import Cell, Nodes
from ..reasoning.testing import EXTREMES, MOST, holding, in_month, keep, month_of, spoken
from .world import Facts, World, literal

SCANNED = 50_000
"""Facts of a relation that are looked through for an equal value."""

_RUNGS = 3
"""Exact, folded, alias."""


@dataclass
class Terms:
    """What stands in one place of a search: names, whose rung is still open, and results."""

    names: list[Name]
    nodes: Nodes
    cells: list[Cell]  # without nodes: computed or typed values

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that nodes and cells came from."""
        rows = [cell.row for cell in self.cells if cell.row is not None]
        return tuple(dict.fromkeys((*self.nodes.origins, *rows)))


class Finding:
    """Looks facts up for one query."""

    def __init__(self, world: World) -> None:
        self.world = world

    def out_of(self, relations: tuple[str, ...], heads: Terms) -> Program[Facts]:
        """Facts out of heads: of themselves, else of the rows they stand in."""
        scope = self.world.scope
        pending = list(heads.names)
        for level in range(_RUNGS):
            start = list(heads.nodes.distinct) if level == 0 else []
            for name in pending:
                rungs = self.world.names.things.get(name.text, ())
                if level < len(rungs):
                    start += rungs[level].nodes
            if not start:
                continue
            facts = yield from self.facts_out(relations, start)
            if facts.ids:
                self._note(pending, level, facts.heads)
                return facts
        if rows := (yield from self.rows(heads.rows)):
            facts = yield from self.world.facts(out_of(scope, rows, relations))
            if facts.ids:
                return facts
        return (yield from self._of_rows(relations, heads))

    def rows(self, nodes: Sequence[int]) -> Program[Sequence[int]]:
        """Those of ``nodes`` that are rows: heads of a graph do not stand for what they lead to."""
        if not nodes or (self.world.names.table and self.world.scope.source is not None):
            return nodes
        known = yield from self.world.values(nodes)
        return [node for node, cell in known.items() if cell.position is not None]

    def facts_out(self, relations: tuple[str, ...], start: Sequence[int]) -> Program[Facts]:
        """Facts out of nodes; where several datasets are asked, of those of the same name too."""
        scope = self.world.scope
        facts = yield from self.world.facts(out_of(scope, start, relations))
        if len(scope.datasets) > 1:
            joined = yield from self.twins(start)
            if joined:
                more = yield from self.world.facts(out_of(scope, joined, relations))
                facts = facts.joined(more)
        return facts

    def twins(self, nodes: Sequence[int]) -> Program[list[int]]:
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
        """The rows that hold cells, which are nodes or are named so; each name at its best rung."""
        rows = dict.fromkeys((yield from self._holding(nodes)))
        pending = list(names)
        for level in range(_RUNGS):
            left: list[Name] = []
            for name in pending:
                rungs = self.world.names.things.get(name.text, ())
                found = (yield from self._holding(rungs[level].nodes)) if level < len(rungs) else []
                if found:
                    self.world.names.mapped += rungs[level].mapped(name.text)
                    rows.update(dict.fromkeys(found))
                else:
                    left.append(name)
            pending = left
        return list(rows)

    def _holding(self, cells: Sequence[int]) -> Program[list[int]]:
        if not cells:
            return []
        world = self.world
        columns = tuple(world.names.columns)
        if world.names.table and columns:
            facts = yield from world.facts(into(world.scope, cells, columns))
            return list(dict.fromkeys(facts.heads))
        found = yield from world.read(rows_holding(world.scope, cells))
        return list(found[0]["rows"])

    def _near_heads(self, relations: tuple[str, ...], heads: Terms) -> Program[Facts]:
        """Facts out of the nearest heads of names that stand for nothing at all."""
        found = Facts()
        for name in heads.names:
            if self.world.names.table and month_of(name.text):
                near = list(
                    (yield from self._by_value(tuple(self.world.names.columns), name)).heads
                )
            else:
                near = yield from self._near(name, self._heads(relations, name))
                if near and self.world.names.table:
                    near = yield from self.holding(near, ())
            if near:
                more = yield from self.world.facts(out_of(self.world.scope, near, relations))
                found = found.joined(more)
        return found

    def _heads(self, relations: tuple[str, ...], name: Name) -> Pool:
        """Where a head is looked for that stands for nothing: of a table, its cells."""
        source = self.world.scope.source
        if self.world.names.table:
            columns = tuple(self.world.names.columns)
            return Pool(columns, "tail", source, len(columns) * self.world.size(columns))
        unknown = not self.world.names.things.get(name.text)
        return Pool(relations, "head", source, self.world.size(relations) if unknown else 0)

    def into(self, relations: tuple[str, ...], tails: Terms) -> Program[Facts]:
        """Facts into tails: the nodes that are meant, else equal values, else the nearest."""
        world = self.world
        pending = [*tails.names, *(Name(cell.text, 0) for cell in tails.cells)]
        facts = Facts()
        for level in range(_RUNGS):
            start = list(tails.nodes.distinct) if level == 0 else []
            for name in pending:
                rungs = world.names.things.get(name.text, ())
                if level < len(rungs):
                    start += rungs[level].nodes
            more = yield from self.facts_into(relations, start)
            if more.ids:
                pending = self._note(pending, level, more.tails)
                facts = facts.joined(more)
            if not pending and facts.ids:
                return facts
        if tails.nodes.ids and not facts.ids:
            facts = yield from self._into_results(relations, tails)
        for name in pending:
            more = yield from self._by_value(relations, name)
            if not more.ids and not word(name):
                more = yield from self._into_near(relations, name)
            facts = facts.joined(more)
        return facts

    def facts_into(self, relations: tuple[str, ...], start: Sequence[int]) -> Program[Facts]:
        """Facts into nodes; where several datasets are asked, into those of the same name too."""
        if not start:
            return Facts()
        scope = self.world.scope
        facts = yield from self.world.facts(into(scope, start, relations))
        if len(scope.datasets) > 1 and (joined := (yield from self.twins(start))):
            more = yield from self.world.facts(into(scope, joined, relations))
            facts = facts.joined(more)
        return facts

    def _into_results(self, relations: tuple[str, ...], tails: Terms) -> Program[Facts]:
        """Where nothing leads to earlier results: rows stand for their cells, numbers for their equals."""
        world = self.world
        known = yield from world.values(tails.nodes.distinct)
        rows = [node for node, cell in known.items() if cell.position is not None]
        if rows:
            cells = yield from world.facts(out_of(world.scope, rows, relations))
            start = tuple(dict.fromkeys(cells.tails))
            return (yield from world.facts(into(world.scope, start, relations)))
        found = Facts()
        for cell in known.values():
            if cell.value is not None:
                more = yield from self._by_value(relations, Name(cell.text, 0))
                found = found.joined(more)
        return found

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
        table = self.world.names.table
        bound = literal(spoken(name.text) if table else name.text)
        month = month_of(name.text) if table else None
        if bound.value is None and month is None:
            return Facts()
        if self._small(relations):
            facts = yield from self.world.every(relations)
        elif bound.value is None:
            return Facts()
        else:
            # Too many to look through: the values are found by their indexes, texts that hold it are not.
            rows = yield from self.world.read(values_like(self.world.scope, bound.value))
            nodes = tuple(dict.fromkeys(node for row in rows for node in row["nodes"]))
            facts = yield from self.facts_into(relations, nodes)
        known = yield from self.world.values(tuple(dict.fromkeys(facts.tails)))
        cells = [known[tail] for tail in facts.tails]
        if month is not None:
            places, how = in_month(cells, month), "part"
        else:
            places, how = keep(cells, "=", (bound,), name.position).places, "value"
        if not places and month is None:
            places, how = holding(cells, bound), "part"
        for used in dict.fromkeys(cells[place].text for place in places):
            self.world.names.mapped.append(Mapped(name.text, used, how, 1.0))
        return facts.keep(places)

    def _into_near(self, relations: tuple[str, ...], name: Name) -> Program[Facts]:
        """Facts into the nearest tail of a name that stands for nothing here."""
        world = self.world
        if world.names.things.get(name.text) and not world.names.table:
            return Facts()
        pool = Pool(relations, "tail", world.scope.source, self.world.size(relations))
        near = yield from self._near(name, pool)
        return (yield from world.facts(into(world.scope, near, relations))) if near else Facts()

    def _near(self, name: Name, pool: Pool) -> Program[list[int]]:
        """The nearest node of the pool, with all that share its name."""
        world = self.world
        if not pool.size or not name.text.strip() or literal(name.text).value is not None:
            return []
        near = yield from near_nodes(name.text, world.scope.datasets, pool, world.names.embedded)
        least = VALUE if world.names.embedded else VALUE_BY_LETTERS
        if world.names.table and pool.side == "tail":
            least = CELL
        if not near or near[0].score < least:
            told = ", ".join(repr(one.name) for one in near[:3])
            world.remarks.append(f"{name.text!r} is unknown" + (f"; near: {told}" if near else ""))
            return []
        best = near[0]
        world.names.mapped.append(Mapped(name.text, best.name, "nearest", round(best.score, 3)))
        same = [one.node for one in near if one.name == best.name and one.node is not None]
        return list(dict.fromkeys(same))

    def _small(self, relations: Sequence[str]) -> bool:
        return self.world.size(relations) <= SCANNED


def word(name: Name) -> str | None:
    """The word by which ``name`` selects, if it does."""
    word = name.text.strip().casefold()
    return word if word in MOST or word in EXTREMES else None
