"""Steps of a way left out, or one too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ...language.paths import Path, PathStep
from ...language.query import Argument, Call, Literal, LLMQuery, Reference, Step
from .outline import Outline
from .sites import Called, argument, calls, literal, replacing, tables


def dropped_hop(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:  # noqa: ARG001
    """A path, or a chain of searches, without one of its steps; its last hop to a value stays."""
    for table in tables(query):
        for at, path in enumerate(table.paths):
            for place in range(len(path.steps) - 1):
                steps = (*path.steps[:place], *path.steps[place + 1 :])
                yield table.having(at, replace(path, steps=steps))
    for called in calls(query, "get_information"):
        before = _passing(query, called)
        if before is not None:
            last = query.steps[-1].number == called.step
            if not last:
                yield replacing(query, called.step, before.value)
            elif not _to_value(called, outline) and query.steps[-2:-1] == _steps_of(query, before):
                yield replace(query, steps=query.steps[:-1])
        key = [] if called.given("value") else called.given("key")
        shows_ids = outline.has_ids and any(_values(each, outline) for each in key)
        if key and called.given("relation") and not shows_ids:
            yield called.having(key[0], None)


def identifier_output(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:  # noqa: ARG001
    """The last hop to a value left out, so that what remains is nodes without a name."""
    for table in tables(query):
        for at, path in enumerate(table.paths):
            if len(path.steps) > 1 and _leads_to_ids(path.steps[-2], outline):
                yield table.having(at, replace(path, steps=path.steps[:-1]))
    for called in calls(query, "get_information"):
        relations, heads = called.given("relation", "key"), called.given("head_entity")
        if query.steps[-1].number != called.step or not relations or not outline.has_ids:
            continue
        key = called.given("key")
        key = [each for each in key if _values(each, outline) and not called.given("value")]
        if len(relations) == 2 and len(key) == 1:
            yield called.having(key[0], None)
        elif len(relations) == 1 and heads and _to_value(called, outline):
            before = _passing(query, called)
            if before is not None and query.steps[-2:-1] == _steps_of(query, before):
                yield replace(query, steps=query.steps[:-1])


def extra_hop(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """A step walked twice, or a relation between two steps or behind the last."""
    names = sorted(outline.relations)
    for table in tables(query):
        for at, path in enumerate(table.paths):
            anywhere = chance.randint(0, len(path.steps))
            yield table.having(at, _longer(path, anywhere, PathStep(chance.choice(names))))
            again = chance.randrange(len(path.steps))
            yield table.having(at, _longer(path, again, path.steps[again]))
    last = query.steps[-1]
    for called in calls(query, "get_information"):
        for head in called.given("head_entity"):
            if isinstance(head.value, Reference):
                between = _search(head, chance.choice(names))
                yield called.having(head, replace(head, value=between))
        if called.call is last.value:
            number = max(step.number for step in query.steps) + 1
            head = argument("head_entity", Reference(last.number, 0))
            further = Step(number, _search(head, chance.choice(names)))
            yield replace(query, steps=(*query.steps, further))


def _longer(path: Path, place: int, step: PathStep) -> Path:
    return replace(path, steps=(*path.steps[:place], step, *path.steps[place:]))


def _search(head: Argument, relation: str) -> Call:
    return Call("get_information", (head, argument("relation", literal(relation))), 0)


def _passing(query: LLMQuery, called: Called) -> Argument | None:
    """What a step is given whole that does nothing but lead from it by one relation."""
    step = next(step for step in query.steps if step.number == called.step)
    if step.value is not called.call or len(called.given("relation", "key")) != 1:
        return None
    ends = called.given("head_entity", "tail_entity", "value")
    if len(ends) != 1 or ends[0].operator != "=" or not isinstance(ends[0].value, Reference):
        return None
    return ends[0]


def _steps_of(query: LLMQuery, before: Argument) -> tuple[Step, ...]:
    assert isinstance(before.value, Reference)
    return tuple(step for step in query.steps if step.number == before.value.step)


def _to_value(called: Called, outline: Outline) -> bool:
    """Whether a search for what heads lead to gives values."""
    by = called.given("relation", "key")[0]
    return bool(called.given("head_entity")) and _values(by, outline)


def _values(by: Argument, outline: Outline) -> bool:
    """Whether the relation that is named leads to values."""
    relation = outline.relation(by.value.text) if isinstance(by.value, Literal) else None
    return relation is not None and not relation.nodes


def _leads_to_ids(step: PathStep, outline: Outline) -> bool:
    relation = outline.relation(step.relation)
    if relation is None:
        return False
    if step.backwards:
        return all(outline.graph.name(head) is None for head in relation.heads)
    return relation.ids
