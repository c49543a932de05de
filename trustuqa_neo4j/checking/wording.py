"""How problems speak of sides and relations."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.query import Problem
from ..mapping import fold
from .inquiry import Inquiry, Met
from .meetings import Side
from .vocabulary import TYPE

SHOWN = 6
"""Relations that a message names."""


def listed(names: Sequence[str]) -> str:
    """Some of the names, and how many more there are."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def start_of(inquiry: Inquiry, side: Side) -> str:
    """Which relations start from nodes of a side, as a sentence; empty where none is known."""
    names = [name for name in inquiry.vocabulary.starting(side) if fold(name) != TYPE]
    told = inquiry.vocabulary.kind(side) or "there"
    return f" Relations that start from {told}: {listed(names)}." if names else ""


def end_in(inquiry: Inquiry, side: Side) -> str:
    """Which relations lead to nodes of a side, as a sentence."""
    if inquiry.vocabulary.leads_to_values(side):
        return ""
    names = inquiry.vocabulary.leading(side)
    told = inquiry.vocabulary.kind(side) or "there"
    return f" Relations that lead to {told}: {listed(names)}." if names else ""


def kind(inquiry: Inquiry, side: Side) -> str:
    """What nodes of a side are; by the relation where no class says it."""
    known = inquiry.vocabulary.kind(side)
    if known:
        return known
    return (
        f"something that has {side.name}" if side.end == "start" else f"what {side.name} leads to"
    )


def problem(what: str, message: str, met: Met) -> Problem:
    """A problem where ``met`` is asked."""
    return Problem(what, message, met.asked.step, met.asked.position)
