"""The facts that prove an answer: back from its members, through the operations that it came from.

Facts that an operation found and that lead to no member are not a proof: they were only looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from ..language.functions import NEGATION, has_trait
from ..language.signatures import Trait
from ..planning.operations import Apply, GroupBy, Operation, Search, Union
from ..reasoning.results import Cell, Cells, Nodes, StepOutcome, Table
from .attribution import MAX_ANSWERS, Attribution, Links, is_grouping, list_places
from .derivation import Derivation, Facts


@dataclass(frozen=True, slots=True)
class Needed:
    """Members of an outcome that need a proof; None: all of it. ``origins`` are their rows, empty if any."""

    members: set[int] | None = None
    origins: frozenset[int] = frozenset()

    def merge(self, added: Needed) -> Needed:
        if self.members is None or added.members is None:
            return Needed()
        origins = self.origins | added.origins if self.origins and added.origins else frozenset()
        return Needed(self.members | added.members, origins)


class InferredFact(NamedTuple):
    """A fact that follows from stored ones by the ontology: its ends, and the relations that it may be of."""

    head: int
    relations: tuple[str, ...]
    tail: int


class ProofEntry(NamedTuple):
    """The use of a stored fact in a proof: its step, and the inferred fact that follows from it.

    ``is_membership``: it only says the class of a node.
    """

    is_membership: bool
    step: int
    inferred: InferredFact | None = None

    @property
    def rank(self) -> tuple[bool, int]:
        return self.is_membership, self.step


@dataclass(frozen=True, slots=True)
class Proof:
    """The facts of an outcome by id, those to show first in front; ``unread`` counts further ones by step.

    ``attribution`` tells which answers each fact produced; None if there is only one.
    """

    entries: dict[int, ProofEntry] = field(default_factory=dict)
    unread: Mapping[int, int] = field(default_factory=dict)
    attribution: Attribution | None = None

    @property
    def total(self) -> int:
        return len(self.entries) + sum(self.unread.values())

    def count_steps(self) -> dict[int, int]:
        """Count the facts of each step."""
        counts = Counter(entry.step for entry in self.entries.values()) + Counter(self.unread)
        return dict(sorted(counts.items()))

    def count_answers(self, size: int) -> tuple[int, ...]:
        """Count the facts of each of ``size`` answers, or of the first ``MAX_ANSWERS``."""
        if size < 2 or self.attribution is None:
            return (self.total,) * size
        return self.attribution.count(self.entries, size)

    def list_answers(self, fact: int, size: int) -> tuple[int, ...]:
        """List the places of the answers that a fact produced; all facts lead to an only one."""
        if size < 2 or self.attribution is None:
            return tuple(range(size))
        return tuple(list_places(self.attribution.facts.get(fact, 0)))


def find_proof(
    derivations: Sequence[Derivation], *, has_rows: bool, answers: Links | None = None
) -> Proof:
    """Find the facts of the last derivation's outcome.

    ``has_rows``: members may be cells of rows, whose facts are those of their rows. Elsewhere all facts that
    lead to a member prove it. ``answers`` are those of the members of the outcome, if there are several.
    """
    root = derivations[-1]
    if not len(root.outcome):
        return Proof()
    needed = {root: Needed()}
    attribution = None if answers is None else Attribution({root: answers})
    covered: set[int] | None = None
    selected: list[tuple[int, Facts]] = []
    unread: Counter[int] = Counter()
    for derivation in reversed(derivations):
        # Nothing leads to the members of an empty outcome, such as what count found 0 of.
        if derivation not in needed or not len(derivation.outcome):
            continue
        part = needed[derivation]
        if part.members is None:
            part = _whole(derivation.outcome)
        part = part if has_rows else Needed(part.members)
        covered = part.members if covered is None else covered
        facts, heads = _select(derivation, part)
        if derivation.unread is not None:
            derivation.unread.read(part.members)
            unread[derivation.step] += derivation.unread.count(part.members)
        passage = None if attribution is None else attribution.add_facts(derivation, facts)
        selected += [(derivation.step, block) for block in facts]
        for position, (operation, source) in enumerate(derivation.inputs):
            passed = _pass_on(derivation, position, operation, source, part, facts, heads)
            if passed is None:
                continue
            needed[source] = needed[source].merge(passed) if source in needed else passed
            if passage is not None:
                is_whole = _decides(derivation.operation, operation, position)
                passage.link_input(operation, source, is_whole=is_whole, has_rows=has_rows)
    of_facts = {} if attribution is None else attribution.facts
    are_groups = has_groups(derivations)
    entries = _order(selected, covered or set(), of_facts, by_row=are_groups and has_rows)
    if of_facts and len(root.outcome) <= MAX_ANSWERS and are_groups:
        # Rows of another group can have the same nodes.
        entries = {fact: entry for fact, entry in entries.items() if fact in of_facts}
    return Proof(entries, unread, attribution)


def has_groups(derivations: Iterable[Derivation]) -> bool:
    return any(is_grouping(derivation.operation) for derivation in derivations)


def _whole(outcome: StepOutcome) -> Needed:
    """All members of an outcome, if each has a node or a row."""
    if isinstance(outcome, Nodes):
        return Needed(set(outcome.ids))
    if isinstance(outcome, Table):
        nodes = [{cell.node for cell in row if cell.node is not None} for row in outcome.rows]
        return Needed(set().union(*nodes)) if all(nodes) else Needed()
    return _of_cells(outcome.members)


def _of_cells(cells: Sequence[Cell]) -> Needed:
    members = {cell.node if cell.node is not None else cell.row for cell in cells}
    if None in members:
        return Needed()
    rows = [cell.row for cell in cells if cell.row is not None]
    origins = frozenset(rows) if len(rows) == len(cells) else frozenset()
    return Needed({member for member in members if member is not None}, origins)


def _select(derivation: Derivation, needed: Needed) -> tuple[list[Facts], set[int]]:
    """Select the facts that lead to what is needed; of a table also the heads of its paths."""
    members = needed.members
    selected: list[Facts] = []
    heads: set[int] = set()
    if derivation.paths is not None:
        selected, heads = derivation.paths.select(members)
        needed = Needed(heads)
    operation = derivation.operation
    leads_to_heads = isinstance(operation, Search) and operation.output == "heads"
    for facts in derivation.facts:
        block = _leading(facts, needed, leads_to_heads=leads_to_heads)
        if derivation.excluded:
            places = [p for p, tail in enumerate(block.tails) if tail not in derivation.excluded]
            block = block.keep(places)
        selected.append(block)
    return selected, heads


def _leading(facts: Facts, needed: Needed, *, leads_to_heads: bool) -> Facts:
    members, origins = needed.members, needed.origins
    if members is None:
        return facts
    ends, starts = (facts.heads, facts.tails) if leads_to_heads else (facts.tails, facts.heads)
    places = [place for place, end in enumerate(ends) if end in members]
    if origins:
        places = [place for place in places if starts[place] in origins] or places
    # Rows that stand for their cells, or cells that stand for their rows.
    places = places or [place for place, start in enumerate(starts) if start in members]
    return facts if not places or len(places) == len(facts) else facts.keep(places)


def _pass_on(
    derivation: Derivation,
    position: int,
    operation: Operation | None,
    source: Derivation,
    needed: Needed,
    facts: Sequence[Facts],
    heads: set[int],
) -> Needed | None:
    """Find what an input has to prove; None if it has no part in what is needed."""
    by = derivation.operation
    if _is_excluding(by, operation):
        return None
    if isinstance(by, Search):
        return _of_search(by, operation, derivation, source.outcome, facts) or Needed()
    if derivation.paths is not None:
        return _restrict(source.outcome, heads, frozenset()) or Needed()
    if starts := derivation.starts:
        members = starts.keys() if needed.members is None else starts.keys() & needed.members
        rows = set().union(*(starts[member] for member in members))
        return _restrict(source.outcome, rows, frozenset()) or Needed()
    is_one_group = isinstance(by, GroupBy) and not by.by
    if is_one_group or _decides(by, operation, position):
        return Needed()
    function = by.function if isinstance(by, Apply) else ""
    if _is_taken_away(derivation, position):
        return None
    is_bound = isinstance(by, Apply) and any(o.value is operation for o in by.options)
    if is_bound and derivation.equal:
        members = _find_bounds(derivation, needed, facts)
    else:
        members = _find_members(source.outcome, needed, facts)
    if members and members <= derivation.excluded:
        return None
    members = members - derivation.excluded
    origins = frozenset() if is_bound or has_trait(function, Trait.MERGES) else needed.origins
    part = _restrict(source.outcome, members, origins, has_groups=is_grouping(by))
    if part is not None and part.members is not None:
        return Needed(part.members - derivation.excluded, part.origins)
    unites_sets = isinstance(by, Union) or has_trait(function, Trait.UNITES)
    return None if unites_sets and needed.members is not None else Needed()


def _find_members(operand: StepOutcome, needed: Needed, facts: Sequence[Facts]) -> set[int]:
    """Find the nodes that an operand has to prove: those needed, and the heads of facts about them."""
    members = needed.members or set()
    if facts:
        return members.union(*(block.heads for block in facts))
    return members if needed.members is not None else _whole(operand).members or set()


def _find_bounds(derivation: Derivation, needed: Needed, facts: Sequence[Facts]) -> set[int]:
    """Find the bounds that are equal to what is needed, or to the cells of its rows."""
    if needed.members is None:
        return set(derivation.equal)
    cells = needed.members.union(*(block.tails for block in facts))
    return {bound for bound, nodes in derivation.equal.items() if not nodes.isdisjoint(cells)}


def _is_excluding(by: Operation | None, operation: Operation | None) -> bool:
    """Return whether ``operation`` gives the bounds of ``!=`` alone: no fact says what a member is not."""
    if isinstance(by, Search):
        conditions = (*by.conditions, *by.key_conditions)
        bounds = [(c.operator, term) for c in conditions for term in c.terms]
    else:
        options = by.options if isinstance(by, Apply) else ()
        bounds = [(option.operator, option.value) for option in options]
    operators = {operator for operator, bound in bounds if bound is operation}
    return operators == {"!="}


def _decides(by: Operation | None, operation: Operation | None, position: int) -> bool:
    """Return whether all of an input decides: a condition, what is compared, the bound of an order."""
    if not isinstance(by, Apply):
        return False
    is_bound = any(o.value is operation and o.operator != "=" for o in by.options)
    return (
        is_bound
        or has_trait(by.function, Trait.COMPARES)
        or (by.function == "if" and position == 0)
    )


def _is_taken_away(derivation: Derivation, position: int) -> bool:
    """Return whether an input is only what is not in the outcome; a difference of numbers is of both."""
    by, outcome = derivation.operation, derivation.outcome
    if not isinstance(by, Apply):
        return False
    if by.function == NEGATION:
        return position == 0
    if not (has_trait(by.function, Trait.SUBTRACTS) and 0 < position < len(by.operands)):
        return False
    first = derivation.inputs[0][1].outcome
    kept = {id(cell) for cell in first.members} if isinstance(first, Cells) else set()
    cells = outcome.members if isinstance(outcome, Cells) else ()
    return all(c.node is not None or c.row is not None or id(c) in kept for c in cells)


def _of_search(
    search: Search,
    operation: Operation | None,
    derivation: Derivation,
    outcome: StepOutcome,
    facts: Sequence[Facts],
) -> Needed | None:
    if any(operation is head for head in search.heads or ()):
        heads = chain.from_iterable(block.heads for block in facts)
        ends = {*derivation.unread_heads, *heads}
    elif any(operation is term for c in search.conditions if c.operator == "=" for term in c.terms):
        ends = set(chain.from_iterable(block.tails for block in facts))
    else:
        return None
    return _restrict(outcome, ends, frozenset())


def _restrict(
    outcome: StepOutcome,
    members: set[int],
    origins: frozenset[int],
    *,
    has_groups: bool = False,
) -> Needed | None:
    """Restrict an outcome to ``members``, or to what comes from them; None if it has none of them."""
    if isinstance(outcome, Nodes):
        if shared := members & set(outcome.ids):
            return Needed(shared, origins & frozenset(outcome.origins))
        if rows := origins & set(outcome.ids):
            return Needed(set(rows))
        pairs = [
            (node, origin)
            for node, origin in zip(outcome.ids, outcome.origins, strict=False)
            if origin in members or origin in origins
        ]
        return Needed({p[0] for p in pairs}, frozenset(p[1] for p in pairs)) if pairs else None
    if isinstance(outcome, Cells):
        cells = [cell for cell in outcome.members if cell.node in members]
        if origins:
            cells = [cell for cell in cells if cell.row in origins] or cells
        cells = cells or [c for c in outcome.members if c.row in members or c.row in origins]
        return _of_cells(cells) if cells else None
    return _restrict_table(outcome, members, has_groups=has_groups)


def _restrict_table(table: Table, members: set[int], *, has_groups: bool) -> Needed | None:
    nodes = [{cell.node for cell in row if cell.node is not None} for row in table.rows]
    whole = [] if has_groups else [row for row in nodes if row and row <= members]
    rows = whole or [row for row in nodes if not row.isdisjoint(members)]
    return Needed(set().union(*rows)) if rows else None


def _order(
    blocks: Sequence[tuple[int, Facts]],
    members: set[int],
    answers: Mapping[int, int],
    *,
    by_row: bool,
) -> dict[int, ProofEntry]:
    """Order the facts: first one for each member of the answer and each answer, class memberships last.

    With ``by_row``, the other facts of its row follow each.
    """
    rows: dict[int, list[int]] = {}
    heads: dict[int, int] = {}
    first: dict[int, ProofEntry] = {}
    rest: dict[int, ProofEntry] = {}
    memberships: dict[int, ProofEntry] = {}
    pending, attributed = set(members), 0
    for step, facts in blocks:
        is_membership = facts.are_memberships
        entry = ProofEntry(is_membership, step)
        for place, (head, tail, ids) in enumerate(
            zip(facts.heads, facts.tails, facts.ids, strict=True)
        ):
            entry_of_fact = entry
            if facts.inferred and facts.inferred[place]:
                inferred = InferredFact(head, facts.relations, tail)
                entry_of_fact = ProofEntry(is_membership, step, inferred)
            covered = {head, tail} & pending
            of_fact = answers.get(ids[0], 0) if answers and ids else 0
            is_of_one = of_fact and not of_fact & (of_fact - 1) and not of_fact & attributed
            if (covered or is_of_one) and ids and not is_membership:
                pending -= covered
                attributed |= of_fact if is_of_one else 0
                first[ids[0]] = entry_of_fact
            (memberships if is_membership else rest).update((fact, entry_of_fact) for fact in ids)
            if by_row and not is_membership:
                rows.setdefault(head, []).extend(ids)
                heads.update(dict.fromkeys(ids, head))
    if answers:
        first = dict(sorted(first.items(), key=lambda item: _find_place(answers.get(item[0], 0))))
    # A fact that two steps found belongs to the earlier.
    found: Iterable[int] = chain(first, rest)
    if by_row:
        heads_in_order = dict.fromkeys(heads[fact] for fact in found)
        found = chain.from_iterable(rows[head] for head in heads_in_order)
    ordered = dict.fromkeys(chain(found, memberships))
    return {fact: rest.get(fact) or memberships[fact] for fact in ordered}


def _find_place(answers: int) -> int:
    """Return the place of the first of some answers; after all others if there is none."""
    return (answers & -answers).bit_length() or MAX_ANSWERS + 1
