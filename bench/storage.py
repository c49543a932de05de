"""Storage measured: loads of the data packs, and look-ups in a large graph with and without each index.

Loads run as whole commands, with the memory they take. The large graph is generated (generated.py) and
loaded in bulk into a home of its own; then all indexes are dropped and made anew one by one, each with
its time and size, and each question is asked by the way that is built in and by those that were rejected.

    make bench TUQA_PACKS=folder [TUQA_BENCH_FACTS=10000000]
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

import generated
import light  # noqa: F401 # before the driver
import neo4j
from measuring import command, home, percentile, python, row, times

from trustuqa_neo4j import Settings
from trustuqa_neo4j.graph import embedded, schema
from trustuqa_neo4j.graph.statements import statement

FACTS = int(os.environ.get("TUQA_BENCH_FACTS", "10000000"))
RUNS = 200
WARM = 1_000  # look-ups until the server has compiled them: the first 200 take twice as long
PACKS = (
    ("metaqa", "metaqa/kb.txt.gz", 133_582, 12),
    ("wikitablequestions", "wtq/tables.tar.gz", None, 60),
    ("webqsp", "webqsp", 639_114, 90),
    ("temporal-kg", "yago11k/kg.tsv.gz", 20_509, 5),
)
INDEXES = (
    ("constraint_node_key", "node by key"), ("index_node_folded", "node by folded name"),
    ("index_node_number", "value by number"), ("index_node_date", "value by date"),
    ("index_fact_source", "fact by source and relation"), ("index_fact_held", "fact by span and start"),
    ("index_fact_head", "facts out of hubs"), ("index_fact_tail", "facts into hubs"),
)  # fmt: skip

# Ways that were rejected, to be measured beside those that are built in.
PLAIN = (
    "MATCH (head)-[fact:FACT]->(tail) WHERE id(tail) IN $nodes AND fact.relation IN $relations "
    "AND ($source IS NULL OR fact.source = $source) RETURN count(*)"
)
HELD = (
    "UNWIND range(0, 37) AS span MATCH ()-[fact:FACT]->() WHERE fact.dataset = $dataset "
    "AND fact.relation = $relation AND fact.span = span AND fact.start > $day - toInteger(2 ^ span) "
    "AND fact.start <= $day AND fact.end >= $day RETURN count(*)"
)
STARTED = (
    "MATCH ()-[fact:FACT]->() WHERE fact.dataset = $dataset AND fact.relation = $relation "
    "AND fact.start <= $day AND fact.end >= $day RETURN count(*)"
)
NUMBERS = (
    "MATCH (node:Node) WHERE node.dataset = $dataset AND node.number >= $low AND node.number < $high "
    "RETURN count(*)"
)
ALONE = (
    "MATCH (:Relation {dataset: $dataset, name: $relation})<-[:HAS]-(source:Source) "
    "MATCH ()-[fact:FACT]->(tail) WHERE fact.dataset = $dataset AND fact.source = source.name "
    "AND fact.relation = $relation RETURN id(tail) LIMIT $limit"
)


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit("usage: TUQA_PACKS names no folder, set it to the folder of the data packs")
    with (
        tempfile.TemporaryDirectory(prefix="tuqa-bench-") as folder,
        home(Path(folder)) as settings,
    ):
        loads(settings, Path(packs))
        large(settings, Path(folder))


def loads(settings: Settings, packs: Path) -> None:
    """Each pack by the command, on a server that has loaded before."""
    env = {"TUQA_HOME": str(settings.home), "TUQA_EMBEDDER": "none"}
    name, path, _, _ = PACKS[0]
    command("tuqa-load", name, str(packs / path), "--dataset", "warm", env=env)
    command("tuqa", "drop", "warm", env=env)
    for name, path, facts, limit in PACKS:
        words = ("tuqa-load", name, str(packs / path), "--dataset", "bench", "--json")
        ran = [command(*words, env=env)]
        told = json.loads(ran[0].out)
        assert facts in (None, told["facts"]), told
        again = command(*words, env=env)
        dropped = command("tuqa", "drop", "bench", env=env)
        rate = f"{told['facts']:,} facts, {told['facts'] / ran[0].seconds:,.0f}/s"
        row(f"load {path}", ran[0].seconds, "s", f"≤ {limit} s", note=rate)
        row("  memory", ran[0].memory, "MB", "≤ 300 MB")
        row("  again, unchanged", again.seconds, "s")
        row("  drop", dropped.seconds, "s")


@dataclass
class Graph:
    """The large graph, and sessions to ask it."""

    session: neo4j.Session | neo4j.Transaction
    data: Path

    def run(self, text: str, **given: object) -> list[list[object]]:
        return [record.values() for record in self.session.run(text, given)]  # type: ignore[arg-type]

    def named(self, name: str, **given: object) -> list[list[object]]:
        return self.run(statement(name).text, **given)

    def ids(self, *names: str) -> list[int]:
        found = self.run(
            "UNWIND $names AS name MATCH (n:Node {dataset: 'large', key: name}) RETURN id(n)",
            names=names,
        )
        return [int(str(record[0])) for record in found]

    def megabytes(self, folder: str = "") -> float:
        """The size of the store, its indexes included; whole only when the server has been stopped."""
        files = (path for path in (self.data / folder).rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files) / 1e6


def large(settings: Settings, folder: Path) -> None:
    print(f"\n{FACTS:,} facts, {int(FACTS * 0.3):,} nodes, a hub of {FACTS * 24 // 1000:,} facts")
    load_large(settings, folder / "large")
    embedded.server_of(settings).stop()
    running = embedded.running(settings)
    auth = (running.username, running.password or "")
    driver = neo4j.GraphDatabase.driver(
        running.uri or "", auth=auth, notifications_min_severity="OFF"
    )
    with driver, driver.session() as session:
        data = embedded.server_of(settings).home.data / "databases" / "neo4j"
        graph = Graph(session, data)
        row("store with all indexes", graph.megabytes(), "MB", "≤ 3,500 MB")
        index_by_index(graph)
        with session.begin_transaction() as transaction:
            questions(Graph(transaction, data))


def load_large(settings: Settings, folder: Path) -> None:
    """Load in bulk, phase by phase."""
    files = generated.written(folder, FACTS)
    words = (str(settings.home), generated.LOADER, "large", *files)
    told = json.loads(python(Path(__file__).with_name("in_bulk.py"), *words, folder=folder).out)
    facts, seconds = told["facts"], told["seconds"]
    assert facts > 0.99 * FACTS  # some repeat others
    limit = "≤ 67 s" if FACTS == 10_000_000 else ""
    row("load in bulk", seconds, "s", limit, note=f"{facts / seconds:,.0f} facts/s")
    for phase, taken in told["phases"].items():
        row(f"  {phase}", taken, "s", note=f"{facts / taken:,.0f} facts/s")
    row("  memory", told["memory"], "MB", "≤ 300 MB")


def index_by_index(graph: Graph) -> None:
    """Drop every index and make it anew, each with its time and size."""
    for name in graph.run("SHOW CONSTRAINTS YIELD name WHERE name = 'tuqa_node_key' RETURN name"):
        graph.run(f"DROP CONSTRAINT {name[0]}")
    shown = (
        "SHOW INDEXES YIELD name, type, owningConstraint AS of WHERE type = 'RANGE' AND of IS NULL"
    )
    for name in graph.run(shown + " RETURN name"):
        graph.run(f"DROP INDEX {name[0]}")
    size = graph.megabytes("schema")
    for name, what in INDEXES:
        begun = perf_counter()
        graph.named(name)
        graph.named("await_indexes")
        seconds = perf_counter() - begun
        now = graph.megabytes("schema")
        row(f"  index: {what}", seconds, "s", note=f"{now - size:,.0f} MB")
        size = now
    for migration in schema.MIGRATIONS:
        for name in migration.statements:
            graph.named(name)
    graph.named("await_indexes")


def questions(graph: Graph) -> None:
    """Each look-up by its index, and beside it by the next best way."""
    random = Random(3)
    heads = graph.run(
        "UNWIND $names AS name MATCH (n:Node {dataset: 'large', key: name})-[f:FACT]->() "
        "RETURN id(n), collect(f.relation)[0]",
        names=[f"thing {random.randrange(int(FACTS * 0.3))}" for _ in range(RUNS)],
    )

    def look_up(i: int) -> None:
        node, relation = heads[i % len(heads)]
        graph.named("search_node", nodes=[node], relations=[relation], source=None)

    taken = times(look_up, RUNS, WARM)
    row("one look-up, p50", percentile(taken, 50), "ms", "≤ 2 ms")
    row("one look-up, p95", percentile(taken, 95), "ms")
    hub, shared = graph.ids(generated.HUB, generated.SHARED)
    into_hub(graph, "rare relation of the hub", hub, generated.RARE, None, 10)
    into_hub(graph, "one source on a shared value", shared, "shared relation", "source 17.tsv", 5)
    several = [int(str(head[0])) for head in heads[:100]]
    row("a hub among 100 nodes, p50", condition(graph, [hub, *several], generated.RARE, None), "ms")
    for when in (1100, 1500, 1950, 2015):
        day = when * 10000 + 601
        given = {"dataset": "large", "relation": generated.HELD, "day": day}
        ((count,),) = graph.run(HELD, **given)
        ours = times(lambda _: graph.run(HELD, **given), 20)  # noqa: B023 # run at once
        other = times(lambda _: graph.run(STARTED, **given), 5, 1)  # noqa: B023
        row(
            f"held in {when}: {count:,} facts, p50", percentile(ours, 50), "ms",
            "≤ 15 ms" if when == 1950 else "", (ours, other), "beside the start alone",
        )  # fmt: skip
    low = times(lambda i: graph.run(NUMBERS, dataset="large", low=i * 100, high=i * 100 + 25), RUNS)
    row("numbers in a range: 100 of them, p50", percentile(low, 50), "ms")
    alone = times(
        lambda _: graph.run(ALONE, dataset="large", relation="relation 3", limit=100), RUNS
    )
    row("a relation alone, limit 100, p50", percentile(alone, 50), "ms")
    many = times(
        lambda _: graph.run(ALONE, dataset="large", relation="shared relation", limit=100), 50
    )
    row("a relation of 3,000 sources alone, limit 100, p50", percentile(many, 50), "ms")


def condition(graph: Graph, nodes: list[int], relation: str, source: str | None) -> float:
    given = {"nodes": nodes, "relations": [relation], "source": source}
    return statistics.median(times(lambda _: graph.named("search_condition", **given), 50))


def into_hub(
    graph: Graph, what: str, node: int, relation: str, source: str | None, limit: int
) -> None:
    given = {"nodes": [node], "relations": [relation], "source": source}
    ((nodes, _, _),) = graph.named("search_condition", **given)
    assert isinstance(nodes, list)
    ours = times(lambda _: graph.named("search_condition", **given), 50)
    other = times(lambda _: graph.run(PLAIN, **given), 5, 1)
    row(
        f"{what}: {len(nodes):,}, p50", percentile(ours, 50), "ms", f"≤ {limit} ms", (ours, other),
        "beside looking at all its facts",
    )  # fmt: skip


if __name__ == "__main__":
    main()
