"""Which columns say when a fact held, by their names."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

When: TypeAlias = Literal["start", "end", "time"]

_OF = r"(?: ?(?:time|date|year))?"
_NAMES: tuple[tuple[When, re.Pattern[str]], ...] = (
    ("start", re.compile(rf"(?:valid )?(?:start|begin|beginning|from|since){_OF}")),
    ("end", re.compile(rf"(?:valid )?(?:end|finish|to|until|till){_OF}")),
    ("time", re.compile(r"time|date|year|when|timestamp|point in time")),
)


def when(name: str) -> When | None:
    """Which end of the time the column ``name`` says, ``time`` for both; None for another column."""
    plain = re.sub(r"[\s_-]+", " ", name).strip().casefold()
    return next((role for role, names in _NAMES if names.fullmatch(plain)), None)
