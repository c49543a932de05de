"""Datasets of version 7 become those of version 8, whatever interrupts it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.old_store import make_old
from support.shell import Command
from support.stores import read_store, write_store

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import (
    DiskFull,
    LoadRunning,
    SchemaOutdated,
    SchemaTooOld,
    StatementFailed,
)
from trustuqa_neo4j.graph import load_journal, migrations, store_migration
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.graph.disk_space import DiskSpace
from trustuqa_neo4j.loading.request import Progress

FACTS = (
    ("Ann", "plays for", "Reds", "1990", "1995"),
    ("Ann", "plays for", "Blues", "1996", ""),
    ("Bob", "plays for", "Reds", "2001", "2003"),
    ("Ann", "born in", "Oslo", "", ""),
)
HELD = "get_information(relation='plays for', key='time', value=1992)"
PLAYED = "get_information(relation='plays for', tail_entity='Reds')"


def load_teams(tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Two sources with intervals, a hub, and a table beside them."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("trustuqa_neo4j.loading.writer.HUB_DEGREE", 2)
    for name in ("a.tsv", "b.tsv"):
        Path(name).write_text("".join("\t".join(fact) + "\n" for fact in FACTS[name == "b.tsv" :]))
    Path("t.csv").write_text("team,town\nReds,Oslo\nBlues,Rome\n")
    tuqa.load("temporal-kg", "a.tsv", "b.tsv", dataset="teams")
    tuqa.load("table", "t.csv", dataset="towns")


@pytest.fixture
def teams(tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrustUQA:
    load_teams(tuqa, monkeypatch, tmp_path)
    return tuqa


@pytest.fixture(scope="module")
def old_data(client: TrustUQA, server: Settings, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The nodes and facts of ``teams`` in version 7, as one statement.

    A load sends tens of statements, which the server plans anew after each change of an index.
    """
    with pytest.MonkeyPatch.context() as patch:
        load_teams(client, patch, tmp_path_factory.mktemp("teams"))
    make_old(client)
    with client.connection.driver.session(notifications_min_severity="OFF") as session:
        *_, data = write_store(session).split(";\n\n")
    migrate(server)
    for dataset in ("teams", "towns"):
        client.drop(dataset)
    return data


@pytest.fixture
def old(tuqa: TrustUQA, server: Settings, old_data: str) -> Iterator[TrustUQA]:
    """``teams`` as version 7 left them."""
    make_old(tuqa)
    with tuqa.connection.driver.session(notifications_min_severity="OFF") as session:
        session.run("MATCH (n) DETACH DELETE n").consume()
        read_store(session, old_data)
    yield tuqa
    migrate(server)


def migrate(server: Settings, **options: Any) -> int | None:
    with closing(Connection.open(server, migrates=True)) as connection:
        return store_migration.migrate(connection, Progress(), **options)


def contents(tuqa: TrustUQA) -> list[Any]:
    """Each fact, its place, and the indexes; numbers are names of dataset, source and relation here."""
    facts = (
        "MATCH (h)-[f:FACT]->(t) OPTIONAL MATCH (s)-[has:HAS {number: f.number}]->(r) "
        "RETURN h.dataset, h.key, f {.*, number: [s.dataset, s.name, r.name]}, t.key "
        "ORDER BY h.dataset, s.name, f.line, t.key"
    )
    indexes = (
        "SHOW INDEXES YIELD name, state, properties RETURN name, state, properties ORDER BY name"
    )
    with tuqa.connection.driver.session(notifications_min_severity="OFF") as session:
        return [[record.values() for record in session.run(text)] for text in (facts, indexes)]  # type: ignore[arg-type]


def evidence(tuqa: TrustUQA) -> list[Any]:
    return [
        sorted(map(repr, tuqa.run(query, "teams", source=source).evidence))
        for query in (HELD, PLAYED)
        for source in (None, "a.tsv", "b.tsv")
    ]


def test_the_command_makes_facts_as_a_load_would(
    teams: TrustUQA, server: Settings, sh: Command, command: Command
) -> None:
    before, proven = contents(teams), evidence(teams)
    assert [bool(facts) for facts in proven] == [True, True, False, True, True, True]
    make_old(teams)
    assert contents(teams) != before
    for words in (
        ("tuqa", "run", "-", "--dataset", "teams"),
        ("tuqa", "drop", "teams"),
        ("tuqa-load", "table", "t.csv", "--dataset", "towns"),
    ):
        refused = sh(*words, stdin=PLAYED)
        assert refused.code == 3
        assert "version 7, this package needs 8" in refused.err
        assert "`tuqa neo4j migrate` brings its datasets up to date" in refused.err
    done = command("tuqa", "neo4j", "migrate")
    assert (done.code, done.out) == (0, "migrated: 11 facts changed\n")
    assert contents(teams) == before
    assert evidence(teams) == proven
    again = sh("tuqa", "neo4j", "migrate")
    assert (again.code, again.out) == (0, "the database is up to date\n")
    assert teams.drop("teams", "a.tsv").facts == 4
    assert [source.facts for source in teams.datasets()[0].sources] == [3]


_PAUSED = """
import sys, time
from dataclasses import replace
from trustuqa_neo4j import Settings
from trustuqa_neo4j.graph import store_migration
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading.request import Progress

def wait(done):
    print(done, flush=True)
    time.sleep(600)

store_migration.BATCH = 3
uri, username, password, database = sys.argv[1:]
settings = Settings(uri=uri, username=username, password=password, database=database or None)
store_migration.migrate(Connection.open(settings, migrates=True), Progress(advance=wait))
"""


def test_a_killed_migration_goes_on(old: TrustUQA, server: Settings) -> None:
    """Facts of both kinds are there; nothing can be read before the second run, which changes the rest."""
    words = (server.uri or "", server.username, server.password or "", server.database or "")
    process = subprocess.Popen([sys.executable, "-c", _PAUSED, *words], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"3\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with pytest.raises(
        SchemaOutdated, match=r"(?s)has not finished.*`tuqa neo4j migrate` goes on with it"
    ):
        Connection.open(server)
    assert migrate(server) == 11 - 3
    check_migrated(old)


def check_migrated(tuqa: TrustUQA) -> None:
    facts, indexes = contents(tuqa)
    assert len(facts) == 11
    for dataset, _, fact, _ in facts:
        assert fact.keys().isdisjoint({"dataset", "source"})
        assert fact["number"][0] == dataset
        assert fact["number"][2] == fact["relation"]
    names = {name for name, *_ in indexes}
    assert names.isdisjoint(migrations.OUTDATED_INDEXES)
    assert names.issuperset(migrations.index_names())
    assert [fact.tail for fact in tuqa.run(HELD, "teams", source="a.tsv").evidence] == ["Reds"]


def test_an_interrupted_migration_goes_on(
    old: TrustUQA, server: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every place where Ctrl-C can end it."""
    monkeypatch.setattr(store_migration, "BATCH", 4)

    def interrupt_after(calls: int) -> Callable[[], None]:
        places = iter(range(calls))

        def check() -> None:
            if next(places, None) is None:
                raise KeyboardInterrupt

        return check

    changed = None
    for calls in range(20):
        try:
            changed = migrate(server, check_interrupt=interrupt_after(calls))
        except KeyboardInterrupt:
            continue
        break
    assert calls > 1
    assert changed is not None
    check_migrated(old)


def test_of_two_that_migrate_at_once_one_waits(old: TrustUQA, server: Settings) -> None:
    with ThreadPoolExecutor(2) as pool:
        changed = list(pool.map(lambda _: migrate(server), range(2)))
    assert {*changed} == {11, None}
    check_migrated(old)


def test_a_full_disk_ends_the_migration_before_it_is_full(
    old: TrustUQA, server: Settings, tmp_path: Path
) -> None:
    with closing(Connection.open(server, migrates=True)) as connection:
        connection.disk = DiskSpace(tmp_path, 10**18)
        with pytest.raises(DiskFull, match="run the same command again"):
            store_migration.migrate(connection, Progress())
    assert migrate(server) == 11
    check_migrated(old)


def test_an_error_of_the_server_is_passed_on(old: TrustUQA, server: Settings) -> None:
    """Here somebody gave the same number twice; without it, the migration goes on."""
    with old.connection.driver.session() as session:
        session.run("MATCH ()-[has:HAS]->() SET has.number = 1").consume()
        with pytest.raises(StatementFailed, match="tuqa_fact_group"):
            migrate(server)
        session.run("MATCH ()-[has:HAS]->() REMOVE has.number").consume()
    assert migrate(server) == 11
    check_migrated(old)


def test_the_index_of_a_constraint_that_was_never_made_does_not_stop_it(
    old: TrustUQA, server: Settings
) -> None:
    """A server that is killed while it makes a constraint leaves the index of it."""
    old.connection.write(lambda tx: tx.run("start_migration", version=migrations.VERSION).rows)
    index = "CREATE INDEX tuqa_fact_group FOR ()-[has:HAS]-() ON (has.number)"
    with old.connection.driver.session() as session:
        session.run(index).consume()
    assert migrate(server) == 11
    check_migrated(old)
    with old.connection.driver.session() as session:
        (record,) = session.run("SHOW CONSTRAINTS YIELD name WHERE name = 'tuqa_fact_group'")
    assert record["name"] == "tuqa_fact_group"


def test_a_running_load_is_not_disturbed(old: TrustUQA, server: Settings) -> None:
    owner = load_journal.make_owner()
    with old.connection.driver.session() as session:
        session.run(
            "MATCH (load:Load {dataset: 'towns'}) SET load.state = 'running', load.owner = $owner",
            owner=owner,
        ).consume()
        with pytest.raises(LoadRunning, match="'towns' is being loaded"):
            migrate(server)
        load_journal.release_owner(owner)
        session.run(
            "MATCH (load:Load {dataset: 'towns'}) SET load.state = 'complete', load.owner = null"
        ).consume()


def test_a_version_that_is_too_old_is_not_migrated(tuqa: TrustUQA, server: Settings) -> None:
    set_version = "MATCH (schema:Schema) SET schema.version = $version"
    with tuqa.connection.driver.session() as session:
        session.run(set_version, version=1).consume()
        try:
            with pytest.raises(SchemaTooOld, match="load the files again"):
                migrate(server)
        finally:
            session.run(set_version, version=migrations.VERSION).consume()


def test_a_database_without_datasets_needs_no_migration(tuqa: TrustUQA, server: Settings) -> None:
    """The next load creates what is missing and drops what is outdated."""
    tuqa.connection.prepare()
    make_old(tuqa)
    with closing(Connection.open(server)) as connection:
        connection.prepare()
    names = {name for name, *_ in contents(tuqa)[1]}
    assert names.isdisjoint(migrations.OUTDATED_INDEXES)
    assert names.issuperset(migrations.index_names())
