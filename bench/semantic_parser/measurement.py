"""What the semantic parser answers at its default threshold and gate, and which questions it gets wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trustuqa_neo4j.evaluation.metrics import matches_denotation
from trustuqa_neo4j.questions.with_semantic_parser import OFFERED
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.spelling import correct_spelling
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

from .corpus import TableQuestion


@dataclass(frozen=True)
class Attempt:
    """The readings of one question; ``rank`` is the place of the first right one, from 0, or None."""

    case: TableQuestion
    readings: Sequence[QuestionReading]
    rank: int | None

    @property
    def is_answered(self) -> bool:
        return bool(self.readings) and self.readings[0].is_sure

    @property
    def failure(self) -> str | None:
        """Why the best reading is not a right answer; None if it is."""
        if not self.case.labels:
            return "unanswerable, answered" if self.is_answered else None
        if self.rank == 0:
            if self.is_answered:
                return None
            return "right, unexplained" if not self.readings[0].is_explained else "right, unsure"
        if not self.readings:
            return "no reading"
        if self.rank is None:
            return "right reading missing"
        return "among best three" if self.rank < OFFERED else "ranked low"


def _read(case: TableQuestion, text: str, weights: RankerWeights) -> Sequence[QuestionReading]:
    return parse_for_table(read_question(text), case.table, weights).readings


def attempt(cases: Iterable[TableQuestion], weights: RankerWeights) -> list[Attempt]:
    return [_attempt_one(case, weights) for case in cases]


def _attempt_one(case: TableQuestion, weights: RankerWeights) -> Attempt:
    readings = _read(case, case.text, weights)
    if readings and (not readings[0].is_sure or readings[0].unexplained):
        question = read_question(case.text)
        text, corrections = correct_spelling(question, readings[0].unexplained)
        corrected = _read(case, text, weights) if corrections else []
        readings = corrected if corrected and corrected[0].is_sure else readings
    ranks = (
        rank
        for rank, reading in enumerate(readings)
        if case.labels and matches_denotation(case.labels, reading.members)
    )
    return Attempt(case, readings, next(ranks, None))


def summarize(attempts: Iterable[Attempt]) -> dict[str, tuple[int, int]]:
    """Return figures as part and whole."""
    attempts = list(attempts)
    answerable = [attempt for attempt in attempts if attempt.case.labels]
    others = [attempt for attempt in attempts if not attempt.case.labels]
    answered = [attempt for attempt in answerable if attempt.is_answered]
    size = len(answerable)
    return {
        "right": (sum(a.rank == 0 for a in answerable), size),
        "right among three": (
            sum(a.rank is not None and a.rank < OFFERED for a in answerable),
            size,
        ),
        "answered": (len(answered), size),
        "right of answered": (sum(a.rank == 0 for a in answered), len(answered)),
        "unanswerable answered": (sum(a.is_answered for a in others), len(others)),
    }


def format_figures(figures: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(
        f"{name} {part}/{whole} ({100 * part / whole:.1f} %)"
        for name, (part, whole) in figures.items()
        if whole
    )


def count_failures(attempts: Iterable[Attempt]) -> Counter[tuple[str, str]]:
    """Count failures by class and kind of question."""
    return Counter(
        (failure, attempt.case.kind) for attempt in attempts if (failure := attempt.failure)
    )
