"""Denotation accuracy as the evaluator of WikiTableQuestions documents it.

An answer is right when it has as many distinct values as the label and each of the label's finds a match.
Two match when their normalised texts are equal, or both are numbers and hardly differ, or both are dates
and equal. Values are read strictly, as that evaluator does (``1,234`` is a text there); labels are read as
its tagged data gives them, with separators of thousands, since the untagged data gives them as written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ..answer import Value
from .metrics import spelled

_NEARLY = 1e-6
_QUOTES = str.maketrans({**dict.fromkeys("‘’´`", "'"), **dict.fromkeys("“”", '"')})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_MARKS = "•♦†‡*#+"
"""Signs that point to a footnote."""

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DATE = re.compile(r"(xx|xxxx|\d{1,9})-(xx|\d{1,2})-(xx|\d{1,2})", re.IGNORECASE | re.ASCII)
_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Denotation:
    """One value: its normalised text, and the number or the date (year, month, day) it is, if any."""

    text: str
    number: float | None = None
    date: tuple[int, int, int] | None = None

    def matches(self, other: Denotation) -> bool:
        """Whether both mean the same."""
        if self.text == other.text:
            return True
        if self.number is not None and other.number is not None:
            return abs(self.number - other.number) < _NEARLY
        return self.date is not None and self.date == other.date


def right(labels: Sequence[str], values: Sequence[Value]) -> bool:
    """Whether ``values`` are what ``labels`` ask for, in any order."""
    wanted = _distinct([denotation(label, separators=True) for label in labels])
    given = _distinct([denotation(spelled(value)) for value in values])
    return len(wanted) == len(given) and all(any(w.matches(g) for g in given) for w in wanted)


def denotation(text: str, *, separators: bool = False) -> Denotation:
    """What ``text`` means; with ``separators`` ``1,234`` is a number too."""
    plain = text.strip()
    if separators and _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    if _NUMBER.fullmatch(plain):
        number = float(plain)
        # Beyond what a float can say it is a text of digits, as inf and nan are texts.
        return Denotation(normalised(text), number if abs(number) != float("inf") else None)
    year, month, day = _read_date(plain)
    if month != _UNKNOWN or day != _UNKNOWN:
        return Denotation(normalised(text), date=(year, month, day))
    return Denotation(normalised(text), None if year == _UNKNOWN else float(year))


def normalised(text: str) -> str:
    """``text`` in lower case without accents, typographic signs, and remarks at its end.

    Taken away are, as often as they stand there: footnote marks, ``[…]`` behind something, ``[7]``, a
    remark in parentheses behind a space, and quotes around all of it; then one full stop.
    """
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    kept = _without_remarks(plain.translate(_QUOTES).translate(_DASHES))
    return " ".join(kept.removesuffix(".").split()).lower()


def _without_remarks(text: str) -> str:
    """Goes back from the end by positions, so that each sign is looked at a few times at most."""
    start, end = 0, len(text)
    inner_quote = text.find(
        '"', text.find('"') + 1
    )  # the second quote; the first may open the text
    while True:
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start == end:
            return ""
        last = text[end - 1]
        cut = end
        if last in _MARKS:
            cut = end - 1
        elif last == "]":
            cut = _citation(text, start, end)
        elif last == ")":
            cut = _remark(text, start, end)
        elif last == '"' and text[start] == '"' and start < end - 1 == inner_quote:
            start, cut = start + 1, end - 1
        if cut == end:
            return text[start:end]
        end = cut


def _citation(text: str, start: int, end: int) -> int:
    """Where the brackets that end the text begin; ``end`` where they are the text, and no number."""
    opening = text.find("[", text.rfind("]", start, end - 1) + 1 or start, end)
    if opening == start and not text[opening + 1 : end - 1].isdecimal():
        opening = text.find("[", start + 1, end)
    return end if opening < 0 else opening


def _remark(text: str, start: int, end: int) -> int:
    """Where the parentheses that end the text begin, their space included; ``end`` without a space."""
    opening = text.find(" (", text.rfind(")", start, end - 1) + 1 or start, end)
    return end if opening < 0 else opening


def _read_date(text: str) -> tuple[int, int, int]:
    """Year, month and day of ``yyyy-mm-dd``, with -1 for ``xx``; all -1 where it is none."""
    found = _DATE.fullmatch(text)
    if found is None:
        return _UNKNOWN, _UNKNOWN, _UNKNOWN
    year, month, day = (_UNKNOWN if "x" in part.lower() else int(part) for part in found.groups())
    if month in (_UNKNOWN, *range(1, 13)) and day in (_UNKNOWN, *range(1, 32)):
        return year, month, day
    return _UNKNOWN, _UNKNOWN, _UNKNOWN


def _distinct(denotations: Sequence[Denotation]) -> list[Denotation]:
    by_key = {
        (d.date, d.number) if d.date or d.number is not None else d.text: d for d in denotations
    }
    return list(by_key.values())
