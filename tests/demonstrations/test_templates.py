"""Templates: masked literals, marked names and the words of a question."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.demonstrations.templates import mask_literals
from trustuqa_neo4j.demonstrations.words import (
    find_initialisms,
    mark_names,
    read_number_or_date,
    split_question,
)
from trustuqa_neo4j.lexicon.forms import stem


def crew(name: str, *steps_after: str) -> str:
    steps = [f"Query1: get_information(head_entity={name}, relation='crew')", *steps_after]
    return "\n".join(steps)


@pytest.mark.parametrize(
    ("question", "name", "template", "text"),
    [
        ("who flew on [Apollo 11]?", "'Apollo 11'", "who flew on {0}", "Apollo 11"),
        ('Who flew on "Apollo 11"?', "'Apollo 11'", "who flew on {0}", "Apollo 11"),
        ("who flew on apollo-11", "'Apollo 11'", "who flew on {0}", "apollo-11"),
        ("Apollo 11's crew", "'Apollo 11'", "{0} s crew", "Apollo 11"),
        ("the crew of Sea Stories", "'Sea Story'", "the crew of {0}", "Sea Stories"),
        ("what did armstrong fly", "'Neil Armstrong'", "what did {0} fly", "armstrong"),
        ("where is nato", "'North Atlantic Treaty Organization'", "where is {0}", "nato"),
        ("what do nigerians speak", "'Nigeria'", "what do {0} speak", "nigerians"),
        ("who came third", "3", "who came {0}", "third"),
        ("who won on May 17, 2004", "'2004-05-17'", "who won on {0}", "May 17, 2004"),
        ("more than 1,000 hours", "'1000'", "more than {0} hours", "1,000"),
    ],
)
def test_a_name_is_found_in_the_question(
    question: str, name: str, template: str, text: str
) -> None:
    masked = mask_literals(question, crew(name))
    assert masked.template == template
    (literal,) = masked.literals
    assert split_question(question).text_between(literal.first, literal.last) == text
    assert masked.query == "Query1: get_information(head_entity={0}, relation='crew')"


def test_the_same_name_is_one_blank_wherever_it_stands() -> None:
    masked = mask_literals(
        "who else flew with [Neil]",
        crew("'Neil'", "Query2: set_difference(output_of_query1, 'Neil')"),
    )
    assert masked.template == "who else flew with {0}"
    assert masked.query.endswith("Query2: set_difference(output_of_query1, {0})")
    assert len(masked.literals[0].positions) == 2


def test_blanks_are_numbered_as_the_question_has_them() -> None:
    masked = mask_literals(
        "did Mercury come before Gemini",
        "Query1: get_information(head_entity='Gemini', relation='began')\n"
        "Query2: get_information(head_entity='Mercury', relation='began')\n"
        "Query3: output_of_query2 < output_of_query1",
    )
    assert masked.template == "did {0} come before {1}"
    assert [slot.query_text for slot in masked.literals] == ["Mercury", "Gemini"]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("which mission was crew", "get_information(relation='mission', key='crew')"),
        ("who has the most", "get_information(relation='crew', tail_entity='most')"),
        ("yes or no", "if(get_information(relation='a') > 1, 'yes', 'no')"),
    ],
)
def test_relations_and_words_of_the_language_are_no_names(question: str, query: str) -> None:
    assert mask_literals(question, query).literals == ()


def test_what_only_the_query_says_stays() -> None:
    masked = mask_literals(
        "who walked there", "get_information(relation='walked on', tail_entity='Moon')"
    )
    assert masked.template == "who walked there"
    assert masked.query == "Query1: get_information(relation='walked on', tail_entity='Moon')"


def test_a_query_that_cannot_be_read_is_left_as_it_is() -> None:
    masked = mask_literals("who flew?", "nobody knows")
    assert (masked.template, masked.query, masked.parsed) == ("who flew", "nobody knows", None)


def test_prose_and_spelling_of_a_query_do_not_count() -> None:
    first = mask_literals(
        "who flew on [A]",
        "Step1: look at A\nQuery1: \"get_information(head_entity='A', relation='crew')\"",
    )
    second = mask_literals("who flew on [B]", crew('"B"'))
    assert (first.template, first.query) == (second.template, second.query)


def test_words_of_a_question() -> None:
    wording = split_question("Who's in [The Can't-Miss Kid], “Q” or 'R'?")
    assert [word.text for word in wording.words[:3]] == ["who", "s", "in"]
    assert [part.text for part in wording.marked_names] == ["The Can't-Miss Kid", "Q", "R"]


@pytest.mark.parametrize(
    ("question", "names", "expected"),
    [
        ("who flew on apollo 11?", ["Apollo 11"], "who flew on [apollo 11]?"),
        ("who flew on apollo 110?", ["Apollo 11"], "who flew on apollo 110?"),
        ("Ann or Ann Lee", ["Ann", "Ann Lee"], "[Ann] or [Ann Lee]"),
        ("is 'Ann Lee' [Ann]", ["Ann", "Lee"], "is 'Ann Lee' [Ann]"),
        ("a[1] is C++ (x)", ["a[1]", "C++", "(x)"], "a[1] is [C++] [(x)]"),
        ("nobody", [], "nobody"),
    ],
)  # fmt: skip
def test_names_are_marked_once(question: str, names: list[str], expected: str) -> None:
    assert mark_names(question, names) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("films", "film"), ("countries", "country"), ("boxes", "box"), ("is", "is"), ("glass", "glass")],
)  # fmt: skip
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_numbers_in_words() -> None:
    assert [
        value.number for word in ("seven", "third", "42") if (value := read_number_or_date(word))
    ] == [
        7,
        3,
        42,
    ]
    assert read_number_or_date("seventh heaven") is None
    assert "us" in find_initialisms(["united", "states", "of", "america"])
