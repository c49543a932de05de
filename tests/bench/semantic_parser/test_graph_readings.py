"""Readings of graphs: what two names lead to, and members of classes."""

from __future__ import annotations

from bench.semantic_parser.corpus import FOLDER
from bench.semantic_parser.memory_graph import MemoryGraph, load_graph
from trustuqa_neo4j.semantic_parser.graph_links import link_graph
from trustuqa_neo4j.semantic_parser.graph_parser import propose_graph_readings, read_neighbourhood
from trustuqa_neo4j.semantic_parser.graph_plans import write_graph_query
from trustuqa_neo4j.semantic_parser.graph_proposals import GraphReading
from trustuqa_neo4j.semantic_parser.question import read_question

GRAPH = load_graph("kg", [FOLDER / "graph_facts.tsv"])
GALLERY = load_graph("kg", [FOLDER / "graphs" / "gallery.tsv"])


def propose(text: str, graph: MemoryGraph = GRAPH) -> list[GraphReading]:
    links = link_graph(read_question(text), graph)
    return propose_graph_readings(links, read_neighbourhood(links, graph))


def test_or_unites_what_two_names_lead_to() -> None:
    readings = propose("Which rivers flow through Austria or Peru?")
    united = [
        r for r in readings if r.operators == ("either",) and r.hops[0].relation == "flows_through"
    ]
    assert [set(reading.members) for reading in united] == [{"Danube", "Amazon"}]
    assert "set_union" in write_graph_query(united[0].plan)


def test_members_of_both_are_counted_once() -> None:
    # The Rhine flows through both.
    readings = propose("How many rivers flow through France or Germany?")
    counts = [
        reading
        for reading in readings
        if "either" in reading.operators and "count" in reading.operators
    ]
    assert (4.0,) in [reading.members for reading in counts]


def test_names_without_or_are_not_united() -> None:
    assert not any("either" in r.operators for r in propose("rivers through France and Germany"))


def test_members_of_a_class_are_bounded_and_ordered() -> None:
    bounded = [
        r for r in propose("paintings made before 1875", GALLERY) if "bounded" in r.operators
    ]
    members = {"The Salt Merchants", "Saint Agatha Sleeping", "Fog over Marrowgate"}
    assert members in [set(reading.members) for reading in bounded]
    assert any("tail_entity<'1875'" in write_graph_query(r.plan) for r in bounded)
    newest = [r for r in propose("newest museum", GALLERY) if "extreme" in r.operators]
    assert [reading.members for reading in newest] == [("Museum of Modern Light",)]


def test_the_relation_to_a_class_need_not_be_said_if_there_is_one() -> None:
    readings = propose("which paintings are in the Kessler Museum?", GALLERY)
    typed = [r for r in readings if "of class" in r.operators and len(r.hops) == 1]
    members = {"The Blue Orchard", "Fog over Marrowgate", "Signal No. 4"}
    assert [set(reading.members) for reading in typed] == [members]


def test_a_plural_that_is_no_class_is_no_name() -> None:
    # The only node with this name is a style, which has no members.
    assert not any("class" in reading.operators for reading in propose("baroques", GALLERY))
