"""Questions whose answer is truly none: what they name is all there, and never together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ...language.parse import parse
from ...language.query import Literal, LLMQuery
from ...language.writing import quoted
from ...mapping import fold
from .mutants import Origin, readable
from .naming import some
from .outline import TYPE, Outline, Relation
from .sites import calls, literal

_TRIED = 400


def empties(outline: Outline, seed: int, most: int) -> Iterator[str]:
    """Queries for things with two values, each of which some have and none has both."""
    chance = Random(f"{seed}/empties")  # noqa: S311 # no secret
    with_value = _with_value(outline)
    names = sorted(name for name in outline.relations if fold(name) != TYPE and with_value[name])
    found = 0
    for _ in range(_TRIED):
        if found == most or len(names) < 2:
            return
        one, other = (outline.relations[name] for name in chance.sample(names, 2))
        if not one.heads & other.heads:
            continue
        first = chance.choice(sorted(with_value[one.name]))
        second = chance.choice(sorted(with_value[other.name]))
        if with_value[one.name][first] & with_value[other.name][second]:
            continue
        telling = _telling(one, outline)
        if telling is not None:
            found += 1
            yield _both((one, first), (other, second), outline, chance.random() < 0.5) + telling


def _telling(one: Relation, outline: Outline) -> str | None:
    """A step that asks for a value of what was found, where that has no name; None if it has none."""
    if all(outline.graph.name(head) is not None for head in one.heads):
        return ""
    for name in sorted(outline.relations):
        each = outline.relations[name]
        if not each.nodes and fold(name) != TYPE and each is not one and each.heads >= one.heads:
            return (
                f"\nQuery4: get_information(head_entity=output_of_query3, relation={quoted(name)})"
            )
    return None


def _with_value(outline: Outline) -> dict[str, dict[str, set[str]]]:
    """Relation → what it leads to that has a name → what leads there."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for head, name, tail in outline.graph.facts:
        if outline.graph.name(tail) is not None:
            found[name][tail].add(head)
    return found


def _both(
    one: tuple[Relation, str], other: tuple[Relation, str], outline: Outline, together: bool
) -> str:
    (r, t), (k, v) = [
        (quoted(relation.name), quoted(outline.graph.name(tail) or tail))
        for relation, tail in (one, other)
    ]
    if together:
        return f"Query3: get_information(relation={r}, tail_entity={t}, key={k}, value={v})"
    return (
        f"Query1: get_information(relation={r}, tail_entity={t})\n"
        f"Query2: get_information(relation={k}, tail_entity={v})\n"
        "Query3: set_intersection(set1=output_of_query1, set2=output_of_query2)"
    )


def other_constants(origin: Origin, outline: Outline, seed: int) -> Iterator[str]:
    """The query with another value of the same relation; its answer may be none."""
    query = parse(origin.query)
    if not isinstance(query, LLMQuery):
        return
    chance = Random(f"{seed}/{origin.id}/constants")  # noqa: S311 # no secret
    for called in calls(query, "get_information"):
        for tail, by in (("tail_entity", "relation"), ("value", "key")):
            named = [a.value.text for a in called.given(by) if isinstance(a.value, Literal)]
            relation = outline.relation(named[0]) if len(named) == 1 else None
            if relation is None or fold(relation.name) == TYPE:
                continue
            for each in called.given(tail):
                if isinstance(each.value, Literal) and each.operator == "=":
                    known = (outline.graph.name(key) for key in relation.tails)
                    for name in some((k for k in known if k is not None), chance, 1):
                        text = readable(called.having(each, replace(each, value=literal(name))))
                        if text is not None:
                            yield text
