"""Words that select among values, such as *highest* and *most*."""

from __future__ import annotations

MOST = {"most": True, "least": False}  # Words that select the most or the least frequent value.

EXTREMES = {
    "highest": True, "max": True, "maximum": True, "largest": True, "latest": True,
    "lowest": False, "min": False, "minimum": False, "smallest": False, "earliest": False,
    "greatest": True, "biggest": True, "tallest": True, "longest": True, "heaviest": True,
    "newest": True, "most recent": True, "shortest": False, "fewest": False, "lightest": False,
}  # fmt: skip
"""Words that select one end of an order: the upper end (True) or the lower end.

*Oldest* is ambiguous (the greatest age, the earliest date), and so is *fastest*: they are left out.
"""


def find_selector(text: str) -> str | None:
    """Return the word by which ``text`` selects among values (``most``, ``highest``), or None."""
    word = text.strip().casefold()
    return word if word in MOST or word in EXTREMES else None
