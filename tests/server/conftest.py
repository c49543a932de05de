"""The data of a test, alone: tests on the data packs keep theirs in the same database for a while."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.pages import BASE, MISSIONS, Browse
from support.web import AGENT_TOKEN, TOKEN

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.model.dataset import DatasetTuple
from trustuqa_neo4j.server.app import make_app
from trustuqa_neo4j.server.options import ServerOptions
from trustuqa_neo4j.server.workspace import open_workspace


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


@pytest.fixture
def browse(tuqa: TrustUQA, tmp_path: Path) -> Iterator[Browse]:
    """Makes a browser that has opened the printed address of a server with options."""
    with open_workspace(tmp_path / "uploads") as workspace:

        def make(**options: Any) -> TestClient:
            app = make_app(tuqa, ServerOptions(TOKEN, AGENT_TOKEN, **options), workspace)
            headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
            browser = TestClient(app, base_url=BASE, headers=headers)
            assert browser.get(f"/?token={TOKEN}", follow_redirects=False).status_code == 303
            return browser

        yield make


@pytest.fixture
def browser(films: TrustUQA, browse: Browse) -> TestClient:
    """A browser of a server with the films, which may teach."""
    return browse(allow_teach=True)


@pytest.fixture
def missions(tuqa: TrustUQA, tmp_path: Path) -> Path:
    """A table in a file, loaded as the dataset ``missions``."""
    path = tmp_path / "missions.csv"
    path.write_text(MISSIONS, encoding="utf-8")
    tuqa.load("table", path, dataset="missions")
    return path
