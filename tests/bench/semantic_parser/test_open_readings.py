"""Readings that begin with all facts of a relation, nouns that facts explain, and parts of names."""

from __future__ import annotations

import pytest

from bench.semantic_parser.corpus import FOLDER
from bench.semantic_parser.memory_graph import MemoryGraph, load_graph
from trustuqa_neo4j.semantic_parser.graph_parser import (
    link_neighbourhood,
    parse_for_graph,
    propose_graph_readings,
)
from trustuqa_neo4j.semantic_parser.graph_plans import write_graph_query
from trustuqa_neo4j.semantic_parser.graph_proposals import GraphReading
from trustuqa_neo4j.semantic_parser.question import read_question

SHIPPING = load_graph("kg", [FOLDER / "graphs" / "shipping.tsv"])
FOOTBALL = load_graph("temporal-kg", [FOLDER / "graphs" / "football.tsv"])
HISTORY = load_graph("temporal-kg", [FOLDER / "graphs" / "history.tsv"])


def propose(text: str, graph: MemoryGraph = SHIPPING) -> list[GraphReading]:
    return propose_graph_readings(*link_neighbourhood(read_question(text), graph))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What is the longest ship?", {"Corvane"}),
        ("oldest ship", {"Old Gannet"}),
        ("Which tanker is the newest?", {"Corvane"}),
        (
            "Show ships longer than 250 metres",
            {"Corvane", "Marrow Star", "Nimbus Trader", "Tessaly Dawn"},
        ),
        ("In which year was the shortest ship built?", {"1998"}),
        ("ships without a captain", {"Corvane"}),
        ("Which tankers do not carry crude oil?", {"Pale Heron"}),
        ("Is the Halcyor longer than the Pale Heron?", {"yes"}),
        ("Was the Ostra Pioneer built after the Corvane?", {"no"}),
        (
            "List the ports that Nimbus Trader stops at.",
            {"Djemara", "Kellmouth", "Quillhaven", "Sandrel", "Tarvik"},
        ),
        ("ports in Norvane", {"Kellmouth", "Quillhaven", "Sandrel"}),
    ],
)
def test_questions_of_a_graph_without_classes(text: str, answer: set[str]) -> None:
    best = parse_for_graph(read_question(text), SHIPPING).readings[0]
    assert {str(member) for member in best.members} == answer, best.query
    assert best.is_sure


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("How many times have Drovna United been Zerenia League champions?", {"4.0"}),
        ("Which ground did Kesslow Rovers move to in 2001?", {"Vantor Arena"}),
        ("Who sponsored FC Marabor while Tibor Vash was manager?", {"Ostrel Bank", "Zentel"}),
        ("Which club has won the Zerenia League most often?", {"Drovna United"}),
        (
            "Which clubs have won the Zerenia League more than once?",
            {"Drovna United", "Kesslow Rovers"},
        ),
        ("who managed FC Marabor or Pelgrad City in 2000", {"Pavel Nirek", "Tibor Vash"}),
    ],
)
def test_questions_of_times(text: str, answer: set[str]) -> None:
    best = parse_for_graph(read_question(text), FOOTBALL).readings[0]
    assert {str(member) for member in best.members} == answer, best.query
    assert best.is_sure


def test_the_most_frequent_ends_of_a_relation_are_proposed() -> None:
    frequent = [r for r in propose("which ship visits the most ports") if "frequent" in r.operators]
    queries = {write_graph_query(r.plan): r.members for r in frequent}
    heads = "get_information(relation='callsAt', tail_entity!='')"
    expected = f"Query1: {heads}\nQuery2: mode(set=output_of_query1)"
    assert queries[expected] == ("Nimbus Trader",)


def test_nothing_is_the_most_frequent_where_each_occurs_once() -> None:
    frequent = [
        r for r in propose("which line was founded most often") if "frequent" in r.operators
    ]
    assert not any(r.hops[0] == ("foundedYear", False) for r in frequent)


def test_a_noun_names_what_has_a_type_of_it() -> None:
    # *ships* is no ship type, and a sister ship is a ship.
    readings = propose("which ships carry coal")
    kinds = [r for r in readings if [hop.relation for hop in r.hops] == ["carriesCargo"]]
    assert [set(r.members) for r in kinds] == [{"Brackwater Belle", "Ostra Pioneer"}]
    assert kinds[0].kinds == {1}


def test_relations_are_not_read_as_a_whole_without_a_cue() -> None:
    _, hood = link_neighbourhood(read_question("Who commands the Marrow Star?"), SHIPPING)
    assert not hood.whole


def test_a_part_of_a_name_beside_a_linked_one_is_linked() -> None:
    links, _ = link_neighbourhood(
        read_question("who was president right after Irina Valk?"), HISTORY
    )
    assert "President of Tavaria" in [link.name for link in links.names]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("longest serving head coach of Pelgrad City", "Nadia Korvell"),
        ("Who managed Pelgrad City for the shortest time?", "Stefan Orlo"),
    ],
)
def test_the_longest_fact_is_found_by_its_duration(text: str, answer: str) -> None:
    best = parse_for_graph(read_question(text), FOOTBALL).readings[0]
    assert best.members == (answer,), best.query
    assert "key='duration'" in best.query
