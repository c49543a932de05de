"""Verdicts on answers to questions whose right answers are known, and tables of their counts.

The benchmarks of files that are loaded as they are share this module. A question without a right answer is
*unanswerable*; a value in reply to it is counted apart from right and wrong.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from trustuqa_neo4j import Answer, TrustUQA, TrustUQAError

TOLERANCE = 0.01  # of numbers
VERDICTS = ("right", "wrong", "refused", "offered")
Verdict: TypeAlias = Literal["right", "wrong", "refused", "offered"]
Member: TypeAlias = str | float | tuple["Member", ...]

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+")
_QUANTITY = re.compile(rf"({_NUMBER.pattern}) ?[^\W\d_]{{1,8}}|({_NUMBER.pattern}) ?[%€$£°]")
_TRUTHS = {"true": "yes", "false": "no"}


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question over one dataset.

    ``also`` are answers that are right too; ``pair`` is a question that must have the same answer.
    """

    id: str
    text: str
    category: str
    answers: tuple[Any, ...]
    also: tuple[tuple[Any, ...], ...] = ()
    is_answerable: bool = True
    is_ordered: bool = False
    pair: str | None = None

    @classmethod
    def from_record(cls, record: Mapping[str, Any], category: str = "category") -> LabelledQuestion:
        return cls(
            record["id"],
            record["question"],
            record[category],
            tuple(record["answers"]),
            tuple(tuple(answers) for answers in record["also"]),
            record["answerable"],
            record.get("ordered", False),
            record.get("pair"),
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a question; ``is_offered_right`` if an offered reading gives a right answer."""

    question: LabelledQuestion
    verdict: Verdict
    answer: Answer | None = None
    is_offered_right: bool = False
    error: str = ""

    @property
    def is_answered(self) -> bool:
        return self.verdict in ("right", "wrong")

    def to_dict(self) -> dict[str, Any]:
        answer = self.answer or Answer("failed")
        return {
            "id": self.question.id,
            "category": self.question.category,
            "question": self.question.text,
            "expected": list(self.question.answers),
            "verdict": self.verdict,
            "answerable": self.question.is_answerable,
            "outcome": answer.outcome,
            "values": list(answer.values[:20]),
            "understood": answer.understood,
            "confidence": answer.confidence,
            "readings": [reading.query for reading in answer.readings],
            "offered right": self.is_offered_right,
            "error": self.error,
        }


def fold(value: object) -> Member:
    """Make texts, numbers and pairs comparable: no case, no needless blanks, numbers as numbers."""
    if isinstance(value, list | tuple):
        return tuple(fold(part) for part in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    text = " ".join(unicodedata.normalize("NFKC", str(value)).split()).casefold()
    if _NUMBER.fullmatch(text):
        return float(text.replace(",", ""))
    return _TRUTHS.get(text, text)


def are_equal(expected: Member, given: Member) -> bool:
    """Compare members; where a number is expected, the unit of a cell does not count."""
    if isinstance(expected, float) and isinstance(given, str):
        quantity = _QUANTITY.fullmatch(given)
        given = fold(quantity[1] or quantity[2]) if quantity else given
    if isinstance(expected, float) and isinstance(given, float):
        return abs(expected - given) <= TOLERANCE
    if isinstance(expected, tuple) and isinstance(given, tuple):
        return len(expected) == len(given) and all(map(are_equal, expected, given))
    return expected == given


def is_same_set(expected: Sequence[Member], given: Sequence[Member]) -> bool:
    return all(any(are_equal(e, g) for g in given) for e in expected) and all(
        any(are_equal(e, g) for e in expected) for g in given
    )


def is_right(question: LabelledQuestion, answer: Answer) -> bool:
    """Return whether the answer is one of the right ones, as values, as pairs or as one column."""
    if answer.outcome != "answered":
        return False
    shown = list(list_forms(answer))
    for members in (question.answers, *question.also):
        for expected in _list_expected(members):
            if question.is_ordered and any(_is_same_order(expected, form) for form in shown):
                return True
            if not question.is_ordered and any(is_same_set(expected, form) for form in shown):
                return True
    return False


def _is_same_order(expected: Sequence[Member], given: Sequence[Member]) -> bool:
    return len(expected) == len(given) and all(map(are_equal, expected, given))


def _list_expected(members: Sequence[Any]) -> Iterator[list[Member]]:
    """Yield the members, and where each is a text ``group: value``, the pairs."""
    yield [fold(member) for member in members]
    parts = [member.rpartition(": ") for member in members if isinstance(member, str)]
    if len(parts) == len(members) and all(colon for _, colon, _ in parts):
        yield [fold((group, value)) for group, _, value in parts]


def list_forms(answer: Answer) -> Iterator[list[Member]]:
    """Yield the ways to read an answer: its values; of a table, the rows and each column."""
    yield [fold(value) for value in answer.values]
    rows = answer.rows or ()
    if rows and len(rows[0]) > 1:
        yield [fold(row) for row in rows]
        yield [fold(row[::-1]) for row in rows]
        yield from ([fold(row[place]) for row in rows] for place in range(len(rows[0])))


def ask_and_judge(tuqa: TrustUQA, question: LabelledQuestion, dataset: str) -> Judgement:
    """Ask without a model, and judge the answer; of offered readings, each one runs."""
    try:
        answer = tuqa.ask(question.text, dataset)
    except TrustUQAError as error:
        return Judgement(question, "refused", error=str(error))
    verdict = judge(question, answer)
    has_right = verdict == "offered" and any(
        is_right(question, run_reading(tuqa, dataset, reading)) for reading in answer.readings
    )
    return Judgement(question, verdict, answer, has_right)


def run_reading(tuqa: TrustUQA, dataset: str, reading: Any) -> Answer:
    try:
        return tuqa.run(reading.query, reading.dataset or dataset, source=reading.source)
    except TrustUQAError:
        return Answer("failed")


def judge(question: LabelledQuestion, answer: Answer) -> Verdict:
    """Return the verdict; an empty result is wrong, but for an unanswerable question, which has none."""
    if answer.outcome == "answered" or (answer.outcome == "empty" and question.is_answerable):
        return "right" if question.is_answerable and is_right(question, answer) else "wrong"
    return "offered" if answer.readings else "refused"


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of verdicts; ``size`` and the verdicts are of answerable questions."""

    size: int
    right: int
    wrong: int
    refused: int
    offered: int
    among_three: int
    unanswerable: int
    unanswerable_answered: int

    @property
    def precision(self) -> float | None:
        answered = self.right + self.wrong
        return 100 * self.right / answered if answered else None


def count_verdicts(judgements: Iterable[Judgement]) -> Counts:
    judgements = list(judgements)
    answerable = [j for j in judgements if j.question.is_answerable]
    others = [j for j in judgements if not j.question.is_answerable]
    by_verdict = [sum(j.verdict == verdict for j in answerable) for verdict in VERDICTS]
    right, wrong, refused, offered = by_verdict
    among_three = right + sum(j.is_offered_right for j in answerable)
    answered = sum(j.is_answered for j in others)
    return Counts(
        len(answerable), right, wrong, refused, offered, among_three, len(others), answered
    )


def render_table(judgements: Sequence[Judgement]) -> str:
    """Draw the counts of each category and of all as a table in Markdown."""
    by_category: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_category.setdefault(judgement.question.category, []).append(judgement)
    columns = (
        *("category", "n", *VERDICTS, "precision"),
        *("right with offers", "unanswerable answered"),
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, group in (*by_category.items(), ("all", judgements)):
        counts = count_verdicts(group)
        precision = "–" if counts.precision is None else f"{counts.precision:.1f} %"
        lines.append(
            f"| {name} | {counts.size} | {counts.right} | {counts.wrong} | {counts.refused} "
            f"| {counts.offered} | {precision} | {counts.among_three} "
            f"| {counts.unanswerable_answered} of {counts.unanswerable} |"
        )
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of questions with one answer; ``changed`` have two answers, ``half`` have one and a refusal."""

    size: int
    changed: int
    half: int


def count_pairs(judgements: Iterable[Judgement]) -> PairCounts:
    by_id = {judgement.question.id: judgement for judgement in judgements}
    # Only one of the two may name the other.
    ids = {frozenset((j.question.id, j.question.pair)) for j in by_id.values() if j.question.pair}
    pairs = [tuple(by_id[name] for name in sorted(pair)) for pair in ids if pair <= by_id.keys()]
    both = [(a, b) for a, b in pairs if a.is_answered and b.is_answered]
    half = sum(a.is_answered != b.is_answered for a, b in pairs)
    return PairCounts(len(pairs), sum(not _is_same_answer(a, b) for a, b in both), half)


def _is_same_answer(first: Judgement, second: Judgement) -> bool:
    assert first.answer is not None
    assert second.answer is not None
    return is_same_set(next(list_forms(first.answer)), next(list_forms(second.answer)))


def write_failures(judgements: Iterable[Judgement], path: Path) -> None:
    """Write a JSON line for each question that is not right, wrong ones first."""
    failed = [
        judgement
        for judgement in judgements
        if judgement.verdict != "right"
        and (judgement.question.is_answerable or judgement.is_answered)
    ]
    failed.sort(key=lambda judgement: VERDICTS.index(judgement.verdict))
    with path.open("w", encoding="utf-8") as lines:
        for judgement in failed:
            lines.write(json.dumps(judgement.to_dict(), ensure_ascii=False) + "\n")
