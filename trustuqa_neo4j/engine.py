"""The stages once, in order: parse, check, map, plan, execute, prove.

The engine does no I/O. It is a generator that yields the statements to run and is sent their rows, so
the synchronous and the asynchronous client drive the very same code, each in one read transaction; a
second copy with ``await`` in it was the alternative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter

from .answer import Answer, Checked, Outcome
from .checking.check import check as check_form
from .checking.check import examine
from .checking.inquiry import Inquiry
from .checking.pattern import pattern_of
from .checking.vocabulary import Vocabulary
from .compiling import Program
from .dataset import Scope
from .executing.absent import absent, first_empty, unknown_classes
from .executing.answering import answer_of, told
from .executing.applying import Executor
from .executing.consulting import consult
from .executing.naming import Names, look_up, settle
from .executing.world import World
from .language.parse import parse
from .language.query import LLMQuery, Problem
from .mapping import Mapped
from .planning import ExecutionQuery, Name, Operation, Search, names, plan, uses
from .reasoning.results import Refused
from .recording import Recorder

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
    ready = yield from _prepared(text, scope, recorder, checked)
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


def check(text: str, scope: Scope) -> Program[Checked]:
    """See what is wrong with the LLM query in ``text``, and run nothing.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be asked.
    """
    recorder = Recorder(perf_counter())
    ready = yield from _prepared(text, scope, recorder)
    if isinstance(ready, Stopped):
        return Checked(ready.outcome, ready.problems, ready.mapped, tuple(recorder.stages))
    doubts = yield from absent(ready.planned, ready.names, scope, recorder)
    problems = (*ready.warnings, *doubts)
    return Checked(None, problems, ready.mapped, tuple(recorder.stages))


def check_alone(text: str) -> Checked:
    """See what is wrong with the form of the LLM query in ``text``, whatever the data."""
    recorder = Recorder(perf_counter())
    read = _read(text, recorder)
    if isinstance(read, Stopped):
        return Checked(read.outcome, read.problems, trace=tuple(recorder.stages))
    planned = plan(read, {})
    if isinstance(planned, tuple):
        return Checked("rejected", planned, trace=tuple(recorder.stages))
    pattern = pattern_of(planned, lambda _: False)
    found = examine(Inquiry(pattern, Vocabulary(), lambda _: None))
    wrong = any(problem.severity == "error" for problem in found)
    return Checked("rejected" if wrong else None, found, trace=tuple(recorder.stages))


@dataclass(frozen=True, slots=True)
class Stopped:
    """A query that is not to run."""

    outcome: Outcome
    problems: tuple[Problem, ...]
    mapped: tuple[Mapped, ...] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """A query that may run: what its names mean, its operations, and what the check warns of.

    ``mapped`` are the relations that were not found as written.
    """

    names: Names
    planned: ExecutionQuery
    warnings: tuple[Problem, ...]
    mapped: tuple[Mapped, ...]


def _read(text: str, recorder: Recorder) -> LLMQuery | Stopped:
    """Parse, and check what the steps say by themselves."""
    read = recorder.timed("parse", text, lambda: parse(text))
    if isinstance(read, tuple):
        return Stopped("failed", read)
    problems = recorder.timed("check", f"{len(read.steps)} steps", lambda: check_form(read))
    return Stopped("rejected", problems) if problems else read


def _prepared(
    text: str, scope: Scope, recorder: Recorder, checked: bool = True
) -> Program[Ready | Stopped]:
    """All stages before anything is searched."""
    parsed = _read(text, recorder)
    if isinstance(parsed, Stopped):
        return parsed
    known = yield from _map(parsed, scope, recorder)
    planned = recorder.timed(
        "plan", f"{len(parsed.steps)} steps", lambda: plan(parsed, known.catalogue)
    )
    if isinstance(planned, tuple):
        return Stopped("rejected", planned)
    vocabulary = (yield from _vocabulary(scope, known, recorder)) if checked else None
    found = _examine(planned, known, vocabulary, recorder) if checked else ()
    if any(problem.severity == "error" for problem in found):
        return Stopped("rejected", found)
    missing, nearest = yield from _settle(planned, known, scope, recorder, vocabulary)
    if missing:
        return Stopped("not_askable", (*missing, *found), tuple(known.mapped))
    if nearest and checked:
        found = tuple(_read_as(p, nearest) for p in _examine(planned, known, vocabulary, recorder))
        if any(problem.severity == "error" for problem in found):
            return Stopped("rejected", found, tuple(known.mapped))
    read = tuple(m for given in nearest for m in known.relations[given][0].mapped(given))
    return Ready(known, planned, found, read)


def _vocabulary(scope: Scope, known: Names, recorder: Recorder) -> Program[Vocabulary | None]:
    """That of the one dataset that is asked; several are joined by names, of which none knows."""
    if len(scope.datasets) != 1 or not known.stamps:
        return None
    dataset = scope.datasets[0]
    return (yield from consult(dataset, known.stamps[dataset], recorder))


def _examine(
    planned: ExecutionQuery, known: Names, vocabulary: Vocabulary | None, recorder: Recorder
) -> tuple[Problem, ...]:
    """Check what the steps ask of the data: names as they stand, or as they were read by now."""

    def work() -> tuple[Problem, ...]:
        used = vocabulary or Vocabulary()
        pattern = pattern_of(planned, known.selects)
        return examine(Inquiry(pattern, used, lambda given: known.read(given, used), known.keys))

    return recorder.timed("check", f"{len(planned.steps)} steps with the data", work)


def _read_as(problem: Problem, nearest: Mapping[str, str]) -> Problem:
    """A problem with the relations that its message names as the query does, and were read as others."""
    read = [
        f"{given!r} was read as {used!r}"
        for given, used in nearest.items()
        if given in problem.message
    ]
    if not read:
        return problem
    return replace(problem, message=f"{problem.message} ({'; '.join(read)})")


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
    planned: ExecutionQuery,
    known: Names,
    scope: Scope,
    recorder: Recorder,
    vocabulary: Vocabulary | None,
) -> Program[tuple[list[Problem], dict[str, str]]]:
    """See that every relation and class is there, by the nearest name if need be; which were read so."""
    begun = perf_counter()
    before = {given for given, rungs in known.relations.items() if rungs}
    missing = yield from settle(planned, known, scope, recorder, vocabulary)
    if recorder.sent:
        found = f"{len(missing)} unknown relations" if missing else "by the nearest names"
        recorder.note("map", "relations that nothing is called", found, begun)
    missing += unknown_classes(planned, known, scope, vocabulary)
    nearest = {
        given: rungs[0].names[0]
        for given, rungs in known.relations.items()
        if rungs and given not in before
    }
    return missing, nearest


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
    doubts = () if final.values else first_empty(planned, world.results)
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
