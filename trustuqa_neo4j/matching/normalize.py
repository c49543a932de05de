"""Names without case, accents, quotes and punctuation.

The database keeps normalized names (property ``folded``) beside the names, so loading and querying must use
the same function: after a change here all data must be loaded again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MAX_NORMALIZED_LENGTH = 200
"""Normalized names are cut to this length: an index entry holds about 8 kB at most."""

_APOSTROPHES = "'’‘‛`´΄᾽᾿ʹʻʼʽ′"
_DROPPED = re.compile(rf"[{_APOSTROPHES}]|(?<!\d)\.|\.(?!\d)")
_SEPARATOR = re.compile(r"(?:(?<!\d)[,.]|[,.](?!\d)|[\x00-+\-/:-@\[-`{-\x7f])+")
_NO_APOSTROPHES = str.maketrans("", "", _APOSTROPHES)
_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
# Unicode does not decompose letters with a stroke and ligatures.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
)


def normalize_name(name: str, limit: int | None = MAX_NORMALIZED_LENGTH) -> str:
    """``name`` without case, accents, quotes and punctuation: ``Spider-Man`` becomes ``spider man``.

    A dot or comma between digits stays (``1.5`` is not ``15``). A name without letters and digits stays as
    it is. The result has at most ``limit`` characters.
    """
    if name.isascii() and name.replace(" ", "").isalnum():
        # Fast path for most names: the general path gives the same in ten times the time.
        return " ".join(name.lower().split())[:limit].rstrip()
    return _normalize_any(name, limit)


def split_words(name: str, limit: int | None = MAX_NORMALIZED_LENGTH) -> list[str]:
    """The normalized words of ``name``, also of ``playsFor`` and ``plays_for``; ``limit`` in characters."""
    return normalize_name(_WORD_BOUNDARY.sub(" ", name), limit).split()


def _normalize_any(name: str, limit: int | None = MAX_NORMALIZED_LENGTH) -> str:
    lowered = name.casefold() if name.isascii() else _without_accents(name)
    normalized = _SEPARATOR.sub(" ", _DROPPED.sub("", lowered)).strip()
    if not normalized:
        return lowered[:limit].strip() or name[:limit]
    return normalized[:limit].rstrip(" ,.")


def _without_accents(name: str) -> str:
    """``name`` in lower case, without accents and invisible characters, with spaces for other signs."""
    # Apostrophes first: some decompose into a space with an accent.
    decomposed = unicodedata.normalize("NFKD", name.translate(_NO_APOSTROPHES))
    characters = map(_remove_accent, decomposed.casefold().translate(_PLAIN))
    return unicodedata.normalize("NFC", "".join(characters))


def _remove_accent(character: str) -> str:
    if character.isascii() or character.isalnum():
        return character
    if not unicodedata.category(character).startswith("M"):
        return "" if unicodedata.category(character) == "Cf" else " "
    return "" if _is_accent(character) else character


def _is_accent(mark: str) -> bool:
    """Recognize an accent, a Hebrew or Arabic point, or a variation selector.

    Other marks are vowels, tones and voicing: without them different Hindi, Thai or Japanese words would be
    the same.
    """
    combining_class = unicodedata.combining(mark)
    return (
        combining_class == 1
        or 10 <= combining_class <= 36
        or combining_class >= 200
        or "VARIATION SELECTOR" in unicodedata.name(mark, "")
        or unicodedata.category(mark) == "Me"
    )


def number_repeats(names: Iterable[str]) -> list[str]:
    """Give a name that repeats a number: ``total``, ``total_2``."""
    numbered: list[str] = []
    for base in names:
        name, number = base, 2
        while name in numbered:
            name, number = f"{base}_{number}", number + 1
        numbered.append(name)
    return numbered
