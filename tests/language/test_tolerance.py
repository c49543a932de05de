"""``≈`` before a number with its tolerance."""

from __future__ import annotations

from typing import Any

import pytest
from support.golden_cases import plain_steps, query

from trustuqa_neo4j.pipeline import check_form


def read(text: str) -> list[Any]:
    """The operators of the tail with their bounds, as golden cases write them."""
    [[_, _, *arguments]] = plain_steps(
        query(f"get_information(relation='height', tail_entity{text})")
    )
    return [tuple(argument[1:]) for argument in arguments if argument[0] == "tail_entity"]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("≈'100 ± 5'", "95", "105"),
        (" ~= '100 m +- 5 %'", "95 m", "105 m"),
        ("≅'1,000 +/- 5 km'", "995 km", "1005 km"),
        ("≈'-100 ± 10%'", "-110", "-90"),
        ("≈'1.1 ± 0.1'", "1", "1.2"),
        ("≈'300 hours ± 5 hours'", "295 h", "305 h"),
        ("≈'10 % ± 2 %'", "8 %", "12 %"),
        ("≈'1234567890123 ± 1'", "1234567890122", "1234567890124"),
    ],
)
def test_two_bounds_replace_a_number_with_its_tolerance(text: str, low: str, high: str) -> None:
    assert read(text) == [(">=", low), ("<=", high)]


def test_a_comparison_of_a_result_has_both_bounds() -> None:
    first = "Query1: get_information(relation='height')\n"
    short = "Query2: keep(set=output_of_query1, value≈'3 ± 1')\nQuery3: output_of_query2 ≈ '3 ± 1'"
    kept, compared = plain_steps(query(first + short))[1:]
    assert kept[2:] == [
        ["set", "=", {"output_of_query": 1}],
        ["value", ">=", "2"],
        ["value", "<=", "4"],
    ]
    left = {"output_of_query": 2}
    assert compared[1] == {
        "infix": [{"infix": [left, ">=", "2"]}, "and", {"infix": [left, "<=", "4"]}]
    }


@pytest.mark.parametrize(
    "value",
    ["100", "'100'", "'2001-01-02 ± 5 days'", "'5 km ± 2 m'", "['1 ± 2', '3 ± 4']", "'high ± 5'"],
)
def test_a_number_without_a_tolerance_is_refused(value: str) -> None:
    report = check_form(f"get_information(relation='height', tail_entity≈{value})")
    assert report.outcome == "failed"
    (problem,) = report.problems
    assert "'100 ± 5' or '100 ± 5 %'" in problem.message


def test_it_is_no_operator_of_a_relation() -> None:
    report = check_form("get_information(relation≈'100 ± 5')")
    assert report.outcome == "rejected"
    assert {problem.message for problem in report.problems} == {
        "relation takes = only, not >=",
        "relation takes = only, not <=",
    }
