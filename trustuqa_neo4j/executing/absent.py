"""What a query asks for and the data does not have: classes, values of relations, results of a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..checking.vocabulary import TYPE, Vocabulary
from ..compiling import Program, Read
from ..dataset import Scope
from ..language.query import Problem
from ..mapping import fold
from ..planning import ExecutionQuery, Known, Name, Search, uses, within
from ..reasoning.results import Outcome
from ..recording import Recorder
from ..values import read_value
from .naming import Names


def unknown_classes(
    planned: ExecutionQuery, names: Names, scope: Scope, vocabulary: Vocabulary | None
) -> list[Problem]:
    """Classes that are asked for, that nothing is called and nothing is near; the nearest that there are."""
    if vocabulary is None or not vocabulary.classes:
        return []
    problems = []
    for step, relation, name in _compared(planned):
        if fold(relation.text) != TYPE or names.things.get(name.text):
            continue
        if vocabulary.class_named(name.text) is None and not vocabulary.near_classes(name.text):
            told = ", ".join(vocabulary.classes[:10])
            message = f"{scope} has no class {name.text!r}; there are {told}"
            problems.append(Problem("unknown class", message, step, name.position))
    return problems


def absent(
    planned: ExecutionQuery, names: Names, scope: Scope, recorder: Recorder
) -> Program[list[Problem]]:
    """Values that relations are to lead to and never do: rule 10, a doubt, since that may be the truth."""
    found: list[Problem] = []
    for step, relation, name in _compared(planned):
        rungs = names.things.get(name.text, ())
        known = names.relations.get(relation.text, ())
        if not known or names.selects(name.text):
            continue
        if not rungs:
            if _is_value(name.text, names.catalogue.get(relation.text)):
                continue
            message = f"{scope} has no {name.text!r}, which {relation.text} is to lead to"
            found.append(Problem("unknown name", message, step, name.position, "doubt"))
            continue
        nodes = [node for rung in rungs for node in rung.nodes]
        given = {"tails": nodes, "source": scope.source}
        lead = (yield from recorder.read(Read("kinds_of_facts_into", given)))[0]["relations"]
        if nodes and not set(lead) & {each for rung in known for each in rung.names}:
            others = f"; it is what {', '.join(lead[:5])} leads to" if lead else ""
            message = f"{relation.text} leads to no {name.text!r}{others}"
            found.append(Problem("unknown name", message, step, name.position, "doubt"))
    return found


def _is_value(text: str, known: Known | None) -> bool:
    """Whether ``text`` is a number or date, which may be written otherwise in the data."""
    return known is not None and (known.numbers or known.dates) > 0 and read_value(text) is not None


def _compared(planned: ExecutionQuery) -> Iterator[tuple[int, Name, Name]]:
    """Step, relation and name, wherever a relation is to lead to just that name."""
    for step in planned.steps:
        for operation in within(step.operation):
            if isinstance(operation, Search) and len(operation.relations) == 1:
                relation = operation.relations[0]
                for test in operation.tests:
                    for term in test.terms:
                        if (
                            test.operator == "="
                            and isinstance(term, Name)
                            and isinstance(relation, Name)
                        ):
                            yield step.number, relation, term


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
