"""Results of steps: nodes, cells with values, or a table.

Nodes stay ids until a name or number is needed: a million of them are two lists of integers. A cell keeps
the node and the row that it came from, so that the next step can search from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..language.ast import ProblemKind
from ..matching import normalize_name
from ..values import Value

Computed: TypeAlias = float | int | bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A name or value, with the node that it names and the row that it is in, if any.

    ``computed`` is a number or truth that a function made. ``position`` is that of a row, from 1.
    ``is_literal``: a text of the query, which no fact and no condition on facts has chosen.
    """

    text: str
    value: Value | None = None
    computed: Computed | None = None
    node: int | None = None
    row: int | None = None
    position: int | None = None
    is_literal: bool = False

    @property
    def identity(self) -> object:
        """Cells with equal identity are one member of a set: by node, else number, else text."""
        if self.node is not None:
            return ("node", self.node)
        if self.value is not None and self.value.number is not None:
            return ("number", self.value.number, self.value.unit)
        return ("text", normalize_name(self.text))

    @property
    def is_date(self) -> bool:
        return self.value is not None and self.value.start is not None

    @property
    def is_missing(self) -> bool:
        """True without a value. An empty cell of the data is a node, and not missing."""
        return not self.text and self.node is None and self.computed is None


@dataclass(frozen=True, slots=True)
class Nodes:
    """A bag of nodes, one for each fact; ``origins`` are the nodes at the other ends of the facts."""

    ids: Sequence[int] = ()
    origins: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def distinct(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.ids))


@dataclass(frozen=True, slots=True)
class Cells:
    members: tuple[Cell, ...] = ()

    def __len__(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of cells; equal rows are kept."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()

    def bag(self, index: int) -> tuple[Cell, ...]:
        return tuple(row[index] for row in self.rows if not row[index].is_missing)

    def __len__(self) -> int:
        return len(self.rows)


StepOutcome: TypeAlias = Nodes | Cells | Table


class EvaluationError(Exception):
    """An operation cannot be applied to its operands. The pipeline turns it into a problem."""

    def __init__(self, kind: ProblemKind, message: str, position: int | None = None) -> None:
        self.kind = kind
        self.message = message
        self.position = position
        super().__init__(kind.value, message)


def choose_literals(outcome: StepOutcome) -> StepOutcome:
    """Return the outcome of a condition on facts, which has chosen texts of the query."""
    if not isinstance(outcome, Cells):
        return outcome
    return Cells(tuple(replace(cell, is_literal=False) for cell in outcome.members))


def make_number(computed: float | int) -> Cell:
    whole = int(computed) if float(computed).is_integer() and abs(computed) < 1e15 else computed
    if isinstance(whole, float):
        whole = float(f"{whole:.12g}")  # drop the error of binary fractions
    return Cell(str(whole), Value(float(computed)), whole)


def make_truth(holds: bool) -> Cells:
    return Cells((Cell("yes" if holds else "no", None, holds),))
