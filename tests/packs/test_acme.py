"""ACME insurance: what its mapping makes of its tables, and what is repaired."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from support.items import facts, items, parts, things

from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.model.facts import ClassDeclared, Item, RelationDeclared

pytestmark = pytest.mark.packs

LOADED = "https://myinsurancecompany.linked.data.world/d/omg-pc-database/"
SPELT = "is read as {}, which differs only in spelling"


def read(packs: Path, *more: str, reading: ReadOptions | None = None) -> list[Item]:
    data = sorted((packs / "acme" / "data").iterdir())
    paths = [*data, packs / "acme" / "ontology" / "insurance.ttl", *(packs / path for path in more)]
    return items("r2rml", [File(path, path.name) for path in paths], reading)


def triples(result: list[Item]) -> set[tuple[str, str, str]]:
    return {(fact.head, fact.relation, fact.tail) for fact in facts(result)}


def test_the_mapping_makes_228_triples(packs: Path) -> None:
    reading = ReadOptions()
    result = read(packs, reading=reading)
    assert len(triples(result)) == len(facts(result)) == 228
    assert triples(result) == triples(read(packs, "acme/DDL/ACME_small.ddl"))
    repaired = {
        what: remark.times for what, remark in reading.remarks.items() if "spelling" in what
    }
    assert repaired == {
        "PolicyHolder-{party_identifier} "
        + SPELT.format("Policy-Holder-{party_identifier}"): 2,
        "Underwriting-Assessment-{assessment_identifier} "
        + SPELT.format("UnderwritingAssessment-{assessment_identifier}"): 2,
    }  # fmt: skip


def test_the_mapping_as_published(packs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many triples, four of which lead to or from a node that nothing else is said of."""
    monkeypatch.setattr(import_module("trustuqa_neo4j.loaders.r2rml"), "REPAIRS", ())
    result = triples(read(packs))
    assert len(result) == 228
    monkeypatch.undo()
    repaired = triples(read(packs))
    assert len(repaired - result) == len(result - repaired) == 4
    described = {head for head, relation, _ in result if relation == "type"}
    assert all({head, tail} - described for head, _, tail in result - repaired)


def test_only_amounts_have_no_class(packs: Path) -> None:
    result = triples(read(packs))
    nodes = {end for head, _, tail in result for end in (head, tail) if end.startswith(LOADED)}
    described = {head for head, relation, _ in result if relation == "type"}
    assert nodes - described == {f"{LOADED}ClaimAmount-{number}" for number in range(1, 9)}


def test_values_are_exact(packs: Path) -> None:
    result = triples(read(packs))
    monthly = sorted(tail for _, relation, tail in result if relation == "premiumAmountMonthly")
    assert monthly == [
        "1000", "1250", "1333.33333333333", "1416.66666666667", "1500", "1666.66666666667",
    ]  # fmt: skip
    assert not any(tail in ("", "None", "nan") for _, _, tail in result)


def test_ids_have_no_names_and_classes_have(packs: Path) -> None:
    result = read(packs)
    named = {thing.name for key, thing in things(result).items() if key.startswith(LOADED)}
    assert named == {None}
    assert things(result)["http://data.world/schema/insurance/PolicyHolder"].aliases == (
        "Policy Holder",
    )


def test_facts_have_file_and_line(packs: Path) -> None:
    file, result = "", {}
    for item in read(packs):
        if part := parts([item]):
            file = part[0].file
        for fact in facts([item]):
            result[fact.relation, fact.tail] = f"{file}:{fact.line}"
    assert result["policyNumber", "31003000336"] == "Policy.csv:2"
    assert result["agentId", "2"].endswith("#TripleMap_AgentID_2:1")


def test_the_ontology_is_declared(packs: Path) -> None:
    result = read(packs)
    relations = {item.name for item in result if isinstance(item, RelationDeclared)}
    assert len(relations) == 28
    assert sum(isinstance(item, ClassDeclared) for item in result) == 11
    used = {fact.relation for fact in facts(result)}
    assert relations < used
    assert len(used - relations - {"type"}) == 21
