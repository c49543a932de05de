"""Databases by address: read once, resumed with the same contents; no output has a password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import DatasetExists, UnreadableDatabase, UsageError
from trustuqa_neo4j.loading import addresses
from trustuqa_neo4j.loading.addresses import (
    StoredItems,
    default_dataset_name,
    mask_secrets,
    store_items,
)
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions, get_loader
from trustuqa_neo4j.loading.load import load
from trustuqa_neo4j.loading.request import LoadRequest, Progress
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
    ValidTime,
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE purchase (no INTEGER PRIMARY KEY, customer INT REFERENCES customer(id),"
            " cost DECIMAL(9,2));"
            "INSERT INTO customer VALUES (1, 'Ann'), (2, 'Bob');"
            "INSERT INTO purchase VALUES (1, 1, 10.50), (2, 1, 20), (3, 2, 7)"
        )
    connection.close()
    return path


def change(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("sqlite:///shop.db", "sqlite:///shop.db"),
        ("postgresql://u@h:5432/d", "postgresql://u@h:5432/d"),
        ("postgresql://u:geheim@h:5432/d", "postgresql://u:***@h:5432/d"),
        ("postgresql+x://u:ge@h/ei:m@h:5432/d", "postgresql+x://u:***@h:5432/d"),
        ("mysql://u@h/d?password=geheim&x=1", "mysql://u@h/d?password=***&x=1"),
        ("duckdb:///md:d?motherduck_token=geheim", "duckdb:///md:d?motherduck_token=***"),
        ("mssql+pyodbc:///?odbc_connect=PWD%3Dgeheim", "mssql+pyodbc:///?odbc_connect=***"),
        ("bolt://:geheim@h:7687", "bolt://:***@h:7687"),
        ("data/a:b@c.csv", "data/a:b@c.csv"),
    ],
)
def test_passwords_are_masked(address: str, shown: str) -> None:
    assert mask_secrets(address) == shown


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("sqlite:///a/shop.db", "shop"),
        ("postgresql://u:geheim@h:5432/shop?password=geheim", "shop"),
        ("bolt://u:geheim@localhost:7687", "localhost"),
        ("sqlite://", ""),
    ],
)
def test_the_dataset_is_called_after_the_database(address: str, name: str) -> None:
    assert default_dataset_name(address) == name


TIME = ValidTime(20200101, 20201231, "2020", "")
ITEMS: list[Item] = [
    SourceStart("s", "shop.db", "table", ("a", "b"), (("a", "dates dmy"),)),
    NodeDeclared("k\x1f1", None, ("x", "y"), 1, "customer 1"),
    Fact("k\x1f1", "größe", "5 m \ud83d", 7),
    Fact("k\x1f1", "a", "b\n", 8, TIME, (("source", "p"), ("page", "3")), "b; c"),
    ClassDeclared("C", ("D",), ("E",), ("c",), "comment"),
    RelationDeclared(
        "p", (("A", "B"), ("C",)), (("D",),), True, ("date",), ("q",), ("r",), ("label",), "", True
    ),
]


@pytest.mark.parametrize("count", [0, 1, addresses._STORED_BLOCK // len(ITEMS) + 1])
def test_stored_items_are_those_that_were_read(tmp_path: Path, count: int) -> None:
    assert {type(item) for item in ITEMS} == {*get_args(Item)}
    items, path = ITEMS * count, tmp_path / "items"
    assert list(store_items(iter(items), path)) == items
    file = File(tmp_path, "shop.db")
    told: list[object] = []
    options = ReadOptions(progress=lambda *done: told.append(done))
    stored = list(StoredItems(path, file).read(options))
    assert stored == items
    assert [*map(repr, stored)] == [*map(repr, items)]  # from which the identity is made
    assert told[-1:] == ([(file, len(items))] if items else [])


def test_an_address_is_loaded_once(tuqa: TrustUQA, shop: Path) -> None:
    address = f"sqlite:///{shop}"
    first = tuqa.load("sql", address, dataset="shop")
    assert (first.begun, first.facts, first.sources) == ("new", 21, 2)
    again = tuqa.load("sql", address, dataset="shop")
    assert (again.begun, again.facts, again.total) == ("unchanged", 0, 21)
    change(shop, "INSERT INTO customer VALUES (3, 'Cleo')")
    with pytest.raises(DatasetExists, match="'shop' is there with other content"):
        tuqa.load("sql", address, dataset="shop")
    replaced = tuqa.load("sql", address, dataset="shop", mode="replace")
    assert (replaced.begun, replaced.facts) == ("replaced", 24)
    added = tuqa.load("sql", address, dataset="shop", mode="append", source="second")
    assert (added.begun, added.facts, added.total) == ("appended", 24, 48)


def test_joins_and_proof(tuqa: TrustUQA, shop: Path) -> None:
    tuqa.load("sql", f"sqlite:///{shop}", dataset="shop")
    answer = tuqa.run(
        "Query1: \"get_information(relation='name', tail_entity='Ann')\"\n"
        'Query2: "get_table(head_entity=output_of_query1,'
        " columns=['name', '^has customer > cost as cost'])\"",
        "shop",
    )
    assert answer.rows == (("Ann", "10.50"), ("Ann", "20.00"))
    places = {(fact.relation, fact.file, fact.line) for fact in answer.evidence}
    assert ("cost", f"sqlite:///{shop}#purchase", 2) in places


def of_items(given: list[list[Fact]]) -> Loader:
    """A format whose databases give these facts, another list each time they are read."""
    reads = iter(given)

    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        yield reading.part("s", files[0].name, "kg")
        for fact in next(reads):
            reading.progress(files[0], fact.line)
            yield fact

    return Loader("sql", "", "kg", read, addresses=True)


FACTS = [Fact(f"a{number}", "r", f"b{number}", number) for number in range(1, 60)]


def request(given: list[list[Fact]]) -> LoadRequest:
    return LoadRequest(of_items(given), ("db://u:geheim@h/d",), "d", batch_size=10)


def test_an_unreadable_database_leaves_nothing(tuqa: TrustUQA) -> None:
    class Cut(list[Fact]):
        def __iter__(self) -> Iterator[Fact]:
            yield from FACTS[:35]
            raise UnreadableDatabase("gone away")

    with pytest.raises(UnreadableDatabase, match="gone away"):
        load(lambda: nullcontext(tuqa.connection), request([Cut()]), Progress())
    assert "d" not in {dataset.name for dataset in tuqa.datasets()}


def test_an_interrupted_load_is_resumed(tuqa: TrustUQA) -> None:
    phases: list[str] = []

    def begin(phase: str, _total: int, _unit: str = "bytes", /) -> None:
        phases.append(phase)

    def stop(_done: int) -> None:
        if phases[-1].startswith("load"):
            raise UnreadableDatabase("stopped")

    connecting = lambda: nullcontext(tuqa.connection)  # noqa: E731
    with pytest.raises(UnreadableDatabase, match="stopped"):
        load(connecting, request([FACTS]), Progress(begin, stop))
    report = load(connecting, request([FACTS]), Progress())
    assert (report.begun, report.resumed_at, report.total) == ("resumed", 50, 59)
    # Other content, though the address is the same.
    other = load(connecting, replace(request([FACTS[:9]]), mode="replace"), Progress())
    assert (other.begun, other.total) == ("replaced", 9)


def test_progress_is_told_in_rows(tuqa: TrustUQA) -> None:
    begun: list[tuple[str, int, str]] = []

    def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
        begun.append((phase, total, unit))

    load(lambda: nullcontext(tuqa.connection), request([FACTS]), Progress(begin))
    assert begun[:2] == [
        ("read db://u:***@h/d", 0, "rows"), ("load db://u:***@h/d", 0, "rows"),
    ]  # fmt: skip


def test_a_dry_run_reads_once(tuqa: TrustUQA) -> None:
    once = replace(request([FACTS]), dry_run=True)
    assert load(lambda: nullcontext(tuqa.connection), once, Progress()).facts == 59


def test_formats_that_read_files_only(tuqa: TrustUQA) -> None:
    with pytest.raises(UsageError) as caught:
        tuqa.load("kg", "postgresql://u:geheim@h/d", dataset="d")
    assert caught.value.what == "the format kg reads files, and this is an address"
    assert caught.value.where == "postgresql://u:***@h/d"
    assert caught.value.hint.startswith("give a file; addresses are read by ")
    assert "sql" in caught.value.hint


def test_no_password_in_what_is_kept_or_shown(tuqa: TrustUQA) -> None:
    load(lambda: nullcontext(tuqa.connection), request([FACTS]), Progress())
    with tuqa.connection.driver.session() as session:
        kept = session.run("MATCH (n) RETURN collect(properties(n)) AS all").single()
    assert kept is not None
    assert "geheim" not in str(kept["all"])
    assert "db://u:***@h/d" in str(kept["all"])
    assert "geheim" not in repr(request([]))
    assert "geheim" not in repr(File(Path("x"), "x", "db://u:geheim@h/d"))


def test_twice_the_same_address(server: Settings) -> None:
    address = "postgresql://u:geheim@h/d"
    done = shell(server, "tuqa-load", "sql", address, address, "--dataset", "d")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: postgresql://u:***@h/d is given twice\nhint: give each file once\n"


def test_the_command(server: Settings, tuqa: TrustUQA, shop: Path) -> None:
    done = shell(server, "tuqa-load", "sql", f"sqlite:///{shop}", "--dry-run")
    assert done.out.startswith("shop: 21 facts in 2 sources, read in ")
    done = shell(server, "tuqa-load", "sql", f"sqlite:///{shop}", "--no-embeddings")
    assert done.out.startswith("shop: 21 facts from 2 sources in ")
    done = shell(server, "tuqa-load", "sql", "sqlite://")
    assert done.err.startswith("error: several files or standard input need a name")


def test_the_format_says_that_it_reads_addresses() -> None:
    assert get_loader("sql").addresses
    assert not get_loader("kg").addresses
