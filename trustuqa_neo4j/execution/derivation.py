"""How each outcome came about: its operation, the facts that it found, and the outcomes that it used."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from ..deadline import watch
from ..language.columns import PathNode
from ..matching import normalize_name
from ..ontology.schema_knowledge import TYPE
from ..planning.operations import Operation
from ..reasoning.results import Cells, StepOutcome

Ends: TypeAlias = dict[int, list[int]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts as columns: heads, tails, and the ids of each fact in its sources.

    ``inferred`` facts follow from those with these ids; it is empty where none does.
    """

    heads: Sequence[int] = ()
    tails: Sequence[int] = ()
    ids: Sequence[Sequence[int]] = ()
    relations: tuple[str, ...] = ()
    inferred: Sequence[bool] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, places: Sequence[int]) -> Facts:
        return Facts(
            array("q", (self.heads[p] for p in places)),
            array("q", (self.tails[p] for p in places)),
            [self.ids[p] for p in places],
            self.relations,
            [self.inferred[p] for p in places] if self.inferred else (),
        )

    def joined(self, added: Facts) -> Facts:
        if not self.ids or not added.ids:
            return self if self.ids else added
        if self.inferred or added.inferred:
            # One stored fact can stand for several facts that follow from it.
            facts = {fact for fact, _ in self._rows()}
            places = [place for fact, place in added._rows() if fact not in facts]
        else:
            first_ids = {ids[0] for ids in self.ids}
            places = [place for place, ids in enumerate(added.ids) if ids[0] not in first_ids]
        return self.extended(added.keep(places))

    def extended(self, added: Facts) -> Facts:
        inferred: list[bool] = []
        if self.inferred or added.inferred:
            for facts in (self, added):
                inferred += facts.inferred or [False] * len(facts)
        return Facts(
            [*self.heads, *added.heads],
            [*self.tails, *added.tails],
            [*self.ids, *added.ids],
            tuple(dict.fromkeys((*self.relations, *added.relations))),
            inferred,
        )

    def _rows(self) -> Iterator[tuple[tuple[int, int, int], int]]:
        # Each fact by its ends and first id, and its place.
        for place, (head, tail, ids) in enumerate(
            zip(self.heads, self.tails, self.ids, strict=True)
        ):
            yield (head, tail, ids[0]), place

    @property
    def are_memberships(self) -> bool:
        return bool(self.relations) and all(normalize_name(r) == TYPE for r in self.relations)


@dataclass(frozen=True)
class PathFacts:
    """The facts of a table, by step of its paths; ``row_heads`` has the head of each of its rows."""

    root: PathNode
    heads: Sequence[int]
    steps: dict[PathNode, Facts]
    row_heads: Sequence[int] = ()

    def select(self, needed: set[int] | None) -> tuple[list[Facts], set[int]]:
        """Select the facts on ways through ``needed`` nodes (None: any), and the heads of these ways."""
        ends = self.ends
        live: dict[tuple[PathNode, int], bool] = {}

        def is_live(branch: PathNode, node: int) -> bool:
            if branch.columns and needed is not None and node not in needed:
                return False
            if not branch.children:
                return True
            key = (branch, node)
            if key not in live:
                live[key] = all(
                    further.optional or any(is_live(further, end) for end in starts.get(node, ()))
                    for further, starts in ends[branch]
                )
            return live[key]

        heads = {head for head in watch(self.heads) if is_live(self.root, head)}
        selected: list[Facts] = []
        pending = [(self.root, heads)]
        while pending:
            branch, starts = pending.pop()
            for step, further in branch.children.items():
                facts = self.steps.get(further, Facts())
                pairs = (facts.tails, facts.heads) if step.backwards else (facts.heads, facts.tails)
                places = [
                    place
                    for place, (start, end) in enumerate(zip(*pairs, strict=True))
                    if start in starts and is_live(further, end)
                ]
                selected.append(facts if len(places) == len(facts) else facts.keep(places))
                pending.append((further, {pairs[1][place] for place in places}))
        return selected, heads

    @cached_property
    def ends(self) -> dict[PathNode, list[tuple[PathNode, Ends]]]:
        """Group the ends of each branch by the node where its step starts, for each branch before it."""
        groups: dict[PathNode, list[tuple[PathNode, Ends]]] = {}
        pending = [self.root]
        while pending:
            branch = pending.pop()
            groups[branch] = [
                (further, _group_ends(self.steps.get(further, Facts()), is_backward=step.backwards))
                for step, further in branch.children.items()
            ]
            pending += branch.children.values()
        return groups


def _group_ends(facts: Facts, *, is_backward: bool) -> Ends:
    starts, ends = (facts.tails, facts.heads) if is_backward else (facts.heads, facts.tails)
    groups: Ends = {}
    for start, end in zip(starts, ends, strict=True):
        groups.setdefault(start, []).append(end)
    return groups


@dataclass(frozen=True, slots=True)
class UnreadFacts:
    """The number of facts that lead to each member and stayed in the database.

    ``read`` reads some facts of the members that a proof needs (None: all), and counts them off.
    """

    counts: Mapping[int, int]
    read: Callable[[set[int] | None], None]

    def count(self, needed: set[int] | None) -> int:
        """Count those of ``needed`` members (None: all)."""
        members = self.counts if needed is None else needed & self.counts.keys()
        return sum(self.counts[member] for member in members)


@dataclass(eq=False)
class Derivation:
    """One evaluated operation; None stands for a whole step, a table of columns, or the answer.

    ``starts`` are the members of the input by the member that came from them, where these differ.
    ``excluded`` are nodes of cells that the outcome was computed without. ``unread`` counts facts
    beside those of ``facts`` and ``paths``; ``unread_heads`` are the heads of such facts of a search.
    ``produced`` has, where no node tells, the places in the outcome that came from each of ``facts``.
    ``equal`` has the nodes of the cells that were kept since they equal the node of a bound, by this node.
    """

    operation: Operation | None
    step: int
    outcome: StepOutcome = field(default_factory=Cells)
    facts: list[Facts] = field(default_factory=list)
    paths: PathFacts | None = None
    unread: UnreadFacts | None = None
    unread_heads: AbstractSet[int] = frozenset()
    inputs: list[tuple[Operation | None, Derivation]] = field(default_factory=list)
    excluded: set[int] = field(default_factory=set)
    starts: dict[int, set[int]] = field(default_factory=dict)
    produced: list[Sequence[Sequence[int]]] = field(default_factory=list)
    equal: dict[int, set[int]] = field(default_factory=dict)
