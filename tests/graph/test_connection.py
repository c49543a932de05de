"""Connecting: what is refused and how, and that statements run as they stand in their files."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import bolt
import neo4j
import pytest

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.compiling import Program, Read, Row
from trustuqa_neo4j.errors import (
    AuthenticationFailed,
    DatabaseError,
    ReadOnlyServer,
    SchemaTooNew,
    SchemaTooOld,
    ServerTooOld,
    StatementFailed,
    TimedOut,
    UnknownDatabase,
    Unreachable,
    UsageError,
)
from trustuqa_neo4j.graph import schema, statements, vectors
from trustuqa_neo4j.graph.accepting import check_schema, check_version
from trustuqa_neo4j.graph.asynchronous import AsyncConnection
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.graph.translate import translated


def refused(settings: Settings) -> DatabaseError:
    with pytest.raises(DatabaseError) as caught:
        Connection.open(settings)
    assert caught.value.exit_code == 3
    return caught.value


def closed_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_nobody_there() -> None:
    uri = f"bolt://127.0.0.1:{closed_port()}"
    error = refused(Settings(uri=uri, password="x"))
    assert isinstance(error, Unreachable)
    assert uri in str(error)
    assert "NEO4J_URI" in str(error)


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7474", "127.0.0.1"])
def test_no_address(uri: str) -> None:
    error = refused(Settings(uri=uri, password="x"))
    assert isinstance(error, Unreachable)
    assert "addresses look like bolt://localhost:7687" in str(error)


def test_wrong_password_is_refused_and_not_shown(server: Settings) -> None:
    error = refused(replace(server, password="Sesame-42"))
    assert isinstance(error, AuthenticationFailed)
    assert "NEO4J_PASSWORD" in str(error)
    assert "Sesame-42" not in str(error)


def test_unknown_database(server: Settings) -> None:
    error = refused(replace(server, database="nowhere"))
    assert isinstance(error, UnknownDatabase)
    assert "nowhere" in str(error)
    assert "NEO4J_DATABASE" in str(error)


def test_a_server_that_says_it_is_too_old() -> None:
    with bolt.server("Neo4j/4.4.30") as uri:
        error = refused(Settings(uri=uri, password="x"))
    assert isinstance(error, ServerTooOld)
    assert "Neo4j 4.4.30" in str(error)
    assert "5.26" in str(error)


def test_a_server_with_no_protocol_in_common() -> None:
    with bolt.server("", bolt.NONE_IN_COMMON) as uri:
        error = refused(Settings(uri=uri, password="x"))
    assert isinstance(error, ServerTooOld | Unreachable)
    assert uri in str(error)


@pytest.mark.parametrize(
    ("agent", "fits"),
    [
        ("Neo4j/5.25.1", False),
        ("Neo4j/5.26.0", True),
        ("Neo4j/5.26.30", True),
        ("Neo4j/2026.08.1", True),
        ("Neo4j/5.27-aura", True),
        ("Neo4j/dev", True),
    ],
)
def test_versions(agent: str, fits: bool) -> None:
    if fits:
        assert check_version(agent, "") == agent.removeprefix("Neo4j/")
    else:
        with pytest.raises(ServerTooOld):
            check_version(agent, "")


def test_a_database_of_a_newer_version_is_left_alone() -> None:
    check_schema([], "")
    check_schema([{"version": schema.VERSION}], "")
    with pytest.raises(SchemaTooNew, match=f"version {schema.VERSION + 1}.*update trustuqa-neo4j"):
        check_schema([{"version": schema.VERSION + 1}], "bolt://here")


def test_a_database_of_too_old_a_version_is_told_to_be_loaded_again() -> None:
    with pytest.raises(SchemaTooOld, match=r"version 1, .* needs 2.*load the files again"):
        check_schema([{"version": 1}], "bolt://here")


def test_migrations_are_numbered_and_only_what_is_missing_is_done() -> None:
    assert [m.version for m in schema.MIGRATIONS] == list(range(schema.OLDEST, schema.VERSION + 1))
    assert schema.pending([]) == schema.MIGRATIONS
    assert schema.pending([{"version": schema.VERSION}]) == ()


def test_preparing_twice_is_preparing_once(tuqa: TrustUQA) -> None:
    tuqa.connection.prepare()
    tuqa.connection.prepare()
    assert tuqa.connection.read_one("schema_version") == [{"version": schema.VERSION}]


def test_ping_tells_the_version(tuqa: TrustUQA) -> None:
    assert re.match(r"\d+\.\d+", tuqa.ping())


def test_a_statement_that_takes_too_long_is_ended(films: TrustUQA) -> None:
    def program() -> Program[list[Row]]:
        while True:
            yield Read("relations", {"datasets": ["films"], "source": None})

    with pytest.raises(TimedOut, match="--timeout"):
        films.connection.read(program, timeout=0.2)


def test_what_the_server_refuses_is_told_with_its_code() -> None:
    error = neo4j.exceptions.Neo4jError._basic_hydrate(
        neo4j_code="Neo.ClientError.Statement.SyntaxError", message="Invalid input\nat line 1"
    )
    with pytest.raises(StatementFailed) as caught, translated("bolt://here"):
        raise error
    assert str(caught.value) == (
        "statement failed: Invalid input (Neo.ClientError.Statement.SyntaxError), bolt://here"
    )


def test_the_asynchronous_connection_reads_the_same(server: Settings, films: TrustUQA) -> None:
    def program() -> Program[list[Row]]:
        return (yield Read("relations", {"datasets": ["films"], "source": None}))

    async def read() -> list[Row]:
        connection = AsyncConnection.open(server)
        try:
            return await connection.read(program)
        finally:
            await connection.close()

    assert asyncio.run(read()) == films.connection.read(program)


def test_the_asynchronous_connection_translates_errors(server: Settings) -> None:
    async def ping() -> None:
        connection = AsyncConnection.open(replace(server, password="wrong"))
        try:
            await connection.ping()
        finally:
            await connection.close()

    with pytest.raises(AuthenticationFailed):
        asyncio.run(ping())


SAMPLE = {
    "nodes": [1], "relations": ["r"], "names": ["n"], "heads": [1], "tails": [2], "limit": 5,
    "version": 1, "files": ["f"], "sizes": [1], "hashes": ["h"], "facts": [["h", "r", "t", 1]],
    "file": 0, "position": 0, "vector": [1.0] * 26, "datasets": ["x"], "keys": ["k"], "states": ["s"],
    "patterns": ["k"], "embedded": ["x"], "fields": ["a=b"], "depth": 5, "replace": False,
    "labels": ["l"], "own": ["o"], "ids": [1], "properties": ["p"],
}  # fmt: skip
DEMONSTRATION = {
    "key": "k", "question": "q", "query": "x", "answers": ["a"], "source": "s", "fields": ["a=b"],
    "state": "verified", "why": "", "pattern": "k", "template": "t", "words": "w", "masked": "m",
}  # fmt: skip
WRITTEN: dict[str, dict[str, object]] = {
    "held_in": {"first": 1, "last": 2},
    "values_like": {"number": 1.0, "first": 1, "last": 2},
    "write_relations": {"relations": [["r", "r"]]},
    "write_sources": {"sources": [["s", "table", ["f"], ["r"]]]},
    "write_aliases": {"aliases": [[1, "a", "a"]]},
    "write_facts": {"groups": [["s", 0, "r", [], [[1, 2, 3]]]]},
    "facts_around": {"limit": 5},
    "sample_rows": {"sources": [["s", ["k"]]]},
    "declare_classes": {"classes": [["s", "c", "c", [], [], [], ""]]},
    "declare_properties": {"properties": [["s", "r", "r", [], [], None, [], [], [], [], ""]]},
    "alike_in_relations": {"sources": ["s"], "types": ["type"]},
    "write_vocabulary": {
        "sides": ["s"],
        "sizes": [1],
        "nameless": [0],
        "pairs": b"x",
        "counts": b"x",
    },
    "write_figures": {"figures": [["s", "r", {"facts": 1}, [1]]]},
    "write_vectors": {"vectors": [[1, [1.0]]]},
    "write_demonstrations": {"rows": [DEMONSTRATION]},
    "note_verdicts_of_demonstrations": {"rows": [DEMONSTRATION]},
    "write_patterns": {"rows": [DEMONSTRATION]},
    "write_pattern_vectors": {"vectors": [["k", [1.0]]]},
    "note_askable": {"threshold": 0.5, "share": 0.5, "precision": 0.5, "patterns": 1},
    "write_hyperedges": {"nodes": [["k", 1, "r", 2, "n"]]},
    **{
        f"write_{what}": {"nodes": [["k", "n", "f", 1.0, "u", 1, 2]]}
        for what in ("names", "nameless", "texts", "values", "rows")
    },
}
FOREIGN_RELATIONSHIPS = {"foreign_relationships", "foreign_relationships_out", "foreign_types"}
# No index serves these, and none need to: they read what there is few of, or all of another's database.
SMALL = {
    "NodeByLabelScan": {"bulk_target", "datasets", "embedder", "forget_embedder"},
    "AllNodesScan": {"foreign_labels", "foreign_nodes", *FOREIGN_RELATIONSHIPS},
    "AllRelationshipsScan": FOREIGN_RELATIONSHIPS,
}


@pytest.fixture
def films_with_index(films: TrustUQA) -> Iterator[TrustUQA]:
    """A statement that asks a vector index has no plan without one."""
    vectors.index(films.connection, 26)
    vectors.make(films.connection, 26, "index_pattern_vector", "index_pattern_vector_alone")
    yield films
    films.connection.write(lambda tx: tx.run("drop_pattern_vector").rows)
    films.connection.write(lambda tx: tx.run("drop_name_vector").rows)
    films.connection.write(lambda tx: tx.run("forget_embedder").rows)


# Servers from 2026.02 on can, the older ones are asked near_by_vector_alone and near_patterns_alone.
ASKED_OF_NEWER = {"near_by_vector", "near_patterns"}


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in statements.names()
        if not n.startswith(("constr", "index")) and n not in ASKED_OF_NEWER
    ],
)
def test_no_statement_scans(name: str, server: Settings, films: TrustUQA) -> None:
    """Every plan begins with an index or with node ids."""
    plan_begins_well(name, server)


@pytest.mark.parametrize("name", sorted(ASKED_OF_NEWER))
def test_no_statement_of_newer_servers_scans(
    name: str, server: Settings, films_with_index: TrustUQA
) -> None:
    if films_with_index.connection.filters_vectors:
        plan_begins_well(name, server)
    else:
        with pytest.raises(neo4j.exceptions.ClientError, match="cypher version"):
            plan_begins_well(name, server)


def plan_begins_well(name: str, server: Settings) -> None:
    found = statements.statement(name)
    given = {p: SAMPLE.get(p, "x") for p in found.parameters}
    given |= WRITTEN.get(name, {})
    assert server.uri is not None
    with (
        neo4j.GraphDatabase.driver(
            server.uri,
            auth=(server.username, server.password or ""),
            notifications_min_severity="OFF",
        ) as driver,
        driver.session(database=server.database) as session,
    ):
        plan = session.run("EXPLAIN " + found.text, given).consume().plan
    operators = _operators(plan) if plan else set()
    for scan in ("AllNodesScan", "NodeByLabelScan", "RelationshipTypeScan", "AllRelationshipsScan"):
        scanning = [operator for operator in operators if scan in operator]
        assert not scanning or name in SMALL.get(scan, set()), operators


def _operators(plan: dict[str, object]) -> set[str]:
    children = plan.get("children") or []
    assert isinstance(children, list)
    found = {str(plan["operatorType"]).split("@")[0]}
    return found.union(*(_operators(child) for child in children)) if children else found


def test_statements_are_sent_byte_for_byte(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(__file__).parents[2] / "cypher"
    files = {path.read_text(encoding="utf-8") for path in folder.glob("*.cypher")}
    sent: list[str] = []
    plain = neo4j.ManagedTransaction.run

    def noting(
        self: neo4j.ManagedTransaction, query: str, *given: object, **more: object
    ) -> object:
        sent.append(query)
        return plain(self, query, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(neo4j.ManagedTransaction, "run", noting)
    hostile = "x'}) DETACH DELETE n //"
    films.run(f"get_information(head_entity=\"{hostile}\", relation='{hostile[:1]}')", "films")
    films.run("get_information(head_entity='Alien', relation='directed by')", "films")
    assert len(sent) >= 4
    assert set(sent) <= files


@pytest.mark.parametrize(
    "code",
    [
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
        "Neo.ClientError.Security.Forbidden",
        "Neo.ClientError.Cluster.NotALeader",
    ],
)
def test_a_server_that_may_only_be_read(code: str) -> None:
    """Loading into one is refused with its own kind of error; what is loaded there can be asked."""
    error = neo4j.exceptions.Neo4jError._basic_hydrate(neo4j_code=code, message="no writing here")
    said = pytest.raises(ReadOnlyServer, match="no writing here, bolt://here, use ")
    with said as caught, translated("bolt://here"):
        raise error
    assert caught.value.exit_code == 3


def test_a_name_with_half_a_character_is_a_matter_of_usage() -> None:
    with (
        pytest.raises(UsageError, match=r"half a character.*\\udcff") as caught,
        translated("here"),
    ):
        "name \udcff".encode()
    assert caught.value.exit_code == 2
