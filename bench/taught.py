"""Questions to a dataset with many demonstrations: the time of an answer, and the part of the database.

The graph and the recorded queries are those of MetaQA; all of them are imported as demonstrations, which
takes some minutes, since each runs once. Test questions are asked without brackets around the topic. Needs
TUQA_PACKS.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any

from baseline import Server
from harness import packs_folder, percentile, print_row, run_command
from history import record_figure

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.graph.connection import Reply, Transaction

DATASET = "bench taught"
QUESTIONS = 200
HOPS = (1, 2, 3)


def main() -> None:
    folder = packs_folder() / "metaqa"
    with Server() as server:
        tuqa = server.tuqa
        tuqa.load(
            "metaqa", folder / "kb.txt.gz", dataset=DATASET, mode="replace-all", embeddings=False
        )
        for hops in HOPS:
            path = str(folder / f"llm_queries.{hops}hop.jsonl.gz")
            run_command("tuqa", "demonstrations", "import", path, "--dataset", DATASET, "--quiet")
        count = len(list(tuqa.demonstrations.listed(DATASET)))
        print(f"{count:,} demonstrations, {QUESTIONS} questions of each number of hops\n")
        times, parts, counts = measure_questions(tuqa, list(read_questions(folder)))
        print_row("a taught question, p50", median(times), "ms", "≤ 30")
        print_row("  of which the database", median(parts), "ms", "≤ 10")
        print_row("a taught question, p95", percentile(times, 95), "ms")
        print_row("  statements, mean", mean(counts), "")
        record_figure("taught question, p50", median(times), "ms")
        record_figure("taught question, statements, p50", median(parts), "ms")
        tuqa.drop(DATASET)


def read_questions(folder: Path) -> Iterator[str]:
    """Yield the same sample of test questions each time."""
    for hops in HOPS:
        path = folder / f"questions.{hops}hop.test.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            questions = [json.loads(line)["question"] for line in lines]
        for question in random.Random(5).sample(questions, QUESTIONS):
            yield question.replace("[", "").replace("]", "")


@contextmanager
def recorded_statements() -> Iterator[list[float]]:
    """Record the milliseconds of all statements; a trace has only those of the query that wins the vote."""
    run, times = Transaction.run, []

    def timed_run(self: Transaction, name: str, /, **parameters: Any) -> Reply:
        begun = perf_counter()
        reply = run(self, name, **parameters)
        times.append((perf_counter() - begun) * 1000)
        return reply

    Transaction.run = timed_run  # type: ignore[method-assign]
    try:
        yield times
    finally:
        Transaction.run = run  # type: ignore[method-assign]


def measure_questions(
    tuqa: TrustUQA, questions: list[str]
) -> tuple[list[float], list[float], list[int]]:
    """Milliseconds of each answer and of its statements, and their number; the first ones warm up."""
    times, parts, counts = [], [], []
    with recorded_statements() as statements:
        for question in questions[:QUESTIONS] + questions:
            statements.clear()
            times.append(tuqa.ask(question, DATASET).ms["total"])
            parts.append(sum(statements))
            counts.append(len(statements))
    return times[QUESTIONS:], parts[QUESTIONS:], counts[QUESTIONS:]


if __name__ == "__main__":
    main()
