"""Rule 11: order and arithmetic need numbers or dates."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ...values import read_value
from ..inquiry import Inquiry
from ..meetings import Side
from ..vocabulary import Figures

_ORDER = frozenset(("<", "<=", ">", ">="))
_ARITHMETIC = frozenset(("sum", "mean", "+", "-", "*", "/", "product"))
_DATES = frozenset(("days_between",))
_EXTREMES = frozenset(("max", "min"))


def comparable(inquiry: Inquiry) -> Iterator[Problem]:
    """Order comparisons and sums of what is text or nodes, bounds that are neither number nor date."""
    for compared in inquiry.pattern.compared:
        figures = _figures(inquiry, compared.relation)
        if compared.operator not in _ORDER or figures is None:
            continue
        if not figures.values:
            message = (
                f"{compared.relation} leads to {_what(inquiry, compared.relation)}, which has no "
                f"order; compare it with = or !="
            )
            yield Problem("not comparable", message, compared.step, compared.position)
        elif read_value(compared.text) is None:
            message = (
                f"{compared.text!r} is no number and no date, and {compared.relation} is compared "
                f"by {compared.operator}"
            )
            yield Problem("not comparable", message, compared.step, compared.position)
    yield from _used(inquiry)


def _used(inquiry: Inquiry) -> Iterator[Problem]:
    for used in inquiry.pattern.used:
        for relation in dict.fromkeys(used.relations):
            figures = _figures(inquiry, relation)
            if figures is None:
                continue
            if (
                used.function in _ARITHMETIC
                and not figures.numbers
                and not _dates(used.function, figures)
            ):
                message = (
                    f"{used.function} needs numbers, and {relation} leads to "
                    f"{_what(inquiry, relation)}"
                )
                yield Problem("not comparable", message, used.step, used.position)
            elif used.function in _DATES and not figures.dates:
                message = f"{used.function} needs dates, and {relation} leads to none"
                yield Problem("not comparable", message, used.step, used.position)
            elif used.function in _EXTREMES and not figures.values:
                message = f"{used.function} of {_what(inquiry, relation)} ({relation}) goes by the alphabet"
                yield Problem("not comparable", message, used.step, used.position, "warning")


def _dates(function: str, figures: Figures) -> bool:
    """Whether dates will do: their distance is a number."""
    return function == "-" and figures.dates > 0


def _figures(inquiry: Inquiry, relation: str) -> Figures | None:
    """What the relation leads to; None where that is not known."""
    name = inquiry.read(relation)
    figures = inquiry.vocabulary.relations.get(name or "")
    return figures if figures is not None and figures.facts else None


def _what(inquiry: Inquiry, relation: str) -> str:
    name = inquiry.read(relation) or relation
    kind = inquiry.vocabulary.kind(Side("end", name))
    return kind if kind and kind != "a value" else "text"
