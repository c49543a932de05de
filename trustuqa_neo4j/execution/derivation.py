"""How each outcome came about: its operation, the facts that it found, and the outcomes that it used."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..language.columns import PathNode, PathStep
from ..matching import normalize_name
from ..ontology.schema_knowledge import TYPE
from ..planning.operations import Operation
from ..reasoning.results import Cells, StepOutcome


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts as columns: heads, tails, and the ids of each fact in its sources."""

    heads: Sequence[int] = ()
    tails: Sequence[int] = ()
    ids: Sequence[Sequence[int]] = ()
    relations: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, places: Sequence[int]) -> Facts:
        return Facts(
            array("q", (self.heads[p] for p in places)),
            array("q", (self.tails[p] for p in places)),
            [self.ids[p] for p in places],
            self.relations,
        )

    def joined(self, added: Facts) -> Facts:
        if not self.ids or not added.ids:
            return self if self.ids else added
        first_ids = {ids[0] for ids in self.ids}
        rest = added.keep([place for place, ids in enumerate(added.ids) if ids[0] not in first_ids])
        return Facts(
            [*self.heads, *rest.heads],
            [*self.tails, *rest.tails],
            [*self.ids, *rest.ids],
            tuple(dict.fromkeys((*self.relations, *rest.relations))),
        )

    @property
    def are_memberships(self) -> bool:
        return bool(self.relations) and all(normalize_name(r) == TYPE for r in self.relations)


@dataclass(frozen=True, slots=True)
class PathFacts:
    """The facts of a table, by step of its paths."""

    root: PathNode
    heads: Sequence[int]
    steps: dict[tuple[PathNode, PathStep], Facts]

    def select(self, needed: set[int] | None) -> tuple[list[Facts], set[int]]:
        """Select the facts on ways through ``needed`` nodes (None: any), and the heads of these ways."""
        ways = {
            key: _group_ends(facts, is_backward=key[1].backwards)
            for key, facts in self.steps.items()
        }
        live: dict[tuple[PathNode, int], bool] = {}

        def is_live(branch: PathNode, node: int) -> bool:
            key = (branch, node)
            if key not in live:
                is_shown = bool(branch.columns)
                live[key] = (not is_shown or needed is None or node in needed) and all(
                    further.optional
                    or any(
                        is_live(further, end) for end in ways.get((branch, step), {}).get(node, ())
                    )
                    for step, further in branch.children.items()
                )
            return live[key]

        heads = {head for head in self.heads if is_live(self.root, head)}
        selected: list[Facts] = []
        pending = [(self.root, heads)]
        while pending:
            branch, starts = pending.pop()
            for step, further in branch.children.items():
                facts = self.steps.get((branch, step), Facts())
                pairs = (facts.tails, facts.heads) if step.backwards else (facts.heads, facts.tails)
                places = [
                    place
                    for place, (start, end) in enumerate(zip(*pairs, strict=True))
                    if start in starts and is_live(further, end)
                ]
                selected.append(facts.keep(places))
                pending.append((further, {pairs[1][place] for place in places}))
        return selected, heads


def _group_ends(facts: Facts, *, is_backward: bool) -> dict[int, list[int]]:
    starts, ends = (facts.tails, facts.heads) if is_backward else (facts.heads, facts.tails)
    groups: dict[int, list[int]] = {}
    for start, end in zip(starts, ends, strict=True):
        groups.setdefault(start, []).append(end)
    return groups


@dataclass(eq=False)
class Derivation:
    """One evaluated operation; None stands for a whole step, a table of columns, or the answer.

    ``excluded`` are nodes of cells that the outcome was computed without.
    """

    operation: Operation | None
    step: int
    outcome: StepOutcome = field(default_factory=Cells)
    facts: list[Facts] = field(default_factory=list)
    paths: PathFacts | None = None
    inputs: list[tuple[Operation | None, Derivation]] = field(default_factory=list)
    excluded: set[int] = field(default_factory=set)
