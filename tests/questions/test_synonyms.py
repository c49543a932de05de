"""Synonyms in a question: found by their stems, and replaced by the words of the data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.model.dataset import Synonym
from trustuqa_neo4j.questions.synonyms import find_synonyms, replace_synonyms

SYNONYMS = (
    Synonym("runtime", "length", "relation"),
    Synonym("box office", "Gross (USD)", "relation"),
    Synonym("box", "Container", "relation"),
    Synonym("helmed", "film.film.directed_by", "relation"),
    Synonym("big apple", "New York", "name"),
)


@pytest.mark.parametrize(
    ("question", "replaced"),
    [
        ("What is the runtime of Alien?", "What is the length of Alien?"),
        ("Runtime of Alien?", "length of Alien?"),
        ("List the runtimes.", "List the length."),
        ("THE RUNTIME OF ALIEN", "THE length OF ALIEN"),
        ("highest box office in a box", "highest gross in a container"),
        ("who helmed Alien", "who directed by Alien"),
        ("films set in the Big Apple", "films set in the New York"),
        ("films set in the big apple", "films set in the New York"),
    ],
)
def test_a_phrase_is_replaced_by_its_meaning(question: str, replaced: str) -> None:
    assert replace_synonyms(question, SYNONYMS) == replaced


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Runtime Error?",
        "Who directed 'runtime'?",
        "Who directed [box office]?",
        "",
        "?",
    ],
)
def test_names_stay(question: str) -> None:
    assert replace_synonyms(question, SYNONYMS) == question
    assert find_synonyms(question, SYNONYMS) == ()


def test_a_synonym_in_a_question_is_found_once() -> None:
    assert find_synonyms("runtime, box and runtimes", SYNONYMS) == (SYNONYMS[0], SYNONYMS[2])


@given(st.text())
def test_without_synonyms_a_question_stays(question: str) -> None:
    assert replace_synonyms(question, ()) == question
