"""Rules 3 and 4: what two relations start from, or lead to, must be able to be the same."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..wording import end_in, kind, problem, start_of


def double_domain(inquiry: Inquiry) -> Iterator[Problem]:
    """One node at the start of two relations that nothing has both of."""
    for clash in inquiry.clashes:
        if clash.ends == ("start", "start"):
            one, other = clash.earlier, clash.later
            message = (
                f"{inquiry.called(clash.variable)} is the start of {one.asked.name} "
                f"({kind(inquiry, one.side)}) and of {other.asked.name} ({kind(inquiry, other.side)}), "
                f"and nothing is both.{start_of(inquiry, one.side)}"
            )
            yield problem("double domain", message, clash.later)


def double_range(inquiry: Inquiry) -> Iterator[Problem]:
    """One node at the end of two relations that never lead to the same."""
    for clash in inquiry.clashes:
        if clash.ends == ("end", "end"):
            one, other = clash.earlier, clash.later
            message = (
                f"{inquiry.called(clash.variable)} is reached by {one.asked.name} "
                f"({kind(inquiry, one.side)}) and by {other.asked.name} ({kind(inquiry, other.side)}), "
                f"and nothing is both.{end_in(inquiry, one.side)}"
            )
            yield problem("double range", message, clash.later)
