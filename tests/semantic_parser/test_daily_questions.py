"""What people ask of a table each day: bounds, groups in order, medians, missing cells, several columns."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.reading import QuestionReading
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.spelling import correct_spelling, is_misspelt
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


def test_medians_of_groups() -> None:
    assert read("What is the median fare by port?").members == ("Bergen", 40.0, "Larne", 42.5)


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


BOOKINGS = make_snapshot(
    "bookings.csv",
    ["Booking ID", "Day", "Harbour", "Cruise", "Guests", "Revenue", "Cancelled", "ShareChildren"],
    [
        ["1", "2023-01-05", "Wick", "Fjord", "3", "300", "no", "0.25"],
        ["2", "2023-01-20", "Larne", "Island", "5", "150", "no", "0.95"],
        ["3", "2023-02-11", "Wick", "Island", "2", "60", "yes", "0.5"],
        ["4", "2023-02-14", "Larne", "Fjord", "1", "100", "no", "0.1"],
        ["5", "2023-04-02", "Oban", "Fjord", "4", "400", "no", "0.3"],
        ["6", "2023-04-08", "Oban", "Coast", "6", "240", "yes", "0.4"],
        ["7", "2023-07-16", "Wick", "Coast", "2", "80", "no", "0.6"],
        ["8", "2023-07-23", "Larne", "Fjord", "7", "700", "no", "0.2"],
        ["9", "2022-10-30", "Oban", "Island", "1", "30", "no", "0.7"],
        ["10", "2022-12-12", "Wick", "Fjord", "2", "200", "no", "0.8"],
    ],
)
"""Not in the order of their days; 30 October 2022 is a Sunday, as are 2 April, 16 and 23 July 2023."""


def round_number(member: object) -> object:
    return round(member, 6) if isinstance(member, float) else member


def read_booking(question: str, table: TableSnapshot = BOOKINGS) -> QuestionReading:
    return parse_for_table(read_question(question), table).readings[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "total revenue by quarter",
            ("2023-Q1", 610.0, "2023-Q2", 640.0, "2023-Q3", 780.0, "2022-Q4", 230.0),
        ),
        ("How many bookings were there each year?", ("2023", 8.0, "2022", 2.0)),
        ("average guests per year", ("2023", 3.75, "2022", 1.5)),
        ("Which weekday has the most bookings?", ("Sunday",)),
        ("Which quarter had the highest revenue?", ("2023-Q3",)),
        ("top 2 quarters by revenue", ("2023-Q3", "2023-Q2")),
        ("yearly revenue", ("2023", 2030.0, "2022", 230.0)),
        (
            "number of bookings by month in 2023",
            ("2023-01", 2.0, "2023-02", 2.0, "2023-04", 2.0, "2023-07", 2.0),
        ),
        (
            "total guests by year and harbour",
            ("2023", "Wick", 7.0, "2023", "Larne", 13.0, "2023", "Oban", 10.0, "2022", "Oban", 1.0,
             "2022", "Wick", 2.0),
        ),
        (
            "average revenue by harbour and cancelled",
            ("Wick", "no", 580 / 3, "Larne", "no", 950 / 3, "Wick", "yes", 60.0, "Oban", "no", 215.0,
             "Oban", "yes", 240.0),
        ),
    ],
)  # fmt: skip
def test_groups_of_dates_and_of_two_columns(question: str, answer: tuple[object, ...]) -> None:
    reading = read_booking(question)
    assert [*map(round_number, reading.members)] == [*map(round_number, answer)]
    assert reading.refusal == ""


def test_months_of_several_years_have_two_meanings() -> None:
    """Of each year, or of all years together: both are proposed, and neither is sure."""
    readings = parse_for_table(read_question("total guests by month"), BOOKINGS).readings
    assert {"month(Day)", "month_name(Day)"} <= {
        part for reading in readings for part in reading.query.split("'") if part.endswith("(Day)")
    }
    assert not readings[0].is_sure


@pytest.mark.parametrize(
    "question",
    ["bookings per week", "total revenue by week", "Which week had the highest revenue?"],
)
def test_times_that_no_function_has_are_not_answered(question: str) -> None:
    assert not read_booking(question).is_sure


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which harbours have more than 3 bookings?", {"Wick"}),
        ("Which cruises have at least 3 bookings?", {"Fjord", "Island"}),
        ("How many harbours have fewer than 4 bookings?", {2.0}),
        ("Which bookings have more than 90% children?", {"2"}),
        ("How many bookings have less than 30 percent children?", {3.0}),
        ("How many bookings were made before 2023?", {2.0}),
        ("Total revenue of Wick compared with Oban", {"Wick", 640.0, "Oban", 670.0}),
        ("bookings per harbour", {"Wick", "Larne", "Oban", 4.0, 3.0}),
        ("How many bookings were made between 2022 and 2023?", {10.0}),
        ("average guests, Wick vs Larne", {"Wick", 2.25, "Larne", 13 / 3}),
        (
            "What is the difference in average revenue between Fjord and Island cruises?",
            {340.0 - 80},
        ),
        ("Which had the higher average revenue, Wick or Oban?", {"Oban"}),
        ("What percentage of the revenue came from Larne?", {100 * 950 / 2260}),
        ("What percentage of bookings were cancelled?", {20.0}),
    ],
)
def test_counts_shares_and_comparisons(question: str, answer: set[object]) -> None:
    reading = read_booking(question)
    assert {*map(round_number, reading.members)} == {*map(round_number, answer)}
    assert reading.refusal == ""


@pytest.mark.parametrize(
    "question",
    [
        "When was the first booking in Wick?",  # not that of the first row
        "Compare Wick and Larne",
        "Did revenue increase from 2022 to 2023?",
        "Which harbour had the most guests?",  # in one booking, or in all
        "Which two harbours had the most guests?",
        "top 3 cruises by colour",
        "What share of the passengers came from Oban?",
    ],
)
def test_what_is_not_sure(question: str) -> None:
    assert not read_booking(question).is_sure


def test_a_number_word_is_not_misspelt() -> None:
    assert not is_misspelt("three")
    question = read_question("Which three harbours had the most guests?")
    assert correct_spelling(question, question.words)[1] == ()


def test_a_noun_of_events_need_not_be_known() -> None:
    """Rows with times that no column names can be trips, unless the noun names who did something."""
    assert read_booking("How many trips were cancelled?").is_sure
    assert not read_booking("How many sailors were cancelled?").is_sure


JOINED = make_snapshot(
    "depots.csv",
    ["depotnum", "opendate", "cityname", "bodywt"],
    [
        ["11", "1999-04-01", "Leeds", "40"],
        ["12", "2004-09-12", "Derby", "25"],
        ["13", "2001-01-30", "Leeds", "31"],
    ],
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did depot 12 open?", ("2004-09-12",)),
        ("What is the average body weight?", (32.0,)),
        ("Which city has the most depots?", ("Leeds",)),
    ],
)
def test_words_that_a_header_joins(question: str, answer: tuple[object, ...]) -> None:
    assert read_booking(question, JOINED).members == answer
