"""What is written is read as the same query, whatever stands in its names."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from support.query_printer import queries

from trustuqa_neo4j.language.ast import BinaryOp, Call, Literal, Query, Reference, Step
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import UnprintableName, print_query, quote_name


@given(queries())
@example(Query((Step(0, BinaryOp("*", Literal("", 0), Reference(0, 0), 0)),)))
def test_a_query_is_read_again_and_never_as_another(query: Query) -> None:
    try:
        written = print_query(query)
    except UnprintableName:
        return
    read = parse_query(written)
    if isinstance(read, Query):
        assert print_query(read) == written
        assert [step.number for step in read.steps] == [step.number for step in query.steps]


def test_all_forms_are_read_again() -> None:
    text = (
        "## Target type: {a, b}\n"
        "Query1: get_information(relation='x', tail_entity>='1', key=['k', 'l'])\n"
        "Query2: if((output_of_query1 - '2') > '3', count(output_of_query1), 'no')\n"
        "Query4: keep(set=output_of_query1, value!='a')"
    )
    read = parse_query(text)
    assert isinstance(read, Query)
    assert print_query(read) == text


@pytest.mark.parametrize(
    "name",
    [
        "I Can't Sleep", 'say "hello"', "back\\slash", "ends\\", "'", "', relation='x", "a), count(b",
        "C:\\new",
        "] [ { } ( ) , ; =", "`'‘’“”«»", "SELECT * FROM x; --", "映画", "a=b", "> 5", " ",
    ],
)  # fmt: skip
def test_a_name_stays_a_name(name: str) -> None:
    read = parse_query(f"Query1: get_information(head_entity={quote_name(name)}, relation='x')")
    assert isinstance(read, Query)
    call = read.steps[0].value
    assert isinstance(call, Call)
    assert [(a.name, a.value.text) for a in call.arguments if isinstance(a.value, Literal)] == [
        ("head_entity", name),
        ("relation", "x"),
    ]


@pytest.mark.parametrize("name", ["output_of_query1", "the output_of_query2 of it"])
def test_what_holds_a_result_is_no_name(name: str) -> None:
    with pytest.raises(UnprintableName):
        quote_name(name)
