"""The operations of an execution query, written as the paper writes them.

That text (``search_node(R, condition=H)``) is what *explain* and the trace show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..language.expressions import Expression, Figure
from ..language.paths import Path


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalogue knows of a relation in the scope, however it was mapped.

    ``held``: facts with an interval. ``tables``: columns of tables have this name; ``place`` is that of the
    first one, from 0.
    """

    names: tuple[str, ...] = ()
    facts: int = 0
    numbers: int = 0
    dates: int = 0
    held: int = 0
    qualifiers: frozenset[str] = frozenset()
    tables: bool = False
    place: int | None = None


Catalogue: TypeAlias = Mapping[str, Known]
"""What is known of each relation, by the name that the query gives it."""


@dataclass(frozen=True, slots=True)
class Test:
    """``operator`` any of ``terms``, which a tail, a qualifier or a time must fulfil."""

    operator: str
    terms: tuple[Operation, ...]
    position: int

    def __str__(self) -> str:
        return f"{self.operator} {_any(self.terms)}"


@dataclass(frozen=True, slots=True)
class Search:
    """Facts of ``relations`` out of any of ``heads`` into tails that pass all ``tests``.

    ``wanted``: which part of those facts is asked for. ``key`` is a qualifier or a time of the facts,
    ``values`` are tests on it. None as ``heads`` or no relation at all: whatever there is.
    """

    wanted: str
    position: int
    relations: tuple[Operation, ...] = ()
    heads: tuple[Operation, ...] | None = None
    tests: tuple[Test, ...] = ()
    key: str | None = None
    time: bool = False
    values: tuple[Test, ...] = ()

    def __str__(self) -> str:
        of = f"{_any(self.relations)}" if self.relations else ""
        if self.key is not None:
            held = f", {'time' if self.time else 'qualifier'} {self.key}"
            held += "".join(f" {test}" for test in self.values)
            fact = ", ".join(
                part for part in (_any(self.heads) if self.heads else "", of, _tested(self)) if part
            )
            return f"search_{'node' if self.wanted != 'heads' else 'condition'}([{fact}]{held})"
        if self.wanted == "relations":
            ends = ([_any(self.heads)] if self.heads else []) + (
                [f"node2 {_tested(self)}"] if self.tests else []
            )
            return f"search_node({', '.join(ends)})"
        if self.wanted == "heads":
            within = f", scope={_any(self.heads)}" if self.heads is not None else ""
            return f"search_condition({of}, {_tested(self)}{within})"
        parts = [of]
        parts += [f"condition={_any(self.heads)}"] if self.heads is not None else []
        parts += [f"node2 {_tested(self)}"] if self.tests else []
        return f"search_node({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter of a function: its name, the operator and the value given."""

    name: str
    operator: str
    value: Operation


@dataclass(frozen=True, slots=True)
class Apply:
    """A reasoning function, by its name in the table, or an infix operator."""

    function: str
    operands: tuple[Operation, ...]
    position: int
    options: tuple[Option, ...] = ()

    def __str__(self) -> str:
        given = [str(operand) for operand in self.operands]
        given += [f"{o.name} {o.operator} {o.value}" for o in self.options]
        return f"{self.function}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Name:
    """A name or number as the query gives it."""

    text: str
    position: int

    def __str__(self) -> str:
        return repr(self.text)


@dataclass(frozen=True, slots=True)
class Result:
    """What an earlier step led to."""

    step: int
    position: int

    def __str__(self) -> str:
        return f"output_of_query{self.step}"


@dataclass(frozen=True, slots=True)
class Members:
    """Several operands as one set."""

    members: tuple[Operation, ...]
    position: int

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.members))}]"


@dataclass(frozen=True, slots=True)
class Walk:
    """``get_table``: one row for each way of walking the paths out of any of ``heads``.

    None as ``heads``: out of whatever the first path's first relation leads from.
    """

    heads: tuple[Operation, ...] | None
    paths: tuple[Path, ...]
    position: int

    def __str__(self) -> str:
        of = f"{_any(self.heads)}, " if self.heads is not None else ""
        return f"get_table({of}[{', '.join(repr(written(path)) for path in self.paths)}])"

    @property
    def relations(self) -> tuple[Name, ...]:
        """The relations of all paths, each once."""
        places = {s.relation: s.position for path in self.paths[::-1] for s in path.steps[::-1]}
        return tuple(Name(name, place or self.position) for name, place in places.items())


@dataclass(frozen=True, slots=True)
class Calculate:
    """``calculate``: the table with a further column."""

    of: Operation
    expression: Expression
    name: str
    position: int
    text: str

    def __str__(self) -> str:
        return f"calculate({self.of}, {self.text!r}, {self.name!r})"


@dataclass(frozen=True, slots=True)
class Group:
    """``group_by``: one row for each group."""

    of: Operation
    by: tuple[str, ...]
    values: tuple[Figure, ...]
    position: int

    def __str__(self) -> str:
        return f"group_by({self.of}, {list(self.by)}, {list(map(str, self.values))})"


Operation: TypeAlias = Search | Apply | Name | Result | Members | Walk | Calculate | Group


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step and what it does."""

    number: int
    operation: Operation


@dataclass(frozen=True, slots=True)
class ExecutionQuery:
    """The operations in the order of the steps, and the columns that the answer is to have."""

    steps: tuple[PlannedStep, ...]
    target: tuple[str, ...] = ()


def written(path: Path) -> str:
    """A path as the language writes it."""
    steps = (
        ("^" if step.backwards else "")
        + step.relation
        + (f"#{step.walk}" if step.walk > 1 else "")
        + ("?" if step.optional else "")
        for step in path.steps
    )
    return f"{' > '.join(steps)} as {path.name}"


def _tested(search: Search) -> str:
    return " and ".join(
        _any(test.terms) if test.operator == "=" else str(test) for test in search.tests
    )


def _any(terms: tuple[Operation, ...] | None) -> str:
    members = [str(term) for term in terms or ()]
    return members[0] if len(members) == 1 else f"[{', '.join(members)}]"


def within(operation: Operation) -> Iterator[Operation]:
    """``operation`` and all operations in it, outer ones first."""
    waiting = [operation]
    while waiting:
        each = waiting.pop(0)
        yield each
        if isinstance(each, Search):
            waiting += (*each.relations, *(each.heads or ()))
            waiting += (term for test in (*each.tests, *each.values) for term in test.terms)
        elif isinstance(each, Apply):
            waiting += each.operands
            waiting += (option.value for option in each.options)
        elif isinstance(each, Members):
            waiting += each.members
        elif isinstance(each, Walk):
            waiting += (*each.relations, *(each.heads or ()))
        elif isinstance(each, Calculate | Group):
            waiting.append(each.of)


def uses(operation: Operation) -> tuple[int, ...]:
    """The steps whose results ``operation`` uses, in order."""
    return tuple(sorted({each.step for each in within(operation) if isinstance(each, Result)}))
