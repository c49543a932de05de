"""``tuqa-load --bulk`` on a generated graph: how long each step takes, and what it needs.

N facts over 0.3 N nodes and 200 relations, frequent and rare ones as in real graphs; one fact in 41 has the
same node at its end (over all relations), one in five an interval. Makes an embedded server in a folder of
its own, which is removed at the end. Prints facts a second by step, the peak of this process's memory, and
what the store takes.

    .venv/bin/python bench/bulk.py [N] [FOLDER]
"""

from __future__ import annotations

import csv
import random
import resource
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from time import perf_counter, sleep

import psutil

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.graph import embedded
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.graph.embedded.home import folder_size
from trustuqa_neo4j.loader import loader
from trustuqa_neo4j.loading import Bulk, Progress, Request, load

RELATIONS = 200
HUB = 41  # one fact in so many leads to the hub
HELD = 5  # one fact in so many has an interval


def generate(path: Path, facts: int) -> None:
    chance = random.Random(1)
    nodes = max(1, facts * 3 // 10)
    weights = list(accumulate(1 / (n + 1) for n in range(RELATIONS)))
    names = [f"relation {n}" for n in range(RELATIONS)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        for start in range(0, facts, 10_000):
            relations = chance.choices(names, cum_weights=weights, k=10_000)
            rows = []
            for n in range(start, min(start + 10_000, facts)):
                tail = 0 if n % HUB == 0 else chance.randrange(nodes)
                row = [
                    f"Entity Number {chance.randrange(nodes)}",
                    relations[n - start],
                    f"Entity Number {tail}",
                ]
                first = 1900 + n % 97
                row += [str(first), str(first + n % 13)] if n % HELD == 0 else ["", ""]
                rows.append(row)
            writer.writerows(rows)


class Steps:
    """Seconds by phase, and processor time of this process in it."""

    def __init__(self) -> None:
        self.at: list[tuple[str, float, float]] = []

    def begin(self, phase: str, _total: int) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        name = phase.partition(" ")[0]
        if not self.at or self.at[-1][0] != name:
            self.at.append((name, perf_counter(), used.ru_utime + used.ru_stime))

    def told(self, facts: int) -> None:
        self.begin("end", 0)
        for (name, start, used), (_, end, used_by_then) in zip(self.at, self.at[1:], strict=False):
            seconds = end - start
            print(
                f"{name:12}{seconds:8.1f} s {facts / seconds:12,.0f} facts/s, this process busy "
                f"{used_by_then - used:6.1f} s"
            )


@contextmanager
def peak() -> Iterator[list[int]]:
    """The greatest resident size of this process, looked at ten times a second."""
    found, done = [0], threading.Event()
    process = psutil.Process()

    def look() -> None:
        while not done.is_set():
            found[0] = max(found[0], process.memory_info().rss)
            sleep(0.1)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    yield found
    done.set()
    thread.join()


def main() -> None:
    facts = int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else 1_000_000
    folder = Path(tempfile.mkdtemp(dir=sys.argv[2] if len(sys.argv) > 2 else None))
    jars = Settings.read().home / "jars"
    settings = Settings(home=folder / "home", neo4j_version=Settings.read().neo4j_version)
    settings.home.mkdir()
    (settings.home / "jars").symlink_to(jars)
    server = embedded.server_of(settings)

    @contextmanager
    def connecting() -> Iterator[Connection]:
        with TrustUQA.connect(embedded.running(settings)) as tuqa:
            yield tuqa.connection

    try:
        path = folder / "facts.tsv"
        generate(path, facts)
        print(f"{facts:,} facts, {path.stat().st_size / 1e6:,.0f} MB")
        with connecting():
            pass  # a first start also sets the password
        steps = Steps()
        request = Request(loader("temporal-kg"), (str(path),), "synthetic", source="graph.tsv")
        begun, before = perf_counter(), psutil.Process().memory_info().rss
        with peak() as most:
            report = load(connecting, request, Progress(steps.begin), None, Bulk(server))
        seconds = perf_counter() - begun
        steps.told(facts)
        print(f"{'all':12}{seconds:8.1f} s {facts / seconds:12,.0f} facts/s")
        print(report.summary())
        print(
            f"peak of this process {most[0] / 1e6:,.0f} MB, before it read {before / 1e6:,.0f} MB"
        )
        server.stop()
        print(f"store {folder_size(server.home.data / 'databases' / 'neo4j') / 1e6:,.0f} MB")
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
