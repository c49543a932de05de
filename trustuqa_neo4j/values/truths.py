"""Words for yes and no, in the cells of a column and in a query.

A word alone says little: ``n`` is a direction, ``x`` a name, ``1`` a number. It is a truth where all cells of
its column are, and a query has one of the words that mean nothing else.
"""

from __future__ import annotations

from collections.abc import Collection

_YES = ("yes", "y", "true", "t", "ja", "j", "wahr", "oui", "vrai", "si", "sí")
_NO = ("no", "n", "false", "f", "nein", "falsch", "non", "faux")
_LETTER_PAIRS = (frozenset("yn"), frozenset("jn"), frozenset("tf"), frozenset("x"))
_CHECKED = ("x", "✓", "✔", "☑", "1")

TRUTHS = {
    **dict.fromkeys((*_YES, *_CHECKED), True),
    **dict.fromkeys((*_NO, "✗", "✘", "☐", "-", "–", "0"), False),
}
"""Texts of cells, in lower case, that say yes or no."""


def read_truth_word(text: str) -> bool | None:
    """Return the truth that ``text`` in a query means; None for marks, digits and any other text."""
    word = text.strip().casefold()
    return TRUTHS[word] if word in _YES or word in _NO else None


def read_truths(texts: Collection[str]) -> dict[str, bool] | None:
    """Return the truth of each text of a column; None if they are not all truths.

    An empty text says nothing. Beside a mark alone, such as ``x``, it says no. Letters of different pairs,
    such as ``x`` and ``y``, are names.
    """
    words = {text: text.strip().casefold() for text in texts}
    truths = {text: TRUTHS[word] for text, word in words.items() if word in TRUTHS}
    if not _has_consistent_letters({word for word in words.values() if word}):
        return None
    blank = [text for text, word in words.items() if not word]
    if not truths or len(truths) + len(blank) < len(words):
        return None
    is_mark = all(word in _CHECKED for word in words.values() if word)
    return truths | dict.fromkeys(blank if is_mark else (), False)


def _has_consistent_letters(words: Collection[str]) -> bool:
    letters = {word for word in words if word.isalpha() and len(word) == 1}
    if not letters:
        return True
    if "x" in letters:  # no second way to say yes
        return len(letters) == 1 and not any(TRUTHS.get(word) for word in words if word != "x")
    is_half = letters in ({"t"}, {"f"}) and len(words) == 1
    return not is_half and any(letters <= pair for pair in _LETTER_PAIRS)
