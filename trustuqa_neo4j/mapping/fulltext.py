"""A name or question → what a full-text index is asked, in Lucene's language, for what has like words.

Each word of a name may differ by letters (``~``), two may be one and one two. What came from outside is
either bare letters and digits in lower case, which Lucene takes for a word, or quoted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .folding import FOLDED_LENGTH, fold

_MOST = 8
"""Words that are looked for, the longest: each fuzzy one stands for up to fifty."""
_SPOKEN = 60
"""Words of a question that are looked for, the first."""
_ASKED = 1_000
"""Letters of a question that are looked at."""
_SPLIT = range(5, 17)
"""Letters of a word that may be two words."""

_WORD = re.compile(r"[^\W_]+")


def like(given: str, datasets: Sequence[str]) -> str:
    """The query for names like ``given`` in ``datasets``; empty where it has neither letter nor digit."""
    given = given[:FOLDED_LENGTH].encode("utf-8", "replace").decode()  # half a pair is no text
    words = _longest(_WORD.findall(given.lower()))
    if not words:
        return ""
    parts = dict.fromkeys(
        [
            _quoted(given),
            *(_fuzzy(word) for word in words),
            *(_fuzzy(word) for word in fold(given).split()[:_MOST]),
            *(_fuzzy(one + other) for one, other in pairwise(words)),
            *(part for word in words for part in _pieces(word)),
        ]
    )
    return f"+name:({' '.join(parts)}) {_inside(datasets)}"


def worded(question: str, datasets: Sequence[str]) -> str:
    """The query for patterns in ``datasets`` in words of ``question``; empty where it has none.

    The longer words may differ by a letter. Those of scripts without spaces are also asked for as they are,
    which the index takes apart sign by sign.
    """
    text = question[:_ASKED].encode("utf-8", "replace").decode().lower()
    words = [*dict.fromkeys(_WORD.findall(text))][:_SPOKEN]
    if not words:
        return ""
    parts = [word if len(word) < 5 else f"{word}~1" for word in words]
    parts += [word for word in words if len(word) > 4 and unicodedata.category(word[0]) == "Lo"]
    return f"+words:({' '.join(parts)}) {_inside(datasets)}"


def _inside(datasets: Sequence[str]) -> str:
    """Weightless: which dataset it is says nothing about how near a text is."""
    return f"+dataset:({' '.join(map(_quoted, datasets))})^0"


def _longest(words: list[str]) -> list[str]:
    """The longest words, in the order in which they stand."""
    chosen = sorted(range(len(words)), key=lambda place: -len(words[place]))[:_MOST]
    return [words[place] for place in sorted(chosen)]


def _fuzzy(word: str) -> str:
    """The word with as many letters changed as leave it recognisable."""
    return word if len(word) < 3 else f"{word}~1" if len(word) < 6 else f"{word}~2"


def _pieces(word: str) -> Iterator[str]:
    """The word as two, or as single signs where its script leaves no spaces and is indexed by sign.

    A letter may stand where the space was.
    """
    if unicodedata.category(word[0]) == "Lo":
        yield from word[:_MOST]
    elif len(word) in _SPLIT:
        for cut in range(2, len(word) - 1):
            yield f"(+{word[:cut]} +({word[cut:]} {word[cut + 1 :]}))"


def _quoted(text: str) -> str:
    r"""A phrase: nothing in it means anything to Lucene but ``\`` and ``"``."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
