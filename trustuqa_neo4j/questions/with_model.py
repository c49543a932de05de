"""Answers a question with a model, which repairs its query if validation rejects it.

Repair has a limited number of rounds, and ends if the query comes back unchanged. A query with an empty
result is repaired once, with its first empty step; a second empty result is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..answer import SUCCESS_OUTCOMES, Answer
from ..language.ast import Problem
from ..llm.messages import Completion, Usage
from ..matching import compute_certainty
from ..model.dataset import Scope
from ..prompts import repair_prompt
from .context import QuestionContext
from .prompt_input import prepare
from .voting import vote

LIVELY = 1.0  # temperature for votes; a single query has 0


def answer_with_model(context: QuestionContext) -> Answer:
    request, trace = context.request, context.trace
    prepared = prepare(context)
    prompt = prepared.prompt
    usage = Usage()
    attempt: _Round | None = None
    empty_attempt: _Round | None = None
    tried: set[str] = set()
    for number in range(1 + request.retries):
        if attempt is not None:
            trace.add("repair", attempt.text, _wrong(attempt.wrong))
            prompt = repair_prompt(
                prompt, attempt.text, attempt.wrong, attempt.answer.outcome, request.repair
            )
        temperature = LIVELY if request.votes > 1 else 0.0
        completion = context.complete(prompt, request.votes, temperature)
        usage = usage + completion.usage
        trace.add("complete", f"round {number + 1}", _told(completion))
        if tried.issuperset(completion.texts):
            trace.add("repair", _told(completion), "nothing new, so no more rounds")
            break
        attempt = _run(context, completion, prepared.scope)
        tried |= attempt.queries
        if empty_attempt is not None or (attempt.good and not attempt.doubtful):
            break
        empty_attempt = attempt if attempt.good else None
    if empty_attempt is not None and (attempt is None or not attempt.good):
        attempt = empty_attempt
    assert attempt is not None
    answer = attempt.answer
    if attempt.good and attempt.confidence < request.min_confidence:
        reason = (
            f"{attempt.confidence:.2f} of the queries agree, {request.min_confidence:.2f} were to"
        )
        trace.add("vote", f"{request.votes} queries", reason)
        answer = Answer("abstained", trace=answer.trace, ms=answer.ms, hints=(reason,))
    return trace.finish(
        answer,
        question=request.question,
        llm_query=attempt.text,
        origin="model",
        confidence=attempt.confidence if attempt.good else None,
        samples=attempt.samples if attempt.good else None,
        usage=asdict(usage),
        datasets=prepared.scope.datasets,
        source=prepared.scope.source,
        sent=context.sent_kinds,
    )


@dataclass(frozen=True, slots=True)
class _Round:
    """The result of one reply: its query, the answer, and the share of votes.

    ``queries`` are the texts in the reply that may be queries.
    """

    text: str
    answer: Answer
    confidence: float
    samples: int
    good: bool
    queries: frozenset[str]

    @property
    def wrong(self) -> tuple[Problem, ...]:
        return (*self.answer.problems, *self.answer.doubts)

    @property
    def doubtful(self) -> bool:
        return self.answer.outcome in SUCCESS_OUTCOMES and bool(self.wrong)


def _run(context: QuestionContext, completion: Completion, scope: Scope) -> _Round:
    texts = completion.texts
    distinct = list(dict.fromkeys(texts))
    answers = {text: context.run(text, scope) for text in distinct}
    votes = [answers[text] for text in texts]
    samples = max(context.request.votes, len(texts))
    majority = vote(votes, samples)
    place = 0 if majority is None else majority.winner
    return _Round(
        texts[place],
        votes[place],
        0.0 if majority is None else majority.confidence * compute_certainty(votes[place].mapped),
        samples,
        votes[place].outcome in SUCCESS_OUTCOMES,
        frozenset(text for text in distinct if answers[text].outcome != "failed"),
    )


def _told(completion: Completion) -> str:
    return "; ".join(" ".join(text.split())[:200] for text in completion.texts)


def _wrong(problems: Sequence[Problem]) -> str:
    return "; ".join(f"{problem.kind}: {problem.message}" for problem in problems)
