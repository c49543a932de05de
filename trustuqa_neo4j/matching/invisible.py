"""Characters that nobody sees: two names that look alike may differ in them alone.

Some scripts, right-to-left names and emoji need a few of them, between the characters that they join.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# The first alternative is the flag of a region: an emoji with letters that nobody sees.
_INVISIBLE = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007f]+"
    "|[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_JOINERS = frozenset("\u200c\u200d\u200e\u200f")
_FIRST_JOINED = (
    "\u0590"  # Hebrew, Arabic, the scripts of India and emoji; no Latin, Greek, Cyrillic.
)
_SELECTABLE = frozenset("#*0123456789©®")  # emoji with a selector, below the scripts above


def replace_invisible(text: str, replace: Callable[[str], str]) -> str:
    """Replace the invisible characters that the characters before them do not need."""

    def choose(match: re.Match[str]) -> str:
        sign, before = match[0], text[match.start() - 1 : match.start()]
        is_joined = before >= _FIRST_JOINED
        is_selector = "\ufe00" <= sign <= "\ufe0f"
        is_needed = (
            len(sign) > 1
            or (sign in _JOINERS and is_joined)
            or (is_selector and (is_joined or before in _SELECTABLE) and bool(before))
        )
        return sign if is_needed else replace(sign)

    return text if text.isascii() else _INVISIBLE.sub(choose, text)
