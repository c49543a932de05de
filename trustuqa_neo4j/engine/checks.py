"""A query checked, and not run."""

from __future__ import annotations

from time import perf_counter

from ..answer import Checked
from ..checking.building import pattern_of
from ..checking.check import examine
from ..checking.inquiry import Inquiry
from ..checking.question import unsaid
from ..checking.vocabulary import Vocabulary
from ..compiling import Program
from ..dataset import Scope
from ..executing.absent import absent
from ..planning import plan
from ..recording import Recorder
from .preparing import Stopped, prepared, read_form


def check(text: str, scope: Scope, question: str | None = None) -> Program[Checked]:
    """See what is wrong with the LLM query in ``text``, and run nothing.

    ``question``: what of it the query never asks for is warned of.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be asked.
    """
    recorder = Recorder(perf_counter())
    ready = yield from prepared(text, scope, recorder)
    if isinstance(ready, Stopped):
        return Checked(ready.outcome, ready.problems, ready.mapped, tuple(recorder.stages))
    doubts = yield from absent(ready.planned, ready.names, scope, recorder)
    told = unsaid(question, ready.query, ready.inquiry) if question else ()
    problems = (*ready.warnings, *told, *doubts)
    mapped = tuple(dict.fromkeys((*ready.mapped, *ready.names.mapped)))
    return Checked(None, problems, mapped, tuple(recorder.stages))


def check_alone(text: str) -> Checked:
    """See what is wrong with the form of the LLM query in ``text``, whatever the data."""
    recorder = Recorder(perf_counter())
    read = read_form(text, recorder)
    if isinstance(read, Stopped):
        return Checked(read.outcome, read.problems, trace=tuple(recorder.stages))
    planned = plan(read, {})
    if isinstance(planned, tuple):
        return Checked("rejected", planned, trace=tuple(recorder.stages))
    pattern = pattern_of(planned, lambda _: False)
    found = examine(Inquiry(pattern, Vocabulary(), lambda _: None))
    wrong = any(problem.severity == "error" for problem in found)
    return Checked("rejected" if wrong else None, found, trace=tuple(recorder.stages))
