"""The reliability of answers by demonstrations: ``python -m bench.confidence``.

Small datasets get few demonstrations, and the example of the documentation gets its thirty. The questions
have the words of a demonstration with other names, other words, or another meaning (``changed``: no
demonstration shows it, so an answer is wrong). Every third question is *held out*: it was first asked after
the rules were written.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustuqa_neo4j import Demonstration, TrustUQA
from trustuqa_neo4j.answer import Answer
from trustuqa_neo4j.questions.voting import meaning

QUESTIONS = Path(__file__).with_name("confidence_questions.json")
EXAMPLE = Path(__file__).parents[1] / "docs" / "example"
EXAMPLE_FILES = {"kg": "apollo.tsv", "table": "missions.csv", "temporal-kg": "service.tsv"}
BANDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Lower bounds of the bands of confidence."""
PREFIX = "confidence-"


@dataclass(frozen=True, slots=True)
class Question:
    """A question; ``answers`` is None if no demonstration shows how to answer it."""

    dataset: str
    text: str
    kind: str
    answers: tuple[str, ...] | None
    is_held_out: bool


@dataclass(frozen=True, slots=True)
class Result:
    question: Question
    answer: Answer

    @property
    def is_answered(self) -> bool:
        return self.answer.outcome in ("answered", "empty")

    @property
    def is_right(self) -> bool:
        answers = self.question.answers
        return (
            self.is_answered
            and answers is not None
            and meaning(self.answer) == meaning(Answer("answered", answers))
        )


def read_questions() -> list[Question]:
    records = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    return [
        Question(
            PREFIX + name, text, kind, None if answers is None else tuple(answers), not (number + 1) % 3
        )
        for name, record in records.items()
        for number, (text, kind, answers) in enumerate(record["questions"])
    ]  # fmt: skip


def load_datasets(tuqa: TrustUQA, folder: Path) -> None:
    """Load each dataset with its demonstrations."""
    for name, record in json.loads(QUESTIONS.read_text(encoding="utf-8")).items():
        dataset = PREFIX + name
        for format_name, path in _data_files(name, record, folder):
            tuqa.load(format_name, path, dataset=dataset, mode="append", embeddings=False)
        demonstrations = (
            [(d["question"], d["query"], d["answers"]) for d in _read_example()]
            if "demonstrations" not in record
            else record["demonstrations"]
        )
        tuqa.demonstrations.store(
            dataset,
            [Demonstration(text, query, tuple(answers)) for text, query, answers in demonstrations],
        )
        verified = tuqa.demonstrations.verify(dataset)
        assert not verified.failed, tuqa.demonstrations.listed(dataset, ["failed"])


def _data_files(name: str, record: dict[str, Any], folder: Path) -> Iterator[tuple[str, Path]]:
    if "lines" not in record:
        yield from ((format_name, EXAMPLE / file) for format_name, file in EXAMPLE_FILES.items())
        return
    path = folder / f"{name}.{'csv' if record['format'] == 'table' else 'tsv'}"
    path.write_text("\n".join(record["lines"]) + "\n", encoding="utf-8")
    yield record["format"], path


def _read_example() -> list[dict[str, Any]]:
    lines = (EXAMPLE / "demonstrations.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def ask_questions(
    tuqa: TrustUQA, questions: Sequence[Question], reader: bool = False
) -> list[Result]:
    return [
        Result(
            question, tuqa.ask(question.text, question.dataset, llm="demonstrations", reader=reader)
        )
        for question in questions
    ]


def print_reliability(results: Sequence[Result]) -> None:
    """Print the share of right answers in each band of confidence."""
    print("| confidence | answers | right | right % |\n|---|---|---|---|")
    for lower, upper in zip(BANDS, (*BANDS[1:], 1.01), strict=True):
        answers = [
            result
            for result in results
            if result.is_answered and lower <= (result.answer.confidence or 0.0) < upper
        ]
        right = sum(result.is_right for result in answers)
        share = f"{100 * right / len(answers):.0f}" if answers else "–"
        print(f"| {lower:.1f} – {min(upper, 1.0):.1f} | {len(answers)} | {right} | {share} |")


def print_kinds(results: Sequence[Result]) -> None:
    """Print the numbers of right, wrong and refused questions by kind."""
    print("\n| questions | n | right | wrong | refused |\n|---|---|---|---|---|")
    for kind in ("names", "paraphrase", "changed"):
        of_kind = [result for result in results if result.question.kind == kind]
        right = sum(result.is_right for result in of_kind)
        answered = sum(result.is_answered for result in of_kind)
        print(
            f"| {kind} | {len(of_kind)} | {right} | {answered - right} | {len(of_kind) - answered} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("tuned", "held-out", "all"), default="all")
    parser.add_argument("--reader", action="store_true", help="the reader answers what is left")
    parser.add_argument("--failures", action="store_true", help="list what is not right")
    arguments = parser.parse_args()
    # The reader may answer rightly what no demonstration shows.
    questions = [
        question
        for question in read_questions()
        if not (arguments.reader and question.kind == "changed")
        if arguments.part == "all" or question.is_held_out == (arguments.part == "held-out")
    ]
    with TrustUQA.connect() as tuqa, tempfile.TemporaryDirectory() as folder:
        loaded = {dataset.name for dataset in tuqa.datasets() if dataset.complete}
        if not loaded >= {question.dataset for question in questions}:
            load_datasets(tuqa, Path(folder))
        results = ask_questions(tuqa, questions, arguments.reader)
    print_reliability(results)
    print_kinds(results)
    if arguments.failures:
        for result in results:
            answer, question = result.answer, result.question
            if result.is_right if question.answers is not None else not result.is_answered:
                continue
            reasons = [problem.message for problem in answer.problems]
            print(
                f"{question.dataset} {question.kind:10} {question.text}  "
                f"→ {answer.outcome} {answer.values} {answer.confidence} {reasons}"
            )


if __name__ == "__main__":
    main()
