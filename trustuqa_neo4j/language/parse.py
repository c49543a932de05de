"""Text as an LLM wrote it → LLMQuery, or problems with their positions.

Two readings in turn: the steps are found in the text whatever stands around them (prose, fences), then
each step's call is read by the grammar. One grammar over the whole text was rejected: prose between
the steps would have to be part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import lark
from lark.lexer import Lexer

from .query import Argument, Call, Listing, Literal, LLMQuery, Problem, Reference, Step, Value
from .tokens import Unreadable, scan

# Where a step's call begins, and what ends its text.
_QUERY = re.compile(r"(?<!\w)query\s*(\d{1,9})\s*[:：]", re.IGNORECASE)
_NEXT = re.compile(
    r"(?<!\w)(?:step|query)\s*\d{1,9}\s*[:：]|^\s*(?:#|```)", re.IGNORECASE | re.MULTILINE
)
_TARGET = re.compile(r"^\W*target type\s*[:：]\s*\{?([^{}\n]*)\}?", re.IGNORECASE | re.MULTILINE)
_BARE = re.compile(r"\s*[^\W\d]\w*\s*\(")

_NAMES = {
    "_LPAR": "(",
    "_RPAR": ")",
    "_LSQB": "[",
    "_RSQB": "]",
    "_COMMA": ",",
    "NAME": "a parameter or function",
    "OPERATOR": "= or another operator",
    "STRING": "a name in quotes",
    "NUMBER": "a number",
    "REFERENCE": "output_of_queryN",
    "$END": "the end",
}

Span: TypeAlias = tuple[str, int, int]


def parse(text: str) -> LLMQuery | tuple[Problem, ...]:
    """Read ``text``; either a query whose every step could be read, or all problems found."""
    steps: list[Step] = []
    problems: list[Problem] = []
    for number, start, end in _calls(text):
        try:
            steps.append(Step(number, _call(text, start, end)))
        except Unreadable as error:
            problems.append(Problem("unreadable", error.message, number, error.position))
    if not steps and not problems:
        problems.append(
            Problem(
                "unreadable", 'no step found: a query has lines like Query1: "get_information(…)"'
            )
        )
    if problems:
        return tuple(problems)
    target = _TARGET.search(text)
    columns = tuple(c.strip() for c in target[1].split(",") if c.strip()) if target else ()
    return LLMQuery(tuple(steps), columns)


def _calls(text: str) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of each step's call, without the quotes around it."""
    found = list(_QUERY.finditer(text))
    if not found and _BARE.match(text):
        yield (1, *_trimmed(text, 0, len(text)))
    for query in found:
        following = _NEXT.search(text, query.end())
        end = following.start() if following else len(text)
        yield (int(query[1]), *_trimmed(text, query.end(), end))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (text[start].isspace() or text[start] in "\"'`“"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "\"'`”.,;"):
        end -= 1
    return start, end


class _Tokens(Lexer):
    """Hands the tokens of ``tokens.scan`` to lark."""

    __future_interface__ = True

    def __init__(self, lexer_conf: Any) -> None:
        """Lark passes its configuration; none is needed."""

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[lark.Token]:  # noqa: ARG002 # lark's
        text, start, end = lexer_state.text
        for token in scan(text, start, end):
            yield lark.Token(token.type, token.text, start_pos=token.position)


@cache
def _parser() -> lark.Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", lexer=_Tokens, maybe_placeholders=False)


def _call(text: str, start: int, end: int) -> Call:
    if start == end:
        raise Unreadable("nothing stands behind this step", start)
    try:
        tree = _parser().parse((text, start, end))  # type: ignore[arg-type]  # our lexer's input
    except lark.UnexpectedToken as error:
        position = end if error.token.type == "$END" else error.token.start_pos
        wanted = ", ".join(sorted(_NAMES[t] for t in error.accepts or error.expected))
        raise Unreadable(f"expected {wanted}", position or 0) from error
    return _Builder().transform(tree)


class _Builder(lark.Transformer[lark.Token, Any]):
    """Tree → query nodes."""

    def start(self, children: list[Call]) -> Call:
        return children[0]

    def call(self, children: list[Any]) -> Call:
        name = children[0]
        arguments = tuple(children[1]) if len(children) > 1 else ()
        return Call(str(name), arguments, name.start_pos)

    def arguments(self, children: list[Any]) -> list[Argument]:
        return [
            child if isinstance(child, Argument) else Argument(None, "=", child, child.position)
            for child in children
        ]

    def named(self, children: list[Any]) -> Argument:
        name, operator, value = children
        return Argument(str(name), str(operator), value, name.start_pos)

    def positional(self, children: list[Value]) -> Value:
        return children[0]

    def reference(self, children: list[lark.Token]) -> Reference:
        return Reference(int(children[0]), children[0].start_pos or 0)

    def literal(self, children: list[lark.Token]) -> Literal:
        return Literal(str(children[0]), children[0].start_pos or 0)

    def listing(self, children: list[Value]) -> Listing:
        return Listing(tuple(children), children[0].position if children else 0)
