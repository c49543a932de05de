"""Runs one search: facts by heads, relations and conditions on the tail.

If a name has no facts, its next tier is tried. No search reverses the direction of a relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ..language.ast import ProblemKind
from ..language.selectors import find_selector
from ..matching import MatchTier, NameCandidate, NameMatch
from ..planning.operations import Condition, Constant, Operation, Search
from ..reasoning.results import Cell, Cells, EvaluationError, Nodes, StepOutcome
from .context import ExecutionContext, nodes_of
from .derivation import Facts
from .fact_search import (
    FactSearch,
    SearchTerms,
    filter_facts,
    is_selector,
    reject_text_test,
)
from .nearest_names import read_nearest, scope_pool

Evaluate: TypeAlias = Callable[[Operation], StepOutcome]


class RelationsAtEnds(NamedTuple):
    """The relations with their facts between heads and tails; None as heads or tails is any node."""

    heads: list[int] | None
    tails: list[int] | None
    relations: list[tuple[str, list[int]]]


class TieredName(NamedTuple):
    """A name of the query with the tiers of nodes that it can mean, the nearest in meaning first."""

    text: str
    tiers: Sequence[MatchTier]

    def choose(self, has_relations: Callable[[list[int]], object]) -> TieredName:
        """Choose the first tier whose nodes have relations; of none, the first."""
        if len(self.tiers) == 1:
            return self
        fitting = (tier for tier in self.tiers if has_relations(list(tier.nodes)))
        return TieredName(self.text, (next(fitting, self.tiers[0]),))


def _join_nodes(terms: SearchTerms, names: Iterable[TieredName]) -> list[int]:
    of_names = (node for name in names for tier in name.tiers for node in tier.nodes)
    return [*terms.nodes.distinct, *of_names]


class SearchRunner:
    def __init__(self, context: ExecutionContext, evaluate: Evaluate) -> None:
        self.context = context
        self.evaluate = evaluate
        self.fact_search: FactSearch = FactSearch(context)

    def search(self, search: Search) -> StepOutcome:
        if search.output == "relations":
            return self._relations(search)
        facts = self.facts(search)
        self.context.record_facts(facts)
        if search.output == "tails":
            return Nodes(facts.tails, facts.heads)
        return Nodes(facts.heads, facts.tails if search.heads is not None else ())

    def facts(self, search: Search) -> Facts:
        terms = [self.terms(test.terms) for test in search.conditions]
        heads = None if search.heads is None else self.terms(search.heads)
        for relations, mapped in self._relation_levels(search.relations):
            facts = self._with(search, relations, heads, terms)
            if facts.ids:
                self.context.names.matches += mapped
                return facts
        return Facts()

    def _relation_levels(
        self, relations: Sequence[Operation]
    ) -> list[tuple[tuple[str, ...], list[NameMatch]]]:
        tiers_by_text: list[tuple[str, tuple[MatchTier, ...]]] = []
        for relation in relations:
            if isinstance(relation, Constant):
                tiers_by_text.append(
                    (relation.text, self.context.names.relations.get(relation.text, ()))
                )
                continue
            cells = self.context.cells(self.evaluate(relation))
            tiers_by_text += [
                (cell.text, (MatchTier("exact", (NameCandidate(cell.text),)),)) for cell in cells
            ]
        levels = []
        for level in range(max((len(steps) for _, steps in tiers_by_text), default=0)):
            names: dict[str, None] = {}
            mapped: list[NameMatch] = []
            for text, steps in tiers_by_text:
                if steps:
                    rung = steps[min(level, len(steps) - 1)]
                    names.update(dict.fromkeys(rung.names))
                    mapped += rung.mapped(text)
            levels.append((tuple(names), mapped))
        return levels

    def _relations(self, search: Search) -> StepOutcome:
        relations = self.relations_at_ends(search).relations
        ids = [[fact] for _, facts in relations for fact in facts]
        self.context.record_facts(Facts([0] * len(ids), [0] * len(ids), ids))
        produced = [(place,) for place, (_, facts) in enumerate(relations) for _ in facts]
        self.context.pending_derivations[-1].produced.append(produced)
        return Cells(tuple(Cell(relation) for relation, _ in relations))

    def relations_at_ends(self, search: Search) -> RelationsAtEnds:
        """Find the relations out of heads, into tails, or between the two.

        Each name is matched by itself: if the nodes of a tier have no relation, those of its next tier are
        tried, as in any search. If none has any, the rows that hold the heads as cells are tried, and the
        nodes with the nearest name.
        """
        relations_of = self.context.relations_of
        heads = None if search.heads is None else self.terms(search.heads)
        tails = self._tail_terms(search.conditions) if search.conditions else None
        head_names, tail_names = self._list_tiers(heads), self._list_tiers(tails)
        ends = None if tails is None else _join_nodes(tails, tail_names)
        head_names = [name.choose(lambda nodes: relations_of(nodes, ends)) for name in head_names]
        starts = None if heads is None else _join_nodes(heads, head_names)
        tail_names = [name.choose(lambda nodes: relations_of(starts, nodes)) for name in tail_names]
        ends = None if tails is None else _join_nodes(tails, tail_names)
        relations = relations_of(starts, ends)
        if not relations:
            return self._relations_at_others(heads, tails)
        for name in (*head_names, *tail_names):
            self.context.names.matches += name.tiers[0].mapped(name.text)
        return RelationsAtEnds(starts, ends, relations)

    def _list_tiers(self, terms: SearchTerms | None) -> list[TieredName]:
        entities = self.context.names.entities
        names = () if terms is None else terms.names
        return [TieredName(n.text, tiers) for n in names if (tiers := entities.get(n.text))]

    def _tail_terms(self, conditions: Sequence[Condition]) -> SearchTerms:
        terms: list[Operation] = []
        for test in conditions:
            if test.operator != "=":
                message = f"tail_entity takes = only without a relation, not {test.operator}"
                raise EvaluationError(ProblemKind.UNKNOWN_OPERATOR, message, test.position)
            terms += test.terms
        return self.terms(terms)

    def _relations_at_others(
        self, heads: SearchTerms | None, tails: SearchTerms | None
    ) -> RelationsAtEnds:
        """Find the relations of nodes with the nearest names; cells stand for their rows."""
        context = self.context
        starts = None if heads is None else self._nodes_of_others(heads)
        ends = None if tails is None else self._nodes_of_others(tails)
        relations = context.relations_of(starts, ends)
        if relations or heads is None or starts is None:
            return RelationsAtEnds(starts, ends, relations)
        # Cells lead nowhere; their rows do, and for a name all rows that hold it.
        rows = [*self.fact_search.rows(heads.rows)]
        rows = rows or self.fact_search.holding(starts, heads.names)
        if not rows:
            return RelationsAtEnds(starts, ends, relations)
        return RelationsAtEnds(rows, ends, context.relations_of(rows, ends))

    def _nodes_of_others(self, terms: SearchTerms) -> list[int]:
        """List the nodes of the first tier of each name; of a name without a node, those with the nearest."""
        context = self.context
        first_tiers = [TieredName(n.text, n.tiers[:1]) for n in self._list_tiers(terms)]
        nodes = _join_nodes(terms, first_tiers)
        for name in terms.names:
            if not context.names.entities.get(name.text):
                nodes += read_nearest(context, name.text, scope_pool(context))
        return nodes

    def terms(self, operations: Sequence[Operation]) -> SearchTerms:
        names: list[Constant] = []
        ids: list[int] = []
        origins: list[int] = []
        cells: list[Cell] = []
        for operation in operations:
            if isinstance(operation, Constant):
                names.append(operation)
                continue
            outcome = self.evaluate(operation)
            nodes = nodes_of(outcome)
            ids += nodes.ids
            origins += nodes.origins
            if isinstance(outcome, Cells):
                cells += [cell for cell in outcome.members if cell.node is None]
        joined = Nodes(ids, origins if len(origins) == len(ids) else ())
        for cell in cells:
            self.context.resolve_computed_name(cell.text)
        return SearchTerms(names, joined, cells)

    def _with(
        self,
        search: Search,
        relations: tuple[str, ...],
        heads: SearchTerms | None,
        terms: list[SearchTerms],
    ) -> Facts:
        tests = list(zip(search.conditions, terms, strict=True))
        for test in search.conditions:
            reject_text_test(self.context, test, relations)
        if heads is not None:
            facts = self.fact_search.out_of(relations, heads)
        elif (end := self.context.column_ends.get(search)) is not None:
            facts = self.fact_search.at_end(relations, end) or self.context.all_facts(relations)
        else:
            first = next(
                (p for p in tests if p[0].operator == "=" and not is_selector(self.context, p[1])),
                None,
            )
            if first is None:
                facts = self.fact_search.candidates(relations, tests)
            else:
                tests.remove(first)
                facts = self.fact_search.into(relations, first[1])
                if (
                    not facts.ids
                    and len(first[1].names) == 1
                    and find_selector(first[1].names[0].text)
                ):
                    facts = self.context.all_facts(relations)
                    tests.insert(0, first)
        # A word that selects looks at what the other conditions leave.
        tests.sort(key=lambda pair: is_selector(self.context, pair[1]))
        for test, bounds in tests:
            if facts.ids:
                facts = filter_facts(self.fact_search, facts, test, bounds, relations)
        return facts
