"""Whether a cell passes a test: equality of nodes, values and texts; order; extremes.

Order comparisons never fall back to the alphabet: a cell that is no number or date is skipped and counted,
and where none can be read the relation is text, which is a problem and no empty answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..language.selectors import EXTREMES as EXTREMES
from ..language.selectors import MOST as MOST
from ..mapping import fold
from ..values import Value, comparable, compare, measure, recurs
from .results import Cell, Refused

ORDER = frozenset(("<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Kept:
    """Places of the cells that pass, and how many could not be compared."""

    places: list[int]
    skipped: int = 0


def equal(cell: Cell, other: Cell) -> bool:
    """Whether both are the same node, the same number or date, or the same text but for its writing."""
    if cell.node is not None and cell.node == other.node:
        return True
    if cell.value is not None and other.value is not None:
        same = compare(cell.value, "=", other.value)
        if same is None and (recurs(cell.value, other.value) or recurs(other.value, cell.value)):
            return True  # 5 March of some year is 5 March
        # What cannot be compared, dollars and euros, is the same only if it is written the same.
        return cell.text == other.text if same is None else same
    return cell.text == other.text or fold(cell.text) == fold(other.text)


def keep(cells: Sequence[Cell], operator: str, bounds: Sequence[Cell], position: int) -> Kept:
    """The cells that stand in ``operator`` to any of ``bounds``; for an order, to the decisive one.

    Raises:
        Refused: a bound is no number or date, or no cell is.
    """
    if operator == "=":
        return Kept([i for i, cell in enumerate(cells) if any(equal(cell, b) for b in bounds)])
    if operator == "!=":
        return Kept([i for i, cell in enumerate(cells) if not any(equal(cell, b) for b in bounds)])
    bound = decisive(operator, bounds, position)
    if bound is None:
        return Kept([])
    bound = _of_season(bound, cells)
    found: list[int] = []
    skipped = 0
    for place, cell in enumerate(cells):
        holds = None if cell.value is None else compare(cell.value, operator, bound)
        if holds is None:
            skipped += 1
        elif holds:
            found.append(place)
    if cells and skipped == len(cells):
        seen = next((cell.text for cell in cells if cell.text), "")
        raise Refused(
            "not comparable",
            f"none of {len(cells)} values, such as {seen[:60]!r}, can be compared with "
            f"{_shown(bounds)} by {operator}",
            position,
        )
    return Kept(found, skipped)


def selected(cells: Sequence[Cell], operator: str, bounds: Sequence[Cell], position: int) -> Kept:
    """As ``keep``; a word that selects (``highest``, ``most``) does, whatever the operator.

    Unless a cell is called so.

    Raises:
        Refused: as ``keep``; an extreme of what is no number and no date.
    """
    word = bounds[0].text.strip().casefold() if len(bounds) == 1 and bounds[0].node is None else ""
    called = any(fold(cell.text) == word for cell in cells)
    if called or (word not in MOST and word not in EXTREMES):
        return keep(cells, operator, bounds, position)
    if word in MOST:
        there = [place for place, cell in enumerate(cells) if not cell.missing]
        places = frequent([cells[place].identity for place in there], MOST[word])
        return Kept([there[place] for place in places])
    read = sum(cell.value is not None for cell in cells)
    if cells and not read:
        seen = next((cell.text for cell in cells if cell.text), "")
        message = f"{word} needs numbers or dates, and {seen[:60]!r} is none"
        raise Refused("not comparable", message, position)
    return Kept(extremes(cells, EXTREMES[word])[0], len(cells) - read)


_YEAR = 10_000  # in days as values count them


def _of_season(bound: Value, cells: Sequence[Cell]) -> Value:
    """A day without a year as the one that the days of ``cells`` are about, where these span no year."""
    if bound.start is None or bound.end is None or not 0 < bound.start < _YEAR:
        return bound
    days = [c.value.start for c in cells if c.value is not None and c.value.start is not None]
    if not days or min(days) < _YEAR or max(days) - min(days) >= _YEAR:
        return bound
    first, last = min(days), max(days)
    starts = [year * _YEAR + bound.start for year in {first // _YEAR, last // _YEAR}]
    start = min(starts, key=lambda day: max(first - day, day - last, 0))
    return Value(None, None, start, start + bound.end - bound.start)


def _shown(bounds: Sequence[Cell]) -> str:
    return repr(bounds[0].text[:60])


def decisive(operator: str, bounds: Sequence[Cell], position: int) -> Value | None:
    """The one of several bounds that decides: ``<`` takes the least, ``>`` the greatest.

    Raises:
        Refused: none of them is a number or date.
    """
    values = [bound.value for bound in bounds if bound.value is not None]
    if not bounds:
        return None
    if not values:
        message = f"{operator} needs a number or a date, and {_shown(bounds)} is text"
        raise Refused("not comparable", message, position)
    ordered = sorted(values, key=order_of(values))
    return ordered[0] if operator in ("<", "<=") else ordered[-1]


def order_of(values: Sequence[Value]) -> Callable[[Value], tuple[float, float]]:
    """How values are sorted: by number unless more are dates (a bare year is both)."""
    if _by_number(values):
        return lambda v: (0, measure(v.number, v.unit)[1]) if v.number is not None else (-1, 0)
    return lambda v: (v.start, v.end or v.start) if v.start is not None else (float("-inf"), 0)


def _by_number(values: Sequence[Value]) -> bool:
    numbers = sum(value.number is not None for value in values)
    return numbers >= sum(value.start is not None for value in values)


def extremes(cells: Sequence[Cell], upper: bool) -> tuple[list[int], str | None]:
    """Places of the cells with the greatest (``upper``) or least value, ties kept; and a warning.

    Numbers unless more of what can be read are dates; over text alone the alphabet.
    """
    read = [(place, cell.value) for place, cell in enumerate(cells) if cell.value is not None]
    if not read:
        texts = [(place, cell.text) for place, cell in enumerate(cells) if cell.text]
        if not texts:
            return [], None
        return _by_alphabet(texts, upper), "of text: by the alphabet"
    values = [value for _, value in read]
    key, by_number = order_of(values), _by_number(values)
    usable = [
        (place, key(v)) for place, v in read if (v.number if by_number else v.start) is not None
    ]
    best_key = (max if upper else min)(k for _, k in usable)
    skipped = len(cells) - len(usable)
    warning = f"{skipped} of {len(cells)} could not be compared" if skipped else None
    return [place for place, k in usable if k == best_key], warning


_DIGITS = re.compile(r"(\d+(?:\.\d+)?)")


def _by_alphabet(texts: Sequence[tuple[int, str]], upper: bool) -> list[int]:
    """Places of the last (``upper``) or first text, numbers within by what they say: ``9-1``, ``10-2``.

    Where many hold numbers, those without are out of it.
    """
    telling = [(place, text) for place, text in texts if _DIGITS.search(text)]
    if len(telling) * 3 >= len(texts):
        texts = telling
    keys = [(place, _alphabetical(text)) for place, text in texts]
    best = (max if upper else min)(key for _, key in keys)
    return [place for place, key in keys if key == best]


def _alphabetical(text: str) -> tuple[tuple[float, str], ...]:
    parts = _DIGITS.split(fold(text))
    # Every second part is a number; words come behind numbers, and are compared among themselves.
    return tuple(
        (float(part), "") if place % 2 else (float("inf"), part)
        for place, part in enumerate(parts)
        if part
    )


def frequent(identities: Sequence[object], most: bool) -> list[int]:
    """Places of the members that occur most (or least) often, ties kept."""
    counted = Counter(identities)
    if not counted:
        return []
    wanted = (max if most else min)(counted.values())
    return [place for place, identity in enumerate(identities) if counted[identity] == wanted]


def holding(cells: Sequence[Cell], bound: Cell) -> list[int]:
    """Places of the cells that hold a number or date as a word of their own: ``2007`` in ``2007–08``.

    Likewise a range that begins or ends with a date, however it is written. What is itself a number is none
    of them: ``(1,250)`` holds 1,250 and is something else.
    """
    if bound.value is None:
        return []
    pattern = re.compile(
        rf"(?<![\w.,]){re.escape(bound.text.strip())}(?![\w]|[.,]\d)", re.IGNORECASE
    )
    return [
        place
        for place, cell in enumerate(cells)
        if (cell.value is None or comparable(cell.value, bound.value) != "number")
        and (pattern.search(cell.text) or _ends_with(cell.value, bound.value))
    ]


def _ends_with(value: Value | None, bound: Value) -> bool:
    """Whether the days of a range begin or end with the one that ``bound`` is."""
    if value is None or value.start is None or value.end is None:
        return False
    return bound.start is not None and bound.start == bound.end in (value.start, value.end)


_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip


def month_of(text: str) -> int | None:
    """Which month ``text`` names, if it names nothing else."""
    word = text.strip().casefold().rstrip(".")
    found = [n for n, month in enumerate(_MONTHS, 1) if word in (month, month[:3])]
    return found[0] if found else None


def in_month(cells: Sequence[Cell], month: int) -> list[int]:
    """Places of the cells that are days of a month, of whatever year, or hold its name."""
    name = _MONTHS[month - 1]
    pattern = re.compile(rf"\b(?:{name}|{name[:3]})\b", re.IGNORECASE)
    return [
        place
        for place, cell in enumerate(cells)
        if (_month(cell.value) == month if cell.value is not None else pattern.search(cell.text))
    ]


def _month(value: Value) -> int | None:
    """The only month that the days of a value are in."""
    if value.start is None or value.end is None or value.start // 100 != value.end // 100:
        return None
    return value.start // 100 % 100


_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_PLACE = re.compile(r"(.*?)\s+(?:place|position|rank)", re.IGNORECASE)


_CARDINALS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


def spoken(text: str) -> str:
    """A number in words: ``first`` and ``1st place`` are 1, ``none`` is 0; anything else as it is."""
    bare = _PLACE.fullmatch(text.strip())
    word = (bare[1] if bare else text).strip().casefold()
    if word in _ORDINALS:
        return str(_ORDINALS.index(word) + 1)
    if word in _CARDINALS:
        return str(_CARDINALS.index(word))
    return word if bare and word[:1].isdigit() else text
