"""A query as text that parses to the same query.

Every literal is quoted, and quotes and backslashes in it are escaped, so that no name can end its quotes. A
name that looks like a step (``Query2: count(``) gives a text that cannot be parsed: print names from outside
only together with a check that the text parses to the same query.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from .ast import Argument, BinaryOp, Call, ListValue, Literal, Query, Reference, Value
from .lexer import QUOTE, REFERENCE, TEXT_OPERATORS

LiteralPrinter: TypeAlias = Callable[[Literal], str]

_ESCAPED = re.compile(rf"\\|{QUOTE}")
_RESULT = re.compile(rf"(?<!\w){REFERENCE}(?!\w)", re.IGNORECASE)


class UnprintableName(ValueError):
    """A name that no query can contain."""


def quote_name(text: str) -> str:
    """``text`` as a quoted name.

    Raises:
        UnprintableName: the text contains the result of a step.
    """
    if _RESULT.search(text):
        raise UnprintableName(text)
    return escape_name(text)


def escape_name(text: str) -> str:
    """``text`` in quotes, with quotes and backslashes escaped."""
    return "'" + _ESCAPED.sub(lambda match: "\\" + match[0], text) + "'"


def _quote(literal: Literal) -> str:
    return quote_name(literal.text)


def print_query(query: Query, print_literal: LiteralPrinter = _quote) -> str:
    """One line per step, and the target type above them if the query has one.

    Raises:
        UnprintableName: a name contains the result of a step.
    """
    lines = [f"## Target type: {{{', '.join(query.target)}}}"] if query.target else []
    for step in query.steps:
        text = _print_value(step.value, print_literal)
        if isinstance(step.value, BinaryOp) and text.startswith("'"):
            text = f"({text})"  # otherwise its quote looks like one around the step
        lines.append(f"Query{step.number}: {text}")
    return "\n".join(lines)


def _print_value(value: Value, print_literal: LiteralPrinter) -> str:
    if isinstance(value, Literal):
        return print_literal(value)
    if isinstance(value, Reference):
        return f"output_of_query{value.step}"
    if isinstance(value, ListValue):
        return f"[{', '.join(_print_value(member, print_literal) for member in value.members)}]"
    if isinstance(value, BinaryOp):
        left, right = (_print_operand(v, print_literal) for v in (value.left, value.right))
        return f"{left} {value.operator} {right}"
    assert isinstance(value, Call)
    arguments = (_print_argument(argument, print_literal) for argument in value.arguments)
    return f"{value.function}({', '.join(arguments)})"


def _print_operand(value: Value, print_literal: LiteralPrinter) -> str:
    text = _print_value(value, print_literal)
    return f"({text})" if isinstance(value, BinaryOp) else text


def _print_argument(argument: Argument, print_literal: LiteralPrinter) -> str:
    value = _print_value(argument.value, print_literal)
    if argument.name is None:
        return value if argument.operator == "=" else f"{argument.operator}{value}"
    gap = " " if argument.operator in TEXT_OPERATORS else ""
    return f"{argument.name}{gap}{argument.operator}{gap}{value}"
