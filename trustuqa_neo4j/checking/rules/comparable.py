"""Rule 11: order and arithmetic need numbers or dates."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem, Severity
from ...values import read_value
from ..inquiry import Inquiry, Met
from ..meetings import Side
from ..vocabulary import Figures

_ORDER = frozenset(("<", "<=", ">", ">="))
_EXTREMES = frozenset(("max", "min"))
_NEEDS = {
    **dict.fromkeys(("sum", "mean", "product", "+", "-", "*", "/"), "numbers"),
    "days_between": "dates",
    **dict.fromkeys(_EXTREMES, "values"),
}
"""What functions and signs need to be given."""


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
        elif _unlike(compared.text, figures):
            message = (
                f"{compared.text!r} is no {_kind(figures)}, and {compared.relation} is compared by "
                f"{compared.operator}"
            )
            yield Problem("not comparable", message, compared.step, compared.position)
    yield from _used(inquiry)


def _unlike(bound: str, figures: Figures) -> bool:
    """Whether a bound is neither number nor date, or of the one kind where there is only the other."""
    value = read_value(bound)
    if value is None:
        return True
    number, date = value.number is not None, value.start is not None
    return not (number and figures.numbers) and not (date and figures.dates)


def _kind(figures: Figures) -> str:
    if not figures.numbers:
        return "date"
    return "number and no date" if figures.dates else "number"


def _used(inquiry: Inquiry) -> Iterator[Problem]:
    for used in inquiry.pattern.used:
        wanted = _NEEDS.get(used.function)
        if wanted is None:
            continue
        for met in inquiry.met(used.variable):
            found = _wrong(inquiry, used.function, wanted, met)
            if found:
                message, severity = found
                yield Problem("not comparable", message, used.step, used.position, severity)
                break


def _wrong(inquiry: Inquiry, function: str, wanted: str, met: Met) -> tuple[str, Severity] | None:
    """What is wrong with giving a function what a relation leads to, or nodes that it starts from."""
    told = inquiry.vocabulary.kind(met.side)
    if met.side.end != "end":
        if function in _EXTREMES:
            return None  # of nodes the names are compared
        return (
            f"{function} needs {wanted}, and is given nodes{f' ({told})' if told else ''}",
            "error",
        )
    figures = inquiry.vocabulary.relations.get(met.side.name, Figures())
    there = {"numbers": figures.numbers, "dates": figures.dates, "values": figures.values}
    if not figures.facts or there[wanted] or (function == "-" and figures.dates):
        return None
    leads = _what(inquiry, met.asked.name)
    if function in _EXTREMES:
        return f"{function} of {leads} ({met.asked.name}) goes by the alphabet", "warning"
    return f"{function} needs {wanted}, and {met.asked.name} leads to {leads}", "error"


def _figures(inquiry: Inquiry, relation: str) -> Figures | None:
    """What the relation leads to; None where that is not known."""
    name = inquiry.read(relation)
    figures = inquiry.vocabulary.relations.get(name or "")
    return figures if figures is not None and figures.facts else None


def _what(inquiry: Inquiry, relation: str) -> str:
    name = inquiry.read(relation) or relation
    figures = inquiry.vocabulary.relations.get(name, Figures())
    if figures.values:
        return "numbers" if figures.numbers else "dates"
    kind = inquiry.vocabulary.kind(Side("end", name))
    return kind if kind and kind != "a value" else "text"
