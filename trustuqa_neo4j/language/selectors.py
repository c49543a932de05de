"""Words that select among values, such as *highest* and *most*."""

from __future__ import annotations

from ..lexicon.words import WORDS

MOST = {"most": True, "least": False}  # Words that select the most or the least frequent value.

EXTREMES = {
    **dict.fromkeys(WORDS.comparisons.upper_ends, True),
    **dict.fromkeys(WORDS.comparisons.lower_ends, False),
}
"""Words that select one end of an order: the upper end (True) or the lower end.

*Oldest* is ambiguous (the greatest age, the earliest date), and so is *fastest*: they are left out.
"""


def find_selector(text: str) -> str | None:
    """Return the word by which ``text`` selects among values (``most``, ``highest``), or None."""
    word = text.strip().casefold()
    return word if word in MOST or word in EXTREMES else None
