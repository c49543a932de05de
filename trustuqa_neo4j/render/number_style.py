"""``NumberStyle``: computed numbers as text, with the decimals and the unit of the cells they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import floor, log10

_NUMBER = re.compile(r"[+-]?([^\d+(-]*?)[+-]?\d[\d,]*(?:\.(\d+))?([^\d)]*)")
_COMMAS = re.compile(r"\d,\d{3}(?!\d)")
_DECIMAL_COMMA = re.compile(r",(\d{1,2}|\d{4,})(?![\d,])")
_TO_POINT = str.maketrans({".": "", ",": "."})
_DIGITS = 3  # significant ones that are shown at least
_MAX_DECIMALS = 4  # of numbers of which it is not known what they come from
_LARGEST = 1e15  # above it, and below its inverse, numbers are shown as Python writes them


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written: what stands around them, their decimals, and commas between thousands.

    The decimals are None if it is not known what the numbers come from.
    """

    before: str = ""
    after: str = ""
    decimals: int | None = None
    has_commas: bool = False

    def format(self, number: float) -> str:
        """Write a number, rounded to its decimals, but with at least three significant digits."""
        size = abs(number)
        commas = "," if self.has_commas else ""
        if size >= _LARGEST or 0 < size < 1 / _LARGEST or number != number:
            shown = str(size)
        elif size == int(size):
            shown = f"{int(size):{commas}}"
        else:
            exact, decimals = Decimal(repr(size)), self.decimals or 0
            places = max(decimals, _DIGITS - 1 - floor(log10(size)), 1)
            if self.decimals is None:
                own = -int(exact.as_tuple().exponent)
                places = own if own <= _MAX_DECIMALS else max(places, 2)
            rounded = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
            whole, _, rest = f"{rounded:{commas}f}".partition(".")
            rest = rest[:decimals] + rest[decimals:].rstrip("0")
            shown = f"{whole}.{rest}" if rest else whole
        return f"{'-' if number < 0 else ''}{self.before}{shown}{self.after}"


PLAIN = NumberStyle()


def find_style(cells: Sequence[str], *, are_all: bool = True) -> NumberStyle:
    """Find the style of numbers computed from ``cells``: their sign of money or unit, if all have it.

    Unless they are all cells, others may have more decimals.
    """
    if any(map(_DECIMAL_COMMA.search, cells)):  # *1.250,50*
        cells = [text.translate(_TO_POINT) for text in cells]
    matches = [_NUMBER.fullmatch(text.strip()) for text in cells]
    if not any(matches):
        return PLAIN
    units = {(match[1], match[3]) for match in matches if match}
    before, after = units.pop() if len(units) == 1 and None not in matches else ("", "")
    decimals = max(len(match[2] or "") for match in matches if match) if are_all else None
    return NumberStyle(before, after, decimals, any(map(_COMMAS.search, cells)))
