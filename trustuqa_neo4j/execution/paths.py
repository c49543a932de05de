"""``get_table``: rows from paths, with one statement per relation, however many rows there are.

Paths share their common first steps: ``a > b`` and ``a > c`` give one row for each pair of a b and a c of the
same a. A path without an end gives no row, or empty cells if the step is optional.
"""

from __future__ import annotations

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

# Step of a branch → start node → end nodes.
Leads: TypeAlias = dict[tuple[PathNode, PathStep], dict[int, list[int]]]
StepFacts: TypeAlias = dict[tuple[PathNode, PathStep], Facts]

Way: TypeAlias = tuple[tuple[int, int], ...]  # (column, node) for each column of a row.

_NOTHING = Cell("")


def traverse(runner: SearchRunner, walk: Traverse) -> Table:
    heads = _heads(runner, walk)
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
        nodes += _named(context, name)
        if not context.names.entities.get(name.text) and not first.backwards:
            nodes += runner.fact_search.near_heads(_names(context, first), name)
    if terms.rows and not first.backwards:
        # Cells stand for their rows, unless they have the relation themselves.
        facts = runner.fact_search.facts_out(_names(context, first), nodes)
        if not facts.ids:
            nodes = list(terms.rows)
    return _ordered(context, nodes)


def _first(walk: Traverse) -> PathStep:
    steps = [path.steps[0] for path in walk.paths]
    return next((step for step in steps if not step.optional), steps[0])


def _named(context: ExecutionContext, name: Constant) -> Sequence[int]:
    """The nodes of a name, or the members of the class that it stands for."""
    for tier in context.names.entities.get(name.text, ())[:1]:
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
    parameters = {"tails": nodes, "source": context.scope.source, "with_facts": False}
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
    branch: PathNode,
    nodes: Sequence[int],
    leads: Leads,
    step_facts: StepFacts,
) -> None:
    if not nodes:
        return
    for step, further in branch.children.items():
        names = _names(runner.context, step)
        if step.backwards:
            facts = runner.fact_search.facts_into(names, nodes)
            ends = zip(facts.tails, facts.heads, strict=True)
        else:
            facts = runner.fact_search.facts_out(names, nodes)
            ends = zip(facts.heads, facts.tails, strict=True)
        step_facts[branch, step] = facts
        reached: dict[int, list[int]] = {}
        for start, end in watch(ends):
            reached.setdefault(start, []).append(end)
        leads[branch, step] = reached
        next_nodes = tuple(dict.fromkeys(node for nodes in reached.values() for node in nodes))
        _follow(runner, further, next_nodes, leads, step_facts)


class _Ways:
    """The ways of walking on from nodes: counted, each node once, before one is walked."""

    def __init__(self, leads: Leads) -> None:
        self._leads = leads
        self._counts: dict[tuple[PathNode, int], int] = {}

    def count(self, branch: PathNode, node: int) -> int:
        """How many ways there are: one for each combination of what the steps from ``node`` lead to."""
        key = (branch, node)
        if key not in self._counts:
            self._counts[key] = prod(
                sum(self.count(further, end) for end in self._ends(branch, step, node))
                or int(further.optional)
                for step, further in branch.children.items()
            )
        return self._counts[key]

    def walk(self, branch: PathNode, node: int) -> Iterator[Way]:
        """The ways from ``node``, each as the nodes of its columns."""
        if not self.count(branch, node):
            return
        own: Way = tuple((column, node) for column in branch.columns)
        choices = [self._choices(branch, step, node) for step in branch.children]
        first, rest = choices[:1], [list(ways) for ways in choices[1:]]
        for way in chain(*first) if first else ((),):
            for further in product(*rest):
                yield (*own, *way, *chain(*further))

    def _choices(self, branch: PathNode, step: PathStep, node: int) -> Iterator[Way]:
        further = branch.children[step]
        is_empty = True
        for end in self._ends(branch, step, node):
            for way in self.walk(further, end):
                is_empty = False
                yield way
        if is_empty:
            yield ()

    def _ends(self, branch: PathNode, step: PathStep, node: int) -> Sequence[int]:
        return self._leads.get((branch, step), {}).get(node, ())


def table_of(runner: SearchRunner, rows: Nodes, names: Sequence[str], position: int) -> Table:
    paths = tuple(ColumnPath((PathStep(name),), name) for name in names)
    return _table(runner, paths, _ordered(runner.context, rows.ids), position)


def _table(
    runner: SearchRunner, paths: Sequence[ColumnPath], heads: Sequence[int], position: int
) -> Table:
    """The rows head by head, those of one by what they say: a table is to be the same each time."""
    context, columns = runner.context, range(len(paths))
    root = build_path_tree(paths)
    leads: Leads = {}
    step_facts: StepFacts = {}
    _follow(runner, root, heads, leads, step_facts)
    context.pending_derivations[-1].paths = PathFacts(root, heads, step_facts)
    ways = _Ways(leads)
    count = sum(ways.count(root, head) for head in watch(heads))
    nodes = dict.fromkeys(heads)
    for ends_of_nodes in leads.values():
        for ends in ends_of_nodes.values():
            nodes.update(dict.fromkeys(ends))
    context.reserve_table(count, len(paths), len(nodes), position)
    cells = context.values(tuple(nodes)) if count else {}
    rows: list[tuple[Cell, ...]] = []
    for head in heads:
        of_head = []
        for way in watch(ways.walk(root, head)):
            ends_by_column = dict(way)
            of_head.append(tuple(cells.get(ends_by_column.get(c, -1), _NOTHING) for c in columns))
        rows += sorted(of_head, key=lambda row: [cell.text for cell in row])
    return Table(tuple(path.name for path in paths), tuple(rows))
