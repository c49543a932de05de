"""A server for the tests of what belongs to a whole server: its numbers of facts and its schema version."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.homes import start_own_server

from trustuqa_neo4j import Settings, TrustUQA


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A server without the datasets of other tests."""
    with start_own_server(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="package")
def client(server: Settings) -> Iterator[TrustUQA]:
    with TrustUQA.connect(server) as client:
        yield client
