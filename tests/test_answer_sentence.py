"""Answers as sentences: superlatives with their measure, rankings in order, numbers with unit and digits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trustuqa_neo4j import Answer
from trustuqa_neo4j.answer import rank_answer
from trustuqa_neo4j.answer_sentence import write_sentence
from trustuqa_neo4j.evidence import Evidence

FIRST = "Query1: get_information(relation='Price', tail_entity='{}')\n"
NAME = "Query2: get_information(head_entity=output_of_query1, relation='Hut')"
RANKED = """Query1: get_information(relation='Price')
Query2: sort(set=output_of_query1, order='descending')
Query3: last(set=first(set=output_of_query2, number=2), number=1)
Query4: get_information(relation='Price', tail_entity>=output_of_query3)
Query5: get_information(head_entity=output_of_query4, relation='Hut')"""
MEAN = "Query1: get_information(relation='Price')\nQuery2: mean(set=output_of_query1)"
PRICES = (("row 1", "Alm", "€4.50"), ("row 2", "Ferner", "€12.25"), ("row 3", "Kees", "€9.00"))


def _facts(*rows: tuple[str, str, str]) -> list[Evidence]:
    return [
        Evidence(row, relation, text, "huts", "huts.csv", "huts.csv", 2)
        for row, name, price in rows
        for relation, text in (("Price", price), ("Hut", name))
    ]


@pytest.mark.parametrize(
    ("query", "values", "rows", "sentence"),
    [
        (FIRST.format("highest") + NAME, ("Ferner",), PRICES[1:2],
         "Ferner has the highest Price: €12.25."),
        (RANKED, ("Ferner", "Kees"), PRICES[:0:-1], "By Price: Ferner (€12.25), Kees (€9.00)."),
        (MEAN, (8.583333333,), PRICES, "The mean of Price is €8.58."),
        (FIRST.format("€4.50") + NAME, ("Alm",), PRICES[:1],
         "The Hut of those whose Price is '€4.50' is Alm."),
        (FIRST.format("€4.50") + "Query2: count(set=output_of_query1)", (1,), PRICES[:1],
         "The number of those whose Price is '€4.50' is 1."),
        (FIRST.format("€4.50") + "Query2: exists(set=output_of_query1)", ("yes",), PRICES[:1],
         "Whether there are those whose Price is '€4.50': yes."),
    ],
)  # fmt: skip
def test_an_answer_is_a_sentence(
    query: str,
    values: tuple[str | float, ...],
    rows: tuple[tuple[str, str, str], ...],
    sentence: str,
) -> None:
    facts = _facts(*rows)
    assert write_sentence(query, values, facts, len(facts)) == sentence


def test_a_ranking_is_in_its_order() -> None:
    """What refers to the values goes with them."""
    places = {"row 2": 1, "row 3": 0}
    facts = [replace(fact, answers=(places[fact.head],)) for fact in _facts(*PRICES[1:])]
    answer = Answer("answered", ("Kees", "Ferner"), llm_query=RANKED, evidence=tuple(facts))
    ranked = rank_answer(replace(answer, evidence_counts=(4, 2)))
    assert ranked.values == ("Ferner", "Kees")
    assert ranked.evidence_counts == (2, 4)
    assert [fact.answers for fact in ranked.evidence] == [(0,), (0,), (1,), (1,)]
    assert rank_answer(replace(answer, llm_query=MEAN)).values == answer.values


def test_a_ranking_is_by_values_and_not_by_digits() -> None:
    rows = (("row 1", "Elk", "900 m"), ("row 2", "Fox", "3 km"), ("row 3", "Owl", "1.2 km"))
    facts = tuple(_facts(*rows))
    answer = Answer("answered", ("Elk", "Fox", "Owl"), llm_query=RANKED, evidence=facts)
    assert rank_answer(answer).values == ("Fox", "Owl", "Elk")


def test_all_that_the_first_row_has_is_in_no_order() -> None:
    query = FIRST.format("highest") + "Query2: get_information(head_entity=output_of_query1)"
    facts = tuple(_facts(*PRICES[1:2]))
    answer = Answer("answered", ("Ferner", "€12.25"), llm_query=query, evidence=facts)
    assert answer.order is None
    assert rank_answer(answer) == answer


def test_an_order_without_all_of_its_facts_shows_no_measure() -> None:
    sentence = write_sentence(RANKED, ("Ferner", "Kees"), _facts(PRICES[1]), 4)
    assert sentence is not None
    assert "€" not in sentence
    assert "Ferner" in sentence


@pytest.mark.parametrize(
    "answer",
    [
        Answer("empty", llm_query=MEAN),
        Answer("answered", values=("x",), llm_query="no query at all"),
        Answer("answered", ("a", 1), ("x", "y"), (("a", 1),), llm_query=MEAN),
        Answer("answered", (8.5,), llm_query=MEAN, grounded=False),
    ],
)
def test_what_has_no_sentence(answer: Answer) -> None:
    assert answer.sentence is None
    assert answer.to_dict()["sentence"] is None
