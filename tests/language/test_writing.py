"""What is written is read as the same query, whatever stands in its names."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from printing import queries

from trustuqa_neo4j.language.parse import parse
from trustuqa_neo4j.language.query import Call, Infix, Literal, LLMQuery, Reference, Step
from trustuqa_neo4j.language.writing import Unwritable, quoted, write


@settings(deadline=None, max_examples=200)
@given(queries())
@example(LLMQuery((Step(0, Infix("*", Literal("", 0), Reference(0, 0), 0)),)))
def test_a_query_is_read_again_and_never_as_another(query: LLMQuery) -> None:
    try:
        written = write(query)
    except Unwritable:
        return
    read = parse(written)
    if isinstance(read, LLMQuery):
        assert write(read) == written
        assert [step.number for step in read.steps] == [step.number for step in query.steps]


def test_all_forms_are_read_again() -> None:
    text = (
        "## Target type: {a, b}\n"
        "Query1: get_information(relation='x', tail_entity>='1', key=['k', 'l'])\n"
        "Query2: if((output_of_query1 - '2') > '3', count(output_of_query1), 'no')\n"
        "Query4: keep(set=output_of_query1, value!='a')"
    )
    read = parse(text)
    assert isinstance(read, LLMQuery)
    assert write(read) == text


@pytest.mark.parametrize(
    "name",
    [
        "I Can't Sleep", 'say "hello"', "back\\slash", "ends\\", "'", "', relation='x", "a), count(b",
        "] [ { } ( ) , ; =", "`'‘’“”«»", "SELECT * FROM x; --", "映画", "a=b", "> 5", " ",
    ],
)  # fmt: skip
def test_a_name_stays_a_name(name: str) -> None:
    read = parse(f"Query1: get_information(head_entity={quoted(name)}, relation='x')")
    assert isinstance(read, LLMQuery)
    call = read.steps[0].value
    assert isinstance(call, Call)
    assert [(a.name, a.value.text) for a in call.arguments if isinstance(a.value, Literal)] == [
        ("head_entity", name),
        ("relation", "x"),
    ]


@pytest.mark.parametrize("name", ["output_of_query1", "the output_of_query2 of it"])
def test_what_holds_a_result_is_no_name(name: str) -> None:
    with pytest.raises(Unwritable):
        quoted(name)
