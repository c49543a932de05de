"""Queries made wrong on purpose: what the check must find of them at least, and never refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.mutations import corpora
from bench.mutations.corpora import Corpus
from bench.mutations.measure import MeasurementOptions, measure_corpus
from bench.mutations.operators import CorrectQuery
from bench.mutations.report import MutationReport, make_report
from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.loading.request import Progress

pytestmark = [pytest.mark.packs, pytest.mark.long]

SEED = 3
EVERY = 5
MUTANTS = 200
FLOORS = {"all": 80.0, "structural": 96.0}
"""Percent of the mutants in this sample that are caught, by either vocabulary."""


@pytest.fixture(scope="module")
def found(client: TrustUQA, packs: Path) -> Iterator[tuple[Corpus, MutationReport]]:
    before = {each.name for each in client.datasets()}
    with corpora.open_acme(client, packs, Progress()) as (ground, outline):
        assert len(ground.origins) == 34
        some = replace(ground, origins=ground.origins[::EVERY])
        yield (
            some,
            make_report(
                measure_corpus(client, some, outline, MeasurementOptions(SEED, MUTANTS)), examples=3
            ),
        )
    left = {each.name for each in client.datasets()} - before
    assert left == set(ground.vocabularies.values())
    for name in left:
        client.drop(name)


@pytest.mark.parametrize("check", ["ontology", "inferred"])
def test_most_mutants_are_caught(found: tuple[Corpus, MutationReport], check: str) -> None:
    _, told = found
    for row in (told.total(), told.total(structural=True)):
        assert 100 * row.share(check) >= FLOORS[row.operator], told.examples
    assert told.total().n > MUTANTS // 2
    assert told.macro(check) > told.macro()


@pytest.mark.parametrize("check", ["ontology", "inferred"])
def test_nothing_right_is_refused_or_doubted(
    found: tuple[Corpus, MutationReport], check: str
) -> None:
    ground, told = found
    kinds = {each.kind: each.n for each in told.right}
    assert kinds["originals"] >= len(ground.origins)
    assert {"renamed columns", "other root", "inverse relation", "truly empty"} <= kinds.keys()
    assert told.false_positives(check) == 0


def test_every_operator_makes_mutants_that_count(found: tuple[Corpus, MutationReport]) -> None:
    _, told = found
    assert {row.operator for row in told.rows if row.n} >= {
        "direction", "any relation", "same domain", "parallel path", "wrong class", "dropped hop",
        "extra hop", "invented relation", "hallucinated value", "identifier output",
        "dropped column", "wrong aggregate", "type fault", "broken reference", "two at once",
    }  # fmt: skip


def test_right_queries_have_answers(found: tuple[Corpus, MutationReport]) -> None:
    _, told = found
    assert told.left_out == {}


def test_programs_of_ones_own(client: TrustUQA, tmp_path: Path) -> None:
    facts = tmp_path / "films.tsv"
    facts.write_text(
        "head\trelation\ttail\nAlien\tdirector\tScott\nAlien\tyear\t1979\nHeat\tdirector\tMann\n"
        "Heat\tyear\t1995\nScott\tborn in\tSouth Shields\nMann\tborn in\tChicago\n",
        encoding="utf-8",
    )
    programs = tmp_path / "programs.jsonl"
    programs.write_text(
        '{"id": "1", "query": "get_information(head_entity=\'Alien\', relation=\'director\')"}\n'
        '{"id": "2", "query": "get_information(head_entity=\'Nobody\', relation=\'director\')"}\n',
        encoding="utf-8",
    )
    client.load("kg", facts, dataset="films to mutate", embeddings=False)
    try:
        with corpora.open_file(client, "films to mutate", programs, Progress()) as found:
            ground, outline = found
            assert ground.origins[0] == CorrectQuery(
                "1", "get_information(head_entity='Alien', relation='director')"
            )
            told = make_report(measure_corpus(client, ground, outline, MeasurementOptions()))
    finally:
        client.drop("films to mutate")
    assert told.left_out == {"empty itself": 1}
    (turned,) = [row for row in told.rows if row.operator == "direction"]
    assert (turned.n, turned.baseline) == (1, 1)
    assert not [each.name for each in client.datasets() if each.name.startswith("films")]
