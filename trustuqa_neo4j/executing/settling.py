"""Relations that nothing is called as a query calls them: read as the nearest, or told to be missing."""

from __future__ import annotations

from collections.abc import Sequence

from ..checking.vocabulary import Vocabulary
from ..compiling import Program, Read
from ..dataset import Scope
from ..language.query import Problem
from ..looking import near_relations
from ..mapping import Candidate, Near, Rung, fold
from ..mapping.nearness import COLUMN, RELATION, RELATION_BY_LETTERS
from ..planning import ExecutionQuery, Name, Search, Walk, within
from ..recording import Recorder
from .naming import Names, merged

_ALIKE = 0.05
"""Columns whose nearness differs by less are told apart by their order: *Team 1* before *Team 2*."""

ALMOST = 0.8
"""From this nearness on one name is another's slip."""


def settle(
    planned: ExecutionQuery,
    names: Names,
    scope: Scope,
    recorder: Recorder,
    vocabulary: Vocabulary | None = None,
) -> Program[list[Problem]]:
    """Give every relation that is searched a rung; a problem for each that the scope does not have.

    A label of the vocabulary goes before the nearest name. What is declared and has no fact is no problem:
    it leads to nothing.
    """
    problems: list[Problem] = []
    for number, name in relations_in(planned):
        if names.relations.get(name.text) or names.row_number(name.text):
            continue
        known = vocabulary.declared_relation(name.text) if vocabulary else None
        if known is not None:
            yield from _enter_relation(
                name.text, "alias", (Near(known, None, 1.0),), names, scope, recorder
            )
            continue
        near = yield from nearest(name.text, names, scope, recorder)
        if near:
            message = _missing(name.text, near, scope, vocabulary or Vocabulary())
            problems.append(Problem("unknown relation", message, number, name.position))
    return problems


def distant(
    planned: ExecutionQuery, names: Names, scope: Scope, vocabulary: Vocabulary | None
) -> list[Problem]:
    """Relations of a graph with classes that were read as others by a small likeness: a doubt.

    There relations have names of a design, of which a model invents more (``claimStatus`` beside
    ``claimNumber``); elsewhere names are as near as people write them.
    """
    if vocabulary is None or not vocabulary.classes or names.table:
        return []
    found = []
    for number, name in relations_in(planned):
        rungs = names.relations.get(name.text, ())
        if rungs and rungs[0].how == "nearest" and rungs[0].score < ALMOST:
            read = vocabulary.told(rungs[0].names[0])
            message = f"{scope} has no relation {name.text!r}; it is read as {read}"
            found.append(Problem("unknown relation", message, number, name.position, "doubt"))
    return found


def nearest(given: str, names: Names, scope: Scope, recorder: Recorder) -> Program[list[str]]:
    """Enter the nearest relation for ``given``; where none is near enough, what there is."""
    if names.table:
        existing = sorted(names.columns, key=lambda name: names.columns[name].place or 0)
    else:
        parameters = {"datasets": list(scope.datasets), "source": scope.source}
        rows = yield from recorder.read(Read("relations", parameters))
        existing = list(dict.fromkeys(row["name"] for row in rows))
    near = yield from near_relations(given, existing, names.embedded)
    alike = _alike(given, near, existing) if names.table else []
    least = COLUMN if names.table else RELATION if names.embedded else RELATION_BY_LETTERS
    if near and near[0].score >= least:
        best = alike[0] if near[0] in alike else near[0]
        steps = (best, *(one for one in alike if one is not best))
        yield from _enter_relation(given, "nearest", steps, names, scope, recorder)
        return []
    return [one.name for one in near] or ["nothing"]


def _enter_relation(
    given: str, how: str, steps: Sequence[Near], names: Names, scope: Scope, recorder: Recorder
) -> Program[None]:
    """Let ``given`` stand for relations, the first of ``steps`` before the others."""
    best = steps[0].name
    again = {
        "datasets": list(scope.datasets), "source": scope.source,
        "relations": [fold(best)], "names": [], "keys": [],
    }  # fmt: skip
    rows = yield from recorder.read(Read("find_names", again))
    found = [row for row in rows if row["what"] == "relation" and row["name"] == best]
    names.relations[given] = tuple(Rung(how, (Candidate(one.name),), one.score) for one in steps)
    names.catalogue[given] = merged(found)


def _alike(given: str, near: Sequence[Near], existing: Sequence[str]) -> list[Near]:
    """Columns about as near as the nearest that hold all words of ``given`` too, in their order."""
    words = set(fold(given).split())
    holding = [
        one
        for one in near
        if words and words <= set(fold(one.name).split()) and one.score > near[0].score - _ALIKE
    ]
    return sorted(holding, key=lambda one: existing.index(one.name))


def _missing(given: str, near: list[str], scope: Scope, vocabulary: Vocabulary) -> str:
    told = ", ".join(map(vocabulary.told, near[:3]))
    count = "" if len(near) <= 3 else f" of {len(near)}"
    return f"{scope} has no relation {given!r}; the nearest{count} are {told}"


def relations_in(planned: ExecutionQuery) -> list[tuple[int, Name]]:
    """The names of relations that are searched, with the step."""
    found = [
        (step.number, relation)
        for step in planned.steps
        for operation in within(step.operation)
        if isinstance(operation, Search | Walk)
        for relation in operation.relations
        if isinstance(relation, Name)
    ]
    return sorted(found, key=lambda pair: pair[1].position)
