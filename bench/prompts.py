"""Times prompts over the tables of WikiTableQuestions: built, not sent, and without vectors.

Each row is a kind of question, with its time at the median and at 95 %, the median of the processor time of
the client (of each question the least of four), and the tokens of the prompt. The dataset is loaded once, and
stays. Needs TUQA_PACKS, the folder of the data packs.

    TUQA_PACKS=folder .venv/bin/python bench/prompts.py
"""

from __future__ import annotations

import random
from time import perf_counter, process_time

from harness import packs_folder, percentile

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.evaluation import packs as pack_files
from trustuqa_neo4j.questions.options import AskOptions

DATASET = "prompts-wtq"
QUESTIONS, WARM_UP, SEED = 100, 10, 5
REPEATS = 4  # for the processor time


def main() -> None:
    folder = packs_folder() / "wtq"
    records = list(pack_files.read_records(folder / "questions.test.jsonl.gz"))
    sample = random.Random(SEED).sample(records, QUESTIONS + WARM_UP)
    with TrustUQA.connect(Settings.read(), embedder="none") as tuqa:
        if DATASET not in {dataset.name for dataset in tuqa.datasets() if dataset.complete}:
            tuqa.load("wikitablequestions", folder / "tables.tar.gz", dataset=DATASET)
        sources = [source.name for source in tuqa.schema(DATASET).sources]
        by_end = {"/".join(name.split("/")[-3:]): name for name in sources}
        kinds = {
            "of one table": (True, True),
            "of one table, without the reader": (True, False),
            f"of {len(sources):,} tables": (False, True),
        }
        print(f"{'questions':<36}{'p50 ms':>10}{'p95 ms':>10}{'cpu ms':>10}{'tokens':>10}")
        for kind, (is_named, reader) in kinds.items():
            times: list[float] = []
            processor_times: list[float] = []
            lengths: list[int] = []
            for record in sample:
                options: AskOptions = {"reader": reader}
                if is_named:
                    options["source"] = by_end[record.text("table")]
                least = float("inf")
                for repeat in range(REPEATS):
                    start, processor_start = perf_counter(), process_time()
                    prompt = tuqa.prompt(record.text("question"), DATASET, **options)
                    least = min(least, process_time() - processor_start)
                    if repeat == 0:
                        times.append((perf_counter() - start) * 1000)
                        lengths.append(prompt.tokens)
                processor_times.append(least * 1000)
            measured = times[WARM_UP:]
            figures = (percentile(measured, 50), percentile(measured, 95))
            processor = percentile(processor_times[WARM_UP:], 50)
            tokens = sum(lengths) / len(lengths)
            row = f"{kind:<36}{figures[0]:>10.0f}{figures[1]:>10.0f}{processor:>10.1f}{tokens:>10,.0f}"
            print(row)


if __name__ == "__main__":
    main()
