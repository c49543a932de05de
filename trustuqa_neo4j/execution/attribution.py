"""The answers that each fact of a proof produced: back from the members of the answer, as the proof goes.

A set of answers is a number whose bit 2 stands for the answer at place 2. It is handed back from member to
member by nodes, rows and places; what a name or number says decides only between cells without a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import accumulate, chain
from operator import and_, or_
from typing import Any, Literal

from ..language.columns import PathNode
from ..language.functions import COUNT_BY, get_row, has_trait
from ..language.signatures import Trait
from ..planning.operations import Apply, Calculate, Constant, GroupBy, Operation, Search, Union
from ..reasoning.results import Cell, Cells, Nodes, StepOutcome, Table
from ..reasoning.tables import find_column, require_column
from .derivation import Derivation, Facts, PathFacts

MAX_ANSWERS = 1_000
"""Answers that facts are attributed to; of longer answers the first ones."""

_EVERY = -1  # all bits

_OF_EACH = Trait.OF_EACH | Trait.OF_EACH_AT_TIMES


class Links:
    """The answers that need the members of an outcome: by place, by node, by row (or other end), by both.

    Each of these is made when it is needed first.
    """

    def __init__(
        self,
        places: Sequence[int] = (),
        outcome: StepOutcome | None = None,
        *,
        has_rows: bool = True,
    ) -> None:
        self.places = places
        self._outcome = outcome
        self._has_rows = has_rows

    @cached_property
    def every(self) -> int:
        return reduce(or_, self.places or self.nodes.values(), 0)

    @cached_property
    def nodes(self) -> dict[int, int]:
        if isinstance(self._outcome, Table):
            rows = zip(self._outcome.rows, self.places, strict=True)
            pairs = [(cell.node, answers) for row, answers in rows for cell in row]
            return _collect(pairs)
        return _collect(zip(self._list_ends("node"), self.places, strict=False))

    @cached_property
    def rows(self) -> dict[int, int]:
        return _collect(zip(self._list_ends("row"), self.places, strict=False))

    @cached_property
    def pairs(self) -> dict[tuple[int, int], int]:
        if not self._has_rows or not self.rows:
            return {}
        pairs = zip(self._list_ends("node"), self._list_ends("row"), strict=True)
        return _collect(zip(pairs, self.places, strict=False))

    def _list_ends(self, end: Literal["node", "row"]) -> Sequence[int | None]:
        if isinstance(self._outcome, Nodes):
            return self._outcome.ids if end == "node" else self._outcome.origins
        members = self._outcome.members if isinstance(self._outcome, Cells) else ()
        return [cell.node if end == "node" else cell.row for cell in members]

    def find(self, ends: Sequence[int | None], starts: Sequence[int | None] = ()) -> list[int]:
        """Find the answers of members or facts, by both ends if any has both, else by one."""
        for answers in self._candidates(ends, starts):
            if any(answers):
                return answers
        return [self.every] * len(ends)

    def _candidates(
        self, ends: Sequence[int | None], starts: Sequence[int | None]
    ) -> Iterator[list[int]]:
        if starts and self.pairs:
            yield _look_up(self.pairs, zip(ends, starts, strict=True))
        # Rows stand for their cells, and cells for their rows.
        for keys in (ends, starts):
            yield _look_up(self.nodes, keys) if self.nodes else []
            yield _look_up(self.rows, keys) if self.rows else []


def _collect(pairs: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    """Collect the answers of each key."""
    collected: dict[Any, int] = {}
    for key, answers in pairs:
        if answers and key is not None:
            collected[key] = collected.get(key, 0) | answers
    return collected


def _look_up(answers: Mapping[Any, int], keys: Iterable[object]) -> list[int]:
    return [answers.get(key, 0) for key in keys]


def _find_members(links: Links, outcome: StepOutcome) -> list[int]:
    """Find the answers that need the members of an outcome, whatever became of them."""
    if isinstance(outcome, Table):
        places = [
            reduce(or_, (links.nodes.get(c.node or 0, 0) for c in r), 0) for r in outcome.rows
        ]
        return places if any(places) else [links.every] * len(places)
    if isinstance(outcome, Nodes):
        return links.find(outcome.ids, outcome.origins)
    return links.find(*([getattr(c, end) for c in outcome.members] for end in ("node", "row")))


@dataclass(slots=True)
class Attribution:
    """The answers of each fact by its id, and the number of unread facts by their answers."""

    _links: dict[Derivation, Links]
    facts: dict[int, int] = field(default_factory=dict)
    unread: list[tuple[int, int]] = field(default_factory=list)

    def add_outcome(self, derivation: Derivation, links: Links) -> None:
        """Add the answers that need the members of an outcome for a further operation."""
        before = self._links.get(derivation)
        if before is not None:
            links = Links(list(map(or_, before.places, links.places)), derivation.outcome)
        self._links[derivation] = links

    def add_facts(self, derivation: Derivation, selected: Sequence[Facts]) -> Passage:
        """Attribute the facts that an operation selected; return what its inputs are linked by."""
        passage = Passage(self, derivation, self._links.pop(derivation, Links()))
        if derivation.paths is not None:
            self._add(passage.follow_paths(derivation.paths))
            selected = derivation.facts
        for place, block in enumerate(selected):
            self._add(zip(block.ids, passage.mark(place, block), strict=True))
        if derivation.unread is not None:
            links = passage.links
            for key, count in derivation.unread.counts.items():
                answers = links.nodes.get(key, 0) if links.nodes else links.every
                self.unread.append((answers, count))
        return passage

    def _add(self, marks: Iterable[tuple[Sequence[int], int]]) -> None:
        known = self.facts
        for ids, answers in marks:
            if answers:
                for fact in ids:
                    known[fact] = known.get(fact, 0) | answers

    def renumber(self, answers: Sequence[int]) -> None:
        """Replace the answer at each place by ``answers`` at this place."""
        known: dict[int, int] = {}
        for of in {*self.facts.values(), *(of for of, _ in self.unread)}:
            known[of] = reduce(or_, (answers[place] for place in list_places(of)), 0)
        self.facts = {fact: known[of] for fact, of in self.facts.items()}
        self.unread = [(known[of], count) for of, count in self.unread]

    def count(self, facts: Iterable[int], size: int) -> tuple[int, ...]:
        """Count the facts of each of the first answers."""
        by_answers: dict[int, int] = {}
        for answers, count in (*((self.facts.get(fact, 0), 1) for fact in facts), *self.unread):
            by_answers[answers] = by_answers.get(answers, 0) + count
        counts = [0] * min(size, MAX_ANSWERS)
        for answers, count in by_answers.items():
            for place in list_places(answers):
                counts[place] += count
        return tuple(counts)


def list_places(answers: int) -> Iterator[int]:
    """List the places of the answers in a set."""
    while answers:
        lowest = answers & -answers
        yield lowest.bit_length() - 1
        answers ^= lowest


@dataclass
class Passage:
    """An operation with the answers that need its outcome, and those of its facts by their ends."""

    attribution: Attribution
    derivation: Derivation
    links: Links
    _marked: list[tuple[Facts, list[int]]] = field(default_factory=list)

    @cached_property
    def heads(self) -> Links:
        links = Links()
        paths = self.derivation.paths
        row_heads = () if paths is None else zip(paths.row_heads, self.links.places, strict=True)
        marked = (zip(block.heads, marks, strict=True) for block, marks in self._marked)
        links.nodes = _collect(chain(row_heads, *marked))
        return links

    @cached_property
    def tails(self) -> Links:
        links = Links()
        marked = (zip(block.tails, marks, strict=True) for block, marks in self._marked)
        links.nodes = _collect(chain(*marked))
        return links

    def mark(self, place: int, block: Facts) -> list[int]:
        """Find the answers of the facts of a block."""
        derivation, by = self.derivation, self.derivation.operation
        produced = derivation.produced[place] if len(derivation.produced) > place else ()
        if produced and len(produced) == len(block):
            places = self.links.places
            marks = [reduce(or_, (places[p] for p in members), 0) for members in produced]
        elif derivation.paths is not None:
            marks = self.heads.find(block.tails, block.heads)
        else:
            leads_to_heads = isinstance(by, Search) and by.output == "heads"
            ends = (block.heads, block.tails) if leads_to_heads else (block.tails, block.heads)
            marks = self.links.find(*ends)
        if derivation.paths is None:
            self._marked.append((block, marks))
        return marks

    def follow_paths(self, paths: PathFacts) -> Iterator[tuple[Sequence[int], int]]:
        """Attribute the facts of a table: those on the ways of a row to the answers that need the row."""
        table = self.derivation.outcome
        assert isinstance(table, Table)
        ways = _Ways(paths, table, self.links.places)
        pending = [(paths.root, self.heads.nodes)]
        while pending:
            branch, starts = pending.pop()
            for step, child in branch.children.items():
                facts, reached = paths.steps.get(child, Facts()), dict[int, int]()
                ends = (facts.tails, facts.heads) if step.backwards else (facts.heads, facts.tails)
                for start, end, ids in zip(*ends, facts.ids, strict=True):
                    answers = starts.get(start, 0) and starts[start] & ways.find(child, end)
                    if answers:
                        reached[end] = reached.get(end, 0) | answers
                        yield ids, answers
                pending.append((child, reached))

    def link_input(
        self, operation: Operation | None, source: Derivation, *, is_whole: bool, has_rows: bool
    ) -> None:
        """Link the members of an input; ``is_whole``: all of them lead to each member."""
        outcome = source.outcome
        places = [self.links.every] * len(outcome) if is_whole else self._find(operation, source)
        self.attribution.add_outcome(source, Links(places, outcome, has_rows=has_rows))

    def _find(self, operation: Operation | None, source: Derivation) -> Sequence[int]:
        derivation, outcome = self.derivation, source.outcome
        by, places = derivation.operation, self.links.places
        if isinstance(by, Search) or derivation.paths is not None:
            return _find_members(self._link_ends(by, operation), outcome)
        if derivation.starts:
            starts, nodes = Links(places), self.links.nodes
            starts.nodes = _collect(
                (origin, nodes.get(member, 0))
                for member, origins in derivation.starts.items()
                for origin in origins
            )
            return _find_members(starts, outcome)
        if len(places) == len(outcome) and _keeps_places(by):
            return places
        if isinstance(by, Union):
            return self._find_part(by, operation, source)
        if isinstance(outcome, Table):
            return self._find_rows(outcome)
        return self._find_operand(operation, outcome)

    def _link_ends(self, by: Operation | None, operation: Operation | None) -> Links:
        """Link the ends of the facts of a search or table at which an input stands."""
        if not self.heads.nodes:  # row numbers are not facts
            return self.links
        if not isinstance(by, Search) or any(operation is head for head in by.heads or ()):
            return self.heads
        bounds = (term for c in by.conditions if c.operator == "=" for term in c.terms)
        is_tail = any(operation is bound for bound in bounds)
        return self.tails if is_tail else Links(self.links.places)

    def _find_operand(self, operation: Operation | None, outcome: Nodes | Cells) -> Sequence[int]:
        links, by, result = self.links, self.derivation.operation, self.derivation.outcome
        is_bound = isinstance(by, Apply) and any(o.value is operation for o in by.options)
        if is_bound and isinstance(result, Table):
            column = _find_operand_column(by, result)
            links = Links(links.places, Cells(tuple(row[column] for row in result.rows)))
        if is_bound and self.derivation.equal:
            kept = self.tails.nodes or links.nodes
            links = Links(links.places)
            links.nodes = _collect(
                (bound, kept.get(node, 0))
                for bound, nodes in self.derivation.equal.items()
                for node in nodes
            )
            return _find_members(links, outcome)
        if isinstance(outcome, Cells) and any(cell.node is None for cell in outcome.members):
            counted = [row[:1] for row in result.rows] if isinstance(result, Table) else []
            cells = [(cell,) for cell in result.members] if isinstance(result, Cells) else counted
            return self._find_equal(cells, [(cell,) for cell in outcome.members])
        if not (is_bound or self.heads.nodes or _is_merging(self.derivation)):
            return _find_members(links, outcome)
        members = Links(links.places)
        members.nodes = _collect(chain(links.nodes.items(), self.heads.nodes.items()))
        if not _is_merging(self.derivation):
            members.rows, members.pairs = links.rows, {} if is_bound else links.pairs
        return _find_members(members, outcome)

    def _find_part(
        self, by: Union, operation: Operation | None, source: Derivation
    ) -> Sequence[int]:
        """A list of operands has the members of each one after those of the one before it."""
        sizes = {id(part): len(inner.outcome) for part, inner in self.derivation.inputs}
        widths = [1 if isinstance(m, Constant) else sizes.get(id(m), 0) for m in by.members]
        ends = dict(zip(map(id, by.members), accumulate(widths), strict=True))
        places, end = self.links.places, ends.get(id(operation), 0)
        if sum(widths) != len(places):
            return _find_members(self.links, source.outcome)
        return places[end - len(source.outcome) : end]

    def _find_rows(self, table: Table) -> Sequence[int]:
        """Find the answers of the rows of a table that was grouped, filtered, sorted, cut or counted."""
        by, outcome = self.derivation.operation, self.derivation.outcome
        columns: Sequence[int] = [_find_operand_column(by, table)]
        if isinstance(by, GroupBy):
            columns = [require_column(table, name, by.position) for name in by.by]
        elif isinstance(outcome, Table) and not is_grouping(by):
            columns = range(len(table.columns))
        if isinstance(outcome, Table):
            rows = [row[: len(columns)] for row in outcome.rows]
        else:
            rows = [(cell,) for cell in outcome.members] if isinstance(outcome, Cells) else []
        return self._find_equal(rows, [[row[place] for place in columns] for row in table.rows])

    def _find_equal(
        self, members: Sequence[Sequence[Cell]], used: Sequence[Sequence[Cell]]
    ) -> list[int]:
        """Find the answers of cells that became members: they went through, or stand for equal ones."""
        is_same = isinstance(self.derivation.outcome, Cells) and not _is_merging(self.derivation)

        def identify(cells: Sequence[Cell]) -> object:
            # A computed number can be equal to a cell by chance.
            return tuple(id(c) if is_same and c.node is None else c.identity for c in cells)

        keys = _collect(zip(map(identify, members), self.links.places, strict=False))
        found = [keys.get(identify(cells), 0) for cells in used]
        return found if any(found) else [self.links.every] * len(used)


class _Ways:
    """The answers whose rows go on through a node, by the nodes of their cells in each column."""

    def __init__(self, paths: PathFacts, table: Table, places: Sequence[int]) -> None:
        self._columns: list[dict[int | None, int]] = []
        for column in range(len(table.columns)):
            answers_of: dict[int | None, int] = {}
            for row, answers in zip(table.rows, places, strict=True):
                node = row[column].node
                answers_of[node] = answers_of.get(node, 0) | answers
            self._columns.append(answers_of)
        self._ends = paths.ends
        self._known: dict[tuple[PathNode, int], int] = {}

    def find(self, branch: PathNode, node: int) -> int:
        key = (branch, node)
        if key not in self._known:
            answers = self._find_in_columns(branch, node)
            for child, ends in self._ends[branch] if branch.children else ():
                if node in ends:
                    answers &= reduce(or_, (self.find(child, end) for end in ends[node]), 0)
                else:
                    answers &= self._find_missing(child) if child.optional else 0
            self._known[key] = answers
        return self._known[key]

    def _find_in_columns(self, branch: PathNode, node: int | None) -> int:
        return reduce(and_, (self._columns[c].get(node, 0) for c in branch.columns), _EVERY)

    def _find_missing(self, branch: PathNode) -> int:
        below = map(self._find_missing, branch.children.values())
        return reduce(and_, below, self._find_in_columns(branch, None))


def _find_operand_column(by: Operation | None, table: Table) -> int:
    options = by.options if isinstance(by, Apply) else ()
    names = [option.value for option in options if option.name in ("column", "by")]
    found = [find_column(table, name.text) for name in names if isinstance(name, Constant)]
    return next((place for place in found if place is not None), 0)


def is_grouping(by: Operation | None) -> bool:
    """Return whether an operation makes a row of each group of members."""
    return isinstance(by, GroupBy) or (isinstance(by, Apply) and by.function == COUNT_BY)


def _keeps_places(by: Operation | None) -> bool:
    """Return whether an operation has one result for each member, if it has as many."""
    return (
        by is None
        or isinstance(by, Calculate)
        or (isinstance(by, Apply) and bool(get_row(by.function).traits & _OF_EACH))
    )


def _is_merging(derivation: Derivation) -> bool:
    by = derivation.operation
    return isinstance(by, Apply) and has_trait(by.function, Trait.MERGES)
