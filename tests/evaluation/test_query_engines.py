"""SQL on DuckDB and SPARQL in a process of its own: what they find, refuse and give up."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support import released_files

from trustuqa_neo4j.errors import (
    InternalError,
    MalformedLine,
    MissingFile,
    StatementFailed,
    TimedOut,
)
from trustuqa_neo4j.evaluation import query_engines, query_process
from trustuqa_neo4j.evaluation.query_engines import (
    MAX_ROWS,
    SparqlEngine,
    SqlEngine,
    open_sparql,
    open_sql,
)
from trustuqa_neo4j.evaluation.sparql_patterns import read_sparql

PREFIX = f"PREFIX in: <{released_files.ACME_NAMESPACE}> "


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SqlEngine, SparqlEngine]]:
    root = released_files.acme(tmp_path_factory.mktemp("release")) / "ACME"
    with ExitStack() as stack:
        yield (
            stack.enter_context(open_sql(root / "DDL" / "small.ddl", root / "data")),
            stack.enter_context(open_sparql(root / "data", root / "ontology" / "insurance.ttl")),
        )


@pytest.fixture
def sql(engines: tuple[SqlEngine, SparqlEngine]) -> SqlEngine:
    return engines[0]


@pytest.fixture
def sparql(engines: tuple[SqlEngine, SparqlEngine]) -> SparqlEngine:
    return engines[1]


def test_values_of_tables(sql: SqlEngine) -> None:
    table = sql.run_query("SELECT number, closed, policy FROM CLAIM ORDER BY 1", 30)
    assert table.columns == ("number", "closed", "policy")
    assert table.rows == (("C-1", "2020-02-03 00:00:00", 1), ("C-2", None, 2))
    exact = sql.run_query("SELECT sum(premium), avg(premium) FROM policy", 30).rows
    assert [float(cell) for cell in exact[0]] == [30.5, 15.25]
    assert sql.run_query("WITH c AS (SELECT 1 AS n) SELECT n FROM c WHERE n > 1", 30).rows == ()


def test_values_of_a_graph(sparql: SparqlEngine) -> None:
    query = PREFIX + (
        "SELECT ?n ?d ?p { ?c in:claimNumber ?n ; in:against [ in:premium ?p ] "
        "OPTIONAL { ?c in:closed ?d FILTER(?d < '2021-01-01T00:00:00'^^xsd:dateTime) } } ORDER BY ?n"
    )
    table = sparql.run_query(query, 30)
    assert table.columns == ("n", "d", "p")
    assert table.rows == (("C-1", "2020-02-03T00:00:00", "10.5"), ("C-2", None, "20"))
    assert sparql.run_query(PREFIX + "ASK { ?c a in:Claim }", 30).rows == (("yes",),)
    assert sparql.run_query(PREFIX + "ASK { ?c a in:Shop }", 30).rows == (("no",),)


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        ("12", "integer"), ("-1.50", "decimal"), ("2020-02-03", "dateTime"),
        ("2020-02-03 10:00:00", "dateTime"), ("C-1", "string"), ("1,000", "string"),
    ],
)  # fmt: skip
def test_the_form_of_a_text_is_its_datatype(text: str, datatype: str) -> None:
    assert query_engines._make_literal(text).datatype.value.endswith(f"#{datatype}")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("DROP TABLE claim", "DROP, not one SELECT"),
        ("INSERT INTO claim VALUES (3, 'C-3', NULL, NULL) RETURNING id", "INSERT, not one SELECT"),
        ("SELECT 1; DELETE FROM claim", "SELECT and DELETE, not one SELECT"),
        ("COPY claim TO 'claims.csv'", "COPY, not one SELECT"),
        ("ATTACH 'claims.db'", "ATTACH, not one SELECT"),
        ("SET memory_limit = '9GB'", "SET, not one SELECT"),
        ("", "no statement, not one SELECT"),
        ("I cannot tell.", "cannot be run"),
        ("SELECT colour FROM claim", "cannot be run"),
        ("SELECT * FROM read_csv('Claim.csv')", "file system operations are disabled"),
        ("SELECT * FROM range(20000)", f"more than {MAX_ROWS:,} rows"),
    ],
)
def test_sql_that_is_refused(
    sql: SqlEngine, query: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StatementFailed, match=reason):
        sql.run_query(query, 30)
    assert not [*tmp_path.iterdir()]
    assert sql.run_query("SELECT count(*) FROM claim", 30).rows == ((2,),)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT ?x WHERE", "not a SELECT or ASK query"),
        ("SELECT ?n { ?c in:claimNumber ?n }", "the prefix in: is not declared"),
        ("SELECT ?x (SUM(?x) AS ?y) { ?c ?p ?x }", "cannot be run"),
        (
            "SELECT * { " + " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(4)) + " }",
            f"more than {MAX_ROWS:,} rows",
        ),
    ],
)
def test_sparql_that_is_refused(sparql: SparqlEngine, query: str, reason: str) -> None:
    with pytest.raises(StatementFailed, match=reason):
        sparql.run_query(query, 60)


def test_endless_queries_end(sql: SqlEngine, sparql: SparqlEngine) -> None:
    crossed = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(12))
    endless: list[tuple[SqlEngine | SparqlEngine, str]] = [
        (sql, "SELECT count(*) FROM range(100000000000) a, range(1000000) b"),
        (sparql, f"SELECT (COUNT(*) AS ?n) {{ {crossed} }}"),
    ]
    for engine, query in endless:
        started = time.monotonic()
        with pytest.raises(TimedOut, match="took longer than"):
            engine.run_query(query, 1.5)
        assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "query",
    [
        "SELECT repeat('x', 60000000)",
        "SELECT repeat('x', 10000) FROM range(9000)",
        "SELECT max(x) FROM (SELECT repeat('x', 900000) || range AS x FROM range(9000) ORDER BY 1)",
    ],
)
def test_large_results_and_sorts_are_given_up(sql: SqlEngine, query: str) -> None:
    with pytest.raises(StatementFailed, match=r"50,000,000 characters|[Mm]emory"):
        sql.run_query(query, 60)
    assert {path.name for path in sql.database.parent.iterdir()} == {sql.database.name}


@pytest.mark.skipif(sys.platform == "win32", reason="a process there has no such limits")
def test_the_process_calls_no_server(sparql: SparqlEngine) -> None:
    """Even if a query passes what reads it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        query = f"SELECT * {{ SERVICE <{address}> {{ ?a ?b ?c }} }}"
        with pytest.raises(StatementFailed, match="open files"):
            query_engines._run_process(30, triples=str(sparql.triples), query=query)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_the_process_has_the_packages_of_its_parent(
    sparql: SparqlEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "duckdb.py").write_text("raise ImportError('not this one')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InternalError, match=r"did not start \(ImportError: not this one"):
        sparql.run_query("ASK { ?s ?p ?o }", 60)


def test_a_process_that_ends_tells_no_path(
    sparql: SparqlEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "process.py"
    script.write_text("print(flush=True)\nraise SystemExit(3)")
    monkeypatch.setattr(query_process, "__file__", str(script))
    with pytest.raises(StatementFailed, match=r"\(its process ended with code [13]\)$"):
        sparql.run_query("ASK { ?s ?p ?o }", 60)


def test_a_query_is_parsed_once(sparql: SparqlEngine) -> None:
    query = PREFIX + "ASK { ?parsed a in:Claim }"
    parsed = read_sparql.cache_info().misses
    sparql.check_query(query)
    sparql.run_query(query, 30)
    assert read_sparql.cache_info().misses == parsed + 1


def test_a_process_that_dies_is_an_error(sparql: SparqlEngine, tmp_path: Path) -> None:
    lost = SparqlEngine(tmp_path / "no.nt", "", sparql.vocabulary, sparql.read_knowledge)
    with pytest.raises(StatementFailed, match="cannot be run"):
        lost.run_query("ASK { ?s ?p ?o }", 60)


def test_tables_that_do_not_load(tmp_path: Path) -> None:
    root = released_files.acme(tmp_path) / "ACME"
    for definitions, folder in ((root / "no.ddl", root / "data"), (root / "DDL", root / "DDL")):
        with pytest.raises(MissingFile, match="no definitions"), open_sql(definitions, folder):
            pass
    (root / "data" / "Policy.csv").write_text("id,number,premium\none,P-1,10\n")
    with pytest.raises(MalformedLine, match="cannot be loaded"):
        open_sql(root / "DDL" / "small.ddl", root / "data").__enter__()
