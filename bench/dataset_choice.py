"""Dataset routing: the share of questions without a dataset that are first asked of their own dataset.

Five data packs are loaded into one database, without vectors; only MetaQA gets demonstrations. A dataset that
is loaded stays, so that a second run is short. CronQuestions is the part with names. Each row is a pack, with
the number of questions whose dataset is ranked first. Needs TUQA_PACKS, the folder of the data packs. The
graph of WebQSP is a substitute: for 42 of 100 sampled questions it lacks the entity that they are about.

    TUQA_PACKS=folder .venv/bin/python bench/dataset_choice.py [SEED]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from harness import packs_folder, percentile

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.evaluation import packs as pack_files
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.evaluation.runner import store_demonstrations
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.model.demonstration import Demonstration
from trustuqa_neo4j.questions.options import AskRequest
from trustuqa_neo4j.questions.with_routing import rank_datasets

PACKS = {
    "metaqa": ("metaqa", "kb.txt.gz"),
    "wtq": ("wikitablequestions", "tables.tar.gz"),
    "webqsp": ("webqsp", "."),
    "yago11k": ("temporal-kg", "kg.tsv.gz"),
    "cronquestions": ("cronquestions", "kg.tsv.gz"),
}
"""Pack → format and file. The dataset of a pack is called as the pack."""
DEMONSTRATED = "metaqa"
QUESTIONS, SEED = 25, 7


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    folder = packs_folder()
    with TrustUQA.connect(Settings.read(), embedder="none", datasets=tuple(PACKS)) as tuqa:
        load_packs(tuqa, folder)
        total = 0
        times: list[float] = []
        print(f"seed {seed:<13} right of   p50 ms   p95 ms  the others went to")
        for pack in PACKS:
            questions = random.Random(seed).sample(read_questions(folder, pack), QUESTIONS)
            first: Counter[str] = Counter()
            pack_times = []
            for question in questions:
                start = perf_counter()
                first[rank(tuqa, question)] += 1
                pack_times.append((perf_counter() - start) * 1000)
            right = first.pop(pack, 0)
            total += right
            times += pack_times
            print_row(pack, right, len(questions), pack_times, first)
        print_row("all", total, QUESTIONS * len(PACKS), times, Counter())


def load_packs(tuqa: TrustUQA, folder: Path) -> None:
    complete = {dataset.name for dataset in tuqa.datasets() if dataset.complete}
    for pack, (loader, file) in PACKS.items():
        if pack not in complete:
            tuqa.load(loader, folder / pack / file, dataset=pack, embeddings=False)
    records = pack_files.read_records(folder / DEMONSTRATED / "demonstrations.jsonl")
    demonstrations = [
        Demonstration(record.text("question"), record.text("llm_output")) for record in records
    ]
    store_demonstrations(tuqa, DEMONSTRATED, demonstrations)


def read_questions(folder: Path, pack: str) -> list[str]:
    if pack == "cronquestions":
        records = pack_files.read_records(folder / pack / "questions.jsonl")
        return [record.text("question") for record in records]
    return [case.question for case in BENCHMARKS[pack].ask(folder / pack).prepared.cases]


def rank(tuqa: TrustUQA, question: str) -> str:
    """The dataset that is asked first."""
    request = AskRequest(question, Scope(tuple(PACKS)), is_chosen=False)
    candidates = tuqa.connection.read(lambda reader: rank_datasets(reader, request))
    return candidates[0].dataset if candidates else "none"


def print_row(pack: str, right: int, count: int, times: list[float], others: Counter[str]) -> None:
    went = ", ".join(f"{name} {number}" for name, number in others.most_common())
    print(
        f"{pack:<18} {right:5} {count:>3} {percentile(times, 50):8.1f} {percentile(times, 95):8.1f}  {went}",
        flush=True,
    )


if __name__ == "__main__":
    main()
