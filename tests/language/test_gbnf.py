"""The grammar for servers that restrict what a model writes."""

from __future__ import annotations

import pytest
from support.gbnf import Grammar

from trustuqa_neo4j.language.ast import Query
from trustuqa_neo4j.language.functions import FUNCTIONS
from trustuqa_neo4j.language.gbnf import write_gbnf
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import escape_name
from trustuqa_neo4j.language.signatures import Function
from trustuqa_neo4j.prompts.worked_examples import load_worked_examples

QUERIES = [example.query for data in load_worked_examples() for example in data.examples]


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar(write_gbnf())


def test_rules_that_are_used_exist(grammar: Grammar) -> None:
    assert grammar.references | {"root"} == grammar.rules.keys()


@pytest.mark.parametrize("query", QUERIES)
def test_worked_examples_are_accepted(grammar: Grammar, query: str) -> None:
    assert grammar.accepts(query)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_each_function_can_be_called(grammar: Grammar, function: Function) -> None:
    argument = "set='A'" if function.max_operands != 0 else f"{function.parameters[0].name}='A'"
    assert grammar.accepts(write(f"{function.name}({argument})"))


def write(call: str) -> str:
    return f'## Query:\nStep1: Find it\nQuery1: "{call}"'


@pytest.mark.parametrize(
    "call",
    [
        "get_information(relation='R', tail_entity>=250)",
        "get_information(relation='R', tail_entity contains 'moon', table='a.csv')",
        "get_information(head_entity=['A', 'B\\'s'], relation='R', key='time', value=1990)",
        "keep(set='output_of_query1', value!=-2.5)",
        "count(set=get_information(relation='R'))",
        "output_of_query1 - output_of_query2",
        "group_by(set='output_of_query1', by='R', values=['sum(a * b) as c'])",
    ],
)
def test_what_it_accepts_can_be_read(grammar: Grammar, call: str) -> None:
    assert grammar.accepts(write(call))
    assert isinstance(parse_query(write(call)), Query)


@pytest.mark.parametrize(
    "call",
    [
        "best_of(set='output_of_query1')",
        "get_information(planet='Mars')",
        "get_information(relation='R'",
        "MATCH (n) RETURN n",
        "count(set > 3)",
    ],
)
def test_other_texts_are_not_accepted(grammar: Grammar, call: str) -> None:
    assert not grammar.accepts(write(call))


def test_prose_is_not_accepted(grammar: Grammar) -> None:
    assert not grammar.accepts(f"Sure! {QUERIES[0]}")
    assert not grammar.accepts("Sure!")


def test_relations_are_those_of_the_data() -> None:
    names = ["directed by", "it's", 'a "b"', "back\\slash", "two\nlines"]
    grammar = Grammar(write_gbnf(names))
    assert grammar.references | {"root"} == grammar.rules.keys()
    for name in names[:-1]:
        call = f"get_information(relation={escape_name(name)})"
        assert grammar.accepts(write(call))
        query = parse_query(write(call))
        assert isinstance(query, Query)
    assert grammar.accepts(write("get_information(relation='output_of_query1')".replace("'", "")))
    for name in ("directed", "two\nlines", "x"):
        assert not grammar.accepts(write(f"get_information(relation={escape_name(name)})"))
    assert grammar.accepts(write("get_information(head_entity='anything at all')"))


@pytest.mark.parametrize(
    ("call", "is_accepted"),
    [
        ("get_information(head_entity='Alien', key='directed by')", True),
        ("get_information(head_entity='Alien', key='budget')", False),
        ("get_table(columns='directed by')", True),
        (
            "get_table(head_entity='Film', columns=['directed by > ^born#2 as \\'x\\'', 'born'])",
            False,
        ),
        (
            "get_table(head_entity='Film', columns=['directed by > ^born#2? as of the other', 'born?'])",
            True,
        ),
        ("get_table(columns=['it\\'s'])", True),
        ("get_table(columns=['directed by > budget'])", False),
        ("get_table(columns=['directed by', output_of_query1])", False),
        # Columns of a table have names of their own.
        ("keep(set='output_of_query1', column='of the other', value='x')", True),
    ],
)
def test_keys_and_columns_are_those_of_the_data(call: str, is_accepted: bool) -> None:
    grammar = Grammar(write_gbnf(["directed by", "born", "it's"]))
    assert grammar.accepts(write(call)) == is_accepted
    assert isinstance(parse_query(write(call)), Query)
