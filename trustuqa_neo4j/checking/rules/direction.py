"""Rule 9: a relation that fits only the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..meetings import Side
from ..wording import kind


def direction(inquiry: Inquiry) -> Iterator[Problem]:
    """Relations whose two ends have to be exchanged."""
    for fact in inquiry.turned:
        asked = inquiry.pattern.ends_of(fact)[0]
        name = inquiry.read(asked.name) or asked.name
        start, end = (kind(inquiry, Side(which, name)) for which in ("start", "end"))
        message = (
            f"{asked.name} leads from {start} to {end}, and is asked the wrong way round: write it "
            f"the other way, with what stands for {start} as head_entity and what stands for {end} "
            f"as tail_entity (in a path: ^{asked.name} walks it backwards, {asked.name} forwards)."
        )
        yield Problem("direction", message, asked.step, asked.position)
