"""All stages before anything is searched: parse, check, map, plan, check with the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter

from ..answer import Outcome
from ..checking.building import pattern_of
from ..checking.check import check as check_form
from ..checking.check import examine
from ..checking.inquiry import Inquiry
from ..checking.vocabulary import TYPE, Vocabulary
from ..compiling import Program
from ..dataset import Scope
from ..executing.absent import unknown_classes
from ..executing.consulting import consult
from ..executing.naming import Names, look_up
from ..executing.settling import distant, settle
from ..language.parse import parse
from ..language.query import LLMQuery, Problem
from ..mapping import Mapped, fold
from ..planning import ExecutionQuery, names, plan
from ..recording import Recorder


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

    query: LLMQuery
    names: Names
    planned: ExecutionQuery
    inquiry: Inquiry
    warnings: tuple[Problem, ...] = ()
    mapped: tuple[Mapped, ...] = ()


def read_form(text: str, recorder: Recorder) -> LLMQuery | Stopped:
    """Parse, and check what the steps say by themselves."""
    read = recorder.timed("parse", text, lambda: parse(text))
    if isinstance(read, tuple):
        return Stopped("failed", read)
    problems = recorder.timed("check", f"{len(read.steps)} steps", lambda: check_form(read))
    return Stopped("rejected", problems) if problems else read


def prepared(
    text: str, scope: Scope, recorder: Recorder, checked: bool = True
) -> Program[Ready | Stopped]:
    """All stages before anything is searched."""
    parsed = read_form(text, recorder)
    if isinstance(parsed, Stopped):
        return parsed
    known = yield from _map(parsed, scope, recorder)
    planned = recorder.timed(
        "plan", f"{len(parsed.steps)} steps", lambda: plan(parsed, known.catalogue)
    )
    if isinstance(planned, tuple):
        return Stopped("rejected", planned)
    vocabulary = (yield from _vocabulary(scope, known, recorder)) if checked else None
    inquiry = _inquiry(planned, known, vocabulary)
    if not checked:
        missing, _ = yield from _settle(planned, known, scope, recorder, None)
        if missing:
            return Stopped("not_askable", tuple(missing), tuple(known.mapped))
        return Ready(parsed, known, planned, inquiry)
    found = _examine(inquiry, recorder)
    if any(problem.severity == "error" for problem in found):
        return Stopped("rejected", found)
    missing, nearest = yield from _settle(planned, known, scope, recorder, vocabulary)
    if missing:
        return Stopped("not_askable", (*missing, *found), tuple(known.mapped))
    if nearest:
        inquiry = _inquiry(planned, known, vocabulary)
        found = tuple(_read_as(problem, nearest) for problem in _examine(inquiry, recorder))
        if any(problem.severity == "error" for problem in found):
            return Stopped("rejected", found, tuple(known.mapped))
    found = (*found, *distant(planned, known, scope, vocabulary))
    read = tuple(m for given in nearest for m in known.relations[given][0].mapped(given))
    return Ready(parsed, known, planned, inquiry, found, read)


def _vocabulary(scope: Scope, known: Names, recorder: Recorder) -> Program[Vocabulary | None]:
    """That of the one dataset that is asked; several are joined by names, of which none knows."""
    if len(scope.datasets) != 1 or not known.stamps:
        return None
    dataset = scope.datasets[0]
    return (yield from consult(dataset, known.stamps[dataset], recorder))


def _inquiry(planned: ExecutionQuery, known: Names, vocabulary: Vocabulary | None) -> Inquiry:
    """What the rules look at: names as they stand, or as they were read by now."""
    used = vocabulary or Vocabulary()

    def read(given: str) -> str | None:
        return known.read(given, used)

    def classes(given: str) -> bool:
        return fold(read(given) or given) == TYPE

    return Inquiry(pattern_of(planned, known.selects, classes), used, read, known.keys)


def _examine(inquiry: Inquiry, recorder: Recorder) -> tuple[Problem, ...]:
    """Check what the steps ask of the data."""
    return recorder.timed("check", "what the steps ask of the data", lambda: examine(inquiry))


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
