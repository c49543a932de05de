"""Expressions over the columns of a table, and what is computed of a group of rows.

``paid - reserve * 2``, ``days_between(opened, closed)``; ``sum(paid + reserve) / count() as mean``. Read
by a grammar of our own into plain data, never evaluated as Python.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from .formulas import AGGREGATES
from .formulas import Aggregate as Aggregate
from .formulas import Applied as Applied
from .formulas import Column as Column
from .formulas import Combined as Combined
from .formulas import DaysBetween as DaysBetween
from .formulas import Expression as Expression
from .formulas import Figure as Figure
from .formulas import Number as Number
from .formulas import Operation as Operation
from .query import Problem
from .signs import ARITHMETIC, PRODUCT, QUOTE, QUOTES, SUM, WORD

DEEPEST = 50
"""Expressions may be nested this deep: whoever walks the tree recurses."""

_DIGITS = 15
"""No number of ours has more decimals."""

_TOKEN = re.compile(
    rf"\s*(?:(?P<date>\d{{4}}-\d\d-\d\d(?![\w.-]))|(?P<number>\d+(?:\.\d+)?(?![\w.]))|(?P<quoted>{QUOTE})"
    rf"|(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<sum>{SUM})|(?P<product>{PRODUCT})|(?P<word>{WORD}(?:\.\w+)*)|(?P<end>\Z)|(?P<other>.))",
    re.IGNORECASE | re.DOTALL,
)
_DISTINCT = re.compile(r"distinct\b\s*", re.IGNORECASE)
_BRACKET = re.compile(rf"[()]|(?<!\w){QUOTE}")


_FUNCTIONS = frozenset(("days_between", "year", "round", "abs"))
_WRITTEN = ("days_between(start, end)", "year(date)", "round(number, decimals)", "abs(number)")


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


class _Wrong(Exception):
    """A way out of the recursion, never seen outside."""

    def __init__(self, message: str, position: int) -> None:
        self.problem = Problem("unreadable", message, None, position)
        super().__init__(message)


def read_expression(text: str) -> Expression | Problem:
    """The expression that ``text`` writes, or what is wrong with it and where in ``text``."""
    try:
        return _Reader(text).whole()
    except _Wrong as wrong:
        return wrong.problem


class _Reader:
    """Recursive descent; each method gives an expression and how deep it is nested."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.next = self.token()

    def token(self) -> _Token:
        """The token at ``at``, going behind it."""
        found = _TOKEN.match(self.text, self.at)
        assert found is not None  # any character is one
        kind = found.lastgroup or ""
        begin = found.start(kind)
        self.at = found.end()
        if kind != "quoted":
            return _Token(kind, found[kind], begin)
        end = re.compile(f"[{QUOTES[found[kind]]}]").search(self.text, self.at)
        if end is None:
            raise _Wrong("the name that begins here never ends", begin)
        name = self.text[self.at : end.start()]
        self.at = end.end()
        return _Token("quoted", name, begin)

    def take(self) -> _Token:
        taken, self.next = self.next, self.token()
        return taken

    def expect(self, kind: str, sign: str) -> None:
        if self.next.kind != kind:
            raise _Wrong(f"expected {sign}", self.next.position)
        self.take()

    def whole(self) -> Expression:
        found, _ = self.sum(0)
        if self.next.kind in ("word", "quoted", "number"):
            message = "expected + - * or /; a name of several words needs quotes"
            raise _Wrong(message, self.next.position)
        if self.next.kind != "end":
            raise _Wrong("expected + - * or /", self.next.position)
        return found

    def sum(self, level: int) -> tuple[Expression, int]:
        left, depth = self.product(level)
        while self.next.kind == "sum":
            sign = self.take()
            right, other = self.product(level)
            left, depth = self.join(sign, left, right, max(depth, other))
        return left, depth

    def product(self, level: int) -> tuple[Expression, int]:
        left, depth = self.operand(level)
        while self.next.kind == "product":
            sign = self.take()
            right, other = self.operand(level)
            left, depth = self.join(sign, left, right, max(depth, other))
        return left, depth

    def join(
        self, sign: _Token, left: Expression, right: Expression, depth: int
    ) -> tuple[Expression, int]:
        if depth >= DEEPEST:
            raise _Wrong(f"an expression of more than {DEEPEST} parts", sign.position)
        return Operation(ARITHMETIC[sign.text.casefold()], left, right), depth + 1

    def operand(self, level: int) -> tuple[Expression, int]:
        if level > DEEPEST:
            raise _Wrong(f"an expression of more than {DEEPEST} parts", self.next.position)
        token = self.take()
        if token.kind == "sum":
            inner, depth = self.operand(level + 1)
            if ARITHMETIC[token.text.casefold()] == "+":
                return inner, depth
            return self.join(token, Number(0), inner, depth)
        if token.kind == "open":
            found = self.sum(level + 1)
            self.expect("close", ")")
            return found
        if token.kind == "number":
            return Number(float(token.text) if "." in token.text else int(token.text)), 0
        if token.kind == "word" and self.next.kind == "open":
            return self.call(token, level)
        return self.leaf(token), 0

    def leaf(self, token: _Token) -> Expression:
        """What is no number, bracket or call."""
        if token.kind in ("word", "quoted", "date") and token.text.strip():
            return Column(token.text)
        raise _Wrong("expected a column, a number or (", token.position)

    def call(self, name: _Token, level: int) -> tuple[Expression, int]:
        function = name.text.casefold()
        if function not in _FUNCTIONS:
            message = f"undefined function {name.text}; there is {', '.join(_WRITTEN)}"
            raise _Wrong(message, name.position)
        self.take()
        first, depth = self.sum(level + 1)
        if function == "days_between":
            self.expect("comma", "a comma")
            end, other = self.sum(level + 1)
            self.expect("close", ")")
            return DaysBetween(first, end), max(depth, other) + 1
        digits = self.digits() if function == "round" and self.next.kind == "comma" else 0
        self.expect("close", ")")
        return Applied(function, first, digits), depth + 1

    def digits(self) -> int:
        """To how many decimals a number is rounded."""
        self.take()
        token = self.take()
        if token.kind != "number" or "." in token.text or int(token.text) > _DIGITS:
            raise _Wrong(f"expected a whole number from 0 to {_DIGITS}", token.position)
        return int(token.text)


def read_aggregate(text: str) -> Figure | Problem:
    """What ``sum(paid) as total`` computes, or what is wrong with it and where in ``text``."""
    try:
        return _GroupReader(text).figure()
    except _Wrong as wrong:
        return wrong.problem


class _GroupReader(_Reader):
    """Expressions of aggregates: what stands in their brackets is of each row of a group."""

    def __init__(self, text: str) -> None:
        self.parts: dict[str, Aggregate] = {}
        super().__init__(text)

    def figure(self) -> Figure:
        """What is computed, and its name."""
        if self.next.kind == "end":
            raise self.expected(0)
        found, _ = self.sum(0)
        end = self.next.position
        text, name = self.text[:end].strip(), ""
        if self.next.kind == "word" and self.next.text.casefold() == "as":
            name = _unquoted(self.text[end + len("as") :].strip())
        if self.next.kind != "end" and not name:
            raise _Wrong("expected as and a name, or the end", end)
        if not self.parts:
            raise self.expected(0)
        if isinstance(found, Column):
            only = self.parts[found.name]
            return replace(only, name=name) if name else only
        return Combined(found, tuple(self.parts.values()), name or text, text)

    def expected(self, position: int) -> _Wrong:
        written = ", ".join(dict.fromkeys(AGGREGATES.values()))
        return _Wrong(f"expected one of {written}, such as sum(column) as name", position)

    def leaf(self, token: _Token) -> Expression:
        raise self.expected(token.position)

    def call(self, name: _Token, level: int) -> tuple[Expression, int]:
        function = AGGREGATES.get(name.text.casefold())
        if function is None and name.text.casefold() in _FUNCTIONS:
            return super().call(name, level)
        if function is None:
            raise self.expected(name.position)
        begin, close = self.at, _closing(self.text, self.at)
        if close < 0:
            message = f"expected ): {function} is written {function}(column) as name"
            raise _Wrong(message, len(self.text))
        self.at = close + 1
        self.next = self.token()
        found = _aggregate(function, self.text[begin:close].strip(), begin)
        self.parts[found.name] = found
        return Column(found.name), 0


def _aggregate(function: str, inner: str, position: int) -> Aggregate:
    """``function`` of what stands in its brackets: a column, nothing, or an expression of columns."""
    if function == "count" and (distinct := _DISTINCT.match(inner)):
        function, inner = "count_distinct", inner[distinct.end() :]
    column = None if inner in ("", "*") else _unquoted(inner)
    if column is None and function != "count":
        raise _Wrong(f"expected a column: {function} of what?", position)
    name = f"{function}({column or ''})"
    read = read_expression(inner)
    if column is None or isinstance(read, Problem | Column):
        # What is no expression may be the name of a column: loss amount (gross).
        return Aggregate(function, column, name)
    return Aggregate(function, column, name, read)


def _closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened before ``at``; the last one if no other fits; or -1."""
    depth, unclosed = 1, set[str]()
    while found := _BRACKET.search(text, at):
        sign, at = found[0], found.end()
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if not depth:
                return found.start()
        elif sign not in unclosed:
            end = re.compile(f"[{QUOTES[sign]}]").search(text, at)
            at = end.end() if end else at
            unclosed |= set() if end else {sign}
    return text.rfind(")", at)


def _unquoted(name: str) -> str:
    """``name`` without quotes around all of it."""
    whole = len(name) > 1 and name[0] in QUOTES and name[-1] in QUOTES[name[0]]
    return name[1:-1] if whole else name
