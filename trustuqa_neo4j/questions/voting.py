"""Voting: runs the suggested queries and selects the answer with most votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..answer import SUCCESS_OUTCOMES, Answer, Value
from ..demonstrations.offline_writer import QueryCandidate
from ..demonstrations.selection import CandidateResult, Decision, select_answer
from ..matching import normalize_name
from ..values import read_value
from .context import QuerySession

# Which of several answers to one question is given: that which most of them say.
#
# Answers agree where they say the same things: as sets of typed values, so that neither order nor the way a
# number is written parts them (``1,000`` and ``1000.0``). That nothing was found is an answer too; a query
# that was refused is none.


@dataclass(frozen=True, slots=True)
class Vote:
    """The index of the winning answer, and its share of all samples."""

    winner: int
    confidence: float


def vote(answers: Sequence[Answer], samples: int) -> Vote | None:
    """Select the winner; None if no answer is usable.

    Among equals a non-empty answer wins, then the first.
    """
    meanings = [
        meaning(answer) if answer.outcome in SUCCESS_OUTCOMES else None for answer in answers
    ]
    counts = Counter(value for value in meanings if value is not None)
    if not counts:
        return None
    order = {value: place for place, value in reversed(list(enumerate(meanings)))}
    won = max(
        counts, key=lambda value: (counts[value], bool(answers[order[value]].values), -order[value])
    )
    return Vote(order[won], counts[won] / samples)


def meaning(answer: Answer) -> Hashable:
    # Equal for answers that mean the same.
    if answer.rows is not None and answer.columns is not None and len(answer.columns) > 1:
        return frozenset(Counter(tuple(map(_typed, row)) for row in answer.rows).items())
    return frozenset(map(_typed, answer.values))


def _typed(value: Value) -> Hashable:
    """Normalize a value: a number with its unit, days, or a name."""
    if not isinstance(value, str):
        return float(value), None
    read = read_value(value)
    if read is None:
        return normalize_name(value)
    if read.number is not None:
        return read.number, read.unit
    return "days", read.start, read.end


@dataclass(frozen=True, slots=True)
class Tries:
    """Answers of suggested queries in their order, and the index of the best one."""

    answers: tuple[Answer, ...]
    decision: Decision

    @property
    def best(self) -> Answer | None:
        place = self.decision.place
        return None if place is None else self.answers[place]


def try_out(session: QuerySession, candidates: Sequence[QueryCandidate]) -> Tries:
    """Run the candidates; the caller applies the threshold."""
    answers = [session.run(candidate.query, candidate.scope) for candidate in candidates]
    tried = [
        CandidateResult(candidate, meaning(a) if _counts(candidate, a) else None, len(a.values))
        for candidate, a in zip(candidates, answers, strict=True)
    ]
    return Tries(tuple(answers), select_answer(tried, 0.0))


def _counts(query: QueryCandidate, answer: Answer) -> bool:
    # A query with an unknown name can only show that the data has nothing.
    return answer.outcome == "empty" if query.unknown_names else answer.outcome in SUCCESS_OUTCOMES
