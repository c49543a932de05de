"""Values of the query, and how they are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ...language.query import Argument, Listing, Literal, LLMQuery
from ...mapping import fold
from ...values import read_value
from .outline import TYPE, Outline
from .sites import Called, calls, literal

_FIRST = ("Quorvane", "Zelthic", "Brandimar", "Ostrelund", "Kympha", "Vordel", "Tarquilo", "Ysmere")
_LAST = (
    "Holdings",
    "Expanse",
    "Ravine",
    "Lantern",
    "Mowbridge",
    "Tessera",
    "Harrowgate",
    "Piscary",
)
_ORDER = (">", "<", ">=", "<=")


def hallucinated_value(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """A constant that is nowhere in the data."""
    for called in calls(query, "get_information", "keep"):
        for each in called.given("head_entity", "tail_entity", "value"):
            if each.operator == "=" and not _of_type(called, each):
                for old in _literals(each):
                    new = _unheard(old, outline, chance)
                    yield called.having(each, replace(each, value=literal(new)))


def _literals(each: Argument) -> list[Literal]:
    """The names that something is to equal."""
    members = each.value.members if isinstance(each.value, Listing) else (each.value,)
    return [member for member in members if isinstance(member, Literal)]


def _unheard(old: Literal, outline: Outline, chance: Random) -> str:
    """A constant of the kind of ``old``, and not in the data."""
    value = read_value(old.text)
    while True:
        if old.text.isdigit():
            made = str(int(old.text) * 10 + chance.randint(11, 89))
        elif value is not None and value.start is not None:
            made = f"{chance.randint(2101, 2899)}-0{chance.randint(1, 9)}-{chance.randint(10, 28)}"
        else:
            made = f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"
        if fold(made) not in outline.words:
            return made


def order_of_text(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """``=`` of names or nodes made an order comparison; what is compared by order made text."""
    for called in calls(query, "get_information"):
        for tail, by in (("tail_entity", "relation"), ("value", "key")):
            tails, relations = called.given(tail), called.given(by) or called.given("relation")
            named = [a.value.text for a in relations if isinstance(a.value, Literal)]
            relation = outline.relation(named[0]) if len(named) == 1 else None
            if relation is None:
                continue
            for each in tails:
                ordered = each.operator in _ORDER
                if not ordered and _literals(each) and (relation.nodes or relation.text):
                    yield called.having(each, replace(each, operator=chance.choice(_ORDER)))
                elif ordered:
                    others = [
                        other.name
                        for other in outline.relations.values()
                        if (other.text or other.nodes) and outline.same_domain(relation, other)
                    ]
                    for name in sorted(others)[:3]:
                        yield called.having(
                            relations[0], replace(relations[0], value=literal(name))
                        )
                    break


def _of_type(called: Called, each: Argument) -> bool:
    """Whether ``each`` names a class."""
    by = "key" if each in called.given("value") and called.given("key") else "relation"
    named = [a.value.text for a in called.given(by) if isinstance(a.value, Literal)]
    return [fold(name) for name in named] == [TYPE] and each not in called.given("head_entity")
