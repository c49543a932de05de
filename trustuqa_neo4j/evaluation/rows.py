"""Whether two tables hold the same rows, whatever their columns are called and in whatever order they stand.

Rows are compared as multisets under every way of laying columns of one beside columns of the other. Trying
all permutations was the alternative: ten columns have 3.6 million, while columns that do not hold the same
values, and rows that disagree in the first few columns, end most ways at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence, Set
from decimal import Decimal
from typing import Literal, TypeAlias

from ..answer import Value

Cell: TypeAlias = Value | None
Rows: TypeAlias = Sequence[Sequence[Cell]]
Likeness: TypeAlias = Literal["same", "extra columns", "missing columns", "overlap", "other"]
"""``extra columns``: all that are wanted, and more; ``missing columns``: fewer, and all of them wanted;
``overlap``: at least half of those wanted, and others."""

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?")
_NEAR = Decimal("1e-9")
"""Numbers whose distance is no larger, by their size, are one, as quotients are told with 12 digits or 17.
Of whole numbers each is itself: they may be the numbers of policies."""

_Columns: TypeAlias = list[tuple[Hashable, ...]]


def likeness(wanted: Rows, given: Rows) -> Likeness:
    """How the rows that are given are like those that are wanted; no rows are like no rows alone."""
    if not wanted or not given:
        return "other" if wanted or given else "same"
    if len(wanted) != len(given):
        return "other"
    left, right = _columns(wanted, given)
    if len(left) <= len(right) and _laid(left, right, 0):
        return "same" if len(left) == len(right) else "extra columns"
    if len(right) < len(left) and _laid(right, left, 0):
        return "missing columns"
    return "overlap" if _laid(left, right, len(left) // 2) else "other"


def _laid(left: _Columns, right: _Columns, spare: int) -> bool:
    """Whether all columns of ``left`` but ``spare`` can lie beside some of ``right``, rows agreeing."""
    alike = [
        [at for at, other in enumerate(right) if Counter(other) == Counter(own)] for own in left
    ]
    # Those with the fewest ways first; a column that has none is spared at once.
    order = sorted(range(len(left)), key=lambda at: len(alike[at]))

    def lay(number: int, spare: int, taken: tuple[tuple[int, int], ...]) -> bool:
        if number == len(order):
            return True
        for there in alike[order[number]]:
            pairs = (*taken, (order[number], there))
            used = any(there == other for _, other in taken)
            if not used and _agree(left, right, pairs) and lay(number + 1, spare, pairs):
                return True
        return spare > 0 and lay(number + 1, spare - 1, taken)

    return lay(0, spare, ())


def _agree(left: _Columns, right: _Columns, pairs: Sequence[tuple[int, int]]) -> bool:
    rows = zip(*(left[here] for here, _ in pairs), strict=True)
    others = zip(*(right[there] for _, there in pairs), strict=True)
    return Counter(rows) == Counter(others)


def _columns(wanted: Rows, given: Rows) -> tuple[_Columns, _Columns]:
    """The columns of both, cells as what can be compared: near numbers of the two are one number."""
    read = [[[_read(cell) for cell in row] for row in rows] for rows in (wanted, given)]
    one = _one({cell for rows in read for row in rows for cell in row})
    left, right = (
        list(zip(*([one.get(cell, cell) for cell in row] for row in rows), strict=True))
        for rows in read
    )
    return left, right


def _one(cells: Set[Hashable]) -> Mapping[Hashable, Decimal]:
    """For each number that is not whole, the number that it is taken for."""
    one: dict[Hashable, Decimal] = {}
    last: Decimal | None = None
    for number in sorted(cell for cell in cells if isinstance(cell, Decimal)):
        whole = number.to_integral_value()
        if number == whole:
            continue
        near = _NEAR * max(abs(number), Decimal(1))
        if abs(number - whole) <= near:
            one[number] = whole
        else:
            last = last if last is not None and number - last <= near else number
            one[number] = last
    return one


def _read(cell: Cell) -> Hashable:
    """A number or a day as such, also where it is written as text; an id with leading noughts is text."""
    if cell is None:
        return None
    if not isinstance(cell, str):
        return Decimal(str(cell))
    text = cell.strip()
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    midnight = _MIDNIGHT.fullmatch(text)
    return midnight[1] if midnight else text
