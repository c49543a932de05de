"""Two columns of a row that are compared or subtracted, in memory and on the server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.plans import check_plan, read_table

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.semantic_parser.plans import ColumnDifference, RowCount, TablePlan
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.row_plans import (
    CellMatch,
    ColumnCells,
    ColumnComparison,
    PlanFailure,
)
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

JOBS = """job,foreman,promised,handed over,quote (£),invoice (£),paid (£)
Barn roof,Okafor,2023-04-02,2023-04-09,1200,1350.5,1350.5
Well cover,Lind,2023-04-20,2023-04-18,300,300,250
O'Dowd's gate,Okafor,2023-05-11,,450,520,
Stable door,Lind,2023-06-01,2023-06-21,800,780,700
"""
JOB, FOREMAN, PROMISED, HANDED, QUOTE, INVOICE, PAID = range(7)


@pytest.fixture(scope="module")
def jobs(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    path = tmp_path_factory.mktemp("columns") / "jobs.csv"
    path.write_text(JOBS, encoding="utf-8")
    client.load("table", path, dataset="compared columns", embeddings=False)
    yield client
    client.drop("compared columns")


@pytest.fixture(scope="module")
def table(jobs: TrustUQA) -> TableSnapshot:
    return read_table(jobs, "compared columns")


def compare(first: int, second: int, selector: str) -> ColumnComparison:
    return ColumnComparison(JOB, first, second, selector)


def subtract(
    rows: CellMatch, first: int, second: int, function: str = "difference"
) -> ColumnDifference:
    return ColumnDifference(ColumnCells(rows, first), ColumnCells(rows, second), function)


WELL = CellMatch(JOB, ("well cover",))
PLANS: dict[str, tuple[TablePlan, tuple[str | float, ...]]] = {
    "a later date": (ColumnCells(compare(HANDED, PROMISED, ">"), JOB), ("Barn roof", "Stable door")),
    "an earlier date": (ColumnCells(compare(HANDED, PROMISED, "<"), FOREMAN), ("Lind",)),
    "more, with quotes": (
        ColumnCells(compare(INVOICE, QUOTE, ">"), JOB), ("Barn roof", "O'Dowd's gate")),
    "less, with an empty cell": (RowCount(compare(PAID, INVOICE, "<")), (2.0,)),
    "farthest": (ColumnCells(compare(PAID, INVOICE, "highest"), JOB), ("Stable door",)),
    "nearest": (ColumnCells(compare(INVOICE, PAID, "lowest"), JOB), ("Barn roof",)),
    "a difference": (subtract(WELL, QUOTE, PAID), (50.0,)),
    "a difference of days": (subtract(WELL, PROMISED, HANDED, "days_difference"), (2.0,)),
}  # fmt: skip


@pytest.mark.parametrize(("plan", "members"), PLANS.values(), ids=PLANS.keys())
def test_a_plan_means_what_its_query_means(
    jobs: TrustUQA, table: TableSnapshot, plan: TablePlan, members: tuple[str | float, ...]
) -> None:
    check_plan(jobs, "compared columns", table, plan, members)


@pytest.mark.parametrize(
    "plan",
    [
        ColumnCells(compare(INVOICE, QUOTE, "highest"), JOB),
        subtract(CellMatch(JOB, ("odowds gate",)), INVOICE, PAID),
        subtract(CellMatch(FOREMAN, ("lind",)), INVOICE, PAID),
    ],
    ids=["differences up and down", "an empty cell", "several rows"],
)
def test_a_plan_without_one_answer_fails(table: TableSnapshot, plan: TablePlan) -> None:
    with pytest.raises(PlanFailure):
        plan.evaluate(table)


def test_rows_of_a_sample_have_no_key(table: TableSnapshot) -> None:
    assert table.key_column == JOB
    assert replace(table, is_sample=True).key_column is None


def parse(table: TableSnapshot, text: str) -> QuestionReading:
    return parse_for_table(read_question(text), table).readings[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Which jobs were handed over later than promised?", {"Barn roof", "Stable door"}),
        ("which jobs were handed over before the promised date", {"Well cover"}),
        ("how many jobs have an invoice above the quote", {2.0}),
        ("Which jobs have a higher quote than invoice?", {"Stable door"}),
        ("what is the difference between quote and invoice for the barn roof?", {150.5}),
        ("how many days were there between promised and handed over for the stable door?", {20.0}),
        ("Which job has the largest difference between paid and invoice?", {"Stable door"}),
    ],
)
def test_columns_are_compared(table: TableSnapshot, text: str, answer: set[str | float]) -> None:
    reading = parse(table, text)
    assert reading.is_sure
    assert {*reading.members} == answer


@pytest.mark.parametrize(
    "text",
    [
        # Of three columns one is left out.
        "which jobs have a higher invoice than quote and paid",
        "jobs and foremen of those with a higher invoice than quote, and what was paid",
        # Numbers compare with numbers and dates with dates.
        "which jobs were handed over after the invoice",
        # Of what it says only what is compared with.
        "how many jobs went over the quote",
        # Some invoices are above and others below their quotes.
        "Which job has the largest difference between invoice and quote?",
    ],
)
def test_what_cannot_be_compared_is_not_answered(table: TableSnapshot, text: str) -> None:
    assert not parse(table, text).is_sure
