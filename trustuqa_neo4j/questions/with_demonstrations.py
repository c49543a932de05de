"""Answers a question without a model: the queries of similar demonstrations are filled and run, best first.

Below the calibrated score of the dataset the question is not askable; the answer lists similar questions.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..answer import Answer, compute_trust
from ..demonstrations.offline_writer import CandidateQueries, QueryCandidate, suggest_queries
from ..demonstrations.question_start import read_start
from ..demonstrations.selection import DEFAULT_THRESHOLD
from ..demonstrations.words import mark_names
from ..language.ast import Problem, ProblemKind
from ..model.dataset import Scope
from ..model.demonstration import format_group
from ..reads.reader import Reader
from ..wording import CallOption, render_options
from .context import QuestionContext, enter_scope, make_abstained
from .options import AskRequest
from .voting import Tries, try_out

_MODEL = f"`{CallOption.LLM.with_value('openai:NAME')}`"
NOTHING = "nothing like it was demonstrated"


@dataclass(frozen=True, slots=True)
class DemonstratedAnswer:
    """An answer after a demonstration; ``is_certain``: no reading of the question may replace it.

    That of the demonstration of this very question is certain, and one that would do without calibration.
    """

    answer: Answer
    is_certain: bool = False


def answer_with_demonstrations(context: QuestionContext) -> DemonstratedAnswer:
    return context.in_transaction(_answer)


def _answer(context: QuestionContext) -> DemonstratedAnswer:
    request, trace = context.request, context.trace
    candidates, sent = context.read(lambda reader: _candidates(reader, request))
    summary = "; ".join(_told(candidate, request.scope) for candidate in candidates.queries)
    trace.add("retrieve", request.question, summary or NOTHING, sent)
    if not candidates.queries:
        answer = _not_askable(context, candidates)
        return DemonstratedAnswer(trace.finish(answer, question=request.question))
    tries = try_out(context, candidates.queries)
    chosen = None if tries.place is None else candidates.queries[tries.place]
    if tries.best is None or chosen is None or chosen.score < _needed(candidates, chosen):
        trace.add("try", f"{len(tries.answers)} queries", f"none of: {_list_answers(tries)}")
        answer = _not_askable(context, candidates)
        datasets = _datasets(candidates)
        return DemonstratedAnswer(
            trace.finish(answer, question=request.question, datasets=datasets)
        )
    confidence = round(chosen.score * compute_trust(tries.best), 4)
    is_certain = confidence >= DEFAULT_THRESHOLD or chosen.is_own
    if confidence < request.min_confidence:
        answer = make_abstained(confidence, request.min_confidence)
        datasets = _datasets(candidates)
        answer = trace.finish(answer, question=request.question, datasets=datasets)
        return DemonstratedAnswer(answer, is_certain)
    trace.add("follow", chosen.pattern.question, _followed(chosen))
    answer = trace.finish(
        tries.best,
        question=request.question,
        llm_query=chosen.query,
        confidence=confidence,
        origin="demonstrated",
        datasets=chosen.scope.datasets,
        source=chosen.source,
    )
    return DemonstratedAnswer(answer, is_certain)


def _candidates(reader: Reader, request: AskRequest) -> CandidateQueries:
    question = mark_names(request.question, request.entities)
    reader = read_start(reader, question, request.scope)
    enter_scope(reader, request.scope)
    return suggest_queries(reader, question, request.scope, True)


def _needed(candidates: CandidateQueries, chosen: QueryCandidate) -> float:
    calibration = candidates.calibrations.get(chosen.dataset)
    if calibration is None or calibration.threshold is None or not calibration.is_measured:
        return DEFAULT_THRESHOLD
    return calibration.threshold


def _told(candidate: QueryCandidate, scope: Scope) -> str:
    """Describe a candidate, with its dataset if there are several."""
    where = f" in {format_group(candidate.dataset)}" if len(scope.datasets) > 1 else ""
    return f"{candidate.score:.2f} after {candidate.pattern.question!r}{where}"


def _datasets(candidates: CandidateQueries) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(name for candidate in candidates.queries for name in candidate.scope.datasets)
    )


def _followed(chosen: QueryCandidate) -> str:
    changed = [f"{put!r} for {was!r}" for was, put in chosen.bindings if put != was]
    return "; ".join((f"it fits to {chosen.score:.2f}", *changed))


def _list_answers(tries: Tries) -> str:
    return "; ".join(
        f"{', '.join(map(str, answer.values[:3]))}…"
        if len(answer.values) > 3
        else ", ".join(map(str, answer.values)) or answer.outcome.replace("_", " ")
        for answer in tries.answers
    )


def _not_askable(context: QuestionContext, candidates: CandidateQueries) -> Answer:
    datasets = ", ".join(context.request.scope.datasets)
    if candidates.calibrations:
        difference = f"{candidates.difference.describe()}; " if candidates.difference else ""
        message = (
            f"{difference}none of the demonstrations of {datasets} is like the question; "
            f"{_MODEL} asks a model"
        )
    else:
        message = (
            f"{datasets} has no demonstrations to go by; teach some, or ask a model ({_MODEL})"
        )
    return Answer(
        "not_askable",
        problems=(Problem(ProblemKind.NOT_DEMONSTRATED, render_options(message)),),
        hints=tuple(dict.fromkeys(pattern.question for pattern in candidates.nearest)),
    )
