"""A JSON document read through a window: whole values where they fit into it, else what they hold in turn.

The standard library's decoder is compiled and gives numbers as they are written, yet needs all of a value at
once. A streaming parser (the alternative; ijson was tried) rewrites numbers (``1E5``, ``-0``), makes ``?`` of
half a character, and tells no line of an error. So: a value that is whole in the window is decoded at once,
and of one that is too large only the bracket is taken, to be gone into.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, TypeAlias, Union

from trustuqa_neo4j.errors import UnreadableFile

from .text import LONGEST, Lines

FITS = 1 << 20
"""Characters up to which a value is decoded as a whole."""

DEEPEST = 100
"""How deep values may stand in each other; the decoder itself gives up at a thousand or more."""

_BLOCK = 1 << 16
_SPACE = re.compile(r"[ \t\n\r]*")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_WORD = 10
"""Characters in which it shows whether a word or a number begins rightly (``-Infinity`` has 9)."""


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class Constant(Number):
    """``NaN``, ``Infinity`` or ``-Infinity``, which JSON does not have and many programs write."""

    __slots__ = ()


class Opened(Enum):
    """The beginning of a value that does not fit into the window."""

    OBJECT = "}"
    ARRAY = "]"


Members: TypeAlias = "tuple[tuple[str, Value], ...]"
Value: TypeAlias = Union[str, bool, "list[Value]", "tuple[tuple[str, Value], ...]", None]
"""A decoded value: objects are tuples of their members in order, so that none that is doubled is lost."""

_MAKES: dict[str, Any] = {
    "object_pairs_hook": tuple, "parse_int": Number, "parse_float": Number, "parse_constant": Constant,
}  # fmt: skip
_DECODER = json.JSONDecoder(**_MAKES)
_OPENING = {"{": Opened.OBJECT, "[": Opened.ARRAY}

DEEP = f"objects and arrays nested more than {DEEPEST} deep"


class Wrong(Exception):
    """What is wrong with a value."""


def decoded(line: str) -> Value:
    """The value that a line of its own is.

    Raises:
        Wrong: it is no JSON, or too deep.
    """
    try:
        found: Value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise Wrong(f"no JSON: {_told(error)}, column {error.pos + 1}") from error
    except RecursionError as error:
        raise Wrong(DEEP) from error
    return found


def may_be_halved(text: str, start: int = 0, end: int = LONGEST) -> bool:
    """Whether JSON may hold an escape that is half a character; of most that are, the other half follows."""
    return _HALF.search(text, start, end) is not None


def _told(error: json.JSONDecodeError) -> str:
    return error.msg[:1].lower() + error.msg[1:]


class Window:
    """The text of a document from where it is read on.

    ``halved``: what was taken so far may hold an escape that is half a character.
    """

    def __init__(self, place: str, lines: Lines) -> None:
        self._place = place
        self._lines = lines
        self._text = ""
        self._at = 0
        self._line = 1
        self._column = 1
        self._ended = False
        self.halved = False

    def next(self) -> str:
        """The next character that is no white space; empty at the end.

        Raises:
            UnreadableFile
        """
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._grow()

    def take(self, allowed: str) -> str:
        """Take the next character, which is one of those ``allowed``.

        Raises:
            UnreadableFile
        """
        found = self.next()
        if not found or found not in allowed:
            raise self.wrong(f"expecting {' or '.join(map(repr, allowed))}")
        self._at += 1
        return found

    def name(self) -> str:
        """The name of a member and the colon behind it.

        Raises:
            UnreadableFile
        """
        if self.next() != '"':
            raise self.wrong("expecting the name of a member, in double quotes")
        found = self.value()
        assert isinstance(found, str)
        self.take(":")
        return found

    def value(self) -> Value | Opened:
        """The next value, or the beginning of one that does not fit.

        Raises:
            UnreadableFile
        """
        first = self.next()
        while True:
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._ended or (first not in '"{[' and len(self._text) - self._at >= _WORD):
                    raise self.wrong(_told(error), error.pos) from error
            except RecursionError as error:
                raise self.wrong(DEEP) from error
            else:
                # A number that ends with the window may go on behind it.
                if end < len(self._text) or self._ended:
                    start, self._at = self._at, end
                    self.halved = self.halved or may_be_halved(self._text, start, end)
                    kept: Value = found
                    return kept
            size = len(self._text) - self._at
            if first in _OPENING and size >= FITS:
                return self._open(first)
            if size > LONGEST:
                raise self.wrong(f"a text of more than {LONGEST:,} characters")
            self._grow()

    def close(self) -> None:
        """See that nothing is left.

        Raises:
            UnreadableFile
        """
        if self.next():
            raise self.wrong(
                "more behind the end of the document",
                hint="a file of one record a line is called .jsonl or .ndjson",
            )

    def wrong(self, what: str, at: int | None = None, hint: str = "") -> UnreadableFile:
        """That this is no JSON, here or at ``at`` of the window."""
        at = self._at if at is None else at
        if at >= len(self._text) and self._ended:
            what = f"it ends too early ({what})"
        line, column = self._place_of(at)
        return UnreadableFile(
            f"no JSON: {what}",
            where=f"{self._place}, line {line}, column {column}",
            hint=hint or "correct the file, or write it again",
        )

    def _open(self, first: str) -> Opened:
        self._at += 1
        return _OPENING[first]

    def _grow(self) -> None:
        """Let go of what has been read, and see as much again."""
        self._line, self._column = self._place_of(self._at)
        blocks = [self._text[self._at :]]
        wanted = max(FITS, min(len(blocks[0]), LONGEST - len(blocks[0])))
        while wanted > 0:
            block = self._lines.block(_BLOCK)
            if not block:
                self._ended = True
                break
            blocks.append(block)
            wanted -= len(block)
        self._text, self._at = "".join(blocks), 0

    def _place_of(self, at: int) -> tuple[int, int]:
        """Line and column, from 1."""
        breaks = self._text.count("\n", 0, at)
        if not breaks:
            return self._line, self._column + at
        return self._line + breaks, at - self._text.rfind("\n", 0, at)
