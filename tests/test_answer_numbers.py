"""Computed numbers of answers as text, and groups in their order."""

from __future__ import annotations

import pytest
from rich.console import Console

from trustuqa_neo4j import Answer
from trustuqa_neo4j.evidence import Evidence, format_value
from trustuqa_neo4j.reasoning.conditions import rank_cells
from trustuqa_neo4j.reasoning.results import Cell
from trustuqa_neo4j.render.number_style import find_style
from trustuqa_neo4j.values import read_value

GROUPS = """Query1: get_table(columns=['Shop', 'Price as cost'])
Query2: group_by(output_of_query1, by='Shop', values=['mean(cost) as mean', 'count() as n'])"""


def _facts(*prices: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            f"row {row}", relation, text, "shops", "s.csv", "s.csv", row + 1,
            head_kind="row", answers=(0,),
        )
        for row, price in enumerate(prices, 1)
        for relation, text in (("Shop", "North"), ("Price", price))
    )  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "number", "shown"),
    [
        (("€5.20", "€7.00"), 5.24090909091, "€5.24"),
        (("€5.20", "€7.00"), -5.2, "-€5.20"),
        (("5.25", "7.20"), 6.225, "6.23"),
        (("5", "7"), 8.58333333333, "8.58"),
        (("5", "7"), 1234.56789, "1234.6"),
        (("5", "7"), 0.00123456, "0.00123"),
        (("5", "7"), 6, "6"),
        (("$1,200", "$900"), 2100, "$2,100"),
        (("1,5 kg", "2 kg"), 1.75, "1.75 kg"),
        (("1.250,50", "120,25"), 1370.75, "1370.75"),
        (("980,00", "1.250,50"), 1115.25, "1115.25"),
        (("1,00,000", "12,345"), 56172.5, "56,172.5"),
        (("5 kg", "2 g"), 3.5, "3.5"),
        (("-$5", "-$7"), -12, "-$12"),
        (("+5", "+7"), 12, "12"),
        (("5 kg", "unknown"), 3.5, "3.5"),
        ((), 20.5416666667, "20.54"),
        ((), 1234.5678, "1234.5678"),
        ((), 1e300, "1e+300"),
        ((), 1e-300, "1e-300"),
        ((), 0.0, "0"),
    ],
)
def test_a_number_is_shown_as_the_cells_it_comes_from(
    cells: tuple[str, ...], number: float, shown: str
) -> None:
    assert find_style(cells).format(number) == shown


def test_facts_that_are_not_shown_may_have_more_decimals() -> None:
    assert find_style(["5"] * 20, are_all=False).format(512.75) == "512.75"


def test_a_number_of_unknown_origin_has_few_decimals() -> None:
    assert format_value(1 / 3) == "0.333"


def test_groups_are_shown_with_rounded_numbers_and_whole_rows() -> None:
    rows = (("North", 6.16666666667, 3),)
    answer = Answer(
        "answered", ("North", 6.16666666667, 3), ("Shop", "mean", "n"), rows,
        llm_query=GROUPS, evidence=_facts("€5.20", "€7.20", "€6.10"), evidence_total=6,
    )  # fmt: skip
    assert answer.shown_rows == (("North", "€6.17", "3"),)
    assert answer.rows == rows
    lines = str(answer).splitlines()
    assert lines[:2] == ["Shop   mean   n", "North  €6.17  3"]
    assert lines[-3:] == [
        "  North  €5.20  shops, s.csv:2",
        "  North  €7.20  shops, s.csv:3",
        "  North  €6.10  shops, s.csv:4",
    ]


def test_a_narrow_terminal_names_the_file_of_the_facts_once() -> None:
    answer = Answer("answered", ("€6.17",), evidence=_facts("€5.20", "€7.20"), evidence_total=4)
    console = Console(width=36, color_system=None)
    with console.capture() as capture:
        console.print(answer)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    assert lines[-5:] == [
        "facts: shops, s.csv",
        "  row 1  Shop   North  line 2",
        "  row 1  Price  €5.20  line 2",
        "  row 2  Shop   North  line 3",
        "  row 2  Price  €7.20  line 3",
    ]


@pytest.mark.parametrize(
    ("texts", "ordered"),
    [
        (("10", "9", "", "100"), ("9", "10", "100", "")),
        (("2024-03-01", "2023-12-31"), ("2023-12-31", "2024-03-01")),
        (("West", "east", "7", "North"), ("7", "east", "North", "West")),
    ],
)
def test_groups_are_in_their_own_order(texts: tuple[str, ...], ordered: tuple[str, ...]) -> None:
    keys = rank_cells([Cell(text, read_value(text)) for text in texts])
    places = sorted(range(len(texts)), key=keys.__getitem__)
    assert tuple(texts[place] for place in places) == ordered
