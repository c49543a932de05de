"""The rows that a question reads in one round trip are those of the statements that it would send."""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path

import pytest
from support.demonstrations import directed

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.demonstrations.question_start import read_start
from trustuqa_neo4j.loading.inputs import shorten_path
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.reads.reader import MemoReader, Reader

TABLE = "Club,Wins\nReds,7\nBlues,4\n"
ALL = [
    "find_demonstrations",
    "find_mentions",
    "get_calibration",
    "list_first_sources",
    "resolve_names",
]


@pytest.fixture
def taught(films: TrustUQA) -> TrustUQA:
    films.demonstrations.add("films", directed("Alien", "Ridley Scott"))
    return films


def check_rows(memo: MemoReader, reader: Reader) -> list[str]:
    """Compare the rows with those of the statements; return the names of the statements."""
    for (name, parameters), rows in memo.replies.items():
        expected = reader.run(name, **dict(literal_eval(parameters)))
        assert sorted(rows, key=repr) == sorted(expected, key=repr), name
    return sorted(name for name, _ in memo.replies)


def read_and_check(tuqa: TrustUQA, question: str, scope: Scope) -> list[str]:
    return tuqa.connection.read(
        lambda reader: check_rows(read_start(reader, question, scope), reader)
    )


@pytest.mark.parametrize(
    "question",
    [
        "who directed Alien",  # the question of the demonstration
        "who directed [Blade Runner] and Amelie in 1982",
        "",
    ],
)
def test_of_a_taught_graph(taught: TrustUQA, question: str) -> None:
    assert read_and_check(taught, question, Scope(("films",))) == ALL


def test_of_a_graph_without_demonstrations(films: TrustUQA) -> None:
    names = read_and_check(films, "who directed Alien", Scope(("films",)))
    assert names == [name for name in ALL if name != "find_mentions"]


def test_of_a_table_and_a_source(taught: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "clubs.csv"
    path.write_text(TABLE, encoding="utf-8")
    taught.load("table", path, dataset="clubs")
    source = shorten_path(str(path))
    first = ["find_demonstrations", "get_calibration", "list_first_sources"]
    assert read_and_check(taught, "how many wins did the Reds have", Scope(("clubs",))) == first
    assert read_and_check(taught, "who won", Scope(("clubs",), source)) == first


def test_of_several_datasets_or_none(taught: TrustUQA) -> None:
    assert read_and_check(taught, "who directed Alien", Scope(("films", "other"))) == []
    assert read_and_check(taught, "who directed Alien", Scope(("other",))) == []
