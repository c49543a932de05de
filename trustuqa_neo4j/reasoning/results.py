"""What a step leads to: a bag of nodes, cells with their values, or a table.

Nodes stay ids as long as nobody has to look at them: a million of them are two lists of integers. Where
a function needs names or numbers they become cells, which remember the node and the row they came from, so
that the next step can search from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ..mapping import fold
from ..values import Value

Computed: TypeAlias = float | int | bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A name or value: its text, what it means, the node that it is and the row it stands in, if any.

    ``computed``: the number or truth that a function made of it. ``position``: a row's, from 1.
    """

    text: str
    value: Value | None = None
    computed: Computed | None = None
    node: int | None = None
    row: int | None = None
    position: int | None = None

    @property
    def identity(self) -> object:
        """What makes two cells members of a set the same: the node, else the number, else the text."""
        if self.node is not None:
            return ("node", self.node)
        if self.value is not None and self.value.number is not None:
            return ("number", self.value.number, self.value.unit)
        return ("text", fold(self.text))

    @property
    def missing(self) -> bool:
        """Whether there is nothing: an empty cell of the data is a node."""
        return not self.text and self.node is None and self.computed is None


@dataclass(frozen=True, slots=True)
class Nodes:
    """A bag of nodes, one entry per fact; ``origins`` are the nodes at those facts' other ends."""

    ids: Sequence[int] = ()
    origins: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def distinct(self) -> tuple[int, ...]:
        """Each node once, in the order in which they were found."""
        return tuple(dict.fromkeys(self.ids))


@dataclass(frozen=True, slots=True)
class Cells:
    """A bag of cells."""

    members: tuple[Cell, ...] = ()

    def __len__(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns, and rows of cells; equal rows are kept."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...] = field(default=())

    def bag(self, place: int) -> tuple[Cell, ...]:
        """What stands in the column at ``place``; what is missing is no member."""
        return tuple(row[place] for row in self.rows if not row[place].missing)

    def __len__(self) -> int:
        return len(self.rows)


Outcome: TypeAlias = Nodes | Cells | Table


class Refused(Exception):  # a way out of nested operations, never seen outside
    """An operation cannot be done on what it is given; ``kind`` and ``message`` as in a problem."""

    def __init__(self, kind: str, message: str, position: int | None = None) -> None:
        self.kind = kind
        self.message = message
        self.position = position
        super().__init__(kind, message)


def number(computed: float | int) -> Cell:  # whole numbers stay whole
    """A computed number; whole ones are shown without a point."""
    whole = int(computed) if float(computed).is_integer() and abs(computed) < 1e15 else computed
    if isinstance(whole, float):
        whole = float(f"{whole:.12g}")  # what binary fractions add is no part of the answer
    return Cell(str(whole), Value(float(computed)), whole)


def truth(holds: bool) -> Cells:  # it is the value
    """A computed truth."""
    return Cells((Cell("yes" if holds else "no", None, holds),))
