"""Connecting: what is refused and how, and that statements run as they stand in their files."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import neo4j
import pytest
from support import bolt_server
from support.ports import closed_port

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.deadline import Cancellation, Deadline
from trustuqa_neo4j.errors import (
    AuthenticationFailed,
    Cancelled,
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
from trustuqa_neo4j.gate import MOST
from trustuqa_neo4j.graph import migrations, statements, vectors
from trustuqa_neo4j.graph.connection import (
    Connection,
    check_schema,
    check_version,
    translated,
)
from trustuqa_neo4j.loading import writer
from trustuqa_neo4j.reads.reader import Reader


def refused(settings: Settings) -> DatabaseError:
    with pytest.raises(DatabaseError) as caught:
        Connection.open(settings)
    assert caught.value.exit_code == 3
    return caught.value


def test_nobody_there() -> None:
    with closed_port() as port:
        uri = f"bolt://127.0.0.1:{port}"
        error = refused(Settings(uri=uri, password="x"))
    assert isinstance(error, Unreachable)
    assert uri in str(error)
    assert "NEO4J_URI" in str(error)


def test_after_a_lost_server_reads_try_once_until_it_is_back(server: Settings) -> None:
    connection = Connection.open(server)
    there = connection.driver
    lost = neo4j.GraphDatabase.driver("bolt://127.0.0.1:1")
    lost.close()
    with (
        there,
        closed_port() as port,
        neo4j.GraphDatabase.driver(
            f"bolt://127.0.0.1:{port}", max_transaction_retry_time=600
        ) as gone,
    ):
        for driver in (lost, gone):
            connection.driver = driver
            with pytest.raises(Unreachable):
                connection.read_one("get_schema_version")
        connection.driver = there
        assert isinstance(connection.read_one("get_schema_version"), list)


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
    with bolt_server.server("Neo4j/4.4.30") as uri:
        error = refused(Settings(uri=uri, password="x"))
    assert isinstance(error, ServerTooOld)
    assert "Neo4j 4.4.30" in str(error)
    assert "5.26" in str(error)


def test_a_server_with_no_protocol_in_common() -> None:
    with bolt_server.server("", bolt_server.NONE_IN_COMMON) as uri:
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
    check_schema([{"version": migrations.VERSION}], "")
    with pytest.raises(
        SchemaTooNew, match=rf"version {migrations.VERSION + 1}[^\n]*\nhint: update trustuqa-neo4j"
    ):
        check_schema([{"version": migrations.VERSION + 1}], "bolt://here")


def test_a_database_of_too_old_a_version_is_told_to_be_loaded_again() -> None:
    with pytest.raises(SchemaTooOld, match=r"(?s)version 1, .* needs 2.*load the files again"):
        check_schema([{"version": 1}], "bolt://here")


def test_migrations_are_numbered_and_only_what_is_missing_is_done() -> None:
    assert [m.version for m in migrations.MIGRATIONS] == list(
        range(migrations.OLDEST_VERSION, migrations.VERSION + 1)
    )
    assert migrations.list_pending([]) == migrations.MIGRATIONS
    assert migrations.list_pending([{"version": migrations.VERSION}]) == ()


def test_preparing_twice_is_preparing_once(tuqa: TrustUQA) -> None:
    tuqa.connection.prepare()
    tuqa.connection.prepare()
    (row,) = tuqa.connection.read_one("get_schema_version")
    assert row["version"] == migrations.VERSION


def test_ping_tells_the_version(tuqa: TrustUQA) -> None:
    assert re.match(r"\d+\.\d+", tuqa.ping())


def test_a_statement_that_takes_too_long_is_ended(films: TrustUQA) -> None:
    def read_for_ever(reader: Reader) -> None:
        while True:
            reader.run("list_relations", datasets=["films"], source=None)

    with pytest.raises(TimedOut, match="timeout"):
        films.connection.read(read_for_ever, timeout=0.2)


def test_what_the_server_refuses_is_told_with_its_code() -> None:
    error = neo4j.exceptions.Neo4jError._basic_hydrate(
        neo4j_code="Neo.ClientError.Statement.SyntaxError", message="Invalid input\nat line 1"
    )
    with pytest.raises(StatementFailed) as caught, translated("bolt://here"):
        raise error
    assert str(caught.value) == (
        "Invalid input (Neo.ClientError.Statement.SyntaxError), bolt://here"
    )


def test_a_read_that_is_cancelled_ends_on_the_server(films: TrustUQA) -> None:
    cancelled = Cancellation()
    started = threading.Event()

    def read_for_ever(reader: Reader) -> None:
        while True:
            reader.run("list_relations", datasets=["films"], source=None)
            started.set()

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(
            films.connection.read, read_for_ever, deadline=Deadline(300, cancelled)
        )
        assert started.wait(120)
        cancelled.set()
        with pytest.raises(Cancelled):
            reading.result(120)


def test_a_read_that_is_cancelled_before_it_begins_sends_nothing(films: TrustUQA) -> None:
    cancelled = Cancellation()
    cancelled.set()
    with pytest.raises(Cancelled):
        films.connection.read(
            lambda reader: pytest.fail("it was read"), deadline=Deadline(300, cancelled)
        )


def test_a_cancellation_just_before_the_transaction_does_not_wait_for_it(films: TrustUQA) -> None:
    cancelled = Cancellation()
    cancelled.set()
    with films.connection._terminated_at_cancel("none", cancelled):
        pass


def test_no_more_reads_run_at_once_than_there_are_places(films: TrustUQA) -> None:
    places = threading.Barrier(MOST + 1)
    release = threading.Event()

    def hold(reader: Reader) -> None:
        places.wait(120)
        release.wait(120)

    with ThreadPoolExecutor(MOST) as pool:
        holding = [pool.submit(films.connection.read, hold) for _ in range(MOST)]
        places.wait(120)
        with pytest.raises(TimedOut, match="no free place"):
            films.connection.read(lambda reader: None, timeout=0.1)
        release.set()
        for held in holding:
            held.result(120)
    assert films.connection.read(lambda reader: "free") == "free"


SAMPLE = {
    "nodes": [1], "named": [1], "others": [2],
    "relations": ["r"], "names": ["n"], "heads": [1], "tails": [2], "limit": 5,
    "version": 1, "files": ["f"], "sizes": [1], "hashes": ["h"], "facts": [["h", "r", "t", 1]],
    "file": 0, "position": 0, "vector": [1.0] * 26, "datasets": ["x"], "keys": ["k"], "states": ["s"],
    "patterns": ["k"], "with_facts": True, "fields": ["a=b"], "depth": 5, "replace": False,
    "labels": ["l"], "own": ["o"], "ids": [1], "properties": ["p"], "scanned": 5, "each": 5, "last": 1,
    "degree": 1, "public": {"x": "x"}, "adding": {"x": 5},
}  # fmt: skip
DEMONSTRATION = {
    "key": "k", "question": "q", "query": "x", "answers": ["a"], "source": "s", "fields": ["a=b"],
    "state": "verified", "why": "", "pattern": "k", "template": "t", "words": "w", "masked": "m",
}  # fmt: skip
WRITTEN: dict[str, dict[str, object]] = {
    "facts_valid_between": {"first": 1, "last": 2},
    "match_datasets": {
        "spans": ["n"],
        "stems": ["r"],
        "texts": {"x": "n"},
        "relations": 5,
        "names": 5,
    },
    "find_table_words": {"spans": ["n"], "texts": ["n"]},
    "find_values": {"number": 1.0, "first": 1, "last": 2},
    "bound_of_column": {"size": 3, "is_upper": True, "is_distinct": False},
    "graph_relation_values": {"is_upper": True},
    "copy_sources": {"without": ["s"]},
    "copy_facts": {"numbers": [[1, 2]]},
    "copy_declarations": {"without": ["s"]},
    "copy_records": {"without": ["s"]},
    "write_relations": {"relations": [["r", "r"]]},
    "write_sources": {"sources": [["s", "table", ["f"], ["r"]]]},
    "write_aliases": {"aliases": [[1, "a", "a"]]},
    "number_relations": {"pairs": [["s", "r"]]},
    "write_facts": {"groups": [[1, 0, "r", [], [[1, 2, 3]], False]]},
    "entity_neighbourhood": {"limit": 5},
    "write_synonyms": {"synonyms": [["a", "b", "name"]]},
    "delete_synonyms": {"phrases": ["a"]},
    "write_notes": {"notes": ["a"]},
    "delete_notes": {"notes": ["a"]},
    "nodes_by_name": {"names": [["a", "a"]]},
    "describe_sources": {"sources": ["s"]},
    "sample_rows": {"sources": [["s", ["k"]]]},
    "sample_heads": {"facts": 5},
    "write_class_declarations": {"classes": [["s", "c", "c", [], [], [], ""]]},
    "write_relation_declarations": {
        "properties": [["s", "r", "r", [], [], None, [], [], [], [], "", False]]
    },
    "characteristic_sets": {"sources": ["s"], "types": ["type"]},
    "write_join_statistics": {
        "sides": ["s"],
        "sizes": [1],
        "nameless": [0],
        "pairs": b"x",
        "counts": b"x",
    },
    "write_relation_statistics": {"figures": [["s", "r", {"facts": 1}, [1]]]},
    "class_sizes": {"sources": ["s"], "types": ["type"]},
    "set_class_labels": {"classes": [[1, "l"]], "types": ["type"]},
    "remove_class_labels": {"classes": [[1, "l"]], "types": ["type"]},
    "export_graph_nodes": {"types": ["type"]},
    "export_graph_relationships": {"types": ["type"]},
    "create_exported_nodes": {"nodes": [[["l"], {"name": "n"}]]},
    "create_exported_relationships": {"relationships": [[1, "r", 2, {"fee": 5}]]},
    "write_vectors": {"vectors": [[1, [1.0]]]},
    "find_mentions": {"columns": ["r"]},
    "resolve_names": {"steps": [["facts_from_heads", "n", "r"]]},
    "table_cells": {"columns": ["r"]},
    "facts_with_text": {"texts": ["t"], "operator": "contains"},
    "nodes_with_prefix": {"texts": ["t"]},
    "write_demonstrations": {"rows": [DEMONSTRATION]},
    "set_demonstration_states": {"rows": [DEMONSTRATION]},
    "write_patterns": {"rows": [DEMONSTRATION]},
    "near_patterns": {"keys": [["x", "k"]]},
    "write_pattern_vectors": {"vectors": [["k", [1.0]]]},
    "set_calibration": {"threshold": 0.5, "share": 0.5, "precision": 0.5, "patterns": 1},
    "write_qualified_facts": {"nodes": [["k", 1, "r", 2, "n"]]},
    **{
        f"write_{what}": {"nodes": [["k", "n", "f", 1.0, "u", 1, 2]]}
        for what in ("names", "nameless", "texts", "values", "rows")
    },
}
FOREIGN_RELATIONSHIPS = {
    "property_graph_relationships",
    "property_graph_relationships_left_out",
    "property_graph_types",
}
# No index serves these, and none need to: they read what there is few of, or all of another's database.
SMALL = {
    "NodeByLabelScan": {
        "list_database_contents",
        "list_datasets",
        "list_stored_names",
        "list_versions",
        "settle_nodes",
        "delete_hidden_nodes",
        "foreign_labels",
        "list_embedding_models",
        "set_embedding_model",
        "set_name_index_kind",
        "set_pattern_index_kind",
        "clear_embedding_model",
        "lock_schema",
        "migrate_relations",
    },
    "AllNodesScan": {
        "property_graph_labels",
        "property_graph_nodes",
        "count_exported_nodes",
        "delete_exported_nodes",
        *FOREIGN_RELATIONSHIPS,
    },
    "AllRelationshipsScan": FOREIGN_RELATIONSHIPS,
}


@pytest.fixture
def films_with_index(films: TrustUQA) -> Iterator[TrustUQA]:
    """A statement that asks a vector index has no plan without one."""
    vectors.index(films.connection, 0, 26)
    vectors.make(films.connection, 0, 26, "pattern")
    yield films
    films.connection.write(lambda tx: tx.run("drop_pattern_vector_index").rows)
    films.connection.write(lambda tx: tx.run("drop_name_vector_index").rows)
    films.connection.write(lambda tx: tx.run("clear_embedding_model", number=0).rows)


# Its index is dropped at the end of a migration.
OF_OLDER_VERSIONS = {"migrate_facts"}

# Servers from 2026.02 on run these, the older ones the statements called ``…_pre_2026``.
NODE_STATEMENTS = sorted(writer.NODE_STATEMENTS)
ASKED_OF_NEWER = {"nearest_names_by_vector", "patterns_by_vector"}


def test_nodes_that_are_certainly_new_are_created() -> None:
    """With the labels and properties that a merge would set."""
    for name in NODE_STATEMENTS:
        merge, create = (statements.get_statement(name + end).text for end in ("", statements.NEW))
        assert "MERGE" not in create
        assert "SET" not in create
        assert re.findall(r"row\[\d\]", merge) == re.findall(r"row\[\d\]", create)
        assert re.findall(r"\w+(?=(?: =|:) row)", merge) == re.findall(r"\w+(?=: row)", create)
        assert set(re.findall(r":[A-Z]\w+", merge)) == set(re.findall(r":[A-Z]\w+", create))


def test_lists_of_names_have_the_same_types_whether_empty_or_not(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the server plans the longest statement anew for each set of lists that are not empty."""
    shapes: list[dict[str, str]] = []
    send = neo4j.ManagedTransaction.run

    def run(self: neo4j.ManagedTransaction, text: Any, parameters: Any = None) -> neo4j.Result:
        if "$steps" in text:
            lists = ("relations", "names", "keys", "steps")
            shapes.append({name: str(_type_of(parameters[name])) for name in lists})
        return send(self, text, parameters)

    monkeypatch.setattr(neo4j.ManagedTransaction, "run", run)
    for query in (
        "get_information(relation='starring')",
        "get_information(head_entity='Alien')",
        "get_information(head_entity='Alien', relation='starring')",
    ):
        assert films.run(query, "films").outcome == "answered"
    assert len(shapes) >= 3
    assert all(shape == shapes[0] for shape in shapes)


def _type_of(value: Any) -> Any:
    return [_type_of(value[0])] if isinstance(value, list) and value else type(value).__name__


def test_what_stands_for_an_empty_list_names_nothing(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("No Name\tNo Name\tno name\n")
    tuqa.load("kg", path, dataset="d")
    parameters = statements.fill_empty_lists(
        "resolve_names",
        {"datasets": ["d"], "source": None, "relations": [], "names": [], "keys": [], "steps": []},
    )
    assert all(parameters[name] for name in ("relations", "names", "keys", "steps"))
    rows = tuqa.connection.read(lambda reader: reader.run("resolve_names", **parameters))
    assert {row["what"] for row in rows} == {"dataset"}
    filled = statements.fill_empty_lists("get_evidence", {"nodes": [], "facts": [], "public": {}})
    assert filled["nodes"]
    assert filled["facts"]
    del filled["public"]
    (evidence,) = tuqa.connection.read(lambda reader: reader.run("get_evidence", **filled))
    assert evidence == {"ids": [], "names": [], "rows": [], "facts": []}
    filled = statements.fill_empty_lists(
        "start_question", {"dataset": "d", "keys": [], "names": []}
    )
    assert filled["keys"]
    assert filled["names"]
    (start,) = tuqa.connection.read(lambda reader: reader.run("start_question", **filled))
    assert (start["demonstrations"], start["mentions"]) == ([], [])


def test_no_statement_scans(server: Settings, films: TrustUQA) -> None:
    """Every plan begins with an index or with node ids."""
    names = [
        name
        for name in statements.list_statements()
        if not name.startswith(("tuqa_", "create_"))
        and name not in ASKED_OF_NEWER | OF_OLDER_VERSIONS
    ]
    assert len(names) > 90
    names += [name + statements.HIDING for name in names if is_of_readers(name)]
    names += [name + statements.PENDING for name in names if name.startswith("write_")]
    names += [name + statements.NEW for name in NODE_STATEMENTS]
    with explain_session(server) as session:
        scans = {name: list_scans(name, session) for name in names}
    assert {name: scans[name] for name in names if scans[name]} == {}


def is_of_readers(name: str) -> bool:
    """Whether the statement has to hide what a load adds to a dataset meanwhile."""
    is_reading = not re.search(
        r"\b(MERGE|CREATE|DELETE|SET|REMOVE)\b", statements.get_statement(name).text
    )
    return is_reading and statements.is_hiding(name)


def test_statements_hide_each_node_and_fact_of_a_load_that_adds() -> None:
    names = [name for name in statements.list_statements() if is_of_readers(name)]
    assert len(names) > 45
    for name in names:
        hidden = statements.get_statement(name + statements.HIDING)
        assert hidden.parameters - statements.get_statement(name).parameters == {"adding"}
        body = re.sub(r"//[^\n]*", "", hidden.text)
        assert not re.search(r"\[\w*:(FACT|HAS)\]", body), name
        assert not re.search(r"\(\w*:(Node|Row|Alias|Source|Relation)(\s*\{[^}]*\})?\)", body), name


# These match records of datasets and what belongs to their names, or are asked with stored names alone.
OF_RECORDS = re.compile(
    r"\((\w*):(Node|Name|Row|Alias|Source|Relation|Class|Property|Vocabulary) ?\{dataset: (\$?\w+)"
)
OF_LOADS = {"get_load_state", "hidden_sources", "delete_source", "mark_source_dropping"}


def test_reading_statements_ask_for_stored_names() -> None:
    """Data that were loaded anew stand under another name than that of their dataset."""
    for name in statements.list_statements():
        statement = statements.get_statement(name)
        is_reading = not re.search(r"\b(MERGE|CREATE|DELETE|SET|REMOVE)\b", statement.text)
        if is_reading and name not in OF_LOADS and OF_RECORDS.search(statement.text):
            by_name = statement.parameters & {"dataset", "datasets"} - {*statement.stored}
            assert not by_name or name in ("describe_dataset", "list_datasets"), name


BY_DATASET_ALONE = re.compile(
    r"\((\w+):(Source|Relation|Class|Property|Node|Alias|Load|Demonstration|Pattern) "
    r"\{dataset: \$?\w+\}\)(?P<conditions>.*?)(?=\bMATCH\b|\bRETURN\b|\bWITH\b|\Z)",
    re.DOTALL,
)


def test_a_match_by_dataset_alone_names_the_second_key_of_the_index() -> None:
    """Only then is the index of (dataset, name) used; EXPLAIN shows no plan of subqueries."""
    texts = {name: statements.get_statement(name).text for name in statements.list_statements()}
    matches = [
        (name, match) for name, text in texts.items() for match in BY_DATASET_ALONE.finditer(text)
    ]
    assert len(matches) > 20
    scans = [
        (name, match[0])
        for name, match in matches
        if not re.search(rf"\b{match[1]}\.\w+ (IS NOT NULL|IN|[<>]?=|[<>])", match["conditions"])
    ]
    assert scans == []


def test_no_statement_of_newer_servers_scans(server: Settings, films_with_index: TrustUQA) -> None:
    for name in sorted(ASKED_OF_NEWER):
        with explain_session(server) as session:
            if films_with_index.connection.filters_vectors:
                assert list_scans(name, session) == [], name
            else:
                with pytest.raises(neo4j.exceptions.ClientError, match="cypher version"):
                    list_scans(name, session)


@contextmanager
def explain_session(server: Settings) -> Iterator[neo4j.Session]:
    assert server.uri is not None
    with (
        neo4j.GraphDatabase.driver(
            server.uri,
            auth=(server.username, server.password or ""),
            notifications_min_severity="OFF",
        ) as driver,
        driver.session(database=server.database) as session,
    ):
        yield session


def list_scans(name: str, session: neo4j.Session) -> list[str]:
    """The operators of a statement's plan that scan where they should not."""
    found = statements.get_statement(name)
    given = {p: SAMPLE.get(p, "x") for p in found.parameters}
    given |= WRITTEN.get(name.partition("+")[0], {})
    plan = session.run("EXPLAIN " + found.text, given).consume().plan
    operators = _operators(plan) if plan else set()
    return [
        operator
        for scan in (
            "AllNodesScan", "NodeByLabelScan", "RelationshipTypeScan", "AllRelationshipsScan",
        )
        for operator in operators
        if scan in operator and name.partition("+")[0] not in SMALL.get(scan, set())
    ]  # fmt: skip


def test_a_new_fact_is_compared_with_those_between_its_ends(
    server: Settings, films: TrustUQA
) -> None:
    """An index of the relation has all its facts: a load would take the square of their number."""
    text = statements.get_statement("write_facts").text
    with explain_session(server) as session:
        query = "CYPHER replan=force EXPLAIN " + text
        plan = session.run(query, WRITTEN["write_facts"]).consume().plan
    assert plan is not None
    reads = {operator for operator, details in _describe(plan) if "[existing:FACT" in details}
    assert reads == {"Expand(Into)"}


def _describe(plan: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield plan["operatorType"].split("@")[0], plan["args"].get("Details", "")
    for child in plan.get("children") or ():
        yield from _describe(child)


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
    said = pytest.raises(ReadOnlyServer, match="no writing here, bolt://here\nhint: use ")
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


def test_a_fault_of_what_is_read_is_not_one_of_the_address(server: Settings) -> None:
    def work(reader: Reader) -> None:
        reader.run("get_schema_version")
        raise ValueError("not enough values to unpack")

    connection = Connection.open(server)
    with connection.driver, pytest.raises(ValueError, match="to unpack"):
        connection.read(work)


def test_a_host_that_has_no_address_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="no such host"), translated("bolt://here"):
        raise ValueError("no such host") from OSError(-2, "unknown")
