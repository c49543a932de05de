"""Figures of questions that the semantic parser alone answers: no model, no demonstrations.

The best readings of each question run, also if it is refused. So the figures show the effect of another
threshold, and the price of a refusal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..answer import SUCCESS_OUTCOMES
from ..questions.with_semantic_parser import OFFERED
from ..semantic_parser.reading import MIN_PROBABILITY
from .metrics import percentile
from .results_file import ResultLine
from .summary import GroupScores, describe_failure, is_right, scores_by_group


@dataclass(frozen=True, slots=True)
class RefusalCount:
    """Questions refused for one reason; ``right`` are those whose most probable reading is right."""

    reason: str
    n: int
    right: int


@dataclass(frozen=True, slots=True)
class RecordedQueries:
    """Recorded queries of training questions, one for each question, as ``groups``.

    A right query shows that the language can say its question. ``left_out`` counts records that were not run.
    """

    groups: tuple[GroupScores, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UntaughtFigures:
    """Figures of ``n`` questions.

    ``right_within`` counts those with a right reading among the first 1, 2, 3 offered ones. ``default`` is
    the point of the default threshold with the gate. ``reliability`` is that of the most probable readings,
    ``reliability_given`` that of the answers that were not refused. ``p50`` and ``p95`` are milliseconds from
    the question to its answer or refusal.
    """

    n: int
    right_within: tuple[int, ...]
    coverage: tuple[CoveragePoint, ...]
    default: CoveragePoint
    reliability: tuple[ReliabilityBin, ...]
    reliability_given: tuple[ReliabilityBin, ...]
    refusals: tuple[RefusalCount, ...]
    recorded: RecordedQueries | None = None
    p50: float | None = None
    p95: float | None = None


def measure_untaught(
    lines: Sequence[ResultLine], recorded: RecordedQueries | None = None
) -> UntaughtFigures:
    answers = [judge_best(line) for line in lines]
    answered = [
        JudgedAnswer(line.confidence, is_right(line))
        for line in lines
        if line.outcome in SUCCESS_OUTCOMES
    ]
    times = [line.ms.get("total", 0.0) for line in lines]
    ranks = [rank for line in lines if (rank := _rank_of_right(line)) is not None]
    return UntaughtFigures(
        len(lines),
        tuple(sum(rank < count for rank in ranks) for count in range(1, OFFERED + 1)),
        tabulate_coverage(answers),
        measure_part(answered, len(lines), MIN_PROBABILITY),
        tabulate_reliability(answers),
        tabulate_reliability(answered),
        count_refusals(lines),
        recorded,
        percentile(times, 0.50),
        percentile(times, 0.95),
    )


def judge_best(line: ResultLine) -> JudgedAnswer:
    """Return the reading with the greatest confidence."""
    if not line.readings:
        return JudgedAnswer(None, False)
    best = max(line.readings, key=lambda reading: reading.confidence or 0.0)
    return JudgedAnswer(best.confidence, is_right(best))


def count_refusals(lines: Sequence[ResultLine]) -> tuple[RefusalCount, ...]:
    """Count refused questions by reason, the most frequent first."""
    refused = [line for line in lines if line.outcome not in SUCCESS_OUTCOMES]
    counts = Counter(describe_failure(line) for line in refused)
    right = Counter(describe_failure(line) for line in refused if judge_best(line).is_right)
    return tuple(RefusalCount(reason, n, right[reason]) for reason, n in counts.most_common())


def measure_recorded(lines: Sequence[ResultLine], left_out: Mapping[str, int]) -> RecordedQueries:
    return RecordedQueries(scores_by_group(lines), dict(left_out))


def _rank_of_right(line: ResultLine) -> int | None:
    ranks = (rank for rank, reading in enumerate(line.readings or ()) if is_right(reading))
    return next(ranks, None)


# Risk and coverage of answers with probabilities, and the reliability of the probabilities.
#
# Risk–coverage: if the most probable answers are given first, how many of these are right. Reliability:
# how often answers of about one probability are right.


PERCENTAGES = tuple(range(10, 101, 10))
_PROBABILITIES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


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
    for low, high in pairwise(_PROBABILITIES):
        part = [
            (probability, answer)
            for probability, answer in entries
            if low <= probability < high or probability == high == _PROBABILITIES[-1]
        ]
        mean = sum(probability for probability, _ in part) / len(part) if part else None
        precision = measure_precision([answer for _, answer in part])
        bins.append(ReliabilityBin(low, high, len(part), mean, precision))
    return tuple(bins)


def measure_precision(answers: Sequence[JudgedAnswer]) -> float | None:
    """Return the share of right answers; None without answers."""
    return sum(answer.is_right for answer in answers) / len(answers) if answers else None
