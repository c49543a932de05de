"""Directions exchanged: what stands for the head stands for the tail; a path walks a relation backwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ...language.query import LLMQuery
from .outline import Outline
from .sites import Called, calls, parameter, tables


def direction(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:  # noqa: ARG001
    """Each relation the other way round."""
    for called in calls(query, "get_information"):
        yield from _turned(called)
    for table in tables(query):
        for at, path in enumerate(table.paths):
            for place, step in enumerate(path.steps):
                turned = replace(step, backwards=not step.backwards)
                steps = (*path.steps[:place], turned, *path.steps[place + 1 :])
                yield table.having(at, replace(path, steps=steps))


def _turned(called: Called) -> Iterator[LLMQuery]:
    heads = called.given("head_entity")
    tails = called.given("tail_entity", "value")
    relations = called.given("relation", "key")
    if any(each.operator != "=" for each in tails) or not relations:
        return
    if len(heads) == 1 and not tails:
        yield called.having(heads[0], replace(heads[0], name="tail_entity"))
    elif len(tails) == 1 and not heads and (len(relations) == 1 or _of_relation(called)):
        yield called.having(tails[0], replace(tails[0], name="head_entity"))
    elif len(heads) == len(tails) == len(relations) == 1:
        yield called.changed(
            (heads[0], replace(heads[0], value=tails[0].value)),
            (tails[0], replace(tails[0], value=heads[0].value)),
        )


def _of_relation(called: Called) -> bool:
    """Whether the tail is that of ``relation``, as beside a ``key``."""
    return any(parameter(called.call, each) == "tail_entity" for each in called.call.arguments)
