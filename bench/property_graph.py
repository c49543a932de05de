"""The loader ``neo4j`` with a property graph of people, companies and cities, generated from a seed.

The graph is written to an embedded server of its own, and loaded from there into a dataset beside it:
seconds, CPU seconds of the client, facts of a dry run and of the load, and nodes by label.

    python bench/property_graph.py [NODES]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from urllib.parse import quote

import import_guard  # noqa: F401 # before the driver
import neo4j
from harness import isolated_home, print_row
from neo4j.spatial import WGS84Point

from trustuqa_neo4j import Settings, TrustUQA, embedded

NODES = 50_000
BATCH = 10_000
LABELS = ("BenchPerson", "BenchCompany", "BenchCity")
CREATE_NODES = "UNWIND $rows AS row CREATE (n:$(row.label)) SET n = row.properties"
CREATE_RELATIONSHIPS = (
    "UNWIND $rows AS row MATCH (a:$($start) {number: row.start}), (b:$($end) {number: row.end}) "
    "CREATE (a)-[r:$(row.type)]->(b) SET r = row.properties"
)
_FIRST_DAY = date(1940, 1, 1)
_LANGUAGES = ("Danish", "English", "French", "German", "Italian", "Polish", "Spanish", "Welsh")
_ROLES = ("clerk", "cook", "engineer", "nurse", "pilot", "teacher")


def write_graph(driver: neo4j.Driver, nodes: int) -> None:
    """Four nodes in five are people with an identity, one in ten is a city that no property tells apart."""
    random = Random(7)
    people, companies = nodes * 8 // 10, nodes // 10
    cities = nodes - people - companies
    for label in LABELS:
        driver.execute_query(
            f"CREATE INDEX IF NOT EXISTS FOR (n:{label}) ON (n.number)"  # type: ignore[arg-type]
        )
    driver.execute_query(
        "CREATE CONSTRAINT bench_email IF NOT EXISTS FOR (p:BenchPerson) REQUIRE p.email IS UNIQUE"
    )
    driver.execute_query(
        "CREATE CONSTRAINT bench_vat IF NOT EXISTS FOR (c:BenchCompany) REQUIRE c.vat IS UNIQUE"
    )
    driver.execute_query("CALL db.awaitIndexes(300)")
    for rows in _batches(_nodes(people, companies, cities, random)):
        driver.execute_query(CREATE_NODES, rows=rows)  # type: ignore[arg-type]
    relationships = (
        ("BenchPerson", "BenchCompany", people, _jobs(people, companies, random)),
        ("BenchPerson", "BenchPerson", people, _friends(people * 3 // 2, people, random)),
        ("BenchPerson", "BenchCity", people, _homes(people, cities, random)),
        ("BenchCompany", "BenchCity", companies, _seats(companies, cities)),
    )
    for start, end, _, every in relationships:
        for rows in _batches(every):
            driver.execute_query(CREATE_RELATIONSHIPS, rows=rows, start=start, end=end)  # type: ignore[arg-type]


def _nodes(people: int, companies: int, cities: int, random: Random) -> Iterator[dict[str, Any]]:
    for n in range(people):
        properties: dict[str, Any] = {
            "number": n, "name": f"Person {n}", "email": f"p{n}@x.org", "born": _day(random),
            "home": WGS84Point((random.uniform(-180, 180), random.uniform(-90, 90))),
            "active": random.random() < 0.7, "height": random.randint(150, 200) / 100,
            "speaks": random.sample(_LANGUAGES, 2),
        }  # fmt: skip
        yield {"label": "BenchPerson", "properties": properties}
    for n in range(companies):
        properties = {
            "number": n, "name": f"Company {n}", "vat": f"V{n:05}", "revenue": random.randint(1, 9**6),
            "founded": random.randint(1850, 2020), "listed": n % 5 == 0,
        }  # fmt: skip
        yield {"label": "BenchCompany", "properties": properties}
    for n in range(cities):
        # Names repeat, and one number is missing.
        properties = {"name": f"City {n % (cities * 9 // 10)}", "country": f"Country {n % 90}"}
        yield {"label": "BenchCity", "properties": properties | {"number": n, "people": n * 37}}


def _jobs(people: int, companies: int, random: Random) -> Iterator[dict[str, Any]]:
    for n in range(people):
        properties: dict[str, Any] = {
            "since": _day(random), "salary": random.randint(20, 200) * 1000, "role": random.choice(_ROLES),
        }  # fmt: skip
        if n % 3 == 0:
            properties["until"] = date(2024, 1, 1) + timedelta(random.randrange(700))
        yield _relationship(n, "WORKS_AT", random.randrange(companies), properties)


def _friends(total: int, people: int, random: Random) -> Iterator[dict[str, Any]]:
    for _ in range(total):
        properties = {"weight": random.randint(1, 100) / 100, "met": random.choice(_ROLES)}
        yield _relationship(random.randrange(people), "KNOWS", random.randrange(people), properties)


def _homes(people: int, cities: int, random: Random) -> Iterator[dict[str, Any]]:
    for n in range(people):
        yield _relationship(n, "LIVES_IN", random.randrange(cities), {"since": _day(random)})


def _seats(companies: int, cities: int) -> Iterator[dict[str, Any]]:
    for n in range(companies):
        yield _relationship(n, "HAS_SEAT_IN", n % cities, {})


def _relationship(start: int, kind: str, end: int, properties: dict[str, Any]) -> dict[str, Any]:
    return {"start": start, "type": kind, "end": end, "properties": properties}


def _day(random: Random) -> date:
    return _FIRST_DAY + timedelta(random.randrange(80 * 365))


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def source_address(settings: Settings) -> str:
    """The address of the graph in the database of ``settings``, with its password."""
    assert settings.uri is not None
    scheme, _, host = settings.uri.partition("://")
    labels = ",".join(LABELS)
    return (
        f"{scheme}://neo4j:{quote(settings.password or '', safe='')}@{host}/neo4j?labels={labels}"
    )


def measure_load(settings: Settings) -> dict[str, Any]:
    """Load the graph, and drop the dataset again."""
    with TrustUQA.connect(settings) as tuqa:
        dry = tuqa.load(
            "neo4j", source_address(settings), dataset="bench", dry_run=True, embeddings=False
        )
        started, times = perf_counter(), os.times()
        report = tuqa.load("neo4j", source_address(settings), dataset="bench", embeddings=False)
        seconds, after = perf_counter() - started, os.times()
        (dataset,) = (dataset for dataset in tuqa.datasets() if dataset.name == "bench")
    return {
        "seconds": seconds,
        "cpu": after.user + after.system - times.user - times.system,
        "facts": report.facts,
        "dry": dry.facts,
        "nodes": dataset.nodes,
    }


def main(nodes: int) -> None:
    with tempfile.TemporaryDirectory() as folder, isolated_home(Path(folder)) as settings:
        server = embedded.ensure_running(settings)
        auth = (server.username, server.password or "")
        assert server.uri is not None
        with closing(neo4j.GraphDatabase.driver(server.uri, auth=auth)) as driver:
            write_graph(driver, nodes)
            result = measure_load(server)
            count = "MATCH (n:Node) UNWIND labels(n) AS label RETURN label, count(*) AS nodes"
            labels = dict(map(tuple, driver.execute_query(count).records))
    print(json.dumps(result | {"labels": labels}))
    for name, unit in (("seconds", "s"), ("cpu", "s"), ("facts", "facts"), ("nodes", "nodes")):
        print_row(f"property graph of {nodes:,} nodes: {name}", result[name], unit)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else NODES)
