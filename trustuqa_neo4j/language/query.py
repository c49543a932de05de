"""What was read from a query's text: plain data with positions.

A position is the offset of a character in the whole text, from 0; ``excerpt`` turns it into a line with a
caret when a person is to see it. Nodes of their own per kind of value (the alternative: nested tuples)
let the type checker see that a stage forgot one.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, TypeAlias
from typing import Literal as Either

Severity: TypeAlias = Either["error", "doubt", "warning"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A name or number as written, without its quotes."""

    text: str
    position: int


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of an earlier step (``output_of_query1``)."""

    step: int
    position: int


@dataclass(frozen=True, slots=True)
class Listing:
    """Several values, any of which may hold."""

    members: tuple[Value, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Argument:
    """``name operator value``; ``name`` is None where only a value was given."""

    name: str | None
    operator: str
    value: Value
    position: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments, in the order written."""

    function: str
    arguments: tuple[Argument, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Infix:
    """``left operator right``: arithmetic, a comparison, ``and``, ``or`` or ``in``.

    ``if a then b else c`` is no node of its own but a call of ``if``, as ``if(a, b, c)`` is.
    """

    operator: str
    left: Value
    right: Value
    position: int


Value: TypeAlias = Literal | Reference | Listing | Call | Infix


@dataclass(frozen=True, slots=True)
class Step:
    """``QueryN``: its number and what it says, mostly a call."""

    number: int
    value: Value


@dataclass(frozen=True, slots=True)
class LLMQuery:
    """The steps that the LLM wrote, and the columns its ``## Target type`` names."""

    steps: tuple[Step, ...]
    target: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a query: kind, message, and where (step and offset, if known).

    An ``error`` keeps the query from running; a ``doubt`` is worth a second look and may be the truth; a
    ``warning`` is only told.
    """

    kind: str
    message: str
    step: int | None = None
    position: int | None = None
    severity: Severity = "error"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kind": self.kind,
            "message": self.message,
            "step": self.step,
            "position": self.position,
        }


def excerpt(text: str, position: int, width: int = 100) -> str:
    """The line of ``text`` that holds ``position``, cut to ``width`` characters, with a caret below it."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    left = max(0, position - start - width // 2)
    shown = "".join(c if c.isprintable() else " " for c in line[left : left + width])
    before = shown[: position - start - left]
    missing = position - start - left - len(before)
    return f"{shown}\n{' ' * (sum(map(_columns, before)) + missing)}^"


def _columns(character: str) -> int:
    """How many columns of a terminal ``character`` takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
