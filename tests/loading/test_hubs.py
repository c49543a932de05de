"""Hubs that the first reading foresees: their facts are indexed as they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.graph.connection import Connection, Transaction
from trustuqa_neo4j.loading.writer import HUB_DEGREE

ROWS = HUB_DEGREE + 100


def write_table(path: Path, rows: int) -> Path:
    path.write_text("name,kind\n" + "".join(f"n{n},often\n" for n in range(rows)))
    return path


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all statements that write."""
    names: list[str] = []
    run, run_alone = Transaction.run, Connection.run_alone

    def record(self: Transaction, name: str, /, **parameters: Any) -> Any:
        names.append(name)
        return run(self, name, **parameters)

    def record_alone(self: Connection, name: str, **parameters: Any) -> Any:
        names.append(name)
        return run_alone(self, name, **parameters)

    monkeypatch.setattr(Transaction, "run", record)
    monkeypatch.setattr(Connection, "run_alone", record_alone)
    return names


def count_facts(tuqa: TrustUQA, dataset: str) -> tuple[int, int]:
    """The facts that lead to the hub, and those of them that are indexed by its id."""
    query = (
        "MATCH (node:Node {dataset: $dataset, name: 'often'})<-[fact:FACT]-() "
        "WHERE node.hub = id(node) RETURN count(*), count(CASE WHEN fact.tail = id(node) THEN 1 END)"
    )
    record = tuqa.connection.driver.execute_query(query, dataset=dataset).records[0]
    return record[0], record[1]


def test_facts_of_a_foreseen_hub_are_indexed_at_once(
    tuqa: TrustUQA, tmp_path: Path, statements: list[str]
) -> None:
    tuqa.load("table", write_table(tmp_path / "t.csv", ROWS), dataset="d")
    assert count_facts(tuqa, "d") == (ROWS, ROWS)
    assert "set_hub_ids_incoming" not in statements
    assert {"write_rows+new", "write_texts+new"} <= {*statements}


def test_a_node_that_has_facts_already_becomes_a_hub_afterwards(
    tuqa: TrustUQA, tmp_path: Path, statements: list[str]
) -> None:
    tuqa.load("table", write_table(tmp_path / "a.csv", 3), dataset="d")
    tuqa.load("table", write_table(tmp_path / "b.csv", ROWS), dataset="d", mode="append")
    assert count_facts(tuqa, "d") == (ROWS + 3, ROWS + 3)
    assert "set_hub_ids_incoming" in statements
    assert "write_rows+pending" in statements
