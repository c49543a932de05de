"""``get_table``: rows from paths, with one statement per relation, however many rows there are.

Paths share their common first steps: ``a > b`` and ``a > c`` give one row for each pair of a b and a c of the
same a. A path without an end gives no row, or empty cells if the step is optional.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, product
from math import prod
from typing import TypeAlias

from ..deadline import watch
from ..language.columns import ColumnPath, PathNode, PathStep, build_path_tree
from ..matching import normalize_name
from ..ontology.schema_knowledge import TYPE
from ..planning.operations import Constant, Plan, Traverse, walk_operations
from ..reasoning.results import Cell, Nodes, Table
from .context import ExecutionContext
from .derivation import Facts, PathFacts
from .fact_search import FactSearch
from .name_resolution import ClassHead
from .search import SearchRunner

# Branch → node where its step starts → nodes where it ends.
Leads: TypeAlias = dict[PathNode, dict[int, list[int]]]

Way: TypeAlias = "tuple[int | None, ...]"  # The nodes of the columns, in the order of the tree.

_NOTHING = Cell("")


def traverse(runner: SearchRunner, walk: Traverse) -> Table:
    return make_rows(runner, walk, _heads(runner, walk))


def make_rows(runner: SearchRunner, walk: Traverse, heads: Sequence[int]) -> Table:
    """Make the rows of a table that start from ``heads``."""
    return _table(runner, walk.paths, heads, walk.position)


def _heads(runner: SearchRunner, walk: Traverse) -> tuple[int, ...]:
    context = runner.context
    if walk.heads is None:
        first = _first(walk)
        names = _names(context, first)
        facts = context.all_facts(names)
        return _ordered(context, facts.tails if first.backwards else facts.heads)
    terms = runner.terms(walk.heads)
    nodes = [*terms.nodes.distinct]
    first = _first(walk)
    for name in terms.names:
        nodes += _named(runner, name, first)
        if not context.names.entities.get(name.text) and not first.backwards:
            nodes += runner.fact_search.near_heads(_names(context, first), name)
    if context.names.has_columns and not first.backwards:
        # Cells stand for their rows, unless they have the relation themselves.
        find = runner.fact_search
        if not find.facts_out(_names(context, first), nodes).ids:
            rows = find.rows(terms.rows) or find.holding(terms.nodes.distinct, terms.names)
            nodes = [*rows] or nodes
    return _ordered(context, nodes)


def _first(walk: Traverse) -> PathStep:
    steps = [path.steps[0] for path in walk.paths]
    return next((step for step in steps if not step.optional), steps[0])


def _named(runner: SearchRunner, name: Constant, first: PathStep) -> Sequence[int]:
    """The nodes of a name, or the members of the class that it stands for.

    Of several tiers, the first one whose nodes have the first relation decides.
    """
    context = runner.context
    tiers = context.names.entities.get(name.text, ())
    if len(tiers) > 1 and name not in context.names.class_heads:
        find = runner.fact_search.facts_into if first.backwards else runner.fact_search.facts_out
        relations = _names(context, first)
        tiers = tuple(t for t in tiers if find(relations, list(t.nodes)).ids) or tiers
    for tier in tiers[:1]:
        context.names.matches += tier.mapped(name.text)
        head = context.names.class_heads.get(name)
        if head is None:
            return tier.nodes
        context.record_facts(head.facts)
        size = len(head.members)
        context.remarks.append(f"{name.text!r} is a class: its {size:,} members")
        return head.members
    return ()


def resolve_class_heads(plan: Plan, context: ExecutionContext) -> None:
    """Enter the heads of tables that are classes: each stands for the members of its class.

    A name stands for its own nodes if these have the first relation of a path. The decision is made here
    once, for validation and for execution.
    """
    finding = FactSearch(context)
    for step in plan.steps:
        for operation in walk_operations(step.operation):
            if isinstance(operation, Traverse):
                with context.in_table(operation.table):
                    for name in operation.heads or ():
                        if isinstance(name, Constant):
                            _resolve_class_head(finding, operation, name)


def _resolve_class_head(finding: FactSearch, walk: Traverse, name: Constant) -> None:
    context = finding.context
    tier = next(iter(context.names.entities.get(name.text, ())), None)
    if tier is None:
        return
    inference = context.inference
    nodes = [*tier.nodes, *(inference.find_subclasses(tier.nodes) if inference else ())]
    scope = {"datasets": context.datasets, "source": context.scope.source}
    parameters = {"tails": nodes, "with_facts": False, **scope}
    relations = context.reader.run("relations_to", **parameters)[0]["relations"]
    types = tuple(relation for relation, _ in relations if normalize_name(relation) == TYPE)
    if not types:
        return
    for first in dict.fromkeys(path.steps[0] for path in walk.paths):
        facts_of = finding.facts_into if first.backwards else finding.facts_out
        if facts_of(_names(context, first), tier.nodes).ids:
            return
    facts = finding.facts_into(types, tier.nodes)
    members = tuple(dict.fromkeys(facts.heads))
    context.names.class_heads[name] = ClassHead(tier.names[0], members, facts)


def _ordered(context: ExecutionContext, nodes: Sequence[int]) -> tuple[int, ...]:
    cells = context.values(tuple(dict.fromkeys(nodes)))
    return tuple(
        sorted(cells, key=lambda node: (cells[node].position or 0, cells[node].text, node))
    )


def _names(context: ExecutionContext, step: PathStep) -> tuple[str, ...]:
    rungs = context.names.relations.get(step.relation, ())
    return rungs[0].names if rungs else ()


def _follow(
    runner: SearchRunner,
    root: PathNode,
    nodes: Sequence[int],
    leads: Leads,
    step_facts: dict[PathNode, Facts],
) -> None:
    if not nodes:
        return
    for step, branch in root.children.items():
        names = _names(runner.context, step)
        if step.backwards:
            facts = runner.fact_search.facts_into(names, nodes)
            ends = zip(facts.tails, facts.heads, strict=True)
        else:
            facts = runner.fact_search.facts_out(names, nodes)
            ends = zip(facts.heads, facts.tails, strict=True)
        step_facts[branch] = facts
        reached: dict[int, list[int]] = {}
        for start, end in watch(ends):
            reached.setdefault(start, []).append(end)
        leads[branch] = reached
        next_nodes = dict.fromkeys(chain.from_iterable(reached.values()))
        _follow(runner, branch, tuple(next_nodes), leads, step_facts)


class _Ways:
    """The ways of walking on from nodes: counted, each node once, before one is walked."""

    def __init__(self, leads: Leads) -> None:
        self._leads = leads
        self._counts: dict[tuple[PathNode, int], int] = {}

    def count(self, root: PathNode, node: int) -> int:
        """How many ways there are: one for each combination of what the steps from ``node`` lead to."""
        key = (root, node)
        if key not in self._counts:
            self._counts[key] = prod(
                self._count_branch(branch, node) or int(branch.optional)
                for branch in root.children.values()
            )
        return self._counts[key]

    def _count_branch(self, branch: PathNode, node: int) -> int:
        ends = self._leads[branch].get(node, ())
        return sum(self.count(branch, end) for end in ends) if branch.children else len(ends)

    def walk(self, root: PathNode, node: int) -> Iterator[Way]:
        if not self.count(root, node):
            return
        own: Way = (node,) * len(root.columns)
        branches = root.children.values()
        for ways in product(*[self._walk_branch(branch, node) for branch in branches]):
            yield (*own, *chain.from_iterable(ways))

    def _walk_branch(self, branch: PathNode, node: int) -> list[Way]:
        ends = self._leads[branch].get(node, ())
        ways: list[Way]
        if branch.children:
            ways = [way for end in ends for way in self.walk(branch, end)]
        else:
            width = len(branch.columns)
            ways = [(end,) * width for end in ends]
        missing: Way = (None,) * len(_order_columns(branch))
        return ways or [missing]


def _order_columns(root: PathNode) -> list[int]:
    """List the columns of a tree in the order in which its ways have their nodes."""
    branches = root.children.values()
    return [*root.columns, *chain.from_iterable(_order_columns(branch) for branch in branches)]


def table_of(runner: SearchRunner, rows: Nodes, names: Sequence[str], position: int) -> Table:
    paths = tuple(ColumnPath((PathStep(name),), name) for name in names)
    return _table(runner, paths, _ordered(runner.context, rows.ids), position)


def _table(
    runner: SearchRunner, paths: Sequence[ColumnPath], heads: Sequence[int], position: int
) -> Table:
    """The rows head by head, those of one by what they say: a table is to be the same each time."""
    context = runner.context
    root = build_path_tree(paths)
    leads: Leads = defaultdict(dict)
    step_facts: dict[PathNode, Facts] = {}
    _follow(runner, root, heads, leads, step_facts)
    row_heads: list[int] = []
    context.pending_derivations[-1].paths = PathFacts(root, heads, step_facts, row_heads)
    ways = _Ways(leads)
    count = sum(ways.count(root, head) for head in watch(heads))
    nodes = dict.fromkeys(heads if root.columns else ())
    for branch, ends in leads.items():
        if branch.columns:
            nodes.update(dict.fromkeys(chain.from_iterable(ends.values())))
    context.reserve_table(count, len(paths), len(nodes), position)
    cells: dict[int | None, Cell] = {None: _NOTHING}
    if count:
        cells.update(context.values(tuple(nodes)).items())
    order = _order_columns(root)
    places = [order.index(column) for column in range(len(paths))]
    rows: list[tuple[Cell, ...]] = []
    for head in watch(heads):
        of_head = [
            tuple([cells.get(way[place], _NOTHING) for place in places])
            for way in ways.walk(root, head)
        ]
        if len(of_head) > 1:
            of_head.sort(key=lambda row: [cell.text for cell in row])
        rows += of_head
        row_heads += [head] * len(of_head)
    return Table(tuple(path.name for path in paths), tuple(rows))
