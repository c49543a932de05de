"""Paths of three steps that the question says, and the way back by a relation that is said twice."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

from trustuqa_neo4j.semantic_parser.graph_parser import parse_for_graph
from trustuqa_neo4j.semantic_parser.question import read_question

FILMS = make_graph(
    ("Salt Road", "directed_by", "Ida Marn"),
    ("Low Tide", "directed_by", "Ida Marn"),
    ("Tin Sky", "directed_by", "Otto Brell"),
    ("Salt Road", "starred_actors", "Pia Voss"),
    ("Tin Sky", "starred_actors", "Pia Voss"),
    ("Low Tide", "starred_actors", "Nils Aker"),
    ("Salt Road", "written_by", "Una Felt"),
    ("Low Tide", "written_by", "Jon Sable"),
    ("Tin Sky", "written_by", "Ruth Ost"),
    ("Salt Road", "in_language", "Danish"),
    ("Low Tide", "in_language", "Norse"),
    ("Tin Sky", "in_language", "Frisian"),
    ("Ida Marn", "mentor", "Carl Dune"),
    ("Carl Dune", "mentor", "Vera Holt"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("who wrote the films that share directors with Salt Road", {"Jon Sable"}),
        ("who directed films that share actors with the film Salt Road", {"Otto Brell"}),
        ("the films that share actors with Salt Road were in which languages", {"Frisian"}),
        ("who wrote the films directed by the director of Salt Road", {"Una Felt", "Jon Sable"}),
        ("what films were directed by the director of Low Tide", {"Salt Road", "Low Tide"}),
    ],
)
def test_the_best_reading_takes_each_step_that_is_said(text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), FILMS).readings[0]
    assert best.is_explained
    assert set(best.members) == members


def test_a_relation_that_leads_on_does_not_lead_back() -> None:
    readings = parse_for_graph(read_question("the mentor of Ida Marn's mentor"), FILMS).readings
    assert readings[0].members == ("Vera Holt",)
    assert all("tail_entity=output" not in reading.query for reading in readings)


def test_a_step_that_is_not_said_is_not_taken() -> None:
    question = read_question("who wrote Salt Road")
    readings = parse_for_graph(question, FILMS).readings
    assert readings[0].members == ("Una Felt",)
    assert all(reading.query.count("Query") < 3 for reading in readings)
