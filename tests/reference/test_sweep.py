"""Random queries have the same answer by the engine and by the reference interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

from .sweep import Counts, run_queries
from .worlds import WORLDS

QUERIES_PER_WORLD = 200


def check(client: TrustUQA, kind: str, seeds: range, folder: Path) -> None:
    counts = Counts()
    for seed in seeds:
        run_queries(client, kind, seed, range(QUERIES_PER_WORLD), folder, counts)
    differences = "\n".join(map(str, counts.differences))
    assert not counts.differences, f"python -m reference.sweep repeats these:\n{differences}"
    # Most queries mean something that the page decides.
    assert sum(counts.unspecified.values()) < 0.15 * QUERIES_PER_WORLD * len(seeds)
    assert counts.outcomes["answered"] > 0.5 * QUERIES_PER_WORLD * len(seeds)


@pytest.mark.parametrize("kind", WORLDS)
def test_random_queries_have_the_same_answers(client: TrustUQA, kind: str, tmp_path: Path) -> None:
    check(client, kind, range(2), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", WORLDS)
def test_many_random_queries_have_the_same_answers(
    client: TrustUQA, kind: str, tmp_path: Path
) -> None:
    check(client, kind, range(2, 12), tmp_path)
