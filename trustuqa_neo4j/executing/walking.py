"""``get_table``: paths walked out of heads, one statement for each relation, however many rows there are.

Equal prefixes are walked once and share the node between: ``a > b`` and ``a > c`` give one row for each b
with each c of the same a. A path that leads nowhere gives no row, or empty cells where it may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from ..checking.vocabulary import TYPE
from ..compiling import LIMIT, Program, Read
from ..language.paths import Branch, Path, PathStep, branches
from ..mapping import fold
from ..planning import Walk
from ..reasoning.results import Cell, Nodes, Refused, Table

if TYPE_CHECKING:
    from .searching import Searching
    from .world import World


Leads: TypeAlias = dict[tuple[Branch, PathStep], dict[int, list[int]]]
"""For each step from a branch, the nodes that it leads to from each node."""

Way: TypeAlias = tuple[tuple[int, int], ...]
"""Column and node, for each column of a row."""


def walked(searching: Searching, walk: Walk) -> Program[Table]:
    """The table that ``walk`` leads to.

    Raises:
        Refused: it would have more rows than can be held.
    """
    heads = yield from _heads(searching, walk)
    by_head = yield from _onward(searching, walk.paths, heads, walk.position)
    if sum(map(len, by_head)) > LIMIT:
        raise _too_many(walk.position)
    return (yield from _table(searching, tuple(path.name for path in walk.paths), by_head))


def _heads(searching: Searching, walk: Walk) -> Program[tuple[int, ...]]:
    world = searching.world
    if walk.heads is None:
        first = _first(walk)
        names = _names(searching, first)
        facts = yield from world.every(names)
        return (yield from _ordered(world, facts.tails if first.backwards else facts.heads))
    terms = yield from searching.terms(walk.heads)
    found = [*terms.nodes.distinct]
    for name in terms.names:
        for rung in world.names.things.get(name.text, ())[:1]:
            found += yield from _named(searching, walk, name.text, rung.nodes)
            world.names.mapped += rung.mapped(name.text)
    first = _first(walk)
    if terms.rows and not first.backwards:
        # Cells stand for their rows, unless they have the relation themselves.
        facts = yield from searching.finding.facts_out(_names(searching, first), found)
        if not facts.ids:
            found = list(terms.rows)
    return (yield from _ordered(world, found))


def _first(walk: Walk) -> PathStep:
    """The first relation that a head has to have."""
    steps = [path.steps[0] for path in walk.paths]
    return next((step for step in steps if not step.optional), steps[0])


def _named(
    searching: Searching, walk: Walk, name: str, nodes: Sequence[int]
) -> Program[Sequence[int]]:
    """What a name stands for: the nodes of that name, or the members of a class that has no such relation."""
    world, finding = searching.world, searching.finding
    for first in dict.fromkeys(path.steps[0] for path in walk.paths):
        facts_of = finding.facts_into if first.backwards else finding.facts_out
        facts = yield from facts_of(_names(searching, first), nodes)
        if facts.ids:
            return nodes
    given = {"tails": list(nodes), "source": world.scope.source}
    kinds = (yield from world.read(Read("kinds_of_facts_into", given)))[0]["relations"]
    types = tuple(kind for kind in kinds if fold(kind) == TYPE)
    if not types:
        return nodes
    facts = yield from finding.facts_into(types, nodes)
    world.use(facts.ids)
    members = tuple(dict.fromkeys(facts.heads))
    world.remarks.append(f"{name!r} is a class: its {len(members):,} members")
    return members


def _ordered(world: World, nodes: Sequence[int]) -> Program[tuple[int, ...]]:
    """Rows as they stand in their table, other heads by their names."""
    known = yield from world.values(tuple(dict.fromkeys(nodes)))
    return tuple(
        sorted(known, key=lambda node: (known[node].position or 0, known[node].text, node))
    )


def _names(searching: Searching, step: PathStep) -> tuple[str, ...]:
    rungs = searching.world.names.relations.get(step.relation, ())
    return rungs[0].names if rungs else ()


def _follow(
    searching: Searching, branch: Branch, nodes: Sequence[int], leads: Leads
) -> Program[None]:
    """Find what all steps from here lead to, one step at a time for all nodes."""
    if not nodes:
        return
    for step, further in branch.further.items():
        names = _names(searching, step)
        if step.backwards:
            facts = yield from searching.finding.facts_into(names, nodes)
            ends = zip(facts.tails, facts.heads, strict=True)
        else:
            facts = yield from searching.finding.facts_out(names, nodes)
            ends = zip(facts.heads, facts.tails, strict=True)
        searching.world.use(facts.ids)
        found: dict[int, list[int]] = {}
        for here, there in ends:
            found.setdefault(here, []).append(there)
        leads[branch, step] = found
        reached = tuple(dict.fromkeys(node for nodes in found.values() for node in nodes))
        yield from _follow(searching, further, reached, leads)


class _Ways:
    """The ways of walking on from nodes, each found once; a table at ``position`` is made of them."""

    def __init__(self, leads: Leads, position: int) -> None:
        self._leads = leads
        self._position = position
        self._known: dict[tuple[Branch, int], list[Way]] = {}

    def onward(self, branch: Branch, node: int) -> list[Way]:
        """One way for each combination of what the steps from ``node`` lead to.

        Raises:
            Refused: there are more than rows can be held.
        """
        here = (branch, node)
        if here in self._known:
            return self._known[here]
        own: Way = tuple((column, node) for column in branch.columns)
        choices: list[list[Way]] = []
        for step, further in branch.further.items():
            leads = self._leads.get((branch, step), {}).get(node, ())
            some = [way for there in leads for way in self.onward(further, there)]
            choices.append(some or [()] * further.optional)
        if prod(map(len, choices)) > LIMIT:
            raise _too_many(self._position)
        found = [
            tuple(pair for part in (own, *parts) for pair in part) for parts in product(*choices)
        ]
        self._known[here] = found
        return found


def _too_many(position: int) -> Refused:
    message = f"the table would have more than {LIMIT:,} rows: name fewer heads, or fewer paths"
    return Refused("too large", message, position)


def _rows(
    by_head: Sequence[list[Way]], columns: int, known: dict[int, Cell]
) -> Iterator[tuple[Cell, ...]]:
    """The rows head by head, those of one by what they say: a table is to be the same each time."""
    for ways in by_head:
        rows = [_cells(way, columns, known) for way in ways]
        yield from sorted(rows, key=lambda row: [cell.text for cell in row])


def _cells(row: Way, columns: int, known: dict[int, Cell]) -> tuple[Cell, ...]:
    nodes = dict(row)
    return tuple(known.get(nodes.get(column, -1), Cell("")) for column in range(columns))


def table_of(
    searching: Searching, rows: Nodes, names: Sequence[str], position: int
) -> Program[Table]:
    """Rows of a table, or other heads, with some of their columns."""
    paths = tuple(Path((PathStep(name),), name) for name in names)
    heads = yield from _ordered(searching.world, rows.ids)
    by_head = yield from _onward(searching, paths, heads, position)
    return (yield from _table(searching, tuple(names), by_head))


def _onward(
    searching: Searching, paths: Sequence[Path], heads: Sequence[int], position: int
) -> Program[list[list[Way]]]:
    """The ways of walking all paths, head by head."""
    root = branches(paths)
    leads: Leads = {}
    yield from _follow(searching, root, heads, leads)
    ways = _Ways(leads, position)
    return [ways.onward(root, head) for head in heads]


def _table(
    searching: Searching, columns: tuple[str, ...], by_head: list[list[Way]]
) -> Program[Table]:
    known = yield from searching.world.values(
        tuple(dict.fromkeys(node for found in by_head for row in found for _, node in row))
    )
    return Table(columns, tuple(_rows(by_head, len(columns), known)))
