"""The delimiter of lines that several signs divide evenly.

``Alba;12,5`` below ``name;width, m`` has as many commas as semicolons. A sign before a blank is one of a
text, and a number with a comma is a value; a cell that is neither shows that its reading is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..values import read_value

EVEN_SHARE = 0.9
"""The share of rows as wide as the first, in a reading that may be right."""

_FEW, _MANY = 0.1, 0.5


def choose_delimiter(readings: Mapping[str, Sequence[Sequence[str]]]) -> tuple[str, ...]:
    """The signs that may divide the same lines, of which ``readings`` has one each.

    Several if the lines do not say which; none if at most one is even, or cells do not decide.
    """
    even = {sign: rows for sign, rows in readings.items() if _is_even(rows)}
    if len(even) < 2:
        return ()
    if "\t" in even:  # hardly a sign of a text
        return ("\t",)
    torn = {sign: _share_of_torn_rows(rows, [*even.keys() - {sign}]) for sign, rows in even.items()}
    whole = [sign for sign in even if torn[sign] <= _FEW]
    if len(whole) == 1:
        return (whole[0],)
    if not whole and min(torn.values()) > _MANY:
        return tuple(even)
    return ()


def _is_even(rows: Sequence[Sequence[str]]) -> bool:
    width = len(rows[0]) if rows else 0
    return width > 1 and sum(len(row) == width for row in rows) >= EVEN_SHARE * len(rows)


def _share_of_torn_rows(rows: Sequence[Sequence[str]], signs: Sequence[str]) -> float:
    return sum(any(_is_torn(cell, signs) for cell in row) for row in rows) / len(rows)


def _is_torn(cell: str, signs: Sequence[str]) -> bool:
    # Whether a cell has one of ``signs`` that divides it, rather than its text or number.
    dividing = [sign for sign in signs if cell.count(sign) > cell.count(f"{sign} ")]
    return bool(dividing) and read_value(cell) is None
