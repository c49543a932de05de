"""Questions about an ontology itself: classes, properties, domains, ranges, kinds and definitions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

GARDEN = """
@prefix : <http://example.org/garden#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Plant a owl:Class ; rdfs:comment "A living thing that grows in soil." .
:Tree rdfs:subClassOf :Plant ; rdfs:comment "A plant with a trunk." .
:Fruit_tree rdfs:subClassOf :Tree ; rdfs:label "fruit tree" .
:Herb rdfs:subClassOf :Plant ; owl:disjointWith :Tree .
:Gardener rdfs:subClassOf :Person .
:tends rdfs:domain :Gardener ; rdfs:range :Plant ; owl:inverseOf :tendedBy .
:height rdfs:domain :Plant ; rdfs:range xsd:decimal .
:nickname rdfs:domain :Person ; rdfs:range xsd:string .
"""
DATA = """
:apple a :Fruit_tree ; rdfs:label "old apple" ; :height 7.5 .
:sage a :Herb ; :height 0.5 .
:ann a :Gardener ; rdfs:label "Ann" ; :tends :apple, :sage .
"""


@pytest.fixture(scope="module")
def garden(
    client: TrustUQA, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TrustUQA, tuple[str, ...]]]:
    """An ontology alone, and one with data."""
    folder = tmp_path_factory.mktemp("garden")
    contents = {"terms": GARDEN, "garden": GARDEN + DATA}
    for name, text in contents.items():
        (folder / f"{name}.ttl").write_text(text, encoding="utf-8")
        client.load("rdf", folder / f"{name}.ttl", dataset=name, embeddings=False)
    yield client, tuple(contents)
    for name in contents:
        client.drop(name)


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which properties does a Person have?", {"nickname"}),
        ("What are the properties of a plant?", {"height"}),
        ("What is the domain of tends?", {"Gardener"}),
        ("What is the range of height?", {"number"}),
        ("Which properties have the range Plant?", {"tends"}),
        ("What is the inverse of tends?", {"tendedBy"}),
        ("Define tree.", {"A plant with a trunk."}),
        ("Please define tree", {"A plant with a trunk."}),
        ("What is the definition of plant?", {"A living thing that grows in soil."}),
        ("Is a fruit tree a kind of plant?", {"yes"}),
        ("What kinds of plant are there?", {"Tree", "Fruit_tree", "Herb"}),
        ("What are the subclasses of Plant?", {"Tree", "Fruit_tree", "Herb"}),
        ("What is the superclass of herb?", {"Plant"}),
        ("Which classes are disjoint with tree?", {"Herb"}),
        ("How many classes are there?", {"6"}),
        ("List all properties.", {"tends", "tendedBy", "height", "nickname"}),
    ],
)
def test_declarations_answer_questions(
    garden: tuple[TrustUQA, tuple[str, ...]], question: str, values: set[str]
) -> None:
    client, datasets = garden
    for dataset in datasets:
        answer = client.ask(question, dataset)
        assert (dataset, {*map(str, answer.values)}) == (dataset, values)
        assert {Path(fact.file).name for fact in answer.evidence} == {f"{dataset}.ttl"}


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who tends sage?", {"Ann"}),
        ("What does Ann tend?", {"old apple", "sage"}),
        ("What is the height of sage?", {"0.5"}),
        ("How many plants are there?", {"2"}),
    ],
)
def test_questions_about_the_data_keep_their_answers(
    garden: tuple[TrustUQA, tuple[str, ...]], question: str, values: set[str]
) -> None:
    client, _ = garden
    assert {*map(str, client.ask(question, "garden").values)} == values


def test_what_a_class_is_is_not_answered_by_its_members(
    garden: tuple[TrustUQA, tuple[str, ...]],
) -> None:
    client, _ = garden
    answer = client.ask("What is a tree?", "garden")
    assert answer.outcome != "answered"
