"""Hints of the semantic parser: readings and names in a prompt, and which of them have values of the data."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.prompts.question_hints import (
    MAX_QUERY,
    MIN_HINT_PROBABILITY,
    NameHint,
    QuestionHints,
    ReadingHint,
    make_hints,
)
from trustuqa_neo4j.semantic_parser.reading import QuestionReading

QUESTION = "who directed nine dors or Salt after 1990?"
DIRECTOR = "get_information(relation='Director', key='Title', value='{}')"


def reading(
    query: str, probability: float = 0.5, unexplained: tuple[str, ...] = ()
) -> QuestionReading:
    return QuestionReading(query, probability, "films.csv", (), unexplained, True)


def test_probable_readings_are_shown_and_names_of_the_others() -> None:
    hints = make_hints(
        QUESTION,
        [
            reading(DIRECTOR.format("Salt"), 0.6, ("dors",)),
            reading(DIRECTOR.format("Nine Doors"), MIN_HINT_PROBABILITY - 0.01),
            reading("get_information(head_entity='Salt', relation='Year')", 0.1),
            reading(DIRECTOR.format("Harbour Lights"), 0.05),
        ],
    )
    assert hints.readings == (ReadingHint(DIRECTOR.format("Salt"), 0.6, ("dors",)),)
    assert hints.names == (NameHint("Nine Doors", "Title", True), NameHint("Salt"))


def test_names_of_readings_that_are_shown_are_not_repeated() -> None:
    hints = make_hints(
        QUESTION, [reading(DIRECTOR.format("Salt"), 0.6), reading(DIRECTOR.format("Salt"), 0.1)]
    )
    assert hints.names == ()
    assert make_hints(QUESTION, []) == QuestionHints()


def test_a_query_that_is_too_long_is_left_out() -> None:
    long = DIRECTOR.format("Salt" * MAX_QUERY)
    assert make_hints(QUESTION, [reading(long)]).readings == ()


@pytest.mark.parametrize(
    ("query", "has_values"),
    [
        (DIRECTOR.format("Salt"), False),
        (DIRECTOR.format("salt"), False),
        (DIRECTOR.format("Sal"), True),
        (DIRECTOR.format("Nine Doors"), True),
        ("get_information(head_entity='Salt', relation='Director')", False),
        ("get_information(head_entity='Mira Olsen', relation='Director')", True),
        ("get_information(relation='Year', tail_entity='highest')", False),
        ("get_information(relation='Year', tail_entity>'1990')", False),
        ("get_information(relation='Year', tail_entity>'1998')", True),
        ("get_information(relation='row_number', tail_entity>=1)", False),
        ("get_information(relation='Title', key='row_number', value=3)", False),
        ("get_information(relation='Title', tail_entity=['Salt', 'Nine Doors'])", True),
        ("Query1: get_information(relation='Title')\nQuery2: keep(set='output_of_query1', value='x')", True),
        ("Query1: get_information(relation='Title')\nQuery2: count(set=output_of_query1)", False),
    ],
)  # fmt: skip
def test_values_that_the_question_does_not_have_are_marked(query: str, has_values: bool) -> None:
    hints = make_hints(QUESTION, [reading(query)])
    assert hints.readings[0].has_values is has_values
    assert hints.has_values is has_values
    assert bool(hints.without_values().readings) is not has_values
