"""Columns left out, and what is computed of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

from ...language.expressions import Aggregate
from ...language.query import Argument, Call, Literal, LLMQuery, Reference
from .columns import (
    Columns,
    Kind,
    aggregates,
    columns,
    expression_of,
    kind_of,
    leaves,
    operand,
    renamed,
    spoken,
    told,
    used_columns,
    words,
)
from .constants import order_of_text
from .outline import Outline
from .sites import Called, calls, literal, sites, tables, text_value

_AGGREGATES = ("sum", "mean", "count", "max", "min")
_ADDING = ("sum", "mean")


def dropped_column(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:  # noqa: ARG001
    """The answer without one of its columns."""
    used = used_columns(query)
    for table in tables(query):
        for at, path in enumerate(table.paths):
            if len(table.paths) > 1 and path.name not in used:
                yield table.having(at)
    for called in calls(query, "group_by"):
        if called.step != query.steps[-1].number:
            continue
        for name in ("by", "values"):
            for each in called.given(name):
                shown = words(called, name)
                for gone in shown if len(words(called, "by") + words(called, "values")) > 1 else ():
                    left = [word for word in shown if word != gone]
                    value = text_value(left)
                    yield called.having(each, replace(each, value=value) if left else None)
    for gone in query.target if len(query.target) > 1 else ():
        yield replace(query, target=tuple(name for name in query.target if name != gone))


def wrong_aggregate(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:  # noqa: ARG001
    """Another of sum, mean, count, max and min; of text and nodes none that adds."""
    known = columns(query, outline)
    for called in calls(query, "group_by"):
        table = known.get(operand(called) or 0, {})
        for each in aggregates(called):
            adds = table.get(each.column or "") in ("number", None)
            for other in _others(each.function, adds):
                if each.column is not None:
                    yield _aggregating(called, each, replace(each, function=other))
    for called in calls(query, *_AGGREGATES):
        adds = _kind_given(query, called, known, outline) in ("number", None)
        for other in _others(called.function, adds):
            yield called.put(replace(called.call, function=other))


def _others(function: str, adds: bool) -> Iterator[str]:
    plain = "count" if function == "count_distinct" else function
    for other in _AGGREGATES:
        if other != plain and plain in _AGGREGATES and (adds or other not in _ADDING):
            yield other


def _aggregating(called: Called, old: Aggregate, new: Aggregate) -> LLMQuery:
    (given, *_) = called.given("values")
    made = [told(new if each == old else each) for each in aggregates(called)]
    return called.having(given, replace(given, value=text_value(made)))


def type_fault(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """Order and arithmetic of text or nodes, days between what are no dates."""
    yield from order_of_text(query, outline, chance)
    known = columns(query, outline)
    for called in calls(query, "group_by"):
        table = known.get(operand(called) or 0, {})
        for each in aggregates(called):
            for function, name in product(_ADDING, _of_kinds(table, "text", "node", "date")):
                yield _aggregating(called, each, replace(each, function=function, column=name))
    for called in calls(query, "calculate"):
        yield from _miscalculated(called, known.get(operand(called) or 0, {}))
    for called in calls(query, *_AGGREGATES):
        yield from _added(query, called, known, outline)


def _added(
    query: LLMQuery, called: Called, known: dict[int, Columns], outline: Outline
) -> Iterator[LLMQuery]:
    """Sums of what has none."""
    for column in called.given("column"):
        for name in _of_kinds(known.get(operand(called) or 0, {}), "text", "node", "date"):
            yield called.put(replace(_put_column(called, column, name), function="sum"))
    if _kind_given(query, called, known, outline) in ("text", "node"):
        for function in _ADDING:
            yield called.put(replace(called.call, function=function))


def _put_column(called: Called, old: Argument, name: str) -> Call:
    given = (replace(a, value=literal(name)) if a is old else a for a in called.call.arguments)
    return replace(called.call, arguments=tuple(given))


def _miscalculated(called: Called, table: Columns) -> Iterator[LLMQuery]:
    expression = expression_of(called)
    if expression is None:
        return
    for doing, column in leaves(expression):
        wrong: tuple[Kind, ...] = (
            ("text", "node", "number") if doing == "days_between" else ("text", "node", "date")
        )
        for name in _of_kinds(table, *wrong):
            made = spoken(renamed(expression, {column: name}))
            (given, *_) = called.given("expression")
            yield called.having(given, replace(given, value=literal(made)))


def _of_kinds(table: Columns, *kinds: Kind) -> list[str]:
    return [name for name, kind in table.items() if kind in kinds]


def _kind_given(
    query: LLMQuery, called: Called, known: dict[int, Columns], outline: Outline
) -> Kind | None:
    """What the set or column that a function is given shows."""
    number = operand(called)
    named = words(called, "column")
    if named:
        return known.get(number or 0, {}).get(named[0])
    if number in known:
        shown = list(known[number].values())
        return shown[0] if len(shown) == 1 else None
    for search in calls(query, "get_information"):
        if search.step == number and search.call in [step.value for step in query.steps]:
            return _found(search, outline)
    return None


def _found(search: Called, outline: Outline) -> Kind | None:
    """What a search leads to."""
    tails, values = search.given("tail_entity"), search.given("value")
    relations, keys = search.given("relation"), search.given("key")
    if tails and keys and not values:
        by = keys
    elif values and relations and keys and not tails:
        by = relations
    elif tails or values:
        return "node"
    else:
        by = keys or relations
    named = [a.value.text for a in by if isinstance(a.value, Literal)]
    return kind_of(outline.relation(named[0])) if len(named) == 1 else None


def broken_reference(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:  # noqa: ARG001
    """A result of a step that is not there, comes later, or is the very step."""
    numbers = [step.number for step in query.steps]
    for site in sites(query):
        if isinstance(site.value, Reference):
            later = [number for number in numbers if number > site.step][:1]
            for number in (max(numbers) + 7, site.step, *later):
                yield site.put(replace(site.value, step=number))
