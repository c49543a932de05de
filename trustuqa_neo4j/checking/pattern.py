"""What a query asks, as plain data: variables, what is asked of each, and what the answer shows.

A variable stands for the nodes that some place of a step can hold. It lies ``within`` others where it can
only hold what they hold: the output of an intersection within both inputs, what a step searches from
within the result it names. So what one step asks of a result binds no other step that uses the same
result; one variable for both (the alternative) would refuse mixed results, of which each step takes its
part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from .meetings import End

Columns: TypeAlias = "tuple[tuple[str, int | None], ...]"
"""Columns of a table by name, with the variable that each shows, if it is one."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Nodes that some place of a step can hold, ``called`` so in messages; ``within`` those of others."""

    number: int
    called: str
    step: int
    within: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A variable is at one end of a relation, or of a class; ``fact`` tells the two ends of one together."""

    variable: int
    end: End
    name: str
    fact: int
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Compared:
    """What a relation leads to is compared with a name or number of the query."""

    relation: str
    operator: str
    text: str
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Used:
    """A function that may need values of a kind is given what a variable holds."""

    function: str
    variable: int
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer: its name (none where the answer is a set), and the variable it shows."""

    name: str
    variable: int | None
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Merged:
    """A function adds up a set, in which equal values are one."""

    function: str
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Lacking:
    """A function names a column that its table has not."""

    function: str
    column: str
    columns: tuple[str, ...]
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What an operation leads to: a set of one variable (if it can be told), or columns of a table.

    ``merged``: a set function made it, in which equal values are one.
    """

    variable: int | None = None
    columns: Columns | None = None
    merged: bool = False


@dataclass
class Pattern:
    """All that a query asks, step by step; ``outputs`` are what its last step shows.

    ``unused`` are steps that neither another step nor the answer uses; ``merged`` those that add up sets, in
    which equal values are one.
    """

    variables: list[Variable] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    used: list[Used] = field(default_factory=list)
    lacking: list[Lacking] = field(default_factory=list)
    unused: list[int] = field(default_factory=list)
    merged: list[Merged] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    results: dict[int, Shape] = field(default_factory=dict)

    def above(self, variable: int) -> Iterator[int]:
        """The variable and all that it lies within."""
        seen = {variable}
        waiting = [variable]
        while waiting:
            here = waiting.pop()
            yield here
            new = [each for each in self.variables[here].within if each not in seen]
            seen |= {*new}
            waiting += new

    def ends_of(self, fact: int) -> list[Asked]:
        """What one fact asks of its start and its end."""
        return [asked for asked in self.asked if asked.fact == fact]
