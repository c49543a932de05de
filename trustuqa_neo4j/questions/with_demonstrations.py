"""Answers a question without a model: similar demonstrations are filled, run and voted on.

Below the calibrated score of the dataset the question is not askable; the answer lists similar questions.
"""

from __future__ import annotations

from ..answer import Answer, compute_trust
from ..demonstrations.offline_writer import CandidateQueries, QueryCandidate, suggest_queries
from ..demonstrations.question_start import read_start
from ..demonstrations.selection import DEFAULT_THRESHOLD, Decision
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


def answer_with_demonstrations(context: QuestionContext) -> Answer:
    return context.in_transaction(_answer)


def _answer(context: QuestionContext) -> Answer:
    request, trace = context.request, context.trace
    candidates, sent = context.read(lambda reader: _candidates(reader, request))
    summary = "; ".join(_told(candidate, request.scope) for candidate in candidates.queries)
    trace.add("retrieve", request.question, summary or NOTHING, sent)
    if not candidates.queries:
        return trace.finish(_not_askable(context, candidates), question=request.question)
    tries = try_out(context, candidates.queries)
    decision = tries.decision
    trace.add("vote", f"{len(tries.answers)} queries", _voted(tries), tries.sent)
    sure = _needed(candidates, decision)
    if decision.place is None or decision.score < sure:
        answer = _not_askable(context, candidates)
        return trace.finish(answer, question=request.question, datasets=_datasets(candidates))
    best = tries.answers[decision.place]
    confidence = round(decision.score * compute_trust(best), 4)
    if confidence < request.min_confidence:
        answer = make_abstained(confidence, request.min_confidence)
        return trace.finish(answer, question=request.question, datasets=_datasets(candidates))
    chosen = candidates.queries[decision.place]
    trace.add("follow", chosen.pattern.question, _followed(chosen))
    return trace.finish(
        best,
        question=request.question,
        llm_query=chosen.query,
        confidence=confidence,
        origin="demonstrated",
        datasets=chosen.scope.datasets,
        source=chosen.source,
    )


def _candidates(reader: Reader, request: AskRequest) -> CandidateQueries:
    question = mark_names(request.question, request.entities)
    reader = read_start(reader, question, request.scope)
    enter_scope(reader, request.scope)
    return suggest_queries(reader, question, request.scope, True)


def _needed(candidates: CandidateQueries, decision: Decision) -> float:
    if decision.place is None:
        return 0.0
    calibration = candidates.calibrations.get(candidates.queries[decision.place].dataset)
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


def _voted(tries: Tries) -> str:
    answers = "; ".join(
        f"{', '.join(map(str, answer.values[:3]))}…"
        if len(answer.values) > 3
        else ", ".join(map(str, answer.values)) or answer.outcome.replace("_", " ")
        for answer in tries.answers
    )
    place, score = tries.decision.place, tries.decision.score
    if place is None:
        return f"none of: {answers}"
    return f"number {place + 1}, {score:.2f} sure, of: {answers}"


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
            f"{datasets} has no demonstrations to go by; teach some (`tuqa demonstrations import`), "
            f"or ask a model ({_MODEL})"
        )
    return Answer(
        "not_askable",
        problems=(Problem(ProblemKind.NOT_DEMONSTRATED, render_options(message)),),
        hints=tuple(dict.fromkeys(pattern.question for pattern in candidates.nearest)),
    )
