"""Text as an LLM wrote it → LLMQuery, or problems with their positions.

Two readings in turn: the steps are found in the text whatever stands around them (``steps``), then each
step's call is read by the grammar, with tokens that know the quotes as LLMs write them (``tokens``). One
grammar over the whole text was rejected: prose between the steps would have to be part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import lark
from lark.lexer import Lexer

from . import closing, steps
from .query import Argument, Call, Listing, Literal, LLMQuery, Problem, Reference, Step, Value
from .signs import ARITHMETIC, JOINING, OPERATOR, QUOTE, REFERENCE
from .steps import Region
from .tokens import INFIX, Scanner, Unreadable

_SIGNS = {
    "OPERATOR": "an operator such as =",
    "_COMMA": "a comma",
    "_LPAR": "(",
    "_RPAR": ")",
    "_RSQB": "]",
}

# What an expression between results looks like: at its beginning, and behind a call.
_JOINED = rf"(?:{OPERATOR}|{ARITHMETIC}|{JOINING})"
_EXPRESSION = re.compile(
    rf"\(*\s*(?:if\b(?!\s*\()|{QUOTE}?(?:{REFERENCE}|[\d.,]+){QUOTE}?\s*{_JOINED})", re.IGNORECASE
)
_CONTINUED = re.compile(rf"(?:{QUOTE}|[\s)]){{0,8}}{_JOINED}", re.IGNORECASE)


def parse(text: str) -> LLMQuery | tuple[Problem, ...]:
    """Read ``text``; either a query whose every step could be read, or all problems found."""
    answer = steps.without_thinking(text)
    read: list[Step] = []
    problems: list[Problem] = []
    for region in steps.find(answer):
        try:
            read.append(Step(region.number, _call(answer, region)))
        except Unreadable as error:
            problems.append(Problem(error.kind, error.message, region.number, error.position))
    if problems:
        return tuple(problems)
    if not read:
        return (_no_step(text),)
    return LLMQuery(tuple(read), steps.target(answer))


def _no_step(text: str) -> Problem:
    thought = steps.unended_thought(text)
    if thought is not None:
        message = "no step found: the thinking that begins here does not end"
        return Problem("unreadable", message, position=thought)
    message = 'no step found: a query has lines like Query1: "get_information(…)"'
    return Problem("unreadable", message)


class _Tokens(Lexer):
    """Hands the tokens of a ``Scanner`` to lark."""

    __future_interface__ = True

    def __init__(self, lexer_conf: Any) -> None:
        """Lark passes its configuration; none is needed."""

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[lark.Token]:  # noqa: ARG002 # lark's
        for token in lexer_state.text.tokens():
            yield lark.Token(token.type, token.text, start_pos=token.position)


@cache
def _parser() -> lark.Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", lexer=_Tokens, maybe_placeholders=False)


def _call(text: str, region: Region) -> Call:
    if region.start == region.end:
        raise Unreadable("nothing stands behind this step", region.start)
    if _EXPRESSION.match(text, region.start, region.end):
        raise Unreadable(INFIX, region.start, "not built")
    scanner = Scanner(text, region.start, region.end, region.quoted)
    try:
        tree = _parser().parse(scanner)
    except lark.UnexpectedToken as error:
        position = scanner.at if error.token.type == "$END" else error.token.start_pos
        raise Unreadable(_expected(error.accepts or error.expected), position or 0) from error
    _nothing_more(text, scanner, region)
    call: Call = _Builder().transform(tree)
    return call


def _expected(types: set[str]) -> str:
    """``types`` of tokens that could stand, as a reader knows them."""
    wanted = [sign for name, sign in _SIGNS.items() if name in types]
    if types == {"NAME"}:
        wanted.insert(0, "a function")
    elif "STRING" in types:
        wanted.insert(0, "a parameter" if "_RPAR" in types else "a value")
    return "expected " + " or ".join(filter(None, (", ".join(wanted[:-1]), wanted[-1])))


def _nothing_more(text: str, scanner: Scanner, region: Region) -> None:
    """Refuse what would be left out silently: an expression around the call, or another call."""
    at = scanner.at
    if not closing.ends(text, at, region.end, region.quoted):
        if _CONTINUED.match(text, at, region.end):
            raise Unreadable(f"expected the end: {INFIX}", at, "not built")
        raise Unreadable("expected the end", at)
    another = closing.another_call(text, at, region.limit)
    if another is not None:
        raise Unreadable("a further call needs a step of its own, such as Query2:", another)


class _Builder(lark.Transformer[lark.Token, Any]):
    """Tree → query nodes."""

    def start(self, children: list[Call]) -> Call:
        return children[0]

    def call(self, children: list[Any]) -> Call:
        name = children[0]
        arguments = tuple(children[1]) if len(children) > 1 else ()
        return Call(str(name), arguments, name.start_pos)

    def arguments(self, children: list[Argument]) -> list[Argument]:
        return children

    def named(self, children: list[Any]) -> Argument:
        name, operator, value = children
        return Argument(str(name), str(operator), value, name.start_pos)

    def positional(self, children: list[Value]) -> Argument:
        return Argument(None, "=", children[0], children[0].position)

    def reference(self, children: list[lark.Token]) -> Reference:
        return Reference(int(children[0]), children[0].start_pos or 0)

    def literal(self, children: list[lark.Token]) -> Literal:
        return Literal(str(children[0]), children[0].start_pos or 0)

    def listing(self, children: list[Any]) -> Listing:
        return Listing(tuple(children[1:]), children[0].start_pos)
