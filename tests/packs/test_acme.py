"""ACME insurance: what its mapping makes of its tables, and what is repaired."""

from __future__ import annotations

import time
from importlib import import_module
from pathlib import Path

import pytest
from items import facts, items, parts, things

from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import ClassDeclared, Item, RelationDeclared

pytestmark = pytest.mark.packs

LOADED = "https://myinsurancecompany.linked.data.world/d/omg-pc-database/"
SPELT = "is read as {}, which is the same but for its spelling"


def read(packs: Path, *more: str, reading: Reading | None = None) -> list[Item]:
    data = sorted((packs / "acme" / "data").iterdir())
    paths = [*data, packs / "acme" / "ontology" / "insurance.ttl", *(packs / one for one in more)]
    return items("r2rml", [File(path, path.name) for path in paths], reading)


def triples(found: list[Item]) -> set[tuple[str, str, str]]:
    return {(fact.head, fact.relation, fact.tail) for fact in facts(found)}


def test_the_mapping_makes_228_triples(packs: Path) -> None:
    begun = time.perf_counter()
    reading = Reading()
    found = read(packs, reading=reading)
    assert time.perf_counter() - begun < 10  # 0.4 s where it was measured
    assert len(triples(found)) == len(facts(found)) == 228
    assert triples(found) == triples(read(packs, "acme/DDL/ACME_small.ddl"))
    repaired = {what: each.times for what, each in reading.remarks.items() if "spelling" in what}
    assert repaired == {
        "PolicyHolder-{party_identifier} "
        + SPELT.format("Policy-Holder-{party_identifier}"): 2,
        "Underwriting-Assessment-{assessment_identifier} "
        + SPELT.format("UnderwritingAssessment-{assessment_identifier}"): 2,
    }  # fmt: skip


def test_the_mapping_as_published(packs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many triples, four of which lead to or from a node that nothing else is said of."""
    monkeypatch.setattr(import_module("trustuqa_neo4j.loaders.r2rml_graph"), "REPAIRS", ())
    found = triples(read(packs))
    assert len(found) == 228
    monkeypatch.undo()
    repaired = triples(read(packs))
    assert len(repaired - found) == len(found - repaired) == 4
    described = {head for head, relation, _ in found if relation == "type"}
    assert all({head, tail} - described for head, _, tail in found - repaired)


def test_only_amounts_have_no_class(packs: Path) -> None:
    found = triples(read(packs))
    nodes = {end for head, _, tail in found for end in (head, tail) if end.startswith(LOADED)}
    described = {head for head, relation, _ in found if relation == "type"}
    assert nodes - described == {f"{LOADED}ClaimAmount-{number}" for number in range(1, 9)}


def test_values_are_exact(packs: Path) -> None:
    found = triples(read(packs))
    monthly = sorted(tail for _, relation, tail in found if relation == "premiumAmountMonthly")
    assert monthly == [
        "1000", "1250", "1333.33333333333", "1416.66666666667", "1500", "1666.66666666667",
    ]  # fmt: skip
    assert not any(tail in ("", "None", "nan") for _, _, tail in found)


def test_ids_have_no_names_and_classes_have(packs: Path) -> None:
    found = read(packs)
    named = {thing.name for key, thing in things(found).items() if key.startswith(LOADED)}
    assert named == {None}
    assert things(found)["http://data.world/schema/insurance/PolicyHolder"].aliases == (
        "Policy Holder",
    )


def test_facts_say_where_they_stand(packs: Path) -> None:
    file, found = "", {}
    for item in read(packs):
        if part := parts([item]):
            file = part[0].file
        for fact in facts([item]):
            found[fact.relation, fact.tail] = f"{file}:{fact.line}"
    assert found["policyNumber", "31003000336"] == "Policy.csv:2"
    assert found["agentId", "2"].endswith("#TripleMap_AgentID_2:1")


def test_the_ontology_is_declared(packs: Path) -> None:
    found = read(packs)
    relations = {item.name for item in found if isinstance(item, RelationDeclared)}
    assert len(relations) == 28
    assert sum(isinstance(item, ClassDeclared) for item in found) == 11
    used = {fact.relation for fact in facts(found)}
    assert relations < used
    assert len(used - relations - {"type"}) == 21
