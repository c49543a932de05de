"""Files of several formats are one load: each is read in its own format, and a fault leaves nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import DataError, MalformedLine, UsageError

CREWS = "".join(f"Apollo {n}\tcommander\tPilot {n}\n" for n in range(7, 12))
FLIGHTS = "".join(f"Pilot {n}\tserved\tNASA\t196{n - 5}\t197{n - 5}\n" for n in range(7, 12))
MASSES = "mission,mass\nApollo 8,28870 kg\nApollo 9,36511 kg\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in (("crews.tsv", CREWS), ("flights.tsv", FLIGHTS), ("masses.csv", MASSES)):
        (tmp_path / name).write_text(content)
    (tmp_path / "sites.json").write_text(json.dumps([{"site": "Pad 39A", "state": "Florida"}]))
    return tmp_path


def test_each_file_has_its_format(folder: Path, tuqa: TrustUQA) -> None:
    names = ["crews.tsv", "flights.tsv", "masses.csv", "sites.json"]
    report = tuqa.load(*names, dataset="moon", embeddings=False)
    formats = [detected.format for detected in report.detected]
    assert formats == ["kg", "temporal-kg", "table", "json"]
    (dataset,) = (entry for entry in tuqa.datasets() if entry.name == "moon")
    kinds = {source.name: source.kind for source in dataset.sources}
    assert dataset.kind == "mixed"
    assert {name: kinds[name] for name in names[:3]} == {
        "crews.tsv": "kg", "flights.tsv": "temporal-kg", "masses.csv": "table",
    }  # fmt: skip
    query = "get_information(head_entity='Apollo 8', relation='commander', key='served')"
    (fact, *_) = tuqa.run(query, "moon").evidence
    assert tuqa.run(query, "moon").values == ("NASA",)
    assert fact.file in names
    assert tuqa.ask("What is the mass of Apollo 9?", "moon").outcome == "answered"
    again = tuqa.load(*names, dataset="moon", embeddings=False)
    assert again.begun == "unchanged"
    (folder / "masses.csv").write_text(MASSES.replace("28870", "28871"))
    changed = tuqa.load(*names, dataset="moon", mode="replace", embeddings=False)
    assert len(changed.replaced) == len(dataset.sources)
    assert tuqa.run("get_information(relation='mass')", "moon").values == ("28871 kg", "36511 kg")


def test_the_columns_of_a_table_are_read_as_in_a_load_of_its_own(
    folder: Path, tuqa: TrustUQA
) -> None:
    prices = "item;price;sold\nchair;1.234;03/04/2020\ntable;1.234,50;25/04/2020\n"
    (folder / "prices.csv").write_text(prices)
    tuqa.load("prices.csv", dataset="alone", embeddings=False)
    report = tuqa.load("crews.tsv", "prices.csv", dataset="both", embeddings=False)
    assert [detected.format for detected in report.detected] == ["kg", "table"]
    for relation, compared in (("price", 1000), ("sold", "2020-04-03")):
        query = f"get_information(relation={relation!r}, tail_entity>={compared!r})"
        found = [len(tuqa.run(query, dataset).values) for dataset in ("alone", "both")]
        assert found == [2, 2], relation


@pytest.mark.parametrize("mode", ["new", "append", "replace-all"])
def test_a_fault_of_one_file_leaves_nothing(folder: Path, tuqa: TrustUQA, mode: str) -> None:
    tuqa.load("kg", "crews.tsv", dataset="moon" if mode != "new" else "other", embeddings=False)
    (folder / "more.tsv").write_text(CREWS.replace("Apollo", "Skylab") + "Skylab 12\tcommander\n")
    before = tuqa.datasets()
    with pytest.raises(MalformedLine) as caught:
        tuqa.load(
            "masses.csv",
            "more.tsv",
            dataset="moon",
            mode=mode,
            embeddings=False,
            batch_size=1,  # type: ignore[arg-type]
        )
    assert caught.value.where == "more.tsv:6"
    assert tuqa.datasets() == before


def test_what_is_refused(folder: Path, tuqa: TrustUQA) -> None:
    with pytest.raises(UsageError, match="one source of several formats, kg, table"):
        tuqa.load("crews.tsv", "masses.csv", dataset="moon", source="s", dry_run=True)
    (folder / "rows").mkdir()
    (folder / "rows" / "masses.csv").write_text(MASSES)
    with pytest.raises(UsageError, match="inputs of different formats"):
        tuqa.load("crews.tsv", "rows", dataset="moon", dry_run=True)
    (folder / "note.txt").write_text("Only prose stands here.\nNothing else.\n")
    with pytest.raises((UsageError, DataError), match=r"note\.txt"):
        tuqa.load("crews.tsv", "note.txt", dataset="moon", dry_run=True)


@pytest.fixture
def sh(server: Settings) -> Callable[..., Done]:
    return lambda *words: shell(server, *words)


def test_the_command_tells_the_formats(
    folder: Path, sh: Callable[..., Done], tuqa: TrustUQA
) -> None:
    done = sh("tuqa-load", "crews.tsv", "masses.csv", "--dataset", "moon", "--no-embeddings")
    assert done.code == 0
    assert "crews.tsv: kg (head, relation, tail; tab)" in done.err
    assert "masses.csv: table (CSV, comma, 2 columns)\n" in done.err
    assert done.out.startswith("moon: 9 facts from 2 sources")
    (folder / "masses.csv").write_text(MASSES + "Apollo 10,42775 kg\n")
    refreshed = sh("tuqa-load", "--refresh", "--dataset", "moon", "--yes", "--no-embeddings")
    assert refreshed.code == 0, refreshed.err
    assert len(tuqa.run("get_information(relation='mass')", "moon").values) == 3
