"""Selection of an answer among the results of suggested queries, and calibration of its threshold.

`calibrate` measures the threshold of a dataset on its demonstrations, each asked without itself. Failed
demonstrations with known answers count too, as real questions include them. One threshold for all datasets
would be too strict for some and too loose for others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

from .offline_writer import QueryCandidate

# Queries with the same result support each other; a rejected query does not count. An empty result counts
# less, since most wrong queries find nothing.

DEFAULT_THRESHOLD = 0.8  # without calibration, nothing shows how far wordings may differ
_SCORE_POWER = 8  # Exponent of a query's score in the weight of its result.
_OPPOSITION_LOSS = 0.6  # Share of the score that an answer loses if all other results differ.
_MIN_EMPTY_SCORE = 0.9  # An empty result is an answer only if the pattern fits this well.
_EMPTY_WEIGHT = 0.5  # Weight of an empty result, relative to one with values.
_NEGLIGIBLE_SHARE = 0.1  # A query with less than this share of the best weight need not run.


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """The result of a suggested query. Equal answers have an equal ``meaning``; None means rejected."""

    candidate: QueryCandidate
    meaning: Hashable | None
    value_count: int = 1


@dataclass(frozen=True, slots=True)
class Decision:
    """The place of the selected result, None without an answer, and its confidence (0 to 1)."""

    place: int | None
    score: float


def select_answer(
    results: Sequence[CandidateResult], threshold: float = DEFAULT_THRESHOLD
) -> Decision:
    """Select the answer with the most support; none if its score is below ``threshold``."""
    weights = _meaning_weights(results)
    best_meaning = max(weights, key=lambda meaning: weights[meaning], default=None)
    if best_meaning is None:
        return Decision(None, 0.0)
    share = weights[best_meaning] / sum(weights.values())
    place = max(
        (position for position, result in enumerate(results) if result.meaning == best_meaning),
        key=lambda position: (results[position].candidate.score, -position),
    )
    candidate = results[place].candidate
    score = candidate.score * candidate.support * (1 - _OPPOSITION_LOSS * (1 - share))
    is_sure = score >= threshold and (
        results[place].value_count > 0 or candidate.score >= _MIN_EMPTY_SCORE
    )
    return Decision(place if is_sure else None, score)


def is_negligible(candidate: QueryCandidate, results: Sequence[CandidateResult]) -> bool:
    """True if the result of the query cannot change much of the decision between ``results``."""
    weights = _meaning_weights(results)
    best_weight = max(weights.values(), default=0.0)
    return _score_weight(candidate) < _NEGLIGIBLE_SHARE * best_weight


def _meaning_weights(results: Sequence[CandidateResult]) -> dict[Hashable, float]:
    weights: dict[Hashable, float] = defaultdict(float)
    for result in results:
        if result.meaning is not None:
            share = 1.0 if result.value_count else _EMPTY_WEIGHT
            weights[result.meaning] += _score_weight(result.candidate) * share
    return weights


def _score_weight(candidate: QueryCandidate) -> float:
    weight: float = candidate.score**_SCORE_POWER
    return weight


CALIBRATION_SAMPLE = 300
MIN_ANSWERS = 10
TARGET_PRECISION = 0.9  # The share of right answers that the threshold should guarantee.
_CONFIDENCE_DEVIATIONS = 1.645  # Standard deviations of a one-sided bound with 95 % confidence.
_MIN_PRECISION, _MIN_ANSWERED = 0.5, 5
"""Below these the calibration has too little data, for example if each template occurs once."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The threshold, the share of questions that reach it, and the share of these that are right.

    Both shares are 0 if there were too few demonstrations.
    """

    threshold: float
    share: float = 0.0
    precision: float = 0.0


def calibrate(
    scored: Sequence[tuple[float, bool]], precision: float = TARGET_PRECISION
) -> Calibration:
    """Find the lowest threshold with this precision, or else the one with the best precision.

    ``scored`` has one pair per demonstration: the score of its answer (0 for none), and if it was right.
    """
    if len(scored) < MIN_ANSWERS:
        return Calibration(DEFAULT_THRESHOLD)
    ranked = sorted(scored, key=lambda entry: -entry[0])
    best, surest = Calibration(1.0, 0.0, 0.0), 0.0
    right_count = 0
    for count, (score, is_right) in enumerate(ranked, 1):
        right_count += is_right
        if not score:
            break
        is_last = count == len(ranked) or ranked[count][0] < score
        lower_bound = _lower_bound(right_count, count)
        if is_last and lower_bound >= min(precision, surest):
            best, surest = Calibration(score, count / len(ranked), right_count / count), lower_bound
    if best.precision < _MIN_PRECISION or best.share * len(ranked) < _MIN_ANSWERED:
        return Calibration(DEFAULT_THRESHOLD)
    return best


def _lower_bound(right_count: int, answer_count: int) -> float:
    """The lower bound of the Wilson score interval for the share of right answers."""
    share, square = right_count / answer_count, _CONFIDENCE_DEVIATIONS**2
    middle = share + square / (2 * answer_count)
    spread = _CONFIDENCE_DEVIATIONS * sqrt(
        share * (1 - share) / answer_count + square / (4 * answer_count * answer_count)
    )
    return (middle - spread) / (1 + square / answer_count)
