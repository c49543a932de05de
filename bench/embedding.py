"""Embedding: names per second, unchanged neighbours, first vector, one question, the cache, and loads.

All ways of running the default model take turns with the same names of MetaQA; the fastest turn of each
counts, since other work may slow the machine down for a while; so processor time is printed too. On a CPU
without bfloat16, the bfloat16 row shows only how near the vectors are. Needs TUQA_PACKS, the folder of the
data packs. ``--network`` leaves out what needs a server, ``--names N`` takes fewer names.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from harness import isolated_home, packs_folder, run_process
from history import record_figure
from threadpoolctl import ThreadpoolController

from trustuqa_neo4j import embedded
from trustuqa_neo4j.embedding import Encoder, Precision, open_embedder
from trustuqa_neo4j.embedding.inference import InferenceOptions, has_bfloat16
from trustuqa_neo4j.embedding.models import SavedModel
from trustuqa_neo4j.embedding.workers import count_threads
from trustuqa_neo4j.graph import catalog
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading.formats import get_loader
from trustuqa_neo4j.loading.load import load
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

SAMPLE = 10_000
TURN = 1_000
QUESTIONS = 200
PLAIN_FACTS = 200_000
SLICE = 1_000  # rows of the matrix of similarities at a time

Vectors = Any
Work = Callable[[list[str]], Vectors]


FIRST_VECTOR = """
import os, resource
from trustuqa_neo4j.embedding import open_embedder
open_embedder({arguments}).encode_one("Neil Armstrong")
print(sum(os.times()[:2]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the embedding of names.")
    parser.add_argument("--names", type=int, default=SAMPLE)
    parser.add_argument("--network", action="store_true")
    arguments = parser.parse_args()
    packs = packs_folder()
    names = read_names(packs / "metaqa" / "kb.txt.gz")
    sample = random.Random(7).sample(names, arguments.names)
    has = "has" if has_bfloat16() else "has no"
    print(f"{count_threads()} threads, the CPU {has} bfloat16, {len(names):,} names")
    for library in ThreadpoolController().select(user_api="blas").info():
        print("matrix library: {internal_api} {version} for {architecture}".format_map(library))
    print()
    measure_first_vector()
    full = Encoder(open_ours())
    plain = open_library("float32").network._transformer  # type: ignore[union-attr]
    half = Encoder(open_library("bfloat16"))
    encoders = {
        "unsorted, batches of 256": lambda part: encode_plain(plain, part, 256),
        "SentenceTransformer.encode": lambda part: encode_plain(plain, part, 32),
        "numpy, sorted": full.encode_all,
        "torch, bfloat16, sorted": half.encode_all,
    }
    results = measure_in_turns(encoders, sample)
    first, _, expected = results["SentenceTransformer.encode"]
    for name, (speed, per_processor, vectors) in results.items():
        limit = f"≥ 99 %, {per_processor:,.0f} names per second of processor time"
        print_result(name, speed, "names/s", first, share_unchanged(expected, vectors), limit)
    speed = results["numpy, sorted"][0]
    record_figure("names embedded", speed, "names/s", lower_is_better=False)
    record_figure(
        "names embedded to SentenceTransformer.encode", speed / first, "×", lower_is_better=False
    )
    stored = expected.astype(np.float16).astype(np.float32)
    print(
        f"{'stored as float16, not used':<38} {'':>26} {share_unchanged(expected, stored):8.2%} unchanged\n"
    )

    measure_question(full)
    measure_cache(full, sample)
    if not arguments.network:
        measure_loads(packs)


def open_ours() -> SavedModel:
    model = open_embedder()._model
    assert isinstance(model, SavedModel)
    return model


def open_library(precision: Precision) -> SavedModel:
    options = InferenceOptions("cpu", precision)
    return SavedModel("by the library", open_ours().folder, options, needs_library=True)


def measure_first_vector() -> None:
    """A new process from its start to its first vector, files in the memory of the system."""
    for label, arguments in (("numpy", ""), ("torch", "'sentence-transformers/all-MiniLM-L6-v2'")):
        code = FIRST_VECTOR.format(arguments=arguments)
        runs = [run_process(sys.executable, "-c", code) for _ in range(3)]
        best = min(runs, key=lambda run: run.seconds)
        processor, memory = map(float, best.out.split())
        print_result(
            f"first vector, {label}", best.seconds, "s", limit="≤ 0.5" if not arguments else ""
        )
        print_result("  processor time", processor, "s")
        print_result("  memory", memory, "MB")


def read_names(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        facts = [line.rstrip("\n").split("|") for line in lines]
    return sorted({name for head, _, tail in facts for name in (head, tail)})


def encode_plain(plain: SentenceTransformer, names: list[str], batch: int) -> Vectors:
    """Batches of 32: one call, which sorts by length; batches of 256: one call each, unsorted."""
    parts = [names] if batch == 32 else [names[i : i + batch] for i in range(0, len(names), batch)]
    return np.concatenate(
        [
            plain.encode(p, batch_size=batch, normalize_embeddings=True, show_progress_bar=False)
            for p in parts
        ]
    )


def measure_in_turns(
    encoders: dict[str, Work], names: list[str]
) -> dict[str, tuple[float, float, Vectors]]:
    """For each encoder: names per second in its fastest turn after a warm-up, names per second of processor
    time in its best turn, and the vectors."""
    processor: dict[str, list[float]] = {name: [] for name in encoders}
    times: dict[str, list[float]] = {name: [] for name in encoders}
    vectors: dict[str, list[Vectors]] = {name: [] for name in encoders}
    for encode in encoders.values():
        encode(names[:500])
    for start in range(0, len(names), TURN):
        for name, encode in encoders.items():
            started, busy = perf_counter(), process_time()
            vectors[name].append(encode(names[start : start + TURN]))
            processor[name].append(process_time() - busy)
            times[name].append(perf_counter() - started)
    return {
        name: (TURN / min(times[name]), TURN / min(processor[name]), np.concatenate(vectors[name]))
        for name in encoders
    }


def share_unchanged(expected: Vectors, vectors: Vectors) -> float:
    """Share of names whose nearest neighbour is the same, or equally near."""
    same = 0
    for start in range(0, len(expected), SLICE):
        rows = np.arange(start, min(start + SLICE, len(expected)))
        reference, cosines = expected[rows] @ expected.T, vectors[rows] @ vectors.T
        reference[rows - start, rows] = cosines[rows - start, rows] = -1
        nearest = reference[rows - start, cosines.argmax(1)]
        same += int((nearest >= reference.max(1) - 1e-6).sum())
    return same / len(expected)


def measure_question(full: Encoder) -> None:
    questions = [f"which films were directed by person number {i}" for i in range(QUESTIONS)]
    times = []
    for question in questions:
        start = perf_counter()
        full.encode_one(question)
        times.append((perf_counter() - start) * 1000)
    print_result("one question, p50", statistics.median(times), "ms")
    print_result("one question, p95", statistics.quantiles(times, n=20)[-1], "ms")


def measure_cache(full: Encoder, names: list[str]) -> None:
    """Names per second written to and read from the cache; the model does not run."""
    vectors = full.encode_all(names[:256])
    with TemporaryDirectory() as folder:
        with open_embedder(cache_folder=Path(folder)) as encoder:
            assert encoder._cache is not None
            begun = perf_counter()
            for start in range(0, len(names), 256):
                part = names[start : start + 256]
                encoder._cache.put_many(encoder.identity, part, vectors[: len(part)])
            print_result("cache written", len(names) / (perf_counter() - begun), "names/s")
            start = perf_counter()
            encoder.encode_all(names)
            print_result("cache read", len(names) / (perf_counter() - start), "names/s")
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / len(names)
        print_result("size", size, "bytes a name")
        with open_embedder(cache_folder=Path(folder)) as encoder:
            start = perf_counter()
            encoder.encode_one(names[0])
            print_result("one name from the cache", (perf_counter() - start) * 1000, "ms")


def measure_loads(packs: Path) -> None:
    """Loads in transactions, after two loads of MetaQA to warm up, and its vectors beside encoding alone."""
    with (
        TemporaryDirectory(prefix="tuqa-bench-") as folder,
        isolated_home(Path(folder)) as settings,
    ):
        running = embedded.ensure_running(settings)
        with closing(Connection.open(running)) as connection:

            def open_connection() -> AbstractContextManager[Connection]:
                return nullcontext(connection)

            def measure_load(loader: str, path: Path, *, has_vectors: bool = True) -> LoadReport:
                request = LoadRequest(get_loader(loader), (str(path),), "bench")
                open_encoder = (lambda: encoder) if has_vectors else None
                report = load(open_connection, request, Progress(), open_encoder)
                texts[:] = [text for (text,) in _names(connection)]
                catalog.drop_dataset(connection, "bench")
                return report

            texts: list[str] = []
            encoder = Encoder(open_ours())  # without a cache
            metaqa = packs / "metaqa" / "kb.txt.gz"
            for _ in range(2):
                measure_load("metaqa", metaqa)
            report = measure_load("metaqa", metaqa)
            start = perf_counter()
            encoder.encode_all(texts)
            alone = perf_counter() - start
            print_result("encoded alone", len(texts) / alone, "names/s", limit="≥ 1,800")
            speed = report.embedded / report.embedding_seconds
            print_result("embedded and written", speed, "names/s")
            beside = report.embedding_seconds / alone * 100
            print_result("  time beside encoding alone", beside, "%", limit="≤ 125")
            record_load("MetaQA with vectors", report, 25)

            tables = Path(folder) / "tables"
            with tarfile.open(packs / "wtq" / "tables.tar.gz") as archive:
                archive.extractall(tables, filter="data")
            report = measure_load("wikitablequestions", tables)
            record_load("WikiTableQuestions with vectors", report, 75)
            plain = Path(folder) / "plain.tsv"
            plain.write_text("".join(generate_facts(PLAIN_FACTS)), encoding="utf-8")
            record_load("200,000 plain facts", measure_load("kg", plain, has_vectors=False), 15)


def generate_facts(count: int) -> Iterator[str]:
    """Facts between 60,000 persons and 40,000 things; none is there twice."""
    for number in range(count):
        yield f"person {number % 60_000}\trelation {number % 8}\tthing {number * 7 % 40_009}\n"


def record_load(label: str, report: LoadReport, limit: int) -> None:
    seconds = report.seconds + report.embedding_seconds
    print_result(f"load of {label}", seconds, "s", limit=f"≤ {limit}")
    record_figure(f"load of {label}, warm server", seconds, "s")


def _names(connection: Connection) -> list[list[str]]:
    with connection.driver.session() as session:
        result = session.run(
            "MATCH (n:Name {dataset: 'bench'}) WHERE n.key IS NOT NULL RETURN n.name"
        )
        return [record.values() for record in result]


def print_result(
    label: str,
    value: float,
    unit: str,
    first: float | None = None,
    same: float | None = None,
    limit: str = "",
) -> None:
    factor = "" if first is None else f"× {value / first:.2f}"
    unchanged = "" if same is None else f"{same:8.2%} unchanged"
    print(
        f"{label:<38} {value:10,.1f} {unit:<8} {factor:>6} {unchanged} {limit}".rstrip(), flush=True
    )


if __name__ == "__main__":
    main()
