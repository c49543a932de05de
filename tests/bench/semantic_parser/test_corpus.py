"""The questions of our own over small tables are well-formed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from bench.semantic_parser.corpus import FOLDER, TableQuestion, read_own_questions, read_own_table
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot

CASES = list(read_own_questions())
TABLES = sorted(path.name for path in (FOLDER / "tables").glob("*.csv"))
CELL_KINDS = ("lookup", "list", "choice", "position", "frequency", "top")
NUMBER_KINDS = ("count", "distinct_count", "sum", "mean", "difference")
UNSEEN_TABLES = 23
UNANSWERABLE = 5  # questions of each table


def cell_texts(table: TableSnapshot) -> set[str]:
    """Return the cells, and the parts of those with several values."""
    cells = {cell.text for column in table.columns for cell in column.cells if cell}
    return cells | {part.strip() for text in cells for part in text.split(";")}


def of_kind(*kinds: str) -> list[TableQuestion]:
    return [case for case in CASES if case.kind in kinds]


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_read_with_its_columns(name: str) -> None:
    table = read_own_table(name)
    assert 8 <= table.size <= 60
    assert 4 <= len(table.columns) <= 11
    assert {len(column.cells) for column in table.columns} == {table.size}


def test_every_table_has_questions_and_some_that_it_cannot_answer() -> None:
    answerable = Counter(case.table.name for case in CASES if case.labels)
    unanswerable = Counter(case.table.name for case in CASES if not case.labels)
    assert sorted(answerable) == TABLES
    assert min(answerable.values()) >= 17
    assert sorted(unanswerable) == TABLES
    assert min(unanswerable.values()) >= UNANSWERABLE


def test_no_question_stands_twice() -> None:
    keys = Counter((case.table.name, case.text.lower()) for case in CASES)
    assert [key for key, count in keys.items() if count > 1] == []


def test_answers_that_are_cells_stand_in_the_table() -> None:
    strange = [
        (case.text, label)
        for case in of_kind(*CELL_KINDS, "superlative")
        for label in case.labels
        if label not in cell_texts(case.table)
    ]
    assert strange == []
    assert {len(case.labels) for case in of_kind("lookup")} == {1}
    assert min(len(case.labels) for case in of_kind("list")) > 1


def test_other_answers_are_one_number_or_yes_or_no() -> None:
    for case in of_kind(*NUMBER_KINDS):
        assert len(case.labels) == 1, case.text
        assert re.fullmatch(r"-?\d+(\.\d+)?( \S+)?", case.labels[0]), case.text
    verdicts = Counter(case.labels for case in of_kind("yes_no"))
    assert set(verdicts) == {("yes",), ("no",)}
    kinds = {case.kind for case in CASES if case.labels}
    assert kinds == {*CELL_KINDS, *NUMBER_KINDS, "superlative", "yes_no", "group", "row_comparison"}


def test_some_tables_are_unseen_and_are_never_half_unseen() -> None:
    unseen = {case.table.name for case in CASES if case.is_unseen}
    assert len(unseen) == UNSEEN_TABLES
    assert unseen.isdisjoint(case.table.name for case in CASES if not case.is_unseen)


def test_development_has_tables_that_are_not_unseen() -> None:
    sides = {case.is_development for case in CASES if not case.is_unseen}
    assert sides == {True, False}
