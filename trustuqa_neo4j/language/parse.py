"""Text as an LLM wrote it → LLMQuery, or problems with their positions.

Two readings in turn: the steps are found in the text whatever stands around them (``steps``), then each
step's call is read by the grammar, with tokens that know the quotes as LLMs write them (``tokens``). One
grammar over the whole text was rejected: prose between the steps would have to be part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import lark
from lark.lexer import Lexer

from . import closing, steps
from .building import Builder
from .levels import Unreadable
from .query import Call, Infix, Listing, LLMQuery, Problem, Reference, Step, Value
from .steps import Region
from .tokens import Scanner

_SIGNS = {"_COMMA": "a comma", "_LPAR": "(", "_RPAR": ")", "_RSQB": "]"}
_NOTHING_ASKED = "no function and no result such as output_of_query1 stands in this step"


def parse(text: str) -> LLMQuery | tuple[Problem, ...]:
    """Read ``text``; either a query whose every step could be read, or all problems found."""
    answer = steps.without_thinking(text)
    read: list[Step] = []
    problems: list[Problem] = []
    for region in steps.find(answer):
        try:
            read.append(Step(region.number, _value(answer, region)))
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
            handed = lark.Token(token.type, token.text, start_pos=token.position)
            if token.value is not None:
                handed.value = token.value
            yield handed


@cache
def _parser() -> lark.Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return lark.Lark(
        grammar,
        parser="lalr",
        lexer=_Tokens,
        start=["start", "several"],
        transformer=Builder(),
        maybe_placeholders=False,
    )


def _value(text: str, region: Region) -> Value:
    if region.start == region.end:
        raise Unreadable("nothing stands behind this step", region.start)

    def within(start: int, end: int) -> tuple[Value, int]:
        inner = Scanner(text, start, end)
        try:
            return _read(inner, "several"), inner.levels.here.depth() + 1
        except Unreadable as error:
            message = f"what holds a result is no name but an expression: {error.message}"
            raise Unreadable(message, error.position) from error

    scanner = Scanner(text, region.start, region.end, region.quoted, within)
    values = [_read(scanner, "start")]
    while (at := closing.further_call(text, scanner.at, region.end)) is not None:
        scanner = Scanner(text, at, region.end, region.quoted, within)
        values.append(_read(scanner, "start"))
    value = values[0] if len(values) == 1 else Listing(tuple(values), values[0].position)
    _nothing_more(text, scanner, region)
    if not _asks(value):
        raise Unreadable(_NOTHING_ASKED, region.start)
    return value


def _read(scanner: Scanner, start: str) -> Value:
    try:
        value: Any = _parser().parse(scanner, start=start)  # with Builder, no tree but a value
    except lark.UnexpectedToken as error:
        position = scanner.at if error.token.type == "$END" else error.token.start_pos
        message = _expected(error.accepts or error.expected, scanner)
        raise Unreadable(message, position or 0) from error
    assert isinstance(value, Value)
    return value


def _expected(types: set[str], scanner: Scanner) -> str:
    """``types`` of tokens that could stand, as a reader knows them; signs of expressions go unsaid."""
    wanted = [sign for name, sign in _SIGNS.items() if name in types]
    waiting = scanner.levels.here.waiting
    if waiting and waiting[-1] in types:
        wanted.insert(0, waiting[-1].lower())
    if "STRING" in types:
        wanted.insert(0, "a parameter" if "_RPAR" in types else "a value")
    elif "OPERATOR" in types and scanner.levels.here.call and scanner.before == "NAME":
        wanted.insert(0, "an operator such as =")
    return "expected " + " or ".join(
        filter(None, (", ".join(wanted[:-1]), (wanted or ["the end"])[-1]))
    )


def _nothing_more(text: str, scanner: Scanner, region: Region) -> None:
    """Refuse what would be left out silently."""
    at = scanner.at
    if not closing.ends(text, at, region.end, region.quoted):
        raise Unreadable("expected the end", at)
    another = closing.another_call(text, at, region.limit)
    if another is not None:
        raise Unreadable("a further call needs a step of its own, such as Query2:", another)


def _asks(value: Value) -> bool:
    """Whether anything of the data is asked for: a call or a result stands somewhere in ``value``."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Reference) or (isinstance(part, Call) and part.function != "if"):
            return True
        if isinstance(part, Call):
            waiting += [argument.value for argument in part.arguments]
        elif isinstance(part, Listing):
            waiting += part.members
        elif isinstance(part, Infix):
            waiting += [part.left, part.right]
    return False
