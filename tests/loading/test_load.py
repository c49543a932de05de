"""Loads, through the client and its parts: exact, repeatable, interruptible, one at a time."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.odd_names import ODD
from support.samples import FILMS

from trustuqa_neo4j import Demonstration, TrustUQA
from trustuqa_neo4j.errors import (
    DatasetExists,
    DiskFull,
    IncompleteDataset,
    LoadRunning,
    LoadTakenOver,
    MalformedLine,
    MissingFile,
    UnknownDataset,
    UnreadableFile,
    UsageError,
)
from trustuqa_neo4j.graph import load_journal
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.graph.disk_space import DiskSpace
from trustuqa_neo4j.graph.load_journal import LoadMode, LoadSpec
from trustuqa_neo4j.language.parser import MAX_LENGTH
from trustuqa_neo4j.loading.batch import Batch, Batcher
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions, get_loader
from trustuqa_neo4j.loading.inputs import shorten_path
from trustuqa_neo4j.loading.item_filters import MAX_RELATION_LENGTH
from trustuqa_neo4j.loading.load import BYTES_PER_FACT, LoadInterrupted, load
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.loading.writer import BatchWriter
from trustuqa_neo4j.model import facts
from trustuqa_neo4j.model.dataset import Dataset
from trustuqa_neo4j.model.facts import Fact, Item, SourceStart
from trustuqa_neo4j.values import DEFAULT_VALUE_OPTIONS

KG = get_loader("kg")


Read = Callable[[Sequence[File], ReadOptions], Iterator[Item]]
Stored = tuple[str, str, str, str, int, int]


def rows(client: TrustUQA, cypher: str, **parameters: object) -> list[list[object]]:
    with client.connection.driver.session() as session:
        return [record.values() for record in session.run(cypher, parameters)]  # type: ignore[arg-type]


def stored(client: TrustUQA, dataset: str) -> list[Stored]:
    """Every fact of a dataset: head, relation, tail, source, file, line."""
    found = rows(
        client,
        "MATCH (d:Dataset {name: $d}) WITH coalesce(d.storage, d.name) AS d "
        "MATCH (h:Node {dataset: d})-[f:FACT]->(t:Node {dataset: d}), "
        "(s:Source {dataset: d})-[:HAS {number: f.number}]->(:Relation {name: f.relation}) "
        "RETURN h.name, f.relation, t.name, s.name, coalesce(f.file, 0), f.line",
        d=dataset,
    )
    return sorted(tuple(row) for row in found)  # type: ignore[misc]


def left(client: TrustUQA, dataset: str) -> int:
    """How many nodes speak of a dataset, of whatever label."""
    cypher = "MATCH (n) WHERE n.dataset = $d OR (n:Dataset AND n.name = $d) RETURN count(n)"
    return int(str(rows(client, cypher, d=dataset)[0][0]))


def listed(client: TrustUQA, name: str) -> Dataset:
    (found,) = [dataset for dataset in client.datasets() if dataset.name == name]
    return found


def tsv(path: Path, *facts: tuple[str, str, str]) -> Path:
    path.write_text("".join("\t".join(fact) + "\n" for fact in facts), encoding="utf-8")
    return path


def numbered(count: int) -> list[tuple[str, str, str]]:
    return [(f"h{n % 7}", f"r{n % 3}", f"t{n}") for n in range(count)]


@pytest.fixture
def request_of(tmp_path: Path) -> Callable[..., LoadRequest]:
    """A request for the dataset ``many``: 100 facts in batches of 10."""
    path = tsv(tmp_path / "many.tsv", *numbered(100))

    def make(read: Read = KG.read, **changes: object) -> LoadRequest:
        found = LoadRequest(replace(KG, read=read), (str(path),), "many", batch_size=10)
        return replace(found, **changes)  # type: ignore[arg-type]

    return make


def run(client: TrustUQA, request: LoadRequest) -> LoadReport:
    return load(lambda: nullcontext(client.connection), request, Progress())


def test_the_time_of_a_load_is_without_the_start_of_its_server(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("trustuqa_neo4j.loading.load.perf_counter", lambda: clock[0])

    @contextmanager
    def start() -> Iterator[Connection]:
        clock[0] += 90
        yield tuqa.connection
        clock[0] += 2

    assert load(start, request_of(), Progress()).seconds == 2


def at_each(do: Callable[[int], None]) -> Read:
    """A reader that does something before each fact."""

    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        count = 0
        for item in KG.read(files, reading):
            if isinstance(item, Fact):
                do(count)
                count += 1
            yield item

    return read


def failing_after(count: int, error: BaseException) -> Read:
    """A reader that reads ``count`` facts and raises ``error`` then."""

    def fail(number: int) -> None:
        if number == count:
            raise error

    return at_each(fail)


# Replacing.


def test_a_source_is_replaced_and_demonstrations_stay(tuqa: TrustUQA, tmp_path: Path) -> None:
    first = tsv(
        tmp_path / "a.tsv", ("Alien", "directed by", "Scott"), ("Heat", "directed by", "Mann")
    )
    second = tsv(tmp_path / "b.tsv", ("Alien", "year", "1979"))
    tuqa.load("kg", first, dataset="d", source="a", embeddings=False)
    tuqa.load("kg", second, dataset="d", source="b", mode="append", embeddings=False)
    for film in ("Alien", "Heat"):
        query = f"get_information(head_entity={film!r}, relation='directed by')"
        tuqa.demonstrations.add("d", Demonstration(f"Who directed {film}?", query))
    tsv(first, ("Alien", "directed by", "Ridley Scott"))
    report = tuqa.load("kg", first, dataset="d", source="a", mode="replace", embeddings=False)
    assert (report.begun, report.replaced, report.facts, report.total) == ("replaced", ["a"], 1, 2)
    assert {fact[2:4] for fact in stored(tuqa, "d")} == {("Ridley Scott", "a"), ("1979", "b")}
    counts = tuqa.demonstrations.counts("d")
    assert (counts.candidate, counts.runs, counts.failed) == (0, 1, 1)
    assert "a replaced, now 2 facts" in report.summary().replace("'", "")


@pytest.mark.parametrize("mode", ["replace", "replace-all"])
def test_a_dataset_is_replaced_and_demonstrations_stay(
    tuqa: TrustUQA, tmp_path: Path, mode: LoadMode
) -> None:
    path = tsv(tmp_path / "a.tsv", ("Alien", "directed by", "Scott"))
    tuqa.load("kg", path, dataset="d", source="a", embeddings=False)
    query = "get_information(head_entity='Alien', relation='directed by')"
    tuqa.demonstrations.add("d", Demonstration("Who directed Alien?", query))
    source = "a" if mode == "replace" else "b"
    tuqa.load("kg", path, dataset="d", source=source, mode=mode, embeddings=False)
    assert {fact[2:4] for fact in stored(tuqa, "d")} == {("Scott", source)}
    assert tuqa.demonstrations.counts("d").runs == 1
    tuqa.drop("d")
    assert left(tuqa, "d") == 0


@pytest.mark.parametrize("statement", ["delete_facts", "delete_nodes", "copy_facts"])
def test_an_interrupted_replacement_is_run_again(
    tuqa: TrustUQA, tmp_path: Path, statement: str
) -> None:
    path = tsv(tmp_path / "a.tsv", ("Alien", "directed by", "Scott"))
    tuqa.load("kg", path, dataset="d", source="a", embeddings=False)
    mode: LoadMode = "replace-all"
    if statement == "copy_facts":
        more = tsv(tmp_path / "b.tsv", ("Heat", "directed by", "Mann"))
        tuqa.load("kg", more, dataset="d", source="b", mode="append", embeddings=False)
        mode = "replace"
    query = "get_information(head_entity='Alien', relation='directed by')"
    tuqa.demonstrations.add("d", Demonstration("Who directed Alien?", query))
    run_alone = Connection.run_alone

    def stop(self: Connection, name: str, **parameters: Any) -> Any:
        if name == statement:
            raise KeyboardInterrupt
        return run_alone(self, name, **parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "run_alone", stop)
        with pytest.raises(LoadInterrupted):
            tuqa.load("kg", path, dataset="d", source="a", mode=mode, embeddings=False)
    assert listed(tuqa, "d").complete
    tuqa.load("kg", path, dataset="d", source="a", mode=mode, embeddings=False)
    assert listed(tuqa, "d").complete
    assert rows(tuqa, "MATCH (d:Dataset) WHERE d.version_of = 'd' RETURN d.name") == []
    assert ("Alien", "directed by", "Scott", "a") in {fact[:4] for fact in stored(tuqa, "d")}
    assert tuqa.demonstrations.counts("d").runs == 1


def test_a_replaced_source_that_cannot_be_read_stays(tuqa: TrustUQA, tmp_path: Path) -> None:
    first = tsv(tmp_path / "a.tsv", ("a", "r", "b"))
    second = tsv(tmp_path / "b.tsv", ("a", "r", "c"))
    tuqa.load("kg", first, dataset="d", source="a", embeddings=False)
    tuqa.load("kg", second, dataset="d", source="b", mode="append", embeddings=False)
    before = stored(tuqa, "d")
    first.write_text("a\tr\tb\nx\n", encoding="utf-8")
    with pytest.raises(MalformedLine):
        tuqa.load("kg", first, dataset="d", source="a", mode="replace", embeddings=False)
    assert stored(tuqa, "d") == before


# What a load leaves.


def test_counts_are_exact(tuqa: TrustUQA) -> None:
    report = tuqa.load("kg", FILMS, dataset="films")
    lines = [tuple(line.split("\t")) for line in FILMS.read_text(encoding="utf-8").splitlines()]
    assert (report.facts, report.repeated, report.total) == (14, 0, 14)
    assert (report.sources, report.begun, report.resumed_at) == (1, "new", 0)
    assert report.summary().startswith("films: 14 facts from 1 source in ")
    found = listed(tuqa, "films")
    assert (found.kind, found.complete, found.embedded, found.embedding_model) == (
        "kg",
        True,
        0,
        None,
    )
    assert found.facts == len(set(lines)) == 14
    assert found.nodes == len({name for h, _, t in lines for name in (h, t)})
    assert found.relations == len({relation for _, relation, _ in lines})
    name = shorten_path(str(FILMS))
    assert [(s.name, s.files, s.facts) for s in found.sources] == [(name, (name,), 14)]
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", found.loaded or "")
    expected = [(*line, name, 0, number) for number, line in enumerate(lines, 1)]
    assert stored(tuqa, "films") == sorted(expected)
    counted = rows(
        tuqa,
        "MATCH (:Source {dataset: 'films'})-[h:HAS]->(r:Relation {dataset: 'films'}) RETURN r.name, h.facts",
    )
    assert dict(map(tuple, counted)) == Counter(relation for _, relation, _ in lines)


def test_loading_twice_changes_nothing(tuqa: TrustUQA) -> None:
    tuqa.load("kg", FILMS, dataset="films")
    before = stored(tuqa, "films"), listed(tuqa, "films"), left(tuqa, "films")
    report = tuqa.load("kg", FILMS, dataset="films")
    assert (report.begun, report.facts, report.total) == ("unchanged", 0, 14)
    assert report.summary() == "films: loaded already from the same 1 source; nothing changed"
    assert (stored(tuqa, "films"), listed(tuqa, "films"), left(tuqa, "films")) == before


def test_the_same_fact_twice_in_a_file_is_one(tuqa: TrustUQA, tmp_path: Path) -> None:
    """With the line that says it first, in one batch and over several."""
    path = tsv(tmp_path / "f", ("a", "r", "b"), ("c", "r", "d"), ("a", "r", "b"), ("a", "r", "b"))
    for size in (1, 2, 3, 100):
        report = tuqa.load("kg", path, dataset=f"twice{size}", batch_size=size)
        assert (report.facts, report.repeated) == (2, 2)
        assert "; 2 were there already" in report.summary()
        assert [fact[5] for fact in stored(tuqa, f"twice{size}")] == [1, 2]


def test_each_file_is_a_source(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tsv(Path("one.tsv"), ("a", "r", "b"), ("a", "r", "c"))
    tsv(Path("two.tsv"), ("a", "r", "b"), ("x", "s", "y"))
    report = tuqa.load("kg", "one.tsv", "two.tsv", dataset="both")
    assert report.summary().startswith("both: 4 facts from 2 sources in ")
    found = listed(tuqa, "both")
    assert [(s.name, s.files, s.facts) for s in found.sources] == [
        ("one.tsv", ("one.tsv",), 2),
        ("two.tsv", ("two.tsv",), 2),
    ]
    assert (found.facts, found.nodes, found.relations) == (4, 5, 2)
    assert [fact[3:] for fact in stored(tuqa, "both") if fact[:3] == ("a", "r", "b")] == [
        ("one.tsv", 0, 1),
        ("two.tsv", 0, 1),
    ]


def test_one_source_of_several_files(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tsv(Path("one.tsv"), ("a", "r", "b"), ("a", "r", "c"))
    tsv(Path("two.tsv"), ("a", "r", "b"), ("", "", ""), ("a", "r", "d"))
    tuqa.load("kg", "one.tsv", "two.tsv", dataset="joined", source="all")
    (source,) = listed(tuqa, "joined").sources
    assert (source.name, source.files, source.facts) == ("all", ("one.tsv", "two.tsv"), 3)
    answer = tuqa.run("get_information(head_entity='a', relation='r')", "joined")
    places = {fact.tail: (fact.source, fact.file, fact.line) for fact in answer.evidence}
    assert places == {
        "b": ("all", "one.tsv", 1),
        "c": ("all", "one.tsv", 2),
        "d": ("all", "two.tsv", 3),
    }
    again = tuqa.load("kg", "one.tsv", "two.tsv", dataset="joined", source="all")
    assert again.begun == "unchanged"


def test_a_file_given_beside_its_folder_is_read_once(tuqa: TrustUQA, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x,y\n1,2\n")
    given = (str(tmp_path), str(tmp_path / "a.csv"))
    report = tuqa.load("table", *given, dataset="folder and file", embeddings=False)
    assert (report.sources, report.facts) == (2, 4)


def test_dry_run_writes_nothing(tuqa: TrustUQA, request_of: Callable[..., LoadRequest]) -> None:
    before = tuqa.datasets()
    report = run(tuqa, request_of(dry_run=True))
    assert (report.facts, report.dry_run) == (100, True)
    assert re.fullmatch(
        r"many: 100 facts in 1 source, read in .* facts/s\); nothing written", report.summary()
    )
    assert tuqa.datasets() == before
    assert left(tuqa, "many") == 0


def test_dry_run_finds_bad_lines(request_of: Callable[..., LoadRequest], tmp_path: Path) -> None:
    """And needs no database for it."""
    path = tmp_path / "bad.tsv"
    path.write_text("a\tr\tb\nx\n")

    def unneeded() -> nullcontext[None]:
        raise AssertionError

    with pytest.raises(MalformedLine, match=r"bad\.tsv:2"):
        load(unneeded, request_of(paths=(str(path),), dry_run=True), Progress())  # type: ignore[arg-type]


# What is refused, and leaves everything as it was.


def test_other_content_under_the_same_name(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tsv(tmp_path / "f", ("a", "r", "b"))
    tuqa.load("kg", path, dataset="mine shaft")
    before = tuqa.datasets(), stored(tuqa, "mine shaft")
    other = tsv(tmp_path / "g", ("a", "r", "c"))
    with pytest.raises(DatasetExists) as caught:
        tuqa.load("kg", other, dataset="mine shaft")
    assert str(caught.value) == (
        f"'mine shaft' is there with other content, it was loaded from {path}\nhint: "
        'mode="append" adds to it; mode="replace" replaces the sources that are loaded and keeps the others; '
        'mode="replace-all" replaces the dataset; or choose another dataset'
    )
    tsv(path, ("a", "r", "c"))
    with pytest.raises(
        DatasetExists, match='\nhint: mode="replace" replaces the sources that are loaded'
    ):
        tuqa.load("kg", path, dataset="mine shaft")
    assert (tuqa.datasets(), stored(tuqa, "mine shaft")) == before


def test_other_content_of_many_sources(tuqa: TrustUQA, tmp_path: Path) -> None:
    paths = [tsv(tmp_path / f"f{n}", ("a", "r", f"b{n}")) for n in range(5)]
    tuqa.load("kg", *paths, dataset="five")
    with pytest.raises(
        DatasetExists, match=r"from \S*f0, \S*f1, \S*f2 and 2 more\nhint: mode=\"replace\""
    ):
        tuqa.load("kg", *paths[:4], dataset="five")


def test_another_encoding_is_another_reading(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("é\tr\tb\n".encode())
    tuqa.load("kg", path, dataset="read")
    assert tuqa.load("kg", path, dataset="read", encoding="utf8").begun == "unchanged"
    with pytest.raises(
        DatasetExists, match=r"'read' is there, read in another way, .* as kg in utf-8\nhint: "
    ):
        tuqa.load("kg", path, dataset="read", encoding="latin-1")
    assert stored(tuqa, "read")[0][0] == "é"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"paths": ()}, "no file is given"),
        ({"paths": ("a", "b", "a")}, "a is given twice"),
        ({"paths": ("f\udcff",)}, "the path is not UTF-8, 'f\\udcff'\nhint: rename the file"),
        ({"dataset": ""}, "the dataset's name is empty\nhint: give dataset=NAME"),
        ({"dataset": " \t"}, "the dataset's name is empty"),
        ({"dataset": "a "}, "the dataset's name begins or ends with a blank"),
        ({"source": " a"}, "the source's name begins or ends with a blank"),
        ({"dataset": "a\nb"}, "the dataset's name holds control characters"),
        ({"dataset": "a\x9bb"}, "the dataset's name holds control characters"),
        ({"dataset": "a\udcff"}, "the dataset's name holds control characters, or is not UTF-8"),
        ({"dataset": "a" * 201}, "the dataset's name has 201 characters, and 200 are allowed"),
        ({"source": ""}, "the source's name is empty\nhint: give source=NAME"),
        ({"source": "a" * 1001}, "the source's name has 1,001 characters, and 1,000 are allowed"),
        ({"batch_size": 0}, "batches of 0 facts"),
        ({"encoding": "klingon"}, "no encoding 'klingon'\nhint: try utf-8 or latin-1"),
        ({"encoding": "rot13"}, "no encoding 'rot13'"),
        ({"encoding": "a\0"}, "no encoding 'a\\x00'"),
        ({"encoding": ""}, "no encoding ''"),
    ],
)  # fmt: skip
def test_requests_that_cannot_be(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest], changes: dict[str, object], what: str
) -> None:
    before = tuqa.datasets()
    with pytest.raises(UsageError) as caught:
        run(tuqa, request_of(**changes))
    assert str(caught.value).startswith(f"{what}")
    assert tuqa.datasets() == before


@pytest.mark.parametrize(
    ("name", "kind", "what"),
    [
        ("missing", MissingFile, "no such file"),
        ("a\0b", MissingFile, "no such file"),
        ("x" * 300, UnreadableFile, "File name too long"),
        (".", UnreadableFile, "a folder"),
        ("loop", UnreadableFile, "Too many levels of symbolic links"),
        ("/proc/self/mem", UnreadableFile, "Input/output error"),
        (os.devnull, UnreadableFile, "the file is empty"),
    ],
)
def test_files_that_cannot_be_read(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest], name: str, kind: type[Exception], what: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    before = tuqa.datasets()
    with pytest.raises(kind, match=what):
        run(tuqa, request_of(paths=(name,)))
    assert tuqa.datasets() == before
    assert left(tuqa, "many") == 0


def test_a_pipe_is_read_once(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest], tmp_path: Path
) -> None:
    """As the shell makes one of ``<(zcat …)``; it is copied, so that it can be gone on with."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = (tmp_path / "many.tsv").read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    report = run(tuqa, request_of(paths=(str(pipe),)))
    writer.join()
    assert report.total == 100
    assert listed(tuqa, "many").sources[0].name == str(pipe)


def test_formats_that_are_not_there(tuqa: TrustUQA) -> None:
    with pytest.raises(UsageError, match="no format 'kgg'\nhint: did you mean kg"):
        tuqa.load("kgg", FILMS, dataset="films")
    with pytest.raises(UsageError, match=r"no format 'quite something'\nhint: known are .*kg"):
        tuqa.load("quite something", FILMS, dataset="films")


# Loads that do not come to their end.


def test_a_bad_first_batch_leaves_nothing(tuqa: TrustUQA, tmp_path: Path) -> None:
    before = tuqa.datasets()
    path = tmp_path / "f"
    path.write_text("a\tr\tb\nx\n")
    with pytest.raises(MalformedLine):
        tuqa.load("kg", path, dataset="bad")
    assert tuqa.datasets() == before
    assert left(tuqa, "bad") == 0


def test_a_bad_line_further_down_is_seen_by_nobody(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tsv(tmp_path / "f", *numbered(50), ("wrong", "", "t"), *numbered(60)[50:])
    with pytest.raises(MalformedLine) as caught:
        tuqa.load("kg", path, dataset="bad", batch_size=10)
    assert caught.value.where == f"{path}:51"
    found = listed(tuqa, "bad")
    assert (found.complete, found.facts, found.loaded) == (False, 50, None)
    with pytest.raises(IncompleteDataset) as refused:
        tuqa.run("get_information(head_entity='h1', relation='r1')", "bad")
    assert str(refused.value) == (
        f"the load of 'bad' has not finished, it has come to {path}:50\nhint: "
        "run the same tuqa-load again to go on with it, or `tuqa drop` the dataset"
    )
    tsv(path, ("right", "r0", "t0"), *numbered(60)[1:])
    report = tuqa.load("kg", path, dataset="bad", batch_size=10)
    assert (report.begun, report.facts, report.total) == ("other", 60, 60)
    assert "; an unfinished load of other content was removed first" in report.summary()
    assert {fact[:3] for fact in stored(tuqa, "bad")} == {("right", "r0", "t0"), *numbered(60)[1:]}
    assert listed(tuqa, "bad").nodes == len({n for h, _, t in numbered(60)[1:] for n in (h, t)}) + 2


def test_passing_over_the_bad_line_goes_on(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tsv(tmp_path / "f", *numbered(50), ("wrong", "", "t"), *numbered(60)[50:])
    with pytest.raises(MalformedLine):
        tuqa.load("kg", path, dataset="bad", batch_size=10)
    report = tuqa.load("kg", path, dataset="bad", batch_size=10, skip_bad=1)
    assert (report.begun, report.resumed_at, report.facts, report.total) == ("resumed", 50, 10, 60)
    assert [bad.where for bad in report.bad] == [f"{path}:51"]
    assert report.summary().endswith("; went on after 50 facts, now 60")
    assert json.loads(json.dumps(report.to_dict()))["bad"] == [
        {"where": f"{path}:51", "what": "the relation is empty"}
    ]
    assert {fact[:3] for fact in stored(tuqa, "bad")} == set(numbered(60))


def test_the_line_too_many_tells_those_before_it(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a\tr\tb\n" + "x\n" * 13)
    with pytest.raises(MalformedLine) as caught:
        tuqa.load("kg", path, dataset="bad", skip_bad=12)
    assert caught.value.where == f"{path}:14"
    told = ", ".join(f"{path}:{line}" for line in range(2, 12))
    assert caught.value.hint.endswith(f"; skipped before it: {told} and 2 more")


def test_an_unfinished_load_in_another_encoding(tuqa: TrustUQA, tmp_path: Path) -> None:
    """Two readings of one file must not be mixed."""
    path = tmp_path / "f"
    path.write_bytes("é\tr\tb\n".encode() * 3 + b"\xe9\tr\tb\n")
    with pytest.raises(UnreadableFile):
        tuqa.load("kg", path, dataset="read", batch_size=1)
    report = tuqa.load("kg", path, dataset="read", batch_size=1, encoding="latin-1")
    assert report.total == 2
    assert [fact[0] for fact in stored(tuqa, "read")] == ["Ã©", "é"]


@pytest.mark.parametrize("count", [0, 5, 10, 55, 99])
def test_ctrl_c_and_going_on(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest], count: int
) -> None:
    with pytest.raises(LoadInterrupted) as caught:
        run(tuqa, request_of(failing_after(count, KeyboardInterrupt())))
    kept = count // 10 * 10
    path = request_of().paths[0]
    if kept:
        assert str(caught.value) == (
            f"interrupted: {kept} facts of 'many' are stored, up to {path}:{kept}, "
            "run the same command again to go on"
        )
        assert not listed(tuqa, "many").complete
    else:
        assert str(caught.value) == (
            "interrupted: nothing of 'many' is stored yet, run the same command again to go on"
        )
        assert left(tuqa, "many") == 0
    report = run(tuqa, request_of())
    assert (report.begun, report.resumed_at) == (("resumed", kept) if kept else ("new", 0))
    assert (report.facts, report.total) == (100 - kept, 100)
    gone_on = [fact[:3] + fact[5:] for fact in stored(tuqa, "many")]
    assert gone_on == sorted((*fact, line) for line, fact in enumerate(numbered(100), 1))


def test_ctrl_c_ends_a_batch_and_not_a_transaction(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def press(number: int) -> None:
        if number == 55:
            os.kill(os.getpid(), signal.SIGINT)

    # The batch with the line is read while the one before is written, and may be written as well.
    with pytest.raises(LoadInterrupted, match=r"[456]0 facts of 'many' are stored") as caught:
        run(tuqa, request_of(at_each(press)))
    assert str(caught.value).startswith(f"interrupted: {len(stored(tuqa, 'many'))} facts")
    with pytest.raises(LoadInterrupted, match="'late' had been loaded by then"):
        run_then_press(tuqa, request_of(dataset="late"))
    assert listed(tuqa, "late").complete
    signal.signal(signal.SIGINT, before)


def run_then_press(tuqa: TrustUQA, request: LoadRequest) -> None:
    """Ctrl-C while the last thing is written."""
    finish = load_journal.finish_load

    def press(*given: object) -> int:
        done = finish(*given)  # type: ignore[arg-type]
        signal.raise_signal(signal.SIGINT)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_journal, "finish_load", press)
        run(tuqa, request)


def test_ctrl_c_while_a_batch_is_read(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    """A reader that is slow, or skips what is there already, is not waited for."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    held = threading.Event()

    def hang(number: int) -> None:
        if number == 5:
            os.kill(os.getpid(), signal.SIGINT)
            assert held.wait(120)
        if number == 8:
            raise AssertionError("read on")

    def let_go(*_: object) -> None:
        held.set()

    batcher = Batcher.__setattr__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Batcher,
            "__setattr__",
            lambda self, name, value: (
                batcher(self, name, value),
                name == "is_stopped" and value and let_go(),
            ),
        )
        with pytest.raises(LoadInterrupted, match="nothing of 'many' is stored yet"):
            run(tuqa, request_of(at_each(hang)))
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("source", [None, "one"])
def test_going_on_over_several_files(
    tuqa: TrustUQA, tmp_path: Path, request_of: Callable[..., LoadRequest], source: str | None
) -> None:
    paths = tuple(str(tsv(tmp_path / f"{n}", *numbered(100)[n::4])) for n in range(4))
    with pytest.raises(
        LoadInterrupted, match=rf"60 facts of 'many' are stored, up to {paths[2]}:10"
    ):
        run(tuqa, request_of(failing_after(65, KeyboardInterrupt()), paths=paths, source=source))
    assert not listed(tuqa, "many").complete
    report = run(tuqa, request_of(paths=paths, source=source))
    assert (report.begun, report.resumed_at, report.facts, report.total) == ("resumed", 60, 40, 100)
    places = {fact[:3]: fact[3:] for fact in stored(tuqa, "many")}
    assert places == {
        fact: ("one", file, line) if source else (paths[file], 0, line)
        for file in range(4)
        for line, fact in enumerate(numbered(100)[file::4], 1)
    }
    expected = [("one", paths, 100)] if source else [(path, (path,), 25) for path in paths]
    assert [(s.name, s.files, s.facts) for s in listed(tuqa, "many").sources] == expected


WANTED = LoadSpec("many", "kg", "kg", "utf-8", "", "", None, ("f",), (1,), ("0",))


def dead() -> str:
    """An owner whose process has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{socket.gethostname()} {process.pid} 1 x"


def batch_of(*facts: Fact, skip: int = 0) -> Batch:
    """All facts in one batch, the first ``skip`` items (the first is the source) left out."""
    found = Batcher(
        iter([SourceStart("s", "f", "kg"), *facts]), DEFAULT_VALUE_OPTIONS, skip=skip
    ).next()
    assert found is not None
    return found


def test_killed_before_the_first_batch(tuqa: TrustUQA) -> None:
    assert load_journal.start_load(tuqa.connection, WANTED, dead()).outcome == "new"
    mine = load_journal.make_owner()
    found = load_journal.start_load(tuqa.connection, WANTED, mine)
    assert (found.outcome, found.number, found.position) == ("resumed", 1, 0)
    load_journal.release_owner(mine)


def test_killed_before_the_dataset_was_finished(tuqa: TrustUQA) -> None:
    owner = dead()
    number = load_journal.start_load(tuqa.connection, WANTED, owner).number
    BatchWriter(tuqa.connection, "many", number, owner, 0).write(batch_of(Fact("s", "r", "t", 1)))
    assert not listed(tuqa, "many").complete
    mine = load_journal.make_owner()
    found = load_journal.start_load(tuqa.connection, WANTED, mine)
    assert (found.outcome, found.position, found.facts) == ("resumed", 2, 1)
    assert load_journal.finish_load(tuqa.connection, "many", number, mine, "kg") == 1
    assert listed(tuqa, "many").complete
    load_journal.release_owner(mine)


# One at a time.


def test_a_second_load_while_one_runs(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    refused: list[LoadRunning] = []

    def begin_another(number: int) -> None:
        if number == 35:
            with pytest.raises(LoadRunning) as caught:
                run(tuqa, request_of())
            refused.append(caught.value)

    assert run(tuqa, request_of(at_each(begin_another))).total == 100
    assert re.fullmatch(
        rf"'many' is being loaded by process {os.getpid()} on {socket.gethostname()}, "
        rf"from {request_of().paths[0]}, \d\d items read\nhint: "
        "wait for it, or stop it and run this again to go on",
        str(refused[0]),
    )
    assert refused[0].exit_code == 1


def test_of_two_that_begin_at_once_one_wins(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    together = threading.Barrier(2)
    refused = threading.Event()
    ended: list[object] = []

    def wait(_: int) -> None:
        assert refused.wait(120)

    def one() -> None:
        together.wait(120)
        try:
            ended.append(run(tuqa, request_of(at_each(wait))).total)
        except LoadRunning as error:
            ended.append(type(error))
            refused.set()

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert ended == [LoadRunning, 100]
    assert len(stored(tuqa, "many")) == 100


def test_a_load_that_was_taken_over_stops(tuqa: TrustUQA) -> None:
    """As when a process of another host was silent for long, and was not gone after all."""
    connection = tuqa.connection
    connection.prepare()
    first, second = "elsewhere.example 1 1 x", "elsewhere.example 2 1 y"
    b, c = Fact("a", "r", "b", 1), Fact("a", "r", "c", 2)
    number = load_journal.start_load(connection, WANTED, first).number
    one = BatchWriter(connection, "many", number, first, 0)
    one.write(batch_of(b))
    connection.write(
        lambda tx: tx.run("take_over_load", dataset="many", number=number, owner=second).rows
    )
    with pytest.raises(LoadTakenOver) as caught:
        one.write(batch_of(b, c, skip=2))
    assert str(caught.value) == (
        "another tuqa-load went on with this load, or the dataset was dropped or renamed, "
        "dataset 'many'\nhint: `tuqa datasets` tells how far it is"
    )
    with pytest.raises(LoadTakenOver):
        load_journal.finish_load(connection, "many", number, first, "kg")
    assert load_journal.stop_load(connection, "many", first) is None
    two = BatchWriter(connection, "many", number, second, 2)
    two.write(batch_of(b, c, skip=2))
    with pytest.raises(LoadTakenOver):  # a batch that does not begin where the load stands
        BatchWriter(connection, "many", number, second, 2).write(batch_of(b, c, skip=2))
    load_journal.finish_load(connection, "many", number, second, "kg")
    assert [fact[2] for fact in stored(tuqa, "many")] == ["b", "c"]


def test_a_load_that_is_there_no_more(tuqa: TrustUQA) -> None:
    with pytest.raises(
        LoadTakenOver, match="or the dataset was dropped or renamed, dataset 'nothing'"
    ):
        BatchWriter(tuqa.connection, "nothing", 1, dead(), 0).write(batch_of())
    assert load_journal.stop_load(tuqa.connection, "nothing", dead()) is None


def test_another_host_is_waited_for(tuqa: TrustUQA) -> None:
    load_journal.start_load(tuqa.connection, WANTED, "elsewhere.example 1 1 x")
    with pytest.raises(LoadRunning, match=r"process 1 on elsewhere\.example"):
        load_journal.start_load(tuqa.connection, WANTED, dead())


# Dropping.


def test_drop_says_what_it_deleted_and_touches_nothing_else(tuqa: TrustUQA) -> None:
    tuqa.load("kg", FILMS, dataset="films")
    tuqa.load("kg", FILMS, dataset="films too")
    before = stored(tuqa, "films"), listed(tuqa, "films"), left(tuqa, "films")
    dropped = tuqa.drop("films too")
    assert (dropped.facts, dropped.nodes) == (14, before[1].nodes)
    assert left(tuqa, "films too") == 0
    assert (stored(tuqa, "films"), listed(tuqa, "films"), left(tuqa, "films")) == before


def test_drop_of_nothing(tuqa: TrustUQA) -> None:
    tuqa.load("kg", FILMS, dataset="films")
    with pytest.raises(UnknownDataset) as caught:
        tuqa.drop("film")
    assert str(caught.value) == "no dataset 'film'\nhint: did you mean 'films'?"
    with pytest.raises(
        UnknownDataset, match=r"no dataset 'xyzzy'\nhint: `tuqa datasets` lists what is loaded"
    ):
        tuqa.drop("xyzzy")


def test_an_interrupted_drop_is_done_again(tuqa: TrustUQA) -> None:
    """What it leaves is visible to nobody and cannot be loaded over."""
    tuqa.load("kg", FILMS, dataset="films")
    connection = tuqa.connection
    connection.write(lambda tx: tx.run("mark_dataset_dropping", dataset="films").rows)
    connection.run_alone("delete_facts", dataset="films")
    assert not listed(tuqa, "films").complete
    with pytest.raises(IncompleteDataset):
        tuqa.run("get_information(head_entity='Alien', relation='starring')", "films")
    with pytest.raises(
        IncompleteDataset,
        match=r"'films' is being dropped\nhint: .*wait for it; otherwise run `tuqa drop films` to the end",
    ):
        tuqa.load("kg", FILMS, dataset="films")
    assert tuqa.drop("films").facts == 14
    assert left(tuqa, "films") == 0
    assert tuqa.load("kg", FILMS, dataset="films").total == 14


def test_dropping_an_unfinished_load(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    with pytest.raises(LoadInterrupted):
        run(tuqa, request_of(failing_after(55, KeyboardInterrupt())))
    assert tuqa.drop("many").facts == 50
    assert left(tuqa, "many") == 0


def test_a_drop_stops_a_load_that_runs(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    """Not a single node may come after it: no later dataset of this name may find it."""

    def drop(number: int) -> None:
        if number == 55:
            tuqa.drop("many")

    with pytest.raises(LoadTakenOver):
        run(tuqa, request_of(at_each(drop)))
    assert left(tuqa, "many") == 0


def test_a_drop_at_work_stops_a_load_that_runs(
    tuqa: TrustUQA, request_of: Callable[..., LoadRequest]
) -> None:
    def hide(number: int) -> None:
        if number == 55:
            tuqa.connection.write(lambda tx: tx.run("mark_dataset_dropping", dataset="many").rows)

    with pytest.raises(LoadTakenOver):
        run(tuqa, request_of(at_each(hide)))
    assert len(stored(tuqa, "many")) in (40, 50)
    tuqa.drop("many")


# Names.


def test_odd_names_are_found_again_exactly(tuqa: TrustUQA, tmp_path: Path) -> None:
    tuqa.load("kg", FILMS, dataset="films")
    everything = (
        "MATCH (n) WHERE NOT n:Schema AND coalesce(n.dataset, n.name) <> 'odd' "
        "RETURN labels(n), properties(n)"
    )
    indexes = "SHOW INDEXES YIELD name RETURN name ORDER BY name"
    before = sorted(map(repr, rows(tuqa, everything))), rows(tuqa, indexes), stored(tuqa, "films")
    facts = [(name, f"rel {name}", f"{name} {number}") for number, name in enumerate(ODD)]
    tuqa.load("kg", tsv(tmp_path / "odd", *facts), dataset="odd")
    assert sorted(fact[:3] for fact in stored(tuqa, "odd")) == sorted(facts)
    for line, (head, relation, tail) in enumerate(facts, 1):
        for query, value in (
            (f'get_information(head_entity="{head}", relation="{relation}")', tail),
            (f'get_information(relation="{relation}", tail_entity="{tail}")', head),
        ):
            answer = tuqa.run(query, "odd")
            assert (answer.outcome, answer.values) == ("answered", (value,)), query
            assert [(f.head, f.relation, f.tail, f.line) for f in answer.evidence] == [
                (head, relation, tail, line)
            ]
            assert not answer.mapped
    assert (
        sorted(map(repr, rows(tuqa, everything))),
        rows(tuqa, indexes),
        stored(tuqa, "films"),
    ) == before


def test_odd_names_of_datasets_and_sources(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tsv(tmp_path / "f", ("a", "r", "b"))
    for name in ("x'}) DETACH DELETE n //", "`a`", "$dataset", "\u200fשלום", "a b", "𝒜" * 200):
        tuqa.load("kg", path, dataset=name, source="𝒮" * 1000)
        assert tuqa.run("get_information(head_entity='a', relation='r')", name).values == ("b",)
        assert tuqa.drop(name).facts == 1
        assert left(tuqa, name) == 0


def test_very_long_names_are_found_again_exactly(tuqa: TrustUQA, tmp_path: Path) -> None:
    """A megabyte, alike but for the last character; and a name that is the key of another."""
    length = facts.MAX_KEY_LENGTH
    long = ["x" * 1_000_000 + end for end in "ab"]
    near = ["𝒜" * count for count in (length - 1, length, length + 1, length + 2)]
    keys = [facts.make_node_key(name) for name in (*long, *near)]
    names = [*long, *near, *keys[:1], *keys[-1:]]
    assert len(set(map(facts.make_node_key, names))) == len(set(names)) == 8
    path = tsv(tmp_path / "long", *((name, "r", f"t{n}") for n, name in enumerate(names)))
    tuqa.load("kg", path, dataset="𝒟" * 200)
    found = listed(tuqa, "𝒟" * 200)
    assert (found.facts, found.nodes) == (8, 16)
    for number, name in enumerate(names):
        if len(name) < MAX_LENGTH // 2:
            forth = tuqa.run(f"get_information(head_entity='{name}', relation='r')", "𝒟" * 200)
            assert forth.values == (f"t{number}",)
        back = tuqa.run(f"get_information(relation='r', tail_entity='t{number}')", "𝒟" * 200)
        assert back.values == (name,)
        assert back.evidence[0].head == name


def test_the_longest_relation(tuqa: TrustUQA, tmp_path: Path) -> None:
    longest = "𝓡" * MAX_RELATION_LENGTH
    path = tsv(tmp_path / "f", ("a", longest, "b"), ("a", longest + "x", "c"))
    with pytest.raises(
        MalformedLine, match=rf"a relation of 1,001 characters, and 1,000 are allowed, {path}:2"
    ):
        tuqa.load("kg", path, dataset="long")
    assert left(tuqa, "long") == 0
    report = tuqa.load("kg", path, dataset="long", skip_bad=1)
    assert (report.total, len(report.bad)) == (1, 1)
    assert tuqa.run(f"get_information(head_entity='a', relation='{longest}')", "long").values == (
        "b",
    )


def test_a_loader_is_found_by_its_name() -> None:
    assert isinstance(KG, Loader)
    assert (KG.name, KG.kind) == ("kg", "kg")


def test_a_load_ends_before_the_disk_is_full_and_goes_on_when_there_is_space(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    free = [10**9]
    looks: list[int] = []

    def count_look(_folder: Path) -> object:
        looks.append(free[min(len(looks), len(free) - 1)])
        return usage._replace(free=looks[-1])

    monkeypatch.setattr(shutil, "disk_usage", count_look)
    monkeypatch.setattr(tuqa.connection, "disk", DiskSpace(tmp_path, 10**8))
    complete, path = tmp_path / "complete.tsv", tmp_path / "f.tsv"
    complete.write_text("a\tr\tb\n")
    path.write_text("".join(f"h{n}\tr\tt{n}\n" for n in range(100)))
    tuqa.load("kg", complete, dataset="complete")
    looks.clear()
    free[:] = [10**9] * 3 + [
        10**7
    ]  # at the start, before the first batch, after it and after the next
    with pytest.raises(DiskFull) as caught:
        tuqa.load("kg", path, dataset="d", batch_size=10)
    assert caught.value.exit_code == 3
    sizes = {dataset.name: (dataset.facts, dataset.complete) for dataset in tuqa.datasets()}
    assert sizes == {"complete": (1, True), "d": (20, False)}
    with pytest.raises(DiskFull):
        tuqa.load("kg", path, dataset="d", batch_size=10)
    free[:] = [10**9]
    report = tuqa.load("kg", path, dataset="d", batch_size=10)
    assert (report.begun, report.resumed_at, report.total) == ("resumed", 20, 100)


def test_the_space_for_sources_that_are_copied_is_checked(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is replaced leaves the other source as it is, which is copied; what is appended copies none."""
    kept, changed, added = (tmp_path / name for name in ("kept.tsv", "changed.tsv", "added.tsv"))
    kept.write_text("".join(f"h{n}\tr\tt\n" for n in range(50)))
    changed.write_text("a\tr\tb\n")
    added.write_text("a\tr\tc\n")
    tuqa.load("kg", kept, changed, dataset="d")
    copied = 50 * BYTES_PER_FACT
    usage = shutil.disk_usage(tmp_path)._replace(free=10**8 + copied)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    monkeypatch.setattr(tuqa.connection, "disk", DiskSpace(tmp_path, 10**8))
    with pytest.raises(DiskFull):
        tuqa.load("kg", changed, dataset="d", mode="replace")
    assert [(dataset.facts, dataset.complete) for dataset in tuqa.datasets()] == [(51, True)]
    assert tuqa.load("kg", added, dataset="d", mode="append").total == 52
    usage = usage._replace(free=10**8 + 51 * BYTES_PER_FACT + 8 * changed.stat().st_size)
    assert tuqa.load("kg", changed, dataset="d", mode="replace").total == 52


def test_a_load_that_cannot_fit_changes_nothing(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.tsv"
    path.write_text("a\tr\tb\n")
    tuqa.load("kg", path, dataset="d")
    path.write_text("a\tr\tc\n" * 1000)
    usage = shutil.disk_usage(tmp_path)._replace(free=10**8 + 8 * 6000 - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    monkeypatch.setattr(tuqa.connection, "disk", DiskSpace(tmp_path, 10**8))
    with pytest.raises(DiskFull):
        tuqa.load("kg", path, dataset="d", mode="replace")
    assert [(dataset.facts, dataset.complete) for dataset in tuqa.datasets()] == [(1, True)]
