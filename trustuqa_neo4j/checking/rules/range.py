"""Rule 2: what a relation leads to must be of the kind asked for, and comparable with what is given."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..meetings import Side
from ..wording import end_in, kind, listed, problem


def range_(inquiry: Inquiry) -> Iterator[Problem]:
    """Ends of a relation that are to be of another class."""
    for clash in inquiry.clashes:
        if clash.ends == ("class", "end"):
            asked, member = sorted(
                (clash.earlier, clash.later), key=lambda m: m.side.end == "class"
            )
            message = (
                f"{asked.asked.name} leads to {kind(inquiry, asked.side)}, but "
                f"{kind(inquiry, member.side)} is asked for.{end_in(inquiry, member.side)}"
            )
            yield problem("range", message, clash.later)
        elif clash.ends == ("class", "class"):
            message = (
                f"nothing is both {kind(inquiry, clash.earlier.side)} and "
                f"{kind(inquiry, clash.later.side)}."
            )
            yield problem("range", message, clash.later)


def ids(inquiry: Inquiry) -> Iterator[Problem]:
    """Nodes that are only ids, compared with a name or number that none of them can equal."""
    vocabulary = inquiry.vocabulary
    for compared in inquiry.pattern.compared:
        name = inquiry.read(compared.relation)
        side = Side("end", name or "")
        if name is None or compared.operator not in ("=", "!="):
            continue  # of an order there is more to say
        if not vocabulary.is_ids(side) or compared.text in inquiry.keys:
            continue
        values = vocabulary.starting(side, values=True)
        instead = f" compare {listed(values)} of it." if values else " it has no values of its own."
        message = (
            f"{compared.relation} leads to nodes without a name"
            f"{_of(vocabulary.kind(side))}, which {compared.text!r} cannot "
            f"equal;{instead}"
        )
        yield Problem("range", message, compared.step, compared.position)


def _of(kind: str) -> str:
    return f" ({kind})" if kind else ""
