"""Answers a question with a model, which repairs its query if validation rejects it.

Repair has a limited number of rounds, and ends if the reply is unchanged or has no query again. A vote
asks again for the queries that failed, and shows the model the failure that came furthest. A query that ran
with remarks, or found nothing, goes back once; if the second one is no better, the first is the answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from ..answer import OPEN_KINDS, SUCCESS_OUTCOMES, Answer, compute_trust
from ..language.ast import Problem, ProblemKind, Query
from ..language.json_steps import begins_json_steps, find_json_problem, rewrite_json_steps
from ..language.parser import has_steps, parse_query
from ..llm.messages import Completion, Usage
from ..matching import NameMatch
from ..model.dataset import Scope
from ..prompts import Prompt, repair_prompt
from ..prompts.few_shot import canonical_query
from ..reasoning.notes import NoteKind
from ..validation.question_coverage import makes_table
from .context import QuestionContext
from .prompt_input import prepare
from .voting import find_best_failure, vote

LIVELY = 1.0  # temperature for votes; a single query has 0
VOTE_ROUNDS = 3
MAX_PROSE_ROUNDS = 2
"""Rounds with no query in any reply, readable or not: a model that explains itself again does not stop."""


def answer_with_model(
    context: QuestionContext, support: Mapping[Hashable, float] | None = None
) -> Answer:
    """Answer with a query of the model.

    ``support`` are the probabilities of readings by the meaning of their answers, which count in a vote. With
    it the caller decides whether the answer is given, without it the share of the votes.
    """
    request, trace = context.request, context.trace
    prepared = prepare(context)
    conversation = _Conversation(context, prepared.scope, prepared.prompt, support or {})
    attempt = _write_query(conversation)
    if attempt.review is not None and attempt.review.remarks and conversation.rounds_left:
        attempt = _improve_query(conversation, attempt, attempt.review)
    answer = attempt.answer
    if support is None and attempt.good and attempt.confidence < request.min_confidence:
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
        usage=asdict(conversation.usage),
        datasets=prepared.scope.datasets,
        source=prepared.scope.source,
        sent=context.sent_kinds,
    )


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The query that is the best so far, its answer with open warnings, and the confidence.

    ``is_decided``: further samples are not needed. ``review`` is None if the query did not run.
    """

    text: str
    answer: Answer
    confidence: float
    samples: int
    is_decided: bool
    review: Review | None

    @property
    def good(self) -> bool:
        return self.answer.outcome in SUCCESS_OUTCOMES

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (*self.answer.problems, *self.answer.doubts)

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Order of attempts that ran: those with values, and those with fewer remarks, are better."""
        remarks = self.review.remarks if self.review else ()
        return self.good, bool(self.answer.values), -len(remarks)


@dataclass(slots=True)
class _Conversation:
    """The prompt with its rounds of repair, and the replies so far.

    ``prose_rounds`` are those without any query. ``answers`` are those of the queries that were run.
    ``useless`` are queries that do not count when they come again, also in other words around them.
    """

    context: QuestionContext
    scope: Scope
    prompt: Prompt
    support: Mapping[Hashable, float]
    usage: Usage = field(default_factory=Usage)
    rounds: int = 0
    prose_rounds: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    useless: set[str] = field(default_factory=set)

    def run(self, text: str) -> Answer:
        if text not in self.answers:
            answer = self.context.run(text, self.scope)
            problem = find_json_problem(text) if answer.outcome == "failed" else None
            self.answers[text] = answer if problem is None else replace(answer, problems=(problem,))
        return self.answers[text]

    @property
    def rounds_left(self) -> int:
        return 1 + self.context.request.retries - self.rounds

    @property
    def has_only_prose(self) -> bool:
        return self.prose_rounds == self.rounds >= MAX_PROSE_ROUNDS

    def send_back(self, attempt: _Attempt, problems: Sequence[Problem]) -> None:
        request = self.context.request
        self.context.trace.add(
            "repair",
            attempt.text,
            "; ".join(f"{problem.kind}: {problem.message}" for problem in problems),
        )
        self.prompt = repair_prompt(
            self.prompt, attempt.text, problems, attempt.answer.outcome, request.repair
        )

    def ask(self, count: int) -> tuple[str, ...]:
        """Ask for ``count`` queries; return none if nothing new came."""
        context = self.context
        temperature = LIVELY if context.request.votes > 1 else 0.0
        completion = context.complete(self.prompt, count, temperature)
        self.rounds += 1
        self.usage = self.usage + completion.usage
        context.trace.add("complete", f"round {self.rounds}", _format_replies(completion))
        texts = tuple(map(rewrite_json_steps, completion.texts))
        if self.useless.issuperset(map(_name_query, texts)):
            context.trace.add(
                "repair", _format_replies(completion), "nothing new, so no more rounds"
            )
            return ()
        if not any(has_steps(text) or begins_json_steps(text) for text in texts):
            self.prose_rounds += 1
        if self.has_only_prose:
            context.trace.add(
                "repair", _format_replies(completion), "no query again, so no more rounds"
            )
        return texts


def _write_query(conversation: _Conversation) -> _Attempt:
    """Ask until a query runs, or until a vote is decided."""
    request = conversation.context.request
    rounds = 1 + request.retries
    if request.votes > 1:
        rounds = min(rounds, VOTE_ROUNDS)
    texts: list[str] = []
    failures: list[str] = []
    attempt: _Attempt | None = None
    while attempt is None or (
        not attempt.is_decided and conversation.rounds < rounds and not conversation.has_only_prose
    ):
        if attempt is not None:
            failure = _choose(conversation, failures or texts, failed=True)
            conversation.send_back(failure, failure.problems)
        usable = sum(conversation.run(text).outcome in SUCCESS_OUTCOMES for text in texts)
        replies = conversation.ask(request.votes - usable)
        if not replies and attempt is not None:
            break
        texts += replies
        failures = [
            text for text in replies if conversation.run(text).outcome not in SUCCESS_OUTCOMES
        ]
        conversation.useless.update(map(_name_query, failures))
        attempt = _choose(conversation, texts)
    return attempt


def _improve_query(conversation: _Conversation, first: _Attempt, review: Review) -> _Attempt:
    """Send a query with remarks back once; return the second one only if it is better."""
    conversation.useless.add(_name_query(first.text))
    conversation.send_back(first, review.remarks)
    replies = conversation.ask(conversation.context.request.votes)
    if not replies:
        return first
    second = _choose(conversation, replies)
    return second if second.rank > first.rank else first


def _choose(conversation: _Conversation, texts: Sequence[str], *, failed: bool = False) -> _Attempt:
    """Choose the query with most votes; if none ran or with ``failed``, the best failure."""
    context, scope = conversation.context, conversation.scope
    request = context.request
    votes = [conversation.run(text) for text in texts]
    usable = sum(answer.outcome in SUCCESS_OUTCOMES for answer in votes)
    samples = max(request.votes, usable)
    majority = None if failed else vote(votes, samples, conversation.support)
    if request.votes > 1 and not failed:
        winner = "none" if majority is None else f"{majority.confidence:.2f} for one answer"
        context.trace.add("vote", f"{len(texts)} queries", f"{usable} ran, {winner}")
    if majority is None:
        place = find_best_failure(votes)
        return _Attempt(texts[place], votes[place], 0.0, samples, False, None)
    text = texts[majority.winner]
    review = review_answer(context, text, votes[majority.winner], scope)
    confidence = majority.confidence * compute_trust(review.answer)
    # A confidence that is too low may still rise.
    is_decided = majority.is_decided and (usable >= samples or confidence >= request.min_confidence)
    return _Attempt(text, review.answer, confidence, samples, is_decided, review)


def _name_query(text: str) -> str:
    """The query without the words around it; the text itself if it has none."""
    return canonical_query(text) or text


def _format_replies(completion: Completion) -> str:
    return "; ".join(" ".join(text.split())[:200] for text in completion.texts)


# Reviews a query that ran: remarks on it that go back to the model in one round.
#
# The remarks are names that were read as names with a low similarity, names that match nothing, cells
# that could not be compared, and for ``get_table`` the columns and values that the question names and the
# query lacks. Other queries need not use all that their questions mention.


_LEFT_OUT = frozenset((NoteKind.NOT_A_NUMBER, NoteKind.NOT_COMPARABLE))


@dataclass(frozen=True, slots=True)
class Review:
    """An answer with its open warnings, and all remarks that go back to the model."""

    answer: Answer
    remarks: tuple[Problem, ...]


def review_answer(context: QuestionContext, text: str, answer: Answer, scope: Scope) -> Review:
    """Review the query ``text``, which gave ``answer``."""
    query = parse_query(text)
    is_table = isinstance(query, Query) and makes_table(query)
    question = context.request.question if is_table else None
    checked = context.check(text, scope, question)
    open_warnings = [problem for problem in checked.problems if problem.kind in OPEN_KINDS]
    problems = tuple(dict.fromkeys((*answer.problems, *open_warnings)))
    remarks = (
        *problems,
        *answer.doubts,
        *_describe_names(answer.mapped, context.request.min_similarity),
        *_describe_cells(answer),
    )
    return Review(replace(answer, problems=problems), tuple(dict.fromkeys(remarks)))


def _describe_names(matches: tuple[NameMatch, ...], min_similarity: float) -> Iterator[Problem]:
    for match in matches:
        if match.how == "nearest" and match.score < min_similarity:
            message = (
                f"the data has no name {match.given!r}; it was read as {match.used!r}, "
                f"with a similarity of {match.score:.2f}"
            )
            yield Problem(ProblemKind.UNKNOWN_NAME, message, severity="doubt")


def _describe_cells(answer: Answer) -> Iterator[Problem]:
    for note in answer.notes:
        if note.kind in _LEFT_OUT:
            yield Problem(ProblemKind.NOT_COMPARABLE, note.message, note.step, severity="doubt")
