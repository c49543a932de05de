"""Answers a question with a model and without one, and decides between the two answers by one table.

What answers without a model is a voter beside the model. A reading that is sure stands, whatever the model
says; the model adds confidence by agreeing, and answers by itself only what it is likely right about. With
the reader off, or after a demonstration, the model answers, and the others only if it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial

from ..answer import SUCCESS_OUTCOMES, Answer, QueryReading, find_query
from ..errors import AskingError, ModelError, StatementFailed, TimedOut
from ..language.ast import Problem, ProblemKind
from ..model.dataset import Scope
from .context import QuestionContext, make_abstained
from .voting import meaning
from .with_model import answer_with_model
from .with_routing import answer_with_routing
from .with_semantic_parser import show_values
from .without_model import answer_without_model

MIN_CONFIDENCE = 0.5
"""Of an answer that needs the model: one that is more often wrong than right is offered, not given."""

COINCIDENCE = 0.5
"""How often a wrong answer of the model is assumed to be that of a wrong reading, which its prompt shows."""


class ModelReply(StrEnum):
    """The reply of the model beside the readings: the same answer, another one, none, or a failure."""

    AGREES = "agrees"
    DIFFERS = "differs"
    REFUSES = "refuses"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class Voices:
    """The answer of the reader and that of the model.

    ``read`` is the answer without the model; ``readings`` are the probabilities and answers of its readings:
    of the one that it gives, or of those that it offers. ``precision`` is the share of right answers of the
    model, ``wished`` the least confidence that the user wants.
    """

    read: Answer
    readings: tuple[tuple[float, Answer], ...]
    replied: Answer
    precision: float
    wished: float = 0.0

    @property
    def is_sure(self) -> bool:
        return self.read.outcome == "answered"

    @property
    def trust(self) -> float:
        """How probably the model is right, as far as it says by itself: its votes, names and precision."""
        return (self.replied.confidence or 0.0) * self.precision

    @property
    def agreed(self) -> float | None:
        """The probability of the reading with the answer of the model; None if there is none."""
        said = meaning(self.replied)
        return next((p for p, answer in self.readings if meaning(answer) == said), None)

    @property
    def reply(self) -> ModelReply:
        if self.replied.outcome == "failed":
            return ModelReply.FAILS
        if self.replied.outcome not in SUCCESS_OUTCOMES:
            return ModelReply.REFUSES
        return ModelReply.DIFFERS if self.agreed is None else ModelReply.AGREES


def decide(voices: Voices) -> Answer:
    """Choose the answer, its confidence, and the readings that are offered beside it."""
    answer = _RULE[voices.is_sure, voices.reply](voices)
    if answer.outcome in SUCCESS_OUTCOMES and (answer.confidence or 0.0) < voices.wished:
        held_back = make_abstained(answer.confidence or 0.0, voices.wished)
        return replace(
            held_back,
            llm_query=answer.llm_query,
            origin=answer.origin,
            datasets=answer.datasets,
            source=answer.source,
        )
    return answer


def combine(reading: float, model: float) -> float:
    """The probability of an answer on which a reading and the model agree, by Bayes.

    They agree if both are right, and by coincidence if both are wrong. Agreement lowers neither.
    """
    right, wrong = reading * model, (1 - reading) * (1 - model) * COINCIDENCE
    return round(max(reading, model, right / (right + wrong) if right else 0.0), 4)


def _agree(voices: Voices) -> Answer:
    confidence = combine(voices.agreed or 0.0, voices.trust)
    base = voices.read if voices.is_sure else voices.replied
    return _give(replace(base, confidence=confidence, samples=None, origin="agreed"), voices)


def _keep_reading(voices: Voices) -> Answer:
    read, replied = voices.read, voices.replied
    if voices.reply is ModelReply.FAILS:
        return _substitute(read, replied)
    if voices.reply is ModelReply.REFUSES:
        reason = replied.problems[0].message if replied.problems else replied.outcome
        return _warn(read, f"the model has no query that can be run: {reason}")
    ours, theirs = _show(read, read.confidence or 0.0), _show(replied, voices.trust)
    message = f"the model reads {_describe(theirs)}; the reader reads {_describe(ours)}"
    return replace(_warn(read, message), readings=(ours, theirs))


def _stand_alone(voices: Voices) -> Answer:
    confidence = round(voices.trust, 4)
    return _give(replace(voices.replied, confidence=confidence, samples=None), voices)


def _give(answer: Answer, voices: Voices) -> Answer:
    """Give an answer that is sure enough; else offer its query after those of the reader."""
    confidence = answer.confidence or 0.0
    # A model alone may make a number of nothing. What it computed was wished by an option, and is marked.
    is_made_up = answer.origin == "model" and bool(answer.values) and not _has_facts(answer)
    is_given = confidence >= MIN_CONFIDENCE and not is_made_up
    if voices.is_sure or is_given or not answer.grounded:
        return answer
    offered = _show(answer, confidence)
    who = "the model alone" if answer.origin == "model" else "the model and an unsure reading"
    reason = (
        "and no fact leads to it"
        if is_made_up
        else f"with a confidence of {confidence:.2f} ({MIN_CONFIDENCE:.2f} is enough)"
    )
    message = f"{who} would answer {_describe(offered)}, {reason}"
    read = voices.read
    return Answer(
        "not_askable",
        problems=(Problem(ProblemKind.NOT_PROBABLE, message), *read.problems),
        hints=read.hints,
        datasets=answer.datasets,
        readings=(*read.readings, offered),
    )


def _has_facts(answer: Answer) -> bool:
    return bool(answer.evidence_total or answer.considered_total)


def _refuse(voices: Voices) -> Answer:
    return replace(voices.replied, readings=voices.read.readings)


_RULE: Mapping[tuple[bool, ModelReply], Callable[[Voices], Answer]] = {
    # the reader is sure, and the model …
    (True, ModelReply.AGREES): _agree,
    (True, ModelReply.DIFFERS): _keep_reading,
    (True, ModelReply.REFUSES): _keep_reading,
    (True, ModelReply.FAILS): _keep_reading,
    # the reader is not sure, and the model …
    (False, ModelReply.AGREES): _agree,
    (False, ModelReply.DIFFERS): _stand_alone,
    (False, ModelReply.REFUSES): _refuse,
    (False, ModelReply.FAILS): _refuse,
}


def _substitute(answer: Answer, failed: Answer) -> Answer:
    """The answer without the model that failed, which a warning names."""
    failure = failed.problems[0]
    message = f"{failure.message}; the answer is without the model"
    warning = Problem(failure.kind, message, severity="warning")
    return replace(answer, problems=(warning, *answer.problems))


def _warn(answer: Answer, message: str) -> Answer:
    warning = Problem(ProblemKind.DISAGREEMENT, message, severity="warning")
    return replace(answer, problems=(warning, *answer.problems))


def _show(answer: Answer, probability: float) -> QueryReading:
    dataset = answer.datasets[0] if len(answer.datasets) == 1 else None
    reading = QueryReading(
        find_query(answer),
        round(probability, 4),
        answer.source,
        dataset,
        origin="read" if answer.origin == "read" else "model",
    )
    return show_values(reading, answer)


def _describe(reading: QueryReading) -> str:
    return f"{reading.understood or reading.query} → {reading.shown_values}"


def answer_with_both(context: QuestionContext) -> Answer:
    request, trace = context.request, context.trace
    if request.pick is not None:
        return _answer_picked(context, request.pick)
    alone = _ask_reader(context) if request.reader else None
    voter = None if alone is None or alone.answer.origin == "demonstrated" else alone
    ask = answer_with_model if voter is None else partial(answer_with_model, support=voter.support)
    failure = None
    try:
        replied = answer_with_routing(context, ask)
    except (ModelError, AskingError) as error:
        if not request.fallback:
            raise
        failure = error
        replied = Answer("failed", problems=(Problem(error.kind, error.summary),))
    if replied.outcome == "failed":
        if not request.fallback:
            return _finish(context, replied)
        problem = replied.problems[0]
        reason = f"the model failed: {problem.kind}: {problem.message}"
        trace.add("fallback", reason, "asked without the model")
        voter = alone or _ask_reader(context) or _Reader(Answer("not_askable"))
    if voter is None:
        return _finish(context, replied)
    voices = Voices(
        voter.answer, voter.readings, replied, request.model_precision, request.min_confidence
    )
    sure = "sure" if voices.is_sure else "not sure"
    answer = decide(voices)
    if failure is not None and answer.outcome == "failed":
        raise failure
    trace.add("decide", f"the reader is {sure}, the model {voices.reply}", answer.outcome)
    return _finish(context, answer)


@dataclass(frozen=True, slots=True)
class _Reader:
    """The answer without the model, and the readings that it gives or offers."""

    answer: Answer
    readings: tuple[tuple[float, Answer], ...] = ()

    @property
    def support(self) -> dict[Hashable, float]:
        """The probability of each answer, by its meaning."""
        return {meaning(answer): probability for probability, answer in reversed(self.readings)}


def _ask_reader(context: QuestionContext) -> _Reader | None:
    """Answer without the model, however sure; None if the time or the memory does not allow it."""
    try:
        request = replace(context.request, min_confidence=0.0)
        answer = answer_without_model(replace(context, model=None, request=request))
        return _Reader(answer, tuple(_run_readings(context, answer)))
    except (TimedOut, StatementFailed):
        return None


def _run_readings(context: QuestionContext, read: Answer) -> Iterator[tuple[float, Answer]]:
    """Run the readings that are offered, with all their values, unless one of them is the answer."""
    if read.outcome == "answered":
        yield read.confidence or 0.0, read
    session = replace(context, model=None, listen=None, evidence=0)
    for reading in read.readings:
        datasets = (reading.dataset,) if reading.dataset else read.datasets
        answer = session.run(reading.query, Scope(datasets, reading.source))
        if answer.values:
            yield reading.probability, answer


def _answer_picked(context: QuestionContext, pick: int) -> Answer:
    """Run a reading of the reader; the model is asked only for its own, which comes after those."""
    first = replace(context, request=replace(context.request, pick=None))
    read = answer_without_model(replace(first, model=None))
    is_read = read.outcome in (*SUCCESS_OUTCOMES, "abstained")
    if read.origin == "demonstrated" or pick != (1 if is_read else len(read.readings)) + 1:
        return answer_without_model(replace(context, model=None))
    return _finish(context, answer_with_routing(first, answer_with_model))


def _finish(context: QuestionContext, answer: Answer) -> Answer:
    """Give an answer the stages of the whole question, and what was sent and used for it."""
    shared = {id(stage) for stage in context.trace.stages}
    own = tuple(stage for stage in answer.trace if id(stage) not in shared)
    return context.trace.finish(
        replace(answer, trace=own),
        question=context.request.question,
        usage=asdict(context.meter.used),
        sent=context.sent_kinds,
    )
