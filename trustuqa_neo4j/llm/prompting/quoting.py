"""Text from outside, as a prompt shows it: between double quotes, on one line, and never out of them.

Names, cells and questions are anybody's text, and some of it is written to be taken for an instruction.
So every piece of it stands in double quotes as JSON writes a string, and the instruction says that what
stands there is data. Characters that would end the line, or that a person does not see and a model reads,
are written as numbers. Tags around it all were the alternative: they show where data begins, but not which
of the lines between them is one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_ESCAPED = re.compile(
    '["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029'  # quotes, controls, other ends of lines
    "\u202a-\u202e\u2066-\u2069"  # turn the direction of what follows
    "\ud800-\udfff\U000e0000-\U000e01ef]"  # half characters; letters and selectors that nobody sees
)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

LONGEST = 80
"""Characters of a cell or name of a thing that are shown; the rest says little and costs."""

LONGEST_NAME = 200
"""Characters of a relation, column, source or dataset that are shown: it is to be written as it stands."""


def quoted(text: str, longest: int | None = None) -> str:
    """``text`` between double quotes, escaped; if it is longer than ``longest``, with … behind them."""
    cut = text if longest is None else text[:longest]
    inside = _ESCAPED.sub(_escape, cut)
    return f'"{inside}"' + "…" * (len(cut) < len(text))


def named(name: str) -> str:
    """The name of a relation, column, source or dataset."""
    return quoted(name, LONGEST_NAME)


def listed(names: Iterable[str]) -> str:
    """Names of relations or columns as a prompt lists them."""
    return "|".join(map(named, names))


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _SHORT:
        return _SHORT[character]
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))
