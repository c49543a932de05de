"""Readings of graphs: what two names lead to, and members of classes."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

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

GRAPH = load_graph("kg", [FOLDER / "graph_facts.tsv"])
HISTORY = load_graph("temporal-kg", [FOLDER / "graphs" / "history.tsv"])
GALLERY = load_graph("kg", [FOLDER / "graphs" / "gallery.tsv"])


def propose(text: str, graph: MemoryGraph = GRAPH) -> list[GraphReading]:
    return propose_graph_readings(*link_neighbourhood(read_question(text), graph))


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
    newest = [
        r for r in propose("newest museum", GALLERY) if {"class", "extreme"} <= {*r.operators}
    ]
    assert [reading.members for reading in newest] == [("Museum of Modern Light",)]


def test_the_relation_to_a_class_need_not_be_said_if_there_is_one() -> None:
    readings = propose("which paintings are in the Kessler Museum?", GALLERY)
    typed = [r for r in readings if "of class" in r.operators and len(r.hops) == 1]
    members = {"The Blue Orchard", "Fog over Marrowgate", "Signal No. 4"}
    assert [set(reading.members) for reading in typed] == [members]


def test_a_plural_that_is_no_class_is_no_name() -> None:
    # The only node with this name is a style, which has no members.
    assert not any("class" in reading.operators for reading in propose("baroques", GALLERY))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Was Milan Dovrak Prime Minister of Tavaria in 1970?", {"yes"}),
        ("Was Milan Dovrak Prime Minister of Tavaria in 1965?", {"no"}),
        (
            "who was president of Tavaria between 1960 and 1970?",
            {"Edvard Kostin", "Irina Valk"},
        ),
        ("Who succeeded Edvard Kostin as Prime Minister of Tavaria?", {"Milan Dovrak"}),
        ("who preceded Olga Petrescu as Prime Minister of Tavaria", {"Milan Dovrak"}),
        ("how long was Helena Strand married to Paul Gerber?", {"24 years"}),
        ("how many years did Nico Baum play for Dynamo Lubin", {"12.0"}),
        (
            "What do Edvard Kostin and Irina Valk have in common?",
            {"President of Tavaria", "People's Union"},
        ),
        ("where were Helena Strand and Edvard Kostin born?", {"Sarnow", "Lubin"}),
        (
            "From when to when was Helena Strand Prime Minister of Tavaria?",
            {"1961", "1968"},
        ),
    ],
)
def test_questions_of_times_and_of_two_names(text: str, answer: set[str]) -> None:
    best = parse_for_graph(read_question(text), HISTORY).readings[0]
    assert {str(member) for member in best.members} == answer, best.query
    assert best.is_sure


@pytest.mark.parametrize(
    "text",
    [
        "Is Helena Strand still Prime Minister of Tavaria?",
        "How many people are Prime Minister of Tavaria at the moment?",
        "Who was Prime Minister of Tavaria in summer 1963?",
        "how many people born in lubin held the office of prime minister of tavaria?",
    ],
)
def test_names_in_small_letters_and_still_are_not_passed_over(text: str) -> None:
    best = parse_for_graph(read_question(text), HISTORY).readings[0]
    assert not (best.is_sure and best.unexplained)
    assert not (best.is_sure and any(word in text for word in ("still", "moment", "summer")))


CHOIR = make_graph(
    ("Ann", "sings", "tenor"), ("Ben", "sings", "tenor"), ("Cid", "sings", "alto"),
    ("Ann", "lives in", "Wick"), ("Cid", "lives in", "Wick"), ("Ben", "lives in", "Tain"),
    ("Ann", "teaches", "Harmony"), ("Cid", "teaches", "Harmony"), ("Cid", "teaches", "Rhythm"),
    ("Dot", "teaches", "Harmony"), ("Ann", "principal guest singer of", "Opera"),
    ("Cid", "principal guest singer of", "Opera"), ("Cid", "principal guest singer of", "Revue"),
    ("Dot", "principal guest singer of", "Opera"), ("Dot", "owns", "Quay"), ("Eve", "owned by", "Quay"),
    ("Wick", "twin of", "Tain"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("How many tenors are there?", {2.0}),  # by the name that they sing
        ("who teaches the most courses", {"Cid"}),  # not the course that most teach
        ("how many people have been principal guest singer of the Opera", {3.0}),
    ],
)
def test_what_is_asked_is_the_end_that_is_said(text: str, answer: set[str | float]) -> None:
    best = parse_for_graph(read_question(text), CHOIR).readings[0]
    assert {*best.members} == answer, best.query
    assert best.is_sure


@pytest.mark.parametrize(
    "text",
    ["How many of the tenors live in Wick?", "How many singers are there in each town?"],
)
def test_a_name_or_a_group_is_not_left_out(text: str) -> None:
    assert not any(
        reading.is_sure for reading in parse_for_graph(read_question(text), CHOIR).readings
    )


def test_both_names_stand_at_one_relation() -> None:
    graph = make_graph(
        ("Ann", "manages", "Zoe"), ("Bo", "manages", "Zoe"), ("Ann", "manages", "Hugo"),
        ("Bo", "deputy manager of", "Hugo"), ("Cid", "manages", "Hugo"), ("Cid", "deputy manager of", "Zoe"),
    )  # fmt: skip
    best = parse_for_graph(read_question("Who manages both Zoe and Hugo?"), graph).readings[0]
    assert set(best.members) == {"Ann"}, best.query


def test_a_name_in_small_letters_is_known_and_not_misspelt() -> None:
    graph = make_graph(
        ("Ann", "plays", "cello"), ("Bo", "plays", "cello"), ("Ann", "member of", "String Ensemble"),
    )  # fmt: skip
    text = "how many people in the string ensemble play the cello"
    best = parse_for_graph(read_question(text), graph).readings[0]
    assert (best.is_sure, best.unknown_words) == (False, ())


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("how many people born in lubin held the office of prime minister of tavaria?", {2.0}),
        (
            "who held the office of prime minister of tavaria and was born in oster",
            {"Olga Petrescu"},
        ),
    ],
)
def test_names_of_two_relations_are_both_used(text: str, answer: set[str | float]) -> None:
    best = parse_for_graph(read_question(text), HISTORY).readings[0]
    assert {*best.members} == answer, best.query
    assert best.is_sure


SCHOOL = make_graph(
    ("Ann", "teaches", "Cid"), ("Ann", "teaches", "Dot"), ("Bo", "teaches", "Cid"),
    ("Cid", "a", "Person"), ("Ann", "a", "Person"), ("Cid", "spouse", "Eve"),
    ("Ann", "located in", "Wick"), ("Ann", "type", "Nursery"), ("Oak", "bought from", "Ann"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Which teacher has the most pupils?", {"Ann"}),
        ("Which pupil has the most teachers?", {"Cid"}),
    ],
)
def test_the_noun_that_is_asked_for_has_its_side(text: str, answer: set[str]) -> None:
    best = parse_for_graph(read_question(text), SCHOOL).readings[0]
    assert {*best.members} == answer, best.query
    assert best.is_sure


@pytest.mark.parametrize(
    "text",
    [
        "what did we buy from the nursery in Wick?",  # the nursery is not what was bought
        "for how many years did Ann teach Cid?",
    ],
)
def test_a_deed_or_a_time_is_not_left_out(text: str) -> None:
    best = parse_for_graph(read_question(text), SCHOOL).readings[0]
    assert not best.is_sure or {*best.members} == {"Oak"}, best.query


def test_the_noun_that_is_asked_for_is_the_relation_of_this_name() -> None:
    # A shelf is also where something is kept.
    archive = make_graph(
        ("Baptisms", "kept_in", "Box 1"),
        ("Burials", "kept_in", "Box 2"),
        ("Box 1", "shelf", "vestry"),
        ("Box 2", "shelf", "tower room"),
        ("Box 1", "type", "Box"),
        ("Box 2", "type", "Box"),
    )
    readings = parse_for_graph(
        read_question("On what shelf is the box with Burials?"), archive
    ).readings
    assert readings[0].members == ("tower room",)
    assert all(r.refusal for r in readings if "relation='shelf'" not in r.query)
