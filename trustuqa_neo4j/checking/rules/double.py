"""Rules 3 and 4: what two relations start from, or lead to, must be able to be the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..meetings import End, Side
from ..wording import end_in, kind, problem, start_of


def double_domain(inquiry: Inquiry) -> Iterator[Problem]:
    """One node at the start of two relations that nothing has both of."""
    return _double(inquiry, "start", "double domain", "is the start of {} and of {}", start_of)


def double_range(inquiry: Inquiry) -> Iterator[Problem]:
    """One node at the end of two relations that never lead to the same."""
    return _double(inquiry, "end", "double range", "is reached by {} and by {}", end_in)


def _double(
    inquiry: Inquiry, end: End, what: str, told: str, hint: Callable[[Inquiry, Side], str]
) -> Iterator[Problem]:
    for clash in inquiry.clashes:
        if clash.ends == (end, end):
            sides = (
                f"{m.asked.name} ({kind(inquiry, m.side)})" for m in (clash.earlier, clash.later)
            )
            message = (
                f"{inquiry.called(clash.variable)} {told.format(*sides)}, and nothing is both."
                f"{hint(inquiry, clash.earlier.side)}"
            )
            yield problem(what, message, clash.later)
