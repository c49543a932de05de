"""``--bulk``: the same store as batch by batch, or nothing; in homes of its own."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from support.declarations import shares
from support.homes import VERSION, MakeHome, homes_with_jars, in_a_process, wait_for
from support.odd_names import ODD

from trustuqa_neo4j import Settings, TrustUQA, embedded
from trustuqa_neo4j.bulk import bulk_load, import_tool
from trustuqa_neo4j.bulk.bulk_load import BulkLoad
from trustuqa_neo4j.bulk.csv_files import ImportFiles, ImportFileWriter
from trustuqa_neo4j.bulk.node_ids import BloomFilter, KeyHashes, NodeIds, hash_facts, hash_keys
from trustuqa_neo4j.errors import (
    DataError,
    DatasetExists,
    EmbeddedError,
    IncompleteDataset,
    LoadRunning,
    UsageError,
)
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading import writer
from trustuqa_neo4j.loading.batch import Batcher
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
    ValidTime,
    make_row_key,
    make_row_node,
)
from trustuqa_neo4j.ontology.join_statistics import JoinStatistics
from trustuqa_neo4j.values import DEFAULT_VALUE_OPTIONS, OPEN

pytestmark = pytest.mark.embedded

KG = get_loader("kg")
HUB = 20


@pytest.fixture(scope="module")
def make_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeHome]:
    with homes_with_jars(tmp_path_factory) as make:
        yield make


@dataclass(frozen=True)
class Own:
    """A home, and loads into its server."""

    home: Path
    folder: Path

    @property
    def settings(self) -> Settings:
        return Settings(home=self.home, neo4j_version=VERSION)

    @property
    def server(self) -> embedded.EmbeddedServer:
        return embedded.EmbeddedServer.from_settings(self.settings)

    @contextmanager
    def client(self) -> Iterator[TrustUQA]:
        with TrustUQA.connect(embedded.ensure_running(self.settings)) as tuqa:
            yield tuqa

    @contextmanager
    def connecting(self) -> Iterator[Connection]:
        with self.client() as tuqa:
            yield tuqa.connection

    def load(self, items: Sequence[Item], write: Any = None, **changes: Any) -> LoadReport:
        """Load ``items`` as they are, by ``write`` or as by the command; a file is made for them."""
        path = self.folder / "items"
        path.write_text(repr(items))

        def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
            yield from items

        given = {"batch_size": 50, "dataset": "d", **changes}
        request = LoadRequest(replace(KG, read=read), (str(path),), **given)
        how = {} if write is None else {"write": write}
        return load(self.connecting, request, Progress(), **how)

    def run(self, cypher: str, **parameters: Any) -> list[list[Any]]:
        with (
            self.client() as tuqa,
            tuqa.connection.driver.session(notifications_min_severity="OFF") as session,
        ):
            return [record.values() for record in session.run(cypher, parameters)]


@pytest.fixture(scope="module")
def own(make_home: MakeHome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Own]:
    """A home that all tests share; each leaves its database empty."""
    here = Own(make_home(), tmp_path_factory.mktemp("bulk"))
    yield here
    here.server.stop()


@pytest.fixture
def empty(own: Own) -> Iterator[Own]:
    yield own
    with own.client() as tuqa:
        for dataset in tuqa.datasets():
            tuqa.drop(dataset.name)
    assert own.run("MATCH (n) WHERE NOT n:Schema AND NOT n:SchemaLock RETURN count(n)") == [[0]]


TIMES = {"loaded", "started", "touched", "finished", "owner"}


def snapshot(own: Own) -> dict[str, list[str]]:
    """All that is in the database, but for times and the server's own numbers."""
    keys = {
        number: repr((sorted(labels), _who(p)))
        for number, labels, p in own.run("MATCH (n) RETURN id(n), labels(n), properties(n)")
    }
    nodes = [
        repr((sorted(labels), sorted(_kept(properties, keys).items())))
        for labels, properties in own.run(
            "MATCH (n) WHERE NOT n:Schema RETURN labels(n), properties(n)"
        )
    ]
    groups = {
        number: names
        for number, *names in own.run(
            "MATCH (s:Source)-[has:HAS]->(r) RETURN has.number, s.dataset, s.name, r.name"
        )
    }
    assert None not in groups
    relationships = [
        repr(
            (
                kind,
                keys[start],
                keys[end],
                groups.get(properties.pop("number", None)),
                sorted(_kept(properties, keys).items()),
            )
        )
        for kind, start, end, properties in own.run(
            "MATCH (h)-[r]->(t) RETURN type(r), id(h), id(t), properties(r)"
        )
    ]
    schema = own.run(
        "SHOW INDEXES YIELD name, state, type, entityType, labelsOrTypes, properties, "
        "owningConstraint RETURN name, state, type, entityType, labelsOrTypes, properties, "
        "owningConstraint"
    )
    return {
        "nodes": sorted(nodes), "relationships": sorted(relationships),
        "schema": sorted(map(repr, schema)),
    }  # fmt: skip


def _who(properties: dict[str, Any]) -> list[Any]:
    return [properties.get(name) for name in ("dataset", "key", "name", "number")]


def _kept(properties: dict[str, Any], keys: dict[int, str]) -> dict[str, Any]:
    """Properties without times; numbers of hubs are told by what the hub is."""
    hubs = ("hub", "head", "tail")
    kept = {k: v for k, v in properties.items() if k not in TIMES}
    if kept.pop("stamp", None):  # a vocabulary: the server gives its groups in any order
        given = {k: kept.pop(k) for k in ("sides", "sizes", "nameless", "pairs", "counts")}
        kept["meetings"] = shares(JoinStatistics.from_parameters(**given))
    return {k: keys[v] if k in hubs else v for k, v in kept.items()}


def sample() -> list[Item]:
    """Some of everything."""
    chance = random.Random(5)
    items: list[Item] = [
        SourceStart("graph", "graph.tsv", "kg"),
        NodeDeclared("m.1", "Paris", ("City of Light", "Lutetia, \"old\"", "a\nb", "Lutetia, \"old\"")),
        NodeDeclared("m.2", "Paris"), NodeDeclared("m.3", "", ("", "x")),
        NodeDeclared("cvt.1", None, ("known as",)), NodeDeclared("c\x1f9", None, label="customer \"9\""),
        NodeDeclared("m.4", "Four", ("one\x1ftwo",)),
    ]  # fmt: skip
    items += [Fact(f"m.{n}", "called", t, n) for n in (1, 2, 3) for t in ("m.2", "cvt.1", "m.3")]
    odd = [*ODD, "a\nb", "\r", "tab\tbed", "\\", '"', '""', ",", "x" * 1_000_000, "x" * 999_999]
    items += [Fact(name, f"rel {name}"[:900], f"{name} {n}", n) for n, name in enumerate(odd, 20)]
    names = [f"n{n}" for n in range(40)] + ["12", "-3.5 km", "1999", "May 2001", "", "5%"]
    items += [
        Fact(chance.choice(names), f"r{chance.randrange(4)}", chance.choice(names), n)
        for n in range(400)
    ]
    said = (("stated in", "Gazette"), ("place", "Oslo"))
    items += [Fact("Ann", "award", "Prize", n, None, said) for n in (1, 2)]
    items += [
        Fact("Ann", "award", "Prize", 3, ValidTime(20010101, OPEN, "2001"), (("place", "Oslo"),)),
        SourceStart("times", "times.tsv", "temporal-kg"),
        *(
            Fact("hub" if n % 2 else f"p{n}", "plays for", f"p{n}" if n % 2 else "hub", n, held)
            for n in range(1, 60)
            for held in (
                None,
                ValidTime(19900101 + n, 19921231, "1990\n", '19"92'),
                ValidTime(20000101, OPEN, "2000"),
            )
        ),
        Fact("hub", "plays for", "hub", 1), Fact("Ann", "award", "Prize", 9),
        NodeDeclared("m.1", "Panam", ("Ville Lumière",)), NodeDeclared("n3", "another name"),
        SourceStart("t.csv", "t.csv", "table", ("Nation", "Gold\ncount", "Note", "Gold\ncount")),
        *(
            item
            for n in range(1, 30)
            for item in (
                make_row_node("t.csv", n), Fact(make_row_key("t.csv", n), "Nation", f"n{n}", n),
                Fact(make_row_key("t.csv", n), "Gold\ncount", str(n % 7), n),
                Fact(make_row_key("t.csv", n), "Note", "" if n % 2 else f"note {n % 3}", n),
            )
        ),
        *(Fact(make_row_key("t.csv", 1), "Note", part, 1, cell='a; "b"') for part in ("a", '"b"')),
        SourceStart("empty.csv", "empty.csv", "table", ("Nation", "Nothing")),
        ClassDeclared("Nation", ("Place",)),
        SourceStart("onto.ttl", "onto.ttl", "kg"),
        *(ClassDeclared(f"c{n}", (f"c{n // 2}", "Thing"), ("City",), ('"', "a,b"), "…\n") for n in range(60)),
        ClassDeclared("c1", ("more",), comment="not the first"),
        RelationDeclared("r1", (("c1", "c2"), ("c3",)), (("City",),), False, (), ("r2",), ("r3",)),
        RelationDeclared("r1", (("c3",), ("c4",)), labels=("x", "z")),
        RelationDeclared("rel 5", values=True, datatypes=("number", "date")),
        *(Fact(f"n{n}", "type", f"c{n % 3}", n) for n in range(30)),
        SourceStart("graph", "more.tsv", "kg"),
        *(Fact(f"n{n % 9}", "r1", "n2", n) for n in range(20)),
    ]  # fmt: skip
    return items


def by_driver(own: Own, monkeypatch: pytest.MonkeyPatch, items: list[Item]) -> Any:
    """What a load batch by batch makes; the database is empty again afterwards."""
    monkeypatch.setattr(writer.find_hubs, "__defaults__", (HUB,))
    report = own.load(items)
    found = snapshot(own)
    with own.client() as tuqa:
        tuqa.drop("d")
    return found, report


def bulk(own: Own, **changes: Any) -> BulkLoad:
    return BulkLoad(own.server, partial(ImportFileWriter, hub_degree=HUB, **changes))


@pytest.mark.long
def test_both_ways_make_the_same(empty: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    items = sample()
    expected, report = by_driver(empty, monkeypatch, items)
    password, state = empty.server.password(), empty.server.home.state()
    made = empty.load(items, bulk(empty))
    found = snapshot(empty)
    for what in expected:
        assert found[what] == expected[what]
    assert made.to_dict() | {"seconds": 0} == report.to_dict() | {"seconds": 0}
    assert empty.server.password() == password
    assert empty.server.home.state() == state
    assert not (empty.server.home.server / "bulk").exists()
    again = empty.load(items, bulk(empty))
    assert (again.begun, again.sources) == ("unchanged", 5)
    with empty.client() as tuqa:
        answer = tuqa.run("get_information(head_entity='m.1', relation='called')", "d")
        assert answer.evidence_total == 3


def collected(folder: Path, met: BloomFilter) -> tuple[list[str], dict[Any, Any], int]:
    """The lines of facts, the figures, and how many facts there are."""
    folder.mkdir()
    collector = ImportFileWriter(folder, "d", DEFAULT_VALUE_OPTIONS, met, hub_degree=10_000)
    batcher = Batcher(iter(sample()), DEFAULT_VALUE_OPTIONS, 50, bare=True)
    while batch := batcher.next():
        collector.add(batch)
    collector.finish("d", "kg", "")
    lines = [
        line
        for name in ("facts", "facts-lines", "held", "held-lines")
        for line in (folder / f"{name}.csv").read_text().split("\n")
    ]
    figures = {which: found.to_dict() for which, found in collector.catalog.statistics.items()}
    return sorted(lines), figures, collector.catalog.facts


def test_facts_that_only_seem_repeated_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a filter of 64 bits nearly every fact seems to have been there before."""
    monkeypatch.setattr("trustuqa_neo4j.bulk.dedupe.CANDIDATES_PER_PASS", 100)
    assert collected(tmp_path / "small", BloomFilter(8)) == collected(
        tmp_path / "large", BloomFilter()
    )


def test_numbers_of_keys_are_those_given() -> None:
    numbers = NodeIds()
    for start in range(0, 300_000, 30_000):
        keys = [f"key {number}" for number in range(start, start + 30_000)]
        numbers.add(hash_keys(keys), np.arange(start, start + 30_000))
    asked = [*(f"other {number}" for number in range(1000)), *(f"key {n}" for n in range(300_000))]
    assert numbers.find(hash_keys(asked)).tolist() == [-1] * 1000 + list(range(300_000))
    assert numbers.find(hash_keys([])).tolist() == []


def test_keys_are_told_apart_by_both_hashes() -> None:
    def make_equal_hashes(*checks: int) -> KeyHashes:
        return KeyHashes(np.full(len(checks), 7), np.array(checks))

    numbers = NodeIds()
    numbers.add(make_equal_hashes(1, 2, 3), np.array([10, 20, 30]))
    numbers.add(make_equal_hashes(5, 4), np.array([50, 40]))
    assert numbers.find(make_equal_hashes(3, 6, 1, 4)).tolist() == [30, -1, 10, 40]


def test_a_filter_never_takes_what_was_met_for_new() -> None:
    met = BloomFilter(1 << 10)
    hashes = hash_facts(np.zeros(1000, np.int64), np.arange(1000), np.arange(1000)[::-1])
    assert len(set(hashes.tolist())) == 1000
    new = ~np.concatenate([met.check_and_add(hashes[n : n + 10]) for n in range(0, 1000, 10)])
    assert new.sum() > 500
    assert met.check_and_add(hashes).all()


FEW: list[Item] = [SourceStart("s", "s.tsv", "kg"), Fact("a", "r", "b", 1), Fact("b", "r", "c", 2)]


@pytest.mark.long
def test_what_cannot_be_the_target(empty: Own, tmp_path: Path) -> None:
    """Whatever would be lost by it is in the way, and stays as it is."""
    script = Path(sys.executable).with_name("tuqa-load")
    words = [str(script), "kg", "f.tsv", "--bulk", "--uri", "bolt://localhost:1"]
    (tmp_path / "f.tsv").write_text("a\tr\tb\n")
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "--bulk fills the embedded database only, bolt://localhost:1\nhint: load without"
        in done.stderr
    )
    empty.load(FEW, dataset="other")
    with pytest.raises(DatasetExists, match="holds 'other', and --bulk fills an empty one"):
        empty.load(FEW, bulk(empty))
    for mode in ("append", "replace"):
        with pytest.raises(
            UsageError, match=f"'other' is there, .*\nhint: give --{mode} without --bulk"
        ):
            empty.load(FEW, bulk(empty), dataset="other", mode=mode)
    with pytest.raises(DatasetExists, match="'other' is there with other content"):
        empty.load([*FEW, Fact("x", "r", "y", 3)], bulk(empty), dataset="other")
    with empty.client() as tuqa:
        tuqa.drop("other")
    empty.run("CREATE (:Mine)")
    with pytest.raises(DataError, match="1 nodes that belong to no dataset"):
        empty.load(FEW, bulk(empty))
    empty.run("MATCH (n:Mine) DELETE n")
    with (
        import_tool.import_folder(empty.server.home),
        pytest.raises(LoadRunning, match="another process loads with --bulk"),
    ):
        empty.load(FEW, bulk(empty))
    other = in_a_process(empty.home, "input()", keep=False)
    assert other.stdout is not None
    assert other.stdout.readline().startswith("False")
    with pytest.raises(EmbeddedError, match=f"another Python client.*process {other.pid}"):
        empty.load(FEW, bulk(empty))
    other.communicate("\n", timeout=300)
    assert empty.load(FEW, bulk(empty), dry_run=True).facts == 2


def interrupt(*_: object, **__: object) -> Any:
    raise KeyboardInterrupt


@pytest.mark.long
def test_the_import_tool_loads_large_files_into_an_empty_database(
    empty: Own, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported: list[Path] = []
    make_store = import_tool.make_store

    def record(server: Any, files: ImportFiles, progress: Any) -> None:
        imported.append(files.folder)
        make_store(server, files, progress)

    monkeypatch.setattr(import_tool, "make_store", record)
    write = BulkLoad(empty.server, is_required=False)
    items = [SourceStart("g", "g.tsv", "kg"), Fact("Ann", "likes", "Bob", 1)]
    report = empty.load(items, write, dataset="small")
    assert (report.facts, imported) == (1, [])
    with empty.client() as tuqa:
        tuqa.drop("small")
    monkeypatch.setattr(bulk_load, "MIN_BYTES", 1)
    assert empty.load(items, write, dataset="large").facts == len(imported) == 1
    assert empty.load(items, write, dataset="second").facts == len(imported) == 1
    assert empty.load(items, write, dataset="large").begun == "unchanged"


class Unconnected(Own):
    """A home whose server must not start."""

    @contextmanager
    def connecting(self) -> Iterator[Connection]:
        yield pytest.fail("a connection is opened")


@pytest.mark.long
def test_a_new_home_needs_no_server_before_the_import(
    make_home: MakeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import comes first, the password and the accounts with the first start."""
    monkeypatch.setattr(bulk_load, "MIN_BYTES_OF_NEW", 1)
    own = Own(make_home(), tmp_path)
    write = BulkLoad(own.server, is_required=False)
    swap_store = import_tool.swap_store

    def swap_and_interrupt(*given: Any) -> None:
        swap_store(*given)
        interrupt()

    with monkeypatch.context() as patch:
        patch.setattr(import_tool, "swap_store", swap_and_interrupt)
        with pytest.raises(LoadInterrupted, match="nothing of 'd' is stored yet"):
            Unconnected(own.home, own.folder).load(FEW, write)
    assert own.load(FEW, bulk(own)).facts == 2
    with own.client() as tuqa:
        assert tuqa.run("get_information(head_entity='a', relation='r')", "d").values == ("b",)
    own.server.stop()


@pytest.mark.long
def test_what_is_interrupted_can_be_done_again(empty: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the exchange nothing has changed, after it nothing can be seen."""
    for name in ("add", "finish"):
        with monkeypatch.context() as patch:
            patch.setattr(ImportFileWriter, name, interrupt)
            with pytest.raises(LoadInterrupted, match="nothing of 'd' is stored yet, run the same"):
                empty.load(FEW, bulk(empty))
    with monkeypatch.context() as patch:
        patch.setattr(ImportFiles, "arguments", lambda self: ["--nodes=./nothing.csv"])
        with pytest.raises(
            EmbeddedError, match=r"could not import: .*nothing\.csv.*\nhint: nothing has"
        ):
            empty.load(FEW, bulk(empty))
    assert not (empty.server.home.server / "bulk").exists()
    kill_a_loader(empty)
    assert empty.run("MATCH (n) WHERE NOT n:Schema AND NOT n:SchemaLock RETURN count(n)") == [[0]]
    with monkeypatch.context() as patch:
        patch.setattr(bulk_load, "register_import", interrupt)
        with pytest.raises(LoadInterrupted, match="run the same command again"):
            empty.load(FEW, bulk(empty))
    assert not tools(empty)
    with empty.client() as tuqa:
        assert [(d.name, d.complete) for d in tuqa.datasets()] == [("d", False)]
        with pytest.raises(IncompleteDataset):
            tuqa.run("get_information(head_entity='a', relation='r')", "d")
    with pytest.raises(
        IncompleteDataset, match=r"being dropped\nhint: .*wait for it; otherwise run `tuqa drop d`"
    ):
        empty.load(FEW)
    with monkeypatch.context() as patch:
        patch.setattr(writer, "mark_hubs", interrupt)
        with pytest.raises(LoadInterrupted, match="2 facts of 'd' are stored, up to the end"):
            empty.load(FEW, bulk(empty))
    report = empty.load(FEW, bulk(empty))
    assert (report.begun, report.facts, report.total) == ("resumed", 0, 2)
    with empty.client() as tuqa:
        answer = tuqa.run("get_information(head_entity='a', relation='r')", "d")
        assert answer.values == ("b",)


def kill_a_loader(own: Own) -> None:
    """Start a load in a process and kill it while its tool works, which is left behind."""
    with load_in_a_process(own) as loading:
        (tool,) = wait_for(lambda: tools(own))
        loading.send_signal(signal.SIGKILL)
    tool.suspend()  # as if its work took long


def load_in_a_process(own: Own, before: str = "") -> subprocess.Popen[bytes]:
    """Start a load in a process, which first runs ``before``."""
    code = (
        "import os, signal, sys; sys.path[:0] = sys.argv[3:]\n"
        "from pathlib import Path; from test_bulk_load import FEW, Own, bulk\n"
        f"own = Own(Path(sys.argv[1]), Path(sys.argv[2]))\n{before}\n"
        "own.load(FEW, bulk(own))"
    )
    folders = map(str, Path(__file__).parents[:2])
    words = [sys.executable, "-c", code, str(own.home), str(own.folder), *folders]
    return subprocess.Popen(words)


KILL_AFTER_RENAME = """
count, rename = 0, Path.rename
def rename_and_die(path, target):
    global count
    rename(path, target)
    count += "bulk" in str(path) or "bulk" in str(target)
    if count == {}:
        os.kill(os.getpid(), signal.SIGKILL)
Path.rename = rename_and_die
"""


@pytest.mark.long
@pytest.mark.parametrize("renames", [1, 2])
def test_kill_during_the_exchange_leaves_all_or_nothing(empty: Own, renames: int) -> None:
    """The old data move away, and the new ones into their place: killed after each."""
    with load_in_a_process(empty, KILL_AFTER_RENAME.format(renames)) as loading:
        assert loading.wait() == -signal.SIGKILL
    with empty.client() as tuqa:
        assert not [dataset for dataset in tuqa.datasets() if dataset.complete]
    assert empty.load(FEW, bulk(empty)).facts == 2
    with empty.client() as tuqa:
        (dataset,) = tuqa.datasets()
        assert (dataset.complete, dataset.facts) == (True, 2)
        answer = tuqa.run("get_information(head_entity='a', relation='r')", "d")
        assert answer.values == ("b",)


def tools(own: Own) -> list[psutil.Process]:
    """The import tools that work in a home."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = process.cmdline()
            if "import" in words and any(str(own.server.home.server) in w for w in words):
                found.append(process)
    return found
