"""A dataset gets another name: with all that belongs to it, in one transaction, or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.samples import FILMS
from support.shell import Done, shell

from trustuqa_neo4j import Demonstration, Settings, TrustUQA
from trustuqa_neo4j.errors import (
    Cancelled,
    DatasetExists,
    IncompleteDataset,
    LoadRunning,
    StatementFailed,
    TrustUQAError,
    UnknownDataset,
    UsageError,
)
from trustuqa_neo4j.graph import load_journal
from trustuqa_neo4j.graph.connection import Transaction
from trustuqa_neo4j.loading.request import Progress

STARRING = "get_information(head_entity='Alien', relation='starring')"
WRONG = "get_information(head_entity='Alien', relation='directed_by')"


def tsv(path: Path, *facts: str) -> Path:
    path.write_text("".join(f"{fact}\n" for fact in facts), encoding="utf-8")
    return path


def records(client: TrustUQA, name: str) -> list[object]:
    """The kinds of nodes that belong to a name, beside the data."""
    with client.connection.driver.session() as session:
        found = session.run(
            "MATCH (n) WHERE NOT n:Node AND NOT n:Relation AND NOT n:Source AND NOT n:Vocabulary "
            "AND ($name IN [n.name, n.dataset, n.version_of] OR $name IN n.datasets "
            "OR $name IN split(n.dataset, $sep) OR $name IN split(n.group, $sep)) "
            "RETURN labels(n)[0] AS label, count(*) AS count ORDER BY label",
            name=name,
            sep="\x1f",
        )
        return [(row["label"], row["count"]) for row in found]


@pytest.fixture
def taught(films: TrustUQA, tmp_path: Path) -> TrustUQA:
    """Films with everything that can belong to a dataset, and with another dataset beside them."""
    films.load("kg", tsv(tmp_path / "cast.tsv", "Alien\tseen by\tAnn"), dataset="diary")
    taught = films.demonstrations
    taught.add("films", Demonstration("who is in Alien?", STARRING))
    taught.add(["films", "diary"], Demonstration("who saw Alien?", STARRING))
    taught.store_wrong("films", Demonstration("who made Alien?", WRONG))
    taught.save("films", Demonstration("who is in Alien?", STARRING))
    films.add_synonyms("films", {"featuring": "starring"})
    films.add_notes("films", ["Films of one shelf."])
    return films


def test_all_goes_along(taught: TrustUQA) -> None:
    before = records(taught, "films")
    assert {label for label, _ in before} >= {
        "Dataset", "DatasetGroup", "Demonstration", "GroupMember", "Load", "Note", "Pattern", "Synonym",
    }  # fmt: skip
    answer = taught.run(STARRING, "films")
    schema = taught.schema("films")
    taught.rename("films", "old movies")
    assert records(taught, "films") == []
    assert records(taught, "old movies") == before
    assert taught.run(STARRING, "old movies").values == answer.values
    now = taught.schema("old movies")
    assert (now.synonyms, now.notes, now.relations) == (
        schema.synonyms, schema.notes, schema.relations,
    )  # fmt: skip
    assert len(taught.demonstrations.listed("old movies")) == 1
    assert len(taught.demonstrations.listed("old movies", ("wrong", "saved"))) == 2
    (shared,) = taught.demonstrations.shared("old movies")
    assert shared == ("diary", "old movies")
    assert taught.ask("who is in Alien?", "old movies").values == answer.values
    with pytest.raises(UnknownDataset):
        taught.run(STARRING, "films")
    # What follows a name of its own: more data, other data, the end.
    taught.load("kg", FILMS, dataset="old movies", mode="replace-all")
    taught.rename("old movies", "films")
    assert taught.run(STARRING, "films").values == answer.values
    taught.drop("films")
    assert records(taught, "films") == records(taught, "old movies") == []


@pytest.mark.parametrize("mode", ["new", "append"])
def test_the_name_is_free_for_other_data(films: TrustUQA, tmp_path: Path, mode: str) -> None:
    films.rename("films", "movies")
    path = tsv(tmp_path / "other.tsv", "Alien\tstarring\tNobody")
    films.load("kg", path, dataset="films", mode=mode)
    assert films.run(STARRING, "films").values == ("Nobody",)
    assert "Nobody" not in films.run(STARRING, "movies").values
    films.drop("films")
    assert len(films.run(STARRING, "movies").values) > 1


def test_a_client_that_knew_the_name(films: TrustUQA, server: Settings) -> None:
    with TrustUQA.connect(server) as other:
        values = other.run(STARRING, "films").values
        films.rename("films", "movies")
        with pytest.raises(UnknownDataset):
            other.run(STARRING, "films")
        assert other.run(STARRING, "movies").values == values


def test_what_is_refused(films: TrustUQA, server: Settings, tmp_path: Path) -> None:
    films.load("kg", tsv(tmp_path / "cast.tsv", "Alien\tseen by\tAnn"), dataset="diary")
    cases: list[tuple[str, str, type[TrustUQAError]]] = [
        ("films", "diary", DatasetExists), ("films", "films", DatasetExists),
        ("flims", "movies", UnknownDataset), ("films", "", UsageError), ("films", " ", UsageError),
        ("films", " movies", UsageError), ("films", "a\x1fb", UsageError), ("films", "x" * 201, UsageError),
    ]  # fmt: skip
    for dataset, name, error in cases:
        with pytest.raises(error):
            films.rename(dataset, name)
    with TrustUQA.connect(server, datasets=["films"]) as scoped:
        for pair in (("diary", "films 2"), ("films", "movies")):
            with pytest.raises(UnknownDataset, match="scope"):
                scoped.rename(*pair)
    assert {"films", "diary"} <= {entry.name for entry in films.datasets()}


@pytest.mark.parametrize("mode", ["new", "append", "replace-all"])
def test_a_load_that_runs_or_was_interrupted(films: TrustUQA, tmp_path: Path, mode: str) -> None:
    path = tsv(tmp_path / "more.tsv", "Brazil\tstarring\tPryce")
    dataset = "half" if mode == "new" else "films"

    def stop_at_index(phase: str, _total: int, _unit: str = "bytes", /) -> None:
        if phase == "index":
            with pytest.raises(LoadRunning):
                films.rename(dataset, "movies")
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        films.load("kg", path, dataset=dataset, mode=mode, progress=Progress(stop_at_index))
    with pytest.raises(IncompleteDataset):
        films.rename(dataset, "movies")
    films.load("kg", path, dataset=dataset, mode=mode)
    films.rename(dataset, "movies")
    assert films.run("get_information(head_entity='Brazil')", "movies").outcome == "answered"


def test_names_that_are_being_embedded(films: TrustUQA) -> None:
    owner = load_journal.make_owner()
    record = {"dataset": "films", "names": 9, "error": None}
    films.connection.write(lambda tx: tx.run("record_embedding", owner=owner, **record))
    with pytest.raises(LoadRunning, match="are being embedded by process"):
        films.rename("films", "movies")
    load_journal.release_owner(owner)
    films.rename("films", "movies")


def test_a_failure_changes_nothing(taught: TrustUQA, monkeypatch: pytest.MonkeyPatch) -> None:
    before = records(taught, "films")
    run = Transaction.run

    def fail_at_last(self: Transaction, name: str, /, **parameters: object) -> object:
        if name == "rename_dataset":
            raise StatementFailed("the server is gone")
        return run(self, name, **parameters)

    monkeypatch.setattr(Transaction, "run", fail_at_last)
    with pytest.raises(StatementFailed):
        taught.rename("films", "movies")
    monkeypatch.undo()
    assert records(taught, "films") == before
    assert records(taught, "movies") == []


def test_the_command(films: TrustUQA, server: Settings) -> None:
    assert shell(server, "tuqa", "rename", "films", "old movies") == Done(
        0, "films is now old movies\n", ""
    )
    failed = shell(server, "tuqa", "rename", "films", "movies")
    assert failed.code == 1
    assert failed.err.startswith("error: no dataset 'films'")
    assert films.run(STARRING, "old movies").outcome == "answered"


def test_it_can_be_awaited(films: TrustUQA) -> None:
    asyncio.run(films.arename("films", "movies"))
    assert films.run(STARRING, "movies").outcome == "answered"
