"""Storage: loads of the data packs, and lookups in a large graph with and without each index.

Loads run as commands, with their memory. The large graph is generated (synthetic_graph.py) and loaded in
bulk. Then all indexes are dropped and created one by one, with time and size. Each lookup runs beside
alternatives that were rejected.

    make bench TUQA_PACKS=folder [TUQA_BENCH_FACTS=10000000]
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

import import_guard  # noqa: F401 # before the driver
import neo4j
import synthetic_graph
from harness import (
    isolated_home,
    measure_runs,
    packs_folder,
    percentile,
    print_row,
    run_command,
    run_script,
)
from history import record_figure

from trustuqa_neo4j import Settings, embedded
from trustuqa_neo4j.graph import migrations
from trustuqa_neo4j.graph.statements import get_statement

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
    ("tuqa_node_key", "node by key"), ("tuqa_node_folded", "node by folded name"),
    ("tuqa_node_number", "value by number"), ("tuqa_node_date", "value by date"),
    ("tuqa_fact_number", "fact by number"), ("tuqa_fact_span", "fact by span and start"),
    ("tuqa_fact_from_hub", "facts out of hubs"), ("tuqa_fact_to_hub", "facts into hubs"),
)  # fmt: skip

# Alternatives that were rejected.
PLAIN = (
    "WITH COLLECT { MATCH (:Source {dataset: $datasets[0], name: $source})-[has:HAS]->() RETURN has.number } "
    "AS numbers "
    "MATCH (head)-[fact:FACT]->(tail) WHERE id(tail) IN $nodes AND fact.relation IN $relations "
    "AND ($source IS NULL OR fact.number IN numbers) RETURN count(*)"
)
NUMBER = "MATCH (:Relation {dataset: $dataset, name: $relation})<-[has:HAS]-() WHERE has.held > 0 "
HELD = (
    NUMBER + "UNWIND range(0, 37) AS span MATCH ()-[fact:FACT]->() WHERE fact.number = has.number "
    "AND fact.span = span AND fact.start > $day - toInteger(2 ^ span) "
    "AND fact.start <= $day AND fact.end >= $day RETURN count(*)"
)
STARTED = (
    NUMBER + "MATCH ()-[fact:FACT]->() WHERE fact.number = has.number AND fact.start <= $day "
    "AND fact.end >= $day RETURN count(*)"
)
NUMBERS = (
    "MATCH (node:Node) WHERE node.dataset = $dataset AND node.number >= $low AND node.number < $high "
    "RETURN count(*)"
)
ALONE = (
    "MATCH (:Relation {dataset: $dataset, name: $relation})<-[has:HAS]-() "
    "MATCH ()-[fact:FACT]->(tail) WHERE fact.number = has.number RETURN id(tail) LIMIT $limit"
)


def main() -> None:
    packs = packs_folder()
    with (
        tempfile.TemporaryDirectory(prefix="tuqa-bench-") as folder,
        isolated_home(Path(folder)) as settings,
    ):
        measure_loads(settings, packs)
        measure_large_graph(settings, Path(folder))


def measure_loads(settings: Settings, packs: Path) -> None:
    """Load each pack with the command, on a server that has loaded before."""
    env = {"TUQA_HOME": str(settings.home), "TUQA_EMBEDDER": "none"}
    name, path, _, _ = PACKS[0]
    run_command("tuqa-load", name, str(packs / path), "--dataset", "warm", env=env)
    run_command("tuqa", "drop", "warm", env=env)
    for name, path, facts, limit in PACKS:
        words = ("tuqa-load", name, str(packs / path), "--dataset", "bench", "--json")
        process = run_command(*words, env=env)
        report = json.loads(process.out)
        assert facts in (None, report["facts"]), report
        repeated = run_command(*words, env=env)
        dropped = run_command("tuqa", "drop", "bench", env=env)
        rate = f"{report['facts']:,} facts, {report['facts'] / process.seconds:,.0f}/s"
        print_row(f"load {path}", process.seconds, "s", f"≤ {limit} s", note=rate)
        print_row("  memory", process.memory, "MB", "≤ 300 MB")
        print_row("  again, unchanged", repeated.seconds, "s")
        print_row("  drop", dropped.seconds, "s")


@dataclass
class Graph:
    """The large graph, and a session to query it."""

    session: neo4j.Session | neo4j.Transaction
    data: Path

    def run(self, text: str, **parameters: object) -> list[list[object]]:
        return [record.values() for record in self.session.run(text, parameters)]  # type: ignore[arg-type]

    def run_statement(self, name: str, **parameters: object) -> list[list[object]]:
        return self.run(get_statement(name).text, **parameters)

    def ids(self, *names: str) -> list[int]:
        rows = self.run(
            "UNWIND $names AS name MATCH (n:Node {dataset: 'large', key: name}) RETURN id(n)",
            names=names,
        )
        return [int(str(record[0])) for record in rows]

    def megabytes(self, folder: str = "") -> float:
        """Size of the store with its indexes; complete only after a stop of the server."""
        files = (path for path in (self.data / folder).rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files) / 1e6


def measure_large_graph(settings: Settings, folder: Path) -> None:
    print(f"\n{FACTS:,} facts, {int(FACTS * 0.3):,} nodes, a hub of {FACTS * 24 // 1000:,} facts")
    load_large_graph(settings, folder / "large")
    embedded.EmbeddedServer.from_settings(settings).stop()
    running = embedded.ensure_running(settings)
    auth = (running.username, running.password or "")
    driver = neo4j.GraphDatabase.driver(
        running.uri or "", auth=auth, notifications_min_severity="OFF"
    )
    with driver, driver.session() as session:
        data = embedded.EmbeddedServer.from_settings(settings).home.data / "databases" / "neo4j"
        graph = Graph(session, data)
        print_row("store with all indexes", graph.megabytes(), "MB", "≤ 3,500 MB")
        record_figure("store with all indexes", graph.megabytes(), "MB")
        measure_indexes(graph)
        with session.begin_transaction() as transaction:
            measure_lookups(Graph(transaction, data))


def load_large_graph(settings: Settings, folder: Path) -> None:
    """Load in bulk, phase by phase."""
    files = synthetic_graph.write_graph(folder, FACTS)
    words = (str(settings.home), synthetic_graph.LOADER, "large", *files)
    script = Path(__file__).with_name("bulk_load.py")
    report = json.loads(run_script(script, *words, folder=folder).out)
    facts, seconds = report["facts"], report["seconds"]
    assert facts > 0.99 * FACTS  # some are duplicates
    limit = "≤ 67 s" if FACTS == 10_000_000 else ""
    print_row("load in bulk", seconds, "s", limit, note=f"{facts / seconds:,.0f} facts/s")
    record_figure("load in bulk", facts / seconds, "facts/s", lower_is_better=False)
    for phase, phase_seconds in report["phases"].items():
        print_row(f"  {phase}", phase_seconds, "s", note=f"{facts / phase_seconds:,.0f} facts/s")
    print_row("  memory", report["memory"], "MB", "≤ 300 MB")


def measure_indexes(graph: Graph) -> None:
    """Drop every index and create it again, with time and size."""
    for name in graph.run("SHOW CONSTRAINTS YIELD name WHERE name = 'tuqa_node_key' RETURN name"):
        graph.run(f"DROP CONSTRAINT {name[0]}")
    listing = (
        "SHOW INDEXES YIELD name, type, owningConstraint AS of WHERE type = 'RANGE' AND of IS NULL"
    )
    for name in graph.run(listing + " RETURN name"):
        graph.run(f"DROP INDEX {name[0]}")
    size = graph.megabytes("schema")
    for name, label in INDEXES:
        start = perf_counter()
        graph.run_statement(name)
        graph.run_statement("await_index", index=name)
        seconds = perf_counter() - start
        new_size = graph.megabytes("schema")
        print_row(f"  index: {label}", seconds, "s", note=f"{new_size - size:,.0f} MB")
        size = new_size
    for migration in migrations.MIGRATIONS:
        for name in migration.statements:
            graph.run_statement(name)
    for name in migrations.index_names():
        graph.run_statement("await_index", index=name)


def measure_lookups(graph: Graph) -> None:
    """Measure each lookup with its index, and beside the best alternative."""
    random = Random(3)
    heads = graph.run(
        "UNWIND $names AS name MATCH (n:Node {dataset: 'large', key: name})-[f:FACT]->() "
        "RETURN id(n), collect(f.relation)[0]",
        names=[f"thing {random.randrange(int(FACTS * 0.3))}" for _ in range(RUNS)],
    )

    def look_up(i: int) -> None:
        node, relation = heads[i % len(heads)]
        graph.run_statement(
            "facts_from_heads", datasets=["large"], nodes=[node], relations=[relation], source=None
        )

    times = measure_runs(look_up, RUNS, WARM)
    print_row("one look-up, p50", percentile(times, 50), "ms", "≤ 2 ms")
    print_row("one look-up, p95", percentile(times, 95), "ms")
    hub, shared = graph.ids(synthetic_graph.HUB, synthetic_graph.SHARED)
    measure_hub(graph, "rare relation of the hub", hub, synthetic_graph.RARE, None, 10)
    measure_hub(
        graph, "one source on a shared value", shared, "shared relation", "source 17.tsv", 5
    )
    several = [int(str(head[0])) for head in heads[:100]]
    print_row(
        "a hub among 100 nodes, p50",
        median_to_tails(graph, [hub, *several], synthetic_graph.RARE, None),
        "ms",
    )
    for when in (1100, 1500, 1950, 2015):
        day = when * 10000 + 601
        parameters = {"dataset": "large", "relation": synthetic_graph.HELD, "day": day}
        ((count,),) = graph.run(HELD, **parameters)
        ours = measure_runs(lambda _: graph.run(HELD, **parameters), 20)  # noqa: B023 # run at once
        alternative = measure_runs(lambda _: graph.run(STARTED, **parameters), 5, 1)  # noqa: B023
        print_row(
            f"held in {when}: {count:,} facts, p50", percentile(ours, 50), "ms",
            "≤ 15 ms" if when == 1950 else "", (ours, alternative), "beside the start alone",
        )  # fmt: skip
    low = measure_runs(
        lambda i: graph.run(NUMBERS, dataset="large", low=i * 100, high=i * 100 + 25), RUNS
    )
    print_row("numbers in a range: 100 of them, p50", percentile(low, 50), "ms")
    alone = measure_runs(
        lambda _: graph.run(ALONE, dataset="large", relation="relation 3", limit=100), RUNS
    )
    print_row("a relation alone, limit 100, p50", percentile(alone, 50), "ms")
    many = measure_runs(
        lambda _: graph.run(ALONE, dataset="large", relation="shared relation", limit=100), 50
    )
    print_row("a relation of 3,000 sources alone, limit 100, p50", percentile(many, 50), "ms")


def median_to_tails(graph: Graph, nodes: list[int], relation: str, source: str | None) -> float:
    parameters = {"datasets": ["large"], "nodes": nodes, "relations": [relation], "source": source}
    return statistics.median(
        measure_runs(lambda _: graph.run_statement("facts_to_tails", **parameters), 50)
    )


def measure_hub(
    graph: Graph, label: str, node: int, relation: str, source: str | None, limit: int
) -> None:
    parameters = {"datasets": ["large"], "nodes": [node], "relations": [relation], "source": source}
    ((nodes, _, _),) = graph.run_statement("facts_to_tails", **parameters)
    assert isinstance(nodes, list)
    ours = measure_runs(lambda _: graph.run_statement("facts_to_tails", **parameters), 50)
    alternative = measure_runs(lambda _: graph.run(PLAIN, **parameters), 5, 1)
    print_row(
        f"{label}: {len(nodes):,}, p50", percentile(ours, 50), "ms", f"≤ {limit} ms", (ours, alternative),
        "beside looking at all its facts",
    )  # fmt: skip


if __name__ == "__main__":
    main()
