"""Rule 14: what is probably not meant, and yet may be right."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry


def unused(inquiry: Inquiry) -> Iterator[Problem]:
    """Steps that nobody uses."""
    for step in inquiry.pattern.unused:
        message = f"neither a later step nor the answer uses output_of_query{step}"
        yield Problem("unused step", message, step, None, "warning")


def merged(inquiry: Inquiry) -> Iterator[Problem]:
    """Sums and means of sets, in which equal values count once."""
    for used in inquiry.pattern.merged:
        message = (
            f"{used.function} of a set: equal values are one in it and count once; "
            "take the bag that get_information gives if each is to count"
        )
        yield Problem("merged values", message, used.step, used.position, "warning")
