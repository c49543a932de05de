"""Facts, typed values, members of results, and queries, as the page on the query language speaks of them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeAlias

OPEN = 10**11
"""The last day of a fact without an end."""


# Values


@dataclass(frozen=True)
class Value:
    """A number with its unit, the first and last day of a date, or both: a bare year."""

    number: float | None = None
    unit: str | None = None
    first: int | None = None
    last: int | None = None


UNITS = {
    "km": ("length", 1000.0), "m": ("length", 1.0), "cm": ("length", 0.01),
    "kg": ("mass", 1.0), "g": ("mass", 0.001), "$": ("dollar", 1.0), "€": ("euro", 1.0), "%": ("share", 1.0),
    "s": ("span", 1 / 86400), "year": ("span", 365.2425), "month": ("span", 365.2425 / 12),
    "week": ("span", 7.0), "day": ("span", 1.0),
}  # fmt: skip
"""Units of the generator: what they measure, and how much of it."""


def convert(value: Value, unit: str | None) -> float | None:
    """The number in ``unit``; as it stands if a unit is missing; None if the units do not fit."""
    assert value.number is not None
    if value.unit is None or unit is None or value.unit == unit:
        return value.number
    (kind, size), (other_kind, other_size) = (
        UNITS.get(name, (name, 1.0)) for name in (value.unit, unit)
    )
    return value.number * size / other_size if kind == other_kind else None


def compare(value: Value, operator: str, bound: Value) -> bool | None:
    """Whether ``value`` stands in ``operator`` to ``bound``; None if the two cannot be compared."""
    if value.number is not None and bound.number is not None:
        number = convert(value, bound.unit)
        if number is not None:
            equal = math.isclose(number, bound.number, rel_tol=1e-12)
            return {
                "=": equal, "!=": not equal,
                "<": number < bound.number and not equal, "<=": number < bound.number or equal,
                ">": number > bound.number and not equal, ">=": number > bound.number or equal,
            }[operator]  # fmt: skip
    if value.first is None or bound.first is None:
        return None
    assert value.last is not None
    assert bound.last is not None
    within = bound.first <= value.first and value.last <= bound.last
    return {
        "=": within, "!=": not within,
        "<": value.last < bound.first, "<=": value.last <= bound.last,
        ">": value.first > bound.last, ">=": value.first >= bound.first,
    }[operator]  # fmt: skip


def fold(text: str, blank: str = " ") -> str:
    """The normalized name: without case, accents, quotes and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = ("".join(c for c in plain if not unicodedata.combining(c))).replace("'", "")
    return blank.join("".join(c if c.isalnum() else " " for c in letters).split())


# Facts


@dataclass(frozen=True)
class Held:
    """When a fact held: first and last day, and both ends as written (empty: unknown) with their days."""

    first: int
    last: int
    start_text: str = ""
    end_text: str = ""
    start: Value = Value()
    end: Value = Value()


@dataclass(frozen=True)
class Fact:
    """A fact; ``places`` are the lines that say so, of tables with the column."""

    head: str
    relation: str
    tail: str
    held: Held | None = None
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    places: frozenset[object] = frozenset()
    source: str = ""


@dataclass
class Data:
    """The facts of a dataset. Nodes are texts: names, or ids with ``names``, or the ``rows`` of tables."""

    facts: list[Fact] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[str, tuple[str, int]] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    def within(self, source: str | None) -> Data:
        """The same with the facts of one source alone."""
        if source is None:
            return self
        return replace(
            self,
            facts=[fact for fact in self.facts if fact.source == source],
            rows={row: place for row, place in self.rows.items() if place[0] == source},
            columns={name: c for name, c in self.columns.items() if name == source},
        )

    def name(self, node: str) -> str:
        return self.names.get(node, node)

    @property
    def latest(self) -> int:
        """The latest day in the data."""
        days = [
            day
            for fact in self.facts
            if fact.held is not None
            for day in (fact.held.first, fact.held.last)
            if day < OPEN
        ]
        return max(days, default=0)


# Results


@dataclass(frozen=True)
class Member:
    """A member of a result, with its node if the data has it, its row, and the facts that prove it."""

    text: str
    value: Value | None = None
    node: str | None = None
    row: str | None = None
    proof: frozenset[object] = frozenset()
    computed: float | bool | None = None
    missing: bool = False

    @property
    def identity(self) -> object:
        if self.node is not None:
            return ("node", self.node)
        if self.value is not None and self.value.number is not None:
            return (self.value.number, self.value.unit)
        return fold(self.text)


@dataclass(frozen=True)
class Table:
    """Rows with their proofs; ``considered`` are the facts of all rows of the tables that it came from."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Member, ...], ...]
    proofs: tuple[frozenset[object], ...] = ()
    considered: frozenset[object] = frozenset()


Bag: TypeAlias = tuple[Member, ...]
Result: TypeAlias = Bag | Table


class Refusal(Exception):
    """The query is refused; ``outcome`` is that of the answer."""

    def __init__(self, message: str, outcome: str = "rejected") -> None:
        self.outcome = outcome
        super().__init__(message)


class Unspecified(Exception):
    """The page promises nothing here, such as which of equal members comes first."""


# Queries


@dataclass(frozen=True)
class Name:
    """A name or value in quotes."""

    text: str

    def __str__(self) -> str:
        return f"'{self.text}'"


@dataclass(frozen=True)
class Number:
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Several:
    members: tuple[Name, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.members))}]"


@dataclass(frozen=True)
class Step:
    """The result of an earlier step."""

    number: int

    def __str__(self) -> str:
        return f"output_of_query{self.number}"


@dataclass(frozen=True)
class Argument:
    """A value of a call: by position without a parameter, else with its operator."""

    value: Query
    parameter: str = ""
    operator: str = "="

    def __str__(self) -> str:
        if not self.parameter:
            return str(self.value)
        blank = " " if self.operator[0].isalpha() else ""
        return f"{self.parameter}{blank}{self.operator}{blank}{self.value}"


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[Argument, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.arguments))})"

    def get(self, *parameters: str) -> list[Argument]:
        return [a for a in self.arguments if a.parameter in parameters]

    def text(self, parameter: str, default: str = "") -> str:
        """The text of a parameter that takes one, such as the order of ``sort``."""
        value = next((a.value for a in self.get(parameter)), None)
        return value.text if isinstance(value, Name | Number) else default

    @property
    def operands(self) -> list[Query]:
        return [a.value for a in self.arguments if not a.parameter or a.parameter[:3] == "set"]


@dataclass(frozen=True)
class Infix:
    operator: str
    left: Query
    right: Query

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


@dataclass(frozen=True)
class Choice:
    condition: Query
    then: Query
    otherwise: Query

    def __str__(self) -> str:
        return f"if {self.condition} then {self.then} else {self.otherwise}"


Query: TypeAlias = Name | Number | Several | Step | Call | Infix | Choice


@dataclass(frozen=True)
class Program:
    """The steps of a query, and the columns of its target type."""

    steps: tuple[Query, ...]
    target: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"## Target type: {{{', '.join(self.target)}}}\n" if self.target else ""
        steps = (f'Query{n}: "{step}"' for n, step in enumerate(self.steps, 1))
        return head + "## Query:\n" + "\n".join(steps)


def walk(query: Query) -> Iterator[Query]:
    """The query and all that it is made of."""
    yield query
    parts: Sequence[Query] = ()
    if isinstance(query, Call):
        parts = [a.value for a in query.arguments]
    elif isinstance(query, Infix):
        parts = (query.left, query.right)
    elif isinstance(query, Choice):
        parts = (query.condition, query.then, query.otherwise)
    for part in parts:
        yield from walk(part)


def natural_key(text: str) -> list[tuple[int, float, str]]:
    """The place of a text in the alphabet, with numbers inside by value."""
    parts = ("".join(group) for _, group in groupby(text.casefold(), str.isdigit))
    return [(0, float(part), "") if part.isdigit() else (1, 0.0, part) for part in parts]


Values: TypeAlias = Mapping[str, Value]
