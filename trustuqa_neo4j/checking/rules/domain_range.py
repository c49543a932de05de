"""Rule 5: a relation must start from what the one before it leads to."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..wording import kind, problem, start_of


def domain_range(inquiry: Inquiry) -> Iterator[Problem]:
    """A relation walked on from where another leads, that does not start there."""
    for clash in inquiry.clashes:
        if clash.ends == ("end", "start"):
            start, end = sorted((clash.earlier, clash.later), key=lambda m: m.side.end != "start")
            way = inquiry.vocabulary.way(end.side, start.side)
            hint = start_of(inquiry, end.side)
            if way:
                walked = " > ".join((end.asked.name, *way, start.asked.name))
                hint = f" From the one to the other leads {' > '.join(way)}: {walked}."
            message = (
                f"{end.asked.name} leads to {kind(inquiry, end.side)}, but {start.asked.name} "
                f"starts from {kind(inquiry, start.side)}, and nothing is both.{hint}"
            )
            yield problem("domain-range", message, clash.later)
