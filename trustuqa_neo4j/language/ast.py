"""The syntax tree of a query: plain data with positions, and the problems found in it.

A position is the offset of a character in the whole text, from 0; ``excerpt`` shows it to people as a line
with a caret. Every kind of value has a class of its own, so that the type checker sees when a stage forgets
one. ``walk`` and ``transform`` are the only ways through the tree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self, TypeAlias
from typing import Literal as Either

from ..errors import ErrorKind


@dataclass(frozen=True, slots=True)
class Literal:
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of an earlier step (``output_of_query1``)."""

    step: int
    position: int


@dataclass(frozen=True, slots=True)
class ListValue:
    members: tuple[Value, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Argument:
    name: str | None
    operator: str
    value: Value
    position: int


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Argument, ...]
    position: int


@dataclass(frozen=True, slots=True)
class BinaryOp:
    """``left operator right``: arithmetic, a comparison, ``and``, ``or`` or ``in``.

    ``if a then b else c`` has no class of its own: it is a call of ``if``, as ``if(a, b, c)`` is.
    """

    operator: str
    left: Value
    right: Value
    position: int


Value: TypeAlias = Literal | Reference | ListValue | Call | BinaryOp


@dataclass(frozen=True, slots=True)
class Step:
    number: int
    value: Value


@dataclass(frozen=True, slots=True)
class Query:
    steps: tuple[Step, ...]
    target: tuple[str, ...] = ()


def get_children(value: Value) -> tuple[Value, ...]:
    """The values directly inside ``value``, in the order of the text."""
    if isinstance(value, Call):
        return tuple(argument.value for argument in value.arguments)
    if isinstance(value, ListValue):
        return value.members
    return (value.left, value.right) if isinstance(value, BinaryOp) else ()


def walk_with_depth(value: Value) -> Iterator[tuple[Value, int]]:
    """``value`` and all values inside it, in the order of the text, each with its depth."""
    # Without recursion: a query that was not parsed from a text may be nested to any depth.
    pending = [(value, 0)]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        pending += [(child, depth + 1) for child in reversed(get_children(node))]


def walk(value: Value) -> Iterator[Value]:
    return (node for node, _ in walk_with_depth(value))


def walk_literals(
    value: Value, call: Call | None = None, argument: Argument | None = None
) -> Iterator[tuple[Literal, Call | None, Argument | None]]:
    """Yield each literal with the call and the argument that hold it, alone or in a list; else None."""
    if isinstance(value, Literal):
        yield value, call, argument
    elif isinstance(value, ListValue):
        for member in value.members:
            yield from walk_literals(member, call, argument)
    elif isinstance(value, Call):
        for part in value.arguments:
            yield from walk_literals(part.value, value, part)
    else:
        for child in get_children(value):
            yield from walk_literals(child)


def transform(value: Value, change: Callable[[Value], Value]) -> Value:
    """``value`` rebuilt with ``change`` applied to every value, children before their parents."""
    if isinstance(value, Call):
        arguments = (replace(a, value=transform(a.value, change)) for a in value.arguments)
        value = replace(value, arguments=tuple(arguments))
    elif isinstance(value, ListValue):
        value = replace(value, members=tuple(transform(m, change) for m in value.members))
    elif isinstance(value, BinaryOp):
        left, right = transform(value.left, change), transform(value.right, change)
        value = replace(value, left=left, right=right)
    return change(value)


Severity: TypeAlias = Either["error", "doubt", "warning"]


class ProblemKind(StrEnum):
    """The kinds of problems; the flag says that the message may contain values of the data.

    Messages of the other kinds quote only the query and names of the schema: these may be sent to a
    language model even where values of the data may not.
    """

    may_contain_data: bool

    def __new__(cls, text: str, may_contain_data: bool = True) -> Self:
        member = str.__new__(cls, text)
        member._value_ = text
        member.may_contain_data = may_contain_data
        return member

    DIRECTION = "direction", False
    DISAGREEMENT = "disagreement"
    DIVISION_BY_ZERO = "division by zero"
    DOMAIN = "domain", False
    DOMAIN_RANGE = "domain-range", False
    DOUBLE_DOMAIN = "double domain", False
    DOUBLE_RANGE = "double range", False
    EMPTY_STEP = "empty step"
    HARDLY_EVER = "hardly ever"
    IDENTIFIER_OUTPUT = "identifier output", False
    MERGED_VALUES = "merged values"
    MISSING_PARAMETER = "missing parameter", False
    MIXED_UNITS = "mixed units"
    NESTED_TOO_DEEP = "nested too deep", False
    NO_FACTS = "no facts", False
    NO_READING = "no reading"
    NO_TABLE = "no table", False
    NOT_ASKED_FOR = "not asked for"
    NOT_COMPARABLE = "not comparable"
    NOT_DEMONSTRATED = "not demonstrated"
    NOT_ONE_VALUE = "not one value"
    NOT_PROBABLE = "not probable"
    NOT_UNDERSTOOD = "not understood"
    NOTHING_GIVEN = "nothing given"
    OVERFLOW = "overflow"
    RANGE = "range"
    REPEATED_PARAMETER = "repeated parameter", False
    TABLE = "table", False
    TOO_LARGE = "too large"
    TOO_LONG = "too long"
    UNKNOWN_CLASS = "unknown class", False
    UNKNOWN_COLUMN = "unknown column", False
    UNKNOWN_COMBINATION = "unknown combination", False
    UNKNOWN_FUNCTION = "unknown function", False
    UNKNOWN_NAME = "unknown name"
    UNKNOWN_OPERATOR = "unknown operator", False
    UNKNOWN_PARAMETER = "unknown parameter", False
    UNKNOWN_REFERENCE = "unknown reference", False
    UNKNOWN_RELATION = "unknown relation", False
    UNKNOWN_TABLE = "unknown table", False
    UNKNOWN_UNIT = "unknown unit"
    UNREADABLE = "unreadable", False
    UNUSED_STEP = "unused step"
    WRONG_NUMBER = "wrong number", False


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a query: kind, message, and where (step and offset, if known).

    An ``error`` keeps the query from running, a ``doubt`` is likely wrong, a ``warning`` is only shown.
    ``kind`` is that of an error of ``errors`` where a question of a batch failed.
    """

    kind: ProblemKind | ErrorKind
    message: str
    step: int | None = None
    position: int | None = None
    severity: Severity = "error"

    @property
    def may_contain_data(self) -> bool:
        return not isinstance(self.kind, ProblemKind) or self.kind.may_contain_data

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": str(self.kind),
            "message": self.message,
            "step": self.step,
            "position": self.position,
        }


def excerpt(text: str, position: int, width: int = 100) -> str:
    """The line of ``text`` at ``position``, cut to ``width`` characters, with a caret below it."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    column = position - start
    first = max(0, column - width // 2)
    shown = "".join(c if c.isprintable() else " " for c in line[first : first + width])
    before = shown[: column - first]
    beyond_the_line = column - first - len(before)
    return f"{shown}\n{' ' * (sum(map(_display_width, before)) + beyond_the_line)}^"


def _display_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
