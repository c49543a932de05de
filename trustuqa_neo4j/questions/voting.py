"""Voting between the queries of a model; trials of the queries that demonstrations suggest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from ..answer import SUCCESS_OUTCOMES, Answer, Value
from ..demonstrations.offline_writer import QueryCandidate
from ..matching import compute_certainty, normalize_name
from ..values import read_value
from .context import QuerySession

# Which of several answers to one question is given: that which most of them say.
#
# Answers agree where they say the same things: as sets of typed values, so that neither order nor the way a
# number is written parts them (``1,000`` and ``1000.0``). That nothing was found is an answer too; a query
# that was refused is none.


@dataclass(frozen=True, slots=True)
class Vote:
    """The index of the winning answer, and its share of all samples.

    ``is_decided``: the samples that are missing or failed cannot change the winner.
    """

    winner: int
    confidence: float
    is_decided: bool = True


def vote(
    answers: Sequence[Answer], samples: int, support: Mapping[Hashable, float] | None = None
) -> Vote | None:
    """Select the winner; None if no answer is usable.

    A vote weighs less if names of its query were read as names of a low similarity. ``support`` is the weight
    that answers of a meaning have besides; it makes no answer by itself. Among equals a non-empty answer
    wins, then the first. Of the queries with the winning answer, that with the most certain names is
    the winner.
    """
    groups: dict[Hashable, list[int]] = {}
    for place, answer in enumerate(answers):
        if answer.outcome in SUCCESS_OUTCOMES:
            groups.setdefault(meaning(answer), []).append(place)
    if not groups:
        return None
    certainty = [compute_certainty(answer.mapped) for answer in answers]
    weights = dict(support or {})
    for value, places in groups.items():
        weights[value] = weights.get(value, 0.0) + sum(certainty[n] for n in places)
    ranked = sorted(
        groups,
        key=lambda value: (-weights[value], not answers[groups[value][0]].values, groups[value][0]),
    )
    missing = samples - sum(map(len, groups.values()))
    second = max((weight for value, weight in weights.items() if value != ranked[0]), default=0.0)
    places = groups[ranked[0]]
    winner = max(places, key=lambda place: (certainty[place], -place))
    is_decided = missing <= 0 or weights[ranked[0]] > second + missing
    return Vote(winner, len(places) / samples, is_decided)


_STAGES = ("parse", "check", "map", "plan", "execute")


def find_best_failure(answers: Sequence[Answer]) -> int:
    """Return the index of the failed query that came furthest; among equals that with fewest problems."""

    def rank(place: int) -> tuple[int, int, int]:
        answer = answers[place]
        stages = [_STAGES.index(s.stage) for s in answer.trace if s.stage in _STAGES]
        return max(stages, default=-1), -len(answer.problems), -place

    failures = [n for n, answer in enumerate(answers) if answer.outcome not in SUCCESS_OUTCOMES]
    return max(failures, key=rank)


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


MIN_EMPTY_SCORE = 0.9  # An empty result is an answer only if the demonstration fits this well.


@dataclass(frozen=True, slots=True)
class Tries:
    """Answers of the suggested queries that ran, in their order, and the index of the best one."""

    answers: tuple[Answer, ...]
    place: int | None

    @property
    def best(self) -> Answer | None:
        return None if self.place is None else self.answers[self.place]


def try_out(session: QuerySession, candidates: Sequence[QueryCandidate]) -> Tries:
    """Run the candidates, best first, until one has values; the caller applies the threshold."""
    return session.in_transaction(lambda shared: _try_out(shared.remembering(), candidates))


def _try_out(session: QuerySession, candidates: Sequence[QueryCandidate]) -> Tries:
    answers: list[Answer] = []
    empty: int | None = None
    for place, candidate in enumerate(candidates):
        answer = session.run(candidate.query, candidate.scope)
        answers.append(answer)
        if answer.outcome not in SUCCESS_OUTCOMES:
            continue
        if answer.values:
            return Tries(tuple(answers), place)
        if empty is None and candidate.score >= MIN_EMPTY_SCORE:
            empty = place
    return Tries(tuple(answers), empty)
