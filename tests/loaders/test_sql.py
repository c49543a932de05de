"""``sql``: databases as rows, values and links; what is declared, and what is refused."""

from __future__ import annotations

import socket
import sqlite3
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.items import facts, items, parts, things

from trustuqa_neo4j.errors import (
    MissingExtra,
    MissingFile,
    TrustUQAError,
    UnreadableDatabase,
    UsageError,
)
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
)

duckdb = pytest.importorskip("duckdb")

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, vip BOOLEAN, since DATE);
CREATE TABLE item (maker TEXT, code INT, price DECIMAL(10,2), PRIMARY KEY (maker, code));
CREATE TABLE purchase (
  no INTEGER PRIMARY KEY, buyer INT REFERENCES customer(id), payer INT REFERENCES customer(id),
  maker TEXT, code INT, photo BLOB, FOREIGN KEY (maker, code) REFERENCES item(maker, code)
);
CREATE TABLE gift (no INTEGER PRIMARY KEY REFERENCES purchase(no), ribbon TEXT);
CREATE TABLE note (said TEXT);
CREATE VIEW rich AS SELECT * FROM customer;
INSERT INTO customer VALUES (2, 'Bob', 0, NULL), (1, 'Ann', 1, '2020-01-02');
INSERT INTO item VALUES ('Acme', 7, 1000.10), ('Acme', 8, 20);
INSERT INTO purchase VALUES (1, 1, 2, 'Acme', 7, x'00ff'), (2, 2, NULL, 'Acme', NULL, NULL), (3, 9, 1, 'Acme', 8, NULL);
INSERT INTO gift VALUES (1, 'red');
INSERT INTO note VALUES ('b'), ('a'), ('a');
"""  # noqa: E501


def sqlite(folder: Path, script: str, name: str = "shop.db") -> File:
    path = folder / name
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return File(path, name)


def address(url: str) -> File:
    return File(Path("x"), "an address", url)


def read(file: File, reading: ReadOptions | None = None) -> list[Item]:
    return items("sql", [file], reading)


def readable_facts(result: list[Item]) -> list[tuple[str, str, str]]:
    """Facts with keys that can be read."""
    return [
        (fact.head.replace("\x1f", ":").replace("\x1e", "#"), fact.relation,
         fact.tail.replace("\x1f", ":").replace("\x1e", "#"))
        for fact in facts(result)
    ]  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> File:
    return sqlite(tmp_path, SHOP)


def test_rows_are_called_by_their_name_or_else_their_key(shop: File) -> None:
    result = read(shop)
    assert things(result)["customer\x1f1"] == NodeDeclared(
        "customer\x1f1", "Ann", label="customer 1"
    )
    nameless = {node.label for node in things(result).values() if node.name is None}
    assert nameless >= {"purchase 1", "item Acme 7", "note 3"}
    assert readable_facts(result)[:8] == [
        ("customer:1", "type", "customer"), ("customer:1", "id", "1"), ("customer:1", "name", "Ann"),
        ("customer:1", "vip", "true"), ("customer:1", "since", "2020-01-02"),
        ("customer:2", "type", "customer"), ("customer:2", "id", "2"), ("customer:2", "name", "Bob"),
    ]  # fmt: skip
    tables = ["customer", "gift", "item", "note", "purchase"]
    assert parts(result)[:5] == [SourceStart(name, f"shop.db#{name}", "kg") for name in tables]


def test_decimals_stay_decimals(shop: File) -> None:
    assert [fact.tail for fact in facts(read(shop)) if fact.relation == "price"] == [
        "1000.10", "20.00",
    ]  # fmt: skip


def test_foreign_keys_lead_to_rows(shop: File) -> None:
    reading = ReadOptions()
    links = [fact for fact in readable_facts(read(shop, reading)) if fact[1].startswith("has ")]
    assert links == [
        ("gift:1", "has purchase", "purchase:1"),
        ("purchase:1", "has customer (buyer)", "customer:1"),
        ("purchase:1", "has item", "item:Acme:7"),
        ("purchase:1", "has customer (payer)", "customer:2"),
        ("purchase:2", "has customer (buyer)", "customer:2"),
        ("purchase:3", "has item", "item:Acme:8"),
        ("purchase:3", "has customer (payer)", "customer:1"),
    ]
    remark_places = {what: remark.places for what, remark in reading.remarks.items()}
    assert remark_places == {
        "no primary key, so rows are identified by their position": ["note"],
        "view skipped": ["rich"],
        "binary column skipped": ["purchase.photo"],
        "foreign key without a row in customer": ["shop.db#purchase:3"],
    }


def test_rows_without_a_key_are_identified_by_position(shop: File) -> None:
    notes = [fact for fact in readable_facts(read(shop)) if fact[0].startswith("note")]
    assert [fact for fact in notes if fact[1] == "said"] == [
        ("note#1", "said", "a"), ("note#2", "said", "a"), ("note#3", "said", "b"),
    ]  # fmt: skip


def test_declarations(shop: File) -> None:
    result = read(shop)
    classes = {item.name: item for item in result if isinstance(item, ClassDeclared)}
    relations = {item.name: item for item in result if isinstance(item, RelationDeclared)}
    assert classes["gift"].parents == ("purchase",)
    assert classes["gift"].disjoint == ("item", "note")
    assert classes["customer"].disjoint == ("gift", "item", "note", "purchase")
    assert relations["no"].domains == (("gift", "purchase"),)
    assert (relations["no"].values, relations["no"].datatypes) == (True, ("number",))
    assert relations["since"].datatypes == ("date",)
    assert relations["name"].datatypes == ()  # people keep numbers and dates in text
    assert relations["has item"] == RelationDeclared(
        "has item", domains=(("purchase",),), ranges=(("item",),), values=False
    )
    assert "photo" not in relations
    declared = [n for n, i in enumerate(result) if isinstance(i, (ClassDeclared, RelationDeclared))]
    assert declared == list(range(1, len(declared) + 1))


def test_a_source_of_its_own_keeps_rows_apart(shop: File) -> None:
    result = read(shop, ReadOptions(source="east"))
    assert {part.source for part in parts(result)} == {"east"}
    assert "east\x1fcustomer\x1f1" in things(result)


def test_a_column_called_type_is_not_that_of_rows(tmp_path: Path) -> None:
    result = read(sqlite(tmp_path, "CREATE TABLE t (Type TEXT); INSERT INTO t VALUES ('x')"))
    assert [fact[1:] for fact in readable_facts(result)] == [("type", "t"), ("t Type", "x")]


def test_columns_that_differ_in_case_are_one_relation(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE a (Person_Id INT); CREATE TABLE b (person_id INT);"
        "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)"
    )
    assert {fact.relation for fact in facts(read(sqlite(tmp_path, script)))} == {
        "type", "Person_Id",
    }  # fmt: skip


def test_rows_that_lead_to_each_other_and_themselves(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE a (id INT PRIMARY KEY, b INT REFERENCES b(id), self INT REFERENCES a(id));"
        "CREATE TABLE b (id INT PRIMARY KEY, a INT REFERENCES a(id),"
        " FOREIGN KEY (id) REFERENCES b(id));"
        "INSERT INTO a VALUES (1, 1, 2), (2, NULL, NULL); INSERT INTO b VALUES (1, 2)"
    )
    links = [f for f in readable_facts(read(sqlite(tmp_path, script))) if f[1].startswith("has")]
    assert links == [
        ("a:1", "has b", "b:1"), ("a:1", "has a", "a:2"), ("b:1", "has a", "a:2"),
    ]  # fmt: skip


def test_a_foreign_key_without_its_table(tmp_path: Path) -> None:
    script = "CREATE TABLE a (id INT PRIMARY KEY, b INT REFERENCES gone(id)); INSERT INTO a VALUES (1, 2)"
    reading = ReadOptions()
    read(sqlite(tmp_path, script), reading)
    assert reading.remarks["foreign key to gone, which is not a table here"].places == ["a (b)"]


def test_a_table_of_a_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(1000)]
    script = (
        f"CREATE TABLE wide ({', '.join(f'{name} INT' for name in names)});"
        f"INSERT INTO wide VALUES ({', '.join(map(str, range(1000)))})"
    )
    result = facts(read(sqlite(tmp_path, script)))
    assert len(result) == 1001
    assert result[-1] == Fact("wide\x1e1", "c999", "999", 1)


def test_an_address_gives_the_same_items_as_its_file(shop: File) -> None:
    by_file = [item for item in read(shop) if not isinstance(item, SourceStart)]
    by_address = read(address(f"sqlite:///{shop.path}"))
    assert [item for item in by_address if not isinstance(item, SourceStart)] == by_file


def test_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "d.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE p (id INT PRIMARY KEY, amount DECIMAL(15,2), day DATE, moment TIMESTAMP,"
            " ok BOOLEAN, raw BLOB, many INT[], big HUGEINT, j JSON);"
            "CREATE TABLE q (id INT PRIMARY KEY, p INT REFERENCES p(id));"
            "CREATE VIEW v AS SELECT * FROM p;"
            "COMMENT ON TABLE p IS 'people'; COMMENT ON COLUMN p.amount IS 'in euros';"
            "INSERT INTO p VALUES (1, 1000.10, '2020-01-02', '2020-01-02', true, 'x', [1, 2],"
            " 170141183460469231731687303715884105727, '{\"a\": 1}');"
            "INSERT INTO q VALUES (5, 1)"
        )
    result = read(File(path, "d.duckdb"))
    assert readable_facts(result) == [
        ("p:1", "type", "p"), ("p:1", "id", "1"), ("p:1", "amount", "1000.10"),
        ("p:1", "day", "2020-01-02"), ("p:1", "moment", "2020-01-02"), ("p:1", "ok", "true"),
        ("p:1", "many", "[1, 2]"), ("p:1", "big", "170141183460469231731687303715884105727"),
        ("p:1", "j", '{"a": 1}'),
        ("q:5", "type", "q"), ("q:5", "id", "5"), ("q:5", "p", "1"), ("q:5", "has p", "p:1"),
    ]  # fmt: skip
    assert ClassDeclared("p", disjoint=("q",), comment="people") in result
    assert "in euros" in {i.comment for i in result if isinstance(i, RelationDeclared)}
    by_address = read(address(f"duckdb:///{path}"))
    assert readable_facts(by_address) == readable_facts(result)


@dataclass
class Postgres:
    """A server of PostgreSQL's protocol that refuses a password, or hears the first statement."""

    port: int
    accepts: bool = False
    statement: bytes = b""

    def answer(self, connection: socket.socket) -> None:
        if len(connection.recv(1000)) == 8:  # whether the server encrypts
            connection.sendall(b"N")
            connection.recv(1000)
        connection.sendall(b"R" + struct.pack("!ii", 8, 3))
        text = connection.recv(1000)[5:].rstrip(b"\0")
        text = b"SFATAL\0C28P01\0Mpassword authentication failed: " + text
        if self.accepts:
            connection.sendall(b"R" + struct.pack("!ii", 8, 0) + b"Z" + struct.pack("!i", 5) + b"I")
            connection.recv(1000)  # begin
            connection.sendall(b"C" + struct.pack("!i", 10) + b"BEGIN\0")
            connection.sendall(b"Z" + struct.pack("!i", 5) + b"T")
            self.statement = connection.recv(1000)
            return
        connection.sendall(b"E" + struct.pack("!i", len(text) + 6) + text + b"\0\0")


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Postgres(listening.getsockname()[1])

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                server.answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server
        thread.join()


def test_a_wrong_password_is_never_shown(postgres: Postgres) -> None:
    with pytest.raises(UnreadableDatabase, match="password authentication failed") as caught:
        read(address(f"postgresql+pg8000://u:geheim@127.0.0.1:{postgres.port}/shop"))
    assert "geheim" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.where == "an address"


def test_sessions_of_a_server_only_read(postgres: Postgres) -> None:
    postgres.accepts = True
    with pytest.raises(UnreadableDatabase):  # the server ends there
        read(address(f"postgresql+pg8000://u:geheim@127.0.0.1:{postgres.port}/shop"))
    assert b"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY" in postgres.statement


@pytest.mark.parametrize(
    ("url", "kind", "what"),
    [
        ("postgresql+pg8000://u:geheim@127.0.0.1:1/x", UnreadableDatabase, "Can't create a connection"),
        ("mysql+nothing://u:geheim@h/x", UsageError, "unknown database dialect"),
        ("mysql+cymysql://u:geheim@h/x", MissingExtra, "mysql+cymysql needs the Python package"),
        ("snowflake://u:geheim@h/x", MissingExtra, "'snowflake-sqlalchemy'"),
        ("nothing://u:geheim@h", UsageError, "unknown database dialect 'nothing'"),
        ("postgresql+pg8000://u:ge@heim:x/y", UsageError, "not a database address"),
        ("sqlite:///nowhere.db", MissingFile, "no such file"),
        ("duckdb:///nowhere.duckdb", MissingFile, "no such file"),
        ("sqlite://", UnreadableDatabase, "no table in it"),
    ],
)  # fmt: skip
def test_addresses_that_cannot_be_read(url: str, kind: type[TrustUQAError], what: str) -> None:
    with pytest.raises(kind) as caught:
        read(address(url))
    assert what in caught.value.what
    assert "geheim" not in str(caught.value)
    assert "heim" not in str(caught.value)


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("CREATE TABLE a (x INT); DROP TABLE a", "no table in it"),
        ("CREATE VIEW v AS SELECT 1", "no table in it"),
        ("CREATE TABLE a (x INT)", "no row in any of its tables"),
        ("CREATE TABLE a (x TEXT); INSERT INTO a VALUES (CAST(x'ff' AS TEXT))", "Could not decode"),
    ],
)
def test_databases_that_cannot_be_read(tmp_path: Path, script: str, what: str) -> None:
    with pytest.raises(UnreadableDatabase) as caught:
        read(sqlite(tmp_path, script))
    assert what in caught.value.what
    assert caught.value.where == "shop.db"


def test_damaged_files(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    (tmp_path / "b.duckdb").write_bytes(b"x" * 8 + b"DUCK" + b"x" * 5000)
    (tmp_path / "c.sqlite").write_text("id,name\n1,Ann\n")
    for name in ("a.db", "b.duckdb", "c.sqlite"):
        with pytest.raises(UnreadableDatabase) as caught:
            read(File(tmp_path / name, name))
        assert caught.value.where == name


def test_pending_changes_in_the_write_ahead_log(tmp_path: Path) -> None:
    file = sqlite(tmp_path, SHOP)
    with sqlite3.connect(file.path) as writing:
        writing.execute("PRAGMA journal_mode = WAL")
        writing.execute("INSERT INTO note VALUES ('c')")
        writing.commit()
        with pytest.raises(UnreadableDatabase, match="the write-ahead log holds changes"):
            read(file)
        assert any(fact.tail == "c" for fact in facts(read(address(f"sqlite:///{file.path}"))))
    writing.close()


def test_one_database_at_a_time(shop: File, tmp_path: Path) -> None:
    other = sqlite(tmp_path, SHOP, "other.db")
    with pytest.raises(UsageError, match="more than one database"):
        list(get_loader("sql").read([shop, other], ReadOptions()))
