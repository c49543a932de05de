"""Queries as sentences: groups of a table."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.answer import QueryReading
from trustuqa_neo4j.language.ast import Query
from trustuqa_neo4j.language.description import describe_steps
from trustuqa_neo4j.language.parser import parse_query

BELGIUM = "Query1: get_information(relation='country', tail_entity='Belgium')"
ROWS = "get_table(head_entity=output_of_query1, columns=['customer', 'net amount'])"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (f"{BELGIUM}\nQuery2: {ROWS}", "customer and net amount of those whose country is 'Belgium'"),
        (
            (f"{BELGIUM}\nQuery2: {ROWS}\n"
            "Query3: group_by(set=output_of_query2, by='customer', values='sum(net amount) as total')"),
            "for each customer, the sum of net amount, among those whose country is 'Belgium'",
        ),
        (
            ("Query1: get_table(columns=['Genre', 'Gross ($m) as gross'])\n"
            "Query2: group_by(set=output_of_query1, by='Genre', values='mean(gross)')\n"
            "Query3: argmin(counts=output_of_query2)"),
            "the Genre with the least mean of gross",
        ),
        (
            ("Query1: get_table(columns=['a', 'b'])\n"
            "Query2: group_by(set=output_of_query1, by='a', values='sum(b) / count() as c')"),
            "group by of a and b; by = a; values = sum(b) / count() as c",
        ),
        (
            (f"Query1: {ROWS.replace('output_of_query1', repr('orders'))}\n"
            "Query2: keep(set=output_of_query1, column='net amount', value>50, value<'90')"),
            "customer and net amount of orders, where net amount is more than '50' and is less than '90'",
        ),
        (
            ("Query1: get_information(relation='Club')\n"
            "Query2: keep(output_of_query1, value!='')"),
            "Club, only what is not empty",
        ),
        (
            ("Query1: get_information(relation='Goals')\n"
            "Query2: keep(output_of_query1, value='highest')"),
            "Goals, only what is the highest",
        ),
        (
            "Query1: get_information(head_entity='Oster', relation='mayor', key='duration', value='longest')",
            "mayor of Oster whose duration is the longest",
        ),
        (
            "Query1: get_information(relation='war', tail_entity='Oster', key='duration', value>'5 years')",
            "those whose war is 'Oster' and whose duration is more than '5 years'",
        ),
        (
            ("Query1: get_information(head_entity='FC Oster', relation='led by', tail_entity='Ann', "
            "key='start time')\nQuery2: count(set=output_of_query1)"),
            "the number of start time of 'led by' between FC Oster and Ann",
        ),
        (
            ("Query1: get_information(relation='Club')\n"
            "Query2: argmax(counts=output_of_query1)"),
            "argmax of Club",
        ),
        (
            ("Query1: get_information(relation='Gold')\n"
            "Query2: sort(set=distinct(set=output_of_query1), order='descending')\n"
            "Query3: last(set=first(set=output_of_query2, number=2), number=1)\n"
            "Query4: get_information(relation='Gold', tail_entity=output_of_query3)"),
            "those whose Gold is number 2 of Gold, each once, the greatest first",
        ),
        (
            ("Query1: get_information(relation='Gold')\n"
            "Query2: sort(output_of_query1, 'descending')"),
            "Gold, the greatest first",
        ),
        (
            ("Query1: get_information(relation='Gold')\n"
            "Query2: first(sort(output_of_query1, ascending=True), 3)"),
            "the first 3 of Gold, the least first",
        ),
        (
            ("Query1: get_table(columns=['Club', 'Goals'])\n"
            "Query2: first(set=sort(set=output_of_query1, by='Goals'), number=3)"),
            "the first 3 of Club and Goals by Goals, the least first",
        ),
        (
            ("Query1: get_information(relation='Club')\n"
            "Query2: argmin(counts=count_by(set=output_of_query1, column='Club'))"),
            "the least frequent of Club",
        ),
        (
            ("Query1: get_information(relation='Club')\n"
            "Query2: keep(set=count_by(set=output_of_query1, column='Club'), column='count', value>1)"),
            "each of Club whose count is more than '1'",
        ),
        (
            ("Query1: keep(set=count_by(set=get_information(relation='Club')), column='count', value>1)\n"
            "Query2: group_by(set=output_of_query1, by='member')"),
            "each of Club whose count is more than '1'",
        ),
        (
            ("Query1: get_table(columns=['Club', 'Goals'])\n"
            "Query2: group_by(set=output_of_query1, by='Club')"),
            "the different Club of Club and Goals",
        ),
    ],
)  # fmt: skip
def test_groups_are_described(query: str, sentence: str) -> None:
    assert QueryReading(query, 1.0).understood == sentence


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("get_information(relation='Club', key='Goals', value=12, table='scorers.csv')",
         "Club of those whose Goals is '12' in scorers.csv"),
        ("get_table(columns=['Club', 'Town'], table='clubs')", "Club and Town in clubs"),
        ("get_information(relation='Title', tail_entity contains 'love')",
         "those whose Title contains 'love'"),
        ("get_information(relation='Title', value starts with ['a', 'b'])",
         "those whose Title starts with a or b"),
        ("get_information(head_entity ends with 'love', relation='directed_by')",
         "'directed_by' of those whose name ends with 'love'"),
        ("get_information(relation='Title') contains 'love'", "whether Title contains love"),
        ("count(get_information(relation='row_number', tail_entity>=1))", "the number of all rows"),
        ("get_information(relation='row_number', tail_entity='lowest')", "the first row"),
        ("get_information(relation='row_number', tail_entity<3)",
         "the row whose number is less than '3'"),
    ],
)  # fmt: skip
def test_conditions_on_texts_are_described(call: str, sentence: str) -> None:
    assert QueryReading(f"Query1: {call}", 1.0).understood == sentence


def test_rows_of_groups_are_described() -> None:
    query = (
        "Query1: get_table(columns=['order', 'country'])\n"
        "Query2: group_by(set=output_of_query1, by='country', values='count() as count')"
    )
    assert QueryReading(query, 1.0).understood == "for each country, the number of rows"


def test_each_step_is_described_by_itself() -> None:
    query = parse_query(f"{BELGIUM}\nQuery2: {ROWS}\nQuery3: count(output_of_query2)")
    assert isinstance(query, Query)
    assert describe_steps(query) == {
        1: "those whose country is 'Belgium'",
        2: "customer and net amount of step 1",
        3: "the number of step 2",
    }
