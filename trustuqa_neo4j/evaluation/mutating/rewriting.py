"""The same question asked otherwise: what a check refuses of these, it refuses wrongly.

Each rewrite keeps the answer on data that keeps to its schema; whether it did, the answers tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from ...language.expressions import Aggregate
from ...language.paths import Path, PathStep
from ...language.query import Argument, Call, Literal, LLMQuery, Reference, Step, Value
from ...mapping import fold
from .columns import aggregates, expression_of, renamed, spoken, told, words
from .mutants import readable
from .outline import TYPE, Outline
from .sites import (
    Called,
    argument,
    calls,
    literal,
    references,
    replacing,
    sites,
    tables,
    text_value,
    written,
)

Rewrite: TypeAlias = Callable[[LLMQuery, Outline], Iterator[LLMQuery]]


def rewrites(query: LLMQuery, outline: Outline) -> Iterator[tuple[str, str]]:
    """The name of each rewrite with the text that it makes of a query."""
    for name, rewrite in REWRITES.items():
        for made in rewrite(query, outline):
            text = readable(made)
            if text is not None:
                yield name, text


def renamed_columns(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:  # noqa: ARG001
    """Other names for the columns that the steps make."""
    made = {path.name for table in tables(query) for path in table.paths}
    for called in calls(query, "calculate", "group_by"):
        made |= {*words(called, "name"), *(each.name for each in aggregates(called))}
    if not made:
        return
    names = {name: f"{name}_of_it" for name in made}
    steps = tuple(replace(step, value=_renamed(step.value, query, names)) for step in query.steps)
    target = tuple(names.get(name, name) for name in query.target)
    yield replace(query, steps=steps, target=target)


def _renamed(value: Value, query: LLMQuery, names: Mapping[str, str]) -> Value:
    """A step with other columns; only steps that are one call are read."""
    called = next((c for c in calls(query) if c.call is value), None)
    if called is None:
        return value
    arguments = (_renamed_argument(called, each, names) for each in called.call.arguments)
    return replace(called.call, arguments=tuple(arguments))


def _renamed_argument(called: Called, each: Argument, names: Mapping[str, str]) -> Argument:
    def of(*parameters: str) -> bool:
        return each in called.given(*parameters)

    if called.function == "get_table" and of("columns"):
        paths = next(t for t in tables(LLMQuery((Step(1, called.call),)))).paths
        new = [written(replace(path, name=names[path.name])) for path in paths]
        return replace(each, value=text_value(new))
    if called.function == "calculate" and of("expression"):
        expression = expression_of(called)
        if expression is not None:
            return replace(each, value=literal(spoken(renamed(expression, names))))
    if called.function == "group_by" and of("values"):
        return replace(each, value=text_value([told(_other(a, names)) for a in aggregates(called)]))
    if of("name", "by", "column"):
        found = [names.get(word, word) for word in words(called, each.name or "")]
        return replace(each, value=text_value(found)) if found else each
    return each


def _other(aggregate: Aggregate, names: Mapping[str, str]) -> Aggregate:
    column = None if aggregate.column is None else names.get(aggregate.column, aggregate.column)
    return replace(aggregate, column=column, name=names[aggregate.name])


def other_root(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:
    """A table walked from where one of its relations leads, back along it to what it began with."""
    for table in tables(query):
        heads = table.called.given("head_entity")
        first = [
            step for step in query.steps if heads and step.number in references(heads[0].value)
        ]
        if len(first) != 1 or not isinstance(heads[0].value, Reference):
            continue
        root = next((c for c in calls(query, "get_information") if c.call is first[0].value), None)
        if root is None or not _all_of_a_class(root):
            continue
        for name in dict.fromkeys(p.steps[0].relation for p in table.paths if len(p.steps) > 1):
            relation = outline.relation(name)
            begun = [p for p in table.paths if p.steps[0] == _step(p.steps[0], name)]
            if relation is None or not relation.nodes or any(len(p.steps) == 1 for p in begun):
                continue
            paths = [
                replace(path, steps=path.steps[1:])
                if path in begun
                else Path((PathStep(name, backwards=True), *path.steps), path.name)
                for path in table.paths
            ]
            through = Call("get_information", (argument("relation", literal(name)),), 0)
            made = table.put(paths)
            steps = (
                Step(first[0].number, through) if step.number == first[0].number else step
                for step in made.steps
            )
            yield replace(made, steps=tuple(steps))


def _step(step: PathStep, name: str) -> PathStep:
    return replace(step, relation=name, backwards=False, walk=1)


def _all_of_a_class(called: Called) -> bool:
    relations = called.given("relation")
    named = [each.value.text for each in relations if isinstance(each.value, Literal)]
    return [fold(name) for name in named] == [TYPE] and len(called.call.arguments) == 2


def inverse_relation(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:
    """A relation in a path walked as its inverse, the other way round; wherever it stands."""
    for table in tables(query):
        for name, other in outline.inverses.items():
            paths = [
                replace(path, steps=tuple(_inverted(step, name, other) for step in path.steps))
                for path in table.paths
            ]
            if paths != list(table.paths):
                yield table.put(paths)


def _inverted(step: PathStep, name: str, other: str) -> PathStep:
    if step.relation != name:
        return step
    return replace(step, relation=other, backwards=not step.backwards)


def as_a_path(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:
    """A search for one relation as a table of one column."""
    for called in calls(query, "get_information"):
        heads, tails = called.given("head_entity"), called.given("tail_entity", "value")
        relations = called.given("relation", "key")
        if len(relations) != 1 or len(heads) + len(tails) != 1:
            continue
        (by, end) = relations[0].value, (*heads, *tails)[0]
        if end.operator != "=" or not isinstance(by, Literal) or outline.relation(by.text) is None:
            continue
        path = Path((PathStep(by.text, backwards=bool(tails)),), "found")
        columns = argument("columns", text_value([written(path)]))
        yield called.put(Call("get_table", (argument("head_entity", end.value), columns), 0))


def reordered_steps(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:  # noqa: ARG001
    """Two steps exchanged, of which neither uses the other."""
    steps = query.steps
    for at, (one, other) in enumerate(pairwise(steps)):
        if one.number in references(other.value) or at + 2 == len(steps):
            continue
        swap = {one.number: other.number, other.number: one.number}
        order = [*steps[:at], other, one, *steps[at + 2 :]]
        moved = (
            Step(swap.get(step.number, step.number), _pointing(step.value, swap)) for step in order
        )
        yield replace(query, steps=tuple(moved))


def _pointing(value: Value, numbers: Mapping[int, int]) -> Value:
    """A value with references to other steps."""
    alone = LLMQuery((Step(0, value),))
    for number in set(references(value)) & numbers.keys():
        alone = _marked(alone, number, -numbers[number])
    for number in {n for n in references(alone.steps[0].value) if n < 0}:
        alone = _marked(alone, number, -number)
    return alone.steps[0].value


def _marked(alone: LLMQuery, number: int, instead: int) -> LLMQuery:
    return replacing(alone, number, Reference(instead, 0))


def nested_steps(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:  # noqa: ARG001
    """A step that is used once written where it is used."""
    used = [number for step in query.steps for number in references(step.value)]
    for step in query.steps[:-1]:
        if used.count(step.number) == 1 and isinstance(step.value, Call):
            yield replacing(query, step.number, step.value)


def unnested_steps(query: LLMQuery, outline: Outline) -> Iterator[LLMQuery]:  # noqa: ARG001
    """A nested call as a step of its own, before all others."""
    outer = {id(step.value) for step in query.steps}
    for site in sites(query):
        if isinstance(site.value, Call) and id(site.value) not in outer:
            if references(site.value):
                continue
            number = max(step.number for step in query.steps) + 1
            made = site.put(Reference(number, 0))
            yield replace(made, steps=(Step(number, site.value), *made.steps))


REWRITES: Mapping[str, Rewrite] = {
    "renamed columns": renamed_columns,
    "other root": other_root,
    "inverse relation": inverse_relation,
    "as a path": as_a_path,
    "reordered steps": reordered_steps,
    "nested steps": nested_steps,
    "unnested steps": unnested_steps,
}
