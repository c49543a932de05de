"""What the name of a column says about its cells, by the words in ``column_names.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])")


@cache
def _words() -> dict[str, frozenset[str]]:
    text = files("trustuqa_neo4j.values").joinpath("column_names.toml").read_text(encoding="utf-8")
    return {subject: frozenset(words) for subject, words in tomllib.loads(text).items()}


def _has_word(name: str, subject: str) -> bool:
    words = _WORD.findall(_CAMEL.sub(" ", name))
    return any(word.casefold() in _words()[subject] for word in words)


def names_year(name: str) -> bool:
    """Check for a name such as ``Year built``."""
    return _has_word(name, "year")


def names_end(name: str) -> bool:
    """Check for a name such as ``from``, which may be a year, or a page or an account."""
    return _has_word(name, "end")


def names_code(name: str) -> bool:
    """Check for a name such as ``order_no``."""
    return _has_word(name, "code")


def names_month(name: str) -> bool:
    """Check for a name such as ``Month``."""
    return _has_word(name, "month")


def names_day(name: str) -> bool:
    """Check for a name such as ``Birthday``."""
    return _has_word(name, "day")
