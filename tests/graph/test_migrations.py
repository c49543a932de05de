"""Preparing a database, which several processes may do at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import neo4j
import pytest

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.graph import migrations
from trustuqa_neo4j.graph.connection import Connection


def test_several_may_prepare_a_fresh_database_at_once(
    server: Settings, client: TrustUQA, caplog: pytest.LogCaptureFixture
) -> None:
    """The schema is taken away and made again by four at a time; they wait for each other.

    Where they collide, the server can leave an index that is never online, and the driver logs that it
    repeats a transaction.

    """
    for _ in range(3):
        _undo(server)
        connections = [Connection.open(server) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(Connection.prepare, connections))
        for connection in connections:
            connection.close()
        (row,) = client.connection.read_one("get_schema_version")
        assert row["version"] == migrations.VERSION
    assert caplog.messages == []


def _undo(server: Settings) -> None:
    assert server.uri is not None
    with neo4j.GraphDatabase.driver(
        server.uri, auth=(server.username, server.password or "")
    ) as driver:
        driver.execute_query("MATCH (s:Schema) REMOVE s.version")
        for kind, kinds in (("CONSTRAINT", "CONSTRAINTS"), ("INDEX", "INDEXES")):
            rows = driver.execute_query(f"SHOW {kinds} YIELD name WHERE name STARTS WITH 'tuqa'")
            for row in rows.records:
                driver.execute_query(f"DROP {kind} {row['name']} IF EXISTS")
