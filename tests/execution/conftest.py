"""The small world of these tests: tables, graphs with homonyms, times and qualifiers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

WORLD = Path(__file__).parents[1] / "samples" / "world"
DATASETS = {
    "tables": ("table", "clubs.csv", "scorers.csv"),
    "people": ("webqsp", "kb.tsv", "names.tsv", "aliases.tsv"),
    "offices": ("temporal-kg", "offices.tsv"),
    "prizes": ("kg", "prizes.tsv"),
    "flags": ("kg", "flags.tsv"),
    "goals": ("kg", "goals.tsv", "report.tsv"),
    "towns": ("kg", "towns.tsv"),
    "ships": ("kg", "ships.tsv"),
}
"""Dataset → its format and files; sources are called by the files' names."""


def load(client: TrustUQA) -> None:
    """Load all of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(WORLD)
        for dataset, (format_, *files) in DATASETS.items():
            client.load(format_, *files, dataset=dataset)


@pytest.fixture(scope="module")
def world(client: TrustUQA) -> Iterator[TrustUQA]:
    """A client of a server that holds the world."""
    load(client)
    yield client
    for dataset in DATASETS:
        client.drop(dataset)
