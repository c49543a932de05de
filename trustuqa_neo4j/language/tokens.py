"""Tokens of one call, with the quotes read as LLMs write them.

Names arrive as ``'I Can't Sleep'``: the inner apostrophe is not escaped. So a quote closes a name only
where the grammar can go on: before a bracket that closes, the end, or a comma that begins another
argument or value. The usual rule (the next quote closes) cuts such names in two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPERATORS = {
    "=": "=",
    "==": "=",
    "!=": "!=",
    "<>": "!=",
    "≠": "!=",
    "<": "<",
    ">": ">",
    "<=": "<=",
    "=<": "<=",
    "≤": "<=",
    ">=": ">=",
    "=>": ">=",
    "≥": ">=",
}
_PUNCTUATION = {"(": "_LPAR", ")": "_RPAR", "[": "_LSQB", "]": "_RSQB", ",": "_COMMA"}
_QUOTES = {"'": "'", '"': '"', "‘": "’", "“": "”"}

_SPACE = re.compile(r"\s+")
_OPERATOR = re.compile(r"<>|[!<>=]=|=[<>]|[=<>≠≤≥]")
_REFERENCE = re.compile(r"(['\"]?)output_of_query\s*_?(\d{1,9})\1(?![\w'])", re.IGNORECASE)
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?![\w.])|[-+−]?\d+(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d]\w*")
# What may follow a name's closing quote.
_GOES_ON = re.compile(
    r"""\s*(?:
        $
      | \)(?=\s*(?:$|[\])'",.;]))
      | \](?=\s*(?:$|[\]),]))
      | ,\s*(?:$|[)\]])
      | ,\s*(?:and\s+)?[^\W\d]\w*\s*(?:[=<>≠≤≥(]|!=)
      | ,\s*output_of_query
      | ,\s*[-+]?\d[\d.]*\s*[,)\]]
      | ,\s*['"\[]
    )""",
    re.VERBOSE | re.IGNORECASE,
)


class Unreadable(Exception):
    """No token can be read at ``position``."""

    def __init__(self, message: str, position: int) -> None:
        self.message = message
        self.position = position
        super().__init__(message, position)


@dataclass(frozen=True, slots=True)
class Token:
    """Type as in the grammar, the text it stands for, and its offset."""

    type: str
    text: str
    position: int


def scan(text: str, start: int, end: int) -> Iterator[Token]:
    """Tokens of ``text[start:end]``; positions count in the whole text.

    Raises:
        Unreadable: a character that begins no token, or a name that never ends.
    """
    at = start
    while at < end:
        if space := _SPACE.match(text, at, end):
            at = space.end()
            continue
        token, at = _token(text, at, end)
        yield token


def _token(text: str, at: int, end: int) -> tuple[Token, int]:
    if found := _REFERENCE.match(text, at, end):
        return Token("REFERENCE", found[2], at), found.end()
    character = text[at]
    if character in _QUOTES:
        return _name(text, at, end)
    if character in _PUNCTUATION:
        return Token(_PUNCTUATION[character], character, at), at + 1
    if found := _OPERATOR.match(text, at, end):
        return Token("OPERATOR", _OPERATORS[found[0]], at), found.end()
    if found := _NUMBER.match(text, at, end):
        number = found[0].rstrip(",")
        return Token("NUMBER", number, at), at + len(number)
    if found := _WORD.match(text, at, end):
        return Token("NAME", found[0], at), found.end()
    raise Unreadable(f"{character!r} cannot stand here", at)


def _name(text: str, at: int, end: int) -> tuple[Token, int]:
    closing = _QUOTES[text[at]]
    look = at + 1
    while (look := text.find(closing, look, end)) >= 0:
        if text[look - 1] == "\\" and look - 1 > at:
            look += 1
        elif _GOES_ON.match(text, look + 1, end):
            name = text[at + 1 : look].replace("\\" + closing, closing)
            return Token("STRING", name, at), look + 1
        else:
            look += 1
    raise Unreadable(f"the name that begins here never ends: no {closing} closes it", at)
