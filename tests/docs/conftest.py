"""The data that the pages ask."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.documentation import EXAMPLE
from support.shell import environment

from trustuqa_neo4j import Settings, TrustUQA


@pytest.fixture
def example(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> TrustUQA:
    """A client in a copy of the example's folder, where programs find the server too."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    return tuqa


@pytest.fixture
def apollo(example: TrustUQA) -> TrustUQA:
    """The datasets that the pages on the language ask."""
    options = {"mode": "append", "embeddings": False}
    example.load("kg", "apollo.tsv", "roles.tsv", dataset="apollo", **options)
    example.load("table", "missions.csv", dataset="apollo", **options)
    example.load("temporal-kg", "service.tsv", dataset="apollo", **options)
    example.load("kg", "sites.ttl", dataset="sites", **options)
    return example
