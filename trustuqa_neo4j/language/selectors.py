"""Words that select instead of naming."""

MOST = {"most": True, "least": False}
"""Words for the most and the least frequent."""

EXTREMES = {
    "highest": True, "max": True, "maximum": True, "largest": True, "latest": True,
    "lowest": False, "min": False, "minimum": False, "smallest": False, "earliest": False,
    "greatest": True, "biggest": True, "tallest": True, "longest": True, "heaviest": True,
    "newest": True, "most recent": True, "shortest": False, "fewest": False, "lightest": False,
}  # fmt: skip
"""Words for an end of an order, and whether they mean the upper one.

*Oldest* is none: it is the greatest age and the earliest date; nor is *fastest*.
"""
