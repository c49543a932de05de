"""A ``neo4j://`` address: the routing table of the server itself, bookmarks, and attempts after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import neo4j
import pytest
from support.homes import start_own_server

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.embedded import EmbeddedServer, ensure_running
from trustuqa_neo4j.errors import StatementFailed
from trustuqa_neo4j.graph.connection import Connection


def make_routed(server: Settings) -> Settings:
    assert server.uri is not None
    return replace(server, uri=server.uri.replace("bolt://", "neo4j://"))


@pytest.fixture
def routed(server: Settings) -> Iterator[TrustUQA]:
    with TrustUQA.connect(make_routed(server)) as tuqa:
        yield tuqa


def test_what_is_loaded_by_a_routing_address_is_asked_by_it(
    routed: TrustUQA, tmp_path: Path
) -> None:
    assert isinstance(routed.connection.driver, neo4j.Neo4jDriver)
    assert routed.connection.bookmarks is not None
    medals = tmp_path / "medals.csv"
    medals.write_text("Nation,Gold\nFrance,16\nJapan,20\n", encoding="utf-8")
    before = routed.connection.bookmarks.get_bookmarks()
    routed.load(medals)
    assert routed.connection.bookmarks.get_bookmarks() != before
    answer = routed.ask("Which nation won the most gold?", dataset="medals")
    assert answer.values == ("Japan",)
    routed.drop("medals")


def test_a_read_begins_with_the_bookmarks(routed: TrustUQA) -> None:
    connection = routed.connection
    assert connection.bookmarks is not None
    connection.bookmarks.update_bookmarks(connection.bookmarks.get_bookmarks(), ["no bookmark"])
    with pytest.raises(StatementFailed, match="InvalidBookmark"):
        connection.read_one("get_schema_version")


def test_the_routing_table_names_the_server_for_all(server: Settings) -> None:
    connection = Connection.open(make_routed(server))
    with connection.driver as driver, driver.session() as session:
        (row,) = session.run("CALL dbms.routing.getRoutingTable({})")
        asked = driver.get_server_info().address
    assert {entry["role"] for entry in row["servers"]} == {"READ", "ROUTE", "WRITE"}
    for entry in row["servers"]:
        assert entry["addresses"] == [f"{asked.host}:{asked.port}"]


def test_an_address_of_one_server_needs_no_bookmarks(server: Settings) -> None:
    connection = Connection.open(server)
    with connection.driver:
        assert connection.bookmarks is None


@pytest.mark.long
@pytest.mark.embedded
def test_a_write_is_tried_again_until_the_server_is_back(tmp_path: Path) -> None:
    with start_own_server(tmp_path) as own:
        connection = Connection.open(make_routed(own))
        with connection.driver, ThreadPoolExecutor() as pool:
            embedded = EmbeddedServer.from_settings(replace(own, uri=None))
            embedded.stop()
            start = pool.submit(ensure_running, replace(own, uri=None))
            connection.write(lambda transaction: transaction.run("create_schema_lock"))
            start.result()
