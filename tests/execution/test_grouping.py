"""Groups that the database makes: the same as those of a table that is read."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.answer import Evidence
from trustuqa_neo4j.execution import grouping

COLUMNS = (
    "Club", "Town", "Founded", "Capacity", "Members", "Track", "Record", "Season", "Joined", "Coach",
    "Vote", "Fee", "Remark",
)  # fmt: skip
"""The columns of the clubs: numbers, units, dates, cells without a value, two columns of one name."""

GOALS = "Query1: get_table(columns=['Club', 'Goals'])\nQuery2: group_by(output_of_query1, 'Club', "


def run(world: TrustUQA, query: str, source: str, least: int, **options: int) -> Answer:
    """Run a query; the database makes the groups of tables with at least ``least`` rows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grouping, "MIN_ROWS", least)
        return world.run(query, "tables", source=source, **options)


def statements(answer: Answer) -> list[str]:
    return [sent.statement for stage in answer.trace for sent in stage.sent]


def content(answer: Answer) -> tuple[object, ...]:
    problems = [(problem.kind, problem.message) for problem in answer.problems]
    counts = answer.evidence_total, answer.considered_total, answer.evidence_counts
    return (
        answer.outcome,
        answer.columns,
        answer.rows,
        answer.values,
        problems,
        answer.notes,
        counts,
    )


@pytest.mark.parametrize("function", ["mean", "sum"])
def test_groups_are_those_of_the_table(world: TrustUQA, function: str) -> None:
    in_database = 0
    for by, column in product(COLUMNS, COLUMNS):
        if by != column:
            query = (
                f"Query1: get_table(columns=['{by}', '{column}'])\n"
                f"Query2: group_by(output_of_query1, by='{by}', values='{function}({column}) as n')"
            )
            answer = run(world, query, "clubs.csv", 0)
            in_database += "facts_of_relations" not in statements(answer)
            assert content(answer) == content(run(world, query, "clubs.csv", 99)), (by, column)
    assert in_database > len(COLUMNS)


def without_steps(answer: Answer) -> set[Evidence]:
    return {replace(fact, step=None) for fact in answer.evidence}


@pytest.mark.parametrize(
    "query",
    [
        f"{GOALS}'sum(Goals) as goals')",
        f"{GOALS}['mean(Goals)', 'count() as n'])",
        f"{GOALS}'count() as n')",
        f"{GOALS}'count() as n')\nQuery3: argmax(output_of_query2)",
        f"{GOALS}'sum(Goals) as goals')\nQuery3: argmax(output_of_query2)",
        (
            f"{GOALS}'sum(Goals) as goals')\nQuery3: sort(output_of_query2, 'descending', 'goals')"
            "\nQuery4: first(output_of_query3, 2)"
        ),
        "Query1: get_table(columns='Club')\nQuery2: group_by(output_of_query1, 'Club', 'count() as n')",
        "Query1: group_by(get_table(columns=['Club', 'Goals as g']), 'Club', 'sum(g)')",
    ],
)
def test_the_proof_counts_all_facts(world: TrustUQA, query: str) -> None:
    answer, read = (run(world, query, "scorers.csv", least) for least in (0, 99))
    assert "count_groups" in statements(answer)
    assert content(answer) == content(read)
    # Step 1 is part of the statement of step 2, so its facts are of step 2.
    assert without_steps(answer) <= without_steps(read)
    assert answer.evidence


@pytest.mark.parametrize(
    "query",
    [
        f"{GOALS}'max(Goals) as most')",
        f"{GOALS}'sum(Goals) / count() as mean')",
        f"{GOALS}'sum(Goals * 2) as twice')",
        f"{GOALS}'sum(Goals) as goals')\nQuery3: count(output_of_query1)",
        "Query1: group_by(get_table(columns=['Club', 'Goals?']), 'Club', 'sum(Goals)')",
        (
            "Query1: get_information(relation='Club', tail_entity='Dundee')\n"
            "Query2: get_table(head_entity=output_of_query1, columns=['Club', 'Goals'])\n"
            "Query3: group_by(output_of_query2, 'Club', 'sum(Goals)')"
        ),
    ],
)
def test_other_tables_are_read(world: TrustUQA, query: str) -> None:
    answer = run(world, query, "scorers.csv", 0)
    assert answer.outcome == "answered"
    assert "count_groups" not in statements(answer)


def test_more_evidence_than_the_groups_have_is_read(world: TrustUQA) -> None:
    query = f"{GOALS}'sum(Goals) as goals')"
    answer = run(world, query, "scorers.csv", 0, evidence=grouping.EVIDENCE + 1)
    assert "count_groups" not in statements(answer)


def test_groups_of_amounts_keep_and_compare_their_units(world: TrustUQA) -> None:
    groups = (
        "Query1: get_information(relation='Season', tail_entity='2008–09')\n"
        "Query2: get_table(head_entity=output_of_query1, columns=['Club', 'Track'])\n"
        "Query3: group_by(output_of_query2, 'Club', 'sum(Track) as track')"
    )
    answer = run(world, groups, "clubs.csv", 0)
    assert answer.rows == (("Arbroath", "0.4 km"), ("Montrose", "250 m"))
    answer = run(world, groups + "\nQuery4: argmax(output_of_query3)", "clubs.csv", 0)
    assert answer.values == ("Arbroath",)
