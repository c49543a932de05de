"""Tokens of one call, up to the bracket that closes it.

The scanner knows which brackets are open and what stood before: that decides where a name in quotes
ends (``closing``), whether ``1,000`` is one number, and where the call is over. Regular expressions per
token without that context, as lark would have them, cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from . import closing
from .signs import ARITHMETIC, BRACKETS, COMMAS, OPERATOR, OPERATORS, QUOTE, QUOTES, REFERENCE, WORD

DEEPEST = 50
"""Brackets may be nested this deep; what is deeper is no query, and reading it would recurse."""

INFIX = "arithmetic, comparisons and conditions between results are not built in this version"

_OPENING = {"(": "_LPAR", "（": "_LPAR", "[": "LSQB", "{": "LSQB"}
_CLOSING = {")": "_RPAR", "）": "_RPAR", "]": "_RSQB", "}": "_RSQB"}
_VALUES = frozenset({"REFERENCE", "NUMBER", "STRING", "NAME", "_RPAR", "_RSQB"})

_SPACE = re.compile(r"\s+")
_OPERATOR = re.compile(OPERATOR)
_ARITHMETIC = re.compile(ARITHMETIC)
_REFERENCE = re.compile(
    rf"{REFERENCE}(?!\w)|\\?{QUOTE}\s*{REFERENCE}\s*\\?{QUOTE}(?![\w'’])", re.IGNORECASE
)
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?!\w|,\d)")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.:/–-]\d+)*\w*%?")
_WORD = re.compile(WORD)
_UNQUOTED = re.compile(rf"{WORD}(?:[.:-]\w+)*")
_AND = re.compile(rf"and\s+(?={WORD}\s*{OPERATOR})", re.IGNORECASE)
_STOP = re.compile(r"\.(?=[\s,.]*[)\]}）])")


class Unreadable(Exception):
    """Nothing can be read at ``position``; ``kind`` is that of the problem to report."""

    def __init__(self, message: str, position: int, kind: str = "unreadable") -> None:
        self.message = message
        self.position = position
        self.kind = kind
        super().__init__(message, position, kind)


class Token(NamedTuple):
    """Type as in the grammar, the text it stands for, and its offset."""

    type: str
    text: str
    position: int


@dataclass
class Scanner:
    """Reads the call that begins at ``at`` of ``text``, at most up to ``end``.

    ``quoted`` says whether the call stands in quotes. Positions count in the whole text. After the last
    token ``at`` is where the call ended.
    """

    text: str
    at: int
    end: int
    quoted: bool = False
    brackets: list[str] = field(default_factory=list)
    last: str = ""
    guessed: bool = False

    def tokens(self) -> Iterator[Token]:
        """The tokens, until the brackets are closed or nothing more stands there.

        Raises:
            Unreadable: a character that begins no token, or a name that never ends.
        """
        while self._skip():
            token = self._token()
            if token.type == self.last == "_COMMA":
                continue
            self.last = token.type
            yield token
            if token.type == "_RPAR" and not self.brackets:
                return

    def _skip(self) -> bool:
        """Go to the next sign; whether there is one."""
        while found := _SPACE.match(self.text, self.at, self.end) or (
            _STOP.match(self.text, self.at, self.end)
        ):
            self.at = found.end()
        return self.at < self.end and not self._cut()

    def _cut(self) -> bool:
        return self.quoted and self.last in _VALUES and closing.cut(self.text, self.at, self.end)

    def _token(self) -> Token:
        at = self.at
        character = self.text[at]
        if found := _REFERENCE.match(self.text, at, self.end):
            return self._take("REFERENCE", found[1] or found[2], found.end())
        if character in QUOTES or (character == "\\" and self.text[at + 1 : at + 2] in QUOTES):
            return self._name()
        if character in _OPENING or character in _CLOSING:
            return self._bracket(character)
        if character in COMMAS:
            return self._take("_COMMA", ",", at + 1)
        if found := _OPERATOR.match(self.text, at, self.end):
            return self._take("OPERATOR", OPERATORS[self._operand(found[0])], found.end())
        return self._bare()

    def _bare(self) -> Token:
        """A number, or a word without quotes."""
        text, at, end = self.text, self.at, self.end
        given = self.last == "OPERATOR"
        if found := (given and _THOUSANDS.match(text, at, end)) or _NUMBER.match(text, at, end):
            return self._take("NUMBER", found[0], found.end())
        if self.last in _VALUES | {"_COMMA"} and (found := _AND.match(text, at, end)):
            return self._take("_COMMA", ",", found.end())
        if found := (_UNQUOTED if given else _WORD).match(text, at, end):
            return self._take("NAME", found[0], found.end())
        if found := _ARITHMETIC.match(text, at, end):
            self._operand(found[0])
        raise Unreadable(f"{text[at]!r} cannot stand here", at)

    def _take(self, kind: str, text: str, end: int) -> Token:
        token = Token(kind, text, self.at)
        self.at = end
        return token

    def _operand(self, sign: str) -> str:
        """``sign``, unless what stands before it is a whole value: then it is an expression."""
        if self.last in _VALUES - {"NAME", "STRING"}:
            raise Unreadable(f"{sign} cannot stand here: {INFIX}", self.at, "not built")
        return sign

    def _bracket(self, character: str) -> Token:
        if character in _OPENING:
            if len(self.brackets) == DEEPEST:
                raise Unreadable(f"brackets are nested deeper than {DEEPEST}", self.at)
            self.brackets.append(character)
            return self._take(_OPENING[character], character, self.at + 1)
        if self.brackets:
            closers = BRACKETS[self.brackets.pop()]
            if character not in closers:
                raise Unreadable(f"expected {closers[0]}", self.at)
        return self._take(_CLOSING[character], character, self.at + 1)

    def _name(self) -> Token:
        found = closing.read_name(self.text, self.at, self.end, self.brackets, self.quoted)
        # A second guess would have to look through the rest of the text again.
        if found is None or (self.guessed and not found[2]):
            quote = self.text[self.at].replace("\\", '\\"')
            message = f"the name that begins here never ends: no {quote} closes it"
            raise Unreadable(message, self.at)
        name, end, certain = found
        self.guessed |= not certain
        return self._take("STRING", name, end)
