"""Rule 9: a relation that fits only the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..meetings import Side


def direction(inquiry: Inquiry) -> Iterator[Problem]:
    """Relations whose two ends have to be exchanged."""
    for fact in inquiry.turned:
        asked = inquiry.pattern.ends_of(fact)[0]
        name = inquiry.read(asked.name) or asked.name
        start, end = (inquiry.vocabulary.kind(Side(which, name)) for which in ("start", "end"))
        if start and end:
            told = f"{asked.name} leads from {start} to {end}, and is asked the wrong way round"
        else:
            told = f"{asked.name} is asked the wrong way round: what is to be its end is only ever its start"
        message = f"{told}; exchange head_entity and tail_entity (in a path, {asked.name} and ^{asked.name})."
        yield Problem("direction", message, asked.step, asked.position)
