"""The signs of the language in every form in which people and models type them.

ASCII, typographic and full-width forms are one sign each; the rest of the package sees only the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .selectors import EXTREMES

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

COMPARISONS: dict[str, str] = {
    form: operator
    for operator, forms in {
        ">": (">", "greater", "greater than", "more", "more than", "larger", "larger than", "higher",
              "higher than", "max", "later", "after", "longer", "gt", "bigger"),
        "<": ("<", "less", "less than", "smaller", "smaller than", "lower", "lower than", "fewer", "min",
              "earlier", "before", "shorter", "lt"),
        ">=": (">=", "greater than or equal to", "at least", "ge", "gte"),
        "<=": ("<=", "less than or equal to", "at most", "le", "lte"),
        "=": ("=", "==", "equal", "equals", "equal to", "same", "eq"),
        "!=": ("!=", "<>", "not equal", "different", "ne"),
    }.items()
    for form in forms
}  # fmt: skip
"""What models write as the operator of a comparison."""

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

ARITHMETIC: dict[str, str] = {
    form: sign
    for sign, forms in {
        "+": ("+", "＋", "plus"),
        "-": ("-", "−", "–", "－", "minus"),
        "*": ("*", "×", "times", "multiplied by"),
        "/": ("/", "÷", "divided by"),
    }.items()
    for form in forms
}


def comparison(text: str) -> str | None:
    """The operator that ``text`` names: a sign, *greater than*, or an end of an order (*highest*)."""
    word = text.strip().casefold().replace("_", " ")
    if word in EXTREMES:
        return ">" if EXTREMES[word] else "<"
    return COMPARISONS.get(word)


def _any_of(forms: Iterable[str]) -> str:
    """A regular expression for the longest of ``forms``; words only as whole words."""
    longest = sorted(forms, key=len, reverse=True)
    return (
        "(?:" + "|".join(re.escape(f) + (r"\b" if f[-1].isalpha() else "") for f in longest) + ")"
    )


# Fragments of regular expressions.
OPERATOR = _any_of(OPERATORS)
SUM = _any_of(form for form, sign in ARITHMETIC.items() if sign in "+-")
PRODUCT = _any_of(form for form, sign in ARITHMETIC.items() if sign in "*/")
AND = r"(?:and\b|&&?)"
OR = r"(?:or\b|\|\|?)"
IN = r"(?:in\b|∈)"
QUOTE_SIGNS = "".join(QUOTES)  # for use within a class
QUOTE = f"[{QUOTE_SIGNS}]"
WORD = r"[^\W\d]\w*"
REFERENCE = r"(?:output|result|answer|value)_of_query[ _]?(\d{1,9})"
JOINING = r"(?:and|or|if|then|else|minus|plus|times|divided|multiplied|union|intersect|except|where|not)\b"
"""Words that make what follows a part of an expression, and no prose."""
