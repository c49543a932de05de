"""Whether a cell passes a test: equality of nodes, values and texts; order; extremes.

Order comparisons never fall back to the alphabet: a cell that is no number or date is skipped and counted,
and where none can be read the relation is text, which is a problem and no empty answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..mapping import fold
from ..values import Value, comparable, compare, measure, recurs
from .results import Cell, Refused

MOST = {"most": True, "least": False}
EXTREMES = {
    "highest": True, "max": True, "maximum": True, "largest": True, "latest": True,
    "lowest": False, "min": False, "minimum": False, "smallest": False, "earliest": False,
}  # fmt: skip
"""Words that select instead of naming, and whether they mean the upper end."""

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
        if same is None and recurs(cell.value, other.value):
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
        best = (max if upper else min)(fold(text) for _, text in texts)
        return [p for p, text in texts if fold(text) == best], "of text: by the alphabet"
    values = [value for _, value in read]
    key, by_number = order_of(values), _by_number(values)
    usable = [
        (place, key(v)) for place, v in read if (v.number if by_number else v.start) is not None
    ]
    best_key = (max if upper else min)(k for _, k in usable)
    skipped = len(cells) - len(usable)
    warning = f"{skipped} of {len(cells)} could not be compared" if skipped else None
    return [place for place, k in usable if k == best_key], warning


def frequent(identities: Sequence[object], most: bool) -> list[int]:
    """Places of the members that occur most (or least) often, ties kept."""
    counted = Counter(identities)
    if not counted:
        return []
    wanted = (max if most else min)(counted.values())
    return [place for place, identity in enumerate(identities) if counted[identity] == wanted]


def holding(cells: Sequence[Cell], bound: Cell) -> list[int]:
    """Places of the cells that hold a number or date as a word of their own: ``2007`` in ``2007–08``.

    What is itself a number is none of them: ``(1,250)`` holds 1,250 and is something else.
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
        and pattern.search(cell.text)
    ]
