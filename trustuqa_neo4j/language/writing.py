"""LLMQuery → text that is read as that query again.

Every literal is quoted, and a quote or backslash inside is escaped, so no name can end its quotes. A few
names the language cannot say: ``quoted`` refuses one that holds the result of a step, and one that looks like
the beginning of a step (``Query2: count(``) makes a text that cannot be read. Whoever writes what came from
outside reads it again (``demonstrating.filling`` does).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from .query import Argument, Call, Infix, Listing, Literal, LLMQuery, Reference, Value
from .signs import QUOTE, REFERENCE

Spell: TypeAlias = Callable[[Literal], str]
"""How a literal is written."""

_ESCAPED = re.compile(rf"\\|{QUOTE}")
_RESULT = re.compile(rf"(?<!\w){REFERENCE}(?!\w)", re.IGNORECASE)


class Unwritable(ValueError):
    """A name that no query can hold."""


def quoted(text: str) -> str:
    """``text`` as a name of the language.

    Raises:
        Unwritable: it holds what is the result of a step.
    """
    if _RESULT.search(text):
        raise Unwritable(text)
    return "'" + _ESCAPED.sub(lambda sign: "\\" + sign[0], text) + "'"


def _quote(literal: Literal) -> str:
    return quoted(literal.text)


def write(query: LLMQuery, spell: Spell = _quote) -> str:
    """The steps, a line each; above them what the answer is, where that is said.

    Raises:
        Unwritable: a name holds what is the result of a step.
    """
    lines = [f"## Target type: {{{', '.join(query.target)}}}"] if query.target else []
    for step in query.steps:
        written = _value(step.value, spell)
        if isinstance(step.value, Infix) and written.startswith("'"):
            written = f"({written})"  # else its quote can be taken for one around the step
        lines.append(f"Query{step.number}: {written}")
    return "\n".join(lines)


def _value(value: Value, spell: Spell) -> str:
    if isinstance(value, Literal):
        return spell(value)
    if isinstance(value, Reference):
        return f"output_of_query{value.step}"
    if isinstance(value, Listing):
        return f"[{', '.join(_value(member, spell) for member in value.members)}]"
    if isinstance(value, Infix):
        return f"{_side(value.left, spell)} {value.operator} {_side(value.right, spell)}"
    assert isinstance(value, Call)
    return f"{value.function}({', '.join(_argument(each, spell) for each in value.arguments)})"


def _side(value: Value, spell: Spell) -> str:
    written = _value(value, spell)
    return f"({written})" if isinstance(value, Infix) else written


def _argument(argument: Argument, spell: Spell) -> str:
    value = _value(argument.value, spell)
    if argument.name is None:
        return value if argument.operator == "=" else f"{argument.operator}{value}"
    return f"{argument.name}{argument.operator}{value}"
