"""The signs of the language in every form in which people and models type them.

ASCII, typographic and full-width forms are one sign each; the rest of the package sees only the first.
"""

from __future__ import annotations

import re

OPERATORS: dict[str, str] = {
    form: operator
    for operator, forms in {
        "=": ("=", "==", "＝"),
        "!=": ("!=", "<>", "≠"),
        "<": ("<", "＜"),
        ">": (">", "＞"),
        "<=": ("<=", "=<", "≤", "≦", "⩽"),
        ">=": (">=", "=>", "≥", "≧", "⩾"),
    }.items()
    for form in forms
}

BRACKETS: dict[str, str] = {"(": ")）", "（": ")）", "[": "]", "{": "}"}
"""Each opening bracket and those that may close it; braces are brackets of a list."""

COMMAS = ",，"

QUOTES: dict[str, str] = {
    "'": "'",
    '"': '"',
    "`": "`",
    "‘": "’'",
    "’": "’'",
    "‚": "‘’",
    "“": '”“"',
    "”": '”"',
    "„": "“”",
    "«": "»",
    "»": "«",
    "＇": "＇",
    "＂": "＂",
}
"""Each opening quote and those that may close what it opens."""

# Fragments of regular expressions.
OPERATOR = "(?:" + "|".join(map(re.escape, sorted(OPERATORS, key=len, reverse=True))) + ")"
QUOTE_SIGNS = "".join(QUOTES)  # for use within a class
QUOTE = f"[{QUOTE_SIGNS}]"
WORD = r"[^\W\d]\w*"
REFERENCE = r"output_of_query[ _]?(\d{1,9})"
ARITHMETIC = "[-+−*/×÷%^]"
JOINING = r"(?:and|or|if|then|else|minus|plus|times|union|intersect|except|where|not)\b"
"""Words that make what follows a part of an expression, and no prose."""
