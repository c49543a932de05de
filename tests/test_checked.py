"""Queries checked against a graph with an ontology: what is refused, doubted, and carried through."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

ONTOLOGY = """
@prefix : <https://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Ship a owl:Class . :Port a owl:Class ; rdfs:label "harbour" . :Captain a owl:Class .
:homePort a owl:ObjectProperty ; rdfs:domain :Ship ; rdfs:range :Port ; rdfs:label "is at home in" .
:sails a owl:ObjectProperty ; rdfs:domain :Captain ; rdfs:range :Ship .
:shipLength a owl:DatatypeProperty ; rdfs:domain :Ship .
:sunk a owl:DatatypeProperty ; rdfs:domain :Ship .
"""
FACTS = """
@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:s1 a :Ship ; rdfs:label "Thetis" ; :homePort :p1 ; :shipLength "90" .
:s2 a :Ship ; rdfs:label "Nereus" ; :homePort :p2 ; :shipLength "40" ; :crew "12" .
:p1 a :Port ; rdfs:label "Varna" . :p2 a :Port ; rdfs:label "Bergen" .
:c1 a :Captain ; rdfs:label "Ida" ; :sails :s1 .
"""
SHIPS = "Query1: get_information(relation='type', tail_entity='Ship')\n"


@pytest.fixture
def ships(tuqa: TrustUQA, tmp_path: Path) -> Iterator[TrustUQA]:
    for name, text in (("ships.ttl", FACTS), ("ontology.ttl", ONTOLOGY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = (str(tmp_path / "ships.ttl"), str(tmp_path / "ontology.ttl"))
    tuqa.load("rdf", *paths, dataset="ships", embeddings=False)
    yield tuqa
    tuqa.drop("ships")


def run(ships: TrustUQA, text: str) -> tuple[str, tuple[str, ...], list[str]]:
    answer = ships.run(text, "ships")
    return (
        answer.outcome,
        tuple(sorted(map(str, answer.values))),
        [problem.kind for problem in answer.problems],
    )


def test_what_fits_is_answered(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='homePort')"
    assert run(ships, text) == ("answered", ("Bergen", "Varna"), [])


def test_what_the_ontology_excludes_is_refused(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='sails')"
    assert run(ships, text) == ("rejected", (), ["direction"])


def test_what_nobody_declared_and_the_data_have_is_known(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='crew')"
    assert run(ships, text) == ("answered", ("12",), [])


def test_what_is_declared_and_has_no_fact_leads_to_nothing(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='sunk')"
    assert run(ships, text) == ("empty", (), [])
    assert ships.check(text, "ships").good


def test_relations_and_classes_by_their_labels(ships: TrustUQA) -> None:
    text = (
        "Query1: get_information(relation='type', tail_entity='harbour')\n"
        "Query2: get_information(relation='is at home in', tail_entity=output_of_query1)"
    )
    assert run(ships, text) == ("answered", ("Nereus", "Thetis"), [])
    mapped = {(m.given, m.used) for m in ships.run(text, "ships").mapped}
    assert ("is at home in", "homePort") in mapped


def test_a_class_that_is_not_there_is_not_askable(ships: TrustUQA) -> None:
    text = "get_information(relation='type', tail_entity='Submarine')"
    answer = ships.run(text, "ships")
    assert (answer.outcome, [p.kind for p in answer.problems]) == ("not_askable", ["unknown class"])
    assert answer.problems[0].message.endswith("there are Captain, Port, Ship")


def test_an_invented_relation_that_is_read_as_another_is_doubted(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='shipLengths')"
    assert ships.check(text, "ships").good
    checked = ships.check(text.replace("shipLengths", "lengthOfShip"), "ships")
    (doubt,) = checked.problems
    assert (checked.outcome, doubt.kind, doubt.severity) == (None, "unknown relation", "doubt")
    assert (
        doubt.message
        == "ships has no relation 'lengthOfShip'; it is read as shipLength (from a Ship to a value)"
    )


def test_the_nearest_relations_are_told_with_their_ends(ships: TrustUQA) -> None:
    answer = ships.run("get_information(head_entity='Thetis', relation='xyz')", "ships")
    assert answer.outcome == "not_askable"
    assert "(from a " in answer.problems[0].message


def test_a_new_load_is_seen_at_once(ships: TrustUQA, tmp_path: Path) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='sails')"
    assert run(ships, text)[0] == "rejected"
    more = tmp_path / "more.ttl"
    more.write_text(FACTS.split("\n:s1")[0] + "\n:s2 :sails :s1 .\n", encoding="utf-8")
    ships.load("rdf", str(more), dataset="ships", mode="append", embeddings=False)
    assert run(ships, text) == ("answered", ("Thetis",), [])
