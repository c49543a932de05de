"""Sums and modes of columns, and conditions on numbers, by the database: the same as if it were read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest

from tests.execution.test_grouping import COLUMNS, content, statements
from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.execution import fact_search, grouping


def run(world: TrustUQA, query: str, source: str, least: int) -> Answer:
    """Run a query; the database computes over columns with at least ``least`` cells."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grouping, "MIN_ROWS", least)
        patched.setattr(grouping, "MIN_HEADS", least)
        patched.setattr(fact_search, "SCANNED", least - 1)
        return world.run(query, "tables", source=source)


def assert_both_ways_agree(
    world: TrustUQA, queries: Iterable[tuple[str, str]], statement: str
) -> None:
    """Each query of a source has one answer both ways; ``statement`` computes at least one."""
    in_database = 0
    for source, query in queries:
        answer = run(world, query, source, 1)
        in_database += statement in statements(answer)
        assert content(answer) == content(run(world, query, source, 99)), query
    assert in_database


@pytest.mark.parametrize("source", ["clubs.csv", "scorers.csv"])
def test_totals_are_those_of_the_column(world: TrustUQA, source: str) -> None:
    columns = COLUMNS if source == "clubs.csv" else ("Club", "Goals")
    in_database = 0
    for function, column in product(("sum", "mean", "mode", "count"), columns):
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


SMALL_CLUBS = "Query1: get_information(relation='Capacity', tail_entity<'20000')\n"


@pytest.mark.parametrize("function", ["sum", "mean", "count"])
def test_totals_of_the_rows_of_a_step(world: TrustUQA, function: str) -> None:
    cases = (
        *product(["clubs.csv"], [SMALL_CLUBS], COLUMNS),
        (
            "scorers.csv",
            "Query1: get_information(relation='Club', tail_entity='Dundee')\n",
            "Goals",
        ),
    )
    queries = [
        (
            source,
            (
                f"{rows}Query2: get_information(head_entity=output_of_query1, relation='{column}')\n"
                f"Query3: {function}(output_of_query2)"
            ),
        )
        for source, rows, column in cases
    ]
    assert_both_ways_agree(world, queries, "total_of_rows")


def test_a_column_of_rows_that_another_step_reads_is_read(world: TrustUQA) -> None:
    query = (
        "Query1: get_information(relation='Goals', tail_entity>'1')\n"
        "Query2: get_information(head_entity=output_of_query1, relation='Goals')\n"
        "Query3: sum(output_of_query2)"
    )
    answer, read = (run(world, query, "scorers.csv", least) for least in (1, 99))
    assert "total_of_rows" not in statements(answer)
    assert content(answer) == content(read)


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize(
    "take", ["first(output_of_query2, 3)", "last(output_of_query2, number='2')"]
)
@pytest.mark.parametrize(
    "values", ["output_of_query1", "distinct(output_of_query1)"], ids=["all", "distinct"]
)
def test_ends_of_sorted_columns(world: TrustUQA, order: str, take: str, values: str) -> None:
    queries = [
        (
            source,
            (
                f"Query1: get_information(relation='{column}')\n"
                f"Query2: sort({values}, order='{order}')\nQuery3: {take}"
            ),
        )
        for source, column in (*product(["clubs.csv"], COLUMNS), ("scorers.csv", "Goals"))
    ]
    assert_both_ways_agree(world, queries, "bound_of_column")


def test_facts_of_a_column_that_two_steps_look_at_count_once(world: TrustUQA) -> None:
    query = (
        "Query1: get_information(relation='Goals')\nQuery2: sort(output_of_query1, order='descending')\n"
        "Query3: last(first(output_of_query2, 2))\n"
        "Query4: get_information(relation='Goals', tail_entity>=output_of_query3)"
    )
    answer, read = (run(world, query, "scorers.csv", least) for least in (1, 99))
    assert "bound_of_column" in statements(answer)
    assert content(answer) == content(read)


@pytest.mark.parametrize("operator", [">", ">=", "<", "<="])
def test_the_bound_may_be_the_cell_of_a_step(world: TrustUQA, operator: str) -> None:
    query = (
        "Query1: get_information(relation='Goals')\nQuery2: max(output_of_query1)\n"
        f"Query3: get_information(relation='Goals', tail_entity{operator}output_of_query2)"
    )
    answer, read = (run(world, query, "scorers.csv", least) for least in (1, 99))
    assert "facts_with_number" in statements(answer)
    assert content(answer) == content(read)
