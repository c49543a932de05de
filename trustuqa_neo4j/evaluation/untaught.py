"""Figures of questions that the semantic parser alone answers: no model, no demonstrations.

The best readings of each question run, also if it is refused. So the figures show the effect of another
threshold, and the price of a refusal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..answer import SUCCESS_OUTCOMES
from ..questions.with_semantic_parser import OFFERED
from ..semantic_parser.reading import MIN_PROBABILITY
from .metrics import percentile
from .results_file import ResultLine
from .risk_coverage import (
    CoveragePoint,
    JudgedAnswer,
    ReliabilityBin,
    measure_part,
    tabulate_coverage,
    tabulate_reliability,
)
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
