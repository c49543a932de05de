"""Recorded LLM queries: name resolution and execution, beside dictionaries and beside other datasets.

The interpreter in memory is what a user would write: two dictionaries, sets, and two regular expressions
that parse the query. It resolves no names, validates nothing and gives no evidence. Needs TUQA_PACKS.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from time import perf_counter, process_time

from baseline import Server
from harness import packs_folder, percentile, print_row
from history import record_figure

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
        """The result of the last step."""
        results: dict[str, set[str]] = {}
        names: set[str] = set()
        for number, function, inner in _CALL.findall(text):
            arguments = dict(_ARGUMENT.findall(inner))
            if function == "get_information":
                ends = self.tails if "head_entity" in arguments else self.heads
                start = arguments.get("head_entity", arguments.get("tail_entity", ""))
                relation = arguments.get("relation", "")
                starts = self.operand(start, results)
                names = set().union(*(ends.get((name, relation), ()) for name in starts))
            elif function == "set_difference":
                left, right = (self.operand(arguments.get(f"set{n}", ""), results) for n in (1, 2))
                names = left - right
            results[number] = names
        return names

    @staticmethod
    def operand(text: str, results: dict[str, set[str]]) -> set[str]:
        reference = _RESULT.fullmatch(text)
        return results.get(reference[1], set()) if reference else {text}


def main() -> None:
    folder = packs_folder()
    with Server() as server:
        tuqa = server.tuqa
        print(f"Neo4j {server.version}, {os.cpu_count()} cores, {SAMPLE} recorded queries each\n")
        drop(tuqa)
        tuqa.load("metaqa", folder / "metaqa" / "kb.txt.gz", dataset=METAQA, embeddings=False)
        memory = InMemory(folder / "metaqa" / "kb.txt.gz")
        for hops in (1, 2, 3):
            compare_with_memory(
                tuqa, memory, sample_queries(folder, f"llm_queries.{hops}hop.jsonl.gz"), hops
            )
        measure_tables(tuqa, folder)
        compare_with_datasets(tuqa, sample_queries(folder, "llm_queries.2hop.jsonl.gz"))
        drop(tuqa)


def drop(tuqa: TrustUQA) -> None:
    for dataset in tuqa.datasets():
        if dataset.name.startswith(("bench queries", OTHER)):
            tuqa.drop(dataset.name)


def sample_queries(folder: Path, name: str) -> list[str]:
    """The same sample each time."""
    with gzip.open(folder / "metaqa" / name, "rt", encoding="utf-8") as lines:
        texts = [text for line in lines if (text := json.loads(line)["llm_output"])]
    return random.Random(7).sample(texts, SAMPLE)


def run_times(tuqa: TrustUQA, texts: list[str], dataset: str) -> list[float]:
    """Milliseconds of name resolution and execution of each query."""
    times = []
    for text in texts[: SAMPLE // 4] + texts:
        ms = tuqa.run(text, dataset, evidence=0).ms
        times.append(ms["map"] + ms["execute"])
    return times[SAMPLE // 4 :]


def compare_with_memory(tuqa: TrustUQA, memory: InMemory, texts: list[str], hops: int) -> None:
    """Compare queries of one, two or three hops with dictionaries."""
    limits = {1: ("≤ 2", ""), 2: ("", ""), 3: ("≤ 6", "≤ 60")}[hops]
    times = run_times(tuqa, texts, METAQA)
    memory_times = []
    for text in texts:
        start = perf_counter()
        memory.run(text)
        memory_times.append((perf_counter() - start) * 1000)
    print_row(
        f"MetaQA, {hops} hops, p50",
        percentile(times, 50),
        "ms",
        limits[0],
        (times, memory_times),
        "of dictionaries",
    )
    print_row(f"MetaQA, {hops} hops, p95", percentile(times, 95), "ms", limits[1])
    record_figure(f"MetaQA, {hops} hops, p50", percentile(times, 50), "ms")
    measure_processor_time(tuqa, texts, hops)
    print_row(
        f"  dictionaries in memory, p50 / p95 {percentile(memory_times, 95):.3f}",
        percentile(memory_times, 50),
        "ms",
    )


def measure_processor_time(tuqa: TrustUQA, texts: list[str], hops: int) -> None:
    """Processor time of this process for whole queries, the first time and when the text came before."""
    # A space keeps the meaning and makes each text a new one.
    for label, space in (("first", " "), ("again", " ")):
        begun = process_time()
        for text in texts:
            tuqa.run(text + space, METAQA)
        milliseconds = (process_time() - begun) / len(texts) * 1000
        name = f"processor time, MetaQA, {hops} hops, {label}"
        print_row(f"  {name}", milliseconds, "ms", "≤ 2.5")
        record_figure(name, milliseconds, "ms")


def measure_tables(tuqa: TrustUQA, folder: Path) -> None:
    """Queries over one of 2,108 tables."""
    tuqa.load("wikitablequestions", folder / "wtq" / "tables.tar.gz", dataset=WTQ, embeddings=False)
    with gzip.open(folder / "wtq" / "llm_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [record for line in lines if (record := json.loads(line))["llm_output"]]
    chosen = random.Random(7).sample([r for r in records if len(r["examples"]) == 1], SAMPLE)
    times = []
    for record in chosen[: SAMPLE // 4] + chosen:
        source = record["examples"][0]["table"]
        ms = tuqa.run(record["llm_output"], WTQ, source=source, evidence=0).ms
        times.append(ms["map"] + ms["execute"])
    times = times[SAMPLE // 4 :]
    print_row("WTQ, all 2,108 tables loaded, p50", percentile(times, 50), "ms", "≤ 10")
    record_figure("WTQ, p50", percentile(times, 50), "ms")
    print_row("WTQ, all 2,108 tables loaded, p95", percentile(times, 95), "ms")


def compare_with_datasets(tuqa: TrustUQA, texts: list[str]) -> None:
    """The same queries with more and more other datasets in the database."""
    alone: list[float] | None = None
    loaded = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "other.tsv"
        path.write_text("".join(f"film {n % 700}\tdirected_by\tperson {n}\n" for n in range(1000)))
        for others in OTHERS:
            for number in range(loaded, others):
                tuqa.load("kg", path, dataset=f"{OTHER} {number}", embeddings=False)
            loaded = others
            times = run_times(tuqa, texts, METAQA)
            alone = alone or times
            print_row(
                f"MetaQA, 2 hops, p50 beside {others} others",
                percentile(times, 50),
                "ms",
                "× 1",
                (times, alone),
            )


if __name__ == "__main__":
    main()
