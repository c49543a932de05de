"""Recorded LLM queries run: mapping and executing, beside dictionaries in memory and beside other datasets.

The interpreter in memory is what a user would write: a dictionary each way, sets, and the query's text taken
apart by two regular expressions. It maps no names, checks nothing and proves nothing. Needs TUQA_PACKS.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from time import perf_counter

from ground import Server
from measuring import percentile, row

from trustuqa_neo4j import TrustUQA

METAQA, WTQ, OTHER = "bench queries metaqa", "bench queries wtq", "bench other"
SAMPLE = 300
OTHERS = (1, 10, 100)

_CALL = re.compile(r'Query(\d+): "(\w+)\((.*)\)"')
_ARGUMENT = re.compile(r"(\w+)='?(.*?)'?(?=, \w+=|$)")
_RESULT = re.compile(r"output_of_query(\d+)")


class InMemory:
    """The MetaQA graph as dictionaries."""

    def __init__(self, path: Path) -> None:
        self.tails: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.heads: dict[tuple[str, str], set[str]] = defaultdict(set)
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                head, relation, tail = line.rstrip("\n").split("|")
                self.tails[head, relation].add(tail)
                self.heads[tail, relation].add(head)

    def run(self, text: str) -> set[str]:
        """What the last step of ``text`` leads to."""
        results: dict[str, set[str]] = {}
        found: set[str] = set()
        for number, function, inner in _CALL.findall(text):
            given = dict(_ARGUMENT.findall(inner))
            if function == "get_information":
                ends = self.tails if "head_entity" in given else self.heads
                start = given.get("head_entity", given.get("tail_entity", ""))
                earlier = _RESULT.fullmatch(start)
                names = results.get(earlier[1], set()) if earlier else {start}
                found = set().union(*(ends.get((n, given.get("relation", "")), ()) for n in names))
            elif function == "set_difference":
                one, two = (_RESULT.fullmatch(given.get(f"set{n}", "")) for n in (1, 2))
                found = results.get(one[1], set()) if one else {given.get("set1", "")}
                found = found - (results.get(two[1], set()) if two else {given.get("set2", "")})
            results[number] = found
        return found


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit("usage: TUQA_PACKS names no folder, set it to the folder of the data packs")
    folder = Path(packs)
    with Server() as server:
        tuqa = server.tuqa
        print(f"Neo4j {server.version}, {os.cpu_count()} cores, {SAMPLE} recorded queries each\n")
        drop(tuqa)
        tuqa.load("metaqa", folder / "metaqa" / "kb.txt.gz", dataset=METAQA, embeddings=False)
        memory = InMemory(folder / "metaqa" / "kb.txt.gz")
        for hops in (1, 2, 3):
            beside_memory(tuqa, memory, recorded(folder, f"llm_queries.{hops}hop.jsonl.gz"), hops)
        tables(tuqa, folder)
        beside_datasets(tuqa, recorded(folder, "llm_queries.2hop.jsonl.gz"))
        drop(tuqa)


def drop(tuqa: TrustUQA) -> None:
    for dataset in tuqa.datasets():
        if dataset.name.startswith(("bench queries", OTHER)):
            tuqa.drop(dataset.name)


def recorded(folder: Path, name: str) -> list[str]:
    """The same texts each time."""
    with gzip.open(folder / "metaqa" / name, "rt", encoding="utf-8") as lines:
        texts = [text for line in lines if (text := json.loads(line)["llm_output"])]
    return random.Random(7).sample(texts, SAMPLE)


def ours(tuqa: TrustUQA, texts: list[str], dataset: str) -> list[float]:
    """Milliseconds of mapping and executing each."""
    taken = []
    for text in texts[: SAMPLE // 4] + texts:
        ms = tuqa.run(text, dataset, evidence=0).ms
        taken.append(ms["map"] + ms["execute"])
    return taken[SAMPLE // 4 :]


def beside_memory(tuqa: TrustUQA, memory: InMemory, texts: list[str], hops: int) -> None:
    """One hop, two, three: ours and the dictionaries'."""
    limits = {1: ("≤ 2", ""), 2: ("", ""), 3: ("≤ 6", "≤ 60")}[hops]
    taken = ours(tuqa, texts, METAQA)
    theirs = []
    for text in texts:
        begun = perf_counter()
        memory.run(text)
        theirs.append((perf_counter() - begun) * 1000)
    row(
        f"MetaQA, {hops} hops, p50",
        percentile(taken, 50),
        "ms",
        limits[0],
        (taken, theirs),
        "of dictionaries",
    )
    row(f"MetaQA, {hops} hops, p95", percentile(taken, 95), "ms", limits[1])
    row(
        f"  dictionaries in memory, p50 / p95 {percentile(theirs, 95):.3f}",
        percentile(theirs, 50),
        "ms",
    )


def tables(tuqa: TrustUQA, folder: Path) -> None:
    """Queries over one of 2,108 tables."""
    tuqa.load("wikitablequestions", folder / "wtq" / "tables.tar.gz", dataset=WTQ, embeddings=False)
    with gzip.open(folder / "wtq" / "llm_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [record for line in lines if (record := json.loads(line))["llm_output"]]
    chosen = random.Random(7).sample([r for r in records if len(r["examples"]) == 1], SAMPLE)
    taken = []
    for record in chosen[: SAMPLE // 4] + chosen:
        source = record["examples"][0]["table"]
        ms = tuqa.run(record["llm_output"], WTQ, source=source, evidence=0).ms
        taken.append(ms["map"] + ms["execute"])
    taken = taken[SAMPLE // 4 :]
    row("WTQ, all 2,108 tables loaded, p50", percentile(taken, 50), "ms", "≤ 10")
    row("WTQ, all 2,108 tables loaded, p95", percentile(taken, 95), "ms")


def beside_datasets(tuqa: TrustUQA, texts: list[str]) -> None:
    """The same queries with more and more other datasets in the database."""
    alone: list[float] | None = None
    there = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "other.tsv"
        path.write_text("".join(f"film {n % 700}\tdirected_by\tperson {n}\n" for n in range(1000)))
        for others in OTHERS:
            for number in range(there, others):
                tuqa.load("kg", path, dataset=f"{OTHER} {number}", embeddings=False)
            there = others
            taken = ours(tuqa, texts, METAQA)
            alone = alone or taken
            row(
                f"MetaQA, 2 hops, p50 beside {others} others",
                percentile(taken, 50),
                "ms",
                "× 1",
                (taken, alone),
            )


if __name__ == "__main__":
    main()
