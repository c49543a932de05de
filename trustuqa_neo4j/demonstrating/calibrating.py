"""From which score on an answer is given: measured on the demonstrations, each asked without itself.

Those that failed are asked too where their answers are known: what nobody could write a query for is asked
as well, and to measure with what went well alone promises too much.

So a dataset whose questions are all of a few forms answers nearly all, and one whose demonstrations say
little about the next question keeps silent, without anybody tuning it. A threshold for all (the alternative)
is too strict for the one or wrong for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from .deciding import THRESHOLD

SAMPLE = 300
"""Demonstrations that are asked."""
FEWEST = 10
"""Fewer answers say nothing about a threshold."""
PRECISION = 0.9
"""The share of what is answered that should be right."""
_CERTAIN = 1.645
"""Standard deviations: so sure that it is at least that share, 95 times of 100.

Demonstrations are mostly of questions that went well: what they promise is rather too much than too little.
"""
_WORTH, _SEEN = 0.5, 5
"""Where fewer than these are right, or answered, there was too little to measure by: each wording, say, was
shown but once."""
_ALL, _SLACK = 0.98, 0.75
"""Where so many may be answered nothing tells from where on answers are wrong: it is put a little lower."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The threshold, the share of questions that reach it, and how many of these came out right.

    The shares are 0 where there were too few demonstrations to tell.
    """

    threshold: float
    share: float = 0.0
    precision: float = 0.0


def calibrate(scored: Sequence[tuple[float, bool]], precision: float = PRECISION) -> Calibration:
    """The least threshold from which on so many are right for sure; if there is none, the surest.

    ``scored`` are the score of each demonstration's answer, 0 where it had none, and whether it was right.
    """
    if len(scored) < FEWEST:
        return Calibration(THRESHOLD)
    order = sorted(scored, key=lambda one: -one[0])
    best, surest = Calibration(1.0, 0.0, 0.0), 0.0
    right = 0
    for place, (score, is_right) in enumerate(order, 1):
        right += is_right
        if not score:
            break
        last = place == len(order) or order[place][0] < score
        sure = _at_least(right, place)
        if last and sure >= min(precision, surest):
            best, surest = Calibration(score, place / len(order), right / place), sure
    if best.precision < _WORTH or best.share * len(order) < _SEEN:
        return Calibration(THRESHOLD)
    slack = _SLACK if best.share >= _ALL else 1.0
    return replace(best, threshold=best.threshold * slack)


def _at_least(right: int, asked: int) -> float:
    """The share that is right at least, with ``_CERTAIN`` deviations (Wilson): of few it is much less."""
    share, square = right / asked, _CERTAIN**2
    middle = share + square / (2 * asked)
    spread = _CERTAIN * sqrt(share * (1 - share) / asked + square / (4 * asked * asked))
    return (middle - spread) / (1 + square / asked)
