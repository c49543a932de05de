"""Readings of graphs that unite what two names lead to."""

from __future__ import annotations

from bench.semantic_parser.corpus import FOLDER
from bench.semantic_parser.memory_graph import load_graph
from trustuqa_neo4j.semantic_parser.graph_links import link_graph
from trustuqa_neo4j.semantic_parser.graph_parser import propose_graph_readings, read_neighbourhood
from trustuqa_neo4j.semantic_parser.graph_plans import write_graph_query
from trustuqa_neo4j.semantic_parser.graph_proposals import GraphReading
from trustuqa_neo4j.semantic_parser.question import read_question

GRAPH = load_graph("kg", [FOLDER / "graph_facts.tsv"])


def propose(text: str) -> list[GraphReading]:
    links = link_graph(read_question(text), GRAPH)
    return propose_graph_readings(links, read_neighbourhood(links, GRAPH))


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
