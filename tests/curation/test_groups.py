"""Demonstrations that need several datasets together."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.curation import jsonl
from trustuqa_neo4j.errors import UnknownDataset, UsageError
from trustuqa_neo4j.model.demonstration import Demonstration, format_group, name_group

BOTH = ("uni", "jobs")
FACTS = {
    "uni": [("Ann", "attends", "Logic"), ("Bob", "attends", "Logic"), ("Cid", "attends", "Art")],
    "jobs": [("Ann", "works for", "ACME"), ("Bob", "works for", "Globex"), ("Cid", "works for", "Initech")],
    "pets": [("Rex", "belongs to", "Ann")],
}  # fmt: skip
QUERY = (
    "query1: get_information(relation='attends', tail_entity='{}')\n"
    "query2: get_information(head_entity=output_of_query1, relation='works for')"
)
LOGIC = Demonstration("where do people of Logic work", QUERY.format("Logic"), ("ACME", "Globex"))


@pytest.fixture
def facts(tmp_path: Path) -> dict[str, Path]:
    paths = {}
    for name, lines in FACTS.items():
        paths[name] = tmp_path / f"{name}.tsv"
        rows = [("head", "relation", "tail"), *lines]
        paths[name].write_text("\n".join(map("\t".join, rows)), encoding="utf-8")
    return paths


@pytest.fixture
def client(tuqa: TrustUQA, facts: dict[str, Path]) -> TrustUQA:
    for name, path in facts.items():
        tuqa.load("kg", path, dataset=name)
    return tuqa


def ask(client: TrustUQA, question: str, *datasets: str) -> object:
    answer = client.ask(question, datasets or None, reader=False)
    return set(answer.values) if answer.outcome == "answered" else answer.outcome


def test_a_query_over_two_datasets_is_taught(client: TrustUQA) -> None:
    assert client.demonstrations.add(BOTH, LOGIC).state == "verified"
    assert ask(client, LOGIC.question, "jobs", "uni") == {"ACME", "Globex"}
    assert ask(client, "where do people of Art work", *BOTH) == {"Initech"}
    assert ask(client, "where do people of Art work", *BOTH, "pets") == {"Initech"}
    assert ask(client, "where do people of Art work") == {"Initech"}
    assert ask(client, LOGIC.question, "uni") == "not_askable"
    answer = client.ask(LOGIC.question, BOTH)
    assert answer.datasets == ("jobs", "uni")
    assert answer.origin == "demonstrated"
    assert client.demonstrations.listed("uni") == []
    assert [*client.demonstrations.shared("uni")] == [("jobs", "uni")]


def test_an_answer_of_two_datasets_is_accepted(client: TrustUQA) -> None:
    client.demonstrations.add(BOTH, LOGIC)
    answer = client.ask("where do people of Art work", BOTH)
    accepted = client.demonstrations.accept(answer)
    assert accepted.is_new
    assert accepted.datasets == ("jobs", "uni")
    assert not client.demonstrations.accept(answer).is_new


def test_exported_and_imported(client: TrustUQA) -> None:
    client.demonstrations.add(BOTH, LOGIC)
    text = "".join(jsonl.lines(client.demonstrations.listed(BOTH), BOTH))
    recorded = jsonl.read(text.encode(), "d.jsonl")
    (group,) = recorded.by_dataset
    assert group == name_group(["jobs", "uni"])
    assert format_group(group) == "jobs and uni"
    assert jsonl.read(text.encode(), "d.jsonl", "pets").by_dataset.keys() == {"pets"}
    assert client.demonstrations.drop(BOTH) == 1
    client.demonstrations.store(BOTH, recorded.by_dataset[group])
    assert client.demonstrations.verify(BOTH).verified == 1


def test_replaced_data_are_verified_again(client: TrustUQA, facts: dict[str, Path]) -> None:
    client.demonstrations.add(BOTH, LOGIC)
    client.load("kg", facts["jobs"], dataset="jobs", mode="replace-all")
    assert client.demonstrations.counts(BOTH).verified == 1
    facts["jobs"].write_text("head\trelation\ttail\nAnn\tworks for\tACME\n", encoding="utf-8")
    client.load("kg", facts["jobs"], dataset="jobs", mode="replace")
    assert client.demonstrations.counts(BOTH).failed == 1
    assert ask(client, LOGIC.question, *BOTH) == "not_askable"


def test_dropped_with_one_of_its_datasets(client: TrustUQA, facts: dict[str, Path]) -> None:
    client.demonstrations.add(BOTH, LOGIC)
    assert client.drop("pets").demonstrations == 0
    assert client.drop("jobs").demonstrations == 1
    client.load("kg", facts["jobs"], dataset="jobs")
    assert client.demonstrations.counts(BOTH).total == 0


def test_refused(client: TrustUQA) -> None:
    with pytest.raises(UnknownDataset, match="no dataset 'nowhere'"):
        client.demonstrations.add(("uni", "nowhere"), LOGIC)
    with pytest.raises(UsageError, match="several datasets has no source"):
        client.demonstrations.add(BOTH, Demonstration("q", "x", source="uni.tsv"))
    scoped = TrustUQA(client.connection.driver, datasets=["uni"])
    with pytest.raises(UnknownDataset, match="scope"):
        scoped.demonstrations.add(BOTH, LOGIC)
