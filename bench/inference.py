"""Queries that need an ontology, over 100,000 facts: by inference, and over the inferred facts when stored.

The graph has people of 31 classes in four levels, courses with an inverse of ``teaches``, departments with a
subrelation of ``worksFor``, and units that are parts of units in chains of up to seven. ``stored`` is the
same graph with all inferred facts written out and without an ontology. Times are those of the client, in ms.

    .venv/bin/python bench/inference.py
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from harness import isolated_home, measure_runs

from trustuqa_neo4j import TrustUQA

FACTS = 100_000
BRANCHES, LEVELS = 5, 3  # classes below each class, and levels below the highest
RUNS = 30
BASE = "http://example.org/"
RDFS, OWL = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2002/07/owl#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

QUERIES = {
    "members of a leaf class": "get_information(relation='type', tail_entity='Person-0-0-0')",
    "members of a middle class": "get_information(relation='type', tail_entity='Person-1')",
    "count of the highest class": "count(get_information(relation='type', tail_entity='Person'))",
    "inverse from a head": "get_information(head_entity='course 17', relation='taughtBy')",
    "subrelation to a tail": "get_information(relation='worksFor', tail_entity='unit 9')",
    "chain from a head": "get_information(head_entity='unit 4000', relation='partOf')",
    "chains to a tail": "get_information(relation='partOf', tail_entity='unit 0')",
    "all chains": "count(get_information(relation='partOf'))",
    "class, then inverse": "Query1: get_information(relation='type', tail_entity='Person-1')\n"
    "Query2: get_information(relation='taughtBy', tail_entity=output_of_query1)\n"
    "Query3: count(output_of_query2)",
}


class Graph(NamedTuple):
    """Triples of local names; ``axioms`` and ``inferred`` as well."""

    stored: list[tuple[str, str, str]]
    inferred: list[tuple[str, str, str]]
    axioms: list[tuple[str, str, str]]


def make_graph(facts: int) -> Graph:
    rng = random.Random(7)
    graph = Graph([], [], [])
    leaves = list(_make_classes(graph))
    units, people, courses = facts // 20, facts * 4 // 10, facts // 10
    for unit in range(1, units):
        chain = [unit]
        while chain[-1]:
            chain.append(chain[-1] // 4)
        graph.stored.append((f"unit-{unit}", "partOf", f"unit-{chain[1]}"))
        graph.inferred.extend((f"unit-{unit}", "partOf", f"unit-{up}") for up in chain[2:])
    for person in range(people):
        leaf = rng.choice(leaves)
        graph.stored.append((f"person-{person}", TYPE, leaf))
        graph.inferred.extend(
            (f"person-{person}", TYPE, leaf.rsplit("-", depth)[0]) for depth in range(1, LEVELS + 1)
        )
        relation = "leads" if person % 10 == 0 else "worksFor"
        unit = f"unit-{rng.randrange(units)}"
        graph.stored.append((f"person-{person}", relation, unit))
        if relation == "leads":
            graph.inferred.append((f"person-{person}", "worksFor", unit))
    for course in range(courses):
        teacher = f"person-{rng.randrange(people)}"
        graph.stored.append((teacher, "teaches", f"course-{course}"))
        graph.inferred.append((f"course-{course}", "taughtBy", teacher))
    graph.axioms.extend(
        (
            ("teaches", f"{OWL}inverseOf", "taughtBy"),
            ("leads", f"{RDFS}subPropertyOf", "worksFor"),
            ("partOf", TYPE, f"{OWL}TransitiveProperty"),
        )
    )
    return graph


def _make_classes(graph: Graph) -> Iterator[str]:
    level = ["Person"]
    for _ in range(LEVELS):
        below = [f"{name}-{branch}" for name in level for branch in range(BRANCHES)]
        graph.axioms.extend((name, f"{RDFS}subClassOf", name.rsplit("-", 1)[0]) for name in below)
        level = below
    return iter(level)


def write_triples(file: Path, *parts: list[tuple[str, str, str]]) -> Path:
    with file.open("w", encoding="utf-8") as lines:
        for head, relation, tail in (triple for part in parts for triple in part):
            terms = (t if t.startswith("http") else BASE + t for t in (head, relation, tail))
            lines.write(" ".join(f"<{term}>" for term in terms) + " .\n")
        for name in {term for part in parts for t in part for term in t if "-" in term}:
            if not name.startswith(("http", "Person")):
                label = name.replace("-", " ")
                lines.write(f'<{BASE}{name}> <{RDFS}label> "{label}" .\n')
    return file


def main() -> None:
    graph = make_graph(FACTS)
    print(f"{len(graph.stored):,} facts, {len(graph.inferred):,} follow from them")
    with TemporaryDirectory() as folder:
        home = Path(folder)
        by_inference = write_triples(home / "graph.nt", graph.stored, graph.axioms)
        stored = write_triples(home / "stored.nt", graph.stored, graph.inferred)
        with isolated_home(home) as settings, TrustUQA.connect(settings) as tuqa:
            for name, file in (("inferred", by_inference), ("stored", stored)):
                report = tuqa.load("rdf", file, dataset=name, embeddings=False)
                print(f"{name}: {report}")
            print(f"{'ms, p50':<28} {'answers':>8} {'inferred':>9} {'stored':>8} {'ratio':>6}")
            for label, query in QUERIES.items():
                measure_query(tuqa, label, query)


def measure_query(tuqa: TrustUQA, label: str, query: str) -> None:
    answers = {name: tuqa.run(query, name) for name in ("inferred", "stored")}
    if set(answers["inferred"].values) != set(answers["stored"].values):
        counts = " and ".join(f"{len(answer.values):,}" for answer in answers.values())
        raise SystemExit(f"{label}: the answers differ, {counts} values")
    times = {
        name: statistics.median(measure_runs(lambda _, name=name: tuqa.run(query, name), RUNS))
        for name in answers
    }
    values = answers["inferred"].values
    count = values[0] if "count(" in query else len(values)
    ratio = times["inferred"] / times["stored"]
    print(
        f"{label:<28} {count:>8,} {times['inferred']:>9.1f} {times['stored']:>8.1f} {ratio:>6.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
