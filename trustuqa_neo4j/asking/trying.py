"""Suggested queries tried out: each is run where it belongs, and what they find decides which is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..answer import GOOD, Answer
from ..dataset import Scope
from ..demonstrating.deciding import Decision, Tried, decide
from ..demonstrating.suggesting import Candidate
from .dialogue import Dialogue, run
from .voting import meaning


@dataclass(frozen=True, slots=True)
class Tries:
    """The answers of suggested queries, in their order, and which of them is the best."""

    answers: tuple[Answer, ...]
    decision: Decision

    @property
    def best(self) -> Answer | None:
        """The best answer, however sure; None where there is none."""
        place = self.decision.place
        return None if place is None else self.answers[place]


def try_out(queries: Sequence[Candidate]) -> Dialogue[Tries]:
    """Run ``queries``; how sure an answer has to be is the caller's to say."""
    answers = yield from run(
        [(each.query, Scope((each.dataset,), each.source)) for each in queries]
    )
    tried = [
        Tried(each, meaning(a) if _counts(each, a) else None, len(a.values))
        for each, a in zip(queries, answers, strict=True)
    ]
    return Tries(tuple(answers), decide(tried, 0.0))


def _counts(query: Candidate, answer: Answer) -> bool:
    """Whether an answer says anything: of what nothing is called no more than that there is nothing."""
    return answer.outcome == "empty" if query.unknown else answer.outcome in GOOD
