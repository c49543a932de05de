"""Right queries with a constant: those that begin with all of a class, kept to some of its members.

Programs for questions about everything name no value, and could show no fault in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ...language.parse import parse
from ...language.query import LLMQuery
from ...mapping import fold
from .mutants import Origin, readable
from .outline import TYPE, Outline, Relation
from .sites import argument, calls, literal, texts

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def narrowed(origin: Origin, outline: Outline, seed: int = 0) -> Iterator[Origin]:
    """The query kept to the members of its class that have some value, and to those from it on."""
    query = parse(origin.query)
    if not isinstance(query, LLMQuery):
        return
    chance = Random(f"{seed}/{origin.id}/narrowed")  # noqa: S311 # no secret
    for called in calls(query, "get_information"):
        named = [texts(each.value) for each in called.given("relation")]
        classes = [texts(each.value) for each in called.given("tail_entity")]
        if len(called.call.arguments) != 2 or [fold((n or [""])[0]) for n in named] != [TYPE]:
            continue
        members = outline.classes.get((classes[0] or [""])[0], frozenset()) if classes else ()
        found = [each for each in outline.relations.values() if _tells(each, members)]
        if not found:
            return
        chosen = chance.choice(sorted(found, key=lambda each: each.name))
        value = chance.choice(sorted(chosen.tails))
        for name, operator in (("equal", "="), ("from", ">=")):
            if operator == "=" or not chosen.text:
                more = (
                    argument("key", literal(chosen.name)),
                    argument("value", literal(outline.graph.name(value) or value), operator),
                )
                made = called.put(replace(called.call, arguments=(*called.call.arguments, *more)))
                text = readable(made)
                if text is not None:
                    asked = _asked(
                        origin.question, chosen, outline.graph.name(value) or value, name
                    )
                    yield Origin(f"{origin.id} ({name})", text, asked)
        return


def _asked(question: str, relation: Relation, value: str, how: str) -> str:
    """The question with the condition; none where there was none."""
    if not question:
        return ""
    spoken = _CAPITAL.sub(" ", relation.name).casefold()
    is_ = "is" if how == "equal" else "is at least"
    return f"{question.rstrip(' .?')}, where the {spoken} {is_} {value}?"


def _tells(relation: Relation, members: object) -> bool:
    """Whether all members of a class have a value of the relation."""
    return (
        not relation.nodes
        and fold(relation.name) != TYPE
        and isinstance(members, frozenset)
        and bool(members)
        and members <= relation.heads
        and relation.heads <= members
    )
