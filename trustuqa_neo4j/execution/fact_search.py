"""Facts of relations by heads and tails; the first tier of a name that has facts decides.

A name without facts is searched by value (number or date), then by similarity among the tails of the
relation. Cells stand for their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..language.ast import ProblemKind
from ..language.functions import DISTINCT
from ..language.lexer import TEXT_OPERATORS
from ..language.selectors import EXTREMES, MOST, find_selector
from ..matching import MatchTier, NameMatch, normalize_name
from ..planning.operations import Apply, Condition, Constant, Search
from ..reads.nearest import Pool
from ..reasoning.conditions import (
    filter_cells,
    find_containing,
    find_equal_values,
    find_frequent,
    find_selected,
    find_truths,
    has_words,
    read_month,
    replace_number_word,
)
from ..reasoning.results import Cell, EvaluationError, Nodes
from ..values import TRUTHS, read_truth_word
from .context import LIMIT, ColumnEnd, ExecutionContext, literal_cell
from .derivation import Facts
from .nearest_names import read_nearest

SCANNED = 50_000  # Facts of a relation that may be scanned for an equal value.
MAX_PREFIXED = (
    5_000  # Nodes whose facts are read one by one; for more, a scan of the relation is faster.
)
_RUNGS = 3  # exact, folded, alias


@dataclass
class SearchTerms:
    """The terms at one place of a search: names with several tiers, and results of steps."""

    names: list[Constant]
    nodes: Nodes
    cells: list[Cell]  # without nodes: computed or typed values

    @property
    def rows(self) -> tuple[int, ...]:
        rows = [cell.row for cell in self.cells if cell.row is not None]
        return tuple(dict.fromkeys((*self.nodes.origins, *rows)))


class FactSearch:
    def __init__(self, context: ExecutionContext) -> None:
        self.context = context

    def out_of(self, relations: tuple[str, ...], heads: SearchTerms) -> Facts:
        pending = list(heads.names)
        facts = Facts()
        for level in range(_RUNGS):
            start = self._start(heads, pending, level)
            if start and (tier_facts := self.facts_out(relations, start)).ids:
                pending = self._note(pending, level, tier_facts.heads)
                facts = facts.joined(tier_facts)
                # Nodes of other datasets stand for the names, so that a further tier is not asked for.
                if not pending or len(self.context.scope.datasets) > 1:
                    break
        if facts.ids:
            return facts
        if rows := self.rows(heads.rows):
            facts = self.context.facts_from(rows, relations)
            if facts.ids:
                return facts
        return self._of_rows(relations, heads)

    def _start(self, terms: SearchTerms, pending: Sequence[Constant], level: int) -> list[int]:
        start = list(terms.nodes.distinct) if level == 0 else []
        for name in pending:
            for tier in self.context.names.entities.get(name.text, ())[level : level + 1]:
                start += tier.nodes
        return start

    def rows(self, nodes: Sequence[int]) -> Sequence[int]:
        """Keep the nodes that are rows; a head of a graph does not stand for its tails."""
        if not nodes or (self.context.names.is_table and self.context.scope.source is not None):
            return nodes
        cells = self.context.values(nodes)
        return [node for node, cell in cells.items() if cell.position is not None]

    def facts_out(self, relations: tuple[str, ...], start: Sequence[int]) -> Facts:
        """Find facts of nodes; several datasets are joined by names."""
        facts = self.context.facts_from(start, relations)
        if len(self.context.scope.datasets) > 1 and (twins := self.twins(start)):
            facts = facts.joined(self.context.facts_from(twins, relations))
        return facts

    def twins(self, nodes: Sequence[int]) -> list[int]:
        rows = self.context.reader.run(
            "same_name_nodes", nodes=list(nodes), datasets=self.context.datasets
        )[0]["twins"]
        exact = {(node, dataset) for node, _, _, same, dataset in rows if same}
        twins: dict[int, None] = {}
        for node, twin, name, same, dataset in rows:
            if same or (node, dataset) not in exact:
                twins[twin] = None
                how = "joined by name" if same else "joined by folded name"
                self.context.remarks.append(f"{name!r} {how} in {dataset}")
        return list(twins)

    def _of_rows(self, relations: tuple[str, ...], heads: SearchTerms) -> Facts:
        """Find facts of the rows that hold the heads as cells."""
        if rows := self.holding(heads.nodes.distinct, heads.names):
            facts = self.context.facts_from(rows, relations)
            if facts.ids:
                return facts
        return self._near_heads(relations, heads)

    def holding(self, nodes: Sequence[int], names: Sequence[Constant]) -> list[int]:
        """List the rows that hold cells, given as nodes or names."""
        rows = dict.fromkeys(self._holding(nodes))
        pending = list(names)
        for level in range(_RUNGS):
            remaining: list[Constant] = []
            for name in pending:
                tiers = self.context.names.entities.get(name.text, ())
                holders = self._holding(tiers[level].nodes) if level < len(tiers) else []
                if holders:
                    self.context.names.matches += tiers[level].mapped(name.text)
                    rows.update(dict.fromkeys(holders))
                else:
                    remaining.append(name)
            pending = remaining
        return list(rows)

    def _holding(self, cells: Sequence[int]) -> list[int]:
        if not cells:
            return []
        context = self.context
        columns = tuple(context.names.columns)
        if context.names.is_table and columns:
            facts = context.facts_to(cells, columns)
            return list(dict.fromkeys(facts.heads))
        rows = context.reader.run(
            "rows_with_cells",
            datasets=context.datasets,
            nodes=list(cells),
            source=context.scope.source,
        )
        return list(rows[0]["rows"])

    def _near_heads(self, relations: tuple[str, ...], heads: SearchTerms) -> Facts:
        facts = Facts()
        for name in heads.names:
            near = self.near_heads(relations, name)
            if near:
                facts = facts.joined(self.context.facts_from(near, relations))
        return facts

    def near_heads(self, relations: tuple[str, ...], name: Constant) -> list[int]:
        """The heads with the nearest name; of a table, the rows that hold it."""
        if self.context.names.is_table and read_month(name.text):
            return list(self._by_value(tuple(self.context.names.columns), name).heads)
        near = read_nearest(self.context, name.text, self.head_pool(relations, name.text))
        return self.holding(near, ()) if near and self.context.names.is_table else near

    def head_pool(self, relations: tuple[str, ...], name: str) -> Pool:
        """The pool in which a head without a node is looked for; in a table, all its cells."""
        source = self.context.scope.source
        if self.context.names.is_table:
            columns = tuple(self.context.names.columns)
            return Pool(columns, "tail", source, len(columns) * self.context.size(columns))
        unknown = not self.context.names.entities.get(name)
        return Pool(relations, "head", source, self.context.size(relations) if unknown else 0)

    def into(self, relations: tuple[str, ...], tails: SearchTerms) -> Facts:
        facts, unread = self._into_truths(relations, tails.names)
        pending = [*unread, *(Constant(cell.text, 0) for cell in tails.cells)]
        if facts.ids and not pending and not tails.nodes.ids:
            return facts
        for level in range(_RUNGS):
            tier_facts = self.facts_into(relations, self._start(tails, pending, level))
            if tier_facts.ids:
                pending = self._note(pending, level, tier_facts.tails)
                facts = facts.joined(tier_facts)
            if not pending and facts.ids:
                return facts
        if tails.nodes.ids and not facts.ids:
            facts = self._into_results(relations, tails)
        for name in pending:
            tier_facts = self._by_value(relations, name)
            if not tier_facts.ids and not find_selector(name.text):
                tier_facts = self._into_near(relations, name)
            facts = facts.joined(tier_facts)
        return facts

    def _into_truths(
        self, relations: tuple[str, ...], names: Sequence[Constant]
    ) -> tuple[Facts, list[Constant]]:
        """Find facts that say yes or no in other words, as ``true`` for ``yes``; return the other names.

        All tails of the relation have to say yes or no.
        """
        truths = {name: read_truth_word(name.text) for name in names}
        is_asked = any(truth is not None for truth in truths.values())
        if not is_asked or len(relations) != 1 or self.context.entails(relations):
            return Facts(), list(names)
        words = dict.fromkeys(normalize_name(word) for word in (*TRUTHS, ""))
        facts = self.context.facts_to(self.context.nodes_with_names(words), relations)
        if sum(map(len, facts.ids)) < self.context.size(relations):
            return Facts(), list(names)
        cells = self.context.tail_cells(facts)
        places: dict[int, None] = {}
        others: list[Constant] = []
        for name, truth in truths.items():
            # T alone, without F, is not a truth but a name.
            equal = [] if truth is None else find_truths(cells, truth)
            if not equal:
                others.append(name)
            places |= dict.fromkeys(equal)
            self._note_truths(name, [cells[place] for place in equal])
        return facts.keep(sorted(places)), others

    def _note_truths(self, name: Constant, cells: Sequence[Cell]) -> None:
        for text in dict.fromkeys(cell.text for cell in cells):
            if normalize_name(text) != normalize_name(name.text):
                self.context.names.matches.append(NameMatch(name.text, text, "value", 1.0))

    def facts_into(self, relations: tuple[str, ...], start: Sequence[int]) -> Facts:
        """Find facts that lead to nodes; several datasets are joined by names."""
        if not start:
            return Facts()
        facts = self.context.facts_to(start, relations)
        if len(self.context.scope.datasets) > 1 and (twins := self.twins(start)):
            facts = facts.joined(self.context.facts_to(twins, relations))
        return facts

    def _into_results(self, relations: tuple[str, ...], tails: SearchTerms) -> Facts:
        """Search again with the cells of rows, or with equal numbers, if no fact leads to the results."""
        context = self.context
        cells_by_node = context.values(tails.nodes.distinct)
        rows = [node for node, cell in cells_by_node.items() if cell.position is not None]
        if rows:
            tails_of_rows = context.facts_from(rows, relations).tails
            return context.facts_to(tuple(dict.fromkeys(tails_of_rows)), relations)
        facts = Facts()
        for cell in cells_by_node.values():
            if cell.value is not None:
                facts = facts.joined(self._by_value(relations, Constant(cell.text, 0)))
        return facts

    def _note(self, pending: list[Constant], level: int, nodes: Sequence[int]) -> list[Constant]:
        """Record the names that matched a node; return the others."""
        reached = set(nodes)
        remaining = []
        for name in pending:
            tiers = self.context.names.entities.get(name.text, ())
            if level < len(tiers) and not reached.isdisjoint(tiers[level].nodes):
                candidates = [c for c in tiers[level].candidates if c.node in reached]
                self.context.names.matches += MatchTier(tiers[level].how, tuple(candidates)).mapped(
                    name.text
                )
            else:
                remaining.append(name)
        return remaining

    def _by_value(self, relations: tuple[str, ...], name: Constant) -> Facts:
        """Find facts with an equal number or date, else with a text that contains it as a word."""
        table = self.context.names.is_table
        bound = literal_cell(replace_number_word(name.text) if table else name.text)
        month = read_month(name.text) if table else None
        if bound.value is None and month is None:
            return Facts()
        if self.context.size(relations) <= SCANNED:
            facts = self.context.all_facts(relations)
        elif bound.value is None:
            return Facts()
        else:
            # Too many to look through: the values are found by their indexes, texts that hold it are not.
            value = bound.value
            rows = self.context.reader.run(
                "find_values",
                datasets=self.context.datasets,
                number=value.number,
                first=value.start,
                last=value.end,
            )
            nodes = tuple(dict.fromkeys(node for row in rows for node in row["nodes"]))
            facts = self.facts_into(relations, nodes)
        cells = self.context.tail_cells(facts)
        places, how = find_equal_values(cells, bound, month, name.position)
        for text in dict.fromkeys(cells[place].text for place in places):
            self.context.names.matches.append(NameMatch(name.text, text, how, 1.0))
        return facts.keep(places)

    def candidates(
        self, relations: tuple[str, ...], tests: Sequence[tuple[Condition, SearchTerms]]
    ) -> Facts:
        """Read all facts of relations; of many, only those that can fulfil a condition."""
        context = self.context
        size = context.size(relations)
        is_large = size > SCANNED and not context.entails(relations)
        if is_large and size <= LIMIT and context.has_numbers_only(relations):
            facts = self._with_numbers(relations, tests)
            if facts is not None:
                context.leave_unread(relations)
                return facts
        for test, terms in tests if is_large else ():
            texts = [name.text for name in terms.names]
            is_plain = bool(texts) and not (terms.nodes.ids or terms.cells)
            if (
                test.operator not in TEXT_OPERATORS
                or not is_plain
                or not all(map(has_words, texts))
            ):
                continue
            if test.operator == "starts with":
                nodes = context.nodes_with_prefix(texts, MAX_PREFIXED + 1)
                if len(nodes) <= MAX_PREFIXED:
                    return context.facts_to(nodes, relations)
            return context.facts_with_text(relations, test.operator, texts)
        return context.all_facts(relations)

    def at_end(self, relations: tuple[str, ...], end: ColumnEnd) -> Facts | None:
        """Read the facts with the extreme numbers of a column; None if it has units or too few facts."""
        context = self.context
        parameters = {"dataset": context.datasets[0], "source": context.names.source}
        bound = context.reader.run(
            "bound_of_column", relation=relations[0], **parameters, **end._asdict()
        )[0]
        if bound["units"] or bound["number"] is None:
            return None
        side = {"low" if end.is_upper else "high": bound["number"]}
        facts = context.facts_with_number(relations, **side)
        # A row with equal cells in two columns of one name counts once.
        if len(set(facts.heads)) != len(facts) or len(facts) < end.size:
            return None
        context.leave_unread(relations)
        return facts

    def _with_numbers(
        self, relations: tuple[str, ...], tests: Sequence[tuple[Condition, SearchTerms]]
    ) -> Facts | None:
        """Read the facts that can fulfil a condition on their numbers; None if it is of another kind.

        An extreme is that of all facts only without another condition.
        """
        (test, terms), *further = tests or ((None, None),)
        if test is None or terms is None:
            return None
        if len(terms.nodes.distinct) == 1 and not (terms.names or terms.cells):
            (bound,) = self.context.values(terms.nodes.distinct).values()
            is_row = bound.position is not None
            return None if is_row else self._beyond(relations, test.operator, bound)
        if len(terms.names) != 1:
            return None
        text = terms.names[0].text
        if is_selector(self.context, terms):
            word = text.strip().casefold()
            if further or test.operator != "=" or word not in EXTREMES:
                return None
            extreme = "highest" if EXTREMES[word] else "lowest"
            facts = self.context.facts_with_number(relations, extreme=extreme)
            return facts if facts.ids else None
        if terms.nodes.ids or terms.cells:
            return None
        return self._beyond(relations, test.operator, literal_cell(text))

    def _beyond(self, relations: tuple[str, ...], operator: str, bound: Cell) -> Facts | None:
        value = bound.value
        if value is None or value.number is None or value.unit:
            return None
        if operator in (">", ">="):
            return self.context.facts_with_number(relations, low=value.number)
        if operator in ("<", "<="):
            return self.context.facts_with_number(relations, high=value.number)
        return None

    def _into_near(self, relations: tuple[str, ...], name: Constant) -> Facts:
        """Find facts with the tail most similar to a name without a match."""
        context = self.context
        if context.names.entities.get(name.text) and not context.names.is_table:
            return Facts()
        pool = Pool(relations, "tail", context.scope.source, self.context.size(relations))
        near = read_nearest(context, name.text, pool)
        return context.facts_to(near, relations) if near else Facts()


# Whether the tails of facts pass a test: equality, order, and words that select (``highest``).


def is_selector(
    context: ExecutionContext, terms: SearchTerms, tails: Sequence[int] | None = None
) -> bool:
    if (
        len(terms.names) != 1
        or terms.nodes.ids
        or terms.cells
        or not find_selector(terms.names[0].text)
    ):
        return False
    tiers = context.names.entities.get(terms.names[0].text, ())
    called = {node for rung in tiers if rung.how == "exact" for node in rung.nodes}
    return not called or (tails is not None and called.isdisjoint(tails))


def reject_text_test(context: ExecutionContext, test: Condition, relations: Sequence[str]) -> None:
    """Refuse ``contains`` and the like where a relation leads only to numbers or dates."""
    if test.operator not in TEXT_OPERATORS:
        return
    names = set(relations)
    for statistics in (*context.names.statistics.values(), *context.names.columns.values()):
        for kind, count in (("numbers", statistics.numbers), ("dates", statistics.dates)):
            if names & set(statistics.names) and 0 < statistics.facts == count:
                message = (
                    f"{test.operator} needs text, and {', '.join(relations)} leads to {kind}; "
                    "compare with =, < or >"
                )
                raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, test.position)


def reject_trivial_filter(context: ExecutionContext, search: Search) -> None:
    """Refuse a filter that accepts every value, as ``sort`` and ``distinct`` of the same relation do."""
    relations = [str(relation) for relation in search.relations]
    for test in search.conditions:
        for term in test.terms if test.operator == "=" else ():
            operation = context.origin(term)
            if not isinstance(operation, Apply) or operation.function not in ("sort", DISTINCT):
                continue
            values = context.origin(operation.operands[0])
            if not isinstance(values, Search):
                continue
            same = relations == [str(relation) for relation in values.relations]
            if same and values == Search("tails", values.position, values.relations):
                message = f"whatever has {', '.join(relations)} has one of all its values: take first or last"
                raise EvaluationError(ProblemKind.UNKNOWN_COMBINATION, message, test.position)


def filter_facts(
    fact_search: FactSearch,
    facts: Facts,
    test: Condition,
    terms: SearchTerms,
    relations: tuple[str, ...],
) -> Facts:
    context = fact_search.context
    is_text_test = test.operator in TEXT_OPERATORS
    selecting = not is_text_test and is_selector(context, terms, facts.tails)
    if test.operator in ("=", "!=") and not selecting:
        places = _equal(fact_search, facts, terms)
        if test.operator == "!=":
            equal = set(places)
            places = [place for place in range(len(facts)) if place not in equal]
        return facts.keep(places)
    selected = find_selector(terms.names[0].text) if selecting else None
    if selected in MOST:
        return facts.keep(find_frequent(facts.tails, MOST[selected]))
    cells = context.tail_cells(facts)
    if selected is not None:
        selection = find_selected(cells, selected, test.position)
    else:
        bounds = _bounds(context, terms, relations)
        selection = filter_cells(cells, test.operator, bounds, test.position)
    context.note_selection(selection, cells)
    return facts.keep(selection.places)


def _equal(fact_search: FactSearch, facts: Facts, terms: SearchTerms) -> list[int]:
    truths = [read_truth_word(name.text) for name in terms.names]
    if any(truth is not None for truth in truths):
        cells = fact_search.context.tail_cells(facts)
        equal = {
            place for truth in truths if truth is not None for place in find_truths(cells, truth)
        }
        if equal:
            return sorted(equal)
    nodes = set(terms.nodes.ids)
    tails = set(facts.tails)
    for name in terms.names:
        # The first tier that is among the tails decides: other names that fold alike are other names.
        rungs = fact_search.context.names.entities.get(name.text, ())
        nodes.update(next((r.nodes for r in rungs if not tails.isdisjoint(r.nodes)), ()))
    if len(fact_search.context.scope.datasets) > 1 and terms.nodes.ids:
        nodes.update(fact_search.twins(terms.nodes.distinct))
    places = [place for place, tail in enumerate(facts.tails) if tail in nodes]
    bounds = [*terms.cells, *(literal_cell(name.text) for name in terms.names)]
    if places or not bounds:
        return places
    cells = fact_search.context.tail_cells(facts)
    places = filter_cells(cells, "=", bounds, 0).places
    if not places:
        for bound in bounds:
            places += find_containing(cells, bound)
    return sorted(set(places))


def _bounds(
    context: ExecutionContext, terms: SearchTerms, relations: tuple[str, ...]
) -> list[Cell]:
    """Read the bounds of an order comparison; rows stand for their cells."""
    cells = list(terms.cells) + [literal_cell(name.text) for name in terms.names]
    if terms.nodes.ids:
        values = context.values(terms.nodes.distinct)
        if any(cell.position is not None for cell in values.values()):
            facts = context.facts_from(terms.nodes.distinct, relations)
            values = context.values(tuple(dict.fromkeys(facts.tails)))
        cells += values.values()
    return cells
