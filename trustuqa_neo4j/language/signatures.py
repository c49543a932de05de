"""The row of a function: its name, its line in the prompt, its parameters, what the engine knows about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from typing import Literal, TypeAlias

# Data for which a prompt describes a function.
Shown: TypeAlias = Literal["always", "tables", "briefly", "never"]

# What the cells of an operand have to be; an empty text is anything.
Needed: TypeAlias = Literal["", "numbers", "dates", "values"]

# What the sentence of a call is made of; an empty text is its operands alone.
Described: TypeAlias = Literal["", "groups", "kept", "ranked"]


class Trait(Flag):
    """Properties of a function that the engine uses beside what the function computes."""

    FIGURE = auto()
    """It has no result if an operand is empty."""

    COUNTS_REPEATS = auto()
    """Equal members count each time in its result."""

    OVER_ROWS = auto()
    """Of rows it takes the cells of one column: that which it names, else that of the target type."""

    KEEPS_ROWS = auto()
    """Of a table it gives rows, or counts them."""

    IS_SUBSET = auto()
    """Its result is a part of its first operand."""

    NAMES_NODES = auto()
    """A name in an operand means its node."""

    COMBINES_SETS = auto()
    """Its operands are sets of members; a name that is in none of the data makes it empty."""

    MERGES = auto()
    """Each member of its result stands for all equal ones."""

    SUBTRACTS = auto()
    """What its later operands have proves nothing."""

    UNITES = auto()
    """A member of its result need not be in each of its operands."""

    COMPARES = auto()
    """All of each operand decides about its result."""

    SAYS_YES_OR_NO = auto()
    """Its result is yes or no."""

    ORDERS = auto()
    """It orders its two operands."""

    SUMMARIZES = auto()
    """Its result stands for all of its operand, to which later questions refer."""

    GROUPS = auto()
    """It has a row for each group."""

    OF_EACH = auto()
    """It has one result for each member, in their order, and stands in expressions over columns too."""

    OF_EACH_AT_TIMES = auto()
    """In one of its forms it has one result for each member."""

    DATE_PART = auto()
    """It gives a period or a name that many dates share, such as the month."""

    PUBLISHED = auto()
    """The papers have it."""


_PLAIN = Trait(0)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named parameter.

    ``ordered`` parameters also take ``<``, ``>=`` and so on; ``repeats``: it may occur several times;
    ``by_name``: no value by position goes to it.
    """

    name: str
    synonyms: tuple[str, ...] = ()
    ordered: bool = False
    repeats: bool = False
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its name, its line in the prompt, its operands and its parameters.

    Operands are results, values or lists, given by position or as ``set``, ``set1`` …, and by any name
    where ``free_names``; ``max_operands`` None is any number. ``computes``: what it makes of numbers and
    dates that stand in the query is an answer, though no fact has it. Further values by position go to the
    parameters in their order where ``positional``. Parsing understands functions that are never ``shown``.

    ``needs`` are the values that it can use. ``upper`` is True if it finds the upper end of an order, False
    for the lower end. ``neighbour`` is the distance of the row that it gives. ``sign`` stands between two
    operands for the same. ``from_end`` is True if it takes the last members, False if the first.
    ``in_groups``: ``group_by`` has it for the cells of a group. ``of_total`` computes it from the sum of the
    numbers and how many they are, which a database gives. ``sentences`` describe a call, with braces for its
    operands, where what is ``described`` is not enough.
    """

    name: str
    prompt: str
    synonyms: tuple[str, ...] = ()
    min_operands: int = 0
    max_operands: int | None = 0
    parameters: tuple[Parameter, ...] = ()
    free_names: bool = False
    positional: bool = False
    required: tuple[str, ...] = ()
    shown: Shown = "always"
    computes: bool = False
    traits: Trait = _PLAIN
    needs: Needed = ""
    upper: bool | None = None
    neighbour: int = 0
    sign: str = ""
    from_end: bool | None = None
    in_groups: bool = False
    of_total: Callable[[float, int], float] | None = None
    sentences: tuple[str, ...] = ()
    described: Described = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)

    @property
    def signature(self) -> str:
        """The name and the parameters as the prompt shows them, such as ``count(set)``."""
        return self.prompt.partition(":")[0]

    def parameter(self, name: str) -> Parameter | None:
        name = name.casefold()
        parameter = next((p for p in self.parameters if name in (p.name, *p.synonyms)), None)
        if parameter is None and name[-1:].isdecimal():  # head_entity1, head_entity2: any of them
            bare = name.rstrip("0123456789_")
            parameter = next((p for p in self.parameters if p.repeats and p.name == bare), None)
        return parameter
