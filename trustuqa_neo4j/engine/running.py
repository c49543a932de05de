"""A query run: prepared, executed step by step, answered and proven."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from ..answer import Answer
from ..compiling import Program
from ..dataset import Scope
from ..executing.absent import first_empty
from ..executing.answering import answer_of, told
from ..executing.applying import Executor
from ..executing.naming import Names
from ..executing.world import World
from ..language.query import Problem
from ..planning import ExecutionQuery, Name, Operation, Search, uses
from ..reasoning.results import Refused
from ..recording import Recorder
from .preparing import Stopped, prepared

EVIDENCE = 20
"""Facts shown with an answer unless more are asked for."""


def run(
    text: str,
    scope: Scope,
    evidence: int = EVIDENCE,
    limit: int | None = None,
    checked: bool = True,
) -> Program[Answer]:
    """Run the LLM query in ``text`` over ``scope``.

    At most ``evidence`` facts are shown, and ``limit`` values or rows. Not ``checked`` against the data,
    a query runs as far as it can be read: what the check is worth is measured so.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be asked.
    """
    recorder = Recorder(perf_counter())
    ready = yield from prepared(text, scope, recorder, checked)
    if isinstance(ready, Stopped):
        problems = [p for p in ready.problems if p.severity != "warning"]
        return recorder.answer(ready.outcome, problems=problems, mapped=ready.mapped)
    known, planned = ready.names, ready.planned
    world = World(scope, known, recorder, target=planned.target)
    executor = Executor(world)
    try:
        yield from _execute(executor, planned)
        return (yield from _answer(executor, planned, evidence, limit))
    except Refused as refused:
        problem = Problem(refused.kind, refused.message, world.step, refused.position)
        return recorder.answer("rejected", problems=(problem,), mapped=known.mapped)


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
    doubts = () if final.values else first_empty(planned, world.results)
    found = "; ".join((f"{proven.total} facts", *(doubt.message for doubt in doubts)))
    world.recorder.note("prove", told(last), found, begun)
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
        doubts=doubts,
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
