"""Sums and modes of columns, and conditions on numbers, by the database: the same as if it were read."""

from __future__ import annotations

from itertools import product

import pytest

from tests.execution.test_grouping import COLUMNS, content, statements
from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.execution import fact_search, grouping


def run(world: TrustUQA, query: str, source: str, least: int) -> Answer:
    """Run a query; the database computes over columns with at least ``least`` cells."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grouping, "MIN_ROWS", least)
        patched.setattr(fact_search, "SCANNED", least - 1)
        return world.run(query, "tables", source=source)


@pytest.mark.parametrize("source", ["clubs.csv", "scorers.csv"])
def test_totals_are_those_of_the_column(world: TrustUQA, source: str) -> None:
    columns = COLUMNS if source == "clubs.csv" else ("Club", "Goals")
    in_database = 0
    for function, column in product(("sum", "mean", "mode"), columns):
        query = (
            f"Query1: get_information(relation='{column}')\nQuery2: {function}(output_of_query1)"
        )
        answer = run(world, query, source, 1)
        in_database += "facts_of_relations" not in statements(answer)
        assert content(answer) == content(run(world, query, source, 99)), query
    assert in_database


@pytest.mark.parametrize(
    "condition",
    [
        "tail_entity='highest'", "tail_entity='lowest'", "tail_entity>'7'", "tail_entity>='7'",
        "tail_entity<'7'", "tail_entity<='7'", "tail_entity>'7', tail_entity<'20'",
        "tail_entity>'7', tail_entity='lowest'", "tail_entity>'1000000000'", "tail_entity>'7 km'",
    ],
)  # fmt: skip
def test_conditions_on_numbers_find_the_same(world: TrustUQA, condition: str) -> None:
    in_database = 0
    for source, column in (*product(["clubs.csv"], COLUMNS), ("scorers.csv", "Goals")):
        query = f"Query1: get_information(relation='{column}', {condition})"
        answer = run(world, query, source, 1)
        in_database += "facts_with_number" in statements(answer)
        assert content(answer)[:-1] == content(run(world, query, source, 99))[:-1], query
    assert in_database or "km" in condition


def test_a_column_that_another_step_uses_is_read(world: TrustUQA) -> None:
    query = (
        "Query1: get_information(relation='Goals')\nQuery2: sum(output_of_query1)\n"
        "Query3: count(output_of_query1)\nQuery4: output_of_query2 / output_of_query3"
    )
    assert "column_total" not in statements(run(world, query, "scorers.csv", 1))
