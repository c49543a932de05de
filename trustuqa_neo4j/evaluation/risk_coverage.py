"""Risk and coverage of answers with probabilities, and the reliability of the probabilities.

Risk–coverage: if the most probable answers are given first, how many of these are right. Reliability: how
often answers of about one probability are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

PERCENTAGES = tuple(range(10, 101, 10))
_BOUNDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer to a question; ``probability`` is None if there is none."""

    probability: float | None
    is_right: bool


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """The ``n`` questions whose answers are as probable as ``threshold``, or more.

    ``coverage`` is their share of all questions, ``precision`` the share of right answers among them.
    ``threshold`` is None if some of them have no answer.
    """

    coverage: float
    n: int
    right: int
    precision: float | None
    threshold: float | None


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The ``n`` answers with a probability from ``low`` to below ``high``; in the last bin, to 1.

    ``mean`` is their mean probability, ``precision`` the share of right ones.
    """

    low: float
    high: float
    n: int
    mean: float | None
    precision: float | None


def tabulate_coverage(
    answers: Iterable[JudgedAnswer], percentages: Sequence[int] = PERCENTAGES
) -> tuple[CoveragePoint, ...]:
    """Return a point for each percentage of the questions; those without an answer come last."""
    ordered = sorted(answers, key=lambda answer: -(answer.probability or 0.0))
    points = []
    for percentage in percentages:
        part = ordered[: len(ordered) * percentage // 100]
        threshold = part[-1].probability if part else None
        points.append(measure_part(part, len(ordered), threshold))
    return tuple(points)


def measure_part(
    answers: Sequence[JudgedAnswer], questions: int, threshold: float | None
) -> CoveragePoint:
    """Return the point of ``answers`` to a part of the ``questions``."""
    right = sum(answer.is_right for answer in answers)
    coverage = len(answers) / questions if questions else 0.0
    return CoveragePoint(coverage, len(answers), right, measure_precision(answers), threshold)


def tabulate_reliability(answers: Iterable[JudgedAnswer]) -> tuple[ReliabilityBin, ...]:
    entries = [(answer.probability, answer) for answer in answers if answer.probability is not None]
    bins = []
    for low, high in pairwise(_BOUNDS):
        part = [
            (probability, answer)
            for probability, answer in entries
            if low <= probability < high or probability == high == _BOUNDS[-1]
        ]
        mean = sum(probability for probability, _ in part) / len(part) if part else None
        precision = measure_precision([answer for _, answer in part])
        bins.append(ReliabilityBin(low, high, len(part), mean, precision))
    return tuple(bins)


def measure_precision(answers: Sequence[JudgedAnswer]) -> float | None:
    """Return the share of right answers; None without answers."""
    return sum(answer.is_right for answer in answers) / len(answers) if answers else None
