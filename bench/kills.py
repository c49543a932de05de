"""Kills of the loader, of the server and of both at moments left to chance: what is stored stays exact.

    make kills [KILLS=20] [WAYS=driver,bulk,replace,append,migration] [VICTIMS=loader,server,both] [SEED=1]

Each way of loading is killed KILLS times for each victim. The moments are points of the work
(kill_points.py), taken evenly over its length; half of the commands stand still there, the others go on into
what follows. Afterwards a reader sees the old data or the new, whole, or is told that nothing is complete
yet; never a mixture. The same command again ends exactly: each fact once, no node left over. Other data of
the same database never change. Prints a table; exit code 1 after any deviation.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path

import import_guard  # noqa: F401 # before the driver
import psutil
from harness import isolated_home
from kill_points import Points, run_command

from trustuqa_neo4j import Settings, TrustUQA, embedded
from trustuqa_neo4j.embedded import config, process, runtime
from trustuqa_neo4j.embedded.config import ADMIN_CLASS
from trustuqa_neo4j.embedded.home import Home
from trustuqa_neo4j.errors import IncompleteDataset, SchemaOutdated, TrustUQAError, UnknownDataset
from trustuqa_neo4j.graph import store_migration

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.old_store import make_old

KILLS = int(os.environ.get("KILLS", "20"))
VICTIMS = os.environ.get("VICTIMS", "loader,server,both").split(",")
FACTS = 240
BATCH = "20"
RELATIONS = 3
LIMIT = 300.0  # seconds for a command, or for a point to come
FORK = get_context("fork")
QUICK_JAVA = "-XX:TieredStopAtLevel=1"
"""Servers that live for seconds."""

Fact = tuple[str, str, str]
Facts = Counter[Fact]


class Deviation(Exception):
    """What should not be."""


def make_facts(name: str, start: int, count: int) -> Facts:
    numbers = range(start, start + count)
    return Counter({(f"{name}{n % 997}", f"r{n % RELATIONS}", f"t{n}"): 1 for n in numbers})


def write_facts(path: Path, facts: Iterable[Fact]) -> Path:
    path.write_text("".join("\t".join(fact) + "\n" for fact in sorted(facts)))
    return path


@dataclass
class Bench:
    """A home with its server, and files of facts."""

    settings: Settings
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            name: v for name, v in os.environ.items() if not name.startswith(("NEO4J_", "TUQA_"))
        }
        return kept | {"TUQA_HOME": str(self.settings.home), "TUQA_EMBEDDER": "none"}

    @contextmanager
    def client(self) -> Iterator[TrustUQA]:
        with TrustUQA.connect(embedded.ensure_running(self.settings)) as tuqa:
            yield tuqa

    def start(self, words: tuple[str, ...], point: int, how: str) -> ForkProcess:
        """Start a command in a fork of this process: to import everything anew takes the most time."""
        for name in ("reached", "on", "count", "errors"):
            (self.folder / name).unlink(missing_ok=True)
        points = Points(point, self.folder, waits=how == "stop")
        command = FORK.Process(target=run_command, args=(words, self.environment, points))
        command.start()
        return command

    def read_errors(self) -> str:
        path = self.folder / "errors"
        return path.read_text().strip()[-400:] if path.exists() else ""

    def run(self, words: tuple[str, ...]) -> int:
        """Run a command that must succeed; return the number of its points."""
        command = self.start(words, 0, "go")
        command.join(LIMIT)
        if command.exitcode != 0:
            command.kill()
            code = command.exitcode
            raise Deviation(f"{' '.join(words)}: exit code {code}: {self.read_errors()}")
        return int((self.folder / "count").read_text())

    def servers(self) -> list[psutil.Process]:
        """The server of the home, and the import tool that works in it."""
        folder = Home(self.settings.home).server
        return [p for p in psutil.process_iter() if _is_server(p, folder)]

    def drop(self, *names: str) -> None:
        with self.client() as tuqa:
            there = {dataset.name for dataset in tuqa.datasets()}
            for name in names:
                if name in there:
                    tuqa.drop(name)

    def read(self, dataset: str) -> Facts | None:
        with self.client() as tuqa:
            return read_facts(tuqa, dataset)


def read_facts(tuqa: TrustUQA, dataset: str) -> Facts | None:
    """All facts that a reader sees; None if the dataset is not there or not complete.

    Raises:
        Deviation: what the dataset says of itself is not what can be read.
    """
    facts: Facts = Counter()
    try:
        entry = next((d for d in tuqa.datasets() if d.name == dataset), None)
        for number in range(RELATIONS):
            query = f"get_information(relation='r{number}')"
            answer = tuqa.run(query, dataset, evidence=10 * FACTS)
            facts.update((f.head, f.relation, f.tail) for f in answer.evidence)
    except (IncompleteDataset, UnknownDataset):
        return None
    if entry is None or not entry.complete or entry.facts != facts.total():
        raise Deviation(f"{dataset} says {entry}, and {facts.total():,} facts can be read")
    return facts


def count_nodes(tuqa: TrustUQA) -> int:
    with tuqa.connection.driver.session() as session:
        (record,) = session.run("MATCH (node:Node) RETURN count(node) AS nodes")
        return int(record["nodes"])


def _is_server(candidate: psutil.Process, folder: Path) -> bool:
    if process.is_server_process(candidate, folder):
        return True
    with suppress(psutil.Error):
        words = candidate.cmdline()
        return ADMIN_CLASS in words and any(str(folder) in word for word in words)
    return False


@dataclass
class Way:
    """A command to kill: what must be there before, what a reader may see after, and what in the end.

    ``old`` is None where nothing complete is there before. ``prepare`` makes the state before.
    """

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Bench], None]
    old: Facts | None
    new: Facts
    dataset: str = "d"
    has_other: bool = True  # other data in the same database
    deletes_last: bool = False  # data that had their time go after the new ones can be seen

    def check(self, seen: Facts | None) -> None:
        if seen == self.new or seen == self.old or (seen is None and self.old is None):
            return
        if seen is None:
            raise Deviation("the old data cannot be read")
        old = self.old or Counter()
        raise Deviation(
            f"a mixture: {(seen & old).total():,} of {old.total():,} old facts, "
            f"{(seen & self.new).total():,} of {self.new.total():,} new ones, "
            f"{(seen - old - self.new).total():,} others"
        )


OTHER = make_facts("o", 0, 60)
OLD = make_facts("a", 0, FACTS)
NEW = make_facts("b", 10 * FACTS, FACTS)


def list_ways(folder: Path) -> list[Way]:
    old = write_facts(folder / "old.tsv", OLD).name
    new = write_facts(folder / "new.tsv", NEW).name
    load = ("tuqa-load", "kg", new, "--dataset", "d", "--no-embeddings", "--batch-size", BATCH)
    load_old = (*load[:2], old, *load[3:], "--no-bulk")

    def prepare_old(bench: Bench) -> None:
        bench.drop("d")
        bench.run(load_old)

    def prepare_outdated(bench: Bench) -> None:
        if bench.read("d") != NEW:
            bench.drop("d")
            bench.run((*load, "--no-bulk"))
        with bench.client() as tuqa:
            make_old(tuqa)

    def prepare_nothing(bench: Bench) -> None:
        bench.drop("d")

    def prepare_empty(bench: Bench) -> None:
        bench.drop("d", "other")

    # What is replaced is a source: both loads name it.
    source = ("--source", "s")

    def prepare_source(bench: Bench) -> None:
        bench.drop("d")
        bench.run((*load_old, *source))

    migrate = ("tuqa", "neo4j", "migrate", "--quiet")
    return [
        Way("driver", (*load, "--no-bulk"), prepare_nothing, None, NEW),
        Way("bulk", (*load, "--bulk"), prepare_empty, None, NEW, has_other=False),
        Way("replace", (*load, *source, "--replace"), prepare_source, OLD, NEW, deletes_last=True),
        Way("append", (*load, "--append"), prepare_old, OLD, OLD + NEW),
        Way("migration", migrate, prepare_outdated, None, NEW),
    ]


@dataclass
class Tally:
    kills: int = 0
    old: int = 0
    new: int = 0
    nothing: int = 0
    resumed: int = 0
    deviations: list[str] = field(default_factory=list)


def kill(bench: Bench, way: Way, victim: str, point: int, how: str, tally: Tally) -> None:
    """Prepare, kill at a point, look, run again, look again."""
    way.prepare(bench)
    command = bench.start(way.words, point, how)
    try:
        if not _wait_for_point(bench, command):
            raise Deviation(f"point {point} did not come: {bench.read_errors()}")
        if how == "go":
            time.sleep(random.random() / 20)  # somewhere in what follows the point
        _end(bench, command, victim)
        if command.exitcode is None:
            raise Deviation(f"the loader runs on after {LIMIT:.0f} s")
    finally:
        command.kill()
        command.join()
    tally.kills += 1
    errors = bench.read_errors()
    if victim == "server" and (command.exitcode not in (0, 3) or "Traceback" in errors):
        raise Deviation(f"the loader ended with {command.exitcode}: {errors}")
    seen = _look(bench, way)
    way.check(seen)
    tally.old += seen is not None and seen == way.old
    tally.new += seen == way.new
    tally.nothing += seen is None
    if seen != way.new or way.deletes_last:
        bench.run(way.words)
        tally.resumed += 1
    _check_end(bench, way)


def _look(bench: Bench, way: Way) -> Facts | None:
    try:
        return bench.read(way.dataset)
    except SchemaOutdated:
        if way.name != "migration":
            raise
        return None


def _wait_for_point(bench: Bench, command: ForkProcess) -> bool:
    deadline = time.monotonic() + LIMIT
    reached = bench.folder / "reached"
    while not reached.exists():
        if command.exitcode is not None or time.monotonic() > deadline:
            return reached.exists()
        time.sleep(0.001)
    return True


def _end(bench: Bench, command: ForkProcess, victim: str) -> None:
    if victim != "server":
        command.kill()
    if victim != "loader":
        for server in bench.servers():
            with suppress(psutil.NoSuchProcess):
                server.kill()
                _wait_for_end(server)
    (bench.folder / "on").touch()
    command.join(LIMIT)


def _wait_for_end(server: psutil.Process) -> None:
    # A loader that stands still does not collect the import tool, which then stays as a zombie.
    deadline = time.monotonic() + LIMIT
    while server.is_running() and server.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            raise Deviation(f"process {server.pid} outlives its kill by {LIMIT:.0f} s")
        time.sleep(0.01)


def _check_end(bench: Bench, way: Way) -> None:
    with bench.client() as tuqa:
        seen = read_facts(tuqa, way.dataset)
        if seen != way.new:
            raise Deviation(f"run again: {seen and seen.total()} facts of {way.new.total():,}")
        names = {(name, "d") for head, _, tail in way.new for name in (head, tail)}
        if way.has_other:
            if read_facts(tuqa, "other") != OTHER:
                raise Deviation("other data changed")
            names |= {(name, "other") for head, _, tail in OTHER for name in (head, tail)}
        nodes = count_nodes(tuqa)
        if nodes != len(names):
            raise Deviation(f"{nodes:,} nodes are stored, and the data have {len(names):,}")


def measure_length(bench: Bench, way: Way) -> int:
    """Run the way once as it should go; return its number of points."""
    if way.has_other and bench.read("other") is None:
        other = write_facts(bench.folder / "other.tsv", OTHER).name
        bench.run(("tuqa-load", "kg", other, "--dataset", "other", "--no-embeddings", "--no-bulk"))
    way.prepare(bench)
    length = bench.run(way.words)
    print(f"{way.name}: {length:,} points", flush=True)
    return length


def measure_ways(bench: Bench, ways: list[Way], tallies: dict[tuple[str, str], Tally]) -> None:
    """Kill in rounds, so that a run that is ended early has killed each way and victim as often."""
    lengths = {way.name: measure_length(bench, way) for way in ways}
    pairs = [(way, victim) for way in ways for victim in VICTIMS]
    # One moment in each part of the work, somewhere in it.
    parts = {(way.name, victim): random.sample(range(KILLS), KILLS) for way, victim in pairs}
    for number in range(KILLS):
        for way, victim in pairs:
            length, tally = lengths[way.name], tallies[way.name, victim]
            share = (parts[way.name, victim][number] + random.random()) / KILLS
            point, how = 1 + int(share * (length - 1)), random.choice(("stop", "go"))
            where = f"{way.name}, {victim}, point {point} of {length} ({how})"
            try:
                kill(bench, way, victim, point, how, tally)
                print(f"  {where}", file=sys.stderr, flush=True)
            except (Deviation, TrustUQAError, psutil.Error) as error:
                tally.deviations.append(f"{where}: {type(error).__name__}: {error}")
                print(f"DEVIATION {tally.deviations[-1]}", flush=True)


HEADER = f"{'way':<10} {'victim':<8} {'kills':>6} {'old':>6} {'new':>6} {'none':>6} {'again':>6} {'wrong':>6}"


def _format(way: str, victim: str, tally: Tally) -> str:
    numbers = (
        tally.kills,
        tally.old,
        tally.new,
        tally.nothing,
        tally.resumed,
        len(tally.deviations),
    )
    return f"{way:<10} {victim:<8} " + " ".join(f"{number:>6}" for number in numbers)


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    random.seed(seed)
    print(f"seed {seed}")
    store_migration.BATCH = 20
    config.JAVA_OPTIONS = runtime.JAVA_OPTIONS = (*config.JAVA_OPTIONS, QUICK_JAVA)
    config.COLLECTOR = "-XX:+UseSerialGC"
    folder = Path(tempfile.mkdtemp(prefix="tuqa-kills-"))
    files = folder / "files"
    files.mkdir()
    names = os.environ.get("WAYS", "driver,replace,append,migration,bulk").split(",")
    ways = [way for way in list_ways(files) if way.name in names]
    # The ways into an empty database come last: they drop the other data.
    groups = [[way for way in ways if way.has_other == has_other] for has_other in (True, False)]
    tallies = {(way.name, victim): Tally() for way in ways for victim in VICTIMS}
    try:
        with isolated_home(folder) as settings:
            for group in filter(None, groups):
                measure_ways(Bench(settings, files), group, tallies)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"\n{HEADER}")
        for (name, victim), tally in tallies.items():
            print(_format(name, victim, tally))
    sys.exit(any(tally.deviations for tally in tallies.values()))


if __name__ == "__main__":
    main()
