"""``neo4j``: property graphs of a real server: keys, names, facts, intervals, and what is refused and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import neo4j
import pytest
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time
from support.items import facts, items, things
from support.shell import Command

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import (
    AuthenticationFailed,
    UnknownDatabase,
    Unreachable,
    UnreadableDatabase,
    UsageError,
)
from trustuqa_neo4j.graph import property_graph
from trustuqa_neo4j.graph.property_graph import OWN_LABELS, Address, convert_value
from trustuqa_neo4j.graph.statements import get_statement, list_statements
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
    ValidTime,
)

LABELS = "PgFilm,PgPerson,PgPlace"
MADE = """
CREATE (a:PgFilm {id: 1, title: 'Alien', year: 1979, tags: ['horror', 'space'], odd: ''}),
       (h:PgFilm {id: 2, title: 'Heat', year: 1995, score: 8.0, seen: true}),
       (s:PgPerson:PgDirector {uid: 'rs', name: 'Ridley Scott', born: date('1937-11-30')}),
       (m:PgPerson {uid: 'mm', name: 'Michael Mann'}),
       (x:PgPerson {name: 'Nobody'}),
       (p:PgPlace {at: point({longitude: 12.5, latitude: 41.9}), scan: [1.5, 2.0]}),
       (o:PgOther {name: 'elsewhere'}),
       (s)-[:DIRECTED {fee: 5, tags: ['a', 'b'], note: ' '}]->(a), (m)-[:DIRECTED]->(h),
       (s)-[:LIVED_IN {from: 1990, to: date('1999-05-01'), as: 'guest'}]->(p),
       (m)-[:LIVED_IN {since: '2001-03'}]->(p),
       (x)-[:LIVED_IN {from: 'Kiel', to: 'Rome'}]->(p),
       (m)-[:KNOWS {validFrom: 2005, valid_to: 2003}]->(s),
       (a)-[:IN]->(o)
"""
BY_ELEMENT = "1 nodes of label {} that no property tells apart, identified by their element id"

Query = Callable[..., list[neo4j.Record]]


@pytest.fixture(scope="module")
def query(server: Settings) -> Iterator[Query]:
    """Runs text in the server, which nothing in the package can."""
    assert server.uri is not None
    auth = (server.username, server.password or "")
    with neo4j.GraphDatabase.driver(server.uri, auth=auth) as driver:

        def run(text: str, **parameters: Any) -> list[neo4j.Record]:
            return driver.execute_query(text, parameters, database_=server.database).records  # type: ignore[arg-type]

        yield run


@pytest.fixture
def small_graph(query: Query) -> Iterator[Query]:
    """A small property graph, in the same database as everything else."""
    query(MADE)
    query("CREATE CONSTRAINT pg_uid FOR (p:PgPerson) REQUIRE p.uid IS UNIQUE")
    yield query
    query("DROP CONSTRAINT pg_uid")
    query("MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH 'Pg') DETACH DELETE n")


def address(server: Settings, labels: str = LABELS, password: str | None = None) -> str:
    assert server.uri is not None
    scheme, _, host = server.uri.partition("://")
    secret = quote(server.password or "" if password is None else password, safe="")
    query = f"?labels={labels}" if labels else ""
    return f"{scheme}://{server.username}:{secret}@{host}/{server.database or 'neo4j'}{query}"


def read(server: Settings, labels: str = LABELS, options: ReadOptions | None = None) -> list[Item]:
    return items("neo4j", [File(Path("pg"), "pg", address(server, labels))], options)


def test_what_is_read(server: Settings, small_graph: Query, tuqa: TrustUQA) -> None:
    options = ReadOptions()
    result = read(server, options=options)
    place = f"{(server.uri or '').partition('://')[2]}/{server.database or 'neo4j'}"
    ids = {
        row["name"]: row["id"]
        for row in small_graph(
            "MATCH (n) RETURN coalesce(n.name, n.scan[0]) AS name, elementId(n) AS id"
        )
    }
    alien, heat = f"PgFilm\x1fid:1\x1f@{place}", f"PgFilm\x1fid:2\x1f@{place}"
    scott, mann = (f"PgPerson\x1fuid={uid}\x1f@{place}" for uid in ("rs", "mm"))
    nobody = f"PgPerson\x1felementId={ids['Nobody']}\x1f@{place}"
    rome = f"PgPlace\x1felementId={ids[1.5]}\x1f@{place}"
    labels = ["PgDirector", "PgFilm", "PgPerson", "PgPlace"]
    assert result[0] == SourceStart("pg", "pg", "kg")
    assert result[1:9] == [
        item for label in labels for item in (ClassDeclared(label), NodeDeclared(label, label))
    ]
    people = ("PgDirector", "PgPerson")
    assert result[9:12] == [
        RelationDeclared("DIRECTED", (people,), (("PgFilm",),), False),
        RelationDeclared("KNOWS", (("PgPerson",),), (people,), False),
        RelationDeclared("LIVED_IN", (people,), (("PgPlace",),), False),
    ]
    declared = {item.name: item for item in result[12:] if isinstance(item, RelationDeclared)}
    # Those of relationships have no class.
    assert declared["year"] == RelationDeclared("year", (("PgFilm",),), values=True)
    assert declared["name"] == RelationDeclared("name", (("PgDirector", "PgPerson"),), values=True)
    assert declared["tags"] == RelationDeclared("tags", values=True)
    assert declared["fee"] == RelationDeclared("fee", values=True)
    named = {thing.key: thing.name for thing in things(result).values() if "\x1f" in thing.key}
    assert named == {
        alien: "Alien", heat: "Heat", scott: "Ridley Scott", mann: "Michael Mann", nobody: "Nobody",
        rome: None,
    }  # fmt: skip
    told_of = {(f.head, f.relation, f.tail) for f in facts(result) if not f.relation.isupper()}
    assert told_of == {
        (alien, "type", "PgFilm"), (alien, "id", "1"), (alien, "year", "1979"),
        (alien, "tags", "horror"), (alien, "tags", "space"), (alien, "odd", ""),
        (heat, "type", "PgFilm"), (heat, "id", "2"), (heat, "year", "1995"),
        (heat, "score", "8"), (heat, "seen", "true"),
        (scott, "type", "PgPerson"), (scott, "type", "PgDirector"), (scott, "uid", "rs"),
        (scott, "born", "1937-11-30"),
        (mann, "type", "PgPerson"), (mann, "uid", "mm"),
        (nobody, "type", "PgPerson"),
        (rome, "type", "PgPlace"), (rome, "at", "POINT (12.5 41.9)"), (rome, "scan", "1.5"),
        (rome, "scan", "2"),
    }  # fmt: skip
    related = {
        (f.head, f.relation, f.tail): (f.held, f.qualifiers)
        for f in facts(result)
        if f.relation.isupper()
    }
    assert related == {
        (scott, "DIRECTED", alien): (None, (("fee", "5"), ("tags", "a"), ("tags", "b"))),
        (mann, "DIRECTED", heat): (None, ()),
        (scott, "LIVED_IN", rome): (
            ValidTime(19900101, 19990501, "1990", "1999-05-01"),
            (("as", "guest"),),
        ),
        (mann, "LIVED_IN", rome): (ValidTime(20010301, 10**11, "2001-03"), ()),
        (nobody, "LIVED_IN", rome): (None, (("from", "Kiel"), ("to", "Rome"))),
        (mann, "KNOWS", scott): (ValidTime(20030101, 20051231, "2005", "2003"), ()),
    }
    assert {fact.line for fact in facts(result)} == set(range(1, 13))
    assert options.remarks.keys() == {
        "constraints, indexes and the order of relationships are not loaded",
        "1 relationships with nodes of labels that are not read, left out",
        BY_ELEMENT.format("PgPerson"),
        BY_ELEMENT.format("PgPlace"),
        "points, stored as text without their coordinate system",
        "the end precedes the start",
    }
    assert options.remarks["points, stored as text without their coordinate system"].places == [
        "at (1)"
    ]
    assert result == read(server)


def test_nodes_with_many_relationships(
    server: Settings, small_graph: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their relationships come one by one."""
    whole = read(server)
    monkeypatch.setattr(property_graph, "MAX_DEGREE", 1)
    assert read(server) == whole


def test_what_tells_nodes_apart(server: Settings, small_graph: Query) -> None:
    """A property of all nodes of a label that differs, of those usual; else the database's own id."""
    small_graph(
        "UNWIND range(1, 2) AS n CREATE (:PgA {id: 1, uuid: 'u' + n}), (:PgB {id: n, key: 1}), "
        "(:PgC {key: [n]}), (:PgD {uuid: CASE n WHEN 1 THEN 1 END}), (:PgE:PgA {id: 1, uuid: 'e' + n})"
    )
    keys = [thing.key.rpartition("\x1f")[0] for thing in things(read(server, "PgA,PgB,PgC,PgD")).values()
            if "\x1f" in thing.key]  # fmt: skip
    identified = sorted(key for key in keys if "elementId" not in key)
    assert identified == [
        "PgA\x1fuuid=e1", "PgA\x1fuuid=e2", "PgA\x1fuuid=u1", "PgA\x1fuuid=u2", "PgB\x1fid:1",
        "PgB\x1fid:2",
    ]  # fmt: skip
    assert len(keys) == 10


def test_nodes_without_labels(server: Settings, query: Query) -> None:
    """Relations from or to them are declared without what they lead from or to."""
    query(
        "CREATE ({pg: 'a', id: 'u-1'})-[:PG_R]->(:PgX {id: 1}), (:PgX {id: 2})-[:PG_R]->(:PgX {id: 3})"
    )
    try:
        result = read(server, "")
        assert RelationDeclared("PG_R", (), (("PgX",),), False) in result
        (own_fact,) = (f for f in facts(result) if f.relation == "pg")
        assert own_fact.tail == "a"
        assert not [f for f in facts(result) if f.head == own_fact.head and f.relation == "type"]
    finally:
        query("MATCH (n) WHERE n.pg = 'a' OR n:PgX DETACH DELETE n")


def test_our_own_nodes_are_none_of_it(
    server: Settings, small_graph: Query, films: TrustUQA
) -> None:
    result = read(server, "")
    assert not set(OWN_LABELS) & {item.name for item in result if isinstance(item, ClassDeclared)}
    assert not [f for f in facts(result) if f.relation in ("FACT", "dataset", "folded")]
    with pytest.raises(UnreadableDatabase, match=r"no node to read, pg\nhint: check"):
        read(server, "Node,Dataset")


def test_our_own_labels_are_all_known() -> None:
    import re

    written = {
        label
        for name in list_statements()
        if not name.startswith("foreign")
        for label in re.findall(r"\(\w*:([A-Z]\w+)", get_statement(name).text)
    }
    assert written <= set(OWN_LABELS)


def test_loaded_and_asked(server: Settings, small_graph: Query, tuqa: TrustUQA) -> None:
    address_text = address(server)
    report = tuqa.load("neo4j", address_text, dataset="pg", embeddings=False)
    dry = tuqa.load("neo4j", address_text, dataset="pg", dry_run=True, embeddings=False)
    assert report.facts == dry.facts == 34  # those that stand for qualifiers included
    expression = "get_information(head_entity='Ridley Scott', relation='DIRECTED')"
    answer = tuqa.run(expression, "pg")
    assert answer.values == ("Alien",)
    (evidence,) = answer.evidence
    assert evidence.file is not None
    assert ":***@" in evidence.file
    assert evidence.record == "PgPerson uid=rs"
    assert f"{evidence.file}, PgPerson uid=rs" in answer.to_text()
    if server.password:
        assert server.password not in f"{answer.to_dict()} {report.to_dict()} {tuqa.datasets()}"
    fee = "get_information(head_entity='Ridley Scott', relation='DIRECTED', tail_entity='Alien', key='fee')"
    assert tuqa.run(fee, "pg").values == ("5",)
    then = "get_information(head_entity='Michael Mann', relation='KNOWS', key='time', value='{}')"
    assert tuqa.run(then.format(2004), "pg").values == ("Ridley Scott",)
    assert tuqa.run(then.format(2006), "pg").values == ()
    born = (
        "get_information(relation='type', tail_entity='PgPerson', key='born', value='1937-11-30')"
    )
    assert tuqa.run(born, "pg").values == ("Ridley Scott",)
    tagged = "get_information(relation='tags', tail_entity contains 'orro')"
    assert tuqa.run(tagged, "pg").values == ("Alien",)
    labels = {
        row["name"]: (row["kinds"], row["has_name"])
        for row in small_graph(
            "MATCH (n:Node {dataset: 'pg'}) WHERE NOT n:Hyperedge AND n.name IS NOT NULL "
            "RETURN n.name AS name, collect([l IN labels(n) WHERE l IN ['Entity', 'Value'] | l]) AS kinds, "
            "n:Name AS has_name"
        )
    }
    # Each name has one node, and codes and coordinates are no names.
    assert labels["Ridley Scott"] == ([["Entity"]], True)
    assert labels["horror"] == ([["Value"]], True)
    assert labels["true"] == labels["POINT (12.5 41.9)"] == ([["Value"]], False)
    resumed = tuqa.load("neo4j", address_text, dataset="pg", embeddings=False)
    assert resumed.begun == "unchanged"
    # What was loaded is no part of what there is to load.
    assert [item for item in read(server) if isinstance(item, Fact)]
    tuqa.drop("pg")


@pytest.mark.parametrize(
    ("address_text", "what"),
    [
        (
            "http://localhost:7474",
            "not an address of Neo4j (http://), shown\nhint: an address is bolt://",
        ),
        ("bolt+x://h", "not an address of Neo4j (bolt+x://)"),
        ("bolt://", "not a server address, shown"),
        ("bolt://h:port", "not a server address, shown"),
        ("bolt://h/a/b", "not a server address, shown"),
        ("bolt://h?label=A", "the part after the ? is not labels=A,B, shown"),
        ("bolt://h?labels=", "the part after the ? is not labels=A,B, shown"),
        ("bolt://h?labels=A,,B", "the part after the ? is not labels=A,B, shown"),
    ],
)
def test_addresses_that_are_none(address_text: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.parse(address_text, "shown")
    assert what in str(caught.value)


def test_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NEO4J_SOURCE_USERNAME", "NEO4J_SOURCE_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    result = Address.parse(
        "neo4j+s://u%40x:p%3A%40@[::1]:7688/some%20db?labels=A,B%20C&labels=D", "x"
    )
    assert result.settings == Settings("neo4j+s://[::1]:7688", "u@x", "p:@", "some db")
    assert (result.place, result.labels) == ("[::1]:7688/some db", ("A", "B C", "D"))
    assert "p:@" not in repr(result)
    plain = Address.parse("bolt://h", "x").settings
    assert (plain.username, plain.password, plain.database) == ("neo4j", None, None)
    monkeypatch.setenv("NEO4J_SOURCE_USERNAME", "reader")
    monkeypatch.setenv("NEO4J_SOURCE_PASSWORD", "secret")
    from_environment = Address.parse("bolt://h", "x").settings
    assert (from_environment.username, from_environment.password) == ("reader", "secret")
    nearer = Address.parse("bolt://u:@h", "x").settings
    assert (nearer.username, nearer.password) == ("u", "")


def test_a_file_is_no_address(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"neo4j reads addresses, and this is a file, x.txt\nhint: give bolt"
    ):
        items("neo4j", [File(tmp_path / "x.txt", "x.txt")])


def test_servers_that_cannot_be_read(server: Settings, query: Query) -> None:
    def opened(address_text: str) -> list[Item]:
        return items("neo4j", [File(Path("pg"), "pg", address_text)])

    with pytest.raises(
        Unreachable, match=r", pg\nhint: start a server there, or correct the address$"
    ):
        opened("bolt://127.0.0.1:1")
    if server.password:
        with pytest.raises(
            AuthenticationFailed, match=r", pg\nhint: put user:password@.*NEO4J_SOURCE_PASS"
        ):
            opened(address(server, password="wrong"))
    with pytest.raises(
        UnknownDatabase, match=r", pg\nhint: correct the name of the database after the host"
    ):
        opened(address(replace(server, database="nowhere")))
    with pytest.raises(UnreadableDatabase, match=r"no node to read, pg\nhint: check"):
        opened(address(server, "PgNowhere"))


def test_no_password_is_shown(server: Settings, command: Command) -> None:
    done = command("tuqa-load", "neo4j", "bolt://neo4j:top-secret@127.0.0.1:1/x", "--dataset", "pg")
    assert done.code == 3
    assert "bolt://neo4j:***@127.0.0.1:1/x" in done.err
    assert "top-secret" not in done.err + done.out


@pytest.mark.parametrize(
    ("value", "texts", "kind"),
    [
        ("a", ("a",), "text"),
        (5, ("5",), "number"),
        (5.0, ("5",), "number"),
        (1e300, ("1e+300",), "number"),
        (float("nan"), ("NaN",), "number"),
        (float("-inf"), ("-Infinity",), "number"),
        (False, ("false",), "other"),
        (b"x", (), "bytes"),
        ([b"x", b"y"], (), "bytes"),
        (Date(1999, 3, 5), ("1999-03-05",), "time"),
        (DateTime(1999, 3, 5, 10, 20, 30, 500_000_000), ("1999-03-05T10:20:30.5",), "time"),
        (DateTime(1999, 3, 5), ("1999-03-05T00:00:00",), "time"),
        (Time(10, 20, 0), ("10:20:00",), "time"),
        (Duration(months=3, days=2), ("P3M2D",), "time"),
        (WGS84Point((1.5, 2.0)), ("POINT (1.5 2)",), "point"),
        (CartesianPoint((1.0, 2.0, 3.5)), ("POINT Z (1 2 3.5)",), "point"),
        ([1, "a"], ("1", "a"), "other"),
        ([], (), "other"),
        ([0.5] * 63, ("0.5",) * 63, "number"),
        ([0.5] * 64, (), "vector"),
        ([1] * 64, ("1",) * 64, "number"),
    ],
)
def test_values(value: object, texts: tuple[str, ...], kind: str) -> None:
    assert convert_value(value) == (texts, kind)
