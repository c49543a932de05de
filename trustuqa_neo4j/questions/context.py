"""``QuestionContext``: the database, the model, the deadline and the trace of one question.

Each ``read`` and ``run`` is its own transaction, so that none is open while a model works. Without a model,
they may share one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .. import pipeline
from ..answer import Answer, CheckReport, SentStatement, Stage
from ..deadline import Deadline, Workload
from ..errors import LimitReached, PromptTooLong, UnusableReply, format_list
from ..evidence import EVIDENCE
from ..execution.name_resolution import ResolvedNames, resolve_names
from ..graph.connection import Connection, Encoding
from ..llm.budget import Meter
from ..llm.messages import Completion
from ..model.dataset import Scope
from ..reads.reader import CatalogueReader, MemoReader, Reader
from ..reasoning.judgments import JudgmentMissing, JudgmentRequest, Judgments
from ..trace import Listener, TracedReader
from .options import AskRequest

if TYPE_CHECKING:
    from ..llm.client import Model
    from ..prompts import Prompt

T = TypeVar("T")

# Time of the question that a model leaves for an answer without it: this share, at most so many seconds.
_FALLBACK_SHARE, _FALLBACK_SECONDS = 0.1, 5.0

MAX_STEPS = 6_000_000
"""Steps of work on all readings of a question: of its tables, of its corrections and as a follow-up."""

SHOWN_VALUES = 20  # of a judgment in the trace
MAX_JUDGMENTS = 8  # of one question, for all its queries

DRAW = 1  # Votes are drawn once and cached: a question gives the same answer again.


@dataclass(frozen=True)
class QuerySession:
    """Reads and runs queries for one question; ``evidence`` and the following are as for ``pipeline.run``.

    ``reader`` is that of the transaction that is open, if any.
    """

    connection: Connection
    encoding: Encoding | None
    deadline: Deadline
    evidence: int = EVIDENCE
    limit: int | None = None
    inference: bool = True
    listen: Listener | None = None
    reader: Reader | None = None

    def in_transaction(self, work: Callable[[Self], T]) -> T:
        """Do ``work`` with a session whose reads and queries share one transaction.

        The driver may repeat it as a whole.
        """
        return self._read(lambda reader: work(replace(self, reader=reader)))

    def remembering(self) -> Self:
        """Return a session that runs no statement twice, if a transaction is open."""
        return self if self.reader is None else replace(self, reader=MemoReader(self.reader))

    def read(self, work: Callable[[Reader], T]) -> tuple[T, tuple[SentStatement, ...]]:
        """Run ``work`` in one read transaction; return its result and the statements that it sent."""
        sent: list[SentStatement] = []

        def traced(reader: Reader) -> T:
            sent.clear()
            return work(CatalogueReader(TracedReader(reader, sent)))

        return self._read(traced), tuple(sent)

    def run(self, query: str, scope: Scope, judgments: Judgments | None = None) -> Answer:
        return self._read(
            lambda reader: pipeline.run(
                query,
                scope,
                reader,
                self.evidence,
                self.limit,
                inference=self.inference,
                judgments=judgments,
                listen=self.listen,
            )
        )

    def check(self, query: str, scope: Scope, question: str | None = None) -> CheckReport:
        return self._read(
            lambda reader: pipeline.check(query, scope, reader, question, self.inference)
        )

    def _read(self, work: Callable[[Reader], T]) -> T:
        if self.reader is not None:
            return work(self.reader)
        return self.connection.read(work, encoding=self.encoding, deadline=self.deadline)


class QuestionTrace:
    """Collects the stages of a question, and passes each to the listener."""

    def __init__(self, listen: Listener | None = None) -> None:
        self.started: float = perf_counter()
        self._last = self.started
        self.stages: list[Stage] = []
        self._listen = listen

    def add(self, stage: str, text: str, result: str, sent: Sequence[SentStatement] = ()) -> None:
        """Add a stage that took the time since the stage before."""
        now = perf_counter()
        ended = Stage(stage, text, result, round((now - self._last) * 1000, 3), tuple(sent))
        self._last = now
        self.stages.append(ended)
        if self._listen is not None:
            self._listen(ended)

    def finish(self, answer: Answer, **fields: Any) -> Answer:
        stage_ms: dict[str, float] = {}
        for stage in self.stages:
            stage_ms[stage.stage] = round(stage_ms.get(stage.stage, 0.0) + stage.ms, 3)
        total = round((perf_counter() - self.started) * 1000, 3)
        ms: Mapping[str, float] = {**answer.ms, **stage_ms, "total": total}
        return replace(answer, trace=(*self.stages, *answer.trace), ms=ms, **fields)


@dataclass(frozen=True, kw_only=True)
class QuestionContext(QuerySession):
    request: AskRequest
    model: Model | None = None
    meter: Meter = field(default_factory=Meter)
    trace: QuestionTrace = field(default_factory=QuestionTrace)

    sent: dict[str, None] = field(default_factory=dict)
    judgments: Judgments = field(default_factory=Judgments)

    @contextmanager
    def apply_limits(self) -> Iterator[None]:
        """Bound all that is done inside ``with`` by the time and the work of the question."""
        work = Workload("all its readings together", MAX_STEPS)
        with self.connection.gate.enter(self.deadline), self.deadline.applied(), work.applied():
            yield

    @property
    def sent_kinds(self) -> tuple[str, ...]:
        """The kinds of data in all prompts that were sent so far."""
        return tuple(self.sent)

    def in_transaction(self, work: Callable[[Self], T]) -> T:
        """Do ``work`` in one transaction, unless a model may work meanwhile."""
        if self.model is not None:
            return work(self)
        stages = len(self.trace.stages)

        def repeatable(context: Self) -> T:
            del self.trace.stages[stages:]
            return work(context)

        return super().in_transaction(repeatable)

    def run(self, query: str, scope: Scope, judgments: Judgments | None = None) -> Answer:
        """Run a query; if the user allows it, the model computes what the engine refuses."""
        if self.model is None or not self.request.llm_function:
            return super().run(query, scope, judgments)
        while True:
            try:
                return super().run(query, scope, self.judgments)
            except JudgmentMissing as missing:
                self.judgments.results[missing.request] = self._judge(missing.request)

    def _judge(self, request: JudgmentRequest) -> tuple[str, ...] | None:
        """The model's judgment; None, so that the operation is refused, if there is no usable one."""
        from ..prompts.judgment import judgment_prompt, read_judgment

        values = format_list(list(map(repr, request.values)), SHOWN_VALUES)
        task = f"{request.task} {values}"
        if len(self.judgments.results) >= MAX_JUDGMENTS:
            self.trace.add("judge", task, f"not sent: {MAX_JUDGMENTS} judgments were made")
            return None
        prompt = judgment_prompt(self.request.question, request, self.request.prompt_tokens)
        try:
            reply = self.complete(prompt, 1, 0.0).texts[0]
        except (LimitReached, PromptTooLong, UnusableReply) as error:
            self.trace.add("judge", task, f"no judgment: {error.summary}")
            return None
        result = read_judgment(reply, request)
        shown = "no judgment: " + " ".join(reply.split())[:200]
        if result is not None:
            shown = f"computed by the model: {format_list(list(map(repr, result)), SHOWN_VALUES)}"
        self.trace.add("judge", task, shown)
        return result

    def complete(self, prompt: Prompt, n: int, temperature: float) -> Completion:
        assert self.model is not None, "only a question with a model asks one"
        used = self.meter.used
        try:
            with self.connection.gate.leave():
                return self.model.complete(
                    prompt.messages,
                    n=n,
                    temperature=temperature,
                    timeout=self._model_timeout(),
                    draw=DRAW,
                    parameters=self.request.parameters,
                    reply_schema=prompt.reply_schema,
                    meter=self.meter,
                    cancelled=self.deadline.cancelled,
                )
        finally:
            # A failed call is counted, one that a limit forbids is not.
            if self.meter.used != used:
                self.sent.update(dict.fromkeys(prompt.sent))

    def _model_timeout(self) -> float:
        left = self.deadline.left()
        if not self.request.fallback:
            return left
        reserve = min(_FALLBACK_SECONDS, _FALLBACK_SHARE * self.deadline.seconds)
        return max(left - reserve, left / 2)


def make_abstained(confidence: float, wished: float) -> Answer:
    reason = f"{confidence:.2f} sure, {wished:.2f} was wished"
    return Answer("abstained", confidence=confidence, hints=(reason,))


def enter_scope(reader: Reader, scope: Scope, entities: Sequence[str] = ()) -> ResolvedNames:
    return resolve_names((), entities, scope, reader)
