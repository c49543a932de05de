"""Our programs for ACME: over its tables, and over larger and rougher instances of them.

What is wanted of an instance is what the pack's own SQL finds in it. On odd rows SQL and SPARQL of a
question say different things; a program then says what one of the two does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import acme_instances

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.evaluation import acme
from trustuqa_neo4j.evaluation import packs as files
from trustuqa_neo4j.evaluation.metrics import TableRows, compare_tables
from trustuqa_neo4j.evaluation.results_file import ResultLine
from trustuqa_neo4j.evaluation.runner import RunOptions, load_dataset, run_cases

pytestmark = pytest.mark.packs

DATASET = "an instance of acme"
SEEDS = (1, 2)
MERGING = (
    "IQ_ecee6bdd5000afd4300d0fff6df1fde6",
    "IQ_adff0403ac3869fc65982c5efd682455",
    "IQ_5b813c2c3d7949916d33976f2da518a0",
    "IQ_03fc5a5571db11254049e240e015fb80",
)
"""Programs that leave columns out by grouping, which makes one row of equal ones."""


@pytest.fixture
def dataset(client: TrustUQA) -> Iterator[str]:
    yield DATASET
    if any(each.name == DATASET for each in client.datasets()):
        client.drop(DATASET)


def differing(client: TrustUQA, pack: Path, folder: Path, *ways: str) -> set[str]:
    """The questions whose program finds in an instance what none of SQL and SPARQL does, as wished."""
    client.load(
        "r2rml", folder / "data", folder / "ontology" / "insurance.ttl",
        dataset=DATASET, mode="replace", embeddings=False,
    )  # fmt: skip
    tables, graph = acme_instances.database(folder), acme_instances.graph(folder)
    texts = {record.text("id"): record for record in files.read_records(pack / "questions.jsonl")}
    found: set[str] = set()
    for case in acme.BENCHMARK.prepare(pack, None).cases:
        answer = client.run(case.query, DATASET)
        assert answer.outcome in ("answered", "empty"), (case.id, answer.problems)
        wanted: dict[str, TableRows] = {
            "sql": acme_instances.wanted(tables, texts[case.id].texts("sql")[0]),
            "sparql": acme_instances.meant(graph, texts[case.id].texts("sparql")[0]),
        }
        given = answer.table[1]
        if not any(same(wanted[way], given, case.id in MERGING) for way in ways):
            found.add(case.id)
    return found


def same(wanted: TableRows, given: TableRows, merging: bool) -> bool:
    """Whether the rows are the same; those of a program that merges, each once."""
    if merging:
        wanted, given = (acme_instances.once(rows) for rows in (wanted, given))
    return compare_tables(wanted, given) == "same"


def test_sql_finds_the_rows_that_are_wanted(packs: Path) -> None:
    pack = packs / "acme"
    tables, graph = acme_instances.database(pack), acme_instances.graph(pack)
    cases = {case.id: case for case in acme.BENCHMARK.prepare(pack, None).cases}
    for record in files.read_records(pack / "questions.jsonl"):
        wanted = cases[record.text("id")].rows
        for sql in record.texts("sql"):
            assert compare_tables(wanted, acme_instances.wanted(tables, sql)) == "same"
        for sparql in record.texts("sparql"):
            assert compare_tables(wanted, acme_instances.meant(graph, sparql)) == "same"


def test_over_the_tables(client: TrustUQA, packs: Path, dataset: str) -> None:
    benchmark = acme.BENCHMARK.tables
    assert benchmark is not None
    prepared = benchmark.prepare(packs / "acme", None)
    lines: list[ResultLine] = []
    load_dataset(client, benchmark, packs / "acme", dataset, embeddings=False)
    run_cases(client, prepared, prepared.cases, RunOptions(dataset), lines.append)
    assert {line.id: line.outcome for line in lines if not line.scores["exact"]} == {}
    assert len(lines) == 34


@pytest.mark.long
@pytest.mark.usefixtures("dataset")
@pytest.mark.parametrize("seed", SEEDS)
def test_instances(seed: int, client: TrustUQA, packs: Path, tmp_path: Path) -> None:
    folder = acme_instances.instance(packs / "acme", tmp_path / "acme", seed)
    assert differing(client, packs / "acme", folder, "sql") == set()


@pytest.mark.long
@pytest.mark.usefixtures("dataset")
@pytest.mark.parametrize("odd", acme_instances.ODD)
def test_odd_instances(odd: str, client: TrustUQA, packs: Path, tmp_path: Path) -> None:
    """SQL and SPARQL differ on these rows; a program may follow either."""
    folder = acme_instances.instance(packs / "acme", tmp_path / "acme", SEEDS[0], [odd])
    assert differing(client, packs / "acme", folder, "sql", "sparql") == set()
