"""The data of a test, alone: tests on the data packs keep theirs in the same database for a while."""

from __future__ import annotations

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.model.dataset import DatasetTuple


@pytest.fixture
def tuqa(
    request: pytest.FixtureRequest, tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> TrustUQA:
    """A client that lists no dataset of other tests."""
    list_datasets = tuqa.datasets
    own = {"films"} if "films" in request.fixturenames else set()
    hidden = {dataset.name for dataset in list_datasets()} - own

    def list_own() -> DatasetTuple:
        return DatasetTuple(entry for entry in list_datasets() if entry.name not in hidden)

    monkeypatch.setattr(tuqa, "datasets", list_own)
    return tuqa
