"""Loads, lookups and command startup, each beside a baseline of the same run.

A load stands beside the bare driver that writes the same facts without checks. A query stands beside its
search statement alone and beside dictionaries in memory. Needs TUQA_PACKS, the folder of the data packs.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import gzip
import os
import random
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from time import perf_counter

import neo4j
from harness import measure_runs, packs_folder, percentile, print_row
from history import record_figure

from trustuqa_neo4j import Settings, TrustUQA, embedded
from trustuqa_neo4j.graph.statements import get_statement

DATASET = "bench metaqa"
LOOKUPS = 2_000
BATCH = 20_000

Fact = tuple[str, str, str]


def main() -> None:
    packs = packs_folder()
    path = packs / "metaqa" / "kb.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        facts: list[Fact] = [tuple(line.rstrip("\n").split("|")) for line in lines]  # type: ignore[misc]
    with Server() as server:
        print(f"Neo4j {server.version}, {os.cpu_count()} cores, {len(facts):,} facts\n")
        server.warm_up()
        measure_load(server, path, facts)
        measure_lookup(server, facts)
        server.tuqa.drop(DATASET)
    measure_commands()


class Server:
    """The server to measure and a client."""

    def __enter__(self) -> Server:
        settings = Settings.read()
        self.settings = settings if settings.uri else embedded.ensure_running(settings)
        self.tuqa = TrustUQA.connect(self.settings)
        self.version = self.tuqa.ping()
        self.drop()
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()
        self.tuqa.close()

    def drop(self) -> None:
        for dataset in self.tuqa.datasets():
            if dataset.name == DATASET:
                self.tuqa.drop(DATASET)

    def warm_up(self) -> None:
        """Let the server compile the statements of a load."""
        for _ in range(2):
            self.tuqa.load("kg", self.example(), dataset=DATASET)
            self.tuqa.drop(DATASET)

    @staticmethod
    def example() -> Path:
        return Path(__file__).parents[1] / "docs" / "example" / "apollo.tsv"


def measure_load(server: Server, path: Path, facts: list[Fact]) -> None:
    bare = [load_with_driver(server, facts) for _ in range(3)]
    ours = []
    for _ in range(3):
        server.drop()
        start = perf_counter()
        server.tuqa.load("kg", path, dataset=DATASET)
        ours.append(perf_counter() - start)
    print_row("load MetaQA (median of 3)", statistics.median(ours), "s", "≤ 15 s")
    print_row("  the bare driver, no checks", statistics.median(bare), "s", ratio=(ours, bare))
    record_figure("load of MetaQA", statistics.median(ours), "s")
    record_figure(
        "load of MetaQA to the bare driver", statistics.median(ours) / statistics.median(bare), "×"
    )


def load_with_driver(server: Server, facts: list[Fact]) -> float:
    """Seconds to write nodes and relationships with the bare driver."""
    auth = (server.settings.username, server.settings.password or "")
    start = perf_counter()
    with neo4j.GraphDatabase.driver(server.settings.uri or "", auth=auth) as driver:
        driver.execute_query("CREATE INDEX bare IF NOT EXISTS FOR (n:Bare) ON (n.name)")
        driver.execute_query("CALL db.awaitIndexes()")
        names = sorted({name for head, _, tail in facts for name in (head, tail)})
        for at in range(0, len(names), BATCH):
            driver.execute_query(
                "UNWIND $names AS name CREATE (:Bare {name: name})", names=names[at : at + BATCH]
            )
        for at in range(0, len(facts), BATCH):
            driver.execute_query(
                "UNWIND $facts AS f MATCH (h:Bare {name: f[0]}) MATCH (t:Bare {name: f[2]}) "
                "CREATE (h)-[:BARE {relation: f[1]}]->(t)",
                facts=[list(fact) for fact in facts[at : at + BATCH]],
            )
        times = perf_counter() - start
        with driver.session() as session:
            session.run(
                "MATCH (n:Bare) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"
            ).consume()
        driver.execute_query("DROP INDEX bare")
    return times


def measure_lookup(server: Server, facts: list[Fact]) -> None:
    chosen = random.Random(7).sample(facts, LOOKUPS)
    queries = [query(head, relation) for head, relation, _ in chosen]
    ids = node_ids(server, chosen)
    memory: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, relation, tail in facts:
        memory[head, relation].add(tail)

    def ours(i: int) -> None:
        assert chosen[i][2] in server.tuqa.run(queries[i], DATASET).values

    def search(i: int) -> None:
        head, relation, _ = chosen[i]
        parameters = {
            "datasets": [DATASET],
            "nodes": [ids[head]],
            "relations": [relation],
            "source": None,
        }
        assert server.tuqa.connection.read_one("facts_from_heads", **parameters)[0]["tails"]

    def in_memory(i: int) -> None:
        assert chosen[i][2] in memory[chosen[i][0], chosen[i][1]]

    get_statement("facts_from_heads")
    whole, alone, dictionary = (measure_runs(work, LOOKUPS) for work in (ours, search, in_memory))
    print_row("one look-up, p50", percentile(alone, 50), "ms", "≤ 2 ms")
    print_row("one look-up, p95", percentile(alone, 95), "ms")
    print_row(
        "whole query with names and evidence, p50",
        percentile(whole, 50),
        "ms",
        ratio=(whole, alone),
    )
    record_figure("look-up, p50", percentile(alone, 50), "ms")
    record_figure(
        "query to its search alone", statistics.median(whole) / statistics.median(alone), "×"
    )
    print_row("whole query with names and evidence, p95", percentile(whole, 95), "ms")
    print_row(
        "dictionaries in memory, p50", percentile(dictionary, 50), "ms", ratio=(whole, dictionary)
    )


def query(head: str, relation: str) -> str:
    quote = '"' if "'" in head else "'"
    return f"get_information(head_entity={quote}{head}{quote}, relation='{relation}')"


def node_ids(server: Server, facts: list[Fact]) -> dict[str, int]:
    from trustuqa_neo4j.matching import normalize_name

    rows = server.tuqa.connection.read_one(
        "resolve_names",
        datasets=[DATASET],
        source=None,
        relations=[],
        names=sorted({normalize_name(head) for head, _, _ in facts}),
        keys=[],
        steps=[],
    )
    return {row["name"]: row["id"] for row in rows if row["what"] == "node"}


def measure_commands() -> None:
    bare = [run_seconds(sys.executable, "-c", "import click") for _ in range(9)]
    for words in (("tuqa", "--help"), ("tuqa-load", "--list"), ("tuqa", "datasets")):
        script = Path(sys.executable).with_name(words[0])
        times = [run_seconds(str(script), *words[1:]) for _ in range(9)]
        limit = "≤ 0.1 s" if words == ("tuqa", "--help") else ""
        print_row(" ".join(words), statistics.median(times), "s", limit, ratio=(times, bare))
        ratio = statistics.median(times) / statistics.median(bare)
        record_figure(f"{' '.join(words)} to import click", ratio, "×")
    print_row("  python -c 'import click'", statistics.median(bare), "s")


def run_seconds(*words: str) -> float:
    start = perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - start


if __name__ == "__main__":
    main()
