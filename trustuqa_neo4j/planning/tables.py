"""``get_table``, ``calculate`` and ``group_by``: paths, expressions and aggregates, read and planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from ..language.binding import Bound
from ..language.expressions import Figure, read_aggregate, read_expression
from ..language.paths import Path, PathStep, read_path, read_paths
from ..language.query import Listing, Literal, Problem, Value
from ..language.signs import COMMAS
from .information import Planning, Unplannable, terms
from .operations import Calculate, Catalogue, Group, Known, Operation, Walk


def walk(bound: Bound, catalogue: Catalogue, planning: Planning) -> Operation:
    """``get_table(head_entity, columns)``.

    Raises:
        Unplannable: a column is no path.
    """
    heads = bound.given("head_entity")
    found = tuple(
        path
        for whole, apart in _paths(bound)
        for path in (whole if _known(whole, catalogue) else apart)
    )
    found = shared(_named(path, catalogue) for path in found)
    if not found:
        raise Unplannable(
            _missing(bound, "get_table", "columns, such as 'relation > relation as name'")
        )
    return Walk(terms(heads, planning) if heads else None, found, bound.position)


def walked(bound: Bound) -> set[str]:
    """The relations of a ``get_table``'s paths, whichever way these are read.

    Raises:
        Unplannable: a column is no path.
    """
    readings = (paths for both in _paths(bound) for paths in both)
    steps = [step for paths in readings for path in paths for step in path.steps]
    return {name for step in steps for name in (step.relation, step.marked) if name}


Paths: TypeAlias = "tuple[Path, ...]"
_COMMAS = frozenset(COMMAS)


def _paths(bound: Bound) -> Iterator[tuple[Paths, Paths]]:
    """What each text among the columns writes: as one path, none if it is none; and taken apart at commas."""
    for literal in _literals(bound, "columns"):
        whole, apart = read_path(literal.text), read_paths(literal.text)
        if isinstance(apart, Problem):
            raise Unplannable(_within(apart, literal))
        one = () if isinstance(whole, Problem) else (_placed(whole, literal),)
        yield one, tuple(_placed(path, literal) for path in apart)


def _known(paths: Paths, catalogue: Catalogue) -> bool:
    """Whether commas of a path stand in the names of relations that are there."""
    names = (step.relation for path in paths for step in path.steps)
    commas = [name for name in names if not _COMMAS.isdisjoint(name)]
    return bool(commas) and all(catalogue.get(name, Known()).facts for name in commas)


def _named(path: Path, catalogue: Catalogue) -> Path:
    """A path with question marks as parts of names where relations are called just so."""
    steps = tuple(
        replace(step, relation=step.marked, optional=False)
        if step.marked in catalogue.get(step.marked, Known()).names
        else step
        for step in path.steps
    )
    plain = path.name == path.steps[-1].marked
    return replace(path, steps=steps, name=steps[-1].relation if plain else path.name)


def shared(paths: Iterable[Path]) -> Paths:
    """Paths of which those that share a step agree whether it is optional: one that needs it decides.

    What another path says may be missing there is then what that path leads to from there.
    """
    given = list(paths)
    walks = [list(path.steps) for path in given]
    for depth in range(max(map(len, walks), default=0)):
        together: dict[tuple[object, ...], list[list[PathStep]]] = {}
        for steps in walks:
            if depth < len(steps):
                prefix = tuple((s.relation, s.backwards, s.walk) for s in steps[: depth + 1])
                together.setdefault(prefix, []).append(steps)
        for same in together.values():
            needed = not all(steps[depth].optional for steps in same)
            for steps in same if needed else ():
                behind = depth + 1
                if steps[depth].optional and behind < len(steps):
                    steps[behind] = replace(steps[behind], optional=True)
                steps[depth] = replace(steps[depth], optional=False)
    return tuple(
        replace(path, steps=tuple(steps)) for path, steps in zip(given, walks, strict=True)
    )


def _placed(path: Path, literal: Literal) -> Path:
    """A path where it stands in the whole query: behind the quote with which its text begins."""
    behind = literal.position + 1
    return replace(
        path, steps=tuple(replace(step, position=behind + step.position) for step in path.steps)
    )


def calculate(bound: Bound, planning: Planning) -> Operation:
    """``calculate(set, expression, name)``.

    Raises:
        Unplannable: there is no expression, or it cannot be read.
    """
    for literal in _literals(bound, "expression"):
        expression = read_expression(literal.text)
        if isinstance(expression, Problem):
            raise Unplannable(_within(expression, literal))
        name = next(iter(_literals(bound, "name")), literal).text
        of = _operand(bound, "calculate", planning)
        return Calculate(of, expression, name, bound.position, literal.text)
    raise Unplannable(_missing(bound, "calculate", "an expression, such as 'paid - reserve'"))


def group(bound: Bound, planning: Planning) -> Operation:
    """``group_by(set, by, values)``.

    Raises:
        Unplannable: a value is no aggregate.
    """
    values: list[Figure] = []
    for literal in _literals(bound, "values"):
        figure = read_aggregate(literal.text)
        if isinstance(figure, Problem):
            raise Unplannable(_within(figure, literal))
        values.append(figure)
    by = tuple(literal.text for literal in _literals(bound, "by") if literal.text)
    if not values and not by:
        raise Unplannable(_missing(bound, "group_by", "columns to group by, or values"))
    return Group(_operand(bound, "group_by", planning), by, tuple(values), bound.position)


def _operand(bound: Bound, function: str, planning: Planning) -> Operation:
    if not bound.operands:
        raise Unplannable(_missing(bound, function, "a table"))
    return planning(bound.operands[0])


def _literals(bound: Bound, name: str) -> Iterator[Literal]:
    for argument in bound.given(name):
        waiting: list[Value] = [argument.value]
        while waiting:
            value = waiting.pop(0)
            if isinstance(value, Literal):
                yield value
            elif isinstance(value, Listing):
                waiting = [*value.members, *waiting]
            else:
                message = f"{name} are texts, not results of other steps"
                raise Unplannable(Problem("unknown combination", message, None, value.position))


def _within(problem: Problem, literal: Literal) -> Problem:
    """A problem within a text, where it stands in the whole query."""
    return Problem(
        problem.kind, f"{problem.message} (in {literal.text[:60]!r})", None,
        literal.position + 1 + (problem.position or 0),
    )  # fmt: skip


def _missing(bound: Bound, function: str, what: str) -> Problem:
    return Problem("unknown combination", f"{function} needs {what}", None, bound.position)
