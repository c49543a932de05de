"""Rule 14: what is probably not meant, and yet may be right."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry, Met


def unused(inquiry: Inquiry) -> Iterator[Problem]:
    """Steps that nobody uses."""
    for step in inquiry.pattern.unused:
        message = f"neither a later step nor the answer uses output_of_query{step}"
        yield Problem("unused step", message, step, None, "warning")


def seldom(inquiry: Inquiry) -> Iterator[Problem]:
    """Joins of ends that share next to nothing, which things of the same name may explain."""
    for pair, shared in inquiry.hardly:
        one, other = pair.earlier, pair.later
        message = (
            f"of what {_told(one)} and what {_told(other)} only {shared:,} are the same, which may "
            "be different things of one name"
        )
        place = (other.asked.step, other.asked.position)
        yield Problem("hardly ever", message, *place, "warning")


def _told(met: Met) -> str:
    if met.side.end == "class":
        return f"is a {met.asked.name}"
    return f"{met.asked.name} {'starts from' if met.side.end == 'start' else 'leads to'}"


def merged(inquiry: Inquiry) -> Iterator[Problem]:
    """Sums and means of sets, in which equal values count once."""
    for used in inquiry.pattern.merged:
        message = (
            f"{used.function} of a set: equal values are one in it and count once; "
            "take the bag that get_information gives if each is to count"
        )
        yield Problem("merged values", message, used.step, used.position, "warning")
