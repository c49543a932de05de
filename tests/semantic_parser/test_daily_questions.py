"""What people ask of a table each day: bounds, groups in order, medians, missing cells, several columns."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot, make_snapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

FERRIES = make_snapshot(
    "ferries.csv",
    ["", "Name", "Port", "Deck", "Berths", "Fare", "Length", "Heated"],
    [
        ["1", "Alma", "Bergen", "1", "200", "40", "300", "1"],
        ["2", "Brisa", "Larne", "2", "250", "25", "95", "0"],
        ["3", "Cora", "Bergen", "3", "300", "90", "120", "1"],
        ["4", "Dyna", "Heysham", "3", "310", None, "80", "0"],
        ["5", "Elin", "Larne", "3", "180", "60", "310", "1"],
        ["6", "Fram", "Bergen", "2", "220", "30", "60", "1"],
        ["7", "Alma", "Heysham", "1", "230", None, "75", "0"],
    ],
)


def name_first(table: TableSnapshot, name: str) -> TableSnapshot:
    """Return the table with the name that a load gives to a column without one."""
    header = [name, *(column.name for column in table.columns[1:])]
    rows = [
        [c.cells[row].text if c.cells[row] else None for c in table.columns] for row in table.rows
    ]
    return make_snapshot(table.name, header, rows)


NUMBERED = name_first(FERRIES, "column 1")


def read(question: str) -> QuestionReading:
    return parse_for_table(read_question(question), NUMBERED).readings[0]


@pytest.mark.parametrize(
    "question",
    [
        "How many ferries have more than 200 and less than 300 berths?",
        "How many ferries have over 200 and under 300 berths?",
        "How many ferries have more than 200 berths and less than 300 berths?",
    ],
)
def test_two_bounds_of_one_column(question: str) -> None:
    reading = read(question)
    assert (reading.members, reading.refusal) == ((3.0,), "")


def test_two_bounds_include_their_ends() -> None:
    assert read("How many ferries have at least 200 berths and at most 300 berths?").members == (
        5.0,
    )


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("What are the top 2 ports by total berths?", ("Bergen", "Heysham")),
        ("Which two ports have the highest average length?", ("Larne", "Bergen")),
        ("Which port has the second highest total berths?", ("Heysham",)),
        ("Top 3 ports by total berths", ("Bergen", "Heysham", "Larne")),
    ],
)
def test_groups_in_order(question: str, members: tuple[str, ...]) -> None:
    reading = read(question)
    assert (reading.members, reading.refusal) == (members, "")


def test_groups_of_one_number_are_in_no_order() -> None:
    """Two of the three ports have the same total: the second of them is unknown."""
    tied = make_snapshot(
        "stalls.csv",
        ["Stall", "Market", "Rent"],
        [[f"S{i}", market, rent] for i, (market, rent) in enumerate(
            [("North", "9"), ("North", "9"), ("South", "4"), ("South", "6"), ("West", "5"), ("West", "5")]
        )],
    )  # fmt: skip
    readings = parse_for_table(read_question("top 2 markets by total rent"), tied).readings
    assert all(reading.members != ("North", "South") for reading in readings)


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("What is the median fare?", (40.0,)),
        ("What is the difference between the highest and lowest fare?", (65.0,)),
        ("How many ferries are missing a fare?", (2.0,)),
        ("How many ferries lack a fare?", (2.0,)),
        ("How many ferries on deck 3 heated?", (2.0,)),
        ("How many ferries have a length over 2 hundred?", (2.0,)),
    ],
)
def test_one_number(question: str, members: tuple[float, ...]) -> None:
    reading = read(question)
    assert (reading.members, reading.refusal) == (members, ""), reading.query


def test_a_median_per_group_is_refused() -> None:
    """The language has no median of groups, and the median of all is not one per port."""
    assert read("What is the median fare by port?").refusal


def test_a_rate_of_yes_and_no_is_not_a_list() -> None:
    assert read("What is the heated rate of ferries by deck?").refusal


def test_columns_that_and_joins_are_a_table() -> None:
    reading = read("What are the name, berths and length of all ferries in Larne?")
    assert "columns=['Name', 'Berths', 'Length']" in reading.query
    assert reading.members == ("Brisa", "250", "95", "Elin", "180", "310")


@pytest.mark.parametrize(
    "question", ["average fare and length", "How many ferries by port and deck?"]
)
def test_one_of_several_columns_is_not_the_answer(question: str) -> None:
    assert read(question).refusal == "several columns are asked for"


@pytest.mark.parametrize("question", ["Which ferries have over 200 minutes?", "How long is Cora?"])
def test_numbers_of_rows_are_not_amounts(question: str) -> None:
    assert "column 1" not in read(question).query


def test_things_of_one_name_are_not_merged() -> None:
    """One Alma has a fare and one has none: both readings are offered."""
    readings = parse_for_table(read_question("Which ferries have no fare?"), NUMBERED).readings
    assert readings[0].refusal
    assert {("Dyna",), ("Dyna", "Alma")} <= {reading.members for reading in readings}


ORDERS = make_snapshot(
    "orders.csv",
    ["Customer", "Product", "Quantity", "Unit price", "Total"],
    [
        ["Acme", "Desk", "2", "150", "300"],
        ["Acme", "Lamp", "9", "30", "270"],
        ["Birk", "Lamp", "5", "30", "150"],
        ["Birk", "Sofa", "1", "500", "500"],
        ["Cato", "Desk", "1", "150", "150"],
        ["Cato", "Lamp", "1", "30", "30"],
    ],
)


def read_orders(question: str) -> QuestionReading:
    return parse_for_table(read_question(question), ORDERS).readings[0]


def test_who_bought_two_things_bought_both() -> None:
    assert read_orders("Which customers bought a desk and a lamp?").members == ("Acme", "Cato")


@pytest.mark.parametrize(
    "question", ["Which customer spent the most?", "Top 2 products by quantity"]
)
def test_the_largest_row_is_not_the_largest_sum(question: str) -> None:
    reading = read_orders(question)
    assert reading.refusal == "the question may ask for the rows or for their sums"


def test_a_price_of_units_is_not_a_number_of_units() -> None:
    readings = parse_for_table(read_question("How many units did Acme buy?"), ORDERS).readings
    assert all("Unit price" not in r.query or r.refusal for r in readings if "sum(" in r.query)
