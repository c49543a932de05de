"""Rule 1: what a relation is asked of must be of the kind that it starts from."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..wording import kind, problem, start_of


def domain(inquiry: Inquiry) -> Iterator[Problem]:
    """Members of a class that are asked for a relation which none of them has."""
    for clash in inquiry.clashes:
        if clash.ends == ("class", "start"):
            asked, member = sorted(
                (clash.earlier, clash.later), key=lambda m: m.side.end == "class"
            )
            subject = inquiry.called(clash.variable)
            message = (
                f"{asked.asked.name} starts from {kind(inquiry, asked.side)}, but {subject} is "
                f"{kind(inquiry, member.side)}, which is not a kind of that.{start_of(inquiry, member.side)}"
            )
            yield problem("domain", message, clash.later)
