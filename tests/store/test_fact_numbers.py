"""The numbers on facts: one for each relation of a source, in the whole database, never given twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.old_store import make_old

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.graph import store_migration
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading import writer
from trustuqa_neo4j.loading.load import LoadInterrupted
from trustuqa_neo4j.loading.request import Progress

LOADS, FILES, RELATIONS = 4, 3, 5


def run(tuqa: TrustUQA, cypher: str) -> list[list[Any]]:
    with tuqa.connection.driver.session(notifications_min_severity="OFF") as session:
        return [record.values() for record in session.run(cypher)]  # type: ignore[arg-type]


def numbers(tuqa: TrustUQA) -> dict[int, list[Any]]:
    """Number → dataset, source, relation, and how many facts have it."""
    rows = run(
        tuqa,
        "MATCH (s:Source)-[has:HAS]->(r) RETURN has.number, s.dataset, s.name, r.name, "
        "COUNT { MATCH ()-[:FACT {number: has.number}]->() }",
    )
    names = {number: names for number, *names in rows}
    assert len(names) == len(rows)
    assert None not in names
    return names


def write_graph(path: Path, lines: int = RELATIONS) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"h{n}\trelation {n % RELATIONS}\tt{n}\n" for n in range(lines)))
    return str(path)


def test_loads_at_once_get_different_numbers(
    tuqa: TrustUQA, server: Settings, tmp_path: Path
) -> None:
    names = [f"d{load}" for load in range(LOADS)]
    files = {
        name: [write_graph(tmp_path / name / f"{file}.tsv") for file in range(FILES)]
        for name in names
    }

    def load(name: str) -> None:
        with TrustUQA.connect(server) as client:
            client.load("kg", *files[name], dataset=name, batch_size=3)

    with ThreadPoolExecutor(LOADS) as pool:
        list(pool.map(load, names))
    entries = numbers(tuqa)
    assert len(entries) == LOADS * FILES * RELATIONS
    assert {facts for *_, facts in entries.values()} == {1}
    for name in names:
        (fact,) = tuqa.run(
            "get_information(head_entity='h1', relation='relation 1')", name, source=files[name][-1]
        ).evidence
        assert (fact.dataset, fact.source, fact.line) == (name, files[name][-1], 2)


def test_numbers_are_not_given_again(tuqa: TrustUQA, tmp_path: Path) -> None:
    """Also columns of a table without rows have one."""
    graph, table = write_graph(tmp_path / "g.tsv"), tmp_path / "t.csv"
    table.write_text("a,b\n")
    used: set[int] = set()
    for _ in range(2):
        tuqa.load("kg", graph, dataset="d")
        tuqa.load("table", table, dataset="d", mode="append")
        assert len(numbers(tuqa)) == RELATIONS + 2
        assert used.isdisjoint(numbers(tuqa))
        used |= {*numbers(tuqa)}
        tuqa.load("kg", write_graph(tmp_path / "g.tsv", 7), dataset="d", mode="replace")
        # Also the table has new ones: it stays, in a new version.
        assert len(numbers(tuqa)) == RELATIONS + 2
        assert used.isdisjoint(numbers(tuqa))
        used |= {*numbers(tuqa)}
        write_graph(tmp_path / "g.tsv")
        tuqa.drop("d")
        assert run(tuqa, "MATCH ()-[fact:FACT]->() RETURN count(fact)") == [[0]]


@pytest.mark.parametrize("is_old", [False, True])
def test_an_interrupted_load_goes_on_with_its_numbers(
    tuqa: TrustUQA, server: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_old: bool
) -> None:
    """Also if the database was migrated in between."""
    path, write = write_graph(tmp_path / "g.tsv", 40), writer.BatchWriter.write

    def stop(self: writer.BatchWriter, batch: Any) -> Any:
        write(self, batch)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(writer.BatchWriter, "write", stop)
        with pytest.raises(LoadInterrupted):
            tuqa.load("kg", path, dataset="d", batch_size=15)
    before = {*numbers(tuqa)}
    if is_old:
        make_old(tuqa)
        with closing(Connection.open(server, migrates=True)) as connection:
            assert store_migration.migrate(connection, Progress()) == 15
        before = {*numbers(tuqa)}
    assert tuqa.load("kg", path, dataset="d", batch_size=15).begun == "resumed"
    after = numbers(tuqa)
    assert {*after} == before
    assert {facts for *_, facts in after.values()} == {40 // RELATIONS}
