"""What tokens cost, as the user says: lists of prices are out of date before they are published."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import BadSettings


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, read and written, in any currency."""

    read: float
    written: float

    @classmethod
    def of(cls, text: str) -> Prices:
        """From ``0.25/2``.

        Raises:
            BadSettings: that is no pair of numbers.
        """
        try:
            read, written = (float(part) for part in text.split("/"))
            if min(read, written) < 0 or not math.isfinite(read + written):
                raise ValueError(text)
        except ValueError as error:
            raise BadSettings(
                f"{text!r} are no prices",
                where="TUQA_LLM_PRICES",
                hint="write what a million tokens cost, read and written, as 0.25/2",
            ) from error
        return cls(read, written)

    def cost(self, read: int, written: int) -> float:
        """What so many tokens cost."""
        return (read * self.read + written * self.written) / 1_000_000
