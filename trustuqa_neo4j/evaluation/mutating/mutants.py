"""Right queries → mutants: all that the operators make, each text once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from ...language.parse import parse
from ...language.query import LLMQuery
from ...language.writing import Unwritable, write
from .operators import OPERATORS, TWO
from .outline import Outline

PAIRS = 10
"""Mutants of a query that two operators make."""


@dataclass(frozen=True)
class Origin:
    """A query that is right, with the question that it answers and its labels, where they are known."""

    id: str
    query: str
    question: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mutant:
    """A query made wrong by the operator of that name."""

    text: str
    operator: str
    origin: Origin


def mutants(origin: Origin, outline: Outline, seed: int = 0) -> Iterator[Mutant]:
    """The mutants of a query; what operators choose depends on nothing but it and the seed.

    Raises:
        ValueError: the query cannot be read.
    """
    query = parse(origin.query)
    if not isinstance(query, LLMQuery):
        raise ValueError(f"{origin.id}: {query[0].message}")
    seen = {write(query)}

    def new(name: str, made: Iterable[LLMQuery]) -> Iterator[Mutant]:
        for each in made:
            text = readable(each)
            if text is not None and text not in seen:
                seen.add(text)
                yield Mutant(text, name, origin)

    for name, operator in OPERATORS.items():
        yield from new(name, operator.operate(query, outline, _chance(seed, origin, name)))
    yield from islice(new(TWO, _twice(query, outline, _chance(seed, origin, TWO))), PAIRS)


def _chance(seed: int, origin: Origin, name: str) -> Random:
    return Random(f"{seed}/{origin.id}/{name}")  # noqa: S311 # no secret


def _twice(query: LLMQuery, outline: Outline, chance: Random) -> Iterator[LLMQuery]:
    """One mutant of a mutant for each of some pairs of operators."""
    for _ in range(4 * PAIRS):
        made: LLMQuery | None = query
        for name in chance.sample(sorted(OPERATORS), 2):
            several = [] if made is None else list(OPERATORS[name].operate(made, outline, chance))
            made = chance.choice(several) if several else None
        if made is not None:
            yield made


def readable(query: LLMQuery) -> str | None:
    """A query as text that is read as itself; None where no text is."""
    try:
        text = write(query)
    except Unwritable:
        return None
    return text if isinstance(parse(text), LLMQuery) else None


def sampled(made: Sequence[Mutant], seed: int, limit: int | None) -> list[Mutant]:
    """As many of the mutants as wished, drawn evenly from the operators' own."""
    if limit is None or limit >= len(made):
        return list(made)
    by_operator: dict[str, list[Mutant]] = {}
    for each in made:
        by_operator.setdefault(each.operator, []).append(each)
    for name, several in by_operator.items():
        Random(f"{seed}/{name}").shuffle(several)  # noqa: S311 # no secret
    chosen: list[Mutant] = []
    while len(chosen) < limit and by_operator:
        for name in list(by_operator):
            if len(chosen) < limit:
                chosen.append(by_operator[name].pop())
            if not by_operator[name]:
                del by_operator[name]
    return chosen
