"""Hints of the semantic parser: readings and names in a prompt, and which of them have values of the data."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.prompts.question_hints import (
    MAX_QUERY,
    MIN_HINT_PROBABILITY,
    QuestionHints,
    ReadingHint,
    make_hints,
)
from trustuqa_neo4j.semantic_parser.reading import ParsedQuestion, QuestionLink, QuestionReading

QUESTION = "who directed nine dors or Salt after 1990?"
DIRECTOR = "get_information(relation='Director', key='Title', value='{}')"


def reading(
    query: str, probability: float = 0.5, unexplained: tuple[str, ...] = ()
) -> QuestionReading:
    return QuestionReading(query, probability, "films.csv", (), unexplained)


def hint(*readings: QuestionReading) -> QuestionHints:
    return make_hints(QUESTION, ParsedQuestion(readings))


def test_probable_readings_are_shown() -> None:
    hints = hint(
        reading(DIRECTOR.format("Salt"), 0.6, ("dors",)),
        reading(DIRECTOR.format("Nine Doors"), MIN_HINT_PROBABILITY - 0.01),
    )
    assert hints.readings == (ReadingHint(DIRECTOR.format("Salt"), 0.6, ("dors",)),)
    assert hint() == QuestionHints()


def test_a_query_that_is_too_long_is_left_out() -> None:
    assert hint(reading(DIRECTOR.format("Salt" * MAX_QUERY))).readings == ()


def test_links_with_other_names_than_the_question_has_are_values() -> None:
    written = QuestionLink("salt", ("Salt",), "Title", "films.csv")
    column = QuestionLink("directed", column="Director", source="films.csv")
    similar = QuestionLink("nine dors", ("Nine Doors",), "Title", "films.csv")
    hints = make_hints(QUESTION, ParsedQuestion((), (written, column, similar)))
    assert hints.links == (written, column, similar)
    assert hints.has_values
    assert hints.without_values().links == (written, column)


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
    hints = hint(reading(query))
    assert hints.readings[0].has_values is has_values
    assert hints.has_values is has_values
    assert bool(hints.without_values().readings) is not has_values
