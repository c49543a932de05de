"""The work on a question is counted before it is done: never by a clock, which a busy machine would fail."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j import deadline
from trustuqa_neo4j.deadline import Deadline, Workload, count_each, count_steps
from trustuqa_neo4j.errors import Cancelled, QuestionTooLong, TimedOut
from trustuqa_neo4j.semantic_parser import table_parser
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import MAX_STEPS, parse_for_table

COLUMNS, ROWS = 300, 5


@pytest.fixture(scope="module")
def wide() -> TableSnapshot:
    header = ("Well", *(f"depth {number}" for number in range(1, COLUMNS)))
    rows = [
        (f"well {row}", *(str((row * number) % 9) for number in range(1, COLUMNS)))
        for row in range(ROWS)
    ]
    return make_snapshot("wells.csv", header, rows)


@pytest.mark.parametrize(
    "text",
    [
        "how many " + "1 " * 120,
        " and ".join(["more than 3 and less than 4"] * 25),
        "which well has " + " or ".join(map(str, range(100))),
        "which wells are not " + " not ".join(["depth 7"] * 60),
        "well " * 250,
    ],
    ids=["equal numbers", "bounds", "choices", "negations", "one word"],
)
def test_a_question_with_too_much_to_combine_is_refused(
    wide: TableSnapshot, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_parser, "MAX_STEPS", 300_000)  # sooner, for a quick test
    with pytest.raises(QuestionTooLong) as caught:
        parse_for_table(read_question(text), wide)
    assert f"over {COLUMNS} columns" in caught.value.what
    assert "300,000" in caught.value.where
    assert "split it" in caught.value.hint
    assert caught.value.exit_code == 1


def count_work(question: str, table: TableSnapshot, monkeypatch: pytest.MonkeyPatch) -> int:
    workloads = []

    def note(subject: str, limit: int) -> Workload:
        workloads.append(Workload(subject, limit))
        return workloads[-1]

    with monkeypatch.context() as patch:
        patch.setattr(table_parser, "Workload", note)
        parse_for_table(read_question(question), table)
    (workload,) = workloads
    return workload.steps


def test_usual_questions_are_far_from_the_limit(
    wide: TableSnapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "Which wells had a depth 7 of more than 3 and a depth 12 between 2 and 8 in the last year?"
    )
    assert 0 < count_work(text, wide, monkeypatch) < MAX_STEPS // 2


def test_the_deadline_holds_in_the_loops_of_the_reader(wide: TableSnapshot) -> None:
    cancelled = deadline.Cancellation()
    cancelled.set()
    with Deadline(1e6, cancelled).applied(), pytest.raises(Cancelled):
        parse_for_table(read_question("how many wells have depth 7 of 3"), wide)
    with Deadline(0).applied(), pytest.raises(TimedOut):
        parse_for_table(read_question("how many wells have depth 7 of 3"), wide)


def test_steps_are_counted_before_they_are_made() -> None:
    items = iter(range(100))
    with Workload("three words", 25).applied(), pytest.raises(QuestionTooLong):
        list(count_each(items, 10))
    assert next(items) == 3  # the third was counted, and nothing was done with it
    count_steps(10**9)  # without a workload nothing is counted
