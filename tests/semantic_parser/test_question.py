"""Numbers and dates in the words of a question."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.semantic_parser.question import read_question


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("orders between 2022-02-01 and 2022-03-01", ["2022-02-01", "2022-03-01"]),
        ("orders before 25/3/2022", ["25/3/2022"]),
        ("orders before 1/3/2022", []),  # in March or in January
        ("films from 1990-1995", ["1990", "1995"]),
        ("born on March 5, 2004", ["March 5 2004"]),
        ("more than a million", ["1 million"]),
        ("which has a total over 1,000.50", ["1,000.50"]),
        ("the third of 12 games", ["3", "12 games"]),
        ("a score of 3-2", ["3", "2"]),
        ("more than 5 but under 9 items", ["5", "9 items"]),
        ("over 3000 in 2021 on 5 May", ["3000", "2021", "5 May"]),
        ("half a million visitors", ["0.5 million"]),
        ("longer than two hours", ["2 hours"]),
        ("costs over two billion euros", ["2000000000 euros"]),
        ("an hour or longer", ["1 hour"]),
        ("it happens twice a week", []),
        ("peaks over 3500 m", ["3500 m"]),
        ("I'm 7 so I'm small", ["7"]),
        ("after 7pm or before 11.30 am", ["19:00", "11:30"]),
    ],
)
def test_numbers_of_a_question(question: str, numbers: list[str]) -> None:
    assert [number.text for number in read_question(question).numbers] == numbers


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("whats the price of Rome", ("price", "rome")),
        ("cheapest IT supplier", ("cheapest", "it", "supplier")),
        ("IS IT OPEN", ("open",)),
    ],
)
def test_content_words(question: str, words: tuple[str, ...]) -> None:
    read = read_question(question)
    assert tuple(read.words[position] for position in sorted(read.content)) == words


@pytest.mark.parametrize(
    ("question", "has_cue"),
    [("who comes after Ida Holm?", True), ("who looks after Ida Holm?", False)],
)
def test_an_idiom_is_no_cue(question: str, has_cue: bool) -> None:
    assert read_question(question).has_cue("next") is has_cue


@pytest.mark.parametrize(
    ("question", "kind", "counts"),
    [
        ("What is the phone number of Ida Holm?", "what", False),
        ("room number of Ida Holm", "", False),
        ("What is the number of orders?", "how many", True),
        ("the total number of orders", "how many", True),
    ],
)
def test_a_number_may_be_an_attribute(question: str, kind: str, counts: bool) -> None:
    read = read_question(question)
    assert (read.kind, read.has_cue("count")) == (kind, counts)


@pytest.mark.parametrize(
    ("question", "noun", "verb"),
    [
        ("Which customer placed the order with the highest amount?", "customer", "placed"),
        ("Which gold medals did Norway win?", "gold medals", ""),
        ("Which team won?", "team", "won"),
        ("How many trains depart from Oslo?", "trains", "depart"),
        ("How many trains are late?", "trains", ""),
        ("Which listed company is the largest?", "listed company", ""),
        ("How many sports clubs are there?", "sports clubs", ""),
    ],
)
def test_noun_and_verb_after_the_question_word(question: str, noun: str, verb: str) -> None:
    read = read_question(question)
    phrases = [
        " ".join(read.words[position] for position in sorted(positions))
        for positions in (read.asked_noun, read.asked_verb)
    ]
    assert phrases == [noun, verb]
