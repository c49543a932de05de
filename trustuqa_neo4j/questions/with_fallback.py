"""Answers a question with a model; if the model fails, by demonstrations and the semantic parser.

A model fails if it cannot be used, or if its last reply is unreadable. A query that is rejected, or has no
result, says something about the question, so it stays the outcome. So does an error if there is no answer
without the model either.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from ..answer import Answer
from ..errors import AskingError, ModelError, StatementFailed, TimedOut
from ..language.ast import Problem
from .context import QuestionContext
from .with_model import answer_with_model
from .with_routing import answer_with_routing
from .without_model import answer_without_model


def answer_with_fallback(context: QuestionContext) -> Answer:
    try:
        answer = answer_with_routing(context, answer_with_model)
    except (ModelError, AskingError) as error:
        substitute = _answer_instead(context, Problem(error.kind, error.summary))
        if substitute is None:
            raise
        return substitute
    # With the calls that chose a dataset or computed with values.
    answer = replace(answer, usage=asdict(context.meter.used), sent=context.sent_kinds)
    if answer.outcome != "failed":
        return answer
    (problem, *_) = answer.problems
    return _answer_instead(context, Problem(problem.kind, problem.message)) or answer


def _answer_instead(context: QuestionContext, failure: Problem) -> Answer | None:
    """Answer without the model, and name its ``failure``; None if there is no answer."""
    if not context.request.fallback:
        return None
    reason = f"{failure.kind}: {failure.message}"
    context.trace.add("fallback", f"the model failed: {reason}", "asked without the model")
    try:
        answer = answer_without_model(replace(context, model=None))
    except (TimedOut, StatementFailed):
        return None
    if answer.outcome != "answered":
        return None
    message = f"{failure.message}; the answer is without the model"
    warning = replace(failure, message=message, severity="warning")
    return replace(
        answer,
        problems=(warning, *answer.problems),
        usage=asdict(context.meter.used),
        sent=context.sent_kinds,
    )
