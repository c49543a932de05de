"""A dataset can be asked while it is loaded anew: who asks gets the old data or the new, whole."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from support.paused_load import paused_load
from support.shell import environment, shell

from trustuqa_neo4j import Demonstration, Settings, TrustUQA
from trustuqa_neo4j.errors import (
    DiskFull,
    IncompleteDataset,
    LoadRunning,
    TrustUQAError,
    UnknownDataset,
    UnknownSource,
)
from trustuqa_neo4j.graph import replacement, versions
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.load import LoadInterrupted, load
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
)

KG = get_loader("kg")
FACTS = 60

Facts = list[tuple[str, str, str]]


def fleet(owner: str, count: int = FACTS) -> Facts:
    """Ships of one owner, in ports that all fleets share."""
    return [
        fact
        for n in range(count // 2)
        for fact in (
            (f"{owner} {n}", "sails for", owner),
            (f"{owner} {n}", "moored in", f"port {n % 5}"),
        )
    ]


def tsv(path: Path, facts: Facts) -> Path:
    path.write_text("".join("\t".join(fact) + "\n" for fact in facts), encoding="utf-8")
    return path


def cells(client: TrustUQA, cypher: str, **parameters: object) -> list[object]:
    with client.connection.driver.session() as session:
        return [record[0] for record in session.run(cypher, parameters)]  # type: ignore[arg-type]


def count_records(client: TrustUQA) -> tuple[int, int, int]:
    """Records of datasets, of loads, and nodes that are not visible for good."""
    (counts,) = cells(
        client,
        "RETURN [COUNT { MATCH (d:Dataset) WHERE d.name STARTS WITH 'fleet' }, "
        "COUNT { MATCH (l:Load) WHERE l.dataset STARTS WITH 'fleet' }, COUNT { (:Pending) }] AS counts",
    )
    first, second, third = counts  # type: ignore[misc]
    return int(first), int(second), int(third)


def make_request(path: Path, mode: str, hook: Callable[[int], None] | None = None) -> LoadRequest:
    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        count = 0
        for item in KG.read(files, reading):
            if isinstance(item, Fact) and hook is not None:
                count += 1
                hook(count)
            yield item

    request = LoadRequest(replace(KG, read=read), (str(path),), "fleet", source=path.stem)
    return replace(request, mode=mode, batch_size=10)  # type: ignore[arg-type]


def run_load(client: TrustUQA, request: LoadRequest) -> LoadReport:
    return load(lambda: nullcontext(client.connection), request, Progress())


QUERIES = (
    "get_information(relation='sails for')",
    "get_information(relation='moored in', tail_entity='port 1')",
    "get_information(tail_entity='port 2')",
    "get_information(head_entity='North 1')",
    "get_information(head_entity='South 1')",
    "count(set=get_information(relation='moored in'))",
)


def ask_all(client: TrustUQA) -> list[object]:
    """What readers see: outcome, values and remarks on names of each query, and the totals."""
    answers = [client.run(query, "fleet") for query in QUERIES]
    schema = client.schema("fleet")
    names = client.find_names("South", "fleet")
    return [
        *[(a.outcome, sorted(map(str, a.values)), tuple(map(str, a.mapped))) for a in answers],
        (schema.nodes, schema.facts, sorted(source.name for source in schema.sources)),
        str(names),
    ]


@contextmanager
def reader_of(client: TrustUQA) -> Iterator[list[list[object]]]:
    """Asks all the time in a thread of its own; what it got, errors too."""
    got: list[list[object]] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            try:
                seen = ask_all(client)
            except TrustUQAError as error:  # the test fails with it
                seen = [error]
            if not got or got[-1] != seen:
                got.append(seen)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield got
    finally:
        ended.set()
        thread.join(300)


GRACE = versions.GRACE


def set_grace(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    for module in (replacement, versions):
        monkeypatch.setattr(module, "GRACE", seconds)


@pytest.fixture
def other(server: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrustUQA]:
    """A second client, as another process has it; loads wait for what it reads, a tenth as long."""
    set_grace(monkeypatch, GRACE / 10)
    with TrustUQA.connect(server) as client:
        yield client


@pytest.mark.parametrize("mode", ["replace", "replace-all", "append", "replace one"])
def test_readers_see_old_or_new_data(
    server: Settings,
    tuqa: TrustUQA,
    other: TrustUQA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
) -> None:
    set_grace(
        monkeypatch, GRACE
    )  # questions of the thread take more than a tenth on a busy machine
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    if mode == "replace one":
        run_load(tuqa, make_request(tsv(tmp_path / "kept.tsv", fleet("West")), "append"))
        mode = "replace"
    sources = len(tuqa.schema("fleet").sources)
    before = ask_all(other)
    if mode == "append":
        path = tsv(tmp_path / "more.tsv", fleet("South"))
    else:
        tsv(path, fleet("South", FACTS - 10))
    seen: list[object] = []

    def look(count: int) -> None:
        if count in (1, 25, 49):
            seen.append(ask_all(other))

    with reader_of(other) as got:
        report = run_load(tuqa, make_request(path, mode, look))
        after = ask_all(tuqa)
    assert report.begun == ("appended" if mode == "append" else "replaced")
    assert seen == [before] * len(seen)
    assert len(seen) == 6  # the files are read twice
    assert after != before
    # Each question has one version; the switch may come between two questions.
    assert [
        pair[0]
        for step in got
        for pair in zip(step, before, after, strict=True)
        if pair[0] not in pair[1:]
    ] == []
    assert ask_all(other) == after
    with TrustUQA.connect(server) as fresh:
        assert ask_all(fresh) == after
    assert count_records(tuqa) == (1, 2 if mode == "append" else sources, 0)
    tuqa.drop("fleet")
    assert cells(tuqa, "MATCH (n) WHERE n.dataset STARTS WITH 'fleet' RETURN n") == []


def test_dataset_has_a_version_during_a_switch(tuqa: TrustUQA, other: TrustUQA) -> None:
    """The server does not show the new names of both versions at one moment."""
    cells(
        tuqa,
        "CREATE (:Dataset {name: 'fleet', storage: 'fleet a', complete: true}), "
        "(:Dataset {name: 'hidden', storage: 'fleet b', version_of: 'fleet'}) RETURN 1",
    )
    found: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            found.add(other.connection.find_version("fleet").storage)

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(1000):
        cells(
            tuqa,
            "MATCH (old:Dataset {name: 'fleet'}), (new:Dataset {name: 'hidden'}) "
            "SET old.name = 'outdated', old.version_of = 'fleet', old.outdated = datetime() "
            "SET new.name = 'fleet', new.version_of = null, old.name = 'hidden' RETURN 1",
        )
    ended.set()
    thread.join(300)
    cells(tuqa, "MATCH (d:Dataset) WHERE d.name IN ['fleet', 'hidden'] DETACH DELETE d RETURN 1")
    assert found == {"fleet a", "fleet b"}


KEPT: list[Item] = [
    SourceStart("kept", "kept", "kg"),
    ClassDeclared("Cutter", ("Ship",), labels=("cutter",)),
    RelationDeclared("moored in", (("Cutter",),)),
    NodeDeclared("s.1", "Fram", ("Forward",)),
    NodeDeclared("s.2", "Lone", ("Single",)),
    NodeDeclared("s.3", None),
    Fact("s.1", "type", "Cutter", 1),
    Fact("s.1", "moored in", "port 1", 2, None, (("since", "1999"), ("berth", "7"))),
    Fact("s.1", "length", "12.5 m", 3),
    Fact("s.3", "crew", "port 1", 4),
    *(Fact(f"hull {n}", "moored in", "port 1", n) for n in range(5, 1105)),
]


def dump(client: TrustUQA, dataset: str) -> dict[str, list[str]]:
    """All that stands under a dataset, without ids and numbers."""
    (stored,) = cells(
        client, "MATCH (d:Dataset {name: $d}) RETURN coalesce(d.storage, d.name)", d=dataset
    )
    queries = {
        "nodes": "MATCH (n:Node|Alias|Source|Relation|Class|Property {dataset: $d}) "
        "RETURN [labels(n), n {.*, dataset: null, load: null, hub: null, is_hub: n.hub IS NOT NULL}]",
        "facts": "MATCH (h:Node {dataset: $d})-[f:FACT]->(t:Node {dataset: $d}) "
        "RETURN [h.key, f {.*, number: null, head: f.head = h.hub, tail: f.tail = t.hub}, t.key]",
        "ends": "MATCH (e:Node {dataset: $d})-[r:HEAD|TAIL]->(n) RETURN [e.key, type(r), n.key]",
        "aliases": "MATCH (a:Alias {dataset: $d})-[:OF]->(n) RETURN [a.name, n.key]",
        "catalogue": "MATCH (s:Source {dataset: $d})-[h:HAS]->(r) "
        "RETURN [s.name, h {.*, number: null}, r.name]",
        "statistics": "MATCH (v:Vocabulary {dataset: $d}) RETURN v {.*, stamp: null, dataset: null}",
        "totals": "MATCH (d:Dataset) WHERE coalesce(d.storage, d.name) = $d RETURN d {.nodes, .facts, .kind}",
    }
    return {
        name: sorted(str(sort_keys(value)) for value in cells(client, query, d=stored))
        for name, query in queries.items()
    }


def sort_keys(value: object) -> object:
    if isinstance(value, dict):
        return sorted((key, sort_keys(entry)) for key, entry in value.items())
    if not isinstance(value, list):
        return value
    entries = [sort_keys(entry) for entry in value]
    return sorted(entries) if all(isinstance(entry, str) for entry in entries) else entries


def test_sources_that_stay_are_copied_whole(tuqa: TrustUQA, tmp_path: Path) -> None:
    """A dataset of which a source was replaced is as one that was loaded like this."""
    kept, path = tmp_path / "kept.tsv", tsv(tmp_path / "ships.tsv", fleet("North"))
    kept.write_text("read by the loader below")

    def add_kept(dataset: str) -> None:
        request = replace(make_request(kept, "append"), dataset=dataset)
        run_load(tuqa, replace(request, loader=replace(KG, read=lambda *_: iter(KEPT))))

    run_load(tuqa, make_request(path, "new"))
    add_kept("fleet")
    tsv(path, fleet("South", 40))
    assert run_load(tuqa, make_request(path, "replace")).replaced == ["ships"]
    run_load(tuqa, replace(make_request(path, "new"), dataset="straight"))
    add_kept("straight")
    copied, straight = dump(tuqa, "fleet"), dump(tuqa, "straight")
    for name in straight:
        assert copied[name] == straight[name], name
    assert len(straight["ends"]) == 2


def test_a_replaced_dataset_is_replaced_and_added_to_again(
    tuqa: TrustUQA, other: TrustUQA, tmp_path: Path
) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    for owner in ("South", "East", "West"):
        tsv(path, fleet(owner))
        run_load(tuqa, make_request(path, "replace"))
        answer = other.run("get_information(relation='sails for')", "fleet")
        assert set(map(str, answer.values)) >= {owner}
    run_load(tuqa, make_request(tsv(tmp_path / "more.tsv", fleet("North")), "append"))
    assert other.schema("fleet").facts == 2 * FACTS
    assert ask_all(other) == ask_all(tuqa)
    (fact, *_) = other.run("get_information(head_entity='North 1')", "fleet").evidence
    assert fact.dataset == "fleet"
    tuqa.drop("fleet", "more")
    assert other.schema("fleet").facts == FACTS
    assert other.run("get_information(head_entity='North 1')", "fleet").outcome == "empty"


def test_names_are_of_the_live_version(tuqa: TrustUQA, other: TrustUQA, tmp_path: Path) -> None:
    """A dataset may have the stored name of another one."""
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    tsv(path, fleet("South"))
    run_load(tuqa, make_request(path, "replace"))
    (storage,) = cells(tuqa, "MATCH (d:Dataset) RETURN d.storage")
    run_load(tuqa, replace(make_request(path, "new"), dataset=str(storage)))
    tsv(path, fleet("East"))
    run_load(tuqa, make_request(path, "replace"))
    assert other.schema(str(storage)).facts == FACTS
    assert other.run("get_information(relation='sails for')", str(storage)).values[0] == "South"
    assert other.run("get_information(relation='sails for')", "fleet").values[0] == "East"
    assert {dataset.name for dataset in other.datasets()} >= {"fleet", storage}


def test_demonstrations_stay_and_are_verified_again(
    tuqa: TrustUQA, other: TrustUQA, tmp_path: Path
) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    query = "get_information(head_entity='North 1', relation='moored in')"
    tuqa.demonstrations.add("fleet", Demonstration("Where is North 1 moored?", query))
    tuqa.add_synonyms("fleet", {"anchored": "moored in"})
    tsv(path, [*fleet("North"), ("North 1", "moored in", "port 9")])

    def look(count: int) -> None:
        if count == 45:
            assert other.demonstrations.counts("fleet").runs == 1

    run_load(tuqa, make_request(path, "replace", look))
    assert other.demonstrations.counts("fleet").candidate == 1
    assert tuqa.demonstrations.verify_replaced("fleet")
    answer = other.ask("Where is North 1 moored?", "fleet")
    assert set(map(str, answer.values)) == {"port 1", "port 9"}
    assert [synonym.phrase for synonym in other.schema("fleet").synonyms] == ["anchored"]


def test_two_replacements_at_once(tuqa: TrustUQA, other: TrustUQA, tmp_path: Path) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    tsv(path, fleet("South"))
    refused: list[LoadRunning] = []

    def begin_another(count: int) -> None:
        if count == 45 and find_hidden_versions(tuqa):
            for mode in ("replace", "replace-all", "append"):
                with pytest.raises(LoadRunning) as caught:
                    run_load(other, make_request(path, mode))
                refused.append(caught.value)

    run_load(tuqa, make_request(path, "replace", begin_another))
    assert len(refused) == 3
    assert count_records(tuqa) == (1, 1, 0)


def find_hidden_versions(client: TrustUQA) -> list[object]:
    return cells(client, "MATCH (d:Dataset) WHERE d.version_of IS NOT NULL RETURN d.name")


class PowerCut(BaseException):
    """Nothing that a program catches."""


def cut_at(limit: int) -> Callable[[int], None]:
    readings = []

    def cut(count: int) -> None:
        if count == 1:
            readings.append(count)
        if count == limit and len(readings) == 2:
            raise PowerCut

    return cut


@pytest.mark.parametrize("mode", ["replace", "append"])
@pytest.mark.parametrize("limit", [1, 35])
def test_an_interrupted_load_leaves_the_old_data(
    tuqa: TrustUQA, other: TrustUQA, tmp_path: Path, mode: str, limit: int
) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    before = ask_all(other)
    if mode == "append":
        path = tmp_path / "more.tsv"
    tsv(path, fleet("South"))
    with pytest.raises(PowerCut):
        run_load(tuqa, make_request(path, mode, cut_at(limit)))
    assert ask_all(other) == before
    # Other content takes the place of what was interrupted, and the same content goes on.
    tsv(path, fleet("East"))
    with pytest.raises(PowerCut):
        run_load(tuqa, make_request(path, mode, cut_at(limit)))
    assert ask_all(other) == before
    report = run_load(tuqa, make_request(path, mode))
    values = set(map(str, other.run("get_information(relation='sails for')", "fleet").values))
    assert "South" not in values
    assert "East" in values
    assert count_records(tuqa) == (1, 2 if mode == "append" else 1, 0)
    assert other.schema("fleet").facts == report.total == (2 if mode == "append" else 1) * FACTS
    assert cells(tuqa, "MATCH (n:Node) WHERE n.name STARTS WITH 'South' RETURN n") == []


@pytest.mark.parametrize("mode", ["replace", "append"])
def test_an_interrupted_load_is_given_up(tuqa: TrustUQA, tmp_path: Path, mode: str) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    before, stored = ask_all(tuqa), dump(tuqa, "fleet")
    path = path if mode == "replace" else tmp_path / "more.tsv"
    tsv(path, fleet("South"))
    with pytest.raises(PowerCut):
        run_load(tuqa, make_request(path, mode, cut_at(35)))
    with pytest.raises(UnknownSource):
        tuqa.drop("fleet", "more")
    assert tuqa.drop_unfinished("fleet")
    assert not tuqa.drop_unfinished("fleet")
    assert ask_all(tuqa) == before
    assert dump(tuqa, "fleet") == stored
    assert count_records(tuqa) == (1, 1, 0)
    with pytest.raises(UnknownDataset):
        tuqa.drop_unfinished("nothing")


@pytest.mark.parametrize("mode", ["--replace", "--append"])
def test_a_killed_load(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    before = ask_all(tuqa)
    if mode == "--append":
        path = tmp_path / "more.tsv"
    tsv(path, fleet("South"))
    words = [
        "kg",
        path.name,
        "--dataset",
        "fleet",
        "--source",
        path.stem,
        mode,
        "--batch-size",
        "5",
    ]
    process = subprocess.Popen(
        [*paused_load(20, tmp_path / "go on"), *words],
        cwd=tmp_path,
        env=environment(server),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_until(
            process, lambda: len(cells(tuqa, "MATCH (l:Load) WHERE l.position > 10 RETURN 1")) > 1
        )
        assert ask_all(tuqa) == before
    finally:
        process.kill()
        process.communicate(timeout=300)
    assert ask_all(tuqa) == before
    done = shell(server, "tuqa-load", *words, "--yes")
    assert (done.code, "went on after" in done.out) == (0, True)
    assert tuqa.schema("fleet").facts == (2 if mode == "--append" else 1) * FACTS
    assert count_records(tuqa) == (1, 2 if mode == "--append" else 1, 0)


def wait_until(process: subprocess.Popen[bytes], is_so: Callable[[], bool]) -> None:
    changed = threading.Event()
    while not is_so():
        assert process.poll() is None, process.communicate(timeout=300)
        changed.wait(0.05)


def test_ctrl_c_before_the_first_batch_leaves_nothing(
    tuqa: TrustUQA, other: TrustUQA, tmp_path: Path
) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    before = ask_all(other)
    tsv(path, fleet("South"))
    readings = []

    def press(count: int) -> None:
        if count == 1:
            readings.append(count)
            if len(readings) == 2:
                raise KeyboardInterrupt

    with pytest.raises(LoadInterrupted, match="'fleet' is as it was"):
        run_load(tuqa, make_request(path, "replace", press))
    assert ask_all(other) == before
    assert count_records(tuqa) == (1, 1, 0)


def test_a_full_disk_leaves_the_old_data(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tsv(tmp_path / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    before = ask_all(tuqa)
    tsv(path, fleet("South"))
    write = Connection.write

    def fail(self: Connection, work: object, timeout: float | None = None) -> object:
        if find_hidden_versions(tuqa):
            raise DiskFull("no space is left", hint="free some")
        return write(self, work, timeout)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "write", fail)
        with pytest.raises(DiskFull):
            run_load(tuqa, make_request(path, "replace"))
    assert ask_all(tuqa) == before
    run_load(tuqa, make_request(path, "replace"))
    assert set(map(str, tuqa.run("get_information(relation='sails for')", "fleet").values)) >= {
        "South"
    }


DOCUMENTATION = Path(__file__).parents[2] / "docs" / "storage.md"


@pytest.mark.parametrize(
    ("mode", "publication"), [("replace-all", "switch"), ("append", "publish_addition")]
)
def test_the_query_for_browser_shows_the_live_version_alone(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, publication: str
) -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    (query,) = re.findall(r"`(MATCH\s+\(d:Dataset.*? RETURN n)`", text, re.DOTALL)
    by_class = query.replace("'films'", "'fleet'").replace("RETURN n", "RETURN n.name")
    by_class = by_class.replace("n:Node", "n:Schooner")

    def find_all() -> set[object]:
        return {*cells(tuqa, by_class.replace("n:Schooner", "n:Node"))}

    def list_schooners(cypher: str = by_class) -> list[object]:
        return sorted(map(str, cells(tuqa, cypher)))

    run_load(tuqa, make_request(tsv(tmp_path / "a.tsv", schooners("North")), "new"))
    before = find_all()
    publish = getattr(replacement, publication)
    shown: list[object] = []

    def look_before(*arguments: object) -> int:
        shown.append((find_all(), list_schooners(), list_schooners("MATCH (n:Node) RETURN n.name")))
        return int(publish(*arguments))

    monkeypatch.setattr(replacement, publication, look_before)
    run_load(tuqa, make_request(tsv(tmp_path / "b.tsv", schooners("South")), mode))
    ((all_names, names_of_class, both),) = shown  # type: ignore[misc]
    assert all_names == before
    assert names_of_class == ["North 1", "North 2"]
    assert {"North 1", "South 1"} <= {*both}
    north = ["North 1", "North 2"] if mode == "append" else []
    assert list_schooners() == [*north, "South 1", "South 2"]
    assert "South 1" in find_all()


def schooners(owner: str) -> Facts:
    return [(f"{owner} {n}", "type", "Schooner") for n in (1, 2)]


def load_to_be_replaced(tuqa: TrustUQA, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Load a file that then has other ships; each transaction counts as a long one."""
    monkeypatch.setattr("trustuqa_neo4j.graph.versions.GRACE", -1.0)
    path = tsv(folder / "ships.tsv", fleet("North"))
    run_load(tuqa, make_request(path, "new"))
    return tsv(path, fleet("South"))


def test_a_long_transaction_begins_anew_after_a_switch(
    tuqa: TrustUQA, other: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have read data that were deleted meanwhile."""
    path = load_to_be_replaced(tuqa, tmp_path, monkeypatch)
    seen: list[set[str]] = []

    def work(reader: object) -> set[str]:
        rows = reader.run("list_heads", datasets=["fleet"], source=None)  # type: ignore[attr-defined]
        if not seen:
            run_load(tuqa, make_request(path, "replace"))
        seen.append(set(rows[0]["heads"]))
        return seen[-1]

    assert other.connection.read(work) == seen[1]
    assert seen[0].isdisjoint(seen[1]) or len(seen) == 2


def test_an_error_from_data_that_were_replaced_begins_anew(
    tuqa: TrustUQA, other: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a statement found was deleted before the next one, which cannot go on."""
    path = load_to_be_replaced(tuqa, tmp_path, monkeypatch)
    tries: list[int] = []

    def work(reader: object) -> int:
        reader.run("list_heads", datasets=["fleet"], source=None)  # type: ignore[attr-defined]
        tries.append(len(tries))
        if len(tries) == 1:
            run_load(tuqa, make_request(path, "replace"))
            raise IncompleteDataset("the data changed while the query ran")
        return len(tries)

    assert other.connection.read(work) == 2

    def fail(reader: object) -> int:
        reader.run("list_heads", datasets=["fleet"], source=None)  # type: ignore[attr-defined]
        raise IncompleteDataset("the data did not change")

    with pytest.raises(IncompleteDataset, match="did not change"):
        other.connection.read(fail)
