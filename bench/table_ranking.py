"""Measures table ranking: is the right table of WikiTableQuestions among those that a prompt shows?

The table is not named. Training questions are those that the weights were chosen on; the tables of test
questions occur in no training question. With ``--vectors`` the headers of the tables are embedded too, as in
a database with vectors. Needs TUQA_PACKS, the folder of the data packs.

    TUQA_PACKS=folder python -m bench.table_ranking [QUESTIONS] [--vectors]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from bench.harness import packs_folder, percentile
from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.embedding import Encoder, open_embedder
from trustuqa_neo4j.evaluation import packs
from trustuqa_neo4j.graph.dataset_schema import describe_dataset
from trustuqa_neo4j.questions.table_ranking import rank_tables
from trustuqa_neo4j.reads.reader import Reader, Row, StoredModel

DATASET = "prompts-wtq"
PLACES = (1, 4, 16, 32, 48, 64, 128)
SEED = 7


@dataclass(frozen=True)
class _VectorReader:
    """Embeds as if the dataset had vectors of the default model."""

    reader: Reader
    embedder: Encoder | None

    def run(self, name: str, /, **parameters: Any) -> list[Row]:
        return self.reader.run(name, **parameters)

    def find_model(self) -> StoredModel | None:
        if self.embedder is None:
            return None
        return StoredModel(0, self.embedder.identity, self.embedder.dimension, datasets=(DATASET,))

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        if self.embedder is None:
            return []
        vectors: list[list[float]] = self.embedder.encode_all(texts).tolist()
        return vectors


def main() -> None:
    numbers = [int(text) for text in sys.argv[1:] if text.isdecimal()]
    has_vectors = "--vectors" in sys.argv
    folder = packs_folder() / "wtq"
    settings = Settings.read()
    embedder = open_embedder(cache_folder=settings.home) if has_vectors else nullcontext()
    with TrustUQA.connect(settings, embedder="none") as tuqa, embedder as encoder:
        if DATASET not in {dataset.name for dataset in tuqa.datasets() if dataset.complete}:
            tuqa.load("wikitablequestions", folder / "tables.tar.gz", dataset=DATASET)
        print(f"{'questions':<12}" + "".join(f"{f'{place} %':>8}" for place in PLACES) + "  p50 ms")
        for part in ("train", "test"):
            records = list(packs.read_records(packs.find_file(folder, f"questions.{part}.jsonl")))
            sample = random.Random(SEED).sample(records, numbers[0] if numbers else 400)
            ranks, times = [], []
            for record in sample:
                rank, time = _find_rank(tuqa, record, encoder)
                ranks.append(rank)
                times.append(time)
            shares = (100 * sum(r <= place for r in ranks) / len(ranks) for place in PLACES)
            cells = "".join(f"{share:>8.1f}" for share in shares)
            print(f"{part:<12}{cells}{percentile(times, 50):>8.1f}")


def _find_rank(
    tuqa: TrustUQA, record: packs.PackRecord, encoder: Encoder | None
) -> tuple[int, float]:
    def rank(reader: Reader) -> tuple[int, float]:
        schema = describe_dataset(reader, DATASET, None)
        assert schema is not None
        question = record.text("question")
        start = perf_counter()
        ranked = rank_tables(_VectorReader(reader, encoder), question, DATASET, schema.sources)
        time = (perf_counter() - start) * 1000
        names = ["/".join(table.name.split("/")[-3:]) for table in ranked]
        table = record.text("table")
        return names.index(table) + 1 if table in names else len(names) + 1000, time

    return tuqa.connection.read(rank)


if __name__ == "__main__":
    main()
