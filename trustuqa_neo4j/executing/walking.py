"""``get_table``: paths walked out of heads, one statement for each relation, however many rows there are.

Equal prefixes are walked once and share the node between: ``a > b`` and ``a > c`` give one row for each b
with each c of the same a. A path that leads nowhere gives no row, or empty cells where it may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from ..checking.vocabulary import TYPE
from ..compiling import LIMIT, Program, Read
from ..language.paths import Path, PathStep
from ..mapping import fold
from ..planning import Walk
from ..reasoning.results import Cell, Nodes, Refused, Table

if TYPE_CHECKING:
    from .searching import Searching
    from .world import World


@dataclass
class Branch:
    """Where paths stand after a common prefix: the columns that end here, and the steps that go on.

    ``found``: for each step, the nodes that it leads to from each node. ``optional``: nothing need be here.
    """

    optional: bool = False
    columns: list[int] = field(default_factory=list)
    further: dict[PathStep, Branch] = field(default_factory=dict)
    found: dict[PathStep, dict[int, list[int]]] = field(default_factory=dict)


def walked(searching: Searching, walk: Walk) -> Program[Table]:
    """The table that ``walk`` leads to.

    Raises:
        Refused: it would have more rows than can be held.
    """
    root = branches(walk.paths)
    heads = yield from _heads(searching, walk)
    yield from _follow(searching, root, heads)
    ways: dict[tuple[int, int], list[tuple[tuple[int, int], ...]]] = {}
    by_head = [_ways(root, head, ways, walk.position) for head in heads]
    if sum(map(len, by_head)) > LIMIT:
        raise _too_many(walk.position)
    known = yield from searching.world.values(
        tuple(dict.fromkeys(node for rows in by_head for row in rows for _, node in row))
    )
    columns = tuple(path.name for path in walk.paths)
    return Table(columns, tuple(_rows(by_head, len(columns), known)))


def branches(paths: Sequence[Path]) -> Branch:
    """The paths as a tree of common prefixes."""
    root = Branch()
    for number, path in enumerate(paths):
        at = root
        for step in path.steps:
            at = at.further.setdefault(step, Branch(at.optional or step.optional))
        at.columns.append(number)
    return root


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


def _follow(searching: Searching, branch: Branch, nodes: Sequence[int]) -> Program[None]:
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
        leads: dict[int, list[int]] = {}
        for here, there in ends:
            leads.setdefault(here, []).append(there)
        branch.found[step] = leads
        reached = tuple(dict.fromkeys(node for found in leads.values() for node in found))
        yield from _follow(searching, further, reached)


Way = tuple[tuple[int, int], ...]
"""Column and node, for each column of a row."""


def _ways(
    branch: Branch, node: int, known: dict[tuple[int, int], list[Way]], position: int
) -> list[Way]:
    """The ways of walking on from ``node``: one for each combination of what the steps lead to."""
    here = (id(branch), node)
    if here in known:
        return known[here]
    own: Way = tuple((column, node) for column in branch.columns)
    choices: list[list[Way]] = []
    for step, further in branch.further.items():
        leads = branch.found.get(step, {}).get(node, ())
        some = [way for there in leads for way in _ways(further, there, known, position)]
        choices.append(some or [()] * further.optional)
    size = 1
    for choice in choices:
        size *= len(choice)
    if size > LIMIT:
        raise _too_many(position)
    found = [tuple(pair for part in (own, *parts) for pair in part) for parts in product(*choices)]
    known[here] = found
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
    root = branches(paths)
    heads = yield from _ordered(searching.world, rows.ids)
    yield from _follow(searching, root, heads)
    ways: dict[tuple[int, int], list[Way]] = {}
    by_head = [_ways(root, node, ways, position) for node in heads]
    known = yield from searching.world.values(
        tuple(dict.fromkeys(node for found in by_head for row in found for _, node in row))
    )
    return Table(tuple(names), tuple(_rows(by_head, len(names), known)))
