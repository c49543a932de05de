"""What nouns of a question and names of relations say of persons, and who or what a verb is about."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

from trustuqa_neo4j.lexicon.lexicon import load_graph_lexicon
from trustuqa_neo4j.semantic_parser.graph_parser import parse_for_graph
from trustuqa_neo4j.semantic_parser.graph_persons import (
    leads_to_persons,
    names_person,
    names_subject,
)
from trustuqa_neo4j.semantic_parser.graph_view import Hop
from trustuqa_neo4j.semantic_parser.question import read_question

LEXICON = load_graph_lexicon()


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("keepers", True),
        ("pianist", True),
        ("women", True),
        ("nurses", True),
        ("river", False),
        ("museums", False),
        ("glaciers", False),
        ("owner", None),
        ("members", None),
    ],
)
def test_nouns_for_persons(noun: str, expected: bool | None) -> None:
    assert names_person(LEXICON, noun) is expected


@pytest.mark.parametrize(
    ("relation", "forward", "backward"),
    [
        ("born in", False, True),
        ("directed_by", True, False),
        ("directorOf", False, True),
        ("director", True, False),
        ("made by", False, False),
        ("population", False, False),
        ("trained_by", True, False),
        ("spouse", True, True),
    ],
)
def test_relations_that_lead_to_persons(relation: str, forward: bool, backward: bool) -> None:
    leads = [leads_to_persons(LEXICON, Hop(relation, way)) for way in (True, False)]
    assert leads == [forward, backward]


@pytest.mark.parametrize(
    ("noun", "relation", "expected"),
    [
        ("plants", "grows_in", True),
        ("services", "maintainedBy", True),
        ("companies", "operates", True),
        ("people", "employed by", True),
        ("valley", "grows_in", False),  # *in* leads to places
        ("library", "held by", False),
        ("keeper", "maintainedBy", False),
        ("planters", "plantedBy", False),  # the relation itself
    ],
)
def test_nouns_for_what_a_verb_is_about(noun: str, relation: str, expected: bool) -> None:
    assert names_subject(LEXICON, noun, relation) is expected


BEDS = make_graph(
    ("Red Velm", "growsIn", "Oster"),
    ("White Tane", "growsIn", "Brakel"),
    ("Red Velm", "maxHeightCm", "40"),
    ("White Tane", "maxHeightCm", "90"),
    ("Ada Quell", "employedBy", "Tane Nursery"),
    ("Cora Lind", "studentOf", "Ada Quell"),
    ("Cora Lind", "studentOf", "Boris Tane"),
    ("Ada Quell", "studentOf", "Boris Tane"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Which plant is the tallest?", {"White Tane"}),
        ("plants higher than 50 cm", {"White Tane"}),
        ("Where does Ada Quell work?", {"Tane Nursery"}),
        ("who studied under Ada Quell", {"Cora Lind"}),
    ],
)
def test_readings_about_the_right_things(text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), BEDS).readings[0]
    assert set(best.members) == members, best.query
    assert best.is_explained


@pytest.mark.parametrize(
    "text",
    [
        "price of Red Velm",
        "Ada Quell's salary",
        "the second student of Ada Quell",
        "who taught two different students",
    ],
)
def test_what_is_left_out_asks_for_something_else(text: str) -> None:
    readings = parse_for_graph(read_question(text), BEDS).readings
    assert not any(reading.is_sure for reading in readings)


@pytest.mark.parametrize("relation", ["★", "..", "of", "by", "s"])
def test_any_text_is_a_relation(relation: str) -> None:
    graph = make_graph(("Ada Quell", relation, "Boris Tane"))
    for text in ("who trained Ada Quell", "list the master of the", "Where does Ada Quell work?"):
        readings = parse_for_graph(read_question(text), graph).readings
        assert not any(reading.is_sure for reading in readings)
