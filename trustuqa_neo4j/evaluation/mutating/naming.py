"""Other names: relations and classes that are there, and such as are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random

from ...language.query import Literal, LLMQuery
from ...mapping import fold
from .outline import TYPE, Outline, Relation
from .sites import Called, Site, calls, literal, mentions, sites

MOST = 2
"""Other names that are tried in one place."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_ENDINGS = ("status", "category", "owner", "region", "rank", "supervisor", "currency", "reviewer")


def any_relation(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """A relation that starts from other things."""
    return _renamed(query, outline, chance, lambda one, two: not outline.same_domain(one, two))


def same_domain(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """A relation that starts from the same things and leads to others."""
    return _renamed(
        query, outline, chance,
        lambda one, two: outline.same_domain(one, two) and not outline.same_range(one, two),
    )  # fmt: skip


def parallel_path(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """A relation that starts from the same things and leads to the same."""
    return _renamed(
        query, outline, chance,
        lambda one, two: outline.same_domain(one, two) and outline.same_range(one, two),
    )  # fmt: skip


def _renamed(
    query: LLMQuery, outline: Outline, chance: Random, fits: Callable[[Relation, Relation], bool]
) -> Iterator[LLMQuery]:
    for mention in mentions(query, outline):
        if fold(mention.relation.name) == TYPE:
            continue
        others = (
            name
            for name, each in outline.relations.items()
            if each is not mention.relation and fold(name) != TYPE and fits(mention.relation, each)
        )
        for name in some(others, chance, 1):
            yield mention.put(name)


def invented_relation(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """A relation that might be there and is not, named in the style of the one it stands for."""
    known = {fold(name) for name in outline.relations} | outline.words
    for mention in mentions(query, outline):
        made = _like(mention.relation.name, chance)
        if fold(made) not in known:
            yield mention.put(made)


def _like(name: str, chance: Random) -> str:
    """A name that begins as ``name`` does and says something else."""
    words: list[str] = _WORDS.findall(name) or [name]
    ending = chance.choice(_ENDINGS)
    if "_" in name:
        return f"{words[0].lower()}_{ending}"
    return words[0] + ending.capitalize()


def wrong_class(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """Members of another class."""
    for site, name in _classes(query, outline):
        others = (
            other
            for other, members in outline.classes.items()
            if fold(other) != fold(name) and members
        )
        for other in some(others, chance):
            yield site.put(literal(other))


def invented_class(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """Members of a class that might be there and is not."""
    known = {fold(name) for name in outline.classes} | outline.words
    for site, name in _classes(query, outline):
        made = _like(name, chance)
        if fold(made) not in known:
            yield site.put(literal(made))


def _classes(query: LLMQuery, outline: Outline) -> Iterator[tuple[Site, str]]:
    """Where a class is named, and which."""
    if not outline.classes:
        return
    for called in calls(query, "get_information"):
        for value in _tails_of_type(called):
            yield next(site for site in sites(query) if site.value is value), value.text


def _tails_of_type(called: Called) -> list[Literal]:
    for relation, tail in (("relation", "tail_entity"), ("key", "value")):
        named = [a.value.text for a in called.given(relation) if isinstance(a.value, Literal)]
        if [fold(name) for name in named] == [TYPE]:
            return [a.value for a in called.given(tail) if isinstance(a.value, Literal)]
    return []


def some(names: Iterable[str], chance: Random, most: int = MOST) -> list[str]:
    """A few of the names, whatever order they come in."""
    found = sorted(names)
    return found if len(found) <= most else sorted(chance.sample(found, most))
