"""The ground measured: loading MetaQA, one look-up, and how long the commands take to begin.

Prints a table in which each figure stands beside one to compare it with, measured in the same run:
loading beside the bare driver writing the same facts with no checks, a query beside its own searching
statement alone and beside dictionaries in memory. Needs TUQA_PACKS, the folder of the data packs.

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
from measuring import percentile, row, times

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.compiling import Program, Read, Row
from trustuqa_neo4j.graph import embedded
from trustuqa_neo4j.graph.statements import statement

DATASET = "bench metaqa"
LOOKUPS = 2_000
BATCH = 20_000

Fact = tuple[str, str, str]


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit("usage: TUQA_PACKS names no folder, set it to the folder of the data packs")
    path = Path(packs) / "metaqa" / "kb.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        facts: list[Fact] = [tuple(line.rstrip("\n").split("|")) for line in lines]  # type: ignore[misc]
    with Server() as server:
        print(f"Neo4j {server.version}, {os.cpu_count()} cores, {len(facts):,} facts\n")
        server.warm()
        loading(server, path, facts)
        looking_up(server, facts)
        server.tuqa.drop(DATASET)
    commands()


class Server:
    """The server under test and a client of it."""

    def __enter__(self) -> Server:
        settings = Settings.read()
        self.settings = settings if settings.uri else embedded.running(settings)
        self.tuqa = TrustUQA.connect(self.settings)
        self.version = self.tuqa.ping()
        self.remove()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
        self.tuqa.close()

    def remove(self) -> None:
        for dataset in self.tuqa.datasets():
            if dataset.name == DATASET:
                self.tuqa.drop(DATASET)

    def warm(self) -> None:
        """Have the server compile what loading runs: the measure is that of a warm server."""
        for _ in range(2):
            self.tuqa.load("kg", self.example(), dataset=DATASET)
            self.tuqa.drop(DATASET)

    @staticmethod
    def example() -> Path:
        return Path(__file__).parents[1] / "docs" / "example" / "apollo.tsv"


def loading(server: Server, path: Path, facts: list[Fact]) -> None:
    bare = [bare_load(server, facts) for _ in range(3)]
    ours = []
    for _ in range(3):
        server.remove()
        begun = perf_counter()
        server.tuqa.load("kg", path, dataset=DATASET)
        ours.append(perf_counter() - begun)
    row("load MetaQA (median of 3)", statistics.median(ours), "s", "≤ 15 s")
    row("  the bare driver, no checks", statistics.median(bare), "s", ratio=(ours, bare))


def bare_load(server: Server, facts: list[Fact]) -> float:
    """The least that any loader on the driver does: nodes and edges, nothing looked at."""
    auth = (server.settings.username, server.settings.password or "")
    begun = perf_counter()
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
        taken = perf_counter() - begun
        with driver.session() as session:
            session.run(
                "MATCH (n:Bare) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"
            ).consume()
        driver.execute_query("DROP INDEX bare")
    return taken


def looking_up(server: Server, facts: list[Fact]) -> None:
    chosen = random.Random(7).sample(facts, LOOKUPS)
    queries = [query(head, relation) for head, relation, _ in chosen]
    ids = node_ids(server, chosen)
    memory: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, relation, tail in facts:
        memory[head, relation].add(tail)

    def ours(i: int) -> None:
        assert chosen[i][2] in server.tuqa.run(queries[i], DATASET).values

    def search(i: int) -> None:
        def program() -> Program[list[Row]]:
            head, relation, _ = chosen[i]
            parameters = {"nodes": [ids[head]], "relations": [relation], "source": None}
            return (yield Read("search_node", parameters))

        assert server.tuqa.connection.read(program)[0]["tails"]

    def in_memory(i: int) -> None:
        assert chosen[i][2] in memory[chosen[i][0], chosen[i][1]]

    statement("search_node")
    whole, alone, dictionary = (times(work, LOOKUPS) for work in (ours, search, in_memory))
    row("one look-up, p50", percentile(alone, 50), "ms", "≤ 2 ms")
    row("one look-up, p95", percentile(alone, 95), "ms")
    row(
        "whole query with names and evidence, p50",
        percentile(whole, 50),
        "ms",
        ratio=(whole, alone),
    )
    row("whole query with names and evidence, p95", percentile(whole, 95), "ms")
    row("dictionaries in memory, p50", percentile(dictionary, 50), "ms", ratio=(whole, dictionary))


def query(head: str, relation: str) -> str:
    quote = '"' if "'" in head else "'"
    return f"get_information(head_entity={quote}{head}{quote}, relation='{relation}')"


def node_ids(server: Server, facts: list[Fact]) -> dict[str, int]:
    from trustuqa_neo4j.mapping import fold

    def program() -> Program[dict[str, int]]:
        names = sorted({fold(head) for head, _, _ in facts})
        parameters = {
            "datasets": [DATASET],
            "source": None,
            "relations": [],
            "names": names,
            "keys": [],
        }
        rows = yield Read("find_names", parameters)
        return {r["name"]: r["id"] for r in rows if r["what"] == "node"}

    return server.tuqa.connection.read(program)


def commands() -> None:
    bare = [process(sys.executable, "-c", "import click") for _ in range(9)]
    for words in (("tuqa", "--help"), ("tuqa-load", "--list"), ("tuqa", "datasets")):
        script = Path(sys.executable).with_name(words[0])
        taken = [process(str(script), *words[1:]) for _ in range(9)]
        limit = "≤ 0.3 s" if words == ("tuqa", "--help") else ""
        row(" ".join(words), statistics.median(taken), "s", limit, ratio=(taken, bare))
    row("  python -c 'import click'", statistics.median(bare), "s")


def process(*words: str) -> float:
    begun = perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - begun


if __name__ == "__main__":
    main()
