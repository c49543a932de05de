"""The stages once, in order: parse, check, map, plan, execute, prove.

The engine does no I/O. It is a generator that yields the statements to run and is sent their rows, so
the synchronous and the asynchronous client drive the very same code, each in one read transaction; a
second copy with ``await`` in it was the alternative.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from .answer import Answer
from .checking.check import check
from .compiling import Program
from .dataset import Scope
from .executing.answering import answer_of, told
from .executing.applying import Executor
from .executing.naming import Names, look_up, settle
from .executing.world import World
from .language.parse import parse
from .language.query import LLMQuery, Problem
from .planning import ExecutionQuery, Name, Operation, Search, names, plan, uses
from .reasoning.results import Refused
from .recording import Recorder

EVIDENCE = 20
"""Facts shown with an answer unless more are asked for."""


def run(
    text: str, scope: Scope, evidence: int = EVIDENCE, limit: int | None = None
) -> Program[Answer]:
    """Run the LLM query in ``text`` over ``scope``.

    At most ``evidence`` facts are shown, and ``limit`` values or rows.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be asked.
    """
    recorder = Recorder(perf_counter())
    read = recorder.timed("parse", text, lambda: parse(text))
    if isinstance(read, tuple):
        return recorder.answer("failed", problems=read)
    problems = recorder.timed("check", f"{len(read.steps)} steps", lambda: check(read))
    if problems:
        return recorder.answer("rejected", problems=problems)
    known = yield from _map(read, scope, recorder)
    planned = recorder.timed(
        "plan", f"{len(read.steps)} steps", lambda: plan(read, known.catalogue)
    )
    if isinstance(planned, tuple):
        return recorder.answer("rejected", problems=planned)
    missing = yield from _settle(planned, known, scope, recorder)
    if missing:
        return recorder.answer("not_askable", problems=missing, mapped=known.mapped)
    world = World(scope, known, recorder, target=planned.target)
    executor = Executor(world)
    try:
        yield from _execute(executor, planned)
        return (yield from _answer(executor, planned, evidence, limit))
    except Refused as refused:
        problem = Problem(refused.kind, refused.message, world.step, refused.position)
        return recorder.answer("rejected", problems=(problem,), mapped=known.mapped)


def _map(read: LLMQuery, scope: Scope, recorder: Recorder) -> Program[Names]:
    """Look all names of the query up."""
    begun = perf_counter()
    relations, things = names(read)
    known = yield from look_up(relations, things, scope, recorder)
    rungs = known.relations | known.things
    found = [
        f"{given!r} {steps[0].how} {', '.join(map(repr, steps[0].names[:3]))}"
        for given, steps in rungs.items()
        if steps
    ]
    unknown = [repr(given) for given, steps in rungs.items() if not steps]
    if unknown:
        found.append(f"unknown: {', '.join(unknown)}")
    recorder.note(
        "map", f"{len(relations)} relations, {len(things)} names", "; ".join(found), begun
    )
    return known


def _settle(
    planned: ExecutionQuery, known: Names, scope: Scope, recorder: Recorder
) -> Program[list[Problem]]:
    """See that every relation is there, by the nearest name if need be."""
    begun = perf_counter()
    missing = yield from settle(planned, known, scope, recorder)
    if recorder.sent:
        found = f"{len(missing)} unknown relations" if missing else "by the nearest names"
        recorder.note("map", "relations that nothing is called", found, begun)
    return missing


def _execute(executor: Executor, planned: ExecutionQuery) -> Program[None]:
    """Run the steps in turn; each may use the results before it."""
    world = executor.world
    for step in planned.steps:
        begun = perf_counter()
        world.step = step.number
        world.operations[step.number] = step.operation
        world.remarks.clear()
        try:
            outcome = yield from executor.evaluate(step.operation)
        except Refused as refused:
            why = f"step {step.number}: {refused.message}"
            uses_ = uses(step.operation)
            world.recorder.note("execute", str(step.operation), why, begun, step.number, uses_)
            raise
        world.results[step.number] = outcome
        remarks = "".join(f"; {remark}" for remark in world.remarks[:5])
        found = f"step {step.number}: {told(outcome)}{remarks}"
        given = str(step.operation)
        world.recorder.note("execute", given, found, begun, step.number, uses(step.operation))


def _answer(
    executor: Executor, planned: ExecutionQuery, evidence: int, limit: int | None
) -> Program[Answer]:
    """Names of the last step's result, and the facts of every step that led there."""
    begun = perf_counter()
    world = executor.world
    last = world.results[planned.steps[-1].number]
    proven = yield from answer_of(executor, last, evidence)
    final = proven.final
    size = len(final.values if final.rows is None else final.rows)
    cut = size if limit is not None and size > limit else None
    world.recorder.note("prove", told(last), f"{proven.total} facts", begun)
    return world.recorder.answer(
        "answered" if final.values else "empty",
        values=final.values if cut is None else final.values[:limit],
        columns=final.columns,
        rows=final.rows if cut is None or final.rows is None else final.rows[:limit],
        problems=() if final.values else _unknown(planned, world.names, world.scope),
        mapped=world.names.mapped,
        evidence=proven.facts,
        evidence_total=proven.total,
        truncated=world.truncated or cut,
    )


def _unknown(planned: ExecutionQuery, known: Names, scope: Scope) -> list[Problem]:
    """What may be why nothing was found: names that the scope does not have."""
    return [
        Problem("unknown name", f"{scope} has no {term.text!r}", step.number, term.position)
        for step in planned.steps
        if isinstance(step.operation, Search)
        for terms in (step.operation.heads or (), *_named(step.operation))
        for term in terms
        if isinstance(term, Name) and not known.things.get(term.text)
    ]


def _named(search: Search) -> Iterator[tuple[Operation, ...]]:
    """What tails are to be; what they are only compared with need not be there."""
    return (test.terms for test in search.tests if test.operator in ("=", "!="))
