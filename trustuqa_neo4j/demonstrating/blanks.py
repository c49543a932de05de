"""What each blank of a demonstration takes: what its own name is, and where in the query it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Either

from ..language.functions import find
from ..language.query import Call, Infix, Listing, Literal, LLMQuery, Value
from .aligning import Span
from .masking import Masked
from .mentions import Kind, Mention, kind_of

Side = Either["head", "tail", "any"]

_FITS: dict[tuple[Kind, Kind], float] = {
    ("name", "name"): 1.0, ("name", "year"): 0.5, ("name", "number"): 0.3, ("name", "date"): 0.3,
    ("number", "number"): 1.0, ("number", "year"): 0.8, ("number", "date"): 0.2, ("number", "name"): 0.2,
    ("year", "year"): 1.0, ("year", "date"): 0.7, ("year", "number"): 0.6, ("year", "name"): 0.2,
    ("date", "date"): 1.0, ("date", "year"): 0.8, ("date", "number"): 0.2, ("date", "name"): 0.2,
}  # fmt: skip
"""How well words of a kind go where the demonstration has a kind (first)."""
UNKNOWN = 0.9
"""What is marked as a name but not found, as a share of what is found."""


@dataclass(frozen=True, slots=True)
class Role:
    """Where in a query a name stands: which side of which relations."""

    relations: tuple[str, ...]
    side: Side


@dataclass(frozen=True, slots=True)
class Blank:
    """What a blank takes, and its roles in the query."""

    kind: Kind
    roles: tuple[Role, ...]


def blanks(masked: Masked) -> tuple[Blank, ...]:
    """Those of a masked demonstration, in order."""
    if masked.read is None:
        return ()
    roles = list(_roles(masked.read))
    return tuple(
        Blank(
            kind_of(slot.written),
            tuple(dict.fromkeys(role for place, role in roles if place in slot.places)),
        )
        for slot in masked.slots
    )


def fits(blank: Blank, mentions: Sequence[Mention]) -> tuple[Span, ...]:
    """The mentions as spans that the blank may stand for."""
    return tuple(
        Span(m.first, m.last, _FITS[blank.kind, m.kind] * (1.0 if m.known else UNKNOWN), m)
        for m in mentions
    )


def _roles(read: LLMQuery) -> Iterator[tuple[int, Role]]:
    """The position of each literal that names a thing, and its role."""
    waiting: list[tuple[Value, Role]] = [(step.value, Role((), "any")) for step in read.steps]
    while waiting:
        value, role = waiting.pop()
        if isinstance(value, Literal):
            yield value.position, role
        elif isinstance(value, Listing):
            waiting += [(member, role) for member in value.members]
        elif isinstance(value, Infix):
            waiting += [(value.left, Role((), "any")), (value.right, Role((), "any"))]
        elif isinstance(value, Call):
            waiting += _arguments(value)


def _arguments(call: Call) -> Iterator[tuple[Value, Role]]:
    function = find(call.function)
    given: dict[str, list[Value]] = {}
    for argument in call.arguments:
        found = function.parameter(argument.name) if function and argument.name else None
        given.setdefault(found.name if found else "", []).append(argument.value)
    relations, keys = _names(given.get("relation", ())), _names(given.get("key", ()))
    of = {
        "head_entity": Role(relations or keys, "head"),
        "tail_entity": Role(relations or keys, "tail"),
        "value": Role(keys or relations, "tail"),
    }
    for name, values in given.items():
        for value in values:
            yield value, of.get(name, Role((), "any"))


def _names(values: Sequence[Value]) -> tuple[str, ...]:
    return tuple(value.text for value in values if isinstance(value, Literal))
