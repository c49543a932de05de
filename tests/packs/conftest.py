"""MetaQA as a whole, loaded once for all tests of a process; the replay of its queries asks it too."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.loading.request import LoadReport


@dataclass
class MetaQA:
    """The pack as Python reads it, its dataset, and the report of its load."""

    path: Path
    dataset: str
    report: LoadReport
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    tails: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    heads: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))


@pytest.fixture(scope="session")
def metaqa(client: TrustUQA, packs: Path) -> Iterator[MetaQA]:
    path, dataset = packs / "metaqa" / "kb.txt.gz", "replay of metaqa"
    pack = MetaQA(path, dataset, client.load("kg", path, dataset=dataset, embeddings=False))
    for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]:
        head, relation, tail = line.split("|")
        pack.facts.append((head, relation, tail))
        pack.tails[head, relation].add(tail)
        pack.heads[relation, tail].add(head)
    yield pack
    client.drop(dataset)
