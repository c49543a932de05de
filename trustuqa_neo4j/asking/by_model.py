"""A question answered by a model: it is shown the schema and demonstrations, and writes the query.

A query that is bad is sent back to it with what was wrong, a bounded number of times; one that comes back as
it was ends that. A query that found nothing is sent back once, with where it became empty; then it is the
answer, since that may be the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..answer import GOOD, Answer
from ..dataset import Scope
from ..language.query import Problem
from ..llm.messages import Completion, Usage
from ..llm.prompting import again
from .dialogue import Dialogue, Wish, complete, run
from .preparing import prepare
from .telling import Teller
from .voting import vote

LIVELY = 1.0
"""Temperature where several queries are voted on; one alone is asked for at 0."""


def by_model(wish: Wish) -> Dialogue[Answer]:
    """Ask the model, run what it writes, and let it mend what was bad.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset, PromptTooLong: nothing can be asked.
    """
    teller = Teller()
    prepared = yield from prepare(wish, teller)
    written = prepared.prompt
    usage = Usage()
    asked: _Round | None = None
    empty: _Round | None = None
    known: set[str] = set()
    for number in range(1 + wish.retries):
        if asked is not None:
            yield from teller.tell("repair", asked.text, _wrong(asked.wrong))
            written = again(written, asked.text, asked.wrong, asked.answer.outcome, wish.repair)
        temperature = LIVELY if wish.votes > 1 else 0.0
        completion = yield from complete(written.messages, wish.votes, temperature)
        usage = usage + completion.usage
        yield from teller.tell("complete", f"round {number + 1}", _told(completion))
        if known.issuperset(completion.texts):
            yield from teller.tell("repair", _told(completion), "nothing new, so no more rounds")
            break
        asked = yield from _run(completion, prepared.scope, wish.votes)
        known |= asked.queries
        if empty is not None or (asked.good and not asked.doubtful):
            break
        empty = asked if asked.good else None
    if empty is not None and (asked is None or not asked.good):
        asked = empty
    assert asked is not None
    answer = asked.answer
    if asked.good and asked.confidence < wish.min_confidence:
        said = f"{asked.confidence:.2f} of the queries agree, {wish.min_confidence:.2f} were to"
        yield from teller.tell("vote", f"{wish.votes} queries", said)
        answer = Answer("abstained", trace=answer.trace, ms=answer.ms, hints=(said,))
    return teller.finish(
        answer,
        question=wish.question,
        llm_query=asked.text,
        confidence=asked.confidence if asked.good else None,
        samples=asked.samples if asked.good else None,
        usage=asdict(usage),
        datasets=prepared.scope.datasets,
        sent=written.sent,
    )


@dataclass(frozen=True, slots=True)
class _Round:
    """What became of one reply: the query that counts, its answer, and how many agreed with it.

    ``queries`` are the texts in which one could be read.
    """

    text: str
    answer: Answer
    confidence: float
    samples: int
    good: bool
    queries: frozenset[str]

    @property
    def wrong(self) -> tuple[Problem, ...]:
        """What the model is told of it."""
        return (*self.answer.problems, *self.answer.doubts)

    @property
    def doubtful(self) -> bool:
        """Whether it found nothing, and that may come of the query."""
        return self.answer.outcome == "empty" and bool(self.wrong)


def _run(completion: Completion, scope: Scope, votes: int) -> Dialogue[_Round]:
    """Run each distinct text of a reply once, and vote."""
    texts = completion.texts
    distinct = list(dict.fromkeys(texts))
    answers = dict(
        zip(distinct, (yield from run([(text, scope) for text in distinct])), strict=True)
    )
    said = [answers[text] for text in texts]
    samples = max(votes, len(texts))
    won = vote(said, samples)
    place = 0 if won is None else won.winner
    return _Round(
        texts[place],
        said[place],
        0.0 if won is None else won.confidence,
        samples,
        said[place].outcome in GOOD,
        frozenset(text for text in distinct if answers[text].outcome != "failed"),
    )


def _told(completion: Completion) -> str:
    return "; ".join(" ".join(text.split())[:200] for text in completion.texts)


def _wrong(problems: Sequence[Problem]) -> str:
    return "; ".join(f"{problem.kind}: {problem.message}" for problem in problems)
