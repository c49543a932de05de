"""What the interpreter takes for granted: how texts are read as values, and names found in the data."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.values import read_value

from .worlds import BOUNDS, KINDS

FOLDER = Path(__file__).parent


def read_rows(file: str) -> list[dict[str, str]]:
    text = (FOLDER / file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", read_rows("values.tsv"), ids=lambda row: row["text"])
def test_a_text_is_this_value(row: dict[str, str]) -> None:
    value = read_value(row["text"])
    fields = (None,) * 4 if value is None else (value.number, value.unit, value.start, value.end)
    number = float(row["number"]) if row["number"] else None
    first, last = (int(row[name]) if row[name] else None for name in ("first", "last"))
    assert fields == (number, row["unit"] or None, first, last)


def test_texts_of_random_data_are_read_as_they_are_typed() -> None:
    rng = Random(1)
    makers = {make for all_ in BOUNDS.values() for make in all_} | {*KINDS.values()}
    for make in sorted(makers, key=lambda make: make.__name__):
        for _ in range(300):
            text, typed = make(rng)
            value = read_value(text)
            assert value is not None, text
            fields = (value.number, value.unit, value.start, value.end)
            assert fields == (typed.number, typed.unit, typed.first, typed.last), text


VOYAGES = """head\trelation\ttail
Voyage 11\tlunar module\tHeron
Voyage 9\tlunar module\tGannet
Zoë Quist\tlunar module\tOsprey
"""
ALIASES = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://fleet.example/> .
:v13 rdfs:label "Voyage 13" ; skos:altLabel "Longhaul" ; <http://fleet.example/lunar%20module> :k .
:k rdfs:label "Kestrel" ; skos:altLabel "Sparrowhawk" .
"""


@pytest.fixture(scope="module")
def voyages(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("voyages")
    (folder / "voyages.tsv").write_text(VOYAGES, encoding="utf-8")
    (folder / "aliases.ttl").write_text(ALIASES, encoding="utf-8")
    client.load("kg", str(folder / "voyages.tsv"), str(folder / "aliases.ttl"), dataset="voyages")
    yield "voyages"
    client.drop("voyages")


QUERIES = {
    "relation": 'get_information(head_entity="Voyage 11", relation="{}")',
    "head": 'get_information(head_entity="{}", relation="lunar module")',
    "tail": 'get_information(relation="lunar module", tail_entity="{}")',
    "any head": 'get_information(head_entity="{}")',
    "any tail": 'get_information(tail_entity="{}")',
}


@pytest.mark.parametrize(
    "row", read_rows("names.tsv"), ids=lambda row: f"{row['place']} {row['name']}"
)
def test_a_name_is_this_name_of_the_data(
    client: TrustUQA, voyages: str, row: dict[str, str]
) -> None:
    answer = client.run(QUERIES[row["place"]].format(row["name"]), voyages)
    matches = {(match.used, match.how) for match in answer.mapped if match.given == row["name"]}
    if not row["match"]:
        assert answer.outcome == ("not_askable" if row["place"] == "relation" else "empty")
        assert not matches
        return
    assert answer.outcome == "answered"
    if row["how"] == "exact":
        assert not matches
    else:
        assert matches == {(row["match"], row["how"])}
