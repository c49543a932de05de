"""What a catalogue tells of relations, added up while facts are read.

The same figures as ``write_facts`` adds up in the database, batch by batch and in the same order. Having
the server count them after an import (the alternative) would read every fact once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..values import OPEN
from .batched import Row, SourceSeen

if TYPE_CHECKING:
    from .nodes import Nodes
    from .numbering import Ints

SAMPLES = 5
"""Samples kept of a relation, as ``write_facts`` does."""


@dataclass
class Figures:
    """What is known of a relation in a source; ``samples`` are nodes."""

    facts: int = 0
    numbers: int = 0
    dates: int = 0
    values: int = 0
    held: int = 0
    lowest: float | None = None
    highest: float | None = None
    earliest: int | None = None
    latest: int | None = None
    first: int | None = None
    last: int | None = None
    qualifiers: list[str] | None = None
    samples: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The properties that the catalogue keeps, but for the samples."""
        kept = dict(vars(self))
        del kept["samples"]
        return kept

    def note(
        self, nodes: Nodes, tails: Ints, places: Ints, held: Sequence[tuple[int, int]]
    ) -> None:
        """Facts of one batch, by what they lead to, its ``places`` among the values, and when they held."""
        self.facts += len(tails)
        if (places >= 0).any():
            self._note_values(nodes, places[places >= 0])
        if held:
            self.held += len(held)
            self.first = _least(self.first, [start for start, _ in held])
            self.last = _most(self.last, [end if end < OPEN else start for start, end in held])
        if len(self.samples) < SAMPLES:
            self._sample(nodes, tails.tolist())

    def note_qualifiers(self, names: Iterable[str]) -> None:
        """Qualifiers that facts of the relation have."""
        known = self.qualifiers or []
        new = [name for name in sorted(names) if name not in known]
        self.qualifiers = [*known, *new] or None

    def _note_values(self, nodes: Nodes, places: Ints) -> None:
        numbers, (starts, ends) = nodes.numbers(places), nodes.days(places)
        self.values += len(places)
        self.numbers += len(numbers)
        self.dates += len(starts)
        self.lowest, self.highest = _least(self.lowest, numbers), _most(self.highest, numbers)
        self.earliest = _least(self.earliest, starts)
        self.latest = _most(self.latest, ends)

    def _sample(self, nodes: Nodes, tails: Sequence[int]) -> None:
        """The first different ones of a batch; the empty one takes a place among them and is left out."""
        named = (node for node in dict.fromkeys(tails) if nodes.named(node))
        new = [n for n in islice(named, SAMPLES) if n != nodes.empty and n not in self.samples]
        self.samples = [*self.samples, *new][:SAMPLES]


@dataclass
class Catalogue:
    """What is known of a dataset beside its nodes and facts, as the records of it are written."""

    relations: dict[str, str] = field(default_factory=dict)
    sources: dict[str, SourceSeen] = field(default_factory=dict)
    figures: dict[tuple[str, str], Figures] = field(default_factory=dict)
    aliases: list[tuple[int, str, str]] = field(default_factory=list)
    """Those of nodes that are written already."""
    classes: list[Row] = field(default_factory=list)
    properties: list[Row] = field(default_factory=list)
    hubs: list[int] = field(default_factory=list)
    """Nodes with very many facts."""
    nodes: int = 0
    facts: int = 0
    position: int = 0

    def of(self, source: str, relation: str) -> Figures:
        """The figures of a relation in a source."""
        return self.figures.setdefault((source, relation), Figures())


def _least(known: Any, met: Sequence[Any]) -> Any:
    return min(met if known is None else [known, *met], default=None)


def _most(known: Any, met: Sequence[Any]) -> Any:
    return max(met if known is None else [known, *met], default=None)
