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
from pathlib import Path
from statistics import median

from baseline import Server
from harness import packs_folder, percentile, print_row, run_command
from history import record_figure

from trustuqa_neo4j import TrustUQA

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
        times, parts = measure_questions(tuqa, list(read_questions(folder)))
        print_row("a taught question, p50", median(times), "ms", "≤ 30")
        print_row("  of which the database", median(parts), "ms", "≤ 10")
        print_row("a taught question, p95", percentile(times, 95), "ms")
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


def measure_questions(tuqa: TrustUQA, questions: list[str]) -> tuple[list[float], list[float]]:
    """Milliseconds of each answer, and of its statements; the first questions only warm up."""
    times, parts = [], []
    for question in questions[:QUESTIONS] + questions:
        answer = tuqa.ask(question, DATASET)
        times.append(answer.ms["total"])
        parts.append(sum(sent.ms for stage in answer.trace for sent in stage.sent))
    return times[QUESTIONS:], parts[QUESTIONS:]


if __name__ == "__main__":
    main()
