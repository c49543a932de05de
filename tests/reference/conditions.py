"""Conditions on members: equality, order, parts of a text, and words that select."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from .model import (
    Argument,
    Bag,
    Member,
    Name,
    Refusal,
    Unspecified,
    Value,
    compare,
    convert,
    fold,
    natural_key,
)

UPPER = frozenset(
    ("highest", "max", "maximum", "largest", "greatest", "biggest", "tallest", "longest", "heaviest",
     "latest", "newest", "most recent")
)  # fmt: skip
LOWER = frozenset(
    ("lowest", "min", "minimum", "smallest", "shortest", "fewest", "lightest", "earliest")
)
FREQUENT = frozenset(("most", "least"))
SELECTING = UPPER | LOWER | FREQUENT
PARTS = ("contains", "starts with", "ends with")
TOLERANCE = "≈"


def spread_tolerance(text: str) -> tuple[str, str]:
    """Both ends of ``300 ± 5``, or of ``300 ± 2 %``."""
    number, _, tolerance = text.partition("±")
    width = float(tolerance.rstrip("% "))
    if tolerance.endswith("%"):
        width *= float(number) / 100
    return f"{float(number) - width:g}", f"{float(number) + width:g}"


def spread_tolerances(arguments: Sequence[Argument]) -> list[Argument]:
    """A tolerance is two conditions."""
    conditions: list[Argument] = []
    for argument in arguments:
        if argument.operator != TOLERANCE:
            conditions.append(argument)
            continue
        assert isinstance(argument.value, Name)
        low, high = map(Name, spread_tolerance(argument.value.text))
        conditions.append(replace(argument, value=low, operator=">="))
        conditions.append(replace(argument, value=high, operator="<="))
    return conditions


def are_same(first: Member, second: Member, by_name: bool = False) -> bool:
    """The same node, an equal number or date, or the same name; two nodes are the same only as nodes."""
    if first.node is not None and second.node is not None and not by_name:
        return first.node == second.node
    if first.node is not None and first.node == second.node:
        return True
    if first.value is not None and second.value is not None:
        equal = compare(first.value, "=", second.value)
        return first.text == second.text if equal is None else equal
    return fold(first.text) == fold(second.text) and bool(
        fold(first.text) or first.text == second.text
    )


def are_equal(member: Member, bound: Member) -> bool:
    """The same, or an equal number or date, however it is written."""
    if member.value is not None and bound.value is not None:
        return compare(member.value, "=", bound.value) is True or member.text == bound.text
    return are_same(member, bound)


def are_numbers(values: Sequence[Value]) -> bool:
    """Whether values are compared by number, rather than by date."""
    numbers = sum(value.number is not None for value in values)
    return numbers >= sum(value.first is not None for value in values)


def rank(value: Value, by_number: bool, unit: str | None) -> tuple[float, float] | None:
    """The place of a value in their order; None if it has none."""
    if by_number:
        number = None if value.number is None else convert(value, unit)
        return None if number is None else (number, 0)
    return None if value.first is None or value.last is None else (value.first, value.last)


def find_extremes(members: Bag, upper: bool) -> Bag:
    """The greatest or least members, ties kept; of texts alone, by the alphabet."""
    values = [member.value for member in members if member.value is not None]
    if not values:
        texts = [natural_key(fold(member.text)) for member in members if member.text]
        edge = (max if upper else min)(texts, default=None)
        return tuple(m for m in members if m.text and natural_key(fold(m.text)) == edge)
    by_number = are_numbers(values)
    units = {value.unit for value in values if value.number is not None and value.unit}
    if (
        by_number
        and len(units) > 1
        and any(convert(Value(1.0, unit), other) is None for unit in units for other in units)
    ):
        raise Unspecified("the greatest of several units")
    unit = min(units, default=None) if by_number else None
    if by_number and units and any(v.unit is None for v in values if v.number is not None):
        raise Unspecified("the greatest of numbers with and without a unit")
    ranked = [
        (place, m)
        for m in members
        if m.value is not None and (place := rank(m.value, by_number, unit)) is not None
    ]
    best = (max if upper else min)(place for place, _ in ranked)
    return tuple(m for place, m in ranked if place == best)


def find_frequent(members: Bag, most: bool) -> Bag:
    counts = Counter(member.identity for member in members)
    edge = (max if most else min)(counts.values(), default=0)
    return tuple(member for member in members if counts[member.identity] == edge)


def keep_members(members: Bag, operator: str, bounds: Bag, word: str | None = None) -> Bag:
    """The members that fulfil a condition; ``word`` is the name that a single bound is written as."""
    selector = word.casefold() if word and operator not in PARTS else None
    if selector in SELECTING and all(fold(member.text) != selector for member in members):
        return _select(members, selector)
    if operator in ("=", "!="):
        return tuple(
            m for m in members if any(are_equal(m, bound) for bound in bounds) == (operator == "=")
        )
    if operator in PARTS:
        return tuple(m for m in members if any(_has_part(m.text, operator, b.text) for b in bounds))
    return _keep_ordered(members, operator, bounds)


def _select(members: Bag, word: str) -> Bag:
    if word in FREQUENT:
        return find_frequent(members, word == "most")
    if members and all(member.value is None for member in members):
        raise Refusal(f"{word} of texts")
    return find_extremes(members, word in UPPER)


def _keep_ordered(members: Bag, operator: str, bounds: Bag) -> Bag:
    if not members or not bounds:
        return ()
    bound = find_decisive(operator, bounds)
    has_units = len({b.value.unit for b in bounds if b.value is not None and b.value.unit}) > 1

    def judge(value: Value | None) -> bool | None:
        if value is None or (has_units and value.number is not None and value.unit is None):
            return None
        return compare(value, operator, bound)

    verdicts = [judge(member.value) for member in members]
    if all(verdict is None for verdict in verdicts):
        raise Refusal("nothing can be compared")
    return tuple(member for member, verdict in zip(members, verdicts, strict=True) if verdict)


def find_decisive(operator: str, bounds: Bag) -> Value:
    """Of several bounds, the least or earliest for ``<`` and ``<=``, else the greatest or latest."""
    readable = tuple(bound for bound in bounds if bound.value is not None)
    if not readable:
        raise Refusal("the bound is a text")
    extremes = find_extremes(readable, operator in (">", ">="))
    value = extremes[0].value
    assert value is not None
    return value


def _has_part(text: str, operator: str, part: str) -> bool:
    if not part.strip():
        raise Refusal("every text has an empty part")
    if any(map(str.isalnum, part)):
        text, part = fold(text), fold(part)
    else:
        text, part = text.strip(), part.strip()
    return {
        "contains": part in text,
        "starts with": text.startswith(part),
        "ends with": text.endswith(part),
    }[operator]
