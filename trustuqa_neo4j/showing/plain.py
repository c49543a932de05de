"""Text from the data, made harmless where it is shown."""

from __future__ import annotations

import re

# Control characters but for tab and line feed; what reorders the text around it; halves of characters.
_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(32)} | {"\x7f": "␡"}
_BREAKS = re.compile("\r\n|[\u2028\u2029]")


def plain(name: str) -> str:
    """``name`` with its control characters as pictures (␛): data must not steer the terminal.

    Characters that turn the direction of the text around them go too: a name could hide another behind
    them. Marks (U+200E, U+200F) stay, since Arabic and Hebrew names have them and they move nothing else.
    """
    return _UNSHOWN.sub(lambda c: _PICTURES.get(c[0], "�"), _BREAKS.sub("\n", name))


def one_line(text: str, longest: int) -> str:
    """``text`` in one line of at most ``longest`` characters."""
    one = " ".join(text[: longest * 8].split())
    cut = len(text) > longest * 8 or len(one) > longest
    return plain(one[: longest - 1] + "…" if cut else one)
