"""``TrustUQA.load`` without a format: paths, DataFrames and records."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import UnknownDataset, UnknownFormat, UsageError
from trustuqa_neo4j.loading.inputs import shorten_path

RECORDS = [
    {"name": "Alien", "year": 1979, "seen": dt.date(2020, 5, 1)},
    {"name": "Dune", "year": 2021, "cast": [{"name": "Zendaya"}]},
]


@pytest.fixture
def medals(tmp_path: Path) -> Path:
    path = tmp_path / "medals.csv"
    path.write_text("nation,gold\nFrance,16\nJapan,20\n")
    return path


def test_a_file(tuqa: TrustUQA, medals: Path) -> None:
    report = tuqa.load(medals)
    assert (report.dataset, report.facts) == ("medals", 4)
    (detected,) = report.detected
    assert (detected.file, detected.format) == (str(medals), "table")
    for again in (
        tuqa.load(str(medals)),
        tuqa.load("table", medals),
        tuqa.load("csv", medals),
        tuqa.load(medals, format="table", dataset="medals"),
    ):
        assert again.begun == "unchanged"
    assert tuqa.load("table", medals).detected == []


def test_a_file_below_the_working_folder_has_a_short_name(
    tuqa: TrustUQA, medals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(medals.parent)
    paths = (medals, "./medals.csv", "medals.csv", f"{medals.parent}/./medals.csv")
    loads = [tuqa.load("table", path, dataset="short").begun for path in paths]
    assert loads == ["new", "unchanged", "unchanged", "unchanged"]
    folder = medals.parent / "more"
    folder.mkdir()
    medals.rename(folder / "medals.csv")
    tuqa.load("table", folder, dataset="short", mode="append")
    (dataset,) = [d for d in tuqa.datasets() if d.name == "short"]
    assert [source.name for source in dataset.sources] == ["medals.csv", "more/medals.csv"]
    assert [shorten_path(path) for path in ("-", "./-", "../a.csv", "a/../b.csv", "sqlite:///x.db")] == [
        "-", "./-", "../a.csv", "a/../b.csv", "sqlite:///x.db",
    ]  # fmt: skip
    assert shorten_path(str(medals.parent)) == "."
    tuqa.drop("short")


def test_a_frame(tuqa: TrustUQA) -> None:
    report = tuqa.load(pd.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]}), dataset="f")
    assert (report.facts, report.detected[0].format) == (3, "table")
    (dataset,) = [d for d in tuqa.datasets() if d.name == "f"]
    assert [source.name for source in dataset.sources] == ["DataFrame"]


def test_records(tuqa: TrustUQA) -> None:
    report = tuqa.load(RECORDS, dataset="films")
    assert report.detected[0].format == "json"
    answer = tuqa.run("get_information(relation='seen', head_entity='Alien')", "films")
    assert answer.values == ("2020-05-01",)
    assert [(fact.source, fact.file, fact.line) for fact in answer.evidence] == [
        ("records", "records", 1)
    ]
    assert tuqa.load("json", RECORDS, dataset="films").begun == "unchanged"
    more = tuqa.load(RECORDS[:1], dataset="films", source="more", mode="append")
    assert more.begun == "appended"


def test_calls_that_are_wrong(tuqa: TrustUQA, medals: Path) -> None:
    with pytest.raises(UsageError, match="no file is given"):
        tuqa.load(dataset="d")
    with pytest.raises(UsageError, match="no file is given"):
        tuqa.load("table", dataset="d")
    with pytest.raises(UsageError, match=r"need a name for their dataset\nhint: give dataset=NAME"):
        tuqa.load(RECORDS)
    with pytest.raises(UsageError, match="need a name for their dataset"):
        tuqa.load(medals, pd.DataFrame({"a": [1]}))
    with pytest.raises(
        UsageError, match="a list is not of the format table\nhint: load it as json"
    ):
        tuqa.load("table", medals, RECORDS, dataset="d")
    with pytest.raises(UsageError, match="inputs of different formats, table: DataFrame; json"):
        tuqa.load(pd.DataFrame({"a": [1]}), RECORDS, dataset="d")
    with pytest.raises(UsageError, match="a list of int"):
        tuqa.load([1, 2], dataset="d")  # type: ignore[list-item]
    with pytest.raises(UsageError, match="the list is empty"):
        tuqa.load([], dataset="d")
    with pytest.raises(UsageError, match="a int is neither a path nor a DataFrame"):
        tuqa.load(3, dataset="d")  # type: ignore[arg-type]
    with pytest.raises(UnknownFormat, match="no format 'tabel'"):
        tuqa.load("tabel", medals)
    with pytest.raises(TypeError, match="formt"):
        tuqa.load(medals, formt="table")  # type: ignore[call-arg]


def test_a_scope_is_enforced(tuqa: TrustUQA, medals: Path) -> None:
    scoped = TrustUQA(tuqa.connection.driver, datasets=["films"])
    with pytest.raises(UnknownDataset, match="medals"):
        scoped.load(medals)
