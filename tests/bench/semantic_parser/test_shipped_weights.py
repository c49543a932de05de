"""The shipped weights are what the scripts give: their fingerprints on small samples are made again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.semantic_parser.corpus import read_own_questions
from bench.semantic_parser.fingerprint import (
    Fingerprint,
    fingerprint_tables,
    make_digest,
    read_table_sample,
)
from bench.semantic_parser.graph import fingerprint_graphs, read_graph_sample
from bench.semantic_parser.graph_corpus import read_own_graph_questions
from trustuqa_neo4j.semantic_parser import features, ranker

SHIPPED: Mapping[str, Any] = json.loads(
    (Path(ranker.__file__).parent / ranker.WEIGHTS_FILE).read_text(encoding="utf-8")
)
REFIT = "fit again: python -m bench.semantic_parser, python -m bench.semantic_parser.graph"


def differences(kind: str, sample: str, fingerprint: Fingerprint) -> list[str]:
    return list(fingerprint.differences(SHIPPED[kind]["samples"][sample]))


def weights(kind: str) -> Mapping[str, float]:
    shipped: Mapping[str, float] = SHIPPED[kind]["weights"]
    return shipped


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_weights_are_as_the_script_wrote_them(kind: str) -> None:
    assert make_digest(SHIPPED[kind]) == SHIPPED[kind]["digest"], REFIT


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_a_digest_tells_of_one_weight(kind: str) -> None:
    name, weight = next(iter(weights(kind).items()))
    edited = {**SHIPPED[kind], "weights": {**weights(kind), name: weight + 0.001}}
    assert make_digest(edited) != SHIPPED[kind]["digest"]


@pytest.mark.long
def test_features_of_questions_over_tables_are_those_of_the_fit() -> None:
    fingerprint = fingerprint_tables(weights("table"), read_own_questions())
    assert differences("table", "own", fingerprint) == [], REFIT


def test_features_of_questions_over_graphs_are_those_of_the_fit() -> None:
    fingerprint = fingerprint_graphs(weights("graph"), read_own_graph_questions())
    assert differences("graph", "own", fingerprint) == [], REFIT


def test_a_changed_feature_and_a_changed_weight_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case for case in read_own_questions() if case.table.name == "rainfall.csv"]
    shipped = vars(fingerprint_tables(weights("table"), cases))
    assert list(fingerprint_tables(weights("table"), cases).differences(shipped)) == []
    other = {**weights("table"), "output column named": 0.0}
    assert [
        text.partition(":")[0] for text in fingerprint_tables(other, cases).differences(shipped)
    ] == ["probability"]
    monkeypatch.setattr(features, "NUMBER_KINDS", frozenset(("how much",)))
    named = list(fingerprint_tables(weights("table"), cases).differences(shipped))
    assert any(text.startswith("feature 'how many: number'") for text in named), named


@pytest.mark.packs
@pytest.mark.long
def test_a_fit_on_questions_over_tables_of_a_pack_gives_what_it_gave(packs: Path) -> None:
    fingerprint = fingerprint_tables(weights("table"), read_table_sample(packs))
    assert differences("table", "packs", fingerprint) == [], REFIT


@pytest.mark.packs
@pytest.mark.long
def test_a_fit_on_questions_over_graphs_of_packs_gives_what_it_gave(packs: Path) -> None:
    fingerprint = fingerprint_graphs(weights("graph"), read_graph_sample(packs))
    assert differences("graph", "packs", fingerprint) == [], REFIT
