"""What the semantic parser answers at its default threshold and gate, and which questions it gets wrong.

Questions over tables and over graphs are measured in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from trustuqa_neo4j.questions.with_semantic_parser import OFFERED
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights
from trustuqa_neo4j.semantic_parser.reading import ParsedQuestion, QuestionReading
from trustuqa_neo4j.semantic_parser.row_plans import Denoted
from trustuqa_neo4j.semantic_parser.spelling import correct_spelling


class LabelledQuestion(Protocol):
    """A question with its data and its right answers; ``is_answerable`` is False if there are none."""

    @property
    def text(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def is_answerable(self) -> bool: ...

    @property
    def headers(self) -> Sequence[str]:
        """The names of columns or relations."""

    def is_right(self, members: Sequence[Denoted], /) -> bool: ...

    def parse(self, text: str, weights: RankerWeights) -> ParsedQuestion:
        """Read ``text`` as a question over the same data."""


@dataclass(frozen=True)
class Attempt:
    """The readings of one question; ``rank`` is the place of the first right one, from 0, or None."""

    case: LabelledQuestion
    readings: Sequence[QuestionReading]
    rank: int | None

    @property
    def is_answered(self) -> bool:
        return bool(self.readings) and self.readings[0].is_sure

    @property
    def failure(self) -> str | None:
        """Why the best reading is not a right answer; None if it is."""
        if not self.case.is_answerable:
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


def attempt(cases: Iterable[LabelledQuestion], weights: RankerWeights) -> list[Attempt]:
    return [_attempt_one(case, weights) for case in cases]


def _attempt_one(case: LabelledQuestion, weights: RankerWeights) -> Attempt:
    readings = case.parse(case.text, weights).readings
    if not readings or not readings[0].is_sure or readings[0].unexplained:
        question = read_question(case.text)
        unknown = readings[0].unknown_words if readings else question.content_words
        text, corrections = correct_spelling(question, unknown, case.headers)
        corrected = case.parse(text, weights).readings if corrections else ()
        readings = corrected if corrected and corrected[0].is_sure else readings
    ranks = (rank for rank, reading in enumerate(readings) if case.is_right(reading.members))
    return Attempt(case, readings, next(ranks, None))


def summarize(attempts: Iterable[Attempt]) -> dict[str, tuple[int, int]]:
    """Return figures as part and whole."""
    attempts = list(attempts)
    answerable = [attempt for attempt in attempts if attempt.case.is_answerable]
    others = [attempt for attempt in attempts if not attempt.case.is_answerable]
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
