"""What a query asks for and the data does not have: classes, names at an end of a relation, results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ..checking.vocabulary import TYPE, Vocabulary
from ..compiling import Program, Read
from ..dataset import Scope
from ..language.query import Problem
from ..mapping import fold
from ..planning import Apply, ExecutionQuery, Name, Operation, Search, Test, Walk, uses, within
from ..reasoning.results import Outcome, Refused
from ..recording import Recorder
from ..values import read_value
from .applying import Executor
from .naming import Names
from .world import World


def unknown_classes(
    planned: ExecutionQuery, names: Names, scope: Scope, vocabulary: Vocabulary | None
) -> list[Problem]:
    """Classes that are asked for, that nothing is called and nothing is near; the nearest that there are."""
    if vocabulary is None or not vocabulary.classes:
        return []
    problems = []
    for asked in _asked(planned):
        name = asked.name
        if asked.relation is None or fold(asked.relation.text) != TYPE or asked.end != "tail":
            continue
        if names.things.get(name.text) or vocabulary.class_named(name.text) is not None:
            continue
        if not vocabulary.near_classes(name.text):
            told = ", ".join(vocabulary.classes[:10])
            message = f"{scope} has no class {name.text!r}; there are {told}"
            problems.append(Problem("unknown class", message, asked.step, name.position))
    return problems


class _Asked(NamedTuple):
    """A name that is to stand at an end of a relation; without one it is only to be there."""

    step: int
    name: Name
    end: Literal["head", "tail"]
    relation: Name | None


def absent(
    planned: ExecutionQuery, names: Names, scope: Scope, recorder: Recorder
) -> Program[list[Problem]]:
    """Names that do not stand where they are asked for: rule 10, a doubt, since that may be the truth.

    Each is searched for by itself, just as the step would: what is read as another value there is no problem.
    What the answer does not use makes no difference.
    """
    executor = Executor(World(scope, names, recorder))
    used = _used(planned)
    found: list[Problem] = []
    for asked in dict.fromkeys(_asked(planned)):
        if asked.step not in used or names.selects(asked.name.text):
            continue
        wrong = yield from _wrong(asked, executor)
        if wrong:
            place = (asked.step, asked.name.position)
            found.append(Problem("unknown name", wrong, *place, "doubt"))
    return found


def _used(planned: ExecutionQuery) -> set[int]:
    """The steps that the answer comes from."""
    found = {planned.steps[-1].number}
    for step in reversed(planned.steps):
        if step.number in found:
            found.update(uses(step.operation))
    return found


def _wrong(asked: _Asked, executor: Executor) -> Program[str]:
    """What is wrong with a name; empty where nothing is."""
    world, given, relation = executor.world, asked.name.text, asked.relation
    nodes = [node for rung in world.names.things.get(given, ()) for node in rung.nodes]
    if relation is None:
        # What is only a number or a date may be compared with what is computed.
        return "" if nodes or read_value(given) is not None else f"{world.scope} has no {given!r}"
    if not world.names.relations.get(relation.text):
        return ""  # declared, with no fact yet, or the place of rows
    place = asked.name.position
    if asked.end == "head":
        search = Search("tails", place, (relation,), (asked.name,))
    else:
        search = Search("heads", place, (relation,), None, (Test("=", (asked.name,), place),))
    try:
        found = yield from executor.evaluate(search)
    except Refused as refused:
        return refused.message
    if len(found):
        return ""
    leads = "start from" if asked.end == "head" else "lead to"
    if not nodes:
        return f"{world.scope} has no {given!r}, which {relation.text} is to {leads}"
    return (yield from _elsewhere(asked, relation, nodes, leads, world))


def _elsewhere(
    asked: _Asked, relation: Name, nodes: list[int], leads: str, world: World
) -> Program[str]:
    """What to say of a name that is there, and not where it is asked for."""
    kinds = {}
    ends = (("head", "kinds_of_facts_out_of", "heads"), ("tail", "kinds_of_facts_into", "tails"))
    for end, statement, parameter in ends:
        given = {parameter: nodes, "source": world.scope.source}
        kinds[end] = (yield from world.read(Read(statement, given)))[0]["relations"]
    other = "tail" if asked.end == "head" else "head"
    known = {name for rung in world.names.relations[relation.text] for name in rung.names}
    wrong = f"{relation.text} does not {leads} {asked.name.text!r}"
    if known & set(kinds[other]):
        return f"{wrong}, and does the other way round: give it as {other}_entity"
    listed = ", ".join(kinds[asked.end][:5])
    return f"{wrong}; these do: {listed}" if listed else wrong


_SETS = frozenset(("set_intersection", "set_difference", "set_union", "set_negation"))


def _asked(planned: ExecutionQuery) -> Iterator[_Asked]:
    """Every name that is to stand at an end of one relation, or to be a member of a set."""
    for step in planned.steps:
        for operation in within(step.operation):
            if isinstance(operation, Search) and len(operation.relations) == 1:
                yield from _searched(step.number, operation, operation.relations[0])
            elif isinstance(operation, Walk):
                yield from _walked(step.number, operation)
            elif isinstance(operation, Apply) and operation.function in _SETS:
                for name in _names(operation.operands):
                    yield _Asked(step.number, name, "tail", None)


def _searched(step: int, search: Search, relation: Operation) -> Iterator[_Asked]:
    if isinstance(relation, Name):
        for name in _names(search.heads or ()):
            yield _Asked(step, name, "head", relation)
        for test in search.tests:
            if test.operator == "=":
                for name in _names(test.terms):
                    yield _Asked(step, name, "tail", relation)


def _walked(step: int, walk: Walk) -> Iterator[_Asked]:
    """Heads of a table, which are to have the first relation of each path that has to lead somewhere."""
    first = dict.fromkeys(path.steps[0] for path in walk.paths if not path.steps[0].optional)
    for name in _names(walk.heads or ()):
        for begin in first:
            relation = Name(begin.relation, begin.position)
            yield _Asked(step, name, "tail" if begin.backwards else "head", relation)


def _names(operations: tuple[Operation, ...]) -> Iterator[Name]:
    return (operation for operation in operations if isinstance(operation, Name))


def first_empty(planned: ExecutionQuery, results: Mapping[int, Outcome]) -> tuple[Problem, ...]:
    """Rule 13: the first step that found nothing although what it was given is not empty.

    A doubt, since that may be the truth.
    """
    for step in planned.steps:
        given = uses(step.operation)
        if len(results[step.number]) or any(not len(results[number]) for number in given):
            continue
        of = ", ".join(f"output_of_query{number} ({len(results[number]):,})" for number in given)
        message = f"{step.operation} found nothing"
        message += f", though what it was given is not empty: {of}" if of else " in the data"
        position = getattr(step.operation, "position", None)
        return (Problem("empty step", message, step.number, position, "doubt"),)
    return ()
