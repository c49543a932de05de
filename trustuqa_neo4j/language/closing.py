"""Where a name in quotes ends, and where a call does.

Names arrive as ``'I Can't Sleep'``: the inner apostrophe is not escaped. So a quote closes a name only
where the grammar can go on: before brackets that close what is open, before a comma or a parameter, or
where the call ends. The usual rule (the next quote closes) cuts such names in two. Likewise a call ends
with its last bracket only if what follows is nothing, a remark or prose, and no part of an expression.

Each look ahead is bounded by the next sign or the next run of spaces, so reading stays linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from .functions import FUNCTION_NAMES, PARAMETER_NAMES
from .signs import (
    AND,
    BRACKETS,
    COMMAS,
    IN,
    JOINING,
    OPERATOR,
    OR,
    PRODUCT,
    QUOTE,
    QUOTE_SIGNS,
    QUOTES,
    REFERENCE,
    SUM,
    WORD,
)  # fmt: skip

# The look ahead spares comparing what is no call with every name.
CALLED = r"(?=[a-zA-Z]\w*[(（])(?:" + "|".join(map(re.escape, FUNCTION_NAMES)) + ")[(（]"
_CLOSERS = frozenset("".join(BRACKETS.values()))
_ALTERNATIVES = re.IGNORECASE | re.VERBOSE
_GAP = re.compile(rf"[\s.{COMMAS}]*")
_OPENING = rf"(?: \\?{QUOTE} | [\[{{] | {REFERENCE} )"
_NUMBER = r"[-+−]?\d[\d.]*\s*"
_SIGN = rf"(?: {OPERATOR} | {SUM} | {PRODUCT} | \? | {AND} | {OR} | {IN} | if\b )"
_ARGUMENT = re.compile(
    rf"""\s* (?:
        [{COMMAS}]\s* (?:
            (?:and\s+)? {WORD}\s*{OPERATOR}
          | {WORD}[(（]
          | {_NUMBER}(?:[{COMMAS})\]}}]|\Z)
          | \({{0,50}} (?: {_OPENING} | {_NUMBER}{_SIGN} | if\b\s | (?<=\() {WORD}[(（] )
        )
      | (?:and\s+)? {WORD}\s*{OPERATOR}\s*(?:{_OPENING} | \d)
    )""",
    _ALTERNATIVES,
)
"""A further argument or member: behind a comma; without one, only a parameter and its value."""

# A word stands apart from the name before it, unlike in 'L'Age d'Or'.
_APART = r"(?:(?=\W)|(?<=\s))"
_JOINT = re.compile(
    rf"""\s* {_APART} (?:
        {_SIGN} \s* (?: {_OPENING} | [-+−]?\d | \( | {WORD}[(（] )
      | {OR} \s* {WORD}\s*=\s* {_OPENING}
    )""",
    _ALTERNATIVES,
)
"""A sign or word between two values of an expression."""

_CASE = re.compile(
    r"\s*(?:[,;:.]?\s*(?:then|else|elif|otherwise|return|end|endif)\b|:)", re.IGNORECASE
)
"""What separates the cases of a condition."""

_CUT = re.compile(rf"[^\S\n]*{QUOTE}{{1,3}}[.,;]?[^\S\n]*(?:\Z|\n)")
"""The quotes around a call are closed at the end of a line."""

_TRAILING = rf"[{QUOTE_SIGNS}\s.,;:+*_~|\\)\]}}（）]{{0,16}}"
_IDLE = re.compile(rf"(?:{QUOTE}|[ \t\r.,;:+*_~|\\)\]}}）]){{0,16}}[^\S\n]*(?:\Z|\n)")
_REMARK = re.compile(
    rf"""[{QUOTE_SIGNS}.,;*_]{{0,8}} [^\S\n]*
    (?: [#—→] | -> | (?://|--)\s*[^\W\d] | <(?:/|br|p)\b
      | (?<=\s)(?:\(|–\s*(?!{REFERENCE}|{WORD}[(（])[^\W\d]) )""",
    _ALTERNATIVES,
)
_NEXT_STEP = re.compile(rf"{_TRAILING}(?:step|query)\s*\d", re.IGNORECASE)
_PROSE = re.compile(rf"[^\S\n]*{QUOTE}[.;:*)_]{{0,4}}[^\S\n]+(?!{JOINING})[^\W\d]", re.IGNORECASE)
_CALL = re.compile(rf"(?<!\w){CALLED}", re.IGNORECASE)
_CALL_OF_ITS_OWN = re.compile(
    rf"^[{QUOTE_SIGNS} \t>*.\d-]*{CALLED}[^\n]*(?:{OPERATOR}|output_of)",
    re.IGNORECASE | re.MULTILINE,
)

_PARAMETER = re.compile(
    rf"""[;{COMMAS}]\s* (?:{"|".join(PARAMETER_NAMES)})\d*\s* {OPERATOR}\s* {QUOTE}""",
    _ALTERNATIVES,
)
_OVER = re.compile(rf"(?<!\\){QUOTE}\s*[)）]")

_ESCAPED = re.compile(rf"\\(\\|{QUOTE})")


class Name(NamedTuple):
    """A name in quotes: its text, where it stands between them, where they end, and if that is certain."""

    text: str
    start: int
    stop: int
    end: int
    certain: bool


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a name: the open brackets, quotes around the whole step, an open condition."""

    brackets: Sequence[str]
    quoted: bool
    cases: bool


def read_name(text: str, at: int, end: int, around: Around) -> Name | None:
    """The name whose quote stands at ``at``.

    Where the grammar can go on behind no quote, the first that ends a word is taken, so that what stands
    behind it can be named as wrong. None if the name never ends.
    """
    escaped = text[at] == "\\"
    start = at + 1 + escaped
    guess: Name | None = None
    for stop in _stops(text[start - 1], escaped).finditer(text, start, end):
        if stop[0][0] == "\\" and not escaped:
            continue
        behind = stop.end()
        certain = _goes_on(text, behind, end, around)
        if not certain and (guess or _in_word(text[behind])):
            continue
        written = text[start : stop.start()]
        if certain and _swallows(written):
            break
        found = Name(_ESCAPED.sub(r"\1", written), start, stop.start(), behind, certain)
        if certain:
            return found
        guess = None if _swallows(written) else found
    return guess


def _swallows(written: str) -> bool:
    """Whether a name holds what stands behind it: a further parameter, or the end and another call."""
    over = _OVER.search(written)
    another = over and _CALL.search(written, over.end())
    return another is not None or _PARAMETER.search(written) is not None


@cache
def _stops(quote: str, escaped: bool) -> re.Pattern[str]:
    """Where a name that ``quote`` opens may end, and whatever is escaped before that."""
    if escaped:
        return re.compile(rf"\\{quote}")
    return re.compile(rf"\\.|[{QUOTES[quote]}]", re.DOTALL)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _goes_on(text: str, at: int, end: int, around: Around) -> bool:
    """Whether the grammar can go on at ``at``, behind a value."""
    brackets, quoted = around.brackets, around.quoted
    level = len(brackets)
    if not level and ends(text, at, end, quoted):
        return True
    gap = _skipped(text, at, end)
    while gap < end and text[gap] in _CLOSERS:
        if not level or text[gap] not in BRACKETS[brackets[level - 1]]:
            return False
        level -= 1
        at = gap + 1
        if level == 0:
            return ends(text, at, end, quoted) or _joined(text, at, end, around)
        gap = _skipped(text, at, end)
    cut = quoted and _CUT.match(text, at, end)
    argument = (level or around.cases) and _ARGUMENT.match(text, at, end)
    return gap >= end or bool(cut or argument) or _joined(text, at, end, around)


def _joined(text: str, at: int, end: int, around: Around) -> bool:
    """Whether an expression goes on at ``at``."""
    case = around.cases and _CASE.match(text, at, end)
    return bool(case) or _JOINT.match(text, at, end) is not None


def _skipped(text: str, at: int, end: int) -> int:
    gap = _GAP.match(text, at, end)
    assert gap is not None  # it may be empty
    return gap.end()


def cut(text: str, at: int, end: int) -> bool:
    """Whether the quotes around a call are closed at ``at``, with brackets still open."""
    return _CUT.match(text, at, end) is not None


def ends(text: str, at: int, end: int, quoted: bool) -> bool:
    """Whether a call may end at ``at``, behind its last bracket."""
    patterns = (_IDLE, _NEXT_STEP, _REMARK, *((_PROSE,) if quoted else ()))
    return any(pattern.match(text, at, end) for pattern in patterns)


_FURTHER = re.compile(rf"{QUOTE}{{0,3}}[^\S\n]*,[^\S\n]*{QUOTE}{{0,3}}(?={CALLED})", re.IGNORECASE)


def further_call(text: str, at: int, end: int) -> int | None:
    """Where behind a call that ended at ``at`` another one follows a comma, in the same line; or None."""
    found = _FURTHER.match(text, at, end)
    return found.end() if found else None


def another_call(text: str, at: int, end: int) -> int | None:
    """Where behind a call that ended at ``at`` another one stands that belongs to no step, or None.

    Further down only a line that begins with a call counts: prose may mention functions.
    """
    line = text.find("\n", at, end)
    line = end if line < 0 else line
    found = None
    if not _IDLE.match(text, at, end):
        found = _CALL.search(text, at, line)
    found = found or _CALL_OF_ITS_OWN.search(text, line, end)
    return found.start() if found else None
