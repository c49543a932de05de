"""Texts that get no vector: codes, keys, addresses and coordinates, which have no words, and long texts.

``is_name`` judges one text. ``CodePatterns`` counts texts that differ only in digits: ``Customer 17``.
Few of them are names (``Apollo 11``), many of them are keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

MANY_NAMES = 100
"""So many names that differ only in digits are keys."""

MIN_CODE_DIGITS = 4
"""Shorter codes, such as ``B-52``, are often names of things."""

MAX_NAME_LENGTH = 200
"""Characters: a longer text is one to read. Few are so long, but they would take much of the time."""

_DIGITS = re.compile(r"\d+")
_NO_WORDS = re.compile(
    r"""(?: true | false
          | [a-z][a-z\d+.-]*://\S+ | (?:www\.|mailto:|urn:)\S+        # addresses
          | [^\s@]+@[^\s@]+\.[^\s@]+                                  # e-mail
          | \{?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\}?            # UUID
          | (?=\D*\d)(?:0x)?[\da-f]{16,}                              # hash
          | (?:srid=\d+;)?\s*(?:multi)?(?:point|linestring|polygon)(?:\s+[zm]{1,2})?\s*\(.*\d.*\)
        )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def has_meaning(name: str) -> bool:
    """True if the words of ``name`` say something: not for mostly digits, and not for addresses."""
    letters = sum(map(str.isalpha, name))
    digits = sum(map(str.isdecimal, name))
    if not letters or (digits >= MIN_CODE_DIGITS and digits > letters):
        return False
    return not _NO_WORDS.fullmatch(name.strip())


def is_name(text: str) -> bool:
    """True if people may name something by this text: it has a meaning, and is not long."""
    return len(text) <= MAX_NAME_LENGTH and has_meaning(text)


class CodePatterns:
    """Counts of names that differ only in digits."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._plain = 0

    def add(self, names: Iterable[str]) -> None:
        for name in names:
            if _DIGITS.search(name):
                self._counts[_DIGITS.sub("#", name)] += 1
            else:
                self._plain += 1

    def is_key(self, name: str) -> bool:
        """True if many of the added names differ from ``name`` only in digits."""
        if not _DIGITS.search(name):
            return False
        return self._counts[_DIGITS.sub("#", name)] >= MANY_NAMES

    def count_names(self) -> int:
        """The number of added names that are not keys."""
        return self._plain + sum(n for n in self._counts.values() if n < MANY_NAMES)
