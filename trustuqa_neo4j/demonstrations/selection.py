"""Calibration: the least score that a candidate of demonstrations needs, measured on a dataset.

`calibrate` measures the threshold of a dataset on its demonstrations, each asked without itself. Failed
demonstrations with known answers count too, as real questions include them. One threshold for all datasets
would be too strict for some and too loose for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

DEFAULT_THRESHOLD = 0.8  # without calibration, nothing shows how far wordings may differ
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
