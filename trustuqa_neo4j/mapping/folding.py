"""Names without what seldom counts: case, accents, quotes, punctuation.

Folded names are kept beside the names and indexed, so folding has to be one function for writing and for
asking; a change here asks for loading anew.
"""

from __future__ import annotations

import re
import unicodedata

FOLDED_LENGTH = 200
"""Folded names are cut to this many characters: an index entry holds some 8 kB at most."""

_APOSTROPHES = "'’‘‛`´΄᾽᾿ʹʻʼʽ′"
_DROPPED = re.compile(rf"[{_APOSTROPHES}]|(?<!\d)\.|\.(?!\d)")
_SEPARATOR = re.compile(r"(?:(?<!\d)[,.]|[,.](?!\d)|[\x00-+\-/:-@\[-`{-\x7f])+")
_NO_APOSTROPHES = str.maketrans("", "", _APOSTROPHES)
# Letters with a stroke, and ligatures: Unicode does not decompose them.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
)


def fold(name: str) -> str:
    """``name`` without case, accents, quotes and punctuation: ``Spider-Man`` is ``spider man``.

    A dot or comma between digits stays (``1.5`` is not ``15``); a name without letters and digits stays
    as it is, so no name but the empty one is folded to nothing. At most ``FOLDED_LENGTH`` characters.
    """
    if name.isascii() and name.replace(" ", "").isalnum():
        # Most names; nothing below would do more to them, in ten times the time.
        return " ".join(name.lower().split())[:FOLDED_LENGTH].rstrip()
    return _folded(name)


def _folded(name: str) -> str:
    lowered = name.casefold() if name.isascii() else _without_accents(name)
    folded = _SEPARATOR.sub(" ", _DROPPED.sub("", lowered)).strip()
    if not folded:
        return lowered[:FOLDED_LENGTH].strip() or name[:FOLDED_LENGTH]
    return folded[:FOLDED_LENGTH].rstrip(" ,.")


def _without_accents(name: str) -> str:
    """In lower case, accents and invisible signs dropped, signs that are no letters as spaces."""
    # Apostrophes first: decomposed, some are a space with an accent.
    decomposed = unicodedata.normalize("NFKD", name.translate(_NO_APOSTROPHES))
    kept = map(_plain, decomposed.casefold().translate(_PLAIN))
    return unicodedata.normalize("NFC", "".join(kept))


def _plain(sign: str) -> str:
    if sign.isascii() or sign.isalnum():
        return sign
    if not unicodedata.category(sign).startswith("M"):
        return "" if unicodedata.category(sign) == "Cf" else " "
    return "" if _is_accent(sign) else sign


def _is_accent(mark: str) -> bool:
    """Whether ``mark`` may be left out: accents, Hebrew and Arabic points, forms of emoji.

    Other marks are vowels, tones and voicing of their scripts; without them different Hindi, Thai or
    Japanese words would be one.
    """
    place = unicodedata.combining(mark)
    form = "VARIATION SELECTOR" in unicodedata.name(mark, "")
    return (
        place == 1
        or 10 <= place <= 36
        or place >= 200
        or form
        or unicodedata.category(mark) == "Me"
    )
